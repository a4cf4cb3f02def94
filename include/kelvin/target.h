/* target: the posterior of a network, as something that a sampler can sample.
 *
 *     kelvin_posterior *posterior;
 *     kelvin_status st = kelvin_posterior_create(&posterior, model, &density, &prior, data);
 *     kelvin_target target = kelvin_posterior_target(posterior);
 */
#ifndef KELVIN_TARGET_H
#define KELVIN_TARGET_H

#include <kelvin/base.h>
#include <kelvin/data.h>
#include <kelvin/density.h>
#include <kelvin/nn.h>
#include <kelvin/sampler.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a model must take to look at these data: images, or rows of a table. */
kelvin_shape kelvin_data_shape(const kelvin_data *data);

/* sum over the data of log-density(network(x), y) + log-prior(theta). Holds activations: one per thread.
 * The model and the data must outlive it. `prior` may be NULL: a flat one. */
typedef struct kelvin_posterior kelvin_posterior;

KELVIN_MUST_CHECK kelvin_status kelvin_posterior_create(kelvin_posterior **posterior, const kelvin_model *model,
                                                        const kelvin_density *density, const kelvin_prior *prior,
                                                        const kelvin_data *data);
kelvin_target kelvin_posterior_target(kelvin_posterior *posterior);

/* Logits at theta of the data that it was made with, (n, classes). */
void kelvin_posterior_logits(kelvin_posterior *posterior, float *logits, const float *theta);
void kelvin_posterior_destroy(kelvin_posterior *posterior);

#ifdef __cplusplus
}
#endif
#endif
