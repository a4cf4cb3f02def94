/* What matters: which columns of a table predictions depend on, and how. The rows and samples that are looked at, and
 * the order of columns; importance.c and dependence.c have the rest.
 *
 * Rows are drawn: each has a random number by its place, and those with the smallest stay, so that it does not matter
 * how they come in pieces, nor whether they are in some order. */
#include "posterior/effects.h"

#include "base/needs.h"
#include "base/words.h"
#include "posterior/rows_on.h"
#include "posterior/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- how much is looked at ---- */

/* Multiplications, and what an exponential costs in them. The usual amount takes a second or two; where the least that
 * says something would take ten times as long, nothing is said. */
static const double usual_work = 2e9, most_work = 2e10;
enum { LEAST_ROWS = 100, LEAST_SAMPLES = 8, LEAST_PERMUTATIONS = 1, LEAST_AVERAGE = 50, EXP = 20 };

static size_t at_most(size_t n, size_t most)
{
    return n < most ? n : most;
}

/* A share of n, but not less than some. */
static size_t part_of(size_t n, double share, size_t least)
{
    const size_t part = share < 1 ? (size_t)(share * (double)n) : n;
    return part > at_most(n, least) ? part : at_most(n, least);
}

/* Of one row by all samples. */
static double row_work(const struct kelvin_effects_work *w)
{
    return (double)w->samples * ((double)w->run->model->n_params + EXP * (double)w->classes);
}

static double work_of(const struct kelvin_effects_work *w)
{
    return row_work(w) * (double)w->rows * (double)w->permutations * (double)w->out->n;
}

/* Fewer rows first, then fewer samples, then fewer permutations. */
static kelvin_status set_amount(struct kelvin_effects_work *w, size_t samples, const char *on)
{
    const bool test = strcmp(on, "test") == 0, own = test || strcmp(on, "train") == 0;
    const size_t rows = test ? w->data->test.n : w->data->train.n;
    w->rows = own ? at_most(rows, KELVIN_EFFECT_ROWS) : KELVIN_EFFECT_ROWS;
    w->samples = at_most(samples, KELVIN_EFFECT_SAMPLES);
    w->permutations = KELVIN_EFFECT_PERMUTATIONS;
    w->rows = part_of(w->rows, usual_work / work_of(w), LEAST_ROWS);
    w->samples = part_of(w->samples, usual_work / work_of(w), LEAST_SAMPLES);
    w->permutations = part_of(w->permutations, usual_work / work_of(w), LEAST_PERMUTATIONS);
    w->average = at_most(w->rows, KELVIN_EFFECT_AVERAGE);
    const double curves = row_work(w) * (double)w->average * KELVIN_EFFECTS_SHOWN * KELVIN_EFFECT_VALUES;
    w->average = part_of(w->average, usual_work / curves, LEAST_AVERAGE);
    if (work_of(w) <= most_work) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "%zu columns and %zu parameters are too many to compare the columns", w->out->n,
                       w->run->model->n_params);
}

/* ---- rows ---- */

struct drawn {
    uint32_t number; /* the smaller, the sooner */
    size_t index;    /* which row it was */
};

static bool comes_before(const struct drawn *a, const struct drawn *b)
{
    return a->number < b->number || (a->number == b->number && a->index < b->index);
}

/* Of `n` that stay the one that would go first. */
static size_t find_last(const struct drawn *drawn, size_t n)
{
    size_t last = 0;
    for (size_t i = 1; i < n; i++)
        if (comes_before(&drawn[last], &drawn[i])) last = i;
    return last;
}

/* One that is drawn when there are enough takes the place of the one that goes: the same ones stay, in the same places,
 * in whatever pieces rows come. */
static kelvin_status draw_rows(struct kelvin_effects_work *w, struct drawn *drawn, kelvin_inputs *inputs)
{
    enum { PIECE = 1000 };
    const kelvin_random where = {.seed = w->run->config.seed, .stream = KELVIN_STREAM_LOOKED_AT};
    const size_t most = w->rows;
    size_t n = 0, last = 0;
    kelvin_rows rows;
    for (;;) {
        KELVIN_TRY(kelvin_inputs_next(inputs, &rows, PIECE));
        if (rows.n == 0) break;
        for (size_t i = 0; i < rows.n; i++) {
            const struct drawn here = {kelvin_random_bits(where, rows.first + i), rows.first + i};
            if (!rows.y || rows.y[i] < 0) continue;
            if (n == most && !comes_before(&here, &drawn[last])) continue;
            const size_t at = n < most ? n++ : last;
            drawn[at] = here;
            memcpy(w->x + at * w->inputs, rows.x + i * w->inputs, w->inputs * sizeof *w->x);
            w->y[at] = rows.y[i];
            if (n == most) last = find_last(drawn, n);
        }
    }
    w->rows = n;
    return n > 0 ? KELVIN_OK : kelvin_fail(KELVIN_EFORMAT, "has no rows with labels");
}

static kelvin_status read_rows(struct kelvin_effects_work *w, const kelvin_samples *samples, const char *on)
{
    kelvin_inputs *inputs = NULL;
    kelvin_run *own = NULL;
    struct drawn *drawn = kelvin_alloc(w->rows, sizeof *drawn);
    kelvin_status status = drawn ? kelvin_rows_on(&inputs, &own, samples, on) : KELVIN_ENOMEM;
    if (!status) status = draw_rows(w, drawn, inputs);
    kelvin_inputs_close(inputs);
    kelvin_run_close(own);
    kelvin_free(drawn);
    return status;
}

