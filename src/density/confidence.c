/* confidence(T): (1/T - 1) max_k l_k. Paper: section "Confidence prior". With the likelihood it is the cold likelihood
 * l_y / T wherever the label is the most probable class. Classes that tie for the maximum share the slope. */
#include "density/member.h"

INLINE struct term term(struct class_view v, const real *c)
{
    const real slope = c[0] * v.top_share;
    return (struct term){slope * v.x, slope};
}

static void add(const block *b, const double *param)
{
    const real c[] = {(real)(1.0 / param[0] - 1.0)};
    each_class(b, term, c);
}

DENSITY(confidence, .member = {"confidence", "confidence:T", "(1/T - 1) max_k l_k", KELVIN_PARAMETERS(POSITIVE("T"))},
        .uses_top = true);
