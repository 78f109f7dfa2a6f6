// Tells ThreadSanitizer of the continuations that it does not see.
//
// A task that waits goes on as a job, and the runtime tells the sanitizer of jobs. A continuation that
// was resumed before its task came to wait makes no job: what was resumed with looks as if the other
// thread had never handed it over. Preloaded, this stands before the runtime's functions and says what
// they do. It hides no other report.

#include "tell.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define ASYNC __attribute__((swiftasynccall))

#define CONTEXT __attribute__((swift_async_context))

typedef ASYNC void Resume(CONTEXT void *);

SWIFT void swift_continuation_resume(void *task) {
  SWIFT void (*real)(void *) = (SWIFT void (*)(void *))dlsym(RTLD_NEXT, "swift_continuation_resume");
  tell("__tsan_release", task);
  real(task);
}

SWIFT void swift_continuation_throwingResume(void *task) {
  SWIFT void (*real)(void *) =
      (SWIFT void (*)(void *))dlsym(RTLD_NEXT, "swift_continuation_throwingResume");
  tell("__tsan_release", task);
  real(task);
}

SWIFT void swift_continuation_throwingResumeWithError(void *task, void *error) {
  SWIFT void (*real)(void *, void *) = (SWIFT void (*)(void *, void *))dlsym(
      RTLD_NEXT, "swift_continuation_throwingResumeWithError");
  tell("__tsan_release", task);
  real(task, error);
}

// What a waiting task goes on with, by the context that it waits in.
struct Waiting {
  void *context;
  Resume *resume;
  struct Waiting *next;
};

static struct Waiting *waiting[1024];
static atomic_flag locks[1024];

static unsigned place(void *context) { return ((uintptr_t)context >> 4) % 1024; }

static void lock(unsigned number) {
  while (atomic_flag_test_and_set_explicit(&locks[number], memory_order_acquire)) sched_yield();
}

static void unlock(unsigned number) {
  atomic_flag_clear_explicit(&locks[number], memory_order_release);
}

static void remember(void *context, Resume *resume) {
  unsigned number = place(context);
  struct Waiting *entry = malloc(sizeof *entry);
  lock(number);
  *entry = (struct Waiting){context, resume, waiting[number]};
  waiting[number] = entry;
  unlock(number);
}

static Resume *forget(void *context) {
  unsigned number = place(context);
  lock(number);
  struct Waiting **link = &waiting[number];
  while ((*link)->context != context) link = &(*link)->next;
  struct Waiting *entry = *link;
  *link = entry->next;
  unlock(number);
  Resume *resume = entry->resume;
  free(entry);
  return resume;
}

// Stands before what the task goes on with: whether it was resumed before it waited, while it came to,
// or later, what was done before is known from here on.
static ASYNC void go_on(CONTEXT void *context) {
  SWIFT void *(*current)(void) =
      (SWIFT void *(*)(void))dlsym(RTLD_DEFAULT, "swift_task_getCurrent");
  tell("__tsan_acquire", current());
  Resume *resume = forget(context);
  __attribute__((musttail)) return resume(context);
}

ASYNC void swift_continuation_await(void *context) {
  ASYNC void (*real)(void *) = (ASYNC void (*)(void *))dlsym(RTLD_NEXT, "swift_continuation_await");
  // Behind the parent stands the function with which it goes on.
  Resume **resume = (Resume **)context + 1;
  remember(context, *resume);
  *resume = go_on;
  __attribute__((musttail)) return real(context);
}
