/* Files: written whole or not at all, and never believed when read.
 *
 *     struct kelvin_writer file;
 *     kelvin_status st = kelvin_writer_open(&file, "RUN/run.json");      // writes RUN/run.json.tmp
 *     if (!st) st = kelvin_writer_put(&file, text, bytes);
 *     st = kelvin_writer_close(&file, st);                               // synced and renamed, or removed
 */
#ifndef FILES_FILES_H
#define FILES_FILES_H

#include <kelvin/files.h>

enum { KELVIN_PATH_MAX = 4096 };

typedef char kelvin_path[KELVIN_PATH_MAX];

/* `folder`/`name`, where the name is formatted; KELVIN_EUSAGE if it is too long. */
KELVIN_MUST_CHECK kelvin_status kelvin_path_join(kelvin_path path, const char *folder, const char *name, ...)
    KELVIN_PRINTF(3, 4);

/* Links are followed. */
bool kelvin_is_folder(const char *path);

/* ---- calls.c: for those who cannot use a writer ---- */

/* KELVIN_EIO, and a sentence with the path and what errno says. */
kelvin_status kelvin_cannot_read(const char *path);
kelvin_status kelvin_cannot_write(const char *path);

/* As open() has it, with O_CLOEXEC and mode 0666, and not to be interrupted. */
int kelvin_open(const char *path, int flags);

/* As open() has it; never waits for the other end of a pipe. */
int kelvin_open_to_read(const char *path);

/* Made anew, to be written: what has that name, if it is not a folder, is removed first, and nothing that it leads to
 * is touched. -1 and errno if that cannot be. */
int kelvin_open_new(const char *path);

/* A regular file that may be there already, to be written: never through a link, and a pipe or a device is not waited
 * for. Of `flags` as open() has them, to add to a file that is made if it is missing:
 *
 *     KELVIN_TRY(kelvin_open_regular(&fd, "RUN/times.csv", O_WRONLY | O_CREAT | O_APPEND));
 *
 * KELVIN_EIO, a sentence and *fd = -1 if it cannot be had. */
KELVIN_MUST_CHECK kelvin_status kelvin_open_regular(int *fd, const char *path, int flags);

/* Whether what is open is still what has that name. */
bool kelvin_has_name(int fd, const char *path);

/* All of it, or false and errno: EFBIG, and no SIGXFSZ, if the file would be larger than this process may write. */
KELVIN_MUST_CHECK bool kelvin_write_all(int fd, const void *data, size_t bytes);
KELVIN_MUST_CHECK bool kelvin_reserve(int fd, uint64_t bytes); /* as kelvin_writer_reserve */

/* ---- files.c ---- */

struct kelvin_writer {
    int fd; /* -1: not open */
    kelvin_path path, temporary;
    size_t used;
    char buffer[1 << 14];
};

/* PATH.tmp that someone left there is removed first. */
KELVIN_MUST_CHECK kelvin_status kelvin_writer_open(struct kelvin_writer *writer, const char *path);
/* To byte `at` of the file, whatever was put before; not for use beside kelvin_writer_put. */
KELVIN_MUST_CHECK kelvin_status kelvin_writer_put_at(struct kelvin_writer *writer, const void *data, size_t bytes,
                                                     uint64_t at);

/* Makes the file so long, all zeros, and sure that there is room for it: a disk that is full says so at once. */
KELVIN_MUST_CHECK kelvin_status kelvin_writer_reserve(struct kelvin_writer *writer, uint64_t bytes);

/* With `status` KELVIN_OK the file gets its name; otherwise what was written is removed. Returns the first failure.
 * Fine on a writer whose opening failed. */
KELVIN_MUST_CHECK kelvin_status kelvin_writer_close(struct kelvin_writer *writer, kelvin_status status);

/* Bytes from byte `at` on, and no byte after them; synced. Made if it is missing; KELVIN_EIO if it has fewer than `at`.
 */
KELVIN_MUST_CHECK kelvin_status kelvin_file_put(const char *path, const void *data, size_t bytes, uint64_t at);

/* Makes the names in a folder outlive a power cut. */
KELVIN_MUST_CHECK kelvin_status kelvin_folder_sync(const char *folder);

/* Removes what a process that was killed left of the writing of a file. */
void kelvin_writer_forget(const char *path);

/* All of a file, and a 0 after it; freed with kelvin_free. */
KELVIN_MUST_CHECK kelvin_status kelvin_file_read(char **data, size_t *bytes, const char *path);
/* `bytes` bytes from byte `from` on. KELVIN_EIO if there are not so many. */
KELVIN_MUST_CHECK kelvin_status kelvin_file_read_part(void *data, const char *path, size_t from, size_t bytes);
KELVIN_MUST_CHECK kelvin_status kelvin_file_size(size_t *bytes, const char *path);
/* The CRC-32 of so many bytes from byte `from` on. They are read in pieces. */
KELVIN_MUST_CHECK kelvin_status kelvin_file_crc32(uint32_t *crc32, const char *path, uint64_t from, uint64_t bytes);

#endif
