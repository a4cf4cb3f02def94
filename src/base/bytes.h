/* Numbers as they stand in files. */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdint.h>

/* Four bytes, the highest first. */
static inline uint32_t kelvin_big_endian_32(const void *bytes)
{
    const unsigned char *p = bytes;
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

#endif
