// Makes calls to the system fail, one at a time, for files below a folder.
//
// Preloaded into the laboratory, which says what fails: the n-th call from now on, with which error,
// once or from then on. Files elsewhere, sockets and pipes are left alone. These are the calls that the
// library, SQLite and Foundation make for a store's files, as a trace of the system shows them, but for
// `close`, which has closed whatever it says.
//
// An exceeded quota is that of a server: a file system in the network takes the bytes, loses them, and says
// so when a descriptor is closed or the file is synchronized.
//
// What the C library calls for itself, such as what `opendir`
// or Foundation's removal of a folder consist of, it calls past this.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static char prefix[4096];
static atomic_bool tracked[65536];
static atomic_bool has_lost[65536];
static atomic_long left = -1;
static atomic_long counted;
static atomic_int error_number;
static atomic_bool persists;
static bool traced;

// Begins to count the calls for files below the folder; the one with the number fails, from 0.
void freshet_lab_fail(const char *folder, long number, int error, bool for_ever) {
  strncpy(prefix, folder, sizeof prefix - 1);
  counted = 0;
  error_number = error;
  persists = for_ever;
  traced = getenv("FRESHET_LAB_TRACE") != NULL;
  left = number;
}

// Ends it; how many calls there were.
long freshet_lab_stop(void) {
  left = -1;
  return counted;
}

static bool fails_at(const char *name, const char *path) {
  long limit = left;
  if (limit < 0) return false;
  long number = counted++;
  if (traced) fprintf(stderr, "%ld %s %s\n", number, name, path ? path : "");
  if (number < limit || (number > limit && !persists)) return false;
  bool writes = strcmp(name, "write") == 0 || strcmp(name, "copy_file_range") == 0;
  if (error_number == EDQUOT && !writes) return false;
  errno = error_number;
  return true;
}

static bool is_remote(void) { return error_number == EDQUOT; }

// A call that writes: whether it succeeds, and its bytes are lost.
static bool loses(int file, const char *name) {
  if (!is_remote() || !fails_at(name, NULL)) return false;
  has_lost[file] = true;
  return true;
}

static bool below(const char *path) {
  return path && prefix[0] && strncmp(path, prefix, strlen(prefix)) == 0;
}

static bool known(int file) { return file >= 0 && file < 65536 && tracked[file]; }

static int opened(int file, bool is_tracked) {
  if (file >= 0 && file < 65536) {
    tracked[file] = is_tracked;
    has_lost[file] = false;
  }
  return file;
}

