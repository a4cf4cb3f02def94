/* What all samplers have in common: memory, settings, and what a chain must remember. */
#include "sampler/tune.h"

#include "base/needs.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- lists ---- */

size_t kelvin_count_settings(const kelvin_sampler_type *type)
{
    size_t n = 0;
    while (n < KELVIN_SETTINGS && type->setting[n].name) n++;
    return n;
}

size_t kelvin_count_statistics(const kelvin_sampler_type *type)
{
    size_t n = 0;
    while (n < KELVIN_STATISTICS && type->statistic[n].name) n++;
    return n;
}

size_t kelvin_sampler_vectors(const kelvin_sampler_type *type)
{
    size_t n = 0;
    while (n < KELVIN_STATE_VECTORS && type->vector[n]) n++;
    return 1 + n;
}

size_t kelvin_sampler_numbers(const kelvin_sampler_type *type)
{
    size_t n = 0;
    while (n < KELVIN_STATE_NUMBERS && type->number[n]) n++;
    return n;
}

/* ---- settings ---- */

kelvin_status kelvin_setting_check(const kelvin_setting *s, double value)
{
    const kelvin_parameter range = {s->name,           s->least,          s->most,
                                    .above = s->above, .below = s->below, .whole = s->whole};
    char words[96];
    if (kelvin_parameter_allows(&range, value)) return KELVIN_OK;
    kelvin_parameter_words(words, sizeof words, &range);
    return kelvin_fail(KELVIN_EUSAGE, "%s is %.10g; expected %s", s->name, value, words);
}

/* ---- making ---- */

static kelvin_status alloc_vectors(float **vectors, size_t count, size_t n)
{
    for (size_t i = 0; i < count; i++)
        if (!(vectors[i] = kelvin_alloc(n, sizeof(float)))) return KELVIN_ENOMEM;
    return KELVIN_OK;
}

/* What can be tuned is, unless somebody says otherwise; the usual value is that of the paper's runs. */
static double unsaid(const kelvin_setting *setting)
{
    return setting->zero ? 0 : setting->usual;
}

static kelvin_status make_scale(kelvin_sampler *s, const kelvin_sampler_options *options)
{
    const bool tuned = options->tune_scale && s->type->learn;
    if (tuned) KELVIN_TRY(alloc_vectors(s->known, KELVIN_SCALE_VECTORS, s->n));
    if (!options->scale) return KELVIN_OK;
    KELVIN_TRY(alloc_vectors(s->known, 1, s->n));
    memcpy(s->known[0], options->scale, s->n * sizeof *options->scale);
    return KELVIN_OK;
}

static kelvin_status set(kelvin_sampler *s, const kelvin_sampler_options *options)
{
    for (size_t i = 0; i < kelvin_count_settings(s->type); i++) {
        s->setting[i] = options->setting ? options->setting[i] : unsaid(&s->type->setting[i]);
        KELVIN_TRY(kelvin_setting_check(&s->type->setting[i], s->setting[i]));
    }
    KELVIN_TRY(kelvin_kernels_get(&s->kernels));
    KELVIN_TRY(alloc_vectors(&s->theta, 1, s->n));
    KELVIN_TRY(alloc_vectors(s->vector, kelvin_sampler_vectors(s->type) - 1, s->n));
    KELVIN_TRY(make_scale(s, options));
    return alloc_vectors(s->work, s->type->work, s->n);
}

kelvin_status kelvin_sampler_make(kelvin_sampler **out, const kelvin_sampler_type *type, const kelvin_target *target,
                                  const kelvin_sampler_options *options)
{
    kelvin_sampler *s = kelvin_alloc(1, sizeof *s);
    *out = NULL;
    if (!s) return KELVIN_ENOMEM;
    s->type = type;
    s->target = *target;
    s->n = target->n;
    kelvin_sampler_set_observations(s, options->observations);
    s->seed = options->seed;
    s->chain = options->chain;
    s->group_end = options->group_end;
    const kelvin_status status = set(s, options);
    if (status)
        kelvin_sampler_destroy(s);
    else
        *out = s;
    return status;
}

kelvin_status kelvin_sampler_create(kelvin_sampler **out, const char *name, const kelvin_target *target, uint64_t seed,
                                    uint32_t chain)
{
    KELVIN_NEEDS(out);
    *out = NULL;
    KELVIN_NEEDS(name);
    KELVIN_NEEDS(target);
    const kelvin_sampler_type *type;
    KELVIN_TRY(kelvin_sampler_find(&type, name));
    return kelvin_sampler_make(out, type, target,
                               &(kelvin_sampler_options){.seed = seed, .chain = chain, .tune_scale = true});
}

const kelvin_setting *kelvin_sampler_setting(const kelvin_sampler *s, size_t i)
{
    return i < kelvin_count_settings(s->type) ? &s->type->setting[i] : NULL;
}

static bool setting_name(char name[KELVIN_NAME_SIZE], const void *context, size_t i)
{
    const kelvin_setting *setting = kelvin_sampler_setting(context, i);
    if (setting) snprintf(name, KELVIN_NAME_SIZE, "%s", setting->name);
    return setting;
}

kelvin_status kelvin_sampler_set(kelvin_sampler *s, const char *name, double value)
{
    KELVIN_NEEDS(s);
    KELVIN_NEEDS(name);
    const kelvin_setting *setting;
    for (size_t i = 0; (setting = kelvin_sampler_setting(s, i)); i++) {
        if (strcmp(setting->name, name) != 0) continue;
        KELVIN_TRY(kelvin_setting_check(setting, value));
        s->setting[i] = value;
        return KELVIN_OK;
    }
    return kelvin_fail_unknown("setting", name, setting_name, s);
}

