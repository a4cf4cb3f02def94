/* A density of a block of observations in float: softmax and its adjoint are kernels, what lies between is the
 * density's. The categorical one is a kernel by itself: most networks are asked for no other. */
#include "density/block.h"
#include "density/types.h"

#include <string.h>

enum { LANES = KELVIN_BLOCK };

size_t kelvin_density_scratch(size_t K)
{
    return 4 * K * LANES; /* l, p, q, g */
}

/* The largest x of each lane, and 1 / number of classes that have it. */
static void find_top(float *restrict top, float *restrict share, const float *x, size_t K)
{
    for (size_t i = 0; i < LANES; i++) {
        top[i] = x[i];
        share[i] = 0.0f;
    }
    for (size_t k = 1; k < K; k++)
        for (size_t i = 0; i < LANES; i++) top[i] = x[k * LANES + i] > top[i] ? x[k * LANES + i] : top[i];
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0; i < LANES; i++) share[i] += x[k * LANES + i] == top[i] ? 1.0f : 0.0f;
    for (size_t i = 0; i < LANES; i++) share[i] = 1.0f / share[i];
}

/* Lanes do not mix, so what stands in those beyond the last observation does no harm until it is left out here. */
static void clear_rest(float *dz, size_t K, size_t n)
{
    if (n == LANES) return;
    for (size_t k = 0; k < K; k++) /* whole rows, lanes compared as int: that is what compilers make vectors of */
        for (int i = 0; i < LANES; i++) dz[k * LANES + (size_t)i] = i < (int)n ? dz[k * LANES + (size_t)i] : 0.0f;
}

static void weigh(float *dz, float *value, const float *weight, size_t K, size_t n)
{
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0; i < n; i++) dz[k * LANES + i] *= weight[i];
    for (size_t i = 0; value && i < n; i++) value[i] *= weight[i];
}

/* Any density: softmax, what it says of log-probabilities, and back. */
static void by_softmax(const struct kelvin_kernels *kernels, const kelvin_density *density, float *value, float *dz,
                       const float *z, const int32_t *label, size_t K, float *scratch)
{
    const kelvin_density_type *type = density->type;
    const size_t size = K * LANES;
    float *l = scratch, *p = l + size, *q = p + size, *g = type->on_logits ? dz : q + size;
    float top[LANES], share[LANES];
    memset(dz, 0, size * sizeof *dz);
    if (!type->on_logits) {
        memset(g, 0, size * sizeof *g);
        kernels->softmax(l, p, q, z, K);
    }
    if (type->uses_top) find_top(top, share, l, K);
    if (value) memset(value, 0, LANES * sizeof *value);
    const struct block_float b = {.K = K,
                                  .classes = K,
                                  .x = type->on_logits ? z : l,
                                  .y = label,
                                  .top = type->uses_top ? top : z, /* those who do not use it get any lanes */
                                  .share = type->uses_top ? share : z,
                                  .value = value,
                                  .g = g};
    type->add_float(&b, density->param);
    if (adds_likelihood(density)) kelvin_density_categorical.add_float(&b, NULL);
    if (!type->on_logits) kernels->softmax_backward(dz, g, p, q, K);
}

void kelvin_density_told(const struct kelvin_kernels *kernels, const kelvin_density *density, double *logp,
                         struct outputs *said, float *dz, const float *z, const int32_t *y, const float *weight,
                         size_t K, size_t n, float *scratch)
{
    float value[LANES];
    int32_t label[LANES];
    memset(label, -1, sizeof label);
    memcpy(label, y, n * sizeof *y);
    if (density->type == &kelvin_density_categorical) {
        kernels->categorical(dz, logp ? value : NULL, said, z, label, K);
    } else {
        by_softmax(kernels, density, logp ? value : NULL, dz, z, label, K, scratch);
        clear_rest(dz, K, n);
        if (said) kernels->outputs(said, z, K);
    }
    if (weight) weigh(dz, logp ? value : NULL, weight, K, n);
    if (logp) {
        *logp = 0.0;
        for (size_t i = 0; i < n; i++) *logp += (double)value[i];
    }
}

void kelvin_density_block(const struct kelvin_kernels *kernels, const kelvin_density *density, double *logp, float *dz,
                          const float *z, const int32_t *y, const float *weight, size_t K, size_t n, float *scratch)
{
    kelvin_density_told(kernels, density, logp, NULL, dz, z, y, weight, K, n, scratch);
}
