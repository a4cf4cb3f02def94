/* Curves of one value in a map, and R-hat, for the page. */
#include "web/c/explorer.h"

#include "figures/lattice.h"

#include <kelvin/posterior.h>

struct pen {
    double *points;
    size_t n, most;
};

static void visit(void *context, double column, double row, bool first)
{
    struct pen *pen = context;
    if (pen->n < pen->most) {
        double *at = pen->points + 3 * pen->n;
        at[0] = column;
        at[1] = row;
        at[2] = first;
    }
    pen->n++;
}

size_t explorer_contour(double *points, size_t most, const double *f, size_t side, double level)
{
    struct pen pen = {points, 0, most};
    return kelvin_contour_trace(visit, &pen, f, side, level) ? 0 : pen.n < most ? pen.n : most;
}

double explorer_rhat(const double *x, size_t chains, size_t draws)
{
    return kelvin_rhat(x, chains, draws);
}
