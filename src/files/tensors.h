/* Inside of the safetensors format: what its writer and its reader share. */
#ifndef FILES_TENSORS_H
#define FILES_TENSORS_H

#include "files/formats.h"

#define TENSORS_METADATA "__metadata__"
#define TENSORS_CRC32    "crc32"
#define TENSORS_HEADER   "header_crc32"
#define TENSORS_ZEROS    "00000000"
enum { TENSORS_PREFIX = 8, TENSORS_CRC = sizeof TENSORS_ZEROS, TENSORS_DTYPES = KELVIN_BOOL + 1 };

struct tensors_dtype {
    const char *name;
    size_t bytes;
};
extern const struct tensors_dtype tensors_dtypes[TENSORS_DTYPES];

/* Bytes of an array; false if there are more than can be addressed. */
bool tensors_bytes(size_t *bytes, const struct kelvin_array *array);

/* A checksum as it stands in files. */
void tensors_crc_text(char out[TENSORS_CRC], uint32_t crc32);

/* Of a header and its length before it: where the digits of its own checksum stand; NULL if they do not stand there
 * once, as they are written. And what they should be. */
char *tensors_digits(char *header, size_t bytes);
void tensors_header_crc32(char out[TENSORS_CRC], const char *header, size_t bytes, const char *digits);

#endif
