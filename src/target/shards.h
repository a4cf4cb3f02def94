/* shards: how observations are split into sums of their own, whatever the number of threads. */
#ifndef TARGET_SHARDS_H
#define TARGET_SHARDS_H

#include "nn/nn.h"

/* More would balance many threads better, but each one's gradient has to be brought back from the form in which it is
 * summed, and added up. */
enum { MAX_SHARDS = 8 };

/* Divisions are left out where they can be: with one block, as in figure 1, they would take 5 % of the time. */
static inline size_t block_count(const kelvin_model *model, size_t n)
{
    return n <= model->block ? 1 : (n + model->block - 1) / model->block;
}

static inline size_t shard_count(const kelvin_model *model, size_t n)
{
    const size_t blocks = block_count(model, n);
    return blocks < MAX_SHARDS ? blocks : MAX_SHARDS;
}

/* The first of n observations of a shard; of the one after the last: n. */
static inline size_t shard_begin(const kelvin_model *model, size_t n, size_t shards, size_t shard)
{
    if (shard == 0) return 0;
    if (shard == shards) return n;
    const size_t begin = shard * block_count(model, n) / shards * model->block;
    return begin < n ? begin : n;
}

#endif
