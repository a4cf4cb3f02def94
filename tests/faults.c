/* A library to be preloaded: the n-th call of one kind, on a path that has a text in it, fails or is the process's
 * last.
 *
 *     LD_PRELOAD=faults.so KELVIN_FAULT=rename:3:EIO:RUN KELVIN_FAULT_LOG=log kelvin sample -o RUN
 *
 * Kinds: open (of files to be written), write, truncate, fsync, close (of files that were written), rename, mkdir, and
 * any. What happens: an errno; KILL, which comes in the middle of a write; SHORT, a write of half the bytes; TAKEN, an
 * empty folder that another process makes just before a folder gets that name. The log gets a line when it has
 * happened. */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* open and open64 are two functions here */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define REPLACED __attribute__((visibility("default")))
#define NEXT(f)  (__extension__(__typeof__(&f)) dlsym(RTLD_NEXT, #f))

enum { KILL = -1, SHORT = -2, TAKEN = -3, TEXT = 4096 };

static const struct {
    const char *name;
    int number;
} reasons[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},   {"EROFS", EROFS}, {"EACCES", EACCES}, {"EDQUOT", EDQUOT},
               {"EINTR", EINTR},   {"KILL", KILL}, {"SHORT", SHORT}, {"TAKEN", TAKEN}};

static struct {
    char kind[16], path[256];
    unsigned n;
    int reason;
} fault;

__attribute__((constructor)) static void read_fault(void)
{
    char reason[16] = "";
    const char *text = getenv("KELVIN_FAULT");
    if (!text) return;
    if (sscanf(text, "%15[a-z]:%u:%15[A-Z]:%255s", fault.kind, &fault.n, reason, fault.path) == 4)
        for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
            if (strcmp(reason, reasons[i].name) == 0) fault.reason = reasons[i].number;
    if (fault.reason) return;
    fprintf(stderr, "KELVIN_FAULT is \"%s\", expected KIND:N:REASON:PATH\n", text);
    _exit(99);
}

static void note(const char *kind, const char *path)
{
    char line[TEXT + 64];
    const char *log = getenv("KELVIN_FAULT_LOG");
    const int fd = log ? NEXT(open)(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    const int n = snprintf(line, sizeof line, "%s %u %s\n", kind, fault.n, path);
    if (fd < 0 || NEXT(write)(fd, line, (size_t)n) != n) _exit(99);
    NEXT(close)(fd);
}

/* What must happen in this call; 0: nothing. */
static int due(const char *kind, const char *path)
{
    static atomic_uint calls;
    if (!fault.reason || !strstr(path, fault.path)) return 0;
    if (strcmp(fault.kind, "any") != 0 && strcmp(fault.kind, kind) != 0) return 0;
    if (atomic_fetch_add(&calls, 1) + 1 != fault.n) return 0;
    note(kind, path);
    return fault.reason;
}

static int due_of_file(const char *kind, int fd)
{
    char link[64], path[TEXT];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0) return 0;
    path[n] = '\0';
    return due(kind, path);
}

/* True: the call must fail, with errno set. */
static bool fails(int reason)
{
    if (reason == KILL) kill(getpid(), SIGKILL);
    if (reason > 0) errno = reason;
    return reason > 0;
}

/* ---- the calls ---- */

static bool open_fails(const char *path, int flags)
{
    return (flags & O_ACCMODE) != O_RDONLY && fails(due("open", path));
}

static mode_t mode_of(int flags, va_list args)
{
    return flags & O_CREAT ? (mode_t)va_arg(args, unsigned) : 0;
}

REPLACED int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const mode_t mode = mode_of(flags, args);
    va_end(args);
    return open_fails(path, flags) ? -1 : NEXT(open)(path, flags, mode);
}

REPLACED int open64(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const mode_t mode = mode_of(flags, args);
    va_end(args);
    return open_fails(path, flags) ? -1 : NEXT(open64)(path, flags, mode);
}

REPLACED ssize_t write(int fd, const void *data, size_t bytes)
{
    const int reason = due_of_file("write", fd);
    if (reason == SHORT) return NEXT(write)(fd, data, (bytes + 1) / 2);
    if (reason == KILL && NEXT(write)(fd, data, bytes / 2) < 0) _exit(99);
    return fails(reason) ? -1 : NEXT(write)(fd, data, bytes);
}

static ssize_t write_at(int fd, const void *data, size_t bytes, off64_t at)
{
    const int reason = due_of_file("write", fd);
    if (reason == SHORT) return NEXT(pwrite64)(fd, data, (bytes + 1) / 2, at);
    if (reason == KILL && NEXT(pwrite64)(fd, data, bytes / 2, at) < 0) _exit(99);
    return fails(reason) ? -1 : NEXT(pwrite64)(fd, data, bytes, at);
}

REPLACED ssize_t pwrite(int fd, const void *data, size_t bytes, off_t at)
{
    return write_at(fd, data, bytes, at);
}

REPLACED ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t at)
{
    return write_at(fd, data, bytes, at);
}

REPLACED int ftruncate(int fd, off_t bytes)
{
    return fails(due_of_file("truncate", fd)) ? -1 : NEXT(ftruncate)(fd, bytes);
}

REPLACED int ftruncate64(int fd, off64_t bytes)
{
    return fails(due_of_file("truncate", fd)) ? -1 : NEXT(ftruncate64)(fd, bytes);
}

REPLACED int fsync(int fd)
{
    return fails(due_of_file("fsync", fd)) ? -1 : NEXT(fsync)(fd);
}

/* A close that fails has closed the file all the same. */
REPLACED int close(int fd)
{
    const int flags = fcntl(fd, F_GETFL);
    const bool bad = flags >= 0 && (flags & O_ACCMODE) == O_WRONLY && fails(due_of_file("close", fd));
    const int reason = errno, result = NEXT(close)(fd);
    if (bad) errno = reason;
    return bad ? -1 : result;
}

REPLACED int rename(const char *from, const char *to)
{
    return fails(due("rename", to)) ? -1 : NEXT(rename)(from, to);
}

REPLACED int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    const int reason = due("rename", to);
    if (reason == TAKEN && NEXT(mkdir)(to, 0777)) _exit(99);
    return fails(reason) ? -1 : NEXT(renameat2)(from_folder, from, to_folder, to, flags);
}

REPLACED int mkdir(const char *path, mode_t mode)
{
    return fails(due("mkdir", path)) ? -1 : NEXT(mkdir)(path, mode);
}
