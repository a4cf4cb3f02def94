/* The sign of the change is followed by bisection, for no more is asked of the density than the change itself.
 *
 *     z_wrong = 0,   z_other = log(rest / (K - 1) / (1 - rest)) */
#include "figures/boundary.h"

#include "figures/calculus.h"

enum { WRONG, TRUE };

kelvin_status kelvin_boundary_make(struct boundary *b, size_t K)
{
    b->K = K;
    return kelvin_density_parse(&b->density, "dirichlet:1");
}

double kelvin_boundary_change(const struct boundary *b, double alpha, double rest)
{
    double z[FIGURE_CLASSES], change[FIGURE_CLASSES];
    kelvin_density density = b->density;
    const double other = log(rest / (double)(b->K - 1)) - log1p(-rest);
    for (size_t k = 0; k < b->K; k++) z[k] = k == WRONG ? 0.0 : other;
    density.param[0] = alpha;
    kelvin_density_step(&density, change, z, b->K, TRUE);
    return change[TRUE];
}

/* One of alpha and rest is fixed, the other one is looked for. */
struct question {
    const struct boundary *b;
    double fixed;
    bool of_rest;          /* alpha is fixed */
    bool positive_at_high; /* the change, at that end */
};

static double change_at(const struct question *q, double x)
{
    return q->of_rest ? kelvin_boundary_change(q->b, q->fixed, x) : kelvin_boundary_change(q->b, x, q->fixed);
}

static bool unlike_high(double x, const void *context)
{
    const struct question *q = context;
    return (change_at(q, x) > 0) != q->positive_at_high;
}

static bool answer(double *x, struct question q, double low, double high)
{
    q.positive_at_high = change_at(&q, high) > 0;
    if (!unlike_high(low, &q)) return false;
    *x = kelvin_bisect(unlike_high, &q, low, high);
    return true;
}

bool kelvin_boundary_alpha(const struct boundary *b, double *alpha, double low, double high, double rest)
{
    return answer(alpha, (struct question){.b = b, .fixed = rest}, low, high);
}

bool kelvin_boundary_rest(const struct boundary *b, double *rest, double low, double high, double alpha)
{
    return answer(rest, (struct question){.b = b, .fixed = alpha, .of_rest = true}, low, high);
}

bool kelvin_boundary_start(const struct boundary *b, double *rest)
{
    return kelvin_boundary_rest(b, rest, 1e-12, 1 - 1e-12, 0);
}
