/* Where a gradient leads. Paper: appendix "Dirichlet gradient step direction". A small step of the logits along the
 * gradient g moves the log-probabilities by the Jacobian of logsoftmax, for any density f:
 *
 *     d log p_k = g_k - sum_j p_j g_j,   with g_j = d log f / d z_j
 *               = d_k - sum_{j != t} p_j d_j,   with d_j = g_j - g_t and t the most probable class.
 *
 * The second line is computed: where a prediction is all but certain, p_t is 1 to the last digit, and the change of
 * log p_t would be lost in g_t - p_t g_t. */
#include <kelvin/density.h>

#include <math.h>

void kelvin_density_step(const kelvin_density *density, double *change, const double *z, size_t K, size_t y)
{
    size_t top = 0;
    for (size_t k = 1; k < K; k++)
        if (z[k] > z[top]) top = k;
    (void)kelvin_density_eval(density, change, z, K, y);
    const double base = change[top];
    double sum = 0.0, mean = 0.0;
    for (size_t k = 0; k < K; k++) {
        change[k] -= base;
        if (k == top) continue;
        const double p = exp(z[k] - z[top]);
        sum += p;
        mean += p * change[k];
    }
    mean /= 1.0 + sum;
    for (size_t k = 0; k < K; k++) change[k] -= mean;
}
