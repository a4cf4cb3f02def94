/* boundary: where a gradient step on the Dirichlet posterior turns from raising the probability of the true class to
 * lowering it, for a prediction that gives one wrong class 1 - rest and the same share of rest to each of the others.
 *
 *     struct boundary b;
 *     double alpha;
 *     KELVIN_TRY(kelvin_boundary_make(&b, 10));
 *     if (kelvin_boundary_alpha(&b, &alpha, 0, 1, 1e-7)) printf("%.8f\n", alpha);     // 0.79999998
 */
#ifndef FIGURES_BOUNDARY_H
#define FIGURES_BOUNDARY_H

#include "figures/figure.h"

#include "density/density.h"

struct boundary {
    kelvin_density density;
    size_t K; /* at most FIGURE_CLASSES */
};

KELVIN_MUST_CHECK kelvin_status kelvin_boundary_make(struct boundary *b, size_t K);

/* d log p_true / d epsilon. `rest` in (0, 1) says how far from certain the prediction is: 1 minus the probability of
 * the wrong class would be rounded. */
double kelvin_boundary_change(const struct boundary *b, double alpha, double rest);

/* The alpha between low and high, or the rest between low and high, where the sign of the change turns; false if it is
 * the same at both. To the last bit. */
bool kelvin_boundary_alpha(const struct boundary *b, double *alpha, double low, double high, double rest);
bool kelvin_boundary_rest(const struct boundary *b, double *rest, double low, double high, double alpha);

/* The rest where the boundary leaves alpha = 0; false if it is nowhere. */
bool kelvin_boundary_start(const struct boundary *b, double *rest);

#endif
