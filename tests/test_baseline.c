/* Baselines: the linear model against the slope of its objective, by finite differences in double over plain loops;
 * class frequencies by counting; what a folder keeps of them. */
#include "run_helpers.h"

#include "nets.h"
#include "posterior/metric.h"
#include "run/baseline.h"

#include <unistd.h>

enum { ROWS = 90, COLUMNS = 4, CLASSES = 3, PARAMETERS = CLASSES * (COLUMNS + 1) };

/* Labels follow the columns, up to noise: 0 none, 1 much of it. */
static kelvin_data *table(double noise, bool weighted, double split)
{
    static float x[ROWS][COLUMNS];
    static int32_t y[ROWS];
    static double weight[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLUMNS; j++) x[i][j] = (float)(3.7 * (double)j + normal_at(11, i * COLUMNS + j));
        const double a = (double)x[i][0] + 3 * noise * normal_at(12, i), b = (double)x[i][1] - 3.7;
        y[i] = a > 0.4 ? 0 : b > 0 ? 1 : 2;
        weight[i] = 0.25 + 0.25 * (double)(i % 4);
    }
    const kelvin_arrays arrays = {.rows = ROWS,
                                  .columns = COLUMNS,
                                  .x = x[0],
                                  .labels = y,
                                  .classes = CLASSES,
                                  .weights = weighted ? weight : NULL,
                                  .split = split,
                                  .split_seed = 5};
    kelvin_data *data;
    assert_ok(kelvin_data_from_arrays(&data, &arrays));
    return data;
}

/* ---- the linear model ---- */

/* sum w (-log p) + strength / 2 |W|^2 + 1e-3 / 2 |b|^2, as linear.h has it. */
static double objective(const kelvin_part *part, const double *theta, double strength)
{
    double sum = 0;
    for (size_t i = 0; i < part->n; i++) {
        double z[CLASSES], all = 0;
        for (size_t k = 0; k < CLASSES; k++) {
            z[k] = theta[CLASSES * COLUMNS + k];
            for (size_t j = 0; j < COLUMNS; j++) z[k] += theta[k * COLUMNS + j] * (double)part->x[i * COLUMNS + j];
            all += exp(z[k]);
        }
        sum += (part->weight ? (double)part->weight[i] : 1) * (log(all) - z[part->y[i]]);
    }
    for (size_t i = 0; i < PARAMETERS; i++) sum += (i < CLASSES * COLUMNS ? strength : 1e-3) / 2 * theta[i] * theta[i];
    return sum;
}

/* The slope by differences is good to some 1e-8; floats leave 1e-6 of a sum over 90 rows, and the search ends where no
 * slope of the mean is above 1e-5. */
static void the_linear_model_is_a_minimum(void **state)
{
    (void)state;
    const double h = 1e-4, strengths[] = {1, 30};
    for (size_t weighted = 0; weighted < 2; weighted++)
        for (size_t s = 0; s < 2; s++) {
            kelvin_data *data = table(0.3, weighted, -1);
            struct kelvin_linear linear;
            double theta[PARAMETERS], largest = 0;
            assert_ok(kelvin_linear_fit_with(&linear, data, strengths[s], 1));
            assert_int_equal(linear.model->n_params, PARAMETERS);
            for (size_t i = 0; i < PARAMETERS; i++) theta[i] = (double)linear.theta[i];
            for (size_t i = 0; i < PARAMETERS; i++) {
                const double at = theta[i];
                theta[i] = at + h;
                const double up = objective(&data->train, theta, strengths[s]);
                theta[i] = at - h;
                const double down = objective(&data->train, theta, strengths[s]);
                theta[i] = at;
                assert_near((up - down) / (2 * h), 0, 2e-5 * ROWS);
                largest = fmax(largest, fabs(at));
            }
            assert_true(largest > 0.1); /* it is not at its beginning */
            kelvin_linear_free(&linear);
            kelvin_data_close(data);
        }
}

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    kelvin_data *data = table(0.3, true, 0.2);
    struct kelvin_linear one, three;
    assert_ok(kelvin_linear_fit(&one, data, 1));
    assert_ok(kelvin_linear_fit(&three, data, 3));
    assert_bits(one.theta, three.theta, PARAMETERS, "parameters");
    assert_true(one.strength == three.strength);
    kelvin_linear_free(&one);
    kelvin_linear_free(&three);
    kelvin_data_close(data);
}

/* Where labels have nothing to do with the columns, weights are better held at 0. */
static void the_strength_is_found(void **state)
{
    (void)state;
    struct kelvin_linear linear;
    kelvin_data *clear = table(0, false, -1), *noise;
    static float x[ROWS][20];
    static int32_t y[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < 20; j++) x[i][j] = (float)normal_at(13, i * 20 + j);
        y[i] = normal_at(14, i) > 0;
    }
    const kelvin_arrays arrays = {.rows = ROWS, .columns = 20, .x = x[0], .labels = y, .classes = 2, .split = -1};
    assert_ok(kelvin_data_from_arrays(&noise, &arrays));
    assert_ok(kelvin_linear_fit(&linear, clear, 1));
    assert_true(linear.strength == 1);
    assert_int_equal(linear.rows, ROWS);
    kelvin_linear_free(&linear);
    assert_ok(kelvin_linear_fit(&linear, noise, 1));
    assert_true(linear.strength >= 100);
    kelvin_linear_free(&linear);
    kelvin_data_close(clear);
    kelvin_data_close(noise);
}

/* ---- frequencies ---- */