static int copied(int file, int copy) {
  opened(copy, true);
  if (known(copy)) has_lost[copy] = has_lost[file];
  return copy;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPEN(name)                                                                       \
  int name(const char *path, int flags, ...) {                                           \
    mode_t mode = 0;                                                                     \
    if (flags & (O_CREAT | O_TMPFILE)) {                                                 \
      va_list list;                                                                      \
      va_start(list, flags);                                                             \
      mode = va_arg(list, mode_t);                                                       \
      va_end(list);                                                                      \
    }                                                                                    \
    if (below(path) && fails_at(__func__, path)) return -1;                                               \
    return opened(REAL(name)(path, flags, mode), below(path));                           \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                     \
  int name(int folder, const char *path, int flags, ...) {                               \
    mode_t mode = 0;                                                                     \
    if (flags & (O_CREAT | O_TMPFILE)) {                                                 \
      va_list list;                                                                      \
      va_start(list, flags);                                                             \
      mode = va_arg(list, mode_t);                                                       \
      va_end(list);                                                                      \
    }                                                                                    \
    bool ours = below(path) || (path && path[0] != '/' && known(folder));                \
    if (ours && fails_at(__func__, path)) return -1;                                                      \
    return opened(REAL(name)(folder, path, flags, mode), ours);                          \
  }
OPENAT(openat)
OPENAT(openat64)

int close(int file) {
  bool has_failed = known(file) && has_lost[file];
  opened(file, false);
  int result = REAL(close)(file);
  if (!has_failed) return result;
  errno = EDQUOT;
  return -1;
}

#define DATA(type, name, parameters, arguments)                                          \
  type name parameters {                                                                 \
    if (known(file) && fails_at(__func__, NULL)) return -1;                                               \
    return REAL(name) arguments;                                                         \
  }
DATA(ssize_t, read, (int file, void *bytes, size_t count), (file, bytes, count))
DATA(ssize_t, pread, (int file, void *bytes, size_t count, off_t at), (file, bytes, count, at))
DATA(ssize_t, pread64, (int file, void *bytes, size_t count, off64_t at), (file, bytes, count, at))
DATA(ssize_t, pwrite, (int file, const void *bytes, size_t count, off_t at),
     (file, bytes, count, at))
DATA(ssize_t, pwrite64, (int file, const void *bytes, size_t count, off64_t at),
     (file, bytes, count, at))

ssize_t write(int file, const void *bytes, size_t count) {
  if (known(file) && is_remote() && loses(file, __func__)) return count;
  if (known(file) && !is_remote() && fails_at(__func__, NULL)) return -1;
  return REAL(write)(file, bytes, count);
}

int fsync(int file) {
  if (known(file) && has_lost[file]) errno = EDQUOT;
  if (known(file) && (has_lost[file] || fails_at(__func__, NULL))) return -1;
  return REAL(fsync)(file);
}

DATA(int, fdatasync, (int file), (file))
DATA(int, ftruncate, (int file, off_t length), (file, length))
DATA(int, ftruncate64, (int file, off64_t length), (file, length))
DATA(int, fallocate, (int file, int mode, off_t offset, off_t length),
     (file, mode, offset, length))
DATA(int, fstat, (int file, struct stat *status), (file, status))
DATA(int, fstat64, (int file, struct stat64 *status), (file, status))
DATA(int, fchmod, (int file, mode_t mode), (file, mode))
DATA(int, fchown, (int file, uid_t user, gid_t group), (file, user, group))
DATA(int, flock, (int file, int operation), (file, operation))
DATA(off_t, lseek, (int file, off_t offset, int origin), (file, offset, origin))
DATA(off64_t, lseek64, (int file, off64_t offset, int origin), (file, offset, origin))
DATA(int, fstatvfs, (int file, struct statvfs *status), (file, status))
DATA(int, fstatvfs64, (int file, struct statvfs64 *status), (file, status))

// Giving a lock of records back never fails: POSIX names no error for it beyond a bad argument, and
// SQLite, which would believe that it still has the lock, waits ten seconds for itself each time.
static bool gives_back(int command, void *argument) {
  bool is_lock = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK;
  return is_lock && ((struct flock *)argument)->l_type == F_UNLCK;
}

// Locks of records among others. They fail only where calls fail once: of a lock that it does not get
// SQLite believes that somebody else has it, and waits, which the stage `locks` tries. What a command
// takes is as large as a pointer at most.
#define CONTROL(name)                                                                    \
  int name(int file, int command, ...) {                                                 \
    va_list list;                                                                        \
    va_start(list, command);                                                             \
    void *argument = va_arg(list, void *);                                               \
    va_end(list);                                                                        \
    bool may_fail = known(file) && !persists && !gives_back(command, argument);          \
    if (may_fail && fails_at(__func__, NULL)) return -1;                                 \
    int result = REAL(name)(file, command, argument);                                    \
    bool is_copy = command == F_DUPFD || command == F_DUPFD_CLOEXEC;                     \
    return is_copy && known(file) ? copied(file, result) : result;                       \
  }
CONTROL(fcntl)
CONTROL(fcntl64)

ssize_t copy_file_range(int source, off64_t *from, int target, off64_t *to, size_t count,
                        unsigned int flags) {
  if (known(target) && is_remote()) {
    if (loses(target, __func__)) {
      if (from) *from += count;
      return count;
    }
  } else if ((known(source) || known(target)) && fails_at(__func__, NULL)) {
    return -1;
  }
  return REAL(copy_file_range)(source, from, target, to, count, flags);
}

DIR *opendir(const char *path) {
  if (below(path) && fails_at(__func__, path)) return NULL;
  DIR *stream = REAL(opendir)(path);
  if (stream) opened(dirfd(stream), below(path));
  return stream;
}

int closedir(DIR *stream) {
  opened(dirfd(stream), false);
  return REAL(closedir)(stream);
}

// The end of a folder is no error, and leaves the number of the last one.
#define ENTRY(type, name)                                                                \
  type *name(DIR *stream) {                                                              \
    if (known(dirfd(stream)) && fails_at(__func__, NULL)) return NULL;                   \
    return REAL(name)(stream);                                                           \
  }
ENTRY(struct dirent, readdir)
ENTRY(struct dirent64, readdir64)

#define PATH(name, parameters, arguments, first)                                         \
  int name parameters {                                                                  \
    if (below(first) && fails_at(__func__, first)) return -1;                                              \
    return REAL(name) arguments;                                                         \
  }
PATH(unlink, (const char *path), (path), path)
PATH(mkdir, (const char *path, mode_t mode), (path, mode), path)
PATH(rmdir, (const char *path), (path), path)
PATH(stat, (const char *path, struct stat *status), (path, status), path)
PATH(stat64, (const char *path, struct stat64 *status), (path, status), path)
PATH(lstat, (const char *path, struct stat *status), (path, status), path)
PATH(lstat64, (const char *path, struct stat64 *status), (path, status), path)
PATH(access, (const char *path, int mode), (path, mode), path)
PATH(chmod, (const char *path, mode_t mode), (path, mode), path)
PATH(rename, (const char *path, const char *target), (path, target), path)
PATH(link, (const char *path, const char *target), (path, target), path)
PATH(linkat, (int folder, const char *path, int other, const char *target, int flags),
     (folder, path, other, target, flags), target)

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t at) {
  if (known(file) && fails_at(__func__, NULL)) return MAP_FAILED;
  return REAL(mmap)(address, length, protection, flags, file, at);
}

void *mmap64(void *address, size_t length, int protection, int flags, int file, off64_t at) {
  if (known(file) && fails_at(__func__, NULL)) return MAP_FAILED;
  return REAL(mmap64)(address, length, protection, flags, file, at);
}
