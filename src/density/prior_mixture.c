/* mixture(s1, s2, w): log(w / s1 exp(-theta^2 / (2 s1^2)) + (1 - w) / s2 exp(-theta^2 / (2 s2^2))).
 *
 * With d the log of the ratio of the two terms, the first one's share of the density is 1 / (1 + exp(-d)), and the
 * slope is the mean of the two normals' slopes with these shares. */
#include "base/random.h"
#include "density/member.h"

INLINE double value(double x, const double *param)
{
    const double s1 = param[0], s2 = param[1], w = param[2];
    const double t1 = x / s1, t2 = x / s2;
    const double first = log(w / s1) - 0.5 * t1 * t1, second = log1p(-w) - log(s2) - 0.5 * t2 * t2;
    const double larger = fmax(first, second);
    return isinf(larger) ? larger : larger + log1p(exp(-fabs(first - second)));
}

INLINE real slope(real x, const real *c)
{
    const real u = x * c[1], d = c[0] + c[2] * u * u;
    return x * (c[3] / (1 + exp(-d)) + c[4] / (1 + exp(d)));
}

static void add(double *logp, real *grad, const real *theta, size_t n, const double *param)
{
    const double s1 = param[0], s2 = param[1], w = param[2];
    const double first = 1.0 / (s1 * s1), second = 1.0 / (s2 * s2);
    /* u^2 = theta^2 |first - second| / 2: the square of a product does not become inf times 0 */
    const real c[] = {(real)(log(w / s1) - log1p(-w) + log(s2)), (real)sqrt(0.5 * fabs(first - second)),
                      first > second ? -1 : 1, (real)-first, (real)-second};
    each_parameter(logp, grad, theta, n, value, param, slope, c);
}

/* Which of the two normals is said by the same place of another stream. */
ONCE double draw(const double *param, kelvin_random where, uint64_t i)
{
    kelvin_random which = where;
    which.stream += 1u << 16;
    return param[kelvin_uniform(which, i) < param[2] ? 0 : 1] * kelvin_normal(where, i);
}

PRIOR(mixture,
      .member = {"mixture", "mixture:s1,s2,w", "log(w N(theta; 0, s1^2) + (1 - w) N(theta; 0, s2^2))",
                 KELVIN_PARAMETERS(POSITIVE("s1"), POSITIVE("s2"), FRACTION("w"))},
      .draw = draw);
