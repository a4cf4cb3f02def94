/* Partial dependence (Friedman 2001): the mean over rows of what a sample predicts where all of them have the same
 * value in a column. Each sample has a curve: their mean is that of the posterior predictive, their spread the
 * posterior's doubt about it. */
#include "data/features.h"
#include "posterior/effects.h"

#include "posterior/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A value of a column: what its inputs are then, and where the outcome goes. */
struct kelvin_effects_value {
    const kelvin_feature *feature;
    float *inputs;           /* (feature->inputs), normalised */
    kelvin_effect_spread *p; /* (classes) */
};

/* ---- which values ---- */

static float normalised(const kelvin_data *data, size_t input, double value)
{
    return (float)((value - data->mean[input]) / data->deviation[input]);
}

/* An input of a category, or of what is missing. */
static double measured(const kelvin_data *data, size_t input, float x)
{
    return (double)x * data->deviation[input] + data->mean[input];
}

static bool is_missing(const struct kelvin_effects_work *w, const kelvin_feature *f, size_t row)
{
    const size_t last = f->first + f->inputs - 1;
    return f->indicated && measured(w->data, last, w->x[row * w->inputs + last]) > 0.5;
}

/* Its first input in the rows that have it, sorted, and how many there are. */
static size_t known_values(double *x, const struct kelvin_effects_work *w, const kelvin_feature *f)
{
    size_t n = 0;
    for (size_t i = 0; i < w->rows; i++)
        if (!is_missing(w, f, i)) x[n++] = (double)w->x[i * w->inputs + f->first];
    kelvin_sort(x, n);
    return n;
}

/* Numbers: those that there are, if they are few; otherwise at equal distances where 95 % of them are. x is sorted, and
 * becomes these. */
static size_t choose_numbers(double *x, size_t n)
{
    size_t different = 0;
    if (n == 0) return 0;
    const double low = kelvin_quantile(x, n, 0.025), high = kelvin_quantile(x, n, 0.975);
    for (size_t i = 0; i < n && different <= KELVIN_EFFECT_VALUES; i++) different += i == 0 || x[i] != x[i - 1];
    if (different > KELVIN_EFFECT_VALUES && low < high) {
        for (size_t i = 0; i < KELVIN_EFFECT_VALUES; i++)
            x[i] = low + (high - low) * (double)i / (KELVIN_EFFECT_VALUES - 1);
        return KELVIN_EFFECT_VALUES;
    }
    size_t kept = 0;
    for (size_t i = 0; i < n && kept < KELVIN_EFFECT_VALUES; i++)
        if (i == 0 || x[i] != x[i - 1]) x[kept++] = x[i];
    return kept;
}

/* ---- points ---- */

/* Room for so many of a column. */
static kelvin_status begin_points(const struct kelvin_effects_work *w, struct kelvin_effects_value *values,
                                  kelvin_effect_point **points, const kelvin_feature *f, size_t n)
{
    kelvin_arena *arena = w->out->arena;
    if (!(*points = kelvin_arena_alloc(arena, n, sizeof **points))) return KELVIN_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        kelvin_effect_spread *p = kelvin_arena_alloc(arena, w->classes, sizeof *p);
        float *inputs = kelvin_arena_alloc(arena, f->inputs, sizeof *inputs);
        if (!p || !inputs) return KELVIN_ENOMEM;
        for (size_t k = 0; k < f->inputs; k++) inputs[k] = normalised(w->data, f->first + k, 0);
        (*points)[i].p = p;
        values[i] = (struct kelvin_effects_value){f, inputs, p};
    }
    return KELVIN_OK;
}

/* In how many rows an input of a category is 1. */
static size_t count_rows(const struct kelvin_effects_work *w, size_t input)
{
    size_t n = 0;
    for (size_t i = 0; i < w->rows; i++) n += measured(w->data, input, w->x[i * w->inputs + input]) > 0.5;
    return n;
}

/* Which of its inputs, in their order: all, or the most frequent. Returns how many. */
static size_t choose_inputs(size_t chosen[KELVIN_EFFECT_NAMES], const struct kelvin_effects_work *w,
                            const kelvin_feature *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->inputs; i++) {
        size_t least = 0;
        for (size_t k = 1; k < n; k++)
            if (count_rows(w, f->first + chosen[k]) <= count_rows(w, f->first + chosen[least])) least = k;
        if (n == KELVIN_EFFECT_NAMES) {
            if (count_rows(w, f->first + i) <= count_rows(w, f->first + chosen[least])) continue;
            memmove(chosen + least, chosen + least + 1, (--n - least) * sizeof *chosen);
        }
        chosen[n++] = i;
    }
    return n;
}

