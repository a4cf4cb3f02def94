/* What matters: importance and partial dependence by plain loops over what kelvin_predict says of arrays in which a
 * column was shuffled, or set to a value; a category whose inputs go together; no memory at any place. */
#include "check.h"
#include "fit_helpers.h"

#include "base/random.h"
#include "charts/effect_charts.h"
#include "data/dataset.h"
#include "posterior/effects.h"

enum { COLUMNS = 6, TRAIN = 90, TEST = 130, CLASSES = 3, SEED = 2385 };

/* Columns 0 and 1 are numbers, 2 does not vary, 3 to 5 are the inputs of a category, the last for what is missing. */
struct table {
    float x[TRAIN + TEST][COLUMNS];
    int32_t y[TRAIN + TEST];
};

static void fill(struct table *t)
{
    uint32_t seed = 11;
    for (size_t i = 0; i < TRAIN + TEST; i++) {
        const size_t kind = (size_t)(3 * fit_uniform(&seed));
        t->x[i][0] = (float)(4 + 3 * fit_uniform(&seed));
        t->x[i][1] = (float)floor(5 * fit_uniform(&seed));
        t->x[i][2] = 7;
        for (size_t k = 0; k < 3; k++) t->x[i][3 + k] = k == kind;
        const double sum = (double)t->x[i][0] - 5.5 + (kind == 0 ? 1.5 : 0) + 0.3 * fit_uniform(&seed);
        t->y[i] = sum < 0 ? 0 : sum < 1 ? 1 : 2;
    }
}

static const char *const values[] = {"red", "green"};
static const kelvin_feature features[] = {
    {.name = "size", .place = 0, .first = 0, .inputs = 1},
    {.name = NULL, .place = 1, .first = 1, .inputs = 1},
    {.name = "same", .place = 2, .first = 2, .inputs = 1},
    {.name = "colour",
     .place = 4,
     .kind = KELVIN_FEATURE_CATEGORY,
     .first = 3,
     .inputs = 3,
     .indicated = true,
     .n_values = 2,
     .values = values},
    {.name = "label", .place = 3, .kind = KELVIN_FEATURE_LABEL},
};

struct fit {
    struct table t;
    kelvin_data *data;
    kelvin_run *run;
    kelvin_samples *samples;
};

static void begin(struct fit *fit)
{
    fill(&fit->t);
    const kelvin_arrays arrays = {.rows = TRAIN,
                                  .columns = COLUMNS,
                                  .x = fit->t.x[0],
                                  .labels = fit->t.y,
                                  .test_rows = TEST,
                                  .test_x = fit->t.x[TRAIN],
                                  .test_labels = fit->t.y + TRAIN,
                                  .classes = CLASSES};
    assert_ok(kelvin_data_from_arrays(&fit->data, &arrays));
    fit->data->feature = features;
    fit->data->features = sizeof features / sizeof *features;
    static const char *const fields[] = {"sampler", "sghmc",    "samples",  "6",     "chains", "2",    "epochs",
                                         "60",      "schedule", "cyclical", "batch", "30",     "lr",   "0.02",
                                         "prior",   "normal:1", "model",    "mlp:6", "seed",   "2385", NULL};
    assert_ok(fit_run(&fit->run, fields, fit->data, NULL, NULL, 1));
    assert_ok(kelvin_samples_of(&fit->samples, fit->run));
}

static void end(struct fit *fit)
{
    kelvin_samples_close(fit->samples);
    kelvin_run_close(fit->run);
    kelvin_data_close(fit->data);
}

/* ---- importance ---- */

static void plain_log_p(double log_p[TEST], struct fit *fit, const float *x)
{
    double p[TEST][CLASSES];
    assert_ok(kelvin_predict(fit->samples, p[0], x, TEST, 1));
    for (size_t i = 0; i < TEST; i++) log_p[i] = log(p[i][fit->t.y[TRAIN + i]]);
}

static void check_importance(struct fit *fit, const kelvin_effect *effect)
{
    const kelvin_feature *f = effect->feature;
    float x[TEST][COLUMNS];
    double before[TEST], after[TEST], change[TEST] = {0}, mean = 0, squares = 0;
    plain_log_p(before, fit, fit->t.x[TRAIN]);
    for (uint32_t r = 0; r < KELVIN_EFFECT_PERMUTATIONS; r++) {
        uint32_t order[TEST];
        const kelvin_random where = {SEED, r, (uint32_t)f->place, KELVIN_STREAM_SHUFFLE};
        kelvin_permutation(order, TEST, where);
        memcpy(x, fit->t.x[TRAIN], sizeof x);
        for (size_t i = 0; i < TEST; i++)
            for (size_t k = f->first; k < f->first + f->inputs; k++) x[i][k] = fit->t.x[TRAIN + order[i]][k];
        plain_log_p(after, fit, x[0]);
        for (size_t i = 0; i < TEST; i++) change[i] += (before[i] - after[i]) / KELVIN_EFFECT_PERMUTATIONS;
    }
    for (size_t i = 0; i < TEST; i++) mean += change[i] / TEST;
    for (size_t i = 0; i < TEST; i++) squares += (change[i] - mean) * (change[i] - mean);
    /* Rounding alone: a hundred numbers of order 1 in double. */
    assert_near(effect->importance.mean, mean, 1e-12);
    assert_near(effect->importance.error, sqrt(squares / (TEST - 1.0) / TEST), 1e-12);
}

