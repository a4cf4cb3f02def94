/* The inner product of two vectors, in double:
 *
 *     sum_i a_i b_i,   lane i mod 16 first, then the lanes by a tree
 *
 * A product of two floats is exact in double, so that fusing makes no difference: the bits are the same on every
 * machine, with FMA or without. No float is too large to be squared. */
#include "kernels/doubles.h"
#include "kernels/local.h"

enum { LANES = 16, VECTORS = LANES / DOUBLES };

double NAME(dot)(const float *a, const float *b, size_t n)
{
    doubles sum[VECTORS] = {{0}};
    double lane[LANES];
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        UNROLLED(j, VECTORS)
            sum[j] =
                doubles_fma(doubles_from_floats(a + i + j * DOUBLES), doubles_from_floats(b + i + j * DOUBLES), sum[j]);
    memcpy(lane, sum, sizeof lane);
    for (size_t j = 0; i + j < n; j++) lane[j] += (double)a[i + j] * (double)b[i + j];
    for (int width = LANES / 2; width > 0; width /= 2)
        for (int j = 0; j < width; j++) lane[j] += lane[j + width];
    return lane[0];
}
