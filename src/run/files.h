/* The files of a run folder: written whole or not at all, and never believed when read.
 *
 *     struct kelvin_writer file;
 *     kelvin_status st = kelvin_writer_open(&file, "RUN/run.json");      // writes RUN/run.json.tmp
 *     if (!st) st = kelvin_writer_put(&file, text, bytes);
 *     st = kelvin_writer_close(&file, st);                               // synced and renamed, or removed
 *
 * All numbers in files are little-endian.
 */
#ifndef RUN_FILES_H
#define RUN_FILES_H

#include <kelvin/base.h>
#include <kelvin/nn.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays go to files as they lie in memory");

enum { KELVIN_PATH_MAX = 4096 };

typedef char kelvin_path[KELVIN_PATH_MAX];

/* `folder`/`name`, where the name is formatted; KELVIN_EUSAGE if it is too long. */
KELVIN_MUST_CHECK kelvin_status kelvin_path_join(kelvin_path path, const char *folder, const char *name, ...)
    KELVIN_PRINTF(3, 4);

struct kelvin_writer {
    int fd; /* -1: not open */
    kelvin_path path, temporary;
    size_t used;
    char buffer[1 << 14];
};

KELVIN_MUST_CHECK kelvin_status kelvin_writer_open(struct kelvin_writer *writer, const char *path);
KELVIN_MUST_CHECK kelvin_status kelvin_writer_put(struct kelvin_writer *writer, const void *data, size_t bytes);

/* With `status` KELVIN_OK the file gets its name; otherwise what was written is removed. Returns the first failure.
 * Fine on a writer whose opening failed. */
KELVIN_MUST_CHECK kelvin_status kelvin_writer_close(struct kelvin_writer *writer, kelvin_status status);

/* Makes the names in a folder outlive a power cut. */
KELVIN_MUST_CHECK kelvin_status kelvin_folder_sync(const char *folder);

/* All of a file, and a 0 after it; freed with kelvin_free. */
KELVIN_MUST_CHECK kelvin_status kelvin_file_read(char **data, size_t *bytes, const char *path);
KELVIN_MUST_CHECK kelvin_status kelvin_file_size(size_t *bytes, const char *path);

/* CRC-32 (ISO-HDLC, the one of zlib and PNG). */
uint32_t kelvin_crc32(const void *data, size_t bytes);

/* NumPy's NPY 1.0 with three axes: float32, C order. When read, the shape must be this one. */
KELVIN_MUST_CHECK kelvin_status kelvin_npy_write(const char *path, const float *data, const size_t shape[3]);
KELVIN_MUST_CHECK kelvin_status kelvin_npy_read(float *data, const char *path, const size_t shape[3]);

/* The draws of one chain, (iterations, n_params), as one tensor (iterations, ...) per tensor of the model. When read,
 * everything in the header must be as it would be written, but for the version. */
struct kelvin_draws {
    const kelvin_model *model;
    size_t iterations;
    uint64_t seed;
    uint32_t chain;
};

KELVIN_MUST_CHECK kelvin_status kelvin_safetensors_write(const char *path, const float *draws,
                                                         const struct kelvin_draws *about);
KELVIN_MUST_CHECK kelvin_status kelvin_safetensors_read(float *draws, const char *path,
                                                        const struct kelvin_draws *about);

#endif
