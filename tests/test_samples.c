/* What a run has left for others: its description, its samples, its history. The data set is not there any more. */
#include "chains_helpers.h"

#include "run/description.h"

#include <math.h>

/* ---- descriptions ---- */

static void same_texts(const char *const *a, const char *const *b, size_t n)
{
    assert_true(!a == !b);
    for (size_t i = 0; a && i < n; i++) assert_string_equal(a[i], b[i]);
}

static void same_descriptions(const kelvin_data *a, const kelvin_data *b)
{
    const size_t statistics = b->channels ? b->channels : b->inputs;
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->inputs, b->inputs);
    assert_int_equal(a->classes, b->classes);
    assert_int_equal(a->channels, b->channels);
    assert_int_equal(a->height, b->height);
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->train.n, b->train.n);
    assert_int_equal(a->test.n, b->test.n);
    assert_true(a->white == b->white);
    same_texts(a->class_names, b->class_names, b->classes);
    same_texts(a->column_names, b->column_names, b->inputs);
    same_texts(&a->label_name, &b->label_name, b->label_name ? 1 : 0);
    assert_true(!a->label_name == !b->label_name);
    assert_memory_equal(a->mean, b->mean, statistics * sizeof *b->mean);
    assert_memory_equal(a->deviation, b->deviation, statistics * sizeof *b->deviation);
    assert_null(a->train.x);
    assert_null(a->train.bytes);
    assert_null(a->train.y);
}

/* From a file as well; what was described may be closed. */
static void a_description_is_all_but_the_rows(void **state)
{
    (void)state;
    const char *const specs[] = {"digits", "toy", table_spec};
    for (size_t i = 0; i < 3; i++) {
        kelvin_data *data, *about, *read;
        assert_ok(kelvin_data_open(&data, specs[i]));
        assert_ok(kelvin_data_describe(&about, data));
        same_descriptions(about, data);
        assert_ok(kelvin_description_write(data, base));
        assert_ok(kelvin_description_read(&read, base));
        same_descriptions(read, data);
        kelvin_data_close(data);
        same_descriptions(read, about);
        kelvin_data_close(about);
        kelvin_data_close(read);
    }
    kelvin_description_remove(base);
}

static void images_are_normalised_as_they_were(void **state)
{
    (void)state;
    enum { N = 7, INPUTS = 64 };
    float x[N * INPUTS], y[N * INPUTS];
    kelvin_data *data, *about;
    assert_ok(kelvin_data_open(&data, "digits"));
    assert_ok(kelvin_data_describe(&about, data));
    kelvin_data_slice(data, &data->train, x, 3, N);
    const kelvin_part part = {.n = N, .bytes = data->train.bytes + 3 * INPUTS, .y = data->train.y + 3};
    kelvin_data_slice(about, &part, y, 0, N);
    assert_memory_equal(x, y, sizeof x);
    kelvin_data_close(data);
    kelvin_data_close(about);
}

static void names_that_are_not_utf8(void **state)
{
    (void)state;
    const char *const names[] = {"caf\xe9", "th\xc3\xa9"}, *const utf8[] = {"caf\xc3\xa9", "th\xc3\xa9"};
    const double mean[1] = {1}, deviation[1] = {2};
    const kelvin_data data = {.name = "csv:x",
                              .inputs = 1,
                              .classes = 2,
                              .class_names = names,
                              .mean = mean,
                              .deviation = deviation,
                              .train.n = 3};
    kelvin_data *read;
    assert_ok(kelvin_description_write(&data, base));
    assert_ok(kelvin_description_read(&read, base));
    same_texts(read->class_names, utf8, 2);
    kelvin_data_close(read);
    kelvin_description_remove(base);
}

