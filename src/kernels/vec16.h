/* v16: vectors of sixteen floats in one register of AVX-512, for long chains of operations on lanes that never mix:
 * half as many instructions, so that the processor sees twice as far ahead. The vocabulary is that of vec.h. */
#ifndef KERNELS_VEC16_H
#define KERNELS_VEC16_H

#include "kernels/vec.h"

typedef float v16 __attribute__((vector_size(64)));
typedef int32_t m16 __attribute__((vector_size(64)));
typedef uint32_t m16_unsigned __attribute__((vector_size(64)));
typedef __mmask16 k16;

INLINE v16 v16_set(float x)
{
    return (v16)_mm512_set1_ps(x);
}
INLINE m16 m16_set(int32_t x)
{
    return (m16)_mm512_set1_epi32(x);
}
INLINE v16 v16_add(v16 a, v16 b)
{
    return a + b;
}
INLINE v16 v16_sub(v16 a, v16 b)
{
    return a - b;
}
INLINE v16 v16_mul(v16 a, v16 b)
{
    return a * b;
}
INLINE v16 v16_div(v16 a, v16 b)
{
    return a / b;
}
INLINE v16 v16_fma(v16 a, v16 b, v16 c)
{
    return (v16)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
INLINE v16 v16_sqrt(v16 a)
{
    return (v16)_mm512_sqrt_ps((__m512)a);
}
INLINE m16 v16_bits(v16 a)
{
    return (m16)a;
}
INLINE v16 m16_floats(m16 a)
{
    return (v16)a;
}
INLINE k16 v16_gt(v16 a, v16 b)
{
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_GT_OQ);
}
INLINE m16 m16_and(m16 a, m16 b)
{
    return a & b;
}
INLINE m16 m16_xor(m16 a, m16 b)
{
    return a ^ b;
}
INLINE m16 m16_add(m16 a, m16 b)
{
    return a + b;
}
INLINE m16 m16_sub(m16 a, m16 b)
{
    return a - b;
}
INLINE k16 m16_eq(m16 a, m16 b)
{
    return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
}
INLINE m16 m16_shl(m16 a, int n)
{
    return a << n;
}
INLINE m16 m16_sar(m16 a, int n)
{
    return a >> n;
}
INLINE m16 m16_shr(m16 a, int n)
{
    return (m16)((m16_unsigned)a >> (uint32_t)n);
}
INLINE v16 m16_to_float(m16 a)
{
    return (v16)_mm512_cvtepi32_ps((__m512i)a);
}

/* mask ? a : b, lane by lane */
INLINE v16 v16_select(k16 mask, v16 a, v16 b)
{
    return (v16)_mm512_mask_blend_ps(mask, (__m512)b, (__m512)a);
}

/* Lanes 0-7 of a and of b; lanes 8-15 of both. */
INLINE v16 v16_lows(v16 a, v16 b)
{
    return (v16)_mm512_shuffle_f32x4((__m512)a, (__m512)b, 0x44);
}
INLINE v16 v16_highs(v16 a, v16 b)
{
    return (v16)_mm512_shuffle_f32x4((__m512)a, (__m512)b, 0xee);
}
INLINE void v16_store(float *p, v16 a)
{
    memcpy(p, &a, sizeof a);
}

#endif
