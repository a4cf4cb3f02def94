/* SHA-1, as FIPS 180-4 has it in 6.1.2. Five rounds at a time: then the five variables are back in their places, and
 * nothing has to be moved. */
#include "fetch/sha1.h"

#include "base/bytes.h"

#include <stdio.h>
#include <string.h>

static inline uint32_t rotate(uint32_t x, int n)
{
    return x << n | x >> (32 - n);
}

#define CHOOSE(x, y, z)   ((z) ^ ((x) & ((y) ^ (z))))
#define PARITY(x, y, z)   ((x) ^ (y) ^ (z))
#define MAJORITY(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))

/* The schedule of words needs the last sixteen of them only. */
#define NEXT(t) (w[(t)&15] = rotate(w[((t) + 13) & 15] ^ w[((t) + 8) & 15] ^ w[((t) + 2) & 15] ^ w[(t)&15], 1))
#define ROUND(a, b, c, d, e, f, k, t)                                                                                  \
    (e) += rotate(a, 5) + f(b, c, d) + (k) + ((t) < 16 ? w[(t)&15] : NEXT(t));                                         \
    (b) = rotate(b, 30);
#define FIVE_ROUNDS(f, k, t)                                                                                           \
    ROUND(a, b, c, d, e, f, k, (t))                                                                                    \
    ROUND(e, a, b, c, d, f, k, (t) + 1)                                                                                \
    ROUND(d, e, a, b, c, f, k, (t) + 2)                                                                                \
    ROUND(c, d, e, a, b, f, k, (t) + 3)                                                                                \
    ROUND(b, c, d, e, a, f, k, (t) + 4)
#define TWENTY_ROUNDS(f, k, t)                                                                                         \
    FIVE_ROUNDS(f, k, (t))                                                                                             \
    FIVE_ROUNDS(f, k, (t) + 5)                                                                                         \
    FIVE_ROUNDS(f, k, (t) + 10)                                                                                        \
    FIVE_ROUNDS(f, k, (t) + 15)

static void blocks(uint32_t h[5], const unsigned char *data, size_t n)
{
    for (; n > 0; n--, data += SHA1_BLOCK) {
        uint32_t w[16], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
        for (int t = 0; t < 16; t++) w[t] = kelvin_big_endian_32(data + 4 * t);
        TWENTY_ROUNDS(CHOOSE, 0x5a827999u, 0)
        TWENTY_ROUNDS(PARITY, 0x6ed9eba1u, 20)
        TWENTY_ROUNDS(MAJORITY, 0x8f1bbcdcu, 40)
        TWENTY_ROUNDS(PARITY, 0xca62c1d6u, 60)
        h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e;
    }
}

struct sha1 kelvin_sha1_start(void)
{
    return (struct sha1){.h = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u}};
}

void kelvin_sha1_add(struct sha1 *sha, const void *data, size_t bytes)
{
    const unsigned char *from = data;
    const size_t held = sha->bytes % SHA1_BLOCK;
    sha->bytes += bytes;
    if (held > 0) {
        const size_t space = SHA1_BLOCK - held, taken = bytes < space ? bytes : space;
        memcpy(sha->block + held, from, taken);
        if (taken < space) return;
        blocks(sha->h, sha->block, 1);
        from += taken;
        bytes -= taken;
    }
    blocks(sha->h, from, bytes / SHA1_BLOCK);
    if (bytes % SHA1_BLOCK) memcpy(sha->block, from + bytes / SHA1_BLOCK * SHA1_BLOCK, bytes % SHA1_BLOCK);
}

void kelvin_sha1_end(struct sha1 *sha, char hex[SHA1_HEX])
{
    static const unsigned char padding[SHA1_BLOCK] = {0x80};
    const uint64_t bits = 8 * sha->bytes;
    unsigned char length[8];
    for (int i = 0; i < 8; i++) length[i] = (unsigned char)(bits >> (56 - 8 * i));
    kelvin_sha1_add(sha, padding,
                    1 + (119 - sha->bytes % SHA1_BLOCK) % SHA1_BLOCK); /* up to 8 bytes before a block's end */
    kelvin_sha1_add(sha, length, sizeof length);
    for (int i = 0; i < 5; i++) snprintf(hex + 8 * i, 9, "%08x", (unsigned)sha->h[i]);
}