static void a_broken_description(void **state)
{
    (void)state;
    const struct {
        const char *was, *is, *sentence;
    } table[] = {
        {"\"train\": 60", "\"train\": 0", "field \"train\": expected a whole number from 1 on"},
        {"\"test\": 15", "\"test\": -1", "field \"test\": expected a whole number from 0 on"},
        {"\"inputs\": 4", "\"inputs\": \"4\"", "field \"inputs\": expected a whole number from 1 on"},
        {"\"inputs\": 4", "\"inputs\": 5", "field \"columns\": expected a list of as many strings as there are"},
        {"\"image\": null", "\"image\": 3", "field \"image\": expected channels, height, width and white, or null"},
        {"\"image\": null", "\"image\": {\"channels\": 1, \"height\": 2, \"width\": 3, \"white\": 255}",
         "field \"image\": expected channels x height x width = inputs"},
        {"\"image\": null", "\"image\": {\"channels\": 1, \"height\": 2, \"width\": 2, \"white\": 0}",
         "field \"white\": expected a number above 0"},
        {"\"classes\": [", "\"classes\": [7,", "field \"classes\": expected a list of strings"},
        {"\"classes\": [", "\"classess\": [", "field \"classes\": expected a list of as many strings as there are"},
        {"\"mean\": [", "\"mean\": [1,", "field \"mean\": expected a list of numbers, one per channel or column"},
        {"\"mean\": [", "\"mean\": [\"1\",", "field \"mean\": expected"},
        {"\"deviation\": [", "\"deviation\": [0,", "field \"deviation\": expected"},
        {"\"deviation\": [", "\"deviation\": [1, 1, 0, 1], \"x\": [", "expected a list of numbers above 0"},
        {"\"label\": \"label\"", "\"label\": 5", "field \"label\": expected a string, or null"},
        {"\"data\": ", "\"data\": 1, \"x\": ", "field \"data\": expected a string"},
        {"{", "[", "line "},
    };
    kelvin_data *data, *read;
    kelvin_path path;
    assert_ok(kelvin_data_open(&data, table_spec));
    assert_ok(kelvin_path_join(path, base, "data.json"));
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_ok(kelvin_description_write(data, base));
        edit(path, table[i].was, table[i].is);
        fails(kelvin_description_read(&read, base), KELVIN_EFORMAT, path, table[i].sentence);
        assert_null(read);
    }
    kelvin_description_remove(base);
    kelvin_data_close(data);
}

/* ---- samples ---- */

static kelvin_samples *samples_of(const char *name)
{
    kelvin_samples *samples;
    assert_ok(kelvin_samples_open(&samples, in_base(name)));
    return samples;
}

static kelvin_run_config cyclical(void)
{
    kelvin_run_config config = tiny();
    config.schedule = config.temperature_schedule = "cyclical";
    config.samples = 12;
    return config;
}

/* Read twice in any order; from the files, and from what was kept of them. */
static void samples_are_what_the_files_hold(void **state)
{
    (void)state;
    const kelvin_run_config config = cyclical();
    whole_run(&config, "run", 2, 0);
    kelvin_run *run = run_of("run");
    kelvin_samples *samples = samples_of("run");
    assert_int_equal(samples->n, 12);
    same_descriptions(samples->run->data, run->data);
    float *theta = kelvin_alloc(run->model->n_params, sizeof *theta);
    for (size_t k = 0; k < 24; k++) {
        const size_t i = k * 7 % 12;
        assert_int_equal(samples->chain[i], i / 4);
        assert_int_equal(samples->draw[i], i % 4);
        float *file = sample_of(run, "run", samples->chain[i], samples->draw[i]);
        assert_ok(kelvin_samples_read(samples, theta, i));
        assert_memory_equal(theta, file, run->model->n_params * sizeof *theta);
        kelvin_free(file);
    }
    for (size_t c = 0; c < 3; c++) assert_null(samples->diverged[c]);
    kelvin_free(theta);
    kelvin_samples_close(samples);
    kelvin_run_close(run);
}