/* At equal distances: they come chain after chain. */
static kelvin_status read_samples(struct kelvin_effects_work *w, kelvin_samples *samples)
{
    const size_t n = w->run->model->n_params;
    for (size_t s = 0; s < w->samples; s++)
        KELVIN_TRY(kelvin_samples_read(samples, w->theta + s * n, kelvin_spaced(s, w->samples, samples->n)));
    return KELVIN_OK;
}

/* ---- columns ---- */

static kelvin_status name_column(kelvin_effect *effect, kelvin_arena *arena)
{
    char number[32];
    snprintf(number, sizeof number, "column %zu", effect->feature->place + 1);
    const char *name = effect->feature->name ? effect->feature->name : number;
    effect->name = kelvin_arena_text(arena, name, strlen(name));
    return effect->name ? KELVIN_OK : KELVIN_ENOMEM;
}

static kelvin_status list_columns(kelvin_effects *out, const kelvin_data *data)
{
    if (!(out->list = kelvin_arena_alloc(out->arena, data->features, sizeof *out->list))) return KELVIN_ENOMEM;
    for (size_t i = 0; i < data->features; i++) {
        if (data->feature[i].inputs == 0) continue;
        out->list[out->n].feature = &data->feature[i];
        KELVIN_TRY(name_column(&out->list[out->n++], out->arena));
    }
    return KELVIN_OK;
}

/* The most important first; of equal ones the first. */
static int compare(const void *a, const void *b)
{
    const kelvin_effect *x = a, *y = b;
    const double d = y->importance.mean - x->importance.mean;
    return d > 0 ? 1 : d < 0 ? -1 : x->feature->place > y->feature->place ? 1 : -1;
}

/* ---- all of it ---- */

static kelvin_status find(struct kelvin_effects_work *w, kelvin_samples *samples, const char *on, size_t threads)
{
    kelvin_effects *out = w->out;
    KELVIN_TRY(list_columns(out, w->data));
    KELVIN_TRY(set_amount(w, samples->n, on));
    w->x = kelvin_arena_alloc(out->arena, w->rows * w->inputs, sizeof *w->x);
    w->y = kelvin_arena_alloc(out->arena, w->rows, sizeof *w->y);
    w->plain = kelvin_arena_alloc(out->arena, w->rows, sizeof *w->plain);
    w->theta = kelvin_arena_alloc(out->arena, w->samples * w->run->model->n_params, sizeof *w->theta);
    if (!w->x || !w->y || !w->plain || !w->theta) return KELVIN_ENOMEM;
    KELVIN_TRY(read_rows(w, samples, on));
    KELVIN_TRY(read_samples(w, samples));
    KELVIN_TRY(kelvin_pool_create(&w->pool, threads));
    const size_t n = kelvin_pool_threads(w->pool);
    if (!(w->bench = kelvin_arena_alloc(out->arena, n, sizeof *w->bench))) return KELVIN_ENOMEM;
    for (size_t i = 0; i < n; i++) KELVIN_TRY(kelvin_effects_bench_create(&w->bench[i], w));
    KELVIN_TRY(kelvin_effects_importance(w));
    qsort(out->list, out->n, sizeof *out->list, compare);
    out->rows = w->rows;
    out->samples = w->samples;
    out->permutations = w->permutations;
    return kelvin_effects_dependence(w);
}

static void end(struct kelvin_effects_work *w)
{
    const size_t n = w->bench ? kelvin_pool_threads(w->pool) : 0;
    for (size_t i = 0; i < n; i++) kelvin_effects_bench_destroy(&w->bench[i]);
    kelvin_pool_destroy(w->pool);
}

static kelvin_status create(kelvin_effects **effects, size_t classes)
{
    kelvin_arena *arena;
    KELVIN_TRY(kelvin_arena_create(&arena));
    kelvin_effects *out = *effects = kelvin_arena_alloc(arena, 1, sizeof *out);
    if (!out) {
        kelvin_arena_destroy(arena);
        return KELVIN_ENOMEM;
    }
    *out = (kelvin_effects){.arena = arena, .classes = classes};
    return KELVIN_OK;
}

kelvin_status kelvin_effects_find(kelvin_effects **effects, kelvin_samples *samples, const char *on, size_t threads)
{
    KELVIN_NEEDS(effects);
    *effects = NULL;
    KELVIN_NEEDS(samples);
    const kelvin_data *data = samples->run->data;
    if (data->channels)
        return kelvin_fail(KELVIN_EUSAGE, "%s: its inputs are images, which have no columns", samples->folder);
    KELVIN_TRY(create(effects, data->classes));
    struct kelvin_effects_work w = {
        .run = samples->run, .data = data, .out = *effects, .inputs = data->inputs, .classes = data->classes};
    const kelvin_status status = find(&w, samples, on ? on : data->test.n > 0 ? "test" : "train", threads);
    end(&w);
    if (!status) return KELVIN_OK;
    kelvin_effects_free(*effects);
    *effects = NULL;
    return status;
}

void kelvin_effects_free(kelvin_effects *effects)
{
    if (effects) kelvin_arena_destroy(effects->arena);
}

/* ---- what was found ---- */

const kelvin_effect *kelvin_effects_at(const kelvin_effects *effects, size_t i)
{
    return i < effects->n ? &effects->list[i] : NULL;
}

size_t kelvin_effects_rows(const kelvin_effects *effects)
{
    return effects->rows;
}

size_t kelvin_effects_samples(const kelvin_effects *effects)
{
    return effects->samples;
}

size_t kelvin_effects_permutations(const kelvin_effects *effects)
{
    return effects->permutations;
}
