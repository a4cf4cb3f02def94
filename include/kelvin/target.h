/* target: the posterior of a network, as something that a sampler can sample.
 *
 *     kelvin_posterior *posterior;
 *     kelvin_status st = kelvin_posterior_create(&posterior, model, density, prior, data, 2);    // on two threads
 *     kelvin_target target = kelvin_posterior_target(posterior);
 *     target.eval(target.context, &logp, grad, theta);
 *     kelvin_posterior_destroy(posterior);
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

/* log p(theta) = sum over the training data of log-density(network(x), y) + log-prior(theta). Holds activations: one
 * caller at a time. The model must outlive it. */
typedef struct kelvin_posterior kelvin_posterior;

/* Of all training data. `prior` may be NULL: a flat one. Density, prior and data are not needed afterwards. `threads`
 * share an evaluation (0: one); the bits do not depend on them, and more than 8 gain little. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_posterior_create(kelvin_posterior **posterior,
                                                                   const kelvin_model *model,
                                                                   const kelvin_density *density,
                                                                   const kelvin_prior *prior, const kelvin_data *data,
                                                                   size_t threads);
KELVIN_API void kelvin_posterior_destroy(kelvin_posterior *posterior);

/* The posterior must outlive it. */
KELVIN_API kelvin_target kelvin_posterior_target(kelvin_posterior *posterior);

#ifdef __cplusplus
}
#endif
#endif
