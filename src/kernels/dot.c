/* The inner product of two vectors, in double:
 *
 *     sum_i a_i b_i,   lane i mod 16 first, then the lanes by a tree
 *
 * A product of two floats is exact in double, so that fusing makes no difference: the bits are the same on every
 * machine, with FMA or without. No float is too large to be squared. */
#include "kernels/local.h"
#include "kernels/wide.h"

enum { LANES = 16, HALF = WIDE / 2, VECTORS = LANES / HALF };

typedef double doubles __attribute__((vector_size(HALF * sizeof(double))));

INLINE doubles load(const float *p)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_cvtps_pd(_mm256_loadu_ps(p));
#elif defined(__AVX2__)
    return (doubles)_mm256_cvtps_pd(_mm_loadu_ps(p));
#else
    return (doubles){(double)p[0], (double)p[1]};
#endif
}

INLINE doubles multiply_add(doubles a, doubles b, doubles c)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__AVX2__)
    return (doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    return a * b + c;
#endif
}

double NAME(dot)(const float *a, const float *b, size_t n)
{
    doubles sum[VECTORS] = {{0}};
    double lane[LANES];
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        UNROLLED(j, VECTORS) sum[j] = multiply_add(load(a + i + j * HALF), load(b + i + j * HALF), sum[j]);
    memcpy(lane, sum, sizeof lane);
    for (size_t j = 0; i + j < n; j++) lane[j] += (double)a[i + j] * (double)b[i + j];
    for (int width = LANES / 2; width > 0; width /= 2)
        for (int j = 0; j < width; j++) lane[j] += lane[j + width];
    return lane[0];
}
