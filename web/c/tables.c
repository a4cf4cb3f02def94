/* The library's own tables, told to JavaScript one text and one number at a time. */
#include "web/c/explorer.h"

#include "data/dataset.h"
#include "density/types.h"
#include "figures/toy_posteriors.h"

static const kelvin_member *member_of(enum explorer_family family, size_t i)
{
    return (family == EXPLORER_DENSITIES ? kelvin_density_family : kelvin_prior_family).at(i);
}

size_t explorer_members(enum explorer_family family)
{
    size_t n = 0;
    while (member_of(family, n)) n++;
    return n;
}

const char *explorer_member_text(enum explorer_family family, size_t i, enum explorer_text which)
{
    const kelvin_member *m = member_of(family, i);
    return which == EXPLORER_NAME ? m->name : which == EXPLORER_USAGE ? m->usage : m->about;
}

size_t explorer_parameters(enum explorer_family family, size_t i)
{
    return member_of(family, i)->parameters;
}

const char *explorer_parameter_name(enum explorer_family family, size_t i, size_t j)
{
    return member_of(family, i)->parameter[j].name;
}

double explorer_parameter_number(enum explorer_family family, size_t i, size_t j, enum explorer_number which)
{
    const kelvin_parameter *p = &member_of(family, i)->parameter[j];
    const double number[] = {
        [EXPLORER_LEAST] = p->least, [EXPLORER_MOST] = p->most,   [EXPLORER_ABOVE] = p->above,
        [EXPLORER_BELOW] = p->below, [EXPLORER_WHOLE] = p->whole, [EXPLORER_OPTIONAL] = p->optional,
        [EXPLORER_USUAL] = p->usual};
    return number[which];
}

static const kelvin_density_type *density_type(size_t i)
{
    return (const void *)member_of(EXPLORER_DENSITIES, i);
}

bool explorer_density_sees_label(size_t i)
{
    return density_type(i)->sees_label;
}

bool explorer_density_has_critical(size_t i)
{
    return density_type(i)->has_critical_alpha;
}

bool explorer_prior_is_proper(size_t i)
{
    const kelvin_prior_type *type = (const void *)member_of(EXPLORER_PRIORS, i);
    return type->draw;
}

const char *explorer_paper_label(size_t i)
{
    return i < TOY_POSTERIORS ? kelvin_toy_posteriors[i].label : NULL;
}

const char *explorer_paper_density(size_t i)
{
    return kelvin_toy_posteriors[i].density;
}

double explorer_paper_step_size(size_t i)
{
    return kelvin_toy_posteriors[i].step_size;
}

size_t explorer_toy(float *x, int32_t *y)
{
    for (size_t i = 0; i < KELVIN_TOY_POINTS; i++) {
        x[2 * i] = kelvin_toy_points[i][0];
        x[2 * i + 1] = kelvin_toy_points[i][1];
        y[i] = kelvin_toy_label(i);
    }
    return KELVIN_TOY_POINTS;
}
