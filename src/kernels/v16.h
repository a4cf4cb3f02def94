/* v16: the vocabulary of chains.h with sixteen lanes, for AVX-512. */
#ifndef KERNELS_V16_H
#define KERNELS_V16_H

#include "kernels/wide.h"

enum { LANES = 16 };
typedef wide vec;
#define vec_set   wide_set
#define vec_load  wide_load
#define vec_store wide_store
#define vec_fma   wide_fma

INLINE vec vec_add(vec a, vec b)
{
    return a + b;
}

INLINE vec vec_mul(vec a, vec b)
{
    return a * b;
}

INLINE vec vec_keep(vec a)
{
    __asm__("" : "+v"(a));
    return a;
}

/* As finished() in dense.h. */
INLINE vec vec_finish(bool RELU, bool BACKWARD, vec sum, vec leak, const float *x)
{
    if (!BACKWARD) return wide_max(RELU ? wide_set(0.0f) : leak * sum, sum);
    const __mmask16 positive = _mm512_cmp_ps_mask((__m512)vec_load(x), _mm512_setzero_ps(), _CMP_GT_OQ);
    return (vec)(RELU ? _mm512_maskz_mov_ps(positive, (__m512)sum)
                      : _mm512_mask_mov_ps((__m512)(leak * sum), positive, (__m512)sum));
}

/* The same in both halves. */
INLINE vec vec_twice(const float *p)
{
    return (vec)_mm512_broadcast_f32x8(_mm256_loadu_ps(p));
}

/* p0 .. p7, and zeros */
INLINE vec vec_low(const float *p)
{
    return (vec)_mm512_zextps256_ps512(_mm256_loadu_ps(p));
}

/* low(a) + high(a), low(b) + high(b) */
INLINE vec vec_fold(vec a, vec b)
{
    const __m512 lows = _mm512_shuffle_f32x4((__m512)a, (__m512)b, 0x44);
    const __m512 highs = _mm512_shuffle_f32x4((__m512)a, (__m512)b, 0xee);
    return (vec)_mm512_add_ps(lows, highs);
}

INLINE void vec_store_low(float *p, vec a)
{
    _mm256_storeu_ps(p, _mm512_castps512_ps256((__m512)a));
}

#endif
