#ifdef __linux__
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <malloc.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

// The C library declares these only to GNU sources, which Swift's importer is not.
ssize_t copy_file_range(int, off_t *, int, off_t *, size_t, unsigned int);
int accept4(int, struct sockaddr *, socklen_t *, int);
int pipe2(int[2], int);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);

static inline ssize_t freshet_copy_file_range(
    int source, int64_t *offset, int target, size_t count) {
  off_t position = *offset;
  ssize_t copied = copy_file_range(source, &position, target, 0, count, 0);
  *offset = position;
  return copied;
}

// What has been allocated and not freed; 0 where the C library does not tell.
static inline size_t freshet_allocated_bytes(void) {
#ifdef __GLIBC__
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

// A socket that tells about changes of interfaces, addresses and routes; -1 where there is none.
static inline int freshet_open_link_monitor(void) {
  int monitor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  struct sockaddr_nl address = {0};
  address.nl_family = AF_NETLINK;
  address.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE;
  if (monitor >= 0 && bind(monitor, (struct sockaddr *)&address, sizeof address) != 0) {
    close(monitor);
    return -1;
  }
  return monitor;
}

// prctl is variadic, which Swift cannot call.
static inline void freshet_name_thread(const char *name) {
  prctl(PR_SET_NAME, name);
}
#endif