static void draws_of_hmc(void **state)
{
    (void)state;
    kelvin_run_config config;
    kelvin_run *run;
    assert_ok(kelvin_run_defaults(&config, "hmc"));
    config.chains = 2, config.iterations = 7, config.warmup = 3, config.steps = 5;
    assert_ok(kelvin_run_create(&run, &config));
    assert_ok(kelvin_run_sample(&run, 1, 2, NULL, NULL));
    assert_ok(kelvin_run_write(run, in_base("hmc")));
    kelvin_samples *samples = samples_of("hmc");
    const size_t n = run->model->n_params;
    float *theta = kelvin_alloc(n, sizeof *theta);
    assert_int_equal(samples->n, 8);
    for (size_t k = 0; k < 8; k++) {
        const size_t i = k * 5 % 8, row = samples->chain[i] * 7 + 3 + samples->draw[i];
        assert_int_equal(samples->chain[i], i / 4);
        assert_ok(kelvin_samples_read(samples, theta, i));
        assert_memory_equal(theta, run->draws + row * n, n * sizeof *theta);
    }
    kelvin_history history;
    assert_ok(kelvin_history_open(&history, samples, 1));
    assert_int_equal(history.rows, 7);
    for (size_t i = 0; i < 7; i++)
        assert_true(*kelvin_history_at(&history, i, "log_posterior") == run->info[7 + i].logp);
    kelvin_history_close(&history);
    kelvin_samples_close(samples);
    run->draws[(7 + 4) * n + 5] = NAN; /* of chain 1, the second draw after the warm-up */
    assert_ok(kelvin_run_write(run, in_base("not-numbers")));
    samples = samples_of("not-numbers");
    assert_ok(kelvin_samples_read(samples, theta, 4));
    fails(kelvin_samples_read(samples, theta, 5), KELVIN_EFORMAT, "chain-001", "is nan; expected a number");
    kelvin_free(theta);
    kelvin_samples_close(samples);
    kelvin_run_close(run);
}

/* Earlier versions wrote no data.json: then the data are asked. */
static void without_the_data(void **state)
{
    (void)state;
    const char *table = in_base("table.csv"), *away = in_base("away.csv");
    kelvin_path description;
    assert_ok(kelvin_path_join(description, in_base("run"), "data.json"));
    assert_int_equal(rename(table, away), 0);
    kelvin_samples *samples = samples_of("run");
    kelvin_samples_close(samples);
    assert_int_equal(rename(description, in_base("data.json")), 0);
    fails(kelvin_samples_open(&samples, in_base("run")), KELVIN_EIO, "table.csv", "could not be read");
    assert_null(samples);
    assert_int_equal(rename(in_base("away.csv"), in_base("table.csv")), 0);
    samples = samples_of("run");
    assert_null(samples->run->data->train.x);
    assert_int_equal(samples->run->data->train.n, 60);
    kelvin_samples_close(samples);
    assert_int_equal(rename(in_base("data.json"), description), 0);
}

static void histories(void **state)
{
    (void)state;
    double rows[50 * KELVIN_EPOCH_COLUMNS];
    kelvin_samples *samples = samples_of("run");
    kelvin_history history;
    read_history(rows, "run", 2, 50);
    assert_ok(kelvin_history_open(&history, samples, 2));
    assert_int_equal(history.rows, 50);
    assert_int_equal(history.columns, KELVIN_EPOCH_COLUMNS);
    assert_memory_equal(history.values, rows, sizeof rows);
    assert_true(kelvin_history_at(&history, 4, "lr") == &history.values[4 * KELVIN_EPOCH_COLUMNS + RATE]);
    assert_null(kelvin_history_at(&history, 4, "rate"));
    kelvin_history_close(&history);
    kelvin_path path;
    assert_ok(kelvin_path_join(path, in_base("run"), KELVIN_HISTORY_FILE, 2u));
    edit(path, "\n1,", "\n1,1,1,1,1,1,1,1,1,1\n1,");
    fails(kelvin_history_open(&history, samples, 2), KELVIN_EFORMAT, path, "has 51 rows; expected at most 50");
    assert_non_null(strstr(kelvin_error(), "; remove it, then kelvin resume "));
    edit(path, "\n1,1,1,1,1,1,1,1,1,1\n1,", "\n1,");
    kelvin_samples_close(samples);
}

