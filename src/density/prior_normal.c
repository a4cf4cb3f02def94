/* normal(s): -theta^2 / (2 s^2); and fan-in(s), the same with s / sqrt(n) for the weights of units with n inputs, so
 * that what a unit sums up is as large in wide networks as in narrow ones. */
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
      .linear = true, .by_fan_in = true, .draw = draw);
