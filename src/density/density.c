/* The table of the densities of predictions, and what can be asked of it. */
#include "density/types.h"

#include "base/needs.h"
#include <string.h>

/* One row each. */
#define DENSITIES(ROW)                                                                                                 \
    ROW(categorical)                                                                                                   \
    ROW(dirichlet)                                                                                                     \
    ROW(dirclip)                                                                                                       \
    ROW(ndg_logits)                                                                                                    \
    ROW(ndg_logprobs)                                                                                                  \
    ROW(ndg_prior)                                                                                                     \
    ROW(ndg_likelihood)                                                                                                \
    ROW(confidence)

#define DECLARE(id) extern const kelvin_density_type kelvin_density_##id;
#define ADDRESS(id) &kelvin_density_##id,

DENSITIES(DECLARE)
static const kelvin_density_type *const table[] = {DENSITIES(ADDRESS)};

static const kelvin_member *at(size_t i)
{
    return i < sizeof table / sizeof *table ? &table[i]->member : NULL;
}

const kelvin_family kelvin_density_family = {
    "densities", "density", "densities",
    "of one observation: z = logits (K), l = logsoftmax(z), y = label; without y: plus l_y", at};

kelvin_status kelvin_density_parse(kelvin_density *density, const char *text)
{
    const kelvin_member *member;
    struct kelvin_values values;
    KELVIN_TRY(kelvin_family_read(&member, &values, &kelvin_density_family, text));
    density->type = (const kelvin_density_type *)member;
    density->likelihood = !density->type->sees_label;
    memcpy(density->param, values.value, sizeof density->param);
    return KELVIN_OK;
}

void kelvin_density_format(char *out, size_t size, const kelvin_density *density)
{
    kelvin_member_write(out, size, &density->type->member, density->param);
}

kelvin_status kelvin_density_create(kelvin_density **out, const char *text)
{
    KELVIN_NEEDS(out);
    *out = NULL;
    KELVIN_NEEDS(text);
    kelvin_density density;
    KELVIN_TRY(kelvin_density_parse(&density, text));
    if (!(*out = kelvin_alloc(1, sizeof density))) return KELVIN_ENOMEM;
    **out = density;
    return KELVIN_OK;
}

void kelvin_density_destroy(kelvin_density *density)
{
    kelvin_free(density);
}

bool kelvin_density_sees_label(const kelvin_density *density)
{
    return density->type->sees_label;
}

void kelvin_density_prior_only(kelvin_density *density)
{
    density->likelihood = false;
}

bool kelvin_density_misleads(const kelvin_density *density, double *critical, size_t K)
{
    *critical = (double)(K - 2) / (double)K;
    return density->type->has_critical_alpha && density->param[0] < *critical;
}
