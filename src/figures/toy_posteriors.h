/* toy_posteriors: the two posteriors of the paper's first figure, sampled together, and what was published about
 * them.
 */
#ifndef FIGURES_TOY_POSTERIORS_H
#define FIGURES_TOY_POSTERIORS_H

#include "figures/figure.h"
#include "run/run.h"

enum { TOY_POSTERIORS = 2 };

/* What is said about each. */
enum { TOY_ACCEPTANCE, TOY_RHAT_PARAMETERS, TOY_RHAT_FUNCTION, TOY_ACCURACY, TOY_SECONDS, TOY_NUMBERS };

struct toy_posterior {
    const char *label, *column, *alpha; /* for people, for the header of a file, for a column of it */
    const char *density;
    double step_size;
    double published[TOY_NUMBERS];
};

extern const struct toy_posterior kelvin_toy_posteriors[TOY_POSTERIORS];

/* Samples both, in memory; kelvin_run_close each, also after a failure. */
KELVIN_MUST_CHECK kelvin_status kelvin_toy_posteriors_sample(kelvin_run *runs[TOY_POSTERIORS],
                                                             const struct figure_options *options);

#endif