/* ---- partial dependence ---- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(double *x, size_t n, double q)
{
    qsort(x, n, sizeof *x, by_size);
    const double at = q * ((double)n - 1);
    const size_t i = (size_t)at;
    return i + 1 < n ? x[i] + (at - (double)i) * (x[i + 1] - x[i]) : x[i];
}

/* All rows have the inputs `set` (feature->inputs). */
static void check_point(struct fit *fit, const kelvin_effect *effect, const kelvin_effect_point *point,
                        const float *set)
{
    const kelvin_feature *f = effect->feature;
    const size_t samples = kelvin_samples_count(fit->samples);
    float x[TEST][COLUMNS], *z = calloc(samples * TEST * CLASSES, sizeof *z);
    memcpy(x, fit->t.x[TRAIN], sizeof x);
    for (size_t i = 0; i < TEST; i++)
        for (size_t k = 0; k < f->inputs; k++) x[i][f->first + k] = set[k];
    assert_ok(kelvin_predict_logits(fit->samples, z, x[0], TEST, 1));
    for (size_t k = 0; k < CLASSES; k++) {
        double p[64] = {0}, mean = 0;
        for (size_t s = 0; s < samples; s++) {
            for (size_t i = 0; i < TEST; i++) {
                const float *at = z + (s * TEST + i) * CLASSES;
                double sum = 0;
                for (size_t c = 0; c < CLASSES; c++) sum += exp((double)at[c]);
                p[s] += exp((double)at[k]) / sum / TEST;
            }
            mean += p[s] / (double)samples;
        }
        /* The value is measured from a float and becomes one again: logits differ in their last bits, of 2^-24. */
        assert_near(point->p[k].mean, mean, 1e-6);
        assert_near(point->p[k].low, quantile(p, samples, 0.1), 1e-6);
        assert_near(point->p[k].high, quantile(p, samples, 0.9), 1e-6);
        assert_true(point->p[k].low < point->p[k].high);
    }
    free(z);
}

static const kelvin_effect *effect_of(const kelvin_effects *effects, size_t place)
{
    const kelvin_effect *effect;
    for (size_t i = 0; (effect = kelvin_effects_at(effects, i)); i++)
        if (effect->feature->place == place) return effect;
    fail_msg("no column %zu", place);
    return NULL;
}

static void check_numbers(struct fit *fit, const kelvin_effect *size, const kelvin_effect *steps)
{
    double sorted[TEST];
    for (size_t i = 0; i < TEST; i++) sorted[i] = (double)fit->t.x[TRAIN + i][0];
    assert_int_equal(size->n, KELVIN_EFFECT_VALUES);
    const double low = quantile(sorted, TEST, 0.025), high = quantile(sorted, TEST, 0.975);
    for (size_t i = 0; i < size->n; i++) {
        assert_null(size->point[i].name);
        assert_near(size->point[i].value, low + (high - low) * (double)i / (KELVIN_EFFECT_VALUES - 1), 1e-5);
    }
    check_point(fit, size, &size->point[0], (float[]){(float)size->point[0].value});
    check_point(fit, size, &size->point[13], (float[]){(float)size->point[13].value});
    assert_int_equal(steps->n, 5); /* few values: each of them */
    for (size_t i = 0; i < steps->n; i++) {
        assert_near(steps->point[i].value, (double)i, 1e-6);
        check_point(fit, steps, &steps->point[i], (float[]){(float)i});
    }
}

static void check_category(struct fit *fit, const kelvin_effect *colour)
{
    static const char *const expected[] = {"red", "green", "missing"};
    assert_int_equal(colour->n, 3);
    for (size_t i = 0; i < 3; i++) {
        float set[3] = {0};
        set[i] = 1;
        assert_string_equal(colour->point[i].name, expected[i]);
        check_point(fit, colour, &colour->point[i], set);
    }
}

