/* Inside of the safetensors format: what its writer and its reader share. */
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

#endif
