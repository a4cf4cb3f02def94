/* dirclip(alpha, clip): sum_k (alpha - 1) max(l_k, clip). Paper: section "Clipped Dirichlet prior". Bounded, since no
 * class counts for less than the clip; one at or below it has no slope. */
#include "density/member.h"

INLINE struct term term(struct class_view v, const real *c)
{
    const bool above = v.x > c[1];
    return (struct term){c[0] * (above ? v.x : c[1]), above ? c[0] : 0};
}

static void add(const block *b, const double *param)
{
    const real c[] = {(real)(param[0] - 1.0), (real)param[1]};
    each_class(b, term, c);
}

DENSITY(dirclip,
        .member = {"dirclip", "dirclip:alpha,clip", "sum_k (alpha - 1) max(l_k, clip)",
                   KELVIN_PARAMETERS(ANY("alpha"), NEGATIVE("clip"))},
        .has_critical_alpha = true);
