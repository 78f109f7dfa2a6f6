// Tells ThreadSanitizer of the locks that it does not see.
//
// The fast path of Synchronization's Mutex is compiled into the code that uses it, and the sanitizer
// sees its atomic operations. The slow path, for a lock that somebody else has, is in the toolchain's
// library, which is not instrumented: a lock taken there looks as if nobody had taken it. Preloaded,
// this stands before those functions and says what they do. It hides no other report.

#include "tell.h"

#include <stdbool.h>
#include <stdint.h>

#define SELF __attribute__((swift_context))

SWIFT void lock_slow(uint32_t thread, SELF void *lock)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT void lock_slow(uint32_t thread, SELF void *lock) {
  SWIFT void (*real)(uint32_t, SELF void *) = (SWIFT void (*)(uint32_t, SELF void *))dlsym(
      RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
  real(thread, lock);
  tell("__tsan_acquire", lock);
}

SWIFT bool try_lock_slow(SELF void *lock)
    __asm__("$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");
SWIFT bool try_lock_slow(SELF void *lock) {
  SWIFT bool (*real)(SELF void *) = (SWIFT bool (*)(SELF void *))dlsym(
      RTLD_NEXT, "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");
  bool taken = real(lock);
  if (taken) tell("__tsan_acquire", lock);
  return taken;
}

SWIFT void unlock_slow(SELF void *lock)
    __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
SWIFT void unlock_slow(SELF void *lock) {
  SWIFT void (*real)(SELF void *) = (SWIFT void (*)(SELF void *))dlsym(
      RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
  tell("__tsan_release", lock);
  real(lock);
}
