/* logistic(s): -|t| - 2 log(1 + exp(-|t|)) with t = theta / s; even in t, and written so that nothing overflows. */
#include "base/random.h"
#include "density/member.h"

INLINE double value(double x, const double *param)
{
    const double t = fabs(x / param[0]);
    return -t - 2.0 * log1p(exp(-t));
}

/* Always in double: rounded once, it is the same float under C libraries whose tanhf differ in the last place. */
INLINE real slope(real x, const real *c)
{
    return (real)(-(double)c[0] * tanh((double)x * (double)c[0] / 2));
}

static void add(double *logp, real *grad, const real *theta, size_t n, const double *param)
{
    const real c[] = {(real)(1.0 / param[0])};
    each_parameter(logp, grad, theta, n, value, param, slope, c);
}

/* The inverse of the distribution function. */
ONCE double draw(const double *param, kelvin_random where, uint64_t i)
{
    const double u = kelvin_uniform(where, i);
    return param[0] * log(u / (1 - u));
}

PRIOR(logistic,
      .member = {"logistic", "logistic:s", "-|theta| / s - 2 log(1 + exp(-|theta| / s))",
                 KELVIN_PARAMETERS(POSITIVE("s"))},
      .draw = draw);
