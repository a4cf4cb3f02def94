/* Standard normals, a group at a time: eight Philox blocks side by side, or sixteen where registers hold as many, then
 * Box-Muller. For the kernel `normals`, and for those that use normals up as they are made.
 *
 *     n = sqrt(-2 log u) (cos, sin)(2 pi u'),   u = (bits + 1/2) / 2^32
 *
 * Words 0 and 1 of a block make one pair, words 2 and 3 the other (base/philox.h says where an index lives). */
#ifndef KERNELS_NORMALS_H
#define KERNELS_NORMALS_H

#include "base/philox.h"
#include "base/random.h"
#include "kernels/vmath.h"

#include <kelvin/base.h>

/* V, M and K: floats, integers and comparisons of as many blocks as go side by side. */
#if defined(__AVX512F__)
#include "kernels/vec16.h"
#define V        v16
#define M        m16
#define K        k16
#define V_(name) v16_##name
#define M_(name) m16_##name
#include "kernels/vmath_any.h"
#else
#define V        v8
#define M        m8
#define K        m8
#define V_(name) v8_##name
#define M_(name) m8_##name
#endif
enum { BLOCKS = sizeof(V) / sizeof(float), NORMALS = 4 * BLOCKS };

/* u as the sum of what its upper and its lower sixteen bits say: below the exponent of 2^7 they count 2^-16 each, below
 * that of 2^-9 they count 2^-32. So nothing is converted or scaled. */
struct halves {
    V high, low;
};

INLINE struct halves halves_of(M bits)
{
    const M high = M_(xor)(M_(shr)(bits, 16), M_(set)(0x43000000));
    const M low = M_(xor)(M_(and)(bits, M_(set)(0xffff)), M_(set)(0x3b000000));
    return (struct halves){V_(sub)(M_(floats)(high), V_(set)(0x1p7f)),
                           V_(sub)(M_(floats)(low), V_(set)(0x1p-9f - 0x1p-33f))};
}

/* Rounded once. */
INLINE V unit(struct halves u)
{
    return V_(add)(u.high, u.low);
}

/* -2 log u. Near 1 a float no longer tells u from 1: there the missing part is put back from 1 - u, which is exact. */
INLINE V minus_2_log(struct halves a)
{
    const struct halves flipped = {V_(sub)(V_(set)(1.0f - 0x1p-16f), a.high), V_(sub)(V_(set)(0x1p-16f), a.low)};
    const V u = unit(a), rest = unit(flipped), one = V_(set)(1.0f);
    const V lost = V_(div)(V_(sub)(V_(sub)(one, u), rest), u);
    const K upper = V_(gt)(u, V_(set)(0.5f));
    return V_(mul)(V_(set)(-2.0f), V_(add)(V_(log)(u), V_(select)(upper, lost, V_(set)(0.0f))));
}

/* The pairs of eight blocks go to out .. out + 15, those of the next eight 32 further. */
INLINE void box_muller(float *out, M a, M b)
{
    V cosine, sine;
    V_(sincos2pi)(&cosine, &sine, unit(halves_of(b)));
    const V radius = V_(sqrt)(minus_2_log(halves_of(a)));
    const V first = V_(mul)(radius, cosine), second = V_(mul)(radius, sine);
#if defined(__AVX512F__)
    v16_store(out, v16_lows(first, second));
    v16_store(out + 32, v16_highs(first, second));
#else
    v8_store(out, first);
    v8_store(out + 8, second);
#endif
}

/* The keys of all rounds, which are those of a whole call. */
struct philox_keys {
    uint32_t key[PHILOX_ROUNDS][2];
};

INLINE struct philox_keys philox_keys(kelvin_random where)
{
    struct philox_keys keys;
    for (uint32_t round = 0; round < PHILOX_ROUNDS; round++) {
        keys.key[round][0] = (uint32_t)where.seed + round * PHILOX_KEY_0;
        keys.key[round][1] = (uint32_t)(where.seed >> 32) + round * PHILOX_KEY_1;
    }
    return keys;
}

/* The four words of blocks `first` .. first + BLOCKS - 1. */
#if defined(__AVX2__)
typedef uint64_t philox_words __attribute__((vector_size(sizeof(V))));

/* The product of the lower halves. */
INLINE philox_words philox_product(philox_words a, uint32_t factor)
{
#if defined(__AVX512F__)
    return (philox_words)_mm512_mul_epu32((__m512i)a, _mm512_set1_epi64(factor));
#else
    return (philox_words)_mm256_mul_epu32((__m256i)a, _mm256_set1_epi64x(factor));
#endif
}

/* A word takes 64 bits, blocks with even numbers are in one vector, those with odd ones in the other: so a product is
 * there at once, its low half in place. What stands above a word is never looked at. */
INLINE void philox(M words[4], uint32_t first, const kelvin_random *where, const struct philox_keys *keys)
{
#if defined(__AVX512F__)
    const philox_words even = {0, 2, 4, 6, 8, 10, 12, 14};
#else
    const philox_words even = {0, 2, 4, 6};
#endif
    philox_words c[2][4];
    UNROLLED(odd, 2) {
        c[odd][0] = even + (philox_words)M_(set)((int32_t)(first + (uint32_t)odd));
        c[odd][1] = (philox_words)M_(set)((int32_t)where->step);
        c[odd][2] = (philox_words)M_(set)((int32_t)where->chain);
        c[odd][3] = (philox_words)M_(set)((int32_t)where->stream);
    }
    UNROLLED(round, PHILOX_ROUNDS) {
        const philox_words k0 = (philox_words)M_(set)((int32_t)keys->key[round][0]);
        const philox_words k1 = (philox_words)M_(set)((int32_t)keys->key[round][1]);
        UNROLLED(odd, 2) {
            const philox_words a = philox_product(c[odd][0], PHILOX_FACTOR_0);
            const philox_words b = philox_product(c[odd][2], PHILOX_FACTOR_2);
            c[odd][0] = (b >> 32) ^ (c[odd][1] ^ k0);
            c[odd][1] = b;
            c[odd][2] = (a >> 32) ^ (c[odd][3] ^ k1);
            c[odd][3] = a;
        }
    }
    UNROLLED(w, 4) words[w] = (M)((c[0][w] & 0xffffffff) | c[1][w] << 32);
}
#else
INLINE void philox(M words[4], uint32_t first, const kelvin_random *where, const struct philox_keys *keys)
{
    uint32_t c[4][BLOCKS];
    for (uint32_t i = 0; i < BLOCKS; i++) {
        c[0][i] = first + i;
        c[1][i] = where->step;
        c[2][i] = where->chain;
        c[3][i] = where->stream;
    }
    for (int round = 0; round < PHILOX_ROUNDS; round++)
        for (int i = 0; i < BLOCKS; i++)
            philox_round(&c[0][i], &c[1][i], &c[2][i], &c[3][i], keys->key[round][0], keys->key[round][1]);
    UNROLLED(w, 4) memcpy(&words[w], c[w], sizeof words[w]);
}
#endif

INLINE void normals_of(float *out, const M words[4])
{
    box_muller(out, words[0], words[1]);
    box_muller(out + 16, words[2], words[3]);
}

/* The normals of `words`, which become those of blocks from `next` on: neither waits for the other. */
INLINE void normals_and_next(float *out, M words[4], uint32_t next, const kelvin_random *where,
                             const struct philox_keys *keys)
{
    M ahead[4];
    philox(ahead, next, where, keys);
    normals_of(out, words);
    UNROLLED(w, 4) words[w] = ahead[w];
}

#endif
