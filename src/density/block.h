/* block: densities and priors in float, for the targets.
 *
 *     float *scratch = kelvin_arena_alloc(arena, kelvin_density_scratch(K, KELVIN_BLOCK), sizeof *scratch);
 *     kelvin_density_block(kernels, &density, &logp, dz, z, y, NULL, K, n, scratch);
 *     kelvin_prior_add(kernels, &prior, &logp, grad, theta, n_params);
 */
#ifndef DENSITY_BLOCK_H
#define DENSITY_BLOCK_H

#include "density/density.h"
#include "kernels/kernels.h"

/* Floats of memory that one evaluation needs, of so many observations at once: KELVIN_BLOCK, or several times that. */
size_t kelvin_density_scratch(size_t K, size_t lanes);

/* Sum over n <= KELVIN_BLOCK observations of the log-density. Observations stand side by side: class k of observation i
 * is at k * KELVIN_BLOCK + i. dz (K, KELVIN_BLOCK) gets the gradient, with zeros at i >= n. z must be finite for i < n,
 * and may be anything beyond; y (n). Value and gradient of each observation are multiplied by its weight (n), by 1 if
 * that is NULL. `logp` may be NULL. */
void kelvin_density_block(const struct kelvin_kernels *kernels, const kelvin_density *density, double *logp, float *dz,
                          const float *z, const int32_t *y, const float *weight, size_t K, size_t n, float *scratch);

/* The same, and what the network says of these observations, which costs little more: `said` may be NULL. */
void kelvin_density_told(const struct kelvin_kernels *kernels, const kelvin_density *density, double *logp,
                         struct outputs *said, float *dz, const float *z, const int32_t *y, const float *weight,
                         size_t K, size_t n, float *scratch);

/* The gradient alone, of several blocks side by side: dz and z are (K, lanes), label and weight (lanes). All but n of
 * the labels are -1: there is no observation, and the gradient is 0. */
void kelvin_density_blocks(const struct kelvin_kernels *kernels, const kelvin_density *density, float *dz,
                           const float *z, const int32_t *label, const float *weight, size_t K, size_t n,
                           size_t lanes, float *scratch);

/* Adds the gradient of the log-prior to grad unless NULL; the log-density goes to logp unless NULL. */
void kelvin_prior_add(const struct kelvin_kernels *kernels, const kelvin_prior *prior, double *logp, float *grad,
                      const float *theta, size_t n);

/* Whether that gradient is a constant times theta, and which: what kelvin_prior_add adds is fused with it. */
bool kelvin_prior_pulls(const kelvin_prior *prior, float *pull);

#endif
