/* Files that are there whole or not at all: a temporary name, fsync, rename, fsync of the folder. */
#include "files/files.h"
#include "base/needs.h"
#include "base/threads.h"
#include "files/formats.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPORARY "%s.tmp"
enum { PIECE = 1 << 16 };

kelvin_status kelvin_path_join(kelvin_path path, const char *folder, const char *name, ...)
{
    const size_t length = strlen(folder);
    const char *slash = length > 0 && folder[length - 1] == '/' ? "" : "/";
    const int used = snprintf(path, KELVIN_PATH_MAX, "%s%s", folder, slash), left = KELVIN_PATH_MAX - used;
    va_list args;
    va_start(args, name);
    const int rest = used >= 0 && left > 0 ? vsnprintf(path + used, (size_t)left, name, args) : -1;
    va_end(args);
    if (rest >= 0 && rest < left) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "%.200s...: the path is longer than %d bytes", folder, KELVIN_PATH_MAX - 1);
}

bool kelvin_is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* ---- writing ---- */

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
    return kelvin_cannot_write(writer->path);
}

void kelvin_writer_forget(const char *path)
{
    kelvin_path temporary;
    const int n = snprintf(temporary, KELVIN_PATH_MAX, TEMPORARY, path);
    if (n > 0 && n < KELVIN_PATH_MAX) unlink(temporary);
}

static kelvin_status write_all(struct kelvin_writer *writer, const void *data, size_t bytes)
{
    return kelvin_write_all(writer->fd, data, bytes) ? KELVIN_OK : kelvin_cannot_write(writer->path);
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
    return lseek(writer->fd, (off_t)at, SEEK_SET) < 0 ? kelvin_cannot_write(writer->path)
                                                      : write_all(writer, data, bytes);
}

kelvin_status kelvin_writer_reserve(struct kelvin_writer *writer, uint64_t bytes)
{
    return kelvin_reserve(writer->fd, bytes) ? KELVIN_OK : kelvin_cannot_write(writer->path);
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
    kelvin_path copy;
    return kelvin_folder_sync(dirname(strcpy(copy, path)));
}

kelvin_status kelvin_writer_close(struct kelvin_writer *writer, kelvin_status status)
{
    if (writer->fd < 0) return status;
    /* If not, another process that writes the same file has taken it: what has it now is not ours to rename. */
    const bool named = kelvin_has_name(writer->fd, writer->temporary);
    if (!status && !named)
        status = kelvin_fail(KELVIN_EIO, "%s: could not be written: %s is no longer there, or another process's",
                             writer->path, writer->temporary);
    if (!status) status = flush(writer);
    if (!status && sync_all(writer->fd)) status = kelvin_cannot_write(writer->path);
    if (close_file(writer->fd) && !status) status = kelvin_cannot_write(writer->path);
    writer->fd = -1;
    if (!status && rename(writer->temporary, writer->path)) status = kelvin_cannot_write(writer->path);
    if (status && named) unlink(writer->temporary);
    return status ? status : sync_folder_of(writer->path);
}

/* ---- for those who do not see what a writer is ---- */

kelvin_status kelvin_writer_create(kelvin_writer **out, const char *path)
{
    KELVIN_NEEDS(out);
    *out = NULL;
    KELVIN_NEEDS(path);
    kelvin_writer *writer = kelvin_alloc(1, sizeof *writer);
    if (!writer) return KELVIN_ENOMEM;
    const kelvin_status status = kelvin_writer_open(writer, path);
    if (status)
        kelvin_free(writer);
    else
        *out = writer;
    return status;
}

kelvin_status kelvin_writer_finish(kelvin_writer *writer, kelvin_status status)
{
    if (!writer) return status;
    status = kelvin_writer_close(writer, status);
    kelvin_free(writer);
    return status;
}

const char *kelvin_writer_temporary(const kelvin_writer *writer)
{
    return writer->temporary;
}

/* ---- reading ---- */

static kelvin_status regular_size(size_t *bytes, const struct stat *about, const char *path)
{
    if (!S_ISREG(about->st_mode)) return kelvin_fail(KELVIN_EIO, "%s: is not a regular file", path);
    *bytes = (size_t)about->st_size;
    return KELVIN_OK;
}

kelvin_status kelvin_file_size(size_t *bytes, const char *path)
{
    struct stat about;
    return stat(path, &about) ? kelvin_cannot_read(path) : regular_size(bytes, &about, path);
}

static kelvin_status read_all(int fd, char *data, size_t bytes, const char *path)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t got = read(fd, data + done, bytes - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return kelvin_cannot_read(path);
        if (got == 0) return kelvin_fail(KELVIN_EIO, "%s: became shorter while it was read", path);
        done += (size_t)got;
    }
    return KELVIN_OK;
}

