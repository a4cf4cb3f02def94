/* Vectors as wide as the registers: for kernels whose lanes are channels and never mix, so that the bits do not depend
 * on how many there are. A block of 16 channels is one vector with AVX-512, two with AVX2, four with SSE2, NEON and
 * WebAssembly. */
#ifndef KERNELS_WIDE_H
#define KERNELS_WIDE_H

#include "kernels/maps.h"
#include "kernels/vec.h"

#if defined(__AVX512F__)
enum { WIDE = 16 };
#elif defined(__AVX2__)
enum { WIDE = 8 };
#else
enum { WIDE = 4 };
#endif
enum { PER_BLOCK = KELVIN_LANES / WIDE };

typedef float wide __attribute__((vector_size(WIDE * sizeof(float))));
typedef int32_t wide_mask __attribute__((vector_size(WIDE * sizeof(float))));

INLINE wide wide_load(const float *p)
{
    wide r;
    memcpy(&r, p, sizeof r);
    return r;
}

INLINE void wide_store(float *p, wide a)
{
    memcpy(p, &a, sizeof a);
}

INLINE wide wide_set(float x)
{
    return x - (wide){0};
}

/* a b + c, fused where the instruction set has FMA */
INLINE wide wide_fma(wide a, wide b, wide c)
{
#if defined(__AVX512F__)
    return (wide)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__AVX2__)
    return (wide)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__aarch64__)
    return (wide)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#elif defined(__wasm_relaxed_simd__)
    return __builtin_wasm_relaxed_madd_f32x4(a, b, c);
#else
    return a * b + c;
#endif
}

/* mask ? a : 0, lane by lane */
INLINE wide wide_where(wide_mask mask, wide a)
{
    return (wide)(mask & (wide_mask)a);
}

/* The larger one; b where one is not a number. */
INLINE wide wide_max(wide a, wide b)
{
#if defined(__AVX512F__)
    return (wide)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
    return (wide)_mm256_max_ps((__m256)a, (__m256)b);
#else
    const wide_mask more = a > b;
    return (wide)((more & (wide_mask)a) | (~more & (wide_mask)b));
#endif
}

INLINE wide wide_sqrt(wide a)
{
#if defined(__AVX512F__)
    return (wide)_mm512_sqrt_ps((__m512)a);
#elif defined(__AVX2__)
    return (wide)_mm256_sqrt_ps((__m256)a);
#else
    for (int i = 0; i < WIDE; i++) a[i] = __builtin_sqrtf(a[i]);
    return a;
#endif
}

#endif
