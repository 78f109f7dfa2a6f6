#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif
