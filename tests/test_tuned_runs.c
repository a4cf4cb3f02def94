/* Runs of all data whose kernel is tuned to their posterior: the numbers that are written down, that what was said
 * stays, that runs of these numbers are those of a fixed kernel, and that they sample what a long plain HMC does. */
#include "chains_helpers.h"

#include "run/tune.h"

static const char *const names[] = {"hmc", "mclmc"};
enum { NAMES = 2 };

static kelvin_run_config open_by(const char *name)
{
    kelvin_run_config config;
    assert_ok(kelvin_run_defaults(&config, name));
    config.data = table_spec;
    config.model = "mlp:6";
    config.density = "categorical";
    config.prior = "fan-in:1";
    config.chains = 4;
    config.seed = 2385;
    return config;
}

static double setting_of(const kelvin_run_config *config, const char *name)
{
    const kelvin_sampler_type *type = sampler_named(config->sampler);
    for (size_t i = 0; i < kelvin_count_settings(type); i++)
        if (strcmp(type->setting[i].name, name) == 0) return config->setting[i];
    fail_msg("%s has no setting %s", config->sampler, name);
    return 0;
}

static kelvin_data *opened_data(void)
{
    kelvin_data *data;
    assert_ok(kelvin_data_open(&data, table_spec));
    return data;
}

static bool four_digits(double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.4g", x);
    return strtod(text, NULL) == x;
}

/* ---- numbers ---- */

static void numbers_do_not_depend_on_threads(void **state)
{
    (void)state;
    kelvin_data *data = opened_data();
    for (int s = 0; s < NAMES; s++) {
        const kelvin_sampler_type *type = sampler_named(names[s]);
        kelvin_run_config config[2];
        struct kelvin_tuned tuned[2];
        for (int k = 0; k < 2; k++) {
            config[k] = open_by(names[s]);
            assert_ok(kelvin_run_tune(&config[k], &tuned[k],
                                      &(struct kelvin_tuner){.data = data, .threads = k == 0 ? 1 : 3}));
        }
        assert_memory_equal(config[0].setting, config[1].setting, sizeof config[0].setting);
        assert_string_equal(config[0].scale, config[1].scale);
        assert_int_equal(config[0].iterations, config[1].iterations);
        assert_true(config[0].warmup > 0 && config[0].warmup < config[0].iterations);
        assert_true(tuned[0].chains >= 4 && tuned[0].draws >= 1 && tuned[0].draws < 20);
        assert_true(type->accepts ? tuned[0].acceptance > 0.6 && tuned[0].acceptance < 0.97
                                  : isnan(tuned[0].acceptance));
        for (size_t i = 0; i < kelvin_count_settings(type); i++)
            assert_true(four_digits(config[0].setting[i]) && config[0].setting[i] > 0);
        print_message("%s: step size %g, steps %g, scale %s; %.1f draws for one\n", names[s],
                      setting_of(&config[0], "step_size"), setting_of(&config[0], "steps"), config[0].scale,
                      tuned[0].draws);
    }
    kelvin_data_close(data);
}

/* Fields of this list, "a b c", were said. */
static bool is_said(const void *context, const char *field)
{
    const char *at = strstr(context, field);
    return at && (at[strlen(field)] == ' ' || !at[strlen(field)]);
}

static void what_was_said_stays(void **state)
{
    (void)state;
    kelvin_data *data = opened_data();
    struct kelvin_tuned tuned;
    struct kelvin_tuner how = {.data = data, .said = is_said, .threads = 2};
    kelvin_run_config config = open_by("hmc");
    set(&config, "step_size", 0.03);
    config.iterations = 70;
    how.whose = "step_size iterations";
    assert_ok(kelvin_run_tune(&config, &tuned, &how));
    assert_true(setting_of(&config, "step_size") == 0.03 && setting_of(&config, "jitter") == 1);
    assert_true(setting_of(&config, "steps") > 5 && setting_of(&config, "steps") < 300);
    assert_true(config.iterations == 70 && config.warmup == 21);

    config = open_by("hmc");
    set(&config, "steps", 9);
    config.scale = "0.5,1,0.5,2";
    config.warmup = 33;
    how.whose = "steps scale warmup";
    assert_ok(kelvin_run_tune(&config, &tuned, &how));
    assert_true(setting_of(&config, "steps") == 9 && setting_of(&config, "jitter") == 0);
    assert_true(setting_of(&config, "step_size") > 0.01 && setting_of(&config, "step_size") < 1);
    assert_string_equal(config.scale, "0.5,1,0.5,2");
    assert_true(config.warmup == 33 && config.iterations >= 633);

    config = open_by("mclmc");
    set(&config, "length", 3);
    set(&config, "steps", 11);
    how.whose = "length steps";
    assert_ok(kelvin_run_tune(&config, &tuned, &how));
    assert_true(setting_of(&config, "length") == 3 && setting_of(&config, "steps") == 11);
    assert_true(setting_of(&config, "step_size") > 0);

    config = open_by("sghmc");
    const kelvin_run_config before = config;
    assert_ok(kelvin_run_tune(&config, &tuned, &how));
    assert_memory_equal(&config, &before, sizeof config);
    kelvin_data_close(data);
}

/* ---- runs of these numbers ---- */

/* The same folder by threads, and resumed after every iteration. */
static void runs_are_of_a_fixed_kernel(void **state)
{
    (void)state;
    kelvin_data *data = opened_data();
    for (int s = 0; s < NAMES; s++) {
        kelvin_run_config config = open_by(names[s]);
        struct kelvin_tuned tuned;
        assert_ok(kelvin_run_tune(&config, &tuned, &(struct kelvin_tuner){.data = data, .threads = 2}));
        config.iterations = 60;
        config.warmup = 30;
        whole_run(&config, "one", 1, 1e9);
        whole_run(&config, "three", 3, 0);
        same_runs("one", "three");
        remove_tree(in_base("one"));
        remove_tree(in_base("three"));
    }
    kelvin_data_close(data);
}

/* Probabilities of the first class at test rows, and the log-posterior's own: means over draws of each chain. */
enum { ROWS = 15, CHAINS = 8 };

static void mean_predictions(double mean[ROWS], double error[ROWS], const kelvin_run_config *config)
{
    kelvin_run *run;
    kelvin_samples *samples;
    kelvin_posterior *pass;
    static double sum[CHAINS][ROWS];
    size_t count[CHAINS] = {0};
    memset(sum, 0, sizeof sum);
    assert_int_equal(config->chains, CHAINS);
    assert_ok(kelvin_run_begin(&run, config, NULL));
    assert_int_equal(run->data->test.n, ROWS);
    assert_ok(kelvin_run_sample(&run, 1, NULL, NULL, NULL));
    assert_ok(kelvin_samples_of(&samples, run));
    assert_ok(kelvin_pass_create(&pass, run, 1));
    assert_ok(kelvin_posterior_set_batch(pass, run->data->test.x, kelvin_unlabelled, ROWS));
    float *theta = kelvin_alloc(run->model->n_params, sizeof *theta), logits[ROWS][3];
    for (size_t i = 0; i < samples->n; i++) {
        assert_ok(kelvin_samples_read(samples, theta, i));
        kelvin_posterior_logits(pass, logits[0], theta);
        count[samples->chain[i]]++;
        for (int r = 0; r < ROWS; r++) {
            double total = 0;
            for (int k = 0; k < 3; k++) total += exp((double)(logits[r][k] - logits[r][0]));
            sum[samples->chain[i]][r] += 1 / total;
        }
    }
    for (int r = 0; r < ROWS; r++) {
        double square = 0;
        mean[r] = 0;
        for (int c = 0; c < CHAINS; c++) mean[r] += sum[c][r] / (double)count[c] / CHAINS;
        for (int c = 0; c < CHAINS; c++) square += pow(sum[c][r] / (double)count[c] - mean[r], 2);
        error[r] = sqrt(square / (CHAINS * (CHAINS - 1)));
    }
    kelvin_free(theta);
    kelvin_posterior_destroy(pass);
    kelvin_samples_close(samples);
    kelvin_run_close(run);
}

/* Errors are from the means of eight chains: of 15 rows none is off by more than 6 of them (7 degrees of freedom: that
 * is one in 2,000), and all error bars say something. */