static void frequencies_are_counted(void **state)
{
    (void)state;
    for (size_t weighted = 0; weighted < 2; weighted++) {
        kelvin_data *data = table(0.3, weighted, 0.3);
        struct kelvin_baseline *baseline;
        double count[CLASSES] = {0}, total = 0;
        for (size_t i = 0; i < data->train.n; i++) {
            const double w = data->train.weight ? (double)data->train.weight[i] : 1;
            count[data->train.y[i]] += w;
            total += w;
        }
        assert_ok(kelvin_baseline_make(&baseline, data, 2));
        for (size_t k = 0; k < CLASSES; k++) assert_near(exp((double)baseline->frequency[k]), count[k] / total, 1e-6);
        for (size_t k = 0; k < CLASSES; k++) { /* its logits are those of its parameters */
            const float *x = data->test.x, *w = baseline->linear.theta + k * COLUMNS;
            double z = (double)baseline->linear.theta[CLASSES * COLUMNS + k];
            for (size_t j = 0; j < COLUMNS; j++) z += (double)w[j] * (double)x[j];
            assert_near((double)baseline->logits[KELVIN_TEST][k], z, 1e-5);
        }
        kelvin_baseline_free(baseline);
        kelvin_data_close(data);
    }
}

/* ---- of runs ---- */

static kelvin_run *start(const kelvin_data *data, const char *name)
{
    kelvin_config *config;
    kelvin_run *run;
    static const char *const fields[][2] = {{"preset", "paper"}, {"model", "mlp:3"}, {"prior", "normal:1"},
                                            {"epochs", "4"},     {"chains", "2"},    {"samples", "2"},
                                            {"lr", "1e-3"}};
    assert_ok(kelvin_config_create(&config));
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        assert_ok(kelvin_config_set(config, fields[i][0], fields[i][1]));
    assert_ok(kelvin_run_start_with(&run, config, data, name ? in_base(name) : NULL));
    assert_ok(kelvin_run_sample(&run, 1, NULL, NULL, NULL));
    kelvin_config_destroy(config);
    return run;
}

static double mean_log_p(kelvin_samples *samples, kelvin_baseline_kind kind, const char *on)
{
    kelvin_metrics *m;
    assert_ok(kelvin_baseline_metrics(&m, samples, kind, on, NULL));
    if (!m) return (double)NAN;
    const double value = kelvin_metrics_ensemble(m, kelvin_metric_find("mean_log_likelihood"));
    kelvin_metrics_free(m);
    return value;
}

/* A run in memory, its folder, and the folder without the file say the same; without the data nothing. */
static void a_folder_keeps_them(void **state)
{
    (void)state;
    kelvin_data *data = table(0.3, false, 0.3);
    kelvin_run *inside = start(data, NULL), *run = start(data, "run");
    kelvin_samples *a, *b;
    assert_ok(kelvin_samples_of(&a, inside));
    assert_ok(kelvin_samples_open(&b, in_base("run")));
    static const char *const sides[] = {"train", "test"};
    for (size_t i = 0; i < 2; i++)
        for (kelvin_baseline_kind kind = KELVIN_FREQUENCIES; kind <= KELVIN_LINEAR; kind++) {
            const double found = mean_log_p(a, kind, sides[i]);
            assert_true(found < 0 && found == mean_log_p(b, kind, sides[i]));
            if (kind == KELVIN_LINEAR) assert_true(found > mean_log_p(a, KELVIN_FREQUENCIES, sides[i]) + 0.2);
        }
    kelvin_samples_close(b);
    assert_ok(kelvin_run_verify(run));
    assert_true(kelvin_run_finished(run));
    assert_int_equal(unlink(in_base("run/" KELVIN_BASELINE_FILE)), 0);
    assert_false(kelvin_run_finished(run));
    assert_ok(kelvin_samples_open(&b, in_base("run"))); /* its data were in memory, and cannot be opened again */
    assert_true(isnan(mean_log_p(b, KELVIN_LINEAR, "test")));
    kelvin_samples_close(b);
    assert_ok(kelvin_run_sample(&run, 1, NULL, NULL, NULL));
    assert_true(kelvin_run_finished(run));
    assert_ok(kelvin_samples_open(&b, in_base("run")));
    assert_true(mean_log_p(b, KELVIN_LINEAR, "test") == mean_log_p(a, KELVIN_LINEAR, "test"));
    kelvin_samples_close(b);
    kelvin_samples_close(a);
    kelvin_run_close(run);
    kelvin_run_close(inside);
    kelvin_data_close(data);
}

static kelvin_status fit_and_drop(void *context)
{
    struct kelvin_baseline *baseline;
    KELVIN_TRY(kelvin_baseline_make(&baseline, context, 2));
    kelvin_baseline_free(baseline);
    return KELVIN_OK;
}

static kelvin_status measure_and_drop(void *context)
{
    kelvin_samples *samples;
    kelvin_metrics *m = NULL;
    KELVIN_TRY(kelvin_samples_open(&samples, context));
    const kelvin_status status = kelvin_baseline_metrics(&m, samples, KELVIN_LINEAR, "test", NULL);
    kelvin_metrics_free(m);
    kelvin_samples_close(samples);
    return status;
}

static void memory_may_be_short(void **state)
{
    (void)state;
    kelvin_data *data = table(0.3, true, 0.3);
    assert_true(without_memory(fit_and_drop, data) > 20);
    kelvin_run_close(start(data, "short"));
    assert_true(without_memory(measure_and_drop, (void *)in_base("short")) > 10);
    kelvin_data_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_linear_model_is_a_minimum), cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(the_strength_is_found),         cmocka_unit_test(frequencies_are_counted),
        cmocka_unit_test(a_folder_keeps_them),           cmocka_unit_test(memory_may_be_short),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
