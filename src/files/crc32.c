/* CRC-32, reflected polynomial 0xEDB88320, sixteen bytes at a time (Kounavis and Berry, 2005): table[k][b] is what byte
 * b does to the checksum when k more bytes follow it. `python3 -c 'import zlib; zlib.crc32(data)'` agrees. */
#include "files/formats.h"

#include <pthread.h>
#include <string.h>

enum { SLICES = 16 };
static uint32_t table[SLICES][256];

static void fill(void)
{
    for (uint32_t b = 0; b < 256; b++) {
        table[0][b] = b;
        for (int bit = 0; bit < 8; bit++) table[0][b] = table[0][b] >> 1 ^ (table[0][b] & 1 ? 0xedb88320 : 0);
    }
    for (int k = 1; k < SLICES; k++)
        for (int b = 0; b < 256; b++) table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 255];
}

/* What the four bytes of a word do when `after` bytes follow them. */
static inline uint32_t fold(uint32_t word, int after)
{
    return table[after + 3][word & 255] ^ table[after + 2][word >> 8 & 255] ^ table[after + 1][word >> 16 & 255] ^
           table[after][word >> 24];
}

uint32_t kelvin_crc32_more(uint32_t crc32, const void *data, size_t bytes)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill);
    const unsigned char *byte = data;
    uint32_t crc = ~crc32;
    for (; bytes >= SLICES; bytes -= SLICES, byte += SLICES) {
        uint32_t word[SLICES / 4];
        memcpy(word, byte, SLICES);
        crc = fold(word[0] ^ crc, 12) ^ fold(word[1], 8) ^ fold(word[2], 4) ^ fold(word[3], 0);
    }
    for (; bytes > 0; bytes--, byte++) crc = crc >> 8 ^ table[0][(crc ^ *byte) & 255];
    return ~crc;
}

uint32_t kelvin_crc32(const void *data, size_t bytes)
{
    return kelvin_crc32_more(0, data, bytes);
}