static void they_sample_what_plain_hmc_does(void **state)
{
    (void)state;
    kelvin_data *data = opened_data();
    double mean[NAMES + 1][ROWS], error[NAMES + 1][ROWS];
    for (int s = 0; s < NAMES; s++) {
        kelvin_run_config config = open_by(names[s]);
        struct kelvin_tuned tuned;
        assert_ok(kelvin_run_tune(&config, &tuned, &(struct kelvin_tuner){.data = data, .threads = 2}));
        config.chains = CHAINS;
        mean_predictions(mean[s], error[s], &config);
    }
    kelvin_run_config plain = open_by("hmc");
    plain.chains = CHAINS;
    plain.iterations = 1300;
    plain.warmup = 300;
    set(&plain, "step_size", 0.025);
    set(&plain, "steps", 60);
    mean_predictions(mean[NAMES], error[NAMES], &plain);
    for (int s = 0; s < NAMES; s++)
        for (int r = 0; r < ROWS; r++) {
            const double allowed = 6 * hypot(error[s][r], error[NAMES][r]);
            assert_below(error[s][r], 0.01);
            if (!(fabs(mean[s][r] - mean[NAMES][r]) < allowed))
                fail_msg("%s, row %d: %g, plain HMC %g +- %g", names[s], r, mean[s][r], mean[NAMES][r], allowed / 6);
        }
    kelvin_data_close(data);
}

/* ---- what goes wrong ---- */

static bool stop_at_once(void *context)
{
    (void)context;
    return false;
}

static void it_can_be_stopped(void **state)
{
    (void)state;
    kelvin_data *data = opened_data();
    kelvin_run_config config = open_by("hmc");
    struct kelvin_tuned tuned;
    assert_int_equal(kelvin_run_tune(&config, &tuned, &(struct kelvin_tuner){.data = data, .watch = stop_at_once}),
                     KELVIN_ESTOP);
    /* steps of a size that nothing is accepted with */
    set(&config, "step_size", 1e6);
    const struct kelvin_tuner how = {.data = data, .said = is_said, .whose = "step_size"};
    assert_int_equal(kelvin_run_tune(&config, &tuned, &how), KELVIN_EDIVERGED);
    assert_non_null(strstr(kelvin_error(), "nothing was accepted in its warm-up; make step_size smaller"));
    kelvin_data_close(data);
}

static void a_run_that_accepts_nothing_ends(void **state)
{
    (void)state;
    kelvin_run_config config = open_by("hmc");
    kelvin_run *run;
    set(&config, "step_size", 1e6);
    set(&config, "steps", 3);
    config.iterations = 400;
    config.warmup = 120;
    assert_ok(kelvin_run_begin(&run, &config, NULL));
    assert_ok(kelvin_run_sample(&run, 1, NULL, NULL, NULL));
    for (uint32_t c = 0; c < config.chains; c++) {
        const char *sentence = kelvin_run_diverged(run, c);
        assert_non_null(sentence);
        assert_non_null(strstr(sentence, "ended at iteration 99: nothing was accepted in its warm-up"));
    }
    kelvin_run_close(run);
}

static void scales_that_do_not_fit(void **state)
{
    (void)state;
    static const char *const table[][2] = {{"1,1,1", "number 4 (of layers.1.bias) is missing"},
                                           {"", "number 1 (of layers.0.weight) is missing"},
                                           {"1,,1,1", "number 2 (of layers.0.bias) is missing"},
                                           {"1,1,1,1,1", "number 4 (of layers.1.bias) is not the last one"},
                                           {"1,x,1,1", "number 2 (of layers.0.bias) is not a number"},
                                           {"1,0,1,1", "number 2 (of layers.0.bias) is out of range"},
                                           {"1,1,-2,1", "number 3 (of layers.1.weight) is out of range"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        kelvin_run_config config = open_by("hmc");
        kelvin_run *run;
        config.scale = table[i][0];
        assert_int_equal(kelvin_run_begin(&run, &config, NULL), KELVIN_EUSAGE);
        if (!strstr(kelvin_error(), table[i][1])) fail_msg("%s: %s", table[i][0], kelvin_error());
    }
}

static kelvin_status tune_small(void *context)
{
    kelvin_run_config config = open_by("hmc");
    struct kelvin_tuned tuned;
    config.model = "mlp:1";
    return kelvin_run_tune(&config, &tuned, &(struct kelvin_tuner){.data = context, .threads = 1});
}

static void memory_may_run_out(void **state)
{
    (void)state;
    kelvin_data *data = opened_data();
    assert_true(without_memory(tune_small, data) > 30);
    kelvin_data_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_do_not_depend_on_threads),
        cmocka_unit_test(what_was_said_stays),
        cmocka_unit_test(runs_are_of_a_fixed_kernel),
        cmocka_unit_test(they_sample_what_plain_hmc_does),
        cmocka_unit_test(it_can_be_stopped),
        cmocka_unit_test(a_run_that_accepts_nothing_ends),
        cmocka_unit_test(scales_that_do_not_fit),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, make_table, remove_base);
}
