/* ndg: the normals of the Noisy Dirichlet Gaussian (Kapoor et al., 2022). Paper: appendix "Factorization of NDG
 * posterior". With a_0 = alpha for the wrong classes and a_1 = alpha + 1 for the true one,
 *
 *     variance_j = log(1 / a_j + 1),   mean_j = log a_j - variance_j / 2.
 *
 * The paper prints the first as a standard deviation; the NDG paper, and the program of both, mean a variance. */
#ifndef DENSITY_NDG_H
#define DENSITY_NDG_H

#include "density/member.h"

struct ndg {
    double mean[2], variance[2];
    double gap; /* mean_0 - mean_1: mean of the wrong classes where that of the true one is moved to 0 */
};

static inline struct ndg ndg_of(double alpha)
{
    struct ndg d;
    for (int j = 0; j < 2; j++) {
        d.variance[j] = log1p(1.0 / (alpha + j));
        d.mean[j] = log(alpha + j) - d.variance[j] / 2.0;
    }
    /* log a_0 - log a_1 = -variance_0 */
    d.gap = -d.variance[0] + (d.variance[1] - d.variance[0]) / 2.0;
    return d;
}

/* Log-density of a normal, without its constant. */
INLINE struct term normal_term(real x, real mean, real precision)
{
    const real slope = (mean - x) * precision;
    return (struct term){(x - mean) * slope / 2, slope};
}

/* Normals of their own for the true class and the others: c = mean_0, mean_1, precision_0, precision_1. */
INLINE struct term two_normals_term(struct class_view v, const real *c)
{
    return normal_term(v.x, v.is_label ? c[1] : c[0], v.is_label ? c[3] : c[2]);
}

#endif
