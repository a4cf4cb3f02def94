/* What samplers that tune themselves have in common, and warm-ups of several chains together. */
#include "sampler/tune.h"

#include "base/needs.h"
#include "base/threads.h"
#include "base/words.h"

#include <math.h>
#include <string.h>

/* ---- when ---- */

static uint32_t stage_end(int stage, uint32_t warmup)
{
    return (uint32_t)((uint64_t)warmup * (uint64_t)(stage + 1) / KELVIN_WARM);
}

int kelvin_stage(const kelvin_moment *moment)
{
    int stage = KELVIN_FIND;
    while (stage < KELVIN_WARM && moment->step >= stage_end(stage, moment->warmup)) stage++;
    return stage;
}

bool kelvin_stage_ends(const kelvin_moment *moment)
{
    const int stage = kelvin_stage(moment);
    return stage < KELVIN_WARM && moment->step + 1 == stage_end(stage, moment->warmup);
}

bool kelvin_window_ends(const kelvin_moment *moment)
{
    enum { SHORTEST = 5 };
    uint32_t end = stage_end(KELVIN_FIND, moment->warmup);
    while (end > SHORTEST && moment->step + 1 < end) end /= 2;
    return moment->step + 1 == end;
}

/* ---- scales ---- */

const float *kelvin_sampler_scale(const kelvin_sampler *s)
{
    return s->known[KELVIN_SCALE];
}

void kelvin_scale_start(kelvin_sampler *s)
{
    if (!kelvin_scale_is_tuned(s)) return;
    for (size_t i = 0; i < s->n; i++) s->known[KELVIN_SCALE][i] = 1;
    for (size_t k = KELVIN_SPREAD; k < KELVIN_SCALE_VECTORS; k++) memset(s->known[k], 0, s->n * sizeof *s->known[k]);
}

/* x to a running mean, and to the sum of squares around it (Welford 1962). */
static void add(float *mean, float *spread, const float *x, float weight, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float off = x[i] - mean[i];
        mean[i] += weight * off;
        spread[i] += off * (x[i] - mean[i]);
    }
}

void kelvin_window_add(kelvin_sampler *s, float *mean, double *count, const float *grad)
{
    const float weight = (float)(1 / ++*count);
    if (kelvin_scale_is_tuned(s)) {
        add(mean, s->known[KELVIN_SPREAD], s->theta, weight, s->n);
        add(s->known[KELVIN_SLOPE], s->known[KELVIN_SLOPE_SPREAD], grad, weight, s->n);
    } else {
        for (size_t i = 0; i < s->n; i++) mean[i] += weight * (s->theta[i] - mean[i]);
    }
}

void kelvin_window_begin(kelvin_sampler *s, float *mean, double *count)
{
    *count = 0;
    memset(mean, 0, s->n * sizeof *mean);
    for (size_t k = KELVIN_SPREAD; kelvin_scale_is_tuned(s) && k < KELVIN_SCALE_VECTORS; k++)
        memset(s->known[k], 0, s->n * sizeof *s->known[k]);
}

/* One scale for parameters first .. end - 1. Where nothing has been seen to move, or the density is flat, it stays. */
static void learn_group(kelvin_sampler *const *chains, size_t n, size_t first, size_t end, double temperature)
{
    double spread = 0, slope = 0;
    for (size_t c = 0; c < n; c++)
        for (size_t i = first; i < end; i++) {
            spread += (double)chains[c]->known[KELVIN_SPREAD][i];
            slope += (double)chains[c]->known[KELVIN_SLOPE_SPREAD][i];
        }
    const double old = (double)chains[0]->known[KELVIN_SCALE][first];
    const float scale = (float)sqrt(temperature * old * sqrt(spread / slope));
    if (!(scale > 0) || !isfinite(scale)) return;
    for (size_t c = 0; c < n; c++)
        for (size_t i = first; i < end; i++) chains[c]->known[KELVIN_SCALE][i] = scale;
}

void kelvin_scale_learn(kelvin_sampler *const *chains, size_t n, double temperature)
{
    const size_t *group_end = chains[0]->group_end;
    for (size_t first = 0, end, g = 0; first < chains[0]->n; first = end, g++) {
        end = group_end ? group_end[g] : first + 1;
        learn_group(chains, n, first, end, temperature);
    }
}

/* ---- several chains ---- */

struct round {
    kelvin_sampler *const *chains;
    kelvin_moment moment;
};

static kelvin_status take_step(void *context, size_t i)
{
    const struct round *round = context;
    kelvin_sampler *s = round->chains[i];
    s->last = (kelvin_step_info){0};
    s->type->step(s, &s->last, &round->moment);
    return KELVIN_OK;
}

static kelvin_status expect_progress(kelvin_sampler *const *chains, size_t n)
{
    for (size_t i = 0; i < n; i++) KELVIN_TRY(kelvin_sampler_check(chains[i]));
    return KELVIN_OK;
}

kelvin_status kelvin_sampler_warm(kelvin_sampler *const *chains, size_t n, uint32_t begin, uint32_t end,
                                  const kelvin_moment *moment, kelvin_pool *pool)
{
    struct round round = {chains, *moment};
    for (round.moment.step = begin; round.moment.step < end; round.moment.step++) {
        if (pool) KELVIN_TRY(kelvin_pool_run(pool, take_step, &round, n));
        for (size_t i = 0; !pool && i < n; i++) KELVIN_TRY(take_step(&round, i));
        if (chains[0]->type->learn && round.moment.step < moment->warmup)
            chains[0]->type->learn(chains, n, &round.moment);
        KELVIN_TRY(expect_progress(chains, n));
    }
    return KELVIN_OK;
}

kelvin_status kelvin_sampler_tune(kelvin_sampler *const *chains, size_t n, uint32_t iterations, double temperature,
                                  size_t threads)
{
    kelvin_pool *pool = NULL;
    KELVIN_NEEDS(chains);
    for (size_t i = 0; i < n; i++) {
        KELVIN_NEEDS(chains[i]);
        if (chains[i]->type != chains[0]->type || chains[i]->n != chains[0]->n)
            return kelvin_fail(KELVIN_EUSAGE,
                               "chains that are tuned together must be by one sampler, and of as many parameters: "
                               "number %zu is by %s and has %zu, the first is by %s and has %zu",
                               i, chains[i]->type->member.name, chains[i]->n, chains[0]->type->member.name,
                               chains[0]->n);
    }
    if (n == 0) return KELVIN_OK;
    if (threads != 1) KELVIN_TRY(kelvin_pool_create(&pool, threads));
    const kelvin_status status =
        kelvin_sampler_warm(chains, n, 0, iterations, &(kelvin_moment){0, iterations, 1, temperature}, pool);
    kelvin_pool_destroy(pool);
    return status;
}

const char *kelvin_sampler_wrong(const kelvin_sampler *s)
{
    return s->type->wrong ? s->type->wrong(s) : NULL;
}

kelvin_status kelvin_sampler_check(const kelvin_sampler *s)
{
    KELVIN_NEEDS(s);
    const char *wrong = kelvin_sampler_wrong(s);
    if (!wrong) return KELVIN_OK;
    return kelvin_fail(KELVIN_EDIVERGED,
                       "chain %u: %s; make " KELVIN_FIELD " smaller, or start it where log-density and gradient are "
                       "finite numbers",
                       s->chain % KELVIN_TUNING_CHAIN, wrong, s->type->step_setting);
}
