/* A run: configurations that make no sense, where chains start, what is kept of them, folders that read back as they
 * were written. */
#include "config_helpers.h"
#include "npy_helpers.h"

#include "base/random.h"

#include <errno.h>
#include <math.h>

/* ---- configuration ---- */

static void defaults_are_figure_1(void **state)
{
    (void)state;
    kelvin_run_config c = defaults("hmc");
    assert_string_equal(c.density, "dirclip:1.4,-50");
    assert_string_equal(c.prior, "normal:1");
    assert_string_equal(c.init, "none");
    assert_true(c.chains == 3 && c.iterations == 500 && c.warmup == 150 && c.seed == 0);
    assert_true(setting_of(&c, "step_size") == 4e-4 && setting_of(&c, "steps") == 10000 && c.temperature == 1);
    kelvin_run *run;
    assert_ok(kelvin_run_begin(&run, &c, NULL));
    assert_int_equal(run->model->n_params, 492);
    kelvin_run_close(run);
    kelvin_run_close(NULL);
}

static void bad_configurations(void **state)
{
    (void)state;
    static const struct {
        const char *sampler, *data, *model, *density, *prior, *sentence;
        uint32_t chains, iterations, warmup;
        double steps, temperature;
    } table[] = {
        {"nuts", "toy", "mlp:3", "categorical", "none", "nuts", 1, 2, 1, 1, 1},
        {"hmc", "toys", "mlp:3", "categorical", "none", "toys", 1, 2, 1, 1, 1},
        {"hmc", "toy", "mlq:3", "categorical", "none", "mlq", 1, 2, 1, 1, 1},
        {"hmc", "toy", "mlp:3", "categoric", "none", "categoric", 1, 2, 1, 1, 1},
        {"hmc", "toy", "mlp:3", "categorical", "nothing", "nothing", 1, 2, 1, 1, 1},
        {"hmc", "toy", "mlp:3", "categorical", NULL, "no prior is given", 1, 2, 1, 1, 1},
        {"hmc", NULL, "mlp:3", "categorical", "none", "no data is given", 1, 2, 1, 1, 1},
        {"hmc", "toy", "mlp:3", "categorical", "none", "chains is 0", 0, 2, 1, 1, 1},
        {"hmc", "toy", "mlp:3", "categorical", "none", "chains is 4294967295", UINT32_MAX, 2, 1, 1, 1},
        {"hmc", "toy", "mlp:3", "categorical", "none", "iterations is 0", 1, 0, 0, 1, 1},
        {"hmc", "toy", "mlp:3", "categorical", "none", "warmup is 7 of 7", 1, 7, 7, 1, 1},
        {"hmc", "toy", "mlp:3", "categorical", "none", "steps", 1, 2, 1, 0.5, 1},
        {"hmc", "toy", "mlp:3", "categorical", "none", "temperature", 1, 2, 1, 1, -1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        kelvin_run_config config = defaults("hmc");
        assert_ok(kelvin_run_set(&config, "steps", table[i].steps));
        config.sampler = table[i].sampler;
        config.data = table[i].data;
        config.model = table[i].model;
        config.density = table[i].density;
        config.prior = table[i].prior;
        config.chains = table[i].chains;
        config.iterations = table[i].iterations;
        config.warmup = table[i].warmup;
        config.temperature = table[i].temperature;
        kelvin_run *run = (kelvin_run *)&config;
        fails(kelvin_run_begin(&run, &config, i % 2 ? in_base("never") : NULL), KELVIN_EUSAGE, "", table[i].sentence);
        assert_null(run);
        assert_false(exists(in_base("never")));
    }
}

/* ---- what is sampled ---- */

/* Steps of 1e-12 and less leave the start where it is. Of all data: N(0, 1) in the double version of the generator,
 * whose numbers are at most 7; the float version may be off by a few ulps of that (2^-22). Of batches: as the network
 * says, in the same floats. */
static void chains_start_where_they_should(void **state)
{
    (void)state;
    static const char *const small_steps[][2] = {{"hmc", "step_size"}, {"mclmc", "step_size"}, {"sghmc", "lr"}};
    for (size_t s = 0; s < 3; s++) {
        kelvin_run_config config = small_by(small_steps[s][0]);
        assert_ok(kelvin_run_set(&config, small_steps[s][1], s == 2 ? 1e-30 : 1e-12));
        if (s < 2) assert_ok(kelvin_run_set(&config, "steps", 1));
        kelvin_run *run = sampled(&config, 2);
        float init[492], theta[492];
        for (uint32_t chain = 0; chain < 2; chain++) {
            const kelvin_random where = {.seed = config.seed, .chain = chain, .stream = KELVIN_STREAM_INIT};
            draw_in_memory(theta, run, chain, 0);
            kelvin_model_start(run->model, init, config.seed, chain);
            for (size_t i = 0; i < 492; i++)
                if (run->sampler->batches)
                    assert_near((double)theta[i], (double)init[i], 1e-12);
                else
                    assert_near((double)theta[i], kelvin_normal(where, i), 4 * 0x1p-22);
        }
        kelvin_run_close(run);
    }
}

/* The share of observations whose label has the larger of two logits; of equal ones the first. */
static double accuracy_of(const float *logits, const int32_t *y, size_t n)
{
    size_t hits = 0;
    for (size_t i = 0; i < n; i++) hits += (logits[2 * i + 1] > logits[2 * i]) == y[i];
    return (double)hits / (double)n;
}

/* Logits and accuracy belong to the draws that they stand beside: in memory and in the folder. */
static void logits_belong_to_draws(const char *sampler)
{
    const kelvin_run_config config = small_by(sampler);
    kelvin_run *run = sampled(&config, 2);
    sample_into(&config, sampler, 1);
    const size_t n = run->data->train.n, all = kelvin_run_draws(run), warmup = kelvin_run_warmup(run);
    const kelvin_samples *samples = samples_in(sampler);
    const size_t shape[3] = {samples->n, n, 2}, accuracy = kelvin_run_find_column(run, "training_accuracy");
    const kelvin_statistic *columns[KELVIN_COLUMNS];
    const size_t n_columns = kelvin_run_list_columns(columns, run);
    float logits[36], saved[8 * 36], theta[492];
    kelvin_path path;
    kelvin_weights *weights;
    kelvin_net *net;
    assert_int_equal(n * run->data->classes, 36);
    assert_int_equal(samples->n, 8);
    assert_ok(kelvin_path_join(path, in_base(sampler), "logits_train.npy"));
    assert_ok(read_logits(saved, path, shape));
    assert_ok(kelvin_weights_create(&weights, run->model));
    assert_ok(kelvin_net_create(&net, run->model));
    float *packed = kelvin_alloc(kelvin_model_packed(run->model, n), sizeof *packed);
    kelvin_model_pack(run->model, packed, run->data->train.x, n);
    for (size_t row = 0; row < config.chains * all; row++) {
        const struct kelvin_bundle *kept = &kelvin_run_inside(run)->kept[row / all];
        const size_t i = row % all;
        draw_in_memory(theta, run, row / all, i);
        kelvin_weights_set(weights, theta, false);
        kelvin_net_logits(net, logits, weights, packed, n);
        if (!run->sampler->batches) /* of batches it is of the way there */
            assert_true(kept->row[i * n_columns + accuracy] == accuracy_of(logits, run->data->train.y, n));
        if (i >= warmup)
            assert_memory_equal(saved + (row / all * (all - warmup) + i - warmup) * 36, logits, sizeof logits);
    }
    kelvin_free(packed);
    kelvin_net_destroy(net);
    kelvin_weights_destroy(weights);
    kelvin_samples_close((kelvin_samples *)samples);
    kelvin_run_close(run);
}

static void logits_of_every_sampler(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    for (size_t i = 0; (type = kelvin_sampler_info(i)); i++) logits_belong_to_draws(type->member.name);
}

/* ---- the folder ---- */

/* What is in the folder is what a run in memory has, and the run can be opened again. */
static void round_trip(void **state)
{
    (void)state;
    const uint64_t seeds[] = {0, UINT64_C(1) << 53, (UINT64_C(1) << 53) + 1, UINT64_MAX};
    const kelvin_sampler_type *type;
    for (size_t t = 0; (type = kelvin_sampler_info(t)); t++)
        for (size_t i = 0; i < 4; i++) {
            kelvin_run_config config = small_by(type->member.name);
            config.temperature = 1.0 / 3;
            config.seed = seeds[i];
            assert_ok(kelvin_run_set(&config, type->step_setting, 1.1e-3));
            kelvin_run *run = sampled(&config, 2), *back;
            char seed[40];
            snprintf(seed, sizeof seed, i < 2 ? "\"seed\": %llu," : "\"seed\": \"%llu\",",
                     (unsigned long long)seeds[i]);
            sample_into(&config, "trip", 1);
            assert_ok(kelvin_run_open(&back, in_base("trip")));
            same_config(&back->config, &run->config);
            assert_true(kelvin_run_finished(back));
            assert_ok(kelvin_run_verify(back));
            same_draws(run, back);
            size_t bytes;
            char *text = slurp(in_base("trip/run.json"), &bytes);
            assert_non_null(strstr(text, seed)); /* no reader of JSON rounds it */
            kelvin_free(text);
            kelvin_run_close(back);
            kelvin_run_close(run);
            remove_tree(in_base("trip"));
        }
}

/* A trajectory that leaves the finite numbers is rejected, and its history says so. */
static void energies_that_are_not_numbers(void **state)
{
    (void)state;
    kelvin_run_config config = small();
    assert_ok(kelvin_run_set(&config, "step_size", 1e30));
    kelvin_run *run = sampled(&config, 2), *folder = sampled_in(&config, "wild", 1);
    kelvin_samples *samples = samples_from(run);
    kelvin_history history;
    assert_ok(kelvin_history_read(&history, samples, 1));
    for (size_t i = 0; i < history.rows; i++) {
        assert_true(!isfinite(*kelvin_history_at(&history, i, "energy_error")));
        assert_true(*kelvin_history_at(&history, i, "accepted") == 0);
    }
    kelvin_history_free(&history);
    kelvin_samples_close(samples);
    same_draws(run, folder);
    kelvin_run_close(run);
    kelvin_run_close(folder);
}

/* The checksums are zlib.crc32 of the 18 points (float32) and of their labels (int32) in Python; there is no test part.
 */
static void run_json_is_readable(void **state)
{
    (void)state;
    const kelvin_run_config config = small();
    size_t bytes;
    sample_into(&config, "one", 1);
    char *text = slurp(in_base("one/run.json"), &bytes);
    assert_string_equal(text, "{\n"
                              "  \"kelvin\": \"" KELVIN_VERSION "\",\n"
                              "  \"sampler\": \"hmc\",\n"
                              "  \"data\": \"toy\",\n"
                              "  \"data_crc32\": \"7cc91241-cf447314-00000000-00000000\",\n"
                              "  \"model\": \"mlp:10,10,10,10,10\",\n"
                              "  \"density\": \"dirclip:1.4,-50\",\n"
                              "  \"prior\": \"normal:1\",\n"
                              "  \"seed\": 2385,\n"
                              "  \"chains\": 2,\n"
                              "  \"iterations\": 6,\n"
                              "  \"warmup\": 2,\n"
                              "  \"temperature\": 1.0,\n"
                              "  \"step_size\": 0.0004,\n"
                              "  \"steps\": 20,\n"
                              "  \"jitter\": 0.0,\n"
                              "  \"scale\": \"none\",\n"
                              "  \"init\": \"none\",\n"
                              "  \"logit_limit\": 1e5\n"
                              "}\n");
    kelvin_free(text);
}

/* A folder is a new one, or none at all. */
static void names_that_are_taken(void **state)
{
    (void)state;
    const kelvin_run_config config = small();
    kelvin_run *run;
    fails(kelvin_run_begin(&run, &config, in_base("one")), KELVIN_EUSAGE, "one",
          "already exists; choose another name, remove it, or go on by resuming ");
    assert_null(run);
    assert_int_equal(mkdir(in_base("claimed"), 0777), 0);
    fails(kelvin_run_begin(&run, &config, in_base("claimed")), KELVIN_EUSAGE, "claimed",
          "already exists; choose another name, or remove it");
    assert_int_equal(rmdir(in_base("claimed")), 0); /* nothing was put into it */
    spill(in_base("file"), "x", 1);
    fails(kelvin_run_begin(&run, &config, in_base("file")), KELVIN_EUSAGE, "file", "already exists");
    fails(kelvin_run_begin(&run, &config, in_base("file/run")), KELVIN_EUSAGE, "file/run", strerror(ENOTDIR));
    fails(kelvin_run_begin(&run, &config, in_base("no/such/run")), KELVIN_EUSAGE, "no/such/run", strerror(ENOENT));
    char name[KELVIN_PATH_MAX + 10];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    fails(kelvin_run_begin(&run, &config, name), KELVIN_EUSAGE, "xxx", "too long");
    assert_ok(kelvin_run_open(&run, in_base("one"))); /* all is as it was */
    assert_true(kelvin_run_finished(run));
    kelvin_run_close(run);
}

/* One process at a time, and one run at a time within it. */
static void one_at_a_time(void **state)
{
    (void)state;
    const kelvin_run_config config = small();
    kelvin_run *run = started_in(&config, "held"), *other;
    fails(kelvin_run_open(&other, in_base("held")), KELVIN_EUSAGE, "held", "is working here");
    assert_null(other);
    kelvin_run_close(run);
    assert_ok(kelvin_run_open(&other, in_base("held")));
    assert_false(kelvin_run_finished(other));
    kelvin_run_close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_figure_1),
        cmocka_unit_test(bad_configurations),
        cmocka_unit_test(chains_start_where_they_should),
        cmocka_unit_test(logits_of_every_sampler),
        cmocka_unit_test(round_trip),
        cmocka_unit_test(energies_that_are_not_numbers),
        cmocka_unit_test(run_json_is_readable), /* leaves the folder "one" for those below */
        cmocka_unit_test(names_that_are_taken),
        cmocka_unit_test(one_at_a_time),
    };
    return cmocka_run_group_tests(tests, make_quick_base, remove_base);
}
