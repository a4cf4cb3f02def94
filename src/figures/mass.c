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

static double share_below(const kelvin_density *density, double h, double end)
{
    const struct log_sum below = half(density, -1.0, h, end), above = half(density, 1.0, h, end);
    return 1.0 / (1.0 + above.sum / below.sum * exp(above.max - below.max));
}

double kelvin_mass_below_half(const kelvin_density *density, double alpha)
{
    if (!(alpha >= MASS_LEAST && alpha <= MASS_MOST)) return NAN;
    /* For large alpha all is within 1 / sqrt(alpha) of one place. For small alpha the tail exp(-alpha |u|) is followed
     * down to exp(-80). */
    return share_below(density, 0.125 / sqrt(1.0 + alpha / 10.0), log(2.0 * 80.0 / fmin(alpha, 1.0)));
}

/* ---- densities of which nothing is known ---- */

/* Each class in turn, and each two of them, are made all but impossible: there a density is a power of their
 * probabilities, or falls faster than any. */
double kelvin_mass_exponent(const kelvin_density *density)
{
    static const double far = 1e14;
    double least = 0.0;
    for (int set = 1; set < (1 << SIMPLEX) - 1; set++) {
        double z[SIMPLEX], slope[SIMPLEX];
        for (int k = 0; k < SIMPLEX; k++) z[k] = set >> k & 1 ? -far : 0.0;
        (void)kelvin_density_eval(density, slope, z, SIMPLEX, SIMPLEX_LABEL);
        for (int k = 0; k < SIMPLEX; k++)
            if (set >> k & 1) least = fmin(least, slope[k]);
    }
    return 1.0 + least;
}

/* How far out of the plane's middle the integrand is below exp(-80) of what it is somewhere else, in eight directions;
 * NaN if that is too far. (A density that is clipped falls faster behind the clip, so its exponent does not tell.) */
static double reach(const kelvin_density *density)
{
    double top = log_term(density, 0.0, 0.0);
    for (double r = 80.0; r < 2.0 * 80.0 / MASS_LEAST; r *= 2.0) {
        double here = -INFINITY;
        for (int i = -1; i <= 1; i++)
            for (int j = -1; j <= 1; j++)
                if (i || j) here = fmax(here, log_term(density, r * i, r * j));
        if (here < top - 80.0) return r;
        top = fmax(top, here);
    }
    return NAN;
}

/* One side of the plane: its integral is looked for as a multiple of what the trapezoidal rule finds with long steps,
 * which must do for the order of magnitude. */
struct side {
    const kelvin_density *density;
    double sign, end, log_unit, tolerance;
    double u;     /* of the line that is integrated over v */
    size_t *left; /* evaluations; without any the result is not a number */
};

static double across(double t, const void *context)
{
    const struct side *side = context;
    if (*side->left == 0) return NAN;
    --*side->left;
    return exp(log_term(side->density, side->u, sinh(t)) - side->log_unit) * cosh(t);
}

/* Panels of length 1, so that nothing is missed. */
static double panels(integrand *f, const void *context, double from, double to, double tolerance)
{
    const long n = (long)ceil(to - from);
    const double width = (to - from) / (double)n;
    double sum = 0.0;
    for (long i = 0; i < n; i++) {
        const double begin = from + width * (double)i;
        sum += kelvin_integral_halving(f, context, begin, begin + width, tolerance);
    }
    return sum;
}

static double along(double t, const void *context)
{
    struct side side = *(const struct side *)context;
    const double u = exp(t - exp(-t)), weight = u * (1.0 + exp(-t));
    side.u = side.sign * u;
    /* so much finer than the tolerance along u that what is left here does not make that one halve its panels */
    const double tolerance = side.tolerance / (100.0 * weight);
    return weight * (panels(across, &side, -side.end, 0.0, tolerance) + panels(across, &side, 0.0, side.end, tolerance));
}

/* Ten times what a clipped density takes. A peak that long steps do not see would take forever. */
enum { MOST_EVALUATIONS = 10000000 };

static struct log_sum half_to(const kelvin_density *density, double sign, double end, double tolerance)
{
    const struct log_sum about = half(density, sign, 0.125, end);
    const double log_unit = about.max + log(about.sum * 0.125 * 0.125);
    size_t left = MOST_EVALUATIONS;
    const struct side side = {.density = density,
                              .sign = sign,
                              .end = end,
                              .log_unit = log_unit,
                              .tolerance = tolerance,
                              .left = &left};
    return (struct log_sum){log_unit, panels(along, &side, -4.0, end, tolerance)};
}

double kelvin_mass_below_half_to(const kelvin_density *density, double tolerance)
{
    const double r = kelvin_mass_exponent(density) > 0.0 ? reach(density) : NAN;
    if (isnan(r)) return NAN;
    const struct log_sum below = half_to(density, -1.0, log(2.0 * r), tolerance),
                         above = half_to(density, 1.0, log(2.0 * r), tolerance);
    return 1.0 / (1.0 + above.sum / below.sum * exp(above.max - below.max));
}
