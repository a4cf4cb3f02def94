/* tempered: densities of two classes raised to a power, at the probability p of the true class, for the temperatures
 * that a reader wrote: "1,0.3,1/12".
 *
 *     struct temperatures list;
 *     struct tempered upper;
 *     double z[2];
 *     KELVIN_TRY(kelvin_temperatures_parse(&list, options->temperatures));
 *     KELVIN_TRY(kelvin_tempered_upper(&upper, list.T[0]));
 *     kelvin_tempered_logits(z, 0.3);
 *     double density = exp(kelvin_tempered_eval(&upper, NULL, z));
 */
#ifndef FIGURES_TEMPERED_H
#define FIGURES_TEMPERED_H

#include "density/density.h"

/* ---- temperatures.c ---- */

enum { MOST_TEMPERATURES = 32 };

struct temperatures {
    size_t n;
    double T[MOST_TEMPERATURES];
};

/* Numbers or fractions of numbers in [1e-12, 1], separated by commas. KELVIN_EUSAGE with the item that is not. */
KELVIN_MUST_CHECK kelvin_status kelvin_temperatures_parse(struct temperatures *list, const char *text);

/* The same where exactly n are wanted; `what` says which they are. */
KELVIN_MUST_CHECK kelvin_status kelvin_temperatures_parse_n(struct temperatures *list, const char *text, size_t n,
                                                            const char *what);

/* ---- tempered.c ---- */

struct tempered {
    kelvin_density density;
    double power; /* of the density: log-densities are multiplied with it */
};

/* The cold likelihood p^(1/T), and the upper bound on confidence prior times likelihood, max(p, 1-p)^(1/T - 1) p. The
 * bound is the product itself where there are but two classes. */
KELVIN_MUST_CHECK kelvin_status kelvin_tempered_cold(struct tempered *tempered, double T);
KELVIN_MUST_CHECK kelvin_status kelvin_tempered_upper(struct tempered *tempered, double T);

/* Logits that stand for p in [0, 1]; the ends are allowed. */
void kelvin_tempered_logits(double z[2], double p);

/* Logarithm of the tempered density; its slope in the first logit goes to `slope` unless NULL. */
double kelvin_tempered_eval(const struct tempered *tempered, double *slope, const double z[2]);

/* ---- confidence_cdf.c ---- */

/* P(P <= p) for p in [0, 1] and T in (0, 1], where P has the density of kelvin_tempered_cold and of
 * kelvin_tempered_upper. Paper: appendix "Proof that confidence prior converges to a cold likelihood". */
double kelvin_cdf_cold(double p, double T);
double kelvin_cdf_upper(double p, double T);

/* The Wasserstein distance of the two: the integral of |kelvin_cdf_cold - kelvin_cdf_upper| over p. */
double kelvin_cdf_distance(double T);

#endif
