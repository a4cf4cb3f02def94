/* The integral of a density f over the half of the simplex where p_y < 1/2, divided by that over the whole.
 *
 *     p_y = s(u),   p_1 = (1 - p_y) s(v),   p_2 = (1 - p_y) s(-v),   s(u) = 1 / (1 + exp(-u)),
 *     dp_y dp_1 = p_y p_1 p_2 du dv,
 *
 * takes it to the plane, cut at u = 0. There f p_y p_1 p_2 falls like exp(-alpha |u|), over thousands of units for
 * alpha = 0.01. With u = +- exp(t - exp(-t)) and v = sinh(t) it falls like exp(-exp(|t|)), and the trapezoidal rule
 * converges exponentially (Takahasi and Mori, 1974: double-exponential formulas).
 * Paper: section "Training stability", "only 1 % of the samples would appear in the bottom half of the plot". */
#include "figures/calculus.h"
#include "figures/simplex.h"

/* log(1 + exp(u)) = -log(1 - s(u)) */
static double softplus(double u)
{
    return fmax(u, 0.0) + log1p(exp(-fabs(u)));
}

/* log of f p_y p_1 p_2 */
static double log_term(const kelvin_density *density, double u, double v)
{
    const double rest = -softplus(u), l[SIMPLEX] = {-softplus(-u), rest - softplus(-v), rest - softplus(v)};
    return kelvin_density_eval(density, NULL, l, SIMPLEX, SIMPLEX_LABEL) + (l[0] + l[1] + l[2]);
}

/* Adds the integral over v at one u. */
static void add_line(struct log_sum *total, const kelvin_density *density, double u, double weight, double h,
                     double end)
{
    const long n = (long)ceil(end / h);
    for (long i = -n; i <= n; i++) {
        const double t = h * (double)i;
        log_sum_add(total, log_term(density, u, sinh(t)), weight * cosh(t));
    }
}

/* The side of u that has the sign of `side`. */
static struct log_sum half(const kelvin_density *density, double side, double h, double end)
{
    const double begin = -4.0; /* there u = exp(-58) */
    const long n = (long)ceil((end - begin) / h);
    struct log_sum total = log_sum_zero;
    for (long i = 0; i <= n; i++) {
        const double t = begin + h * (double)i, u = exp(t - exp(-t));
        add_line(&total, density, side * u, u * (1.0 + exp(-t)), h, end);
    }
    return total;
}

double kelvin_mass_below_half(const kelvin_density *density, double alpha)
{
    if (!(alpha >= MASS_LEAST && alpha <= MASS_MOST)) return NAN;
    /* For large alpha all is within 1 / sqrt(alpha) of one place. For small alpha the tail exp(-alpha |u|) is followed
     * down to exp(-80). */
    const double h = 0.125 / sqrt(1.0 + alpha / 10.0), end = log(2.0 * 80.0 / fmin(alpha, 1.0));
    const struct log_sum below = half(density, -1.0, h, end), above = half(density, 1.0, h, end);
    return 1.0 / (1.0 + above.sum / below.sum * exp(above.max - below.max));
}
