/* Inside of the safetensors format: what its writer and its readers share. */
#ifndef FILES_TENSORS_H
#define FILES_TENSORS_H

#include "files/formats.h"

#include <inttypes.h>

#define TENSORS_METADATA "__metadata__"
#define TENSORS_CRC32    "crc32"
#define TENSORS_HEADER   "header_crc32"
#define TENSORS_HEX      "%08" PRIx32 /* a checksum as it stands in files */
enum { TENSORS_PREFIX = 8, TENSORS_CRC = sizeof "3d60d50a" };

/* Of a header and its length before it: where the digits of its own checksum stand, and what they should be; NULL if
 * they do not stand there once, as they are written. */
char *kelvin_tensors_header_crc32(char out[TENSORS_CRC], char *header, size_t bytes);

struct kelvin_tensors {
    char *path, *bytes; /* all of the file, or its header alone: */
    bool whole;
    struct json_t *header;
    struct kelvin_array *arrays; /* in the order of their data */
    size_t n, data;              /* where in the file the first of them begins */
};

/* The one with the name of what is wanted, and where in the file its data begin. */
KELVIN_MUST_CHECK kelvin_status kelvin_tensors_find(const struct kelvin_array **found, size_t *at,
                                                    const struct kelvin_tensors *file,
                                                    const struct kelvin_array *wanted);

/* As "F32 (2, 1, 2)". */
enum { TENSORS_SHOWN = 256 };
void kelvin_tensors_describe(char out[TENSORS_SHOWN], const struct kelvin_array *array);

#endif
