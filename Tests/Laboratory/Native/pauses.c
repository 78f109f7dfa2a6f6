// Lets threads pause where a task is handed to another thread.
//
// What goes wrong between two instructions does so when the system takes a thread away there, which it
// seldom does. Preloaded, this takes threads away at random: often while a continuation is resumed or a
// task is made, when others may already run what this thread still looks at, and seldom elsewhere.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdint.h>
#include <time.h>

#define SWIFT __attribute__((swiftcall))

// How many hand-overs this thread is in.
static __thread int depth;

static uint64_t dice(void) {
  static __thread uint64_t state;
  // Each thread has an address of its own.
  if (state == 0) state = (uint64_t)(uintptr_t)&state * 0x9E3779B97F4A7C15u | 1;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state >> 16;
}

static void pause_at_random(void) {
  uint64_t number = dice();
  if (depth == 0 && (number & 0xFFF0) != 0) return;
  if ((number & 0xF) == 0) {
    struct timespec time = {0, 50000};
    nanosleep(&time, NULL);
  } else if ((number & 0x3) == 0) {
    sched_yield();
  }
}

#define REAL(name)                                                                       \
  static __typeof__(&name) real;                                                         \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

void *swift_retain(void *object) {
  REAL(swift_retain);
  pause_at_random();
  return real(object);
}

void swift_release(void *object) {
  REAL(swift_release);
  pause_at_random();
  real(object);
}

#define RESUME(name)                                                                     \
  SWIFT void name(void *task) {                                                          \
    REAL(name);                                                                          \
    depth += 1;                                                                          \
    real(task);                                                                          \
    pause_at_random();                                                                   \
    depth -= 1;                                                                          \
  }
RESUME(swift_continuation_resume)
RESUME(swift_continuation_throwingResume)