/* Of a chain that came to its end; of one that diverged it may be of any length. */
static void histories_that_are_lost(void **state)
{
    (void)state;
    kelvin_samples *samples = samples_of("run");
    kelvin_history history;
    kelvin_path path;
    size_t bytes;
    char lost[KELVIN_LOST];
    assert_ok(kelvin_history_lost(lost, samples, 2));
    assert_string_equal(lost, "");
    assert_ok(kelvin_path_join(path, in_base("run"), KELVIN_HISTORY_FILE, 2u));
    char *text = slurp(path, &bytes);
    spill(path, text, bytes - 1); /* not even the last row is whole */
    fails(kelvin_history_open(&history, samples, 2), KELVIN_EFORMAT, path,
          "ends after 49 of 50 epochs; remove it, then kelvin resume ");
    assert_ok(kelvin_history_lost(lost, samples, 2));
    assert_string_equal(lost, kelvin_error());
    const char **diverged = (const char **)samples->diverged;
    diverged[2] = "at step 1";
    assert_ok(kelvin_history_lost(lost, samples, 2));
    assert_string_equal(lost, "");
    diverged[2] = NULL;
    assert_int_equal(remove(path), 0);
    fails(kelvin_history_open(&history, samples, 2), KELVIN_EFORMAT, path, "is missing; kelvin resume ");
    assert_null(strstr(kelvin_error(), "remove"));
    spill(path, text, bytes);
    kelvin_free(text);
    kelvin_samples_close(samples);
}

/* ---- what is no run ---- */

static bool stop_soon(void *context, const kelvin_run *run, const kelvin_chain_news *news)
{
    (void)context, (void)run;
    return news->epoch < 20;
}

static void no_runs(void **state)
{
    (void)state;
    kelvin_samples *samples;
    kelvin_path path;
    fails(kelvin_samples_open(&samples, in_base("nowhere")), KELVIN_EIO, "nowhere", "cannot be read");
    assert_int_equal(mkdir(in_base("empty"), 0777), 0);
    fails(kelvin_samples_open(&samples, in_base("empty")), KELVIN_EFORMAT, "empty", "not a run by kelvin");
    assert_ok(kelvin_path_join(path, in_base("empty"), "chain-000"));
    assert_int_equal(mkdir(path, 0777), 0);
    fails(kelvin_samples_open(&samples, in_base("empty")), KELVIN_EFORMAT, "empty", "was not written to its end");
    fails(kelvin_samples_open(&samples, in_base("table.csv")), KELVIN_EFORMAT, "table.csv", "is a file");
    assert_null(samples);
}

static void a_run_that_has_not_ended(void **state)
{
    (void)state;
    const kelvin_run_config config = cyclical();
    kelvin_samples *samples;
    kelvin_chains *chains = started(&config, "begun");
    fails(kelvin_samples_open(&samples, in_base("begun")), KELVIN_EFORMAT, "begun",
          "the run has not ended: chain 0 has 0 of 4 samples; go on with: kelvin resume");
    const kelvin_chains_options options = {.threads = 1, .checkpoint = 0};
    assert_int_equal(kelvin_chains_run(chains, &options, stop_soon, NULL), KELVIN_ESTOP);
    kelvin_chains_close(chains);
    fails(kelvin_samples_open(&samples, in_base("begun")), KELVIN_EFORMAT, "begun", "the run has not ended: chain ");
    resumed("begun", 2);
    kelvin_samples_close(samples_of("begun"));
}

