/* The table of the priors of parameters, and what can be asked of it. Parameters are independent, and constants that
 * do not depend on them are left out. */
#include "density/block.h"
#include "density/types.h"

#include <string.h>

/* One row each: the name of its functions, the name that users write, the formula, and what else differs. */
#define PRIORS(ROW)                                                                                                    \
    ROW(normal, "normal", "-theta^2 / (2 s^2)", .spec.info.param = {"s"}, .spec.range = {SPEC_POSITIVE},               \
        .linear = true)                                                                                                \
    ROW(laplace, "laplace", "-|theta| / s", .spec.info.param = {"s"}, .spec.range = {SPEC_POSITIVE})                   \
    ROW(logistic, "logistic", "-|theta| / s - 2 log(1 + exp(-|theta| / s))", .spec.info.param = {"s"},                 \
        .spec.range = {SPEC_POSITIVE})                                                                                 \
    ROW(student_t, "student-t", "-(nu + 1)/2 log(1 + theta^2 / (nu s^2))", .spec.info.param = {"s", "nu"},             \
        .spec.range = {SPEC_POSITIVE, SPEC_POSITIVE})                                                                  \
    ROW(mixture, "mixture", "log(w N(theta; 0, s1^2) + (1 - w) N(theta; 0, s2^2))",                                    \
        .spec.info.param = {"s1", "s2", "w"}, .spec.range = {SPEC_POSITIVE, SPEC_POSITIVE, SPEC_FRACTION})

#define DECLARE(id, ...)                                                                                               \
    prior_add_float kelvin_prior_##id##_float;                                                                         \
    prior_add_double kelvin_prior_##id##_double;                                                                       \
    prior_draw kelvin_prior_##id##_draw_double;
#define FILL(id, text, equation, ...)                                                                                  \
    {.spec.info.name = text,                                                                                           \
     .spec.info.formula = equation,                                                                                    \
     .add_float = kelvin_prior_##id##_float,                                                                           \
     .add_double = kelvin_prior_##id##_double,                                                                         \
     .draw = kelvin_prior_##id##_draw_double,                                                                          \
     __VA_ARGS__},

PRIORS(DECLARE)
static const struct kelvin_prior_type table[] = {PRIORS(FILL)};

static const struct spec *at(size_t i)
{
    return i < sizeof table / sizeof *table ? &table[i].spec : NULL;
}

kelvin_status kelvin_prior_parse(kelvin_prior *prior, const char *text)
{
    size_t row;
    KELVIN_TRY(kelvin_spec_parse(&row, prior->param, "prior", at, text));
    prior->type = &table[row];
    return KELVIN_OK;
}

void kelvin_prior_format(char *out, size_t size, const kelvin_prior *prior)
{
    kelvin_spec_format(out, size, &prior->type->spec, prior->param);
}

const kelvin_member_info *kelvin_prior_info(size_t i)
{
    return at(i) ? &at(i)->info : NULL;
}

double kelvin_prior_eval(const kelvin_prior *prior, double *grad, const double *theta, size_t n)
{
    double logp;
    if (grad) memset(grad, 0, n * sizeof *grad);
    prior->type->add_double(&logp, grad, theta, n, prior->param);
    return logp;
}

void kelvin_prior_add(const struct kelvin_kernels *kernels, const kelvin_prior *prior, double *logp, float *grad,
                      const float *theta, size_t n)
{
    const kelvin_prior_type *type = prior->type;
    if (!type->linear) {
        type->add_float(logp, grad, theta, n, prior->param);
        return;
    }
    double value;
    float slope = 0.0f;
    type->add_float(&value, &slope, &(float){1.0f}, 1, prior->param); /* at 1; elsewhere theta^2 and theta times that */
    if (grad) kernels->axpy(grad, slope, theta, n);
    if (logp) *logp = value * kernels->dot(theta, theta, n);
}

void kelvin_prior_draw(const kelvin_prior *prior, float *theta, size_t n, kelvin_random where)
{
    for (size_t i = 0; i < n; i++) theta[i] = (float)prior->type->draw(prior->param, where, i);
}
