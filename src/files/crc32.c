/* CRC-32, reflected polynomial 0xEDB88320. `python3 -c 'import zlib; zlib.crc32(data)'` agrees. Sums here are raw: the
 * inversion before and after is in kelvin_crc32_more alone.
 *
 * By table, sixteen bytes at a time (Kounavis and Berry, 2005): table[k][b] is what byte b does to the sum when k more
 * bytes follow it. Where the CPU multiplies polynomials, by folding (Gopal et al., 2009, "Fast CRC Computation Using
 * PCLMULQDQ"): 16 bytes, 64 bytes before others, are replaced by 16 bytes of the same sum that are added to those. */
#include "files/formats.h"

#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* In the program itself, and not filled when it is needed first: whatever threads do then, and in a child that was
 * forked in the middle of it, the table is there. Nor at the start: most programs never ask for a sum. */
#include "crc32_table.h"

static const uint32_t polynomial = 0xedb88320;

/* What the four bytes of a word do when `after` bytes follow them. */
static inline uint32_t slice(uint32_t word, int after)
{
    return table[after + 3][word & 255] ^ table[after + 2][word >> 8 & 255] ^ table[after + 1][word >> 16 & 255] ^
           table[after][word >> 24];
}

static uint32_t by_table(uint32_t crc, const unsigned char *byte, size_t bytes)
{
    for (; bytes >= SLICES; bytes -= SLICES, byte += SLICES) {
        uint32_t word[SLICES / 4];
        memcpy(word, byte, SLICES);
        crc = slice(word[0] ^ crc, 12) ^ slice(word[1], 8) ^ slice(word[2], 4) ^ slice(word[3], 0);
    }
    for (; bytes > 0; bytes--, byte++) crc = crc >> 8 ^ table[0][(crc ^ *byte) & 255];
    return crc;
}

#ifdef __x86_64__
#define FOLDS __attribute__((target("pclmul,sse2")))
enum { LANES = 4, LANE = 16, STRIDE = LANES * LANE };

FOLDS static inline __m128i load(const unsigned char *from)
{
    return _mm_loadu_si128((const __m128i *)(const void *)from);
}

/* Moves 16 bytes as far as the constants say, x^(n + 32) and x^(n - 32) for n bits, and adds them to what is there. */
FOLDS static inline __m128i fold(__m128i lane, __m128i constants, __m128i there)
{
    const __m128i low = _mm_clmulepi64_si128(lane, constants, 0x00), high = _mm_clmulepi64_si128(lane, constants, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), there);
}

/* `bytes` is a multiple of STRIDE, and not 0. */
FOLDS static uint32_t by_folding(uint32_t crc, const unsigned char *byte, size_t bytes)
{
    const __m128i by_stride = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
    const __m128i by_lane = _mm_set_epi64x(0xccaa009e, 0x1751997d0);
    __m128i lane[LANES];
    for (int i = 0; i < LANES; i++) lane[i] = load(byte + i * LANE);
    lane[0] = _mm_xor_si128(lane[0], _mm_cvtsi32_si128((int)crc));
    for (size_t at = STRIDE; at < bytes; at += STRIDE)
        for (int i = 0; i < LANES; i++) lane[i] = fold(lane[i], by_stride, load(byte + at + (size_t)i * LANE));
    for (int i = 1; i < LANES; i++) lane[i] = fold(lane[i - 1], by_lane, lane[i]);
    unsigned char rest[LANE];
    _mm_storeu_si128((__m128i *)(void *)rest, lane[LANES - 1]);
    return by_table(0, rest, LANE);
}
#endif

uint32_t kelvin_crc32_more(uint32_t crc32, const void *data, size_t bytes)
{
    if (bytes == 0) return crc32; /* then there may be no data at all */
    uint32_t crc = ~crc32;
    size_t folded = 0;
#ifdef __x86_64__
    if (bytes >= STRIDE && __builtin_cpu_supports("pclmul")) {
        folded = bytes / STRIDE * STRIDE;
        crc = by_folding(crc, data, folded);
    }
#endif
    return ~by_table(crc, (const unsigned char *)data + folded, bytes - folded);
}

uint32_t kelvin_crc32(const void *data, size_t bytes)
{
    return kelvin_crc32_more(0, data, bytes);
}

/* Product of two polynomials modulo the one of the sum; bit 31 is x^0. */
static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (uint32_t bit = UINT32_C(1) << 31; bit; bit >>= 1, b = b >> 1 ^ (b & 1 ? polynomial : 0))
        if (a & bit) product ^= b;
    return product;
}

/* A sum before n bytes is what it is alone, times x^(8 n). */
uint32_t kelvin_crc32_join(uint32_t first, uint32_t second, uint64_t bytes)
{
    uint32_t square = UINT32_C(1) << (31 - 8);
    for (; bytes; bytes >>= 1, square = multiply(square, square))
        if (bytes & 1) first = multiply(first, square);
    return first ^ second;
}
