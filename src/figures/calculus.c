/* Bisection and quadrature. */
#include "figures/calculus.h"

#include <stddef.h>

/* The interval is halved until there is no number left inside. */
double kelvin_bisect(condition *holds, const void *context, double from, double to)
{
    for (;;) {
        const double middle = from + (to - from) / 2;
        if (middle == from || middle == to) return from;
        if (holds(middle, context))
            from = middle;
        else
            to = middle;
    }
}

/* Gauss-Legendre quadrature with ten points in each of these panels, mirrored at 1/2:
 *
 *     [1/4, 1/2], [1/8, 1/4], ..., [w, 2 w], [0, w]     with w below finest / 16.
 *
 * A change over the length L is then met by panels that are as long as L or shorter wherever it is still to be seen.
 *
 * Where and how much, on [-1, 1]; the other five are mirrored at 0. */
static const double points[][2] = {
    {0.14887433898163122, 0.29552422471475287},  {0.43339539412924719, 0.26926671930999636},
    {0.67940956829902441, 0.21908636251598204},  {0.86506336668898451, 0.14945134915058059},
    {0.97390652851717172, 0.066671344308688138},
};

static double panel(integrand *f, const void *context, double from, double to)
{
    const double half = (to - from) / 2.0, middle = from + half;
    double sum = 0.0;
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        const double away = half * points[i][0];
        sum += points[i][1] * (f(middle - away, context) + f(middle + away, context));
    }
    return half * sum;
}

double kelvin_integral_unit(integrand *f, const void *context, double finest)
{
    double sum = 0.0, width = 0.25;
    for (; width > finest / 16.0; width /= 2.0)
        sum += panel(f, context, width, 2.0 * width) + panel(f, context, 1.0 - 2.0 * width, 1.0 - width);
    width *= 2.0; /* what the last two panels left */
    return sum + panel(f, context, 0.0, width) + panel(f, context, 1.0 - width, 1.0);
}

/* `known`: the panel's own sum. */
static double halved(integrand *f, const void *context, double from, double to, double known, double tolerance,
                     int depth)
{
    const double middle = from + (to - from) / 2.0;
    const double left = panel(f, context, from, middle), right = panel(f, context, middle, to);
    if (depth == 0 || !(fabs(left + right - known) > tolerance)) return left + right; /* not a number: no use */
    return halved(f, context, from, middle, left, tolerance, depth - 1) +
           halved(f, context, middle, to, right, tolerance, depth - 1);
}

double kelvin_integral_halving(integrand *f, const void *context, double from, double to, double tolerance)
{
    enum { DEPTH = 30 };
    return halved(f, context, from, to, panel(f, context, from, to), tolerance, DEPTH);
}
