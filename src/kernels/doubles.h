/* Vectors of doubles, as wide as the registers: for kernels whose lanes never mix, so that the bits do not depend on
 * how many there are. exp and log are good to about one unit in the last place; tests/test_scores.c holds them
 * against the C library. */
#ifndef KERNELS_DOUBLES_H
#define KERNELS_DOUBLES_H

#include "kernels/wide.h"

enum { DOUBLES = WIDE / 2 };

typedef double doubles __attribute__((vector_size(DOUBLES * sizeof(double))));
typedef uint64_t longs __attribute__((vector_size(DOUBLES * sizeof(double)))); /* masks and bits */

INLINE doubles doubles_load(const double *p)
{
    doubles r;
    memcpy(&r, p, sizeof r);
    return r;
}

INLINE void doubles_store(double *p, doubles a)
{
    memcpy(p, &a, sizeof a);
}

INLINE doubles doubles_set(double x)
{
    return x - (doubles){0};
}

INLINE longs longs_set(uint64_t x)
{
    return x - (longs){0};
}

INLINE doubles doubles_from_floats(const float *p)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_cvtps_pd(_mm256_loadu_ps(p));
#elif defined(__AVX2__)
    return (doubles)_mm256_cvtps_pd(_mm_loadu_ps(p));
#else
    return (doubles){(double)p[0], (double)p[1]};
#endif
}

/* a b + c, fused where the instruction set has FMA */
INLINE doubles doubles_fma(doubles a, doubles b, doubles c)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__AVX2__)
    return (doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif defined(__aarch64__)
    return (doubles)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#elif defined(__wasm_relaxed_simd__)
    return __builtin_wasm_relaxed_madd_f64x2(a, b, c);
#else
    return a * b + c;
#endif
}

/* mask ? a : 0 and mask ? a : b, lane by lane */
INLINE doubles doubles_where(longs mask, doubles a)
{
    return (doubles)(mask & (longs)a);
}

INLINE doubles doubles_select(longs mask, doubles a, doubles b)
{
#if defined(__AVX2__) && !defined(__AVX512F__)
    return (doubles)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)mask);
#else
    return (doubles)((mask & (longs)a) | (~mask & (longs)b));
#endif
}

/* The larger one; b where one is not a number. */
INLINE doubles doubles_max(doubles a, doubles b)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX2__)
    return (doubles)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
    return doubles_select((longs)(a > b), a, b);
#endif
}

/* a x + b */
INLINE doubles doubles_line(double a, doubles x, double b)
{
    return doubles_fma(doubles_set(a), x, doubles_set(b));
}

/* log 2 in two parts, as fdlibm has it: the first times a small whole number is exact */
#define LOG_2_HIGH 0x1.62e42feep-1
#define LOG_2_LOW  0x1.a39ef35793c76p-33

/* e^x for x <= 0; 0 below -708, where results would soon no longer be normal numbers. x = n log 2 + r, and
 * e^r = 1 + r + r^2 q(r): q meets (e^r - 1 - r) / r^2 in the Chebyshev nodes of |r| <= log(2) / 2. Pairs instead of
 * Horner's scheme: more instructions, but what waits for what is half as long. */
INLINE doubles doubles_exp(doubles x)
{
    static const double q[] = {2.5100377619606372e-08, 2.7620078203806394e-07, 2.7557268476553695e-06,
                               2.4801521317484083e-05, 0.00019841269863042963, 0.0013888888917199863,
                               0.008333333333330063,   0.04166666666662416,    0.16666666666666669,
                               0.5000000000000001};
    const doubles lowest = doubles_set(-708), magic = doubles_set(0x1.8p52);
    const longs normal = (longs)(x >= lowest);
    x = doubles_max(x, lowest);
    /* adding the magic number rounds, and leaves n in the low bits */
    const doubles shifted = doubles_fma(x, doubles_set(0x1.71547652b82fep0), magic), n = shifted - magic;
    const doubles r = doubles_fma(n, doubles_set(-LOG_2_LOW), doubles_fma(n, doubles_set(-LOG_2_HIGH), x));
    const doubles r2 = r * r, r4 = r2 * r2;
    const doubles low = doubles_fma(doubles_line(q[6], r, q[7]), r2, doubles_line(q[8], r, q[9]));
    const doubles middle = doubles_fma(doubles_line(q[2], r, q[3]), r2, doubles_line(q[4], r, q[5]));
    const doubles sum = doubles_fma(doubles_fma(doubles_line(q[0], r, q[1]), r4, middle), r4, low);
    const doubles y = doubles_set(1) + doubles_fma(sum, r2, r);
    return (doubles)(normal & ((longs)y + ((longs)shifted << 52)));
}

/* log x for positive normal x; that of 1 is 0. x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)); s = f / (2 + f),
 * log(1 + f) = f - (f^2/2 - s (f^2/2 + s^2 c(s^2))), with the polynomial of fdlibm. */
INLINE doubles doubles_log(doubles x)
{
    static const double c[] = {1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
                               2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01,
                               6.666666666666735130e-01};
    const longs root = longs_set(0x3fe6a09e667f3bcd), one = longs_set(0x3ff0000000000000);
    const longs bits = (longs)x + (one - root), magic = longs_set(0x4330000000000000); /* 2^52: whole numbers below */
    const doubles e = (doubles)(bits >> 52 | magic) - doubles_set(0x1p52 + 1023);
    const doubles f = (doubles)((bits & longs_set(0x000fffffffffffff)) + root) - doubles_set(1);
    const doubles s = f / (doubles_set(2) + f), s2 = s * s, half = doubles_set(0.5) * f * f;
    doubles sum = doubles_set(c[0]);
    for (int i = 1; i < 7; i++) sum = doubles_fma(sum, s2, doubles_set(c[i]));
    const doubles tail = doubles_fma(s, doubles_fma(sum, s2, half), e * doubles_set(LOG_2_LOW));
    return doubles_fma(e, doubles_set(LOG_2_HIGH), f - (half - tail));
}

#endif
