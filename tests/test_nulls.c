/* What a program hands in that has not looked at a status: NULL gets a sentence that names function and argument, and
 * no crash; what is not there has no number. */
#include <kelvin/kelvin.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void refused(kelvin_status status, const char *function, const char *argument)
{
    char expected[96];
    snprintf(expected, sizeof expected, "%s: %s is NULL", function, argument);
    assert_int_equal(status, KELVIN_EUSAGE);
    assert_string_equal(kelvin_error(), expected);
}

static void test_inputs(void **state)
{
    (void)state;
    const kelvin_arrays arrays = {0};
    kelvin_data *data = (kelvin_data *)&arrays; /* anything but NULL */
    kelvin_inputs *inputs;
    refused(kelvin_data_from_arrays(NULL, &arrays), "kelvin_data_from_arrays", "data");
    refused(kelvin_data_from_arrays(&data, NULL), "kelvin_data_from_arrays", "arrays");
    assert_null(data); /* so that it can be closed */
    refused(kelvin_data_open(&data, NULL), "kelvin_data_open", "spec");
    refused(kelvin_inputs_open(&inputs, "x.csv", NULL, false), "kelvin_inputs_open", "like");
}

static void test_runs(void **state)
{
    (void)state;
    kelvin_config *config;
    kelvin_run *run = NULL;
    char text[16];
    assert_int_equal(kelvin_config_create(&config), KELVIN_OK);
    refused(kelvin_config_set(NULL, "model", "mlp:2"), "kelvin_config_set", "config");
    refused(kelvin_config_set(config, NULL, "mlp:2"), "kelvin_config_set", "field");
    refused(kelvin_config_get(config, NULL, text, sizeof text), "kelvin_config_get", "field");
    refused(kelvin_config_read(config, NULL), "kelvin_config_read", "path");
    refused(kelvin_run_start(&run, NULL, NULL), "kelvin_run_start", "config");
    refused(kelvin_run_start_with(&run, config, NULL, NULL), "kelvin_run_start_with", "data");
    refused(kelvin_run_open(&run, NULL), "kelvin_run_open", "folder");
    refused(kelvin_run_sample(NULL, 1, NULL, NULL, NULL), "kelvin_run_sample", "runs");
    refused(kelvin_run_sample(&run, 1, NULL, NULL, NULL), "kelvin_run_sample", "runs[r]");
    kelvin_config_destroy(config);
}

static void test_answers(void **state)
{
    (void)state;
    kelvin_samples *samples;
    kelvin_logits *logits;
    kelvin_metrics *metrics;
    kelvin_diagnosis *diagnosis;
    const char *found;
    const float x[1] = {0};
    float z[1];
    double p[1];
    kelvin_inputs *inputs;
    const kelvin_new_rows rows = {.rows = 1, .x = x};
    refused(kelvin_samples_of(&samples, NULL), "kelvin_samples_of", "run");
    assert_null(samples);
    refused(kelvin_predict(NULL, p, x, 1, 1), "kelvin_predict", "samples");
    refused(kelvin_predict_logits(NULL, z, x, 1, 1), "kelvin_predict_logits", "samples");
    refused(kelvin_predict_rows(NULL, p, NULL, &rows, 1), "kelvin_predict_rows", "samples");
    refused(kelvin_predict_logits_rows(NULL, z, &rows, 1), "kelvin_predict_logits_rows", "samples");
    refused(kelvin_inputs_from_rows(&inputs, NULL, NULL), "kelvin_inputs_from_rows", "rows");
    refused(kelvin_logits_on(&logits, &found, NULL, "test", 1), "kelvin_logits_on", "samples");
    assert_null(logits);
    refused(kelvin_evaluate(&metrics, NULL, NULL), "kelvin_evaluate", "logits");
    refused(kelvin_diagnose(&diagnosis, NULL, 1), "kelvin_diagnose", "samples");
    refused(kelvin_samples_open_partly(&samples, NULL), "kelvin_samples_open_partly", "folder");
    assert_null(samples);
    refused(kelvin_confusion_create(NULL, 2), "kelvin_confusion_create", "confusion");
    refused(kelvin_confusion_add(NULL, NULL), "kelvin_confusion_add", "confusion");
    refused(kelvin_confusion_conclude(NULL), "kelvin_confusion_conclude", "confusion");
    kelvin_effects *effects;
    refused(kelvin_effects_find(&effects, NULL, NULL, 1), "kelvin_effects_find", "samples");
    kelvin_effects_free(effects);
    kelvin_confusion_free(NULL);
    kelvin_metrics_free(metrics);
    kelvin_diagnosis_free(diagnosis);
}

