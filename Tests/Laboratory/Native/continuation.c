// Tells ThreadSanitizer of the continuations that it does not see.
//
// A task that waits goes on as a job, and the runtime tells the sanitizer of jobs. A continuation that
// was resumed before its task came to wait makes no job: what was resumed with looks as if the other
// thread had never handed it over. Preloaded, this stands before the runtime's functions and says what
// they do. It hides no other report.

#include "tell.h"

#define ASYNC __attribute__((swiftasynccall))

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

ASYNC void swift_continuation_await(void *context) {
  ASYNC void (*real)(void *) = (ASYNC void (*)(void *))dlsym(RTLD_NEXT, "swift_continuation_await");
  SWIFT void *(*current)(void) =
      (SWIFT void *(*)(void))dlsym(RTLD_DEFAULT, "swift_task_getCurrent");
  tell("__tsan_acquire", current());
  __attribute__((musttail)) return real(context);
}
