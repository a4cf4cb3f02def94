/* A table of runs and what is to be made of each: those that failed are called what they are, each with the field to
 * change, and those that are good are called sound. The data are made here, like those on which the failures were met:
 * flowers in three kinds, wines, cells, two moons, clusters in 20 columns, 50 rows; and digits. */
#include "run_helpers.h"

#include "nets.h"
#include "run/bundle.h"

#include <stdio.h>

enum { MOST = 600, MOST_COLUMNS = 30 };

/* ---- data ---- */

struct table {
    size_t rows, columns, classes;
    float x[MOST][MOST_COLUMNS];
    int32_t y[MOST];
};

/* Two columns more per class than share a noise of their own: as lengths and widths of leaves do. Classes are `apart`
 * deviations. */
static void fill_clouds(struct table *t, uint32_t stream, double apart)
{
    for (size_t i = 0; i < t->rows; i++) {
        const size_t k = i % t->classes;
        const double size = normal_at(stream, MOST * MOST_COLUMNS + i);
        t->y[i] = (int32_t)k;
        for (size_t j = 0; j < t->columns; j++) {
            const double mean = apart * normal_at(stream + 1, k * MOST_COLUMNS + j);
            t->x[i][j] = (float)(3 + mean + 0.7 * size + 0.7 * normal_at(stream, i * MOST_COLUMNS + j));
        }
    }
}

static void flowers(struct table *t)
{
    *t = (struct table){.rows = 150, .columns = 4, .classes = 3};
    fill_clouds(t, 21, 1.4);
}

static void wines(struct table *t)
{
    *t = (struct table){.rows = 178, .columns = 13, .classes = 3};
    fill_clouds(t, 23, 0.9);
}

static void cells(struct table *t)
{
    *t = (struct table){.rows = 569, .columns = 30, .classes = 2};
    fill_clouds(t, 25, 0.6);
}

static void fifty(struct table *t)
{
    *t = (struct table){.rows = 50, .columns = 5, .classes = 2};
    fill_clouds(t, 27, 1.0);
}

static void moons(struct table *t)
{
    *t = (struct table){.rows = 400, .columns = 2, .classes = 2};
    for (size_t i = 0; i < t->rows; i++) {
        const double at = 3.14159265 * (double)(i / 2) / 200, noise = 0.25;
        const bool second = i % 2;
        t->y[i] = second;
        t->x[i][0] = (float)((second ? 1 - cos(at) : cos(at)) + noise * normal_at(29, 2 * i));
        t->x[i][1] = (float)((second ? 0.5 - sin(at) : sin(at)) + noise * normal_at(29, 2 * i + 1));
    }
}

/* Two clusters of each class, in six of 20 columns. */
static void clusters(struct table *t)
{
    *t = (struct table){.rows = 600, .columns = 20, .classes = 3};
    for (size_t i = 0; i < t->rows; i++) {
        const size_t cluster = i % 6;
        t->y[i] = (int32_t)(cluster % 3);
        for (size_t j = 0; j < t->columns; j++) {
            const double mean = j < 6 ? 2.5 * normal_at(32, cluster * MOST_COLUMNS + j) : 0;
            t->x[i][j] = (float)(mean + normal_at(31, i * MOST_COLUMNS + j));
        }
    }
}

/* Most rows are of one class, and the columns tell little of which: class frequencies are hard to beat. */
static void customers(struct table *t)
{
    *t = (struct table){.rows = 600, .columns = 3, .classes = 2};
    for (size_t i = 0; i < t->rows; i++) {
        for (size_t j = 0; j < t->columns; j++) t->x[i][j] = (float)normal_at(33, i * MOST_COLUMNS + j);
        t->y[i] = 0.45 * (double)t->x[i][0] + 1.5 * normal_at(34, i) > 1.3;
    }
}