static void test_parts(void **state)
{
    (void)state;
    kelvin_density *density;
    kelvin_model *model;
    kelvin_sampler *sampler;
    const kelvin_shape shape = {2, 1, 1};
    refused(kelvin_density_create(&density, NULL), "kelvin_density_create", "text");
    refused(kelvin_model_create(&model, NULL, shape, 2), "kelvin_model_create", "spec");
    refused(kelvin_sampler_create(&sampler, "hmc", NULL, 1, 0), "kelvin_sampler_create", "target");
}

/* ---- what is not there ---- */

static kelvin_status fit(kelvin_run **run, kelvin_samples **samples, kelvin_data *data)
{
    kelvin_config *config;
    KELVIN_TRY(kelvin_config_create(&config));
    kelvin_status status = kelvin_config_set(config, "preset", "paper");
    if (!status) status = kelvin_config_set(config, "epochs", "2");
    if (!status) status = kelvin_config_set(config, "chains", "2");
    if (!status) status = kelvin_config_set(config, "model", "mlp:2");
    if (!status) status = kelvin_run_start_with(run, config, data, NULL);
    if (!status) status = kelvin_run_sample(run, 1, NULL, NULL, NULL);
    if (!status) status = kelvin_samples_of(samples, *run);
    kelvin_config_destroy(config);
    return status;
}

static void test_not_there(void **state)
{
    (void)state;
    kelvin_data *data = NULL;
    kelvin_run *run = NULL;
    kelvin_samples *samples = NULL;
    kelvin_logits *logits = NULL;
    kelvin_metrics *metrics = NULL, *again = NULL;
    const char *found;
    assert_int_equal(kelvin_data_open(&data, "toy"), KELVIN_OK);
    assert_int_equal(fit(&run, &samples, data), KELVIN_OK);
    assert_int_equal(kelvin_logits_on(&logits, &found, samples, "train", 1), KELVIN_OK);
    assert_int_equal(kelvin_evaluate(&metrics, logits, NULL), KELVIN_OK);
    const size_t none = kelvin_metric_find("no such metric");
    assert_int_equal(none, kelvin_metrics_count());
    for (size_t i = none; i < none + 3; i++) {
        assert_true(isnan(kelvin_metrics_ensemble(metrics, i)));
        assert_true(isnan(kelvin_metrics_single(metrics, i).mean));
        assert_true(isnan(kelvin_metrics_spread(metrics, i).median));
        assert_true(isnan(kelvin_metrics_by_size(metrics, 0, i).mean));
    }
    assert_true(isfinite(kelvin_metrics_ensemble(metrics, none - 1)));
    assert_int_equal(kelvin_evaluate(&again, logits, NULL), KELVIN_EUSAGE);
    assert_non_null(strstr(kelvin_error(), "read to their end already"));
    assert_null(again);
    kelvin_metrics_free(metrics);
    kelvin_logits_close(logits);
    kelvin_samples_close(samples);
    kelvin_run_close(run);
    kelvin_data_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inputs), cmocka_unit_test(test_runs),      cmocka_unit_test(test_answers),
        cmocka_unit_test(test_parts),  cmocka_unit_test(test_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
