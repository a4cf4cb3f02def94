/* What a network says of observations: how often it is right, how sure it is, how far its logits are apart. */
#include "target/outputs.h"

void kelvin_outputs_add(kelvin_outputs *a, const kelvin_outputs *b)
{
    a->n += b->n;
    a->hits += b->hits;
    a->confidence += b->confidence;
    /* What is not a number stays: nothing is larger. */
    if (b->range > a->range || b->range != b->range) a->range = b->range;
}

void kelvin_outputs_block(kelvin_outputs *sum, const struct kelvin_kernels *kernels, const float *z, const int32_t *y,
                          size_t K, size_t n)
{
    struct outputs block;
    kernels->outputs(&block, z, K);
    for (size_t i = 0; i < n; i++) {
        const kelvin_outputs one = {.n = 1,
                                    .hits = block.top[i] == (float)y[i],
                                    .confidence = (double)block.p[i],
                                    .range = (double)block.range[i]};
        kelvin_outputs_add(sum, &one);
    }
}
