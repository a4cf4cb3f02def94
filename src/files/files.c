/* Files that are there whole or not at all: a temporary name, fsync, rename, fsync of the folder. */
#include "files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPORARY "%s.tmp"

kelvin_status kelvin_path_join(kelvin_path path, const char *folder, const char *name, ...)
{
    const size_t length = strlen(folder);
    const int used =
        snprintf(path, KELVIN_PATH_MAX, "%s%s", folder, length > 0 && folder[length - 1] == '/' ? "" : "/");
    if (used < 0 || used >= KELVIN_PATH_MAX) goto too_long;
    const size_t left = KELVIN_PATH_MAX - (size_t)used;
    va_list args;
    va_start(args, name);
    const int rest = vsnprintf(path + used, left, name, args);
    va_end(args);
    if (rest < 0 || (size_t)rest >= left) goto too_long;
    return KELVIN_OK;

too_long:
    return kelvin_fail(KELVIN_EUSAGE, "%.200s...: the path is longer than %d bytes", folder, KELVIN_PATH_MAX - 1);
}

bool kelvin_is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* ---- writing ---- */

bool kelvin_write_all(int fd, const void *data, size_t bytes)
{
    for (const char *from = data; bytes > 0;) {
        const ssize_t done = write(fd, from, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return false;
        from += done;
        bytes -= (size_t)done;
    }
    return true;
}

static kelvin_status cannot_write(const struct kelvin_writer *writer)
{
    return kelvin_fail(KELVIN_EIO, "%s: could not be written: %s", writer->path, strerror(errno));
}

int kelvin_open(const char *path, int flags)
{
    int fd;
    do fd = open(path, flags | O_CLOEXEC, 0666);
    while (fd < 0 && errno == EINTR);
    return fd;
}

static int sync_all(int fd)
{
    int failed;
    do failed = fsync(fd);
    while (failed && errno == EINTR);
    return failed;
}

/* A close that was interrupted has closed the file, whose bytes are safe by then. */
static int close_file(int fd)
{
    return close(fd) && errno != EINTR ? -1 : 0;
}

kelvin_status kelvin_writer_open(struct kelvin_writer *writer, const char *path)
{
    writer->fd = -1;
    writer->used = 0;
    const int a = snprintf(writer->path, KELVIN_PATH_MAX, "%s", path);
    const int b = snprintf(writer->temporary, KELVIN_PATH_MAX, TEMPORARY, path);
    if (a < 0 || b < 0 || b >= KELVIN_PATH_MAX)
        return kelvin_fail(KELVIN_EUSAGE, "%.200s...: the path is longer than %d bytes", path, KELVIN_PATH_MAX - 5);
    writer->fd = kelvin_open(writer->temporary, O_WRONLY | O_CREAT | O_TRUNC);
    return writer->fd >= 0 ? KELVIN_OK : cannot_write(writer);
}

void kelvin_writer_forget(const char *path)
{
    kelvin_path temporary;
    const int n = snprintf(temporary, KELVIN_PATH_MAX, TEMPORARY, path);
    if (n > 0 && n < KELVIN_PATH_MAX) unlink(temporary);
}

static kelvin_status write_all(struct kelvin_writer *writer, const void *data, size_t bytes)
{
    return kelvin_write_all(writer->fd, data, bytes) ? KELVIN_OK : cannot_write(writer);
}

static kelvin_status flush(struct kelvin_writer *writer)
{
    const size_t bytes = writer->used;
    writer->used = 0;
    return write_all(writer, writer->buffer, bytes);
}

kelvin_status kelvin_writer_put(struct kelvin_writer *writer, const void *data, size_t bytes)
{
    if (bytes > sizeof writer->buffer - writer->used) KELVIN_TRY(flush(writer));
    if (bytes > sizeof writer->buffer) return write_all(writer, data, bytes);
    memcpy(writer->buffer + writer->used, data, bytes);
    writer->used += bytes;
    return KELVIN_OK;
}

kelvin_status kelvin_writer_put_at(struct kelvin_writer *writer, const void *data, size_t bytes, uint64_t at)
{
    for (const char *from = data; bytes > 0;) {
        const ssize_t done = pwrite(writer->fd, from, bytes, (off_t)at);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return cannot_write(writer);
        from += done;
        bytes -= (size_t)done;
        at += (uint64_t)done;
    }
    return KELVIN_OK;
}

kelvin_status kelvin_writer_reserve(struct kelvin_writer *writer, uint64_t bytes)
{
#if defined _POSIX_ADVISORY_INFO && _POSIX_ADVISORY_INFO > 0
    int reason;
    do reason = posix_fallocate(writer->fd, 0, (off_t)bytes);
    while (reason == EINTR);
    errno = reason;
    if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG) return cannot_write(writer);
    if (!reason) return KELVIN_OK;
#endif
    return ftruncate(writer->fd, (off_t)bytes) ? cannot_write(writer) : KELVIN_OK; /* room will show later */
}