double kelvin_sampler_get(const kelvin_sampler *s, const char *name)
{
    const kelvin_setting *setting;
    for (size_t i = 0; (setting = kelvin_sampler_setting(s, i)); i++)
        if (strcmp(setting->name, name) == 0) return s->type->now ? s->type->now(s, i) : s->setting[i];
    return (double)NAN;
}

void kelvin_sampler_set_observations(kelvin_sampler *s, double observations)
{
    s->observations = observations > 0 ? observations : 1;
}

void kelvin_sampler_destroy(kelvin_sampler *s)
{
    if (!s) return;
    for (size_t i = 0; i < KELVIN_WORK_VECTORS; i++) kelvin_free(s->work[i]);
    for (size_t i = 0; i < KELVIN_STATE_VECTORS; i++) kelvin_free(s->vector[i]);
    for (size_t i = 0; i < KELVIN_SCALE_VECTORS; i++) kelvin_free(s->known[i]);
    kelvin_free(s->theta);
    kelvin_free(s);
}

/* ---- a chain ---- */

void kelvin_sampler_start(kelvin_sampler *s, const float *theta)
{
    memcpy(s->theta, theta, s->n * sizeof *theta);
    for (size_t i = 0; i < KELVIN_STATE_VECTORS && s->vector[i]; i++)
        memset(s->vector[i], 0, s->n * sizeof *s->vector[i]);
    memset(s->number, 0, sizeof s->number);
    kelvin_scale_start(s);
    if (s->type->start) s->type->start(s);
    if (s->type->prepare) s->type->prepare(s);
}

void kelvin_sampler_retarget(kelvin_sampler *s, const kelvin_target *target)
{
    s->target = *target;
}

size_t kelvin_lanes_work(const kelvin_sampler_type *type, const kelvin_lanes *lanes)
{
    return type->lanes_work * lanes->n * lanes->lanes;
}

void kelvin_sampler_step_all(kelvin_sampler *const *chains, size_t n, const kelvin_moment *moment,
                             const kelvin_lanes *lanes, float *work)
{
    const kelvin_sampler_type *type = chains[0]->type;
    const size_t most = lanes && type->step_all ? lanes->lanes : 1;
    for (size_t i = 0; i < n; i++) chains[i]->last = (kelvin_step_info){0};
    for (size_t i = 0, some; i < n; i += some) {
        some = n - i < most ? n - i : most;
        if (some < KELVIN_FEWEST_LANES) some = 1;
        if (some > 1)
            type->step_all(chains + i, some, moment + i, lanes, work);
        else
            type->step(chains[i], &chains[i]->last, &moment[i]);
    }
}

void kelvin_sampler_advance_all(kelvin_sampler *const *chains, size_t n, const kelvin_moment *moment,
                                kelvin_step_info *info, const kelvin_lanes *lanes, float *work)
{
    const kelvin_sampler_type *type = chains[0]->type;
    kelvin_sampler_step_all(chains, n, moment, lanes, work);
    for (size_t i = 0; i < n; i++) {
        if (type->learn && moment[i].step < moment[i].warmup) type->learn(&chains[i], 1, &moment[i]);
        info[i] = chains[i]->last;
    }
}

kelvin_step_info kelvin_sampler_advance(kelvin_sampler *s, const kelvin_moment *moment)
{
    kelvin_step_info info;
    kelvin_sampler_advance_all(&s, 1, moment, &info, NULL, NULL);
    return info;
}

double kelvin_sampler_step(kelvin_sampler *s, const kelvin_moment *moment)
{
    return kelvin_sampler_advance(s, moment).logp;
}

double kelvin_sampler_statistic(const kelvin_sampler *s, size_t i, const char **name)
{
    const bool there = i < kelvin_count_statistics(s->type);
    *name = there ? s->type->statistic[i].name : NULL;
    return there ? s->last.value[i] : (double)NAN;
}

const float *kelvin_sampler_theta(const kelvin_sampler *s)
{
    return s->theta;
}

void kelvin_sampler_save(const kelvin_sampler *s, float *vectors, double *numbers)
{
    memcpy(vectors, s->theta, s->n * sizeof *vectors);
    for (size_t i = 1; i < kelvin_sampler_vectors(s->type); i++)
        memcpy(vectors + i * s->n, s->vector[i - 1], s->n * sizeof *vectors);
    for (size_t i = 0; kelvin_scale_is_tuned(s) && i < KELVIN_SCALE_VECTORS; i++)
        memcpy(vectors + (kelvin_sampler_vectors(s->type) + i) * s->n, s->known[i], s->n * sizeof *vectors);
    memcpy(numbers, s->number, kelvin_sampler_numbers(s->type) * sizeof *numbers);
}

void kelvin_sampler_load(kelvin_sampler *s, const float *vectors, const double *numbers)
{
    memcpy(s->theta, vectors, s->n * sizeof *vectors);
    for (size_t i = 1; i < kelvin_sampler_vectors(s->type); i++)
        memcpy(s->vector[i - 1], vectors + i * s->n, s->n * sizeof *vectors);
    for (size_t i = 0; kelvin_scale_is_tuned(s) && i < KELVIN_SCALE_VECTORS; i++)
        memcpy(s->known[i], vectors + (kelvin_sampler_vectors(s->type) + i) * s->n, s->n * sizeof *vectors);
    memcpy(s->number, numbers, kelvin_sampler_numbers(s->type) * sizeof *numbers);
    if (s->type->prepare) s->type->prepare(s);
}
