/* Files that are there whole or not at all: a temporary name, fsync, rename, fsync of the folder. */
#include "files/files.h"
#include "files/formats.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPORARY "%s.tmp"
enum { PIECE = 1 << 18 };

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

static kelvin_status cannot_write(const struct kelvin_writer *writer)
{
    return kelvin_fail(KELVIN_EIO, "%s: could not be written: %s", writer->path, strerror(errno));
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
    writer->fd = kelvin_open_new(writer->temporary);
    if (writer->fd >= 0) return KELVIN_OK;
    const int reason = errno;
    struct stat about;
    if (lstat(writer->temporary, &about) == 0)
        return kelvin_fail(KELVIN_EIO, "%s: could not be written: %s is in the way: %s", path, writer->temporary,
                           strerror(reason));
    errno = reason;
    return cannot_write(writer);
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
    return kelvin_write_all_at(writer->fd, data, bytes, at) ? KELVIN_OK : cannot_write(writer);
}

kelvin_status kelvin_writer_reserve(struct kelvin_writer *writer, uint64_t bytes)
{
    return kelvin_reserve(writer->fd, bytes) ? KELVIN_OK : cannot_write(writer);
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

/* Another process that writes the same file has taken the temporary name: what has it now is not ours to rename. */
static bool has_name(const struct kelvin_writer *writer)
{
    struct stat ours, there;
    return fstat(writer->fd, &ours) == 0 && lstat(writer->temporary, &there) == 0 && ours.st_dev == there.st_dev &&
           ours.st_ino == there.st_ino;
}

kelvin_status kelvin_writer_close(struct kelvin_writer *writer, kelvin_status status)
{
    if (writer->fd < 0) return status;
    const bool named = has_name(writer);
    if (!status && !named)
        status = kelvin_fail(KELVIN_EIO, "%s: could not be written: %s is no longer there, or another process's",
                             writer->path, writer->temporary);
    if (!status) status = flush(writer);
    if (!status && sync_all(writer->fd)) status = cannot_write(writer);
    if (close_file(writer->fd) && !status) status = cannot_write(writer);
    writer->fd = -1;
    if (!status && rename(writer->temporary, writer->path)) status = cannot_write(writer);
    if (status && named) unlink(writer->temporary);
    return status ? status : sync_folder_of(writer->path);
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

kelvin_status kelvin_file_read_part(void *data, const char *path, size_t from, size_t bytes)
{
    const int fd = kelvin_open_to_read(path);
    if (fd < 0) return cannot_read(path);
    const kelvin_status status =
        lseek(fd, (off_t)from, SEEK_SET) < 0 ? cannot_read(path) : read_all(fd, data, bytes, path);
    close(fd);
    return status;
}

/* Opened to be read, and how many bytes it has. */
static kelvin_status open_sized(int *fd, size_t *bytes, const char *path)
{
    struct stat about;
    *fd = kelvin_open_to_read(path);
    if (*fd < 0) return cannot_read(path);
    const kelvin_status status = fstat(*fd, &about) ? cannot_read(path) : regular_size(bytes, &about, path);
    if (status) close(*fd);
    return status;
}

kelvin_status kelvin_file_read(char **data, size_t *bytes, const char *path)
{
    int fd;
    *data = NULL;
    KELVIN_TRY(open_sized(&fd, bytes, path));
    *data = kelvin_alloc(*bytes + 1, 1);
    const kelvin_status status = *data ? read_all(fd, *data, *bytes, path) : KELVIN_ENOMEM;
    close(fd);
    if (status) {
        kelvin_free(*data);
        *data = NULL;
    }
    return status;
}

static kelvin_status add_up(struct kelvin_sum *sum, int fd, const char *path)
{
    char *piece = kelvin_alloc(PIECE, 1);
    kelvin_status status = piece ? KELVIN_OK : KELVIN_ENOMEM;
    for (size_t left = sum->bytes; left > 0 && !status;) {
        const size_t n = left < PIECE ? left : PIECE;
        status = read_all(fd, piece, n, path);
        if (!status) sum->crc32 = kelvin_crc32_more(sum->crc32, piece, n);
        left -= n;
    }
    kelvin_free(piece);
    return status;
}

kelvin_status kelvin_file_sum(struct kelvin_sum *sum, const char *path, const size_t *only)
{
    int fd;
    *sum = (struct kelvin_sum){0};
    KELVIN_TRY(open_sized(&fd, &sum->bytes, path));
    const bool wanted = !only || sum->bytes == *only;
    const kelvin_status status = wanted ? add_up(sum, fd, path) : KELVIN_OK;
    close(fd);
    return status;
}