static kelvin_data *open(void (*fill)(struct table *), double split)
{
    static struct table t;
    static float x[MOST * MOST_COLUMNS];
    kelvin_data *data;
    if (!fill) {
        assert_ok(kelvin_data_open(&data, "digits"));
        return data;
    }
    fill(&t);
    for (size_t i = 0; i < t.rows; i++) memcpy(x + i * t.columns, t.x[i], t.columns * sizeof *x);
    const kelvin_arrays arrays = {.rows = t.rows,
                                  .columns = t.columns,
                                  .x = x,
                                  .labels = t.y,
                                  .classes = t.classes,
                                  .split = split,
                                  .split_seed = 1};
    assert_ok(kelvin_data_from_arrays(&data, &arrays));
    return data;
}

/* ---- runs ---- */

struct settings {
    const char *model, *prior, *lr, *epochs, *chains;
};

/* The defaults of version 0.8, with steps ten times as large and a tenth as many of them: to the same posterior. */
static const struct settings paper = {"mlp:20,20,20,leak=0.01", "normal:0.1", "1e-3", "500", "8"};
static const struct settings shorter = {"mlp:20,20,20,leak=0.01", "normal:0.1", "3e-3", "60", "8"};
static const struct settings unsettled = {"mlp:20,20,20,leak=0.01", "normal:1", "1e-4", "500", "8"};
static const struct settings good = {"mlp:20", "normal:1", "2e-2", "500", "8"};
static const struct settings modest = {"mlp:10", "normal:0.5", "5e-2", "500", "8"};
static const struct settings quick = {"mlp:10", "normal:1", "5e-2", "150", "8"};

static kelvin_run *sample(const kelvin_data *data, const struct settings *s)
{
    const char *const fields[][2] = {{"preset", "paper"},   {"model", s->model},   {"prior", s->prior},   {"lr", s->lr},
                                     {"epochs", s->epochs}, {"chains", s->chains}, {"samples", s->chains}};
    kelvin_config *config;
    kelvin_run *run;
    assert_ok(kelvin_config_create(&config));
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        assert_ok(kelvin_config_set(config, fields[i][0], fields[i][1]));
    assert_ok(kelvin_run_start_with(&run, config, data, NULL));
    assert_ok(kelvin_run_sample(&run, 1, &(kelvin_run_options){.threads = 2, .checkpoint = 60}, NULL, NULL));
    kelvin_config_destroy(config);
    return run;
}

/* A chain that knows nothing but the majority: no weight, and a bias towards one class. */
static void stick(kelvin_run *run, uint32_t chain)
{
    const struct kelvin_bundle *kept = &kelvin_run_inside(run)->kept[chain];
    const kelvin_model *model = run->model;
    for (uint32_t draw = 0; draw < kept->draws; draw++)
        for (size_t i = 0; i < model->n_tensors; i++) {
            const kelvin_tensor *tensor = &model->tensor[i];
            float *at = kelvin_bundle_at(kept, tensor, draw);
            for (size_t k = 0; k < kelvin_tensor_size(tensor); k++) at[k] = 0;
            if (i + 1 == model->n_tensors) at[0] = 0.5f;
        }
}

/* ---- the table ---- */

