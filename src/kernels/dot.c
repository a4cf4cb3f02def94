/* The inner product of two vectors, in double:
 *
 *     sum_i a_i b_i,   lane i mod 16 first, then the lanes by a tree
 *
 * A product of two floats is exact in double, so that fusing makes no difference: the bits are the same on every
 * machine, with FMA or without. No float is too large to be squared. */
#include "kernels/doubles.h"
#include "kernels/local.h"

enum { LANES = 16, VECTORS = LANES / DOUBLES };

INLINE double sum_of(double *lane)
{
    for (int width = LANES / 2; width > 0; width /= 2)
        for (int j = 0; j < width; j++) lane[j] += lane[j + width];
    return lane[0];
}

double NAME(dot)(const float *a, const float *b, size_t n)
{
    double ab;
    NAME(dots)(&ab, NULL, a, b, n);
    return ab;
}

/* Converting floats takes longer than multiplying: those of a vector that is met twice are converted once. */
INLINE void sums(bool AB, bool BB, double ab[LANES], double bb[LANES], const float *a, const float *b, size_t n)
{
    doubles sum_ab[VECTORS] = {{0}}, sum_bb[VECTORS] = {{0}};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        UNROLLED(j, VECTORS) {
            const doubles y = doubles_from_floats(b + i + j * DOUBLES);
            if (AB) sum_ab[j] = doubles_fma(doubles_from_floats(a + i + j * DOUBLES), y, sum_ab[j]);
            if (BB) sum_bb[j] = doubles_fma(y, y, sum_bb[j]);
        }
    memcpy(ab, sum_ab, sizeof sum_ab);
    memcpy(bb, sum_bb, sizeof sum_bb);
    for (size_t j = 0; i + j < n; j++) {
        if (AB) ab[j] += (double)a[i + j] * (double)b[i + j];
        if (BB) bb[j] += (double)b[i + j] * (double)b[i + j];
    }
}

void NAME(dots)(double *ab, double *bb, const float *a, const float *b, size_t n)
{
    double lane_ab[LANES], lane_bb[LANES];
    if (a == b)
        sums(false, true, lane_ab, lane_bb, a, b, n);
    else if (bb)
        sums(true, true, lane_ab, lane_bb, a, b, n);
    else
        sums(true, false, lane_ab, lane_bb, a, b, n);
    if (bb || a == b) lane_bb[0] = sum_of(lane_bb);
    if (bb) *bb = lane_bb[0];
    *ab = a == b ? lane_bb[0] : sum_of(lane_ab);
}
