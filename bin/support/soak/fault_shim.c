/*
 * Loaded by LD_PRELOAD into the processes of a soak run: lets writing fail in one folder, and moves the
 * clock, as a file says that all of them have mapped. The machine's own disk and clock stay as they are.
 *
 * FAULT_SHIM: that file. FAULT_SHIM_FOLDER: the folder, absolute.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct control {
    _Atomic int64_t error;     /* errno of each write in the folder; 0: none fails */
    _Atomic int64_t offset_ns; /* of the clock that tells the time */
};

static struct control *control;
static const char *folder;
static size_t folder_length;

__attribute__((constructor)) static void
begin(void)
{
    const char *path = getenv("FAULT_SHIM");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;

    folder = getenv("FAULT_SHIM_FOLDER");
    folder_length = folder ? strlen(folder) : 0;
    if (fd < 0) return;
    void *mapped = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped != MAP_FAILED) control = mapped;
    close(fd);
}

static int
inside(const char *path)
{
    return folder_length && strncmp(path, folder, folder_length) == 0;
}

/* Whether the call is to fail; errno is set then. */
static int
fails(int fd)
{
    char link[64], path[4096];
    int error = control ? (int)control->error : 0;

    if (!error) return 0;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof(path) - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    if (!inside(path)) return 0;
    errno = error;
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAILING(type, name, declared, passed)         \
    type name declared                                \
    {                                                 \
        static __typeof__(&name) real;                \
        if (!real) real = REAL(name);                 \
        return fails(fd) ? (type)-1 : real passed;    \
    }

FAILING(ssize_t, write, (int fd, const void *bytes, size_t size), (fd, bytes, size))
FAILING(ssize_t, pwrite, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at))
FAILING(ssize_t, pwrite64, (int fd, const void *bytes, size_t size, off64_t at), (fd, bytes, size, at))
FAILING(int, fsync, (int fd), (fd))
FAILING(int, fdatasync, (int fd), (fd))
FAILING(int, ftruncate, (int fd, off_t size), (fd, size))
FAILING(int, ftruncate64, (int fd, off64_t size), (fd, size))

static int
refused(const char *path, int flags)
{
    int error = control ? (int)control->error : 0;

    if (!error || (flags & O_ACCMODE) == O_RDONLY || !inside(path)) return 0;
    errno = error;
    return 1;
}

#define OPENING(name)                                           \
    int name(const char *path, int flags, ...)                  \
    {                                                           \
        static __typeof__(&name) real;                          \
        mode_t mode = 0;                                        \
        if (!real) real = REAL(name);                           \
        if (flags & (O_CREAT | __O_TMPFILE)) {                  \
            va_list rest;                                       \
            va_start(rest, flags);                              \
            mode = va_arg(rest, mode_t);                        \
            va_end(rest);                                       \
        }                                                       \
        return refused(path, flags) ? -1 : real(path, flags, mode); \
    }

OPENING(open)
OPENING(open64)

int
clock_gettime(clockid_t clock, struct timespec *time)
{
    static __typeof__(&clock_gettime) real;

    if (!real) real = REAL(clock_gettime);
    int result = real(clock, time);
    int64_t offset = control ? control->offset_ns : 0;
    if (result == 0 && offset && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        time->tv_sec += offset / 1000000000;
    return result;
}

int
gettimeofday(struct timeval *restrict time, void *restrict zone)
{
    struct timespec now;

    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t
time(time_t *result)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
