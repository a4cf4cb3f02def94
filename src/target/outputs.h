/* outputs: what a network says of a block of observations, counted.
 *
 *     kelvin_outputs sum = {0};
 *     kelvin_outputs_block(&sum, kernels, z, y, K, n);
 */
#ifndef TARGET_OUTPUTS_H
#define TARGET_OUTPUTS_H

#include "kernels/kernels.h"

#include "target/target.h"

/* Adds n <= KELVIN_BLOCK observations to sum: logits z (K, KELVIN_BLOCK), anything beyond the n-th lane; labels y (n).
 */
void kelvin_outputs_block(kelvin_outputs *sum, const struct kelvin_kernels *kernels, const float *z, const int32_t *y,
                          size_t K, size_t n);

/* The same from what has been said of them. */
void kelvin_outputs_count(kelvin_outputs *sum, const struct outputs *said, const int32_t *y, size_t n);

#endif
