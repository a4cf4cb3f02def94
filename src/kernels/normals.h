/* Standard normals, 32 at a time: eight Philox blocks side by side, then Box-Muller. For the kernel `normals`, and for
 * those that use normals up as they are made.
 *
 *     n = sqrt(-2 log u) (cos, sin)(2 pi u'),   u = (bits + 1/2) / 2^32
 *
 * Words 0 and 1 of a block make one pair, words 2 and 3 the other (base/philox.h says where an index lives). */
#ifndef KERNELS_NORMALS_H
#define KERNELS_NORMALS_H

#include "base/philox.h"
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

/* A round of Philox on eight counters. */
#if defined(__AVX2__)
/* High and low halves of eight products; compilers take three times as many instructions. */
INLINE void products(__m256i *high, __m256i *low, __m256i a, uint32_t factor)
{
    const __m256i k = _mm256_set1_epi32((int)factor);
    const __m256i even = _mm256_mul_epu32(a, k), odd = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), k);
    *high = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
    *low = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
}

INLINE void philox_round_8(uint32_t c[4][8], uint32_t k0, uint32_t k1)
{
    __m256i v[4], high_0, low_0, high_2, low_2;
    memcpy(v, c, sizeof v);
    products(&high_0, &low_0, v[0], PHILOX_FACTOR_0);
    products(&high_2, &low_2, v[2], PHILOX_FACTOR_2);
    v[0] = _mm256_xor_si256(_mm256_xor_si256(high_2, v[1]), _mm256_set1_epi32((int)k0));
    v[1] = low_2;
    v[2] = _mm256_xor_si256(_mm256_xor_si256(high_0, v[3]), _mm256_set1_epi32((int)k1));
    v[3] = low_0;
    memcpy(c, v, sizeof v);
}
#else
INLINE void philox_round_8(uint32_t c[4][8], uint32_t k0, uint32_t k1)
{
    for (int i = 0; i < 8; i++) philox_round(&c[0][i], &c[1][i], &c[2][i], &c[3][i], k0, k1);
}
#endif

/* Numbers `first` .. first + 31; first is a multiple of 32. */
INLINE void normals_32(float *out, size_t first, kelvin_random where)
{
    const uint32_t block = philox_place(first).block;
    uint32_t c[4][8];
    for (uint32_t i = 0; i < 8; i++) {
        c[0][i] = block + i;
        c[1][i] = where.step;
        c[2][i] = where.chain;
        c[3][i] = where.stream;
    }
    uint32_t k0 = (uint32_t)where.seed, k1 = (uint32_t)(where.seed >> 32);
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        philox_round_8(c, k0, k1);
        k0 += PHILOX_KEY_0;
        k1 += PHILOX_KEY_1;
    }
    box_muller(out, out + 8, c[0], c[1]);
    box_muller(out + 16, out + 24, c[2], c[3]);
}

#endif