/* One for each of its values, and one for what is missing. */
static kelvin_status list_category(const struct kelvin_effects_work *w, struct kelvin_effects_value *values,
                                   kelvin_effect *effect)
{
    const kelvin_feature *f = effect->feature;
    size_t chosen[KELVIN_EFFECT_NAMES];
    const size_t n = choose_inputs(chosen, w, f);
    kelvin_effect_point *points;
    KELVIN_TRY(begin_points(w, values, &points, f, n));
    for (size_t i = 0; i < n; i++) {
        const size_t k = chosen[i];
        const char *name = k < f->n_values ? f->values[k] : "missing";
        if (!(points[i].name = kelvin_arena_text(w->out->arena, name, strlen(name)))) return KELVIN_ENOMEM;
        points[i].value = (double)k;
        values[i].inputs[k] = normalised(w->data, f->first + k, 1);
    }
    effect->n = n;
    effect->point = points;
    return KELVIN_OK;
}

static kelvin_status list_numbers(const struct kelvin_effects_work *w, struct kelvin_effects_value *values,
                                  kelvin_effect *effect, double *scratch)
{
    const kelvin_feature *f = effect->feature;
    const size_t n = choose_numbers(scratch, known_values(scratch, w, f));
    kelvin_effect_point *points;
    KELVIN_TRY(begin_points(w, values, &points, f, n));
    for (size_t i = 0; i < n; i++) {
        points[i].value = kelvin_feature_number(f, w->data, (float)scratch[i]);
        if (f->kind == KELVIN_FEATURE_YES_NO) points[i].name = points[i].value > 0.5 ? "yes" : "no";
        values[i].inputs[0] = (float)scratch[i];
    }
    effect->n = n;
    effect->point = points;
    return KELVIN_OK;
}

static kelvin_status list_values(struct kelvin_effects_work *w, size_t shown)
{
    double *scratch = kelvin_arena_alloc(w->out->arena, w->rows, sizeof *scratch);
    w->value = kelvin_arena_alloc(w->out->arena, shown * KELVIN_EFFECT_VALUES, sizeof *w->value);
    if (!w->value || !scratch) return KELVIN_ENOMEM;
    w->tasks = 0;
    for (size_t i = 0; i < shown; i++) {
        kelvin_effect *effect = &w->out->list[i];
        struct kelvin_effects_value *values = w->value + w->tasks;
        KELVIN_TRY(effect->feature->kind == KELVIN_FEATURE_CATEGORY ? list_category(w, values, effect)
                                                                    : list_numbers(w, values, effect, scratch));
        w->tasks += effect->n;
    }
    return KELVIN_OK;
}

/* ---- curves ---- */

static kelvin_status follow(const struct kelvin_effects_work *w, struct kelvin_effects_bench *b,
                            const struct kelvin_effects_value *value)
{
    const kelvin_feature *f = value->feature;
    const size_t n = w->rows < w->average ? w->rows : w->average;
    const kelvin_random where = {.seed = w->run->config.seed, .stream = KELVIN_STREAM_LOOKED_AT};
    kelvin_permutation(b->order, (uint32_t)w->rows, where); /* some of the rows, the same ones for all values */
    for (size_t i = 0; i < n; i++) {
        memcpy(b->x + i * w->inputs, w->x + b->order[i] * w->inputs, w->inputs * sizeof *b->x);
        memcpy(b->x + i * w->inputs + f->first, value->inputs, f->inputs * sizeof *b->x);
    }
    KELVIN_TRY(kelvin_effects_mean_p(w, b, n));
    for (size_t k = 0; k < w->classes; k++) {
        for (size_t s = 0; s < w->samples; s++) b->sorted[s] = b->p[s * w->classes + k];
        const double mean = kelvin_mean(b->sorted, w->samples);
        kelvin_sort(b->sorted, w->samples);
        value->p[k] = (kelvin_effect_spread){mean, kelvin_quantile(b->sorted, w->samples, 0.1),
                                             kelvin_quantile(b->sorted, w->samples, 0.9)};
    }
    return KELVIN_OK;
}

/* As many tasks as threads. */
static kelvin_status task(void *context, size_t thread)
{
    struct kelvin_effects_work *w = context;
    for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < w->tasks;)
        KELVIN_TRY(follow(w, &w->bench[thread], &w->value[i]));
    return KELVIN_OK;
}

kelvin_status kelvin_effects_dependence(struct kelvin_effects_work *w)
{
    KELVIN_TRY(list_values(w, w->out->n < KELVIN_EFFECTS_SHOWN ? w->out->n : KELVIN_EFFECTS_SHOWN));
    w->next = 0;
    return kelvin_pool_run(w->pool, task, w, kelvin_pool_threads(w->pool));
}