kelvin_status kelvin_folder_sync(const char *folder)
{
    const int fd = kelvin_open(folder, O_RDONLY | O_DIRECTORY);
    /* Some file systems cannot sync a folder, and say so with EINVAL: nothing more can be done there. */
    const bool done = fd >= 0 && (sync_all(fd) == 0 || errno == EINVAL);
    const int reason = errno;
    if (fd >= 0) close(fd);
    return done ? KELVIN_OK : kelvin_fail(KELVIN_EIO, "%s: could not be synced: %s", folder, strerror(reason));
}

static kelvin_status sync_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return kelvin_folder_sync(".");
    kelvin_path folder;
    const size_t n = slash == path ? 1 : (size_t)(slash - path);
    memcpy(folder, path, n);
    folder[n] = '\0';
    return kelvin_folder_sync(folder);
}

kelvin_status kelvin_writer_close(struct kelvin_writer *writer, kelvin_status status)
{
    if (writer->fd < 0) return status;
    if (!status) status = flush(writer);
    if (!status && sync_all(writer->fd)) status = cannot_write(writer);
    if (close_file(writer->fd) && !status) status = cannot_write(writer);
    writer->fd = -1;
    if (!status && rename(writer->temporary, writer->path)) status = cannot_write(writer);
    if (status) {
        unlink(writer->temporary);
        return status;
    }
    return sync_folder_of(writer->path);
}

/* ---- reading ---- */

static kelvin_status cannot_read(const char *path)
{
    return kelvin_fail(KELVIN_EIO, "%s: could not be read: %s", path, strerror(errno));
}

static kelvin_status regular_size(size_t *bytes, const struct stat *about, const char *path)
{
    if (!S_ISREG(about->st_mode)) return kelvin_fail(KELVIN_EIO, "%s: is not a regular file", path);
    *bytes = (size_t)about->st_size;
    return KELVIN_OK;
}

kelvin_status kelvin_file_size(size_t *bytes, const char *path)
{
    struct stat about;
    return stat(path, &about) ? cannot_read(path) : regular_size(bytes, &about, path);
}

static kelvin_status read_all(int fd, char *data, size_t bytes, const char *path)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t got = read(fd, data + done, bytes - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return cannot_read(path);
        if (got == 0) return kelvin_fail(KELVIN_EIO, "%s: became shorter while it was read", path);
        done += (size_t)got;
    }
    return KELVIN_OK;
}

int kelvin_open_to_read(const char *path)
{
    return kelvin_open(path, O_RDONLY | O_NONBLOCK);
}

kelvin_status kelvin_file_read_part(void *data, const char *path, size_t from, size_t bytes)
{
    const int fd = kelvin_open_to_read(path);
    if (fd < 0) return cannot_read(path);
    const kelvin_status status =
        lseek(fd, (off_t)from, SEEK_SET) < 0 ? cannot_read(path) : read_all(fd, data, bytes, path);
    close(fd);
    return status;
}

kelvin_status kelvin_file_read(char **data, size_t *bytes, const char *path)
{
    *data = NULL;
    const int fd = kelvin_open_to_read(path);
    if (fd < 0) return cannot_read(path);
    struct stat about;
    kelvin_status status = fstat(fd, &about) ? cannot_read(path) : regular_size(bytes, &about, path);
    if (!status && !(*data = kelvin_alloc(*bytes + 1, 1))) status = KELVIN_ENOMEM;
    if (!status) status = read_all(fd, *data, *bytes, path);
    close(fd);
    if (status) {
        kelvin_free(*data);
        *data = NULL;
    }
    return status;
}