static void plain_loops(void **state)
{
    (void)state;
    struct fit fit;
    kelvin_effects *effects;
    begin(&fit);
    assert_ok(kelvin_effects_find(&effects, fit.samples, NULL, 2));
    assert_int_equal(kelvin_effects_rows(effects), TEST);
    assert_int_equal(kelvin_effects_samples(effects), kelvin_samples_count(fit.samples));
    const kelvin_effect *effect;
    size_t n = 0;
    for (double last = INFINITY; (effect = kelvin_effects_at(effects, n)); n++) {
        check_importance(&fit, effect);
        assert_true(effect->importance.mean <= last);
        last = effect->importance.mean;
    }
    assert_int_equal(n, 4); /* the label is none of them */
    const kelvin_effect *same = effect_of(effects, 2), *steps = effect_of(effects, 1);
    assert_true(same->importance.mean == 0 && same->importance.error == 0); /* what does not vary tells nothing */
    assert_int_equal(same->n, 1);
    assert_string_equal(steps->name, "column 2");
    assert_string_equal(kelvin_effects_at(effects, 0)->name, "size"); /* what labels were made of */
    assert_string_equal(kelvin_effects_at(effects, 1)->name, "colour");
    check_numbers(&fit, effect_of(effects, 0), steps);
    check_category(&fit, effect_of(effects, 4));
    kelvin_effects_free(effects);
    end(&fit);
}

/* ---- the same bits ---- */

static void assert_same(const kelvin_effects *a, const kelvin_effects *b)
{
    for (size_t i = 0; kelvin_effects_at(a, i); i++) {
        const kelvin_effect *x = kelvin_effects_at(a, i), *y = kelvin_effects_at(b, i);
        assert_string_equal(x->name, y->name);
        assert_memory_equal(&x->importance, &y->importance, sizeof x->importance);
        assert_int_equal(x->n, y->n);
        for (size_t k = 0; k < x->n; k++)
            assert_memory_equal(x->point[k].p, y->point[k].p, CLASSES * sizeof *x->point[k].p);
    }
}

static void threads(void **state)
{
    (void)state;
    struct fit fit;
    begin(&fit);
    kelvin_effects *one, *three, *train;
    assert_ok(kelvin_effects_find(&one, fit.samples, "test", 1));
    assert_ok(kelvin_effects_find(&three, fit.samples, NULL, 3));
    assert_same(one, three);
    assert_ok(kelvin_effects_find(&train, fit.samples, "train", 1));
    assert_int_equal(kelvin_effects_rows(train), TRAIN);
    kelvin_effects_free(one);
    kelvin_effects_free(three);
    kelvin_effects_free(train);
    end(&fit);
}

/* Of many rows some. */
static void many_rows(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    static float x[MANY][2];
    static int32_t y[MANY];
    static const char *const fields[] = {"sampler", "sghmc", "chains", "2", "epochs", "2", "model", "mlp:2", NULL};
    kelvin_data *data;
    kelvin_run *run;
    kelvin_samples *samples;
    kelvin_effects *effects;
    uint32_t seed = 3;
    for (size_t i = 0; i < MANY; i++) {
        y[i] = (int32_t)(i % 2);
        for (size_t k = 0; k < 2; k++) x[i][k] = (float)(fit_uniform(&seed) + 0.3 * y[i]);
    }
    assert_ok(kelvin_data_from_arrays(
        &data, &(kelvin_arrays){.rows = MANY, .columns = 2, .x = x[0], .labels = y, .split = -1}));
    assert_ok(fit_run(&run, fields, data, NULL, NULL, 1));
    assert_ok(kelvin_samples_of(&samples, run));
    assert_ok(kelvin_effects_find(&effects, samples, NULL, 1));
    assert_int_equal(kelvin_effects_rows(effects), KELVIN_EFFECT_ROWS);
    assert_int_equal(kelvin_effects_samples(effects), 2);
    assert_int_equal(kelvin_effects_at(effects, 0)->n, KELVIN_EFFECT_VALUES);
    kelvin_effects_free(effects);
    kelvin_samples_close(samples);
    kelvin_run_close(run);
    kelvin_data_close(data);
}