/* Opened to be read, from byte `from` on. */
static kelvin_status open_at(int *fd, const char *path, uint64_t from)
{
    *fd = kelvin_open_to_read(path);
    if (*fd >= 0 && lseek(*fd, (off_t)from, SEEK_SET) >= 0) return KELVIN_OK;
    const kelvin_status status = kelvin_cannot_read(path);
    if (*fd >= 0) close(*fd);
    return status;
}

kelvin_status kelvin_file_read_part(void *data, const char *path, size_t from, size_t bytes)
{
    int fd;
    KELVIN_TRY(open_at(&fd, path, from));
    const kelvin_status status = read_all(fd, data, bytes, path);
    close(fd);
    return status;
}

kelvin_status kelvin_file_read(char **data, size_t *bytes, const char *path)
{
    struct stat about;
    *data = NULL;
    const int fd = kelvin_open_to_read(path);
    if (fd < 0) return kelvin_cannot_read(path);
    kelvin_status status = fstat(fd, &about) ? kelvin_cannot_read(path) : regular_size(bytes, &about, path);
    if (!status && !(*data = kelvin_alloc(*bytes + 1, 1))) status = KELVIN_ENOMEM;
    if (!status) status = read_all(fd, *data, *bytes, path);
    close(fd);
    if (status) {
        kelvin_free(*data);
        *data = NULL;
    }
    return status;
}

static kelvin_status sum_part(uint32_t *crc32, const char *path, uint64_t from, uint64_t bytes)
{
    char piece[PIECE];
    int fd;
    KELVIN_TRY(open_at(&fd, path, from));
    kelvin_status status = KELVIN_OK;
    for (*crc32 = 0; bytes > 0 && !status;) {
        const size_t n = bytes < PIECE ? (size_t)bytes : PIECE;
        status = read_all(fd, piece, n, path);
        if (!status) *crc32 = kelvin_crc32_more(*crc32, piece, n);
        bytes -= n;
    }
    close(fd);
    return status;
}

/* Parts of a large file: one thread would be slower than a good disk. */
enum { MOST_PARTS = 4, PART = 1 << 22 };
struct parts {
    const char *path;
    uint64_t from, bytes;
    size_t n;
    uint32_t crc32[MOST_PARTS];
};

static uint64_t part_begin(const struct parts *parts, size_t i)
{
    return parts->bytes / parts->n * i + (i == parts->n ? parts->bytes % parts->n : 0);
}

static kelvin_status sum_task(void *context, size_t i)
{
    struct parts *parts = context;
    const uint64_t begin = part_begin(parts, i);
    return sum_part(&parts->crc32[i], parts->path, parts->from + begin, part_begin(parts, i + 1) - begin);
}

kelvin_status kelvin_file_crc32(uint32_t *crc32, const char *path, uint64_t from, uint64_t bytes)
{
    const size_t cpus = kelvin_cpu_count(), most = cpus < MOST_PARTS ? cpus : MOST_PARTS;
    struct parts parts = {.path = path, .from = from, .bytes = bytes, .n = bytes / PART < most ? bytes / PART : most};
    kelvin_pool *pool;
    *crc32 = 0;
    if (parts.n < 2) return sum_part(crc32, path, from, bytes);
    KELVIN_TRY(kelvin_pool_create(&pool, parts.n));
    const kelvin_status status = kelvin_pool_run(pool, sum_task, &parts, parts.n);
    kelvin_pool_destroy(pool);
    for (size_t i = 0; i < parts.n && !status; i++)
        *crc32 = kelvin_crc32_join(*crc32, parts.crc32[i], part_begin(&parts, i + 1) - part_begin(&parts, i));
    return status;
}

/* ---- in place ---- */

kelvin_status kelvin_file_put(const char *path, const void *data, size_t bytes, uint64_t at)
{
    int fd;
    struct stat about;
    KELVIN_TRY(kelvin_open_regular(&fd, path, O_WRONLY | O_CREAT | O_APPEND));
    if (fstat(fd, &about) == 0 && (uint64_t)about.st_size < at) { /* to be longer it would be filled with zeros */
        close(fd);
        return kelvin_fail(KELVIN_EIO, "%s: became shorter while it was written", path);
    }
    const bool written = ftruncate(fd, (off_t)at) == 0 && kelvin_write_all(fd, data, bytes) && sync_all(fd) == 0;
    const kelvin_status status = written ? KELVIN_OK : kelvin_cannot_write(path);
    return close_file(fd) && !status ? kelvin_cannot_write(path) : status;
}
