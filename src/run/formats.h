/* The formats of the files in a run folder. All numbers in them are little-endian. */
#ifndef RUN_FORMATS_H
#define RUN_FORMATS_H

#include <kelvin/base.h>
#include <kelvin/nn.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays go to files as they lie in memory");

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
