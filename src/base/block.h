/* block: how observations go through networks and densities.
 *
 *     double logp = kelvin_block_sum(0, value, n);
 */
#ifndef BASE_BLOCK_H
#define BASE_BLOCK_H

#include <stddef.h>

/* This many at a time, side by side in memory: three vectors of eight. */
enum { KELVIN_BLOCK = 24 };

/* sum + x[0] + ... + x[n - 1], one by one, n <= KELVIN_BLOCK: the bits do not depend on what the blocks are. x has all
 * lanes, and all of them are converted, since that is done by vectors. */
static inline double kelvin_block_sum(double sum, const float *x, size_t n)
{
    double each[KELVIN_BLOCK];
    for (size_t i = 0; i < KELVIN_BLOCK; i++) each[i] = (double)x[i];
#pragma GCC unroll 8
    for (size_t i = 0; i < n; i++) sum += each[i];
    return sum;
}

#endif
