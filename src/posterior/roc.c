/* ROC curves. A threshold falls through all scores; a point for each value that scores have is the share of the others,
 * and of a class's own, that are not below it. Equal scores of both make one step that goes up and to the right, so
 * that the area under the curve is that of Mann and Whitney, in which they count half. */
#include "posterior/confusion.h"

#include <math.h>
#include <string.h>

/* Three points in a row or in a column are as good as the first and the last. */
static size_t add(kelvin_roc_point *points, size_t n, kelvin_roc_point point)
{
    const kelvin_roc_point *last = points + n - 1;
    if (n > 1 && ((last[-1].others == last->others && last->others == point.others) ||
                  (last[-1].own == last->own && last->own == point.own)))
        n--;
    points[n] = point;
    return n + 1;
}

static size_t walk(kelvin_roc_point *points, const double *others, size_t n_others, const double *own, size_t n_own)
{
    size_t n = 1, above = n_others, found = n_own; /* from the top: how many are still below */
    points[0] = (kelvin_roc_point){0, 0};
    while (above > 0 || found > 0) {
        const double threshold =
            fmax(above > 0 ? others[above - 1] : -INFINITY, found > 0 ? own[found - 1] : -INFINITY);
        while (above > 0 && others[above - 1] >= threshold) above--;
        while (found > 0 && own[found - 1] >= threshold) found--;
        const kelvin_roc_point point = {(double)(n_others - above) / (double)n_others,
                                        (double)(n_own - found) / (double)n_own};
        n = add(points, n, point);
    }
    return n;
}

/* Of those that are within one step along the curve the last; and both ends. */
static size_t thin(kelvin_roc_point *points, size_t n)
{
    size_t kept = 1;
    if (n <= KELVIN_ROC_POINTS) return n;
    for (size_t i = 1; i < n; i++) {
        const double here = floor(KELVIN_ROC_STEPS * (points[i].others + points[i].own));
        const bool last = i + 1 == n;
        if (last || floor(KELVIN_ROC_STEPS * (points[i + 1].others + points[i + 1].own)) > here)
            points[kept++] = points[i];
    }
    return kept;
}

kelvin_status kelvin_roc_find(struct kelvin_roc *roc, kelvin_arena *arena, double *others, size_t n_others, double *own,
                              size_t n_own, kelvin_roc_point *scratch)
{
    *roc = (struct kelvin_roc){.auc = kelvin_auroc(others, n_others, own, n_own)}; /* sorts both */
    if (isnan(roc->auc)) return KELVIN_OK;
    roc->n = thin(scratch, walk(scratch, others, n_others, own, n_own));
    if (!(roc->points = kelvin_arena_alloc(arena, roc->n, sizeof *roc->points))) return KELVIN_ENOMEM;
    memcpy(roc->points, scratch, roc->n * sizeof *scratch);
    return KELVIN_OK;
}

double kelvin_roc_at(const struct kelvin_roc *roc, double others)
{
    size_t i = 0;
    while (i + 1 < roc->n && roc->points[i + 1].others <= others) i++;
    const kelvin_roc_point *a = &roc->points[i], *b = a + 1;
    if (i + 1 == roc->n || others <= a->others) return a->own;
    return a->own + (b->own - a->own) * (others - a->others) / (b->others - a->others);
}
