/* normal(s): -theta^2 / (2 s^2); and fan-in(s), the same with s / sqrt(n) for the weights of units with n inputs, so
 * that what a unit sums up is as large in wide networks as in narrow ones.
 *
 * sparse(s, t) is fan-in(s) in which inputs count that the data ask for, and others hardly: the m weights w of one
 * input of the network have, besides, a Cauchy density of width t / sqrt(n), -(m + 1) / 2 log(1 + n |w|^2 / t^2). All
 * of them are small together, or large together. It is a horseshoe whose slab is fan-in(s); J. Piironen, A. Vehtari:
 * "Sparsity information and regularization in the horseshoe and other shrinkage priors" (2017). */
#include "base/random.h"
#include "density/member.h"

INLINE double value(double x, const double *param)
{
    const double t = x / param[0];
    return -0.5 * t * t;
}

INLINE real slope(real x, const real *c)
{
    return c[0] * x;
}

static void add(double *logp, real *grad, const real *theta, size_t n, const double *param)
{
    const real c[] = {(real)(-1.0 / (param[0] * param[0]))};
    each_parameter(logp, grad, theta, n, value, param, slope, c);
}

ONCE double draw(const double *param, kelvin_random where, uint64_t i)
{
    return param[0] * kelvin_normal(where, i);
}

PRIOR(normal, .member = {"normal", "normal:s", "-theta^2 / (2 s^2)", KELVIN_PARAMETERS(POSITIVE("s"))}, .linear = true,
      .draw = draw);

PRIOR(fan_in,
      .member = {"fan-in", "fan-in:s", "-theta^2 n / (2 s^2) for weights of units with n inputs; n = 1 for biases",
                 KELVIN_PARAMETERS(POSITIVE("s"))},
      .linear = true, .by_fan_in = 1, .draw = draw);

/* The sum of logs is that of some products: logs are dear. Sums of squares of floats over those of t are far below
 * 1e150. */
ONCE void group(double *logp, float *slope, const double *square, size_t n, double m, const double *param)
{
    const double t2 = param[1] * param[1], large = 1e150;
    double product = 1, sum = 0;
    for (size_t i = 0; i < n; i++) slope[i] = (float)(-(m + 1) / (t2 + square[i]));
    for (size_t i = 0; logp && i < n; i++) {
        product *= 1 + square[i] / t2;
        if (product < large && i + 1 < n) continue;
        sum += log(product);
        product = 1;
    }
    if (logp) *logp -= 0.5 * (m + 1) * sum;
}

PRIOR(sparse,
      .member = {"sparse", "sparse:s,t",
                 "as fan-in:s, and -(m + 1)/2 log(1 + n |w|^2 / t^2) for the m weights w of each input of the network",
                 KELVIN_PARAMETERS(POSITIVE("s"), POSITIVE("t"))},
      .linear = true, .by_fan_in = 2, .group = group, .draw = draw);
