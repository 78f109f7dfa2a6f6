// Calls one of ThreadSanitizer's hooks, where there is one.

#define _GNU_SOURCE
#include <dlfcn.h>

#define SWIFT __attribute__((swiftcall))

static inline void tell(const char *hook, void *subject) {
  void (*call)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, hook);
  if (call && subject) call(subject);
}
