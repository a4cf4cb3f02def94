/* What a network says of observations: how often it is right, how sure it is, how far its logits are apart. */
#include "target/outputs.h"

#include <math.h>

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
    unsigned hits = 0, odd = 0;
    float range = 0;
    for (size_t i = 0; i < n; i++) { /* without branches: they would be taken at random */
        hits += said->top[i] == (float)y[i];
        odd += said->range[i] != said->range[i];
        range = said->range[i] > range ? said->range[i] : range;
    }
    for (size_t i = 0; i < n; i++) sum->confidence += (double)said->p[i]; /* one by one, whatever the blocks are */
    kelvin_outputs_add(sum, &(kelvin_outputs){.n = n, .hits = hits, .range = odd ? (double)NAN : (double)range});
}

void kelvin_outputs_block(kelvin_outputs *sum, const struct kelvin_kernels *kernels, const float *z, const int32_t *y,
                          size_t K, size_t n)
{
    struct outputs said;
    kernels->outputs(&said, z, K);
    kelvin_outputs_count(sum, &said, y, n);
}
