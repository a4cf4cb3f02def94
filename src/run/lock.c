/* RUN/lock: held by flock, so that it goes with its process. The file stays: to remove it would let two processes hold
 * two locks of one name. In it is the number of the process that has it, for the sentence alone. */
#include "base/words.h"
#include "run/room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

enum { NUMBER = 24 };

static bool try_lock(int fd, int how)
{
    int failed;
    do failed = flock(fd, how | LOCK_NB);
    while (failed && errno == EINTR);
    return !failed;
}

/* The other process may not have written its number yet. */
static kelvin_status in_use(int fd, const char *folder)
{
    char text[NUMBER] = "";
    const ssize_t got = pread(fd, text, sizeof text - 1, 0);
    const long pid = got > 0 ? strtol(text, NULL, 10) : 0;
    char who[2 * NUMBER] = "";
    if (pid > 0) snprintf(who, sizeof who, " (pid %ld)", pid);
    return kelvin_fail(KELVIN_EUSAGE, "%s: another process%s is working here; wait for it, or stop it", folder, who);
}

static bool write_number(int fd)
{
    char text[NUMBER];
    const int n = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    return ftruncate(fd, 0) == 0 && kelvin_write_all(fd, text, (size_t)n);
}

kelvin_status kelvin_lock_take(struct kelvin_lock *lock, const char *folder)
{
    kelvin_path path;
    *lock = (struct kelvin_lock){.fd = -1, .pid = getpid()};
    KELVIN_TRY(kelvin_path_join(path, folder, "lock"));
    kelvin_status status = kelvin_open_regular(&lock->fd, path, O_RDWR | O_CREAT | O_APPEND);
    if (status) return kelvin_fail(status, KELVIN_SAID "; without a lock no work can be done here", kelvin_error_raw());
    if (!try_lock(lock->fd, LOCK_EX))
        status = errno == EWOULDBLOCK ? in_use(lock->fd, folder)
                                      : kelvin_fail(KELVIN_EIO, "%s: could not be locked: %s", path, strerror(errno));
    else if (!write_number(lock->fd))
        status = kelvin_fail(KELVIN_EIO, "%s: could not be written: %s", path, strerror(errno));
    if (status) kelvin_lock_release(lock);
    return status;
}

kelvin_status kelvin_lock_share(struct kelvin_lock *lock, const char *folder)
{
    kelvin_path path;
    KELVIN_TRY(kelvin_path_join(path, folder, "lock"));
    if (lock->fd < 0) {
        *lock = (struct kelvin_lock){.fd = -1, .pid = getpid()};
        KELVIN_TRY(kelvin_open_regular(&lock->fd, path, O_RDWR));
    }
    if (try_lock(lock->fd, LOCK_SH)) return KELVIN_OK;
    const kelvin_status status = errno == EWOULDBLOCK
                                     ? in_use(lock->fd, folder)
                                     : kelvin_fail(KELVIN_EIO, "%s: could not be locked: %s", path, strerror(errno));
    kelvin_lock_release(lock);
    return status;
}

bool kelvin_lock_holds(const struct kelvin_lock *lock, const char *folder)
{
    kelvin_path path;
    return lock->fd >= 0 && !kelvin_path_join(path, folder, "lock") && kelvin_has_name(lock->fd, path);
}

bool kelvin_lock_seize(struct kelvin_lock *lock, const char *folder)
{
    kelvin_path path;
    *lock = (struct kelvin_lock){.fd = -1, .pid = getpid()};
    if (!kelvin_path_join(path, folder, "lock") && !kelvin_open_regular(&lock->fd, path, O_RDWR) &&
        try_lock(lock->fd, LOCK_EX) && kelvin_lock_holds(lock, folder))
        return true;
    kelvin_lock_release(lock);
    return false;
}

void kelvin_lock_release(struct kelvin_lock *lock)
{
    if (lock->fd >= 0 && lock->pid == getpid()) flock(lock->fd, LOCK_UN); /* also where children have it open still */
    if (lock->fd >= 0) close(lock->fd);
    lock->fd = -1;
}