static void later_versions(void **state)
{
    (void)state;
    kelvin_samples *samples;
    kelvin_path path;
    const char *const now = "\"kelvin\": \"" KELVIN_VERSION "\"";
    const char *const later[] = {"\"kelvin\": \"99\"", "\"kelvin\": \"0.99.1\"", "\"kelvin\": \"1.0.0\"",
                                 "\"kelvin\": \"" KELVIN_VERSION "9\""};
    const char *const earlier[] = {"\"kelvin\": \"0.1\"", "\"kelvin\": \"0.5.0\"", "\"kelvin\": \"of mine\"",
                                   "\"kelvin\": \"0.5.9\""};
    assert_ok(kelvin_path_join(path, in_base("run"), "run.json"));
    for (size_t i = 0; i < 4; i++) {
        edit(path, now, later[i]);
        fails(kelvin_samples_open(&samples, in_base("run")), KELVIN_EFORMAT, path, "was written by kelvin ");
        edit(path, later[i], earlier[i]);
        kelvin_samples_close(samples_of("run"));
        edit(path, earlier[i], now);
    }
}

/* ---- samples that are none ---- */

static void write_sample(const kelvin_run *run, uint32_t chain, uint32_t index, const float *theta)
{
    kelvin_path path;
    assert_ok(kelvin_path_join(path, in_base("run"), KELVIN_SAMPLE_FILE, 1u, 2u));
    assert_ok(kelvin_sample_write(path, run, chain, index, theta));
}

static void samples_of_others(void **state)
{
    (void)state;
    kelvin_run *run = run_of("run");
    kelvin_samples *samples = samples_of("run");
    float *theta = sample_of(run, "run", 1, 2), *read = kelvin_alloc(run->model->n_params, sizeof *read);
    const float was = theta[41];
    theta[41] = NAN;
    write_sample(run, 1, 2, theta);
    fails(kelvin_samples_read(samples, read, 6), KELVIN_EFORMAT, "chain-001/sample-002.safetensors",
          "tensor \"layers.1.weight\", value 1 (from 0) is nan; expected a number; remove ");
    assert_non_null(strstr(kelvin_error(), "/chain-001, then kelvin resume ")); /* its chain is past it */
    theta[41] = was;
    write_sample(run, 1, 1, theta);
    fails(kelvin_samples_read(samples, read, 6), KELVIN_EFORMAT, "sample-002", "\"sample\" is \"1\", expected 2");
    write_sample(run, 2, 2, theta);
    fails(kelvin_samples_read(samples, read, 6), KELVIN_EFORMAT, "sample-002", "\"chain\" is \"2\", expected 1");
    kelvin_run_config config = cyclical();
    kelvin_run *other;
    config.lr = 0.02;
    assert_ok(kelvin_run_create(&other, &config));
    assert_ok(kelvin_config_mark(other));
    write_sample(other, 1, 2, theta);
    fails(kelvin_samples_read(samples, read, 6), KELVIN_EFORMAT, "sample-002", "is a sample of another run");
    write_sample(run, 1, 2, theta);
    assert_ok(kelvin_samples_read(samples, read, 6));
    assert_memory_equal(theta, read, run->model->n_params * sizeof *read);
    kelvin_run_close(other);
    kelvin_free(theta);
    kelvin_free(read);
    kelvin_samples_close(samples);
    kelvin_run_close(run);
}

/* Away for a while: the last of its chain is in the state, of the one before nothing is left. */
static void samples_that_are_gone(void **state)
{
    (void)state;
    kelvin_samples *samples = samples_of("run");
    float theta[1000];
    const char *const sentence[] = {"is missing, and its chain is past it; put it back, or remove ",
                                    "is missing; kelvin resume "};
    for (uint32_t i = 0; i < 2; i++) {
        kelvin_path path;
        assert_ok(kelvin_path_join(path, in_base("run"), KELVIN_SAMPLE_FILE, 1u, 2u + i));
        assert_int_equal(rename(path, in_base("away")), 0);
        fails(kelvin_samples_read(samples, theta, 6 + i), KELVIN_EFORMAT, path, sentence[i]);
        assert_null(strstr(kelvin_error(), "remove it"));
        assert_int_equal(rename(in_base("away"), path), 0);
    }
    kelvin_samples_close(samples);
}

