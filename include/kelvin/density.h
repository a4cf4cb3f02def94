/* density: log-densities of predictions, and priors of parameters. The subject of the paper.
 *
 *     kelvin_density *d;
 *     kelvin_status st = kelvin_density_create(&d, "dirclip:0.85,-50");
 *     double z[3] = {2.1, -0.3, 0.4}, grad[3];
 *     double logp = kelvin_density_eval(d, grad, z, 3, 0);     // prior + likelihood of label 0, and d/dz
 *     kelvin_density_prior_only(d);
 *     logp = kelvin_density_eval(d, grad, z, 3, 0);            // the prior alone
 *     kelvin_density_destroy(d);
 *
 * The families "densities" and "priors" (family.h) have what there is. Notation: z = logits of one observation,
 * l = logsoftmax(z), p = exp(l), y = its label, K classes. Constants that do not depend on z are left out.
 */
#ifndef KELVIN_DENSITY_H
#define KELVIN_DENSITY_H

#include <kelvin/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kelvin_density kelvin_density;
typedef struct kelvin_prior kelvin_prior;

/* From "name" or "name:value,value". KELVIN_EUSAGE if the name is unknown, a value is missing, superfluous, not a
 * number or out of its range. Destroying NULL is fine. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_density_create(kelvin_density **density, const char *text);
KELVIN_API void kelvin_density_destroy(kelvin_density *density);

/* False for those that are priors over predictions: they come with the categorical likelihood of the label, until
 * kelvin_density_prior_only leaves it out. */
KELVIN_API bool kelvin_density_sees_label(const kelvin_density *density);
KELVIN_API void kelvin_density_prior_only(kelvin_density *density);

/* Log-density of one observation in double precision; its gradient in z goes to grad (K >= 1 values) unless NULL.
 * Allocates nothing. */
KELVIN_API double kelvin_density_eval(const kelvin_density *density, double *grad, const double *z, size_t K, size_t y);

/* Where a gradient leads: d log p_k / d epsilon (K values) as the logits take a small step z + epsilon * gradient of
 * the log-density. A negative change[y] means that the gradient misleads: the step makes the true class less probable.
 */
KELVIN_API void kelvin_density_step(const kelvin_density *density, double *change, const double *z, size_t K, size_t y);

/* Densities with a sum of (alpha - 1) l_k over K classes have a critical alpha, (K - 2) / K: below it, that gradient
 * misleads wherever a prediction is wrong and sure of it. True if this one is below; *critical is then that alpha. */
KELVIN_API bool kelvin_density_misleads(const kelvin_density *density, double *critical, size_t K);

/* The same for priors. "none" is a flat one. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_prior_create(kelvin_prior **prior, const char *text);
KELVIN_API void kelvin_prior_destroy(kelvin_prior *prior);

/* Log-density of n parameters in double precision, which are no weights to a prior that looks at these (fan-in,
 * sparse); its gradient goes to grad (n values) unless NULL. */
KELVIN_API double kelvin_prior_eval(const kelvin_prior *prior, double *grad, const double *theta, size_t n);

/* n independent draws from the prior, as a chain may start from: a function of seed and chain. Made in double, rounded
 * once. (A student-t with nu near 0 has draws beyond what a float can hold: they are infinite. A flat prior has none:
 * not a number.) */
KELVIN_API void kelvin_prior_draw(const kelvin_prior *prior, float *theta, size_t n, uint64_t seed, uint32_t chain);

#ifdef __cplusplus
}
#endif
#endif
