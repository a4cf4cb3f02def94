/* categorical: l_y, the likelihood of the label. Paper: section "Background". */
#include "density/member.h"

INLINE struct term term(struct class_view v, const real *c)
{
    (void)c;
    return (struct term){v.is_label ? v.x : 0, v.is_label ? 1 : 0};
}

void NAME(kelvin_density_categorical)(const struct NAME(block) * b, const double *param)
{
    (void)param;
    each_class(b, term, NULL);
}
