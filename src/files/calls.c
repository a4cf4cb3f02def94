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
    const int reason = *fd >= 0 ? EEXIST : errno;
    if (*fd >= 0) close(*fd);
    *fd = -1;
    return kelvin_fail(KELVIN_EIO, "%s: could not be written: %s", path, strerror(reason));
}

/* ---- writing ---- */

struct held {
    sigset_t before;
    bool waiting; /* one that someone else held back was there already: it is not ours to take */
};

static sigset_t too_large(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    return set;
}

static struct held hold_signal(void)
{
    struct held held;
    sigset_t waiting;
    const sigset_t set = too_large();
    pthread_sigmask(SIG_BLOCK, &set, &held.before);
    held.waiting = sigpending(&waiting) == 0 && sigismember(&waiting, SIGXFSZ) == 1;
    return held;
}

/* `reason`: why the call failed, or 0; errno tells it afterwards. */
static void let_signal(const struct held *held, int reason)
{
    const sigset_t set = too_large();
    if (reason == EFBIG && !held->waiting)
        while (sigtimedwait(&set, NULL, &(struct timespec){0, 0}) < 0 && errno == EINTR) continue;
    pthread_sigmask(SIG_SETMASK, &held->before, NULL);
    if (reason) errno = reason;
}

/* As write, or with `at` as pwrite. */
static bool write_at(int fd, const void *data, size_t bytes, const uint64_t *at)
{
    const struct held held = hold_signal();
    int reason = 0;
    for (size_t done = 0; done < bytes && !reason;) {
        const char *from = (const char *)data + done;
        const ssize_t got = at ? pwrite(fd, from, bytes - done, (off_t)(*at + done)) : write(fd, from, bytes - done);
        if (got >= 0)
            done += (size_t)got;
        else if (errno != EINTR)
            reason = errno;
    }
    let_signal(&held, reason);
    return !reason;
}

bool kelvin_write_all(int fd, const void *data, size_t bytes)
{
    return write_at(fd, data, bytes, NULL);
}

bool kelvin_write_all_at(int fd, const void *data, size_t bytes, uint64_t at)
{
    return write_at(fd, data, bytes, &at);
}

/* 0, or why it could not be. */
static int lengthen(int fd, off_t bytes)
{
    int reason = EOPNOTSUPP;
#if defined _POSIX_ADVISORY_INFO && _POSIX_ADVISORY_INFO > 0
    do reason = posix_fallocate(fd, 0, bytes);
    while (reason == EINTR);
    if (!reason || reason == ENOSPC || reason == EDQUOT || reason == EFBIG) return reason;
#endif
    return ftruncate(fd, bytes) ? errno : 0; /* whether there is room will show later */
}

bool kelvin_reserve(int fd, uint64_t bytes)
{
    const struct held held = hold_signal();
    const int reason = lengthen(fd, (off_t)bytes);
    let_signal(&held, reason);
    return !reason;
}
