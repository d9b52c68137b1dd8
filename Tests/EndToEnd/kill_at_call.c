/* Loaded before the C library of a program (LD_PRELOAD): counts its calls that change files, and kills it with
 * SIGKILL right before call number CUT_AT. With CUT_AT 0 it writes the count to the file CUT_COUNT at the end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;
static long at = -1;

static void step(void) {
  if (at < 0) at = getenv("CUT_AT") ? atol(getenv("CUT_AT")) : 0;
  if (atomic_fetch_add(&calls, 1) + 1 == at) kill(getpid(), SIGKILL);
}

__attribute__((destructor)) static void tell(void) {
  const char *path = getenv("CUT_COUNT");
  if (!path) return;
  FILE *file = fopen(path, "w");
  if (!file) return;
  fprintf(file, "%ld\n", atomic_load(&calls));
  fclose(file);
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define OPENER(name)                                                        \
  int name(const char *path, int flags, ...) {                              \
    mode_t mode = 0;                                                        \
    if (flags & O_CREAT) {                                                  \
      va_list list;                                                         \
      va_start(list, flags);                                                \
      mode = va_arg(list, mode_t);                                          \
      va_end(list);                                                         \
      step();                                                               \
    }                                                                       \
    REAL(name);                           \
    return real(path, flags, mode);                                         \
  }
OPENER(open)
OPENER(open64)

#define PWRITER(name, offset_type)                                          \
  ssize_t name(int file, const void *bytes, size_t count, offset_type at_) { \
    step();                                                                 \
    REAL(name);        \
    return real(file, bytes, count, at_);                                   \
  }
PWRITER(pwrite, off_t)
PWRITER(pwrite64, off64_t)

#define TRUNCATER(name, offset_type)                     \
  int name(int file, offset_type length) {               \
    step();                                              \
    REAL(name);              \
    return real(file, length);                           \
  }
TRUNCATER(ftruncate, off_t)
TRUNCATER(ftruncate64, off64_t)

ssize_t write(int file, const void *bytes, size_t count) {
  if (file > 2) step();
  REAL(write);
  return real(file, bytes, count);
}

#define FLUSHER(name)                \
  int name(int file) {               \
    step();                          \
    REAL(name);       \
    return real(file);               \
  }
FLUSHER(fsync)
FLUSHER(fdatasync)

int rename(const char *from, const char *to) {
  step();
  REAL(rename);
  return real(from, to);
}

int unlink(const char *path) {
  step();
  REAL(unlink);
  return real(path);
}

int mkdir(const char *path, mode_t mode) {
  step();
  REAL(mkdir);
  return real(path, mode);
}
