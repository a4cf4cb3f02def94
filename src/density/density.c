/* The table of the densities of predictions, and what can be asked of it. */
#include "density/types.h"

/* One row each: the name of its functions, the name that users write, the formula, and what else differs. */
#define DENSITIES(ROW)                                                                                                 \
    ROW(categorical, "categorical", "l_y", .spec.info.sees_label = true)                                               \
    ROW(dirichlet, "dirichlet", "sum_k (alpha - 1) l_k", .spec.info.param = {"alpha"}, .spec.range = {SPEC_ANY},       \
        .has_critical_alpha = true)                                                                                    \
    ROW(dirclip, "dirclip", "sum_k (alpha - 1) max(l_k, clip)", .spec.info.param = {"alpha", "clip"},                  \
        .spec.range = {SPEC_ANY, SPEC_NEGATIVE}, .has_critical_alpha = true)                                           \
    ROW(ndg_logits, "ndg-logits", "-1/2 sum_k (z_k - mu_k)^2 / s2_k", .spec.info.param = {"alpha"},                    \
        .spec.range = {SPEC_POSITIVE}, .spec.info.sees_label = true, .on_logits = true)                                \
    ROW(ndg_logprobs, "ndg-logprobs", "-1/2 sum_k (l_k - (mu_k - mu_y))^2 / s2_k", .spec.info.param = {"alpha"},       \
        .spec.range = {SPEC_POSITIVE}, .spec.info.sees_label = true)                                                   \
    ROW(ndg_prior, "ndg-prior", "-1/2 sum_k (l_k - mu_0)^2 / s2_0", .spec.info.param = {"alpha"},                      \
        .spec.range = {SPEC_POSITIVE})                                                                                 \
    ROW(ndg_likelihood, "ndg-likelihood", "A l_y + B l_y^2", .spec.info.param = {"alpha"},                             \
        .spec.range = {SPEC_POSITIVE}, .spec.info.sees_label = true)                                                   \
    ROW(confidence, "confidence", "(1/T - 1) max_k l_k", .spec.info.param = {"T"}, .spec.range = {SPEC_POSITIVE},      \
        .uses_top = true)

#define DECLARE(id, ...)                                                                                               \
    density_add_float kelvin_density_##id##_float;                                                                     \
    density_add_double kelvin_density_##id##_double;
#define FILL(id, text, equation, ...)                                                                                  \
    {.spec.info.name = text,                                                                                           \
     .spec.info.formula = equation,                                                                                    \
     .add_float = kelvin_density_##id##_float,                                                                         \
     .add_double = kelvin_density_##id##_double,                                                                       \
     __VA_ARGS__},

DENSITIES(DECLARE)
static const struct kelvin_density_type table[] = {DENSITIES(FILL)};

static const struct spec *at(size_t i)
{
    return i < sizeof table / sizeof *table ? &table[i].spec : NULL;
}

kelvin_status kelvin_density_parse(kelvin_density *density, const char *text)
{
    size_t row;
    KELVIN_TRY(kelvin_spec_parse(&row, density->param, "density", at, text));
    density->type = &table[row];
    density->likelihood = !table[row].spec.info.sees_label;
    return KELVIN_OK;
}

void kelvin_density_format(char *out, size_t size, const kelvin_density *density)
{
    kelvin_spec_format(out, size, &density->type->spec, density->param);
}

const kelvin_member_info *kelvin_density_info(size_t i)
{
    return at(i) ? &at(i)->info : NULL;
}

bool kelvin_density_misleads(const kelvin_density *density, double *critical, size_t K)
{
    *critical = (double)(K - 2) / (double)K;
    return density->type->has_critical_alpha && density->param[0] < *critical;
}
