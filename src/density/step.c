/* Where a gradient leads. Paper: appendix "Dirichlet gradient step direction". A small step of the logits along the
 * gradient g moves the log-probabilities by the Jacobian of logsoftmax,
 *
 *     d log p_k = g_k - sum_j p_j g_j,   with g_j = d log f / d z_j,
 *
 * for any density f. */
#include <kelvin/density.h>

#include <math.h>

void kelvin_density_step(const kelvin_density *density, double *change, const double *z, size_t K, size_t y)
{
    double max = z[0], total = 0.0, mean = 0.0;
    for (size_t k = 1; k < K; k++) max = fmax(max, z[k]);
    (void)kelvin_density_eval(density, change, z, K, y);
    for (size_t k = 0; k < K; k++) {
        const double p = exp(z[k] - max);
        total += p;
        mean += p * change[k];
    }
    for (size_t k = 0; k < K; k++) change[k] -= mean / total;
}