static const struct row {
    const char *name;
    void (*data)(struct table *); /* NULL: digits */
    const struct settings *settings;
    unsigned stuck; /* chains */
    bool no_test;
    kelvin_grade grade;
    const char *code; /* the first piece of advice; NULL: none that counts */
    const char *says; /* somewhere in the advice: the field to change */
} rows[] = {
    {"flowers, as in 0.8", flowers, &paper, 0, false, KELVIN_FAILED, "nothing-learnt", "prior = auto"},
    {"wines, as in 0.8", wines, &paper, 0, false, KELVIN_FAILED, NULL, "prior = auto"},
    {"cells, as in 0.8", cells, &paper, 0, false, KELVIN_FAILED, "worse-than-linear", "prior = auto"},
    {"moons, as in 0.8", moons, &paper, 0, false, KELVIN_FAILED, "nothing-learnt", "prior = auto"},
    {"clusters, as in 0.8", clusters, &paper, 0, false, KELVIN_FAILED, "nothing-learnt", "prior = auto"},
    {"fifty rows, as in 0.8", fifty, &paper, 0, false, KELVIN_FAILED, "nothing-learnt", "prior = auto"},
    {"digits, as in 0.8", NULL, &shorter, 0, false, KELVIN_FAILED, "worse-than-linear", "prior = auto"},
    {"flowers, unsettled", flowers, &unsettled, 0, false, KELVIN_FAILED, "worse-than-linear", "lr = auto"},
    {"moons, unsettled", moons, &unsettled, 0, false, KELVIN_CARE, NULL, "lr = auto"},
    {"flowers, one chain stuck", flowers, &good, 1, false, KELVIN_CARE, "chains-stand-out", "Chain 0 of 8 stands out"},
    {"cells, two chains stuck", cells, &good, 2, false, KELVIN_FAILED, "chains-stand-out", "Chains 0, 1 of 8 stand"},
    {"flowers", flowers, &good, 0, false, KELVIN_SOUND, NULL, NULL},
    {"wines", wines, &good, 0, false, KELVIN_SOUND, NULL, NULL},
    {"cells", cells, &good, 0, false, KELVIN_SOUND, NULL, NULL},
    {"moons", moons, &good, 0, false, KELVIN_SOUND, NULL, NULL},
    {"clusters", clusters, &good, 0, false, KELVIN_SOUND, NULL, NULL},
    {"fifty rows", fifty, &good, 0, false, KELVIN_SOUND, NULL, NULL},
    {"digits", NULL, &quick, 0, false, KELVIN_SOUND, NULL, NULL},
    {"customers", customers, &modest, 0, false, KELVIN_SOUND, NULL, NULL},
    {"flowers, without a test part", flowers, &good, 0, true, KELVIN_SOUND, NULL, NULL},
    {"flowers, as in 0.8, without a test part", flowers, &paper, 0, true, KELVIN_FAILED, "nothing-learnt",
     "prior = auto"},
};

static bool is_said(const kelvin_diagnosis *d, const char *text)
{
    for (size_t i = 0; kelvin_diagnosis_advice(d, i); i++)
        if (strstr(kelvin_diagnosis_advice(d, i)->text, text)) return true;
    return false;
}

/* Whether it is as the row says; in any case what was found. */
static bool judge(const struct row *row)
{
    kelvin_data *data = open(row->data, row->no_test ? -1 : 0.2);
    kelvin_run *run = sample(data, row->settings);
    kelvin_samples *samples;
    kelvin_diagnosis *d;
    for (uint32_t i = 0; i < row->stuck; i++) stick(run, i);
    assert_ok(kelvin_samples_of(&samples, run));
    assert_ok(kelvin_diagnose_briefly(&d, samples, 2));
    const kelvin_advice *first = kelvin_diagnosis_advice(d, 0);
    const bool right = kelvin_diagnosis_grade(d) == row->grade && (!row->code || strcmp(first->code, row->code) == 0) &&
                       (!row->says || is_said(d, row->says));
    print_message("%s%s: %s\n", right ? "" : "WRONG ", row->name, kelvin_diagnosis_verdict(d));
    for (size_t i = 0; !right && kelvin_diagnosis_advice(d, i); i++)
        print_message("    %s: %s\n", kelvin_diagnosis_advice(d, i)->code, kelvin_diagnosis_advice(d, i)->text);
    kelvin_diagnosis_free(d);
    kelvin_samples_close(samples);
    kelvin_run_close(run);
    kelvin_data_close(data);
    return right;
}

static void runs_are_called_what_they_are(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) wrong += !judge(&rows[i]);
    assert_int_equal(wrong, 0);
}

/* ---- its numbers, by plain loops ---- */

struct plain {
    double log_p, hits, confidence;
    double beyond[2], squares[2]; /* sums of differences, and of their squares */
};

/* Of row i: p (classes) by kelvin_predict, and what the baselines say. */
static void add_row(struct plain *sum, const double *p, const double *baseline, size_t classes, size_t label)
{
    size_t top = 0;
    for (size_t k = 1; k < classes; k++)
        if (p[k] > p[top]) top = k;
    sum->log_p += log(p[label]);
    sum->hits += top == label;
    sum->confidence += p[top];
    for (size_t b = 0; b < 2; b++) {
        const double difference = log(p[label]) - baseline[b];
        sum->beyond[b] += difference;
        sum->squares[b] += difference * difference;
    }
}