/* A link to itself: nobody can read it, not even root. It may be whole behind that, so nobody is told to remove it. */
static void what_cannot_be_read(void **state)
{
    (void)state;
    kelvin_samples *samples = samples_of("run");
    const char *const names[] = {"chain-001/sample-003.safetensors", "chain-000", "chain-002"};
    float theta[1000];
    for (size_t i = 0; i < 3; i++) {
        kelvin_path path;
        assert_ok(kelvin_path_join(path, in_base("run"), "%s", names[i]));
        assert_int_equal(rename(path, in_base("away")), 0);
        assert_int_equal(symlink(path, path), 0);
        kelvin_samples *found = NULL;
        kelvin_status status =
            i == 0 ? kelvin_samples_read(samples, theta, 7) : kelvin_samples_open(&found, in_base("run"));
        fails(status, KELVIN_EIO, path, "could not be read: ");
        assert_null(strstr(kelvin_error(), "remove"));
        assert_null(strstr(kelvin_error(), "has not ended"));
        kelvin_chains *chains;
        if (i > 0) fails(kelvin_chains_open(&chains, in_base("run")), KELVIN_EIO, path, "could not be read: ");
        assert_int_equal(remove(path), 0);
        assert_int_equal(rename(in_base("away"), path), 0);
    }
    kelvin_path path; /* there, and no file at all */
    assert_ok(kelvin_path_join(path, in_base("run"), "%s", names[0]));
    assert_int_equal(rename(path, in_base("away")), 0);
    assert_int_equal(mkdir(path, 0777), 0);
    fails(kelvin_samples_read(samples, theta, 7), KELVIN_EIO, path, "is not a regular file");
    assert_null(strstr(kelvin_error(), "remove"));
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rename(in_base("away"), path), 0);
    kelvin_samples_close(samples);
}

/* ---- memory ---- */

static void memory_may_be_short(void **state)
{
    (void)state;
    kelvin_samples *samples = NULL;
    kelvin_status status = KELVIN_ENOMEM;
    for (size_t n = 1; status; n++) {
        kelvin_alloc_fail_at(n);
        status = kelvin_samples_open(&samples, in_base("run"));
        float *theta = status ? NULL : kelvin_alloc(1000, sizeof *theta);
        if (!status && !theta) status = KELVIN_ENOMEM;
        if (!status) status = kelvin_samples_read(samples, theta, 3);
        kelvin_history history = {0};
        if (!status) status = kelvin_history_open(&history, samples, 0);
        kelvin_alloc_fail_at(0);
        assert_true(status == KELVIN_OK || status == KELVIN_ENOMEM);
        kelvin_history_close(&history);
        kelvin_free(theta);
        kelvin_samples_close(samples);
        samples = NULL;
        assert_true(n < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_description_is_all_but_the_rows),
        cmocka_unit_test(images_are_normalised_as_they_were),
        cmocka_unit_test(names_that_are_not_utf8),
        cmocka_unit_test(a_broken_description),
        cmocka_unit_test(samples_are_what_the_files_hold),
        cmocka_unit_test(draws_of_hmc),
        cmocka_unit_test(without_the_data),
        cmocka_unit_test(histories),
        cmocka_unit_test(histories_that_are_lost),
        cmocka_unit_test(no_runs),
        cmocka_unit_test(a_run_that_has_not_ended),
        cmocka_unit_test(later_versions),
        cmocka_unit_test(samples_of_others),
        cmocka_unit_test(samples_that_are_gone),
        cmocka_unit_test(what_cannot_be_read),
        cmocka_unit_test(memory_may_be_short),
    };
    return cmocka_run_group_tests(tests, make_table, remove_base);
}