/* Of a category with many values the most frequent: value k is there 3 + k / 2 times, the later the more. */
static void many_values(void **state)
{
    (void)state;
    enum { VALUES = 24 };
    static float x[1000][VALUES];
    static int32_t y[1000];
    static const char *names[VALUES];
    static char text[VALUES][8];
    static const char *const fields[] = {"preset", "paper", "sampler", "sghmc", "chains", "2",
                                         "epochs", "2",     "model",   "mlp:2", NULL};
    size_t n = 0;
    for (size_t k = 0; k < VALUES; k++) {
        snprintf(text[k], sizeof text[k], "v%zu", k);
        names[k] = text[k];
        for (size_t i = 0; i < 3 + k / 2; i++, n++) x[n][k] = 1, y[n] = (int32_t)(n % 2);
    }
    const kelvin_feature feature = {
        .name = "kind", .kind = KELVIN_FEATURE_CATEGORY, .inputs = VALUES, .n_values = VALUES, .values = names};
    const kelvin_arrays arrays = {.rows = n, .columns = VALUES, .x = x[0], .labels = y, .split = -1};
    kelvin_data *data;
    kelvin_run *run;
    kelvin_samples *samples;
    kelvin_effects *effects;
    assert_ok(kelvin_data_from_arrays(&data, &arrays));
    data->feature = &feature;
    data->features = 1;
    assert_ok(fit_run(&run, fields, data, NULL, NULL, 1));
    assert_ok(kelvin_samples_of(&samples, run));
    assert_ok(kelvin_effects_find(&effects, samples, NULL, 1));
    const kelvin_effect *effect = kelvin_effects_at(effects, 0);
    assert_int_equal(effect->n, KELVIN_EFFECT_NAMES);
    for (size_t i = 0; i < effect->n; i++) /* the last ones, in their order */
        assert_string_equal(effect->point[i].name, names[VALUES - KELVIN_EFFECT_NAMES + i]);
    kelvin_effects_free(effects);
    kelvin_samples_close(samples);
    kelvin_run_close(run);
    kelvin_data_close(data);
}

/* ---- charts ---- */

static size_t count_series(const struct chart *chart)
{
    size_t n = 0;
    for (const struct chart_series *s = chart->panel[0].series; s; s = s->next) n++;
    return n;
}

static void charts(void **state)
{
    (void)state;
    static const char *const classes[] = {"a", "b", "c"};
    struct fit fit;
    kelvin_effects *effects;
    kelvin_arena *arena;
    struct chart chart;
    begin(&fit);
    assert_ok(kelvin_effects_find(&effects, fit.samples, NULL, 1));
    assert_ok(kelvin_arena_create(&arena));
    kelvin_chart_importance(&chart, arena, effects, 0);
    assert_ok(chart.status);
    const struct chart_series *bars = chart.panel[0].series;
    assert_int_equal(bars->n, 4);
    assert_string_equal(chart.panel[0].y.names[3], "size"); /* the most important is on top, where y is largest */
    assert_near(bars->points[0].to, kelvin_effects_at(effects, 0)->importance.mean, 0);
    assert_near(bars->points[0].high, 3.35, 1e-12);
    double low = NAN, high = NAN;
    for (size_t i = 0; kelvin_effects_at(effects, i); i++) {
        const kelvin_effect *effect = kelvin_effects_at(effects, i);
        const bool named = effect->point[0].name;
        assert_true(kelvin_chart_dependence(&chart, arena, effects, i, classes, CLASSES, 0));
        assert_ok(chart.status);
        assert_int_equal(count_series(&chart), named ? CLASSES : 2 * CLASSES); /* of numbers, bands too */
        const struct chart_axis *share = named ? &chart.x : &chart.panel[0].y;
        if (i > 0) assert_true(share->low == low && share->high == high); /* one scale */
        low = share->low;
        high = share->high;
        assert_true(kelvin_chart_dependence(&chart, arena, effects, i, classes, 2, 0)); /* as if there were two */
        assert_int_equal(count_series(&chart), named ? 1 : 2);
        const struct chart_point *first = &chart.panel[0].series->points[0];
        assert_near(named ? first->x : first->high,
                    100 * (named ? effect->point[0].p[1].mean : effect->point[0].p[1].high), 1e-12);
    }
    assert_false(kelvin_chart_dependence(&chart, arena, effects, 4, classes, CLASSES, 0));
    kelvin_arena_destroy(arena);
    kelvin_effects_free(effects);
    end(&fit);
}

/* ---- what cannot be ---- */

static kelvin_status find(void *samples)
{
    kelvin_effects *effects;
    const kelvin_status status = kelvin_effects_find(&effects, samples, NULL, 1);
    if (status) assert_null(effects);
    kelvin_effects_free(effects);
    return status;
}

static void refused(void **state)
{
    (void)state;
    struct fit fit;
    kelvin_effects *effects;
    begin(&fit);
    assert_int_equal(kelvin_effects_find(&effects, NULL, NULL, 1), KELVIN_EUSAGE);
    fit.data->channels = 1;
    assert_int_equal(kelvin_effects_find(&effects, fit.samples, NULL, 1), KELVIN_EUSAGE);
    assert_non_null(strstr(kelvin_error(), "images, which have no columns"));
    fit.data->channels = 0;
    assert_true(without_memory(find, fit.samples) > 10);
    end(&fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plain_loops), cmocka_unit_test(threads),
                                       cmocka_unit_test(many_rows),   cmocka_unit_test(many_values),
                                       cmocka_unit_test(charts),      cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
