/* The sign of the change is followed by bisection, for no more is asked of the density than the change itself.
 *
 *     z_wrong = 0,   z_other = log(rest / (K - 1) / (1 - rest)) */
#include "figures/boundary.h"

#include "figures/bisect.h"

#include <math.h>

enum { WRONG, TRUE };

kelvin_status boundary_create(struct boundary *b, size_t K)
{
    *b = (struct boundary){.K = K};
    KELVIN_TRY(kelvin_density_parse(&b->density, "dirichlet:1"));
    b->z = kelvin_alloc(2 * K, sizeof *b->z);
    if (!b->z) return KELVIN_ENOMEM;
    b->change = b->z + K;
    return KELVIN_OK;
}

void boundary_destroy(struct boundary *b)
{
    kelvin_free(b->z);
    *b = (struct boundary){0};
}

double boundary_change(struct boundary *b, double alpha, double rest)
{
    const double other = log(rest / (double)(b->K - 1)) - log1p(-rest);
    for (size_t k = 0; k < b->K; k++) b->z[k] = k == WRONG ? 0.0 : other;
    b->density.param[0] = alpha;
    kelvin_density_step(&b->density, b->change, b->z, b->K, TRUE);
    return b->change[TRUE];
}

/* One of alpha and rest is fixed, the other one is looked for. */
struct question {
    struct boundary *b;
    double alpha, rest;
    bool rises; /* the change is positive at the end that is called high */
};

static bool low_side_of_alpha(double alpha, const void *context)
{
    const struct question *q = context;
    return (boundary_change(q->b, alpha, q->rest) > 0) != q->rises;
}

static bool low_side_of_rest(double rest, const void *context)
{
    const struct question *q = context;
    return (boundary_change(q->b, q->alpha, rest) > 0) != q->rises;
}

static bool answer(double *x, condition *low_side, struct question *q, double low, double high)
{
    q->rises = low_side(high, q); /* while it is still false, this asks whether the change is positive there */
    if (!low_side(low, q)) return false;
    *x = bisect(low_side, q, low, high);
    return true;
}

bool boundary_alpha(struct boundary *b, double *alpha, double low, double high, double rest)
{
    return answer(alpha, low_side_of_alpha, &(struct question){.b = b, .rest = rest}, low, high);
}

bool boundary_rest(struct boundary *b, double *rest, double low, double high, double alpha)
{
    return answer(rest, low_side_of_rest, &(struct question){.b = b, .alpha = alpha}, low, high);
}
