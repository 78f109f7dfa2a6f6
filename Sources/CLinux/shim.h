#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

// prctl is variadic, which Swift cannot call.
static inline void freshet_name_thread(const char *name) {
  prctl(PR_SET_NAME, name);
}
#endif
