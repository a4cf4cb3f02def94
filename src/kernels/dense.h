/* dense: what the kernels of dense layers share, whatever their lanes are. */
#ifndef KERNELS_DENSE_H
#define KERNELS_DENSE_H

#include "kernels/vec.h"

#include <stdbool.h>
#include <stddef.h>

/* What is done to a finished sum s before it is stored. Forward: max(s, leak s). Backward: s or leak s, by the sign of
 * the activation x. */
INLINE v8 finished(bool RELU, bool BACKWARD, v8 sum, v8 leak, const float *x)
{
    const v8 zero = v8_set(0.0f);
    if (!BACKWARD) return v8_max(RELU ? zero : v8_mul(leak, sum), sum);
    const m8 positive = v8_gt(v8_load(x), zero);
    return RELU ? m8_floats(m8_and(v8_bits(sum), positive)) : v8_select(positive, sum, v8_mul(leak, sum));
}

/* A matrix by its strides: element (j, i) at w[j * down + i * right]. */
struct matrix {
    const float *w;
    size_t down, right;
};

#endif