/* log p of each row's label by a baseline. */
static void ask_baseline(double *log_p, kelvin_samples *samples, kelvin_baseline_kind kind, size_t classes)
{
    kelvin_logits *logits;
    kelvin_piece piece;
    assert_ok(kelvin_baseline_on(&logits, samples, kind, "test", 1));
    for (;;) {
        assert_ok(kelvin_logits_next(logits, &piece));
        if (piece.n == 0) break;
        for (size_t i = 0; i < piece.n; i++) {
            double all = 0;
            for (size_t k = 0; k < classes; k++) all += exp((double)piece.z[i * classes + k]);
            log_p[piece.first + i] = (double)piece.z[i * classes + (size_t)piece.y[i]] - log(all);
        }
    }
    kelvin_logits_close(logits);
}

/* How often a calibrated model is off by chance, from 4,000 draws of labels: the mean of calibration errors in 15 bins.
 * Its standard error is below 1 % of it; the closed form takes sums of few draws for normal, which is off by less than
 * a tenth here. */
static double drawn_by_chance(const double *confidence, size_t n)
{
    enum { DRAWS = 4000, BINS = 15 };
    double mean = 0;
    for (size_t d = 0; d < DRAWS; d++) {
        double gap[BINS] = {0};
        for (size_t i = 0; i < n; i++) {
            const size_t bin = (size_t)fmin(fmax(ceil(confidence[i] * BINS) - 1, 0), BINS - 1);
            gap[bin] += (erfc(-normal_at(41, d * n + i) / sqrt(2)) / 2 < confidence[i]) - confidence[i];
        }
        for (size_t b = 0; b < BINS; b++) mean += fabs(gap[b]) / (double)n / DRAWS;
    }
    return mean;
}

static void numbers_are_right(void **state)
{
    (void)state;
    enum { ROWS = 80 };
    kelvin_data *data = open(moons, 0.2);
    kelvin_run *run = sample(data, &quick);
    kelvin_samples *samples;
    kelvin_diagnosis *d;
    double p[2 * ROWS], baseline[2][ROWS], confidence[ROWS];
    float x[2 * ROWS];
    struct plain sum = {0};
    assert_ok(kelvin_samples_of(&samples, run));
    assert_ok(kelvin_diagnose_briefly(&d, samples, 2));
    assert_int_equal(data->test.n, ROWS);
    for (size_t i = 0; i < 2 * ROWS; i++) /* as it was measured */
        x[i] = (float)((double)data->test.x[i] * data->deviation[i % 2] + data->mean[i % 2]);
    assert_ok(kelvin_predict(samples, p, x, ROWS, 1));
    for (size_t b = 0; b < 2; b++) ask_baseline(baseline[b], samples, (kelvin_baseline_kind)b, 2);
    for (size_t i = 0; i < ROWS; i++) {
        add_row(&sum, p + 2 * i, (const double[]){baseline[0][i], baseline[1][i]}, 2, (size_t)data->test.y[i]);
        confidence[i] = fmax(p[2 * i], p[2 * i + 1]);
    }
    /* inputs were rounded on their way to what was measured and back */
    assert_near(kelvin_diagnosis_number(d, "log_likelihood"), sum.log_p / ROWS, 1e-5);
    static const char *const names[] = {"beyond_frequencies", "beyond_linear"};
    for (size_t b = 0; b < 2; b++) {
        char error[64];
        const double mean = sum.beyond[b] / ROWS;
        snprintf(error, sizeof error, "%s_error", names[b]);
        assert_near(kelvin_diagnosis_number(d, names[b]), mean, 1e-5);
        assert_near(kelvin_diagnosis_number(d, error), sqrt((sum.squares[b] / ROWS - mean * mean) / (ROWS - 1)), 1e-5);
    }
    const double chance = drawn_by_chance(confidence, ROWS);
    assert_near(kelvin_diagnosis_number(d, "calibration_error_by_chance"), chance, 0.1 * chance);
    assert_true(isnan(kelvin_diagnosis_number(d, "nothing of the kind")));
    kelvin_diagnosis_free(d);
    kelvin_samples_close(samples);
    kelvin_run_close(run);
    kelvin_data_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_are_called_what_they_are),
                                       cmocka_unit_test(numbers_are_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
