/* Standard normals, 32 at a time: eight Philox blocks side by side, then Box-Muller. For the kernel `normals`, and for
 * those that use normals up as they are made.
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

/* bits / 2^32, rounded once */
INLINE v8 unit(const uint32_t *bits)
{
    float high[8], low[8];
    for (int i = 0; i < 8; i++) {
        high[i] = (float)(int32_t)(bits[i] >> 16);
        low[i] = (float)(int32_t)(bits[i] & 0xffff) + 0.5f;
    }
    return v8_mul(v8_fma(v8_load(high), v8_set(65536.0f), v8_load(low)), v8_set(0x1p-32f));
}

/* -2 log u. Near 1 a float no longer tells u from 1: there the missing part is put back from 1 - u, which is exact. */
INLINE v8 minus_2_log(const uint32_t *bits)
{
    uint32_t flipped[8];
    for (int i = 0; i < 8; i++) flipped[i] = ~bits[i];
    const v8 u = unit(bits), rest = unit(flipped), one = v8_set(1.0f);
    const v8 lost = v8_div(v8_sub(v8_sub(one, u), rest), u);
    const m8 upper = v8_gt(u, v8_set(0.5f));
    return v8_mul(v8_set(-2.0f), v8_add(v8_log(u), v8_select(upper, lost, v8_set(0.0f))));
}

INLINE void box_muller(float *first, float *second, const uint32_t *a, const uint32_t *b)
{
    v8 cosine, sine;
    v8_sincos2pi(&cosine, &sine, unit(b));
    const v8 radius = v8_sqrt(minus_2_log(a));
    v8_store(first, v8_mul(radius, cosine));
    v8_store(second, v8_mul(radius, sine));
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

/* The four words of blocks `first` .. first + 7. */
#if defined(__AVX2__)
/* A word takes 64 bits, blocks with even numbers are in one vector, those with odd ones in the other: so a product is
 * there at once, its low half in place. What stands above a word is never looked at. */
INLINE void philox_8(uint32_t words[4][8], uint32_t first, const kelvin_random *where, const struct philox_keys *keys)
{
    const __m256i factor_0 = _mm256_set1_epi64x(PHILOX_FACTOR_0), factor_2 = _mm256_set1_epi64x(PHILOX_FACTOR_2);
    __m256i c[2][4];
    UNROLLED(odd, 2) {
        c[odd][0] = _mm256_add_epi32(_mm256_set1_epi32((int)first + odd), _mm256_setr_epi32(0, 0, 2, 0, 4, 0, 6, 0));
        c[odd][1] = _mm256_set1_epi32((int)where->step);
        c[odd][2] = _mm256_set1_epi32((int)where->chain);
        c[odd][3] = _mm256_set1_epi32((int)where->stream);
    }
    UNROLLED(round, PHILOX_ROUNDS) {
        const __m256i k0 = _mm256_set1_epi32((int)keys->key[round][0]);
        const __m256i k1 = _mm256_set1_epi32((int)keys->key[round][1]);
        UNROLLED(odd, 2) {
            const __m256i a = _mm256_mul_epu32(c[odd][0], factor_0), b = _mm256_mul_epu32(c[odd][2], factor_2);
            c[odd][0] = _mm256_xor_si256(_mm256_srli_epi64(b, 32), _mm256_xor_si256(c[odd][1], k0));
            c[odd][1] = b;
            c[odd][2] = _mm256_xor_si256(_mm256_srli_epi64(a, 32), _mm256_xor_si256(c[odd][3], k1));
            c[odd][3] = a;
        }
    }
    UNROLLED(w, 4) {
        const __m256i word = _mm256_blend_epi32(c[0][w], _mm256_slli_epi64(c[1][w], 32), 0xaa);
        memcpy(words[w], &word, sizeof word);
    }
}
#else
INLINE void philox_8(uint32_t words[4][8], uint32_t first, const kelvin_random *where, const struct philox_keys *keys)
{
    for (uint32_t i = 0; i < 8; i++) {
        words[0][i] = first + i;
        words[1][i] = where->step;
        words[2][i] = where->chain;
        words[3][i] = where->stream;
    }
    for (int round = 0; round < PHILOX_ROUNDS; round++)
        for (int i = 0; i < 8; i++)
            philox_round(&words[0][i], &words[1][i], &words[2][i], &words[3][i], keys->key[round][0],
                         keys->key[round][1]);
}
#endif

/* Numbers `first` .. first + 31; first is a multiple of 32. */
INLINE void normals_32(float *out, size_t first, const kelvin_random *where, const struct philox_keys *keys)
{
    uint32_t words[4][8];
    philox_8(words, philox_place(first).block, where, keys);
    box_muller(out, out + 8, words[0], words[1]);
    box_muller(out + 16, out + 24, words[2], words[3]);
}

#endif
