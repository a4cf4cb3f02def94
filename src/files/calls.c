/* Calls to the system as all of kelvin wants them: not to be interrupted; never through a link that someone has put
 * where a file of ours belongs; and a file that becomes larger than a process may write (`ulimit -f`) is a failure like
 * any other. For that the system sends SIGXFSZ to the thread that wrote, which would end the program: it is held back
 * around the call and taken away. How the program handles the signal is its own affair and stays as it was. */
#include "files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

kelvin_status kelvin_cannot_read(const char *path)
{
    return kelvin_fail(KELVIN_EIO, "%s: could not be read: %s", path, strerror(errno));
}

kelvin_status kelvin_cannot_write(const char *path)
{
    return kelvin_fail(KELVIN_EIO, "%s: could not be written: %s", path, strerror(errno));
}

/* ---- opening ---- */

int kelvin_open(const char *path, int flags)
{
    int fd;
    do fd = open(path, flags | O_CLOEXEC, 0666);
    while (fd < 0 && errno == EINTR);
    return fd;
}

int kelvin_open_to_read(const char *path)
{
    return kelvin_open(path, O_RDONLY | O_NONBLOCK);
}

int kelvin_open_new(const char *path)
{
    if (unlink(path) && errno != ENOENT) return -1;
    return kelvin_open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
}

static const char *kind(mode_t mode)
{
    if (S_ISLNK(mode)) return "a link";
    if (S_ISDIR(mode)) return "a folder";
    return S_ISFIFO(mode) ? "a pipe" : "a device or a socket";
}

/* Looked at before it is opened: to open a device may do something. And after, since it may have been exchanged. */
kelvin_status kelvin_open_regular(int *fd, const char *path, int flags)
{
    struct stat about = {.st_mode = S_IFREG};
    *fd = -1;
    if (lstat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return kelvin_fail(KELVIN_EIO, "%s: is %s; expected a regular file", path, kind(about.st_mode));
    *fd = kelvin_open(path, flags | O_NOFOLLOW | O_NONBLOCK);
    if (*fd >= 0 && fstat(*fd, &about) == 0 && S_ISREG(about.st_mode)) return KELVIN_OK;
    if (*fd >= 0) {
        close(*fd);
        errno = EEXIST;
    }
    *fd = -1;
    return kelvin_cannot_write(path);
}

bool kelvin_has_name(int fd, const char *path)
{
    struct stat ours, there;
    return fstat(fd, &ours) == 0 && lstat(path, &there) == 0 && ours.st_dev == there.st_dev &&
           ours.st_ino == there.st_ino;
}

/* ---- writing ---- */

/* Makes a file longer, by bytes or to a length: 0, or why it could not be. */
typedef int grow(int fd, const void *data, uint64_t bytes);

static int write_bytes(int fd, const void *data, uint64_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t got = write(fd, (const char *)data + done, bytes - done);
        if (got < 0 && errno != EINTR) return errno;
        if (got > 0) done += (size_t)got;
    }
    return 0;
}

static int lengthen(int fd, const void *data, uint64_t bytes)
{
    (void)data;
#if defined _POSIX_ADVISORY_INFO && _POSIX_ADVISORY_INFO > 0
    int reason;
    do reason = posix_fallocate(fd, 0, (off_t)bytes);
    while (reason == EINTR);
    if (!reason || reason == ENOSPC || reason == EDQUOT || reason == EFBIG) return reason;
#endif
    return ftruncate(fd, (off_t)bytes) ? errno : 0; /* whether there is room will show later */
}

static bool without_signal(grow *way, int fd, const void *data, uint64_t bytes)
{
    sigset_t too_large, before, waiting;
    sigemptyset(&too_large);
    sigaddset(&too_large, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &too_large, &before);
    /* One that someone else held back is not ours to take. */
    const bool theirs = sigpending(&waiting) == 0 && sigismember(&waiting, SIGXFSZ) == 1;
    const int reason = way(fd, data, bytes);
    if (reason == EFBIG && !theirs)
        while (sigtimedwait(&too_large, NULL, &(struct timespec){0, 0}) < 0 && errno == EINTR) continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (reason) errno = reason;
    return !reason;
}

bool kelvin_write_all(int fd, const void *data, size_t bytes)
{
    return without_signal(write_bytes, fd, data, bytes);
}

bool kelvin_reserve(int fd, uint64_t bytes)
{
    return without_signal(lengthen, fd, NULL, bytes);
}
