/* The sign of the change is followed by bisection, for no more is asked of the density than the change itself.
 *
 *     z_wrong = 0,   z_other = log(rest / (K - 1) / (1 - rest)) */
#include "figures/boundary.h"

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

/* The same with the arguments the other way round. */
static double of_rest(struct boundary *b, double rest, double alpha)
{
    return boundary_change(b, alpha, rest);
}

static bool bisect(double (*change)(struct boundary *b, double x, double fixed), struct boundary *b, double *x,
                   double low, double high, double fixed)
{
    const bool rises = change(b, high, fixed) > 0;
    if ((change(b, low, fixed) > 0) == rises) return false;
    for (;;) {
        const double middle = low + (high - low) / 2;
        if (!(middle > low && middle < high)) break;
        if ((change(b, middle, fixed) > 0) == rises)
            high = middle;
        else
            low = middle;
    }
    *x = high;
    return true;
}

bool boundary_alpha(struct boundary *b, double *alpha, double low, double high, double rest)
{
    return bisect(boundary_change, b, alpha, low, high, rest);
}

bool boundary_rest(struct boundary *b, double *rest, double low, double high, double alpha)
{
    return bisect(of_rest, b, rest, low, high, alpha);
}
