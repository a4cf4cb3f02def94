/* density: log-densities of predictions, and priors of parameters. The subject of the paper.
 *
 *     kelvin_density d;
 *     kelvin_status st = kelvin_density_parse(&d, "dirclip:0.85,-50");
 *     double z[3] = {2.1, -0.3, 0.4}, grad[3];
 *     double logp = kelvin_density_eval(&d, grad, z, 3, 0);    // prior + likelihood of label 0, and d/dz
 *     d.likelihood = false;
 *     logp = kelvin_density_eval(&d, grad, z, 3, 0);           // the prior alone
 *
 * Notation: z = logits of one observation, l = logsoftmax(z), p = exp(l), y = its label, K classes. Constants that do
 * not depend on z are left out.
 */
#ifndef KELVIN_DENSITY_H
#define KELVIN_DENSITY_H

#include <kelvin/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { KELVIN_MAX_PARAMS = 3 };

typedef struct kelvin_density_type kelvin_density_type;
typedef struct kelvin_prior_type kelvin_prior_type;

typedef struct kelvin_density {
    const kelvin_density_type *type;
    double param[KELVIN_MAX_PARAMS];
    bool likelihood; /* add the categorical likelihood; true after parsing a density that does not see the label */
} kelvin_density;

typedef struct kelvin_prior {
    const kelvin_prior_type *type;
    double param[KELVIN_MAX_PARAMS];
} kelvin_prior;

/* What a member of either family tells about itself. */
typedef struct kelvin_member_info {
    const char *name;
    const char *formula;                  /* one line */
    const char *param[KELVIN_MAX_PARAMS]; /* names, in the order in which they are written; NULL after the last */
    bool sees_label;                      /* densities only: false for those that are priors over predictions */
} kelvin_member_info;

/* From "name" or "name:value,value". KELVIN_EUSAGE if the name is unknown, a value is missing, superfluous, not a
 * number or out of its range. */
KELVIN_MUST_CHECK kelvin_status kelvin_density_parse(kelvin_density *density, const char *text);
KELVIN_MUST_CHECK kelvin_status kelvin_prior_parse(kelvin_prior *prior, const char *text);

/* The same text again, with 17 digits where needed; `size` bytes at `out` (96 are enough). */
void kelvin_density_format(char *out, size_t size, const kelvin_density *density);
void kelvin_prior_format(char *out, size_t size, const kelvin_prior *prior);

/* The i-th member of the family, NULL after the last. */
const kelvin_member_info *kelvin_density_info(size_t i);
const kelvin_member_info *kelvin_prior_info(size_t i);

/* Log-density of one observation in double precision; its gradient in z goes to grad (K >= 1 values) unless NULL.
 * Allocates nothing. */
double kelvin_density_eval(const kelvin_density *density, double *grad, const double *z, size_t K, size_t y);

/* Where a gradient leads: d log p_k / d epsilon (K values) as the logits take a small step z + epsilon * gradient of
 * the log-density. A negative change[y] means that the gradient misleads: the step makes the true class less probable.
 */
void kelvin_density_step(const kelvin_density *density, double *change, const double *z, size_t K, size_t y);

/* Densities with a sum of (alpha - 1) l_k over K classes have a critical alpha, (K - 2) / K: below it, that gradient
 * misleads wherever a prediction is wrong and sure of it. True if this one is below; *critical is then that alpha. */
bool kelvin_density_misleads(const kelvin_density *density, double *critical, size_t K);

/* Log-density of n parameters in double precision; its gradient goes to grad (n values) unless NULL. */
double kelvin_prior_eval(const kelvin_prior *prior, double *grad, const double *theta, size_t n);

/* n independent draws from the prior; number i is a function of `where` and i. Made in double, rounded once. (A
 * student-t with nu near 0 has draws beyond what a float can hold: they are infinite.) */
void kelvin_prior_draw(const kelvin_prior *prior, float *theta, size_t n, kelvin_random where);

#ifdef __cplusplus
}
#endif
#endif
