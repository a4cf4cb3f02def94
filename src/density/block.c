/* A density of a block of observations in float: softmax and its adjoint are kernels, what lies between is the
 * density's. The categorical one is a kernel by itself: most networks are asked for no other. */
#include "density/block.h"
#include "density/types.h"

#include <string.h>

enum { LANES = KELVIN_BLOCK };

size_t kelvin_density_scratch(size_t K, size_t lanes)
{
    return 4 * K * lanes; /* l, p, q, g */
}

/* The largest x of each lane, and 1 / number of classes that have it. */
static void find_top(float *restrict top, float *restrict share, const float *x, size_t K, size_t row)
{
    for (size_t i = 0; i < LANES; i++) {
        top[i] = x[i];
        share[i] = 0.0f;
    }
    for (size_t k = 1; k < K; k++)
        for (size_t i = 0; i < LANES; i++) top[i] = x[k * row + i] > top[i] ? x[k * row + i] : top[i];
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0; i < LANES; i++) share[i] += x[k * row + i] == top[i] ? 1.0f : 0.0f;
    for (size_t i = 0; i < LANES; i++) share[i] = 1.0f / share[i];
}

/* Lanes do not mix, so what stands in those without an observation does no harm until it is left out here. */
static void clear_rest(float *dz, const int32_t *label, size_t K, size_t lanes)
{
    for (size_t k = 0; k < K; k++, dz += lanes)
        for (size_t i = 0; i < lanes; i++) dz[i] = label[i] < 0 ? 0.0f : dz[i];
}

static void weigh(float *dz, float *value, const float *weight, size_t K, size_t n, size_t row)
{
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0; i < n; i++) dz[k * row + i] *= weight[i];
    for (size_t i = 0; value && i < n; i++) value[i] *= weight[i];
}

/* What a density says of LANES of `row` log-probabilities, or logits. */
static void add_block(const kelvin_density *density, float *value, float *g, const float *x, const int32_t *label,
                      size_t K, size_t row)
{
    const kelvin_density_type *type = density->type;
    float top[LANES], share[LANES];
    if (type->uses_top) find_top(top, share, x, K, row);
    const struct block_float b = {.K = K,
                                  .classes = K,
                                  .row = row,
                                  .x = x,
                                  .y = label,
                                  .top = type->uses_top ? top : x, /* those who do not use it get any lanes */
                                  .share = type->uses_top ? share : x,
                                  .value = value,
                                  .g = g};
    type->add_float(&b, density->param);
    if (adds_likelihood(density)) kelvin_density_categorical.add_float(&b, NULL);
}

/* Any density: softmax, what it says of log-probabilities, and back. */
static void by_softmax(const struct kelvin_kernels *kernels, const kelvin_density *density, float *value, float *dz,
                       const float *z, const int32_t *label, size_t K, size_t lanes, float *scratch)
{
    const bool on_logits = density->type->on_logits;
    const size_t size = K * lanes;
    float *l = scratch, *p = l + size, *q = p + size, *g = on_logits ? dz : q + size;
    memset(g, 0, size * sizeof *g);
    if (!on_logits) kernels->softmax(l, p, q, z, K, lanes);
    if (value) memset(value, 0, lanes * sizeof *value);
    for (size_t at = 0; at < lanes; at += LANES)
        add_block(density, value ? value + at : NULL, g + at, (on_logits ? z : l) + at, label + at, K, lanes);
    if (!on_logits) kernels->softmax_backward(dz, g, p, q, K, lanes);
}

static bool is_categorical(const kelvin_density *density)
{
    return density->type == &kelvin_density_categorical;
}

void kelvin_density_told(const struct kelvin_kernels *kernels, const kelvin_density *density, double *logp,
                         struct outputs *said, float *dz, const float *z, const int32_t *y, const float *weight,
                         size_t K, size_t n, float *scratch)
{
    float values[LANES], *value = logp ? values : NULL;
    int32_t copy[LANES];
    const int32_t *label = y;
    if (n < LANES) {
        memset(copy, -1, sizeof copy);
        memcpy(copy, y, n * sizeof *y);
        label = copy;
    }
    if (is_categorical(density)) {
        kernels->categorical(dz, value, said, z, label, K, LANES);
    } else {
        by_softmax(kernels, density, value, dz, z, label, K, LANES, scratch);
        if (n < LANES) clear_rest(dz, label, K, LANES);
        if (said) kernels->outputs(said, z, K);
    }
    if (weight) weigh(dz, value, weight, K, n, LANES);
    if (logp) *logp = kelvin_block_sum(0, value, n);
}

void kelvin_density_block(const struct kelvin_kernels *kernels, const kelvin_density *density, double *logp, float *dz,
                          const float *z, const int32_t *y, const float *weight, size_t K, size_t n, float *scratch)
{
    kelvin_density_told(kernels, density, logp, NULL, dz, z, y, weight, K, n, scratch);
}

void kelvin_density_blocks(const struct kelvin_kernels *kernels, const kelvin_density *density, float *dz,
                           const float *z, const int32_t *label, const float *weight, size_t K, size_t n,
                           size_t lanes, float *scratch)
{
    if (is_categorical(density)) {
        kernels->categorical(dz, NULL, NULL, z, label, K, lanes);
    } else {
        by_softmax(kernels, density, NULL, dz, z, label, K, lanes, scratch);
        if (n < lanes) clear_rest(dz, label, K, lanes);
    }
    if (weight) weigh(dz, NULL, weight, K, lanes, lanes);
}
