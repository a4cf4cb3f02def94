/* The table of the priors of parameters, and what can be asked of it. Parameters are independent, but for groups that
 * read the same input, and constants that do not depend on them are left out. */
#include "base/needs.h"
#include "base/random.h"
#include "density/block.h"
#include "density/types.h"

#include <math.h>
#include <string.h>

/* One row each. */
#define PRIORS(ROW)                                                                                                    \
    ROW(none)                                                                                                          \
    ROW(fan_in)                                                                                                        \
    ROW(sparse)                                                                                                        \
    ROW(normal)                                                                                                        \
    ROW(laplace)                                                                                                       \
    ROW(logistic)                                                                                                      \
    ROW(student_t)                                                                                                     \
    ROW(mixture)

#define DECLARE(id) extern const kelvin_prior_type kelvin_prior_##id;
#define ADDRESS(id) &kelvin_prior_##id,

PRIORS(DECLARE)
static const kelvin_prior_type *const table[] = {PRIORS(ADDRESS)};

static const kelvin_member *at(size_t i)
{
    return i < sizeof table / sizeof *table ? &table[i]->member : NULL;
}

const kelvin_family kelvin_prior_family = {"priors", "prior", "priors", "summed over all parameters theta", at};

kelvin_status kelvin_prior_parse(kelvin_prior *prior, const char *text)
{
    const kelvin_member *member;
    struct kelvin_values values;
    KELVIN_TRY(kelvin_family_read(&member, &values, &kelvin_prior_family, text));
    *prior = (kelvin_prior){.type = (const kelvin_prior_type *)member};
    memcpy(prior->param, values.value, sizeof prior->param);
    return KELVIN_OK;
}

kelvin_status kelvin_prior_create(kelvin_prior **out, const char *text)
{
    KELVIN_NEEDS(out);
    *out = NULL;
    KELVIN_NEEDS(text);
    kelvin_prior prior;
    KELVIN_TRY(kelvin_prior_parse(&prior, text));
    if (!(*out = kelvin_alloc(1, sizeof prior))) return KELVIN_ENOMEM;
    **out = prior;
    return KELVIN_OK;
}

void kelvin_prior_destroy(kelvin_prior *prior)
{
    kelvin_free(prior);
}

bool kelvin_prior_is_everywhere(const kelvin_prior *prior)
{
    return prior->type->by_fan_in == 0 && !prior->type->group;
}

kelvin_prior kelvin_prior_at(const kelvin_prior *prior, const struct kelvin_prior_place *place)
{
    kelvin_prior at = *prior;
    const double inputs = (double)(place->columns * place->taps);
    for (size_t i = 0; i < at.type->by_fan_in; i++) at.param[i] /= sqrt(inputs);
    at.columns = place->outer && at.type->group ? place->columns : 0;
    at.taps = place->taps;
    return at;
}

/* Of (units, columns, taps): sums of squares by column, of some columns that stand side by side. */
static void sum_squares(double *restrict square, const float *w, const float *end, size_t unit, size_t some,
                        size_t taps)
{
    memset(square, 0, some * sizeof *square);
    for (; w < end; w += unit)
        for (size_t tap = 0; tap < taps; tap++) /* one, but for convolutions */
            for (size_t c = 0; c < some; c++) {
                const double x = (double)w[c * taps + tap];
                square[c] += x * x;
            }
}

static void add_groups(const kelvin_prior *prior, double *logp, float *grad, const float *theta, size_t n)
{
    enum { SOME = 64 };
    const size_t columns = prior->columns, taps = prior->taps, unit = columns * taps;
    double square[SOME];
    float slope[SOME];
    for (size_t first = 0; first < columns; first += SOME) {
        const size_t some = columns - first < SOME ? columns - first : SOME;
        sum_squares(square, theta + first * taps, theta + n, unit, some, taps);
        prior->type->group(logp, slope, square, some, (double)(n / columns), prior->param);
        for (size_t at = first * taps; grad && at < n; at += unit)
            for (size_t tap = 0; tap < taps; tap++)
                for (size_t c = 0; c < some; c++) grad[at + c * taps + tap] += slope[c] * theta[at + c * taps + tap];
    }
}

double kelvin_prior_eval(const kelvin_prior *prior, double *grad, const double *theta, size_t n)
{
    double logp;
    if (grad) memset(grad, 0, n * sizeof *grad);
    prior->type->add_double(&logp, grad, theta, n, prior->param);
    return logp;
}

/* At 1, of a linear one; elsewhere theta^2 and theta times that. */
static float slope_at_one(const kelvin_prior *prior, double *value)
{
    float slope = 0.0f;
    prior->type->add_float(value, &slope, &(float){1.0f}, 1, prior->param);
    return slope;
}

bool kelvin_prior_pulls(const kelvin_prior *prior, float *pull)
{
    double value;
    if (!prior->type->linear || prior->columns > 0) return false;
    *pull = slope_at_one(prior, &value);
    return true;
}

static void add_each(const struct kelvin_kernels *kernels, const kelvin_prior *prior, double *logp, float *grad,
                     const float *theta, size_t n)
{
    const kelvin_prior_type *type = prior->type;
    if (!type->linear) {
        type->add_float(logp, grad, theta, n, prior->param);
        return;
    }
    double value;
    const float slope = slope_at_one(prior, &value);
    if (grad) kernels->axpy(grad, slope, theta, n);
    if (logp) *logp = value * kernels->dot(theta, theta, n);
}

void kelvin_prior_add(const struct kelvin_kernels *kernels, const kelvin_prior *prior, double *logp, float *grad,
                      const float *theta, size_t n)
{
    add_each(kernels, prior, logp, grad, theta, n);
    if (prior->columns > 0) add_groups(prior, logp, grad, theta, n);
}

void kelvin_prior_draw_at(const kelvin_prior *prior, float *theta, size_t n, kelvin_random where)
{
    prior_draw *draw = prior->type->draw;
    for (size_t i = 0; i < n; i++) theta[i] = draw ? (float)draw(prior->param, where, i) : NAN;
}

void kelvin_prior_draw(const kelvin_prior *prior, float *theta, size_t n, uint64_t seed, uint32_t chain)
{
    kelvin_prior_draw_at(prior, theta, n, (kelvin_random){seed, chain, 0, KELVIN_STREAM_INIT});
}
