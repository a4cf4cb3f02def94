/* categorical: l_y, the likelihood of the label. Paper: section "Background". */
#include "density/member.h"

INLINE struct term term(struct class_view v, const real *c)
{
    (void)c;
    return (struct term){v.is_label ? v.x : 0, v.is_label ? 1 : 0};
}

static void add(const block *b, const double *param)
{
    (void)param;
    each_class(b, term, NULL);
}

DENSITY(categorical, .member = KELVIN_PLAIN_MEMBER("categorical", "l_y"), .sees_label = true);
