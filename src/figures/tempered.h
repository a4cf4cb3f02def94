/* tempered: a density of two classes raised to a power, at the probability p of the true class.
 *
 *     struct tempered upper;
 *     KELVIN_TRY(tempered_upper(&upper, 0.1));
 *     double z[2];
 *     tempered_logits(z, 0.3);
 *     double density = exp(tempered_eval(&upper, NULL, z));
 */
#ifndef FIGURES_TEMPERED_H
#define FIGURES_TEMPERED_H

#include <kelvin/density.h>

struct tempered {
    kelvin_density density;
    double power; /* of the density: log-densities are multiplied with it */
};

/* The cold likelihood p^(1/T), and the upper bound on confidence prior times likelihood, max(p, 1-p)^(1/T - 1) p. The
 * bound is the product itself where there are but two classes. */
KELVIN_MUST_CHECK kelvin_status tempered_cold(struct tempered *tempered, double T);
KELVIN_MUST_CHECK kelvin_status tempered_upper(struct tempered *tempered, double T);

/* Logits that stand for p in [0, 1]; the ends are allowed. */
void tempered_logits(double z[2], double p);

/* Logarithm of the tempered density; its slope in the first logit goes to `slope` unless NULL. */
double tempered_eval(const struct tempered *tempered, double *slope, const double z[2]);

#endif
