/* What a network says of observations: how often it is right, how sure it is, how far its logits are apart. */
#include "target/outputs.h"

#include <string.h>

void kelvin_outputs_add(kelvin_outputs *a, const kelvin_outputs *b)
{
    a->n += b->n;
    a->hits += b->hits;
    a->confidence += b->confidence;
    /* What is not a number stays: nothing is larger. */
    if (b->range > a->range || b->range != b->range) a->range = b->range;
}

void kelvin_outputs_count(kelvin_outputs *sum, const struct outputs *said, const int32_t *y, size_t n)
{
    int32_t hits = 0, most = 0, range[KELVIN_BLOCK];
    float largest;
    memcpy(range, said->range, sizeof range);
    for (size_t i = 0; i < n; i++) {
        const int32_t bits = range[i] & INT32_MAX;
        hits += (int32_t)said->top[i] == y[i];
        most = bits > most ? bits : most; /* of floats from 0 on, in their order; what is not a number is above all */
    }
    memcpy(&largest, &most, sizeof largest);
    sum->confidence = kelvin_block_sum(sum->confidence, said->p, n);
    kelvin_outputs_add(sum, &(kelvin_outputs){.n = n, .hits = (size_t)hits, .range = (double)largest});
}

void kelvin_outputs_block(kelvin_outputs *sum, const struct kelvin_kernels *kernels, const float *z, const int32_t *y,
                          size_t K, size_t n)
{
    struct outputs said;
    kernels->outputs(&said, z, K);
    kelvin_outputs_count(sum, &said, y, n);
}
