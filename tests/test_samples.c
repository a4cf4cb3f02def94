/* What a run has left for others: its samples and its history. The data set is not there any more. */
#include "chains_helpers.h"

#include "base/memory.h"
#include "columns_helpers.h"
#include "description_helpers.h"
#include "files/manifest.h"

#include <math.h>

/* ---- samples ---- */

static kelvin_samples *open_samples(const char *name)
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
    kelvin_samples *samples = open_samples("run");
    assert_int_equal(samples->n, 12);
    same_descriptions(samples->run->data, run->data);
    float *theta = kelvin_alloc(run->model->n_params, sizeof *theta);
    for (size_t k = 0; k < 24; k++) {
        const size_t i = k * 7 % 12;
        assert_int_equal(samples->chain[i], i / 4);
        assert_int_equal(samples->draw[i], i % 4);
        float *file = draw_of(run, "run", samples->chain[i], samples->draw[i]);
        assert_ok(kelvin_samples_read(samples, theta, i));
        assert_memory_equal(theta, file, run->model->n_params * sizeof *theta);
        kelvin_free(file);
    }
    for (size_t c = 0; c < 3; c++) assert_null(samples->diverged[c]);
    for (size_t k = 1; k <= run->model->n_params; k += 6) same_columns(samples, k % 4, k);
    kelvin_free(theta);
    kelvin_samples_close(samples);
    kelvin_run_close(run);
}

/* By samplers that look at all data: warm-up is left out, and in several files they come in any order. */
static void draws_of_iterations(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_run_config config = bundled_by(kelvin_sampler_info(s));
        const uint32_t warmup = kelvin_sampler_info(s)->batches ? 0 : config.warmup, kept = BUNDLED_DRAWS - warmup;
        whole_run(&config, "bundled", 2, 60);
        kelvin_run *memory;
        assert_ok(kelvin_run_begin(&memory, &config, NULL));
        assert_ok(sample(memory, 1, 60));
        kelvin_samples *samples = open_samples("bundled");
        const size_t n = samples->run->model->n_params;
        float *theta = kelvin_alloc(n, sizeof *theta), *other = kelvin_alloc(n, sizeof *other);
        kelvin_samples *in_memory;
        assert_ok(kelvin_samples_of(&in_memory, memory));
        assert_int_equal(samples->n, 2 * kept);
        for (size_t k = 0; k < samples->n; k++) {
            const size_t i = k * 5 % samples->n;
            assert_int_equal(samples->chain[i], i / kept);
            assert_int_equal(samples->draw[i], i % kept);
            assert_ok(kelvin_samples_read(samples, theta, i));
            assert_ok(kelvin_samples_read(in_memory, other, i));
            assert_memory_equal(theta, other, n * sizeof *theta);
        }
        for (size_t k = 0; k < 3; k++) { /* single tensors, parts of them, and several with parts of others */
            same_columns(samples, k, n / (k + 2) + 1);
            same_columns(in_memory, k, n / (k + 2) + 1);
        }
        kelvin_history history;
        assert_ok(kelvin_history_read(&history, samples, 1));
        const double *row = kelvin_run_inside(memory)->kept[1].row;
        const size_t column = kelvin_run_find_column(memory, "log_posterior");
        assert_int_equal(history.rows, kelvin_run_rows(memory));
        for (size_t i = 0; i < history.rows; i++)
            assert_true(*kelvin_history_at(&history, i, "log_posterior") == row[i * history.columns + column]);
        kelvin_history_free(&history);
        kelvin_free(theta);
        kelvin_free(other);
        kelvin_samples_close(in_memory);
        kelvin_samples_close(samples);
        kelvin_run_close(memory);
        remove_tree(in_base("bundled"));
    }
}

/* Earlier versions wrote no data.json: then the data are asked. */
static void without_the_data(void **state)
{
    (void)state;
    const char *table = in_base("table.csv"), *away = in_base("away.csv");
    kelvin_path description;
    assert_ok(kelvin_path_join(description, in_base("run"), "data.json"));
    assert_int_equal(rename(table, away), 0);
    kelvin_samples *samples = open_samples("run");
    kelvin_samples_close(samples);
    assert_int_equal(rename(description, in_base("data.json")), 0);
    fails(kelvin_samples_open(&samples, in_base("run")), KELVIN_EIO, "table.csv", "could not be read");
    assert_null(samples);
    assert_int_equal(rename(in_base("away.csv"), in_base("table.csv")), 0);
    samples = open_samples("run");
    assert_null(samples->run->data->train.x);
    assert_int_equal(samples->run->data->train.n, 60);
    kelvin_samples_close(samples);
    assert_int_equal(rename(in_base("data.json"), description), 0);
}

/* Of files that a test has changed: as if whoever did it had signed them. */
static void sign(const char *name)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t n = 0, bytes;
    kelvin_path path;
    assert_ok(kelvin_path_join(path, in_base(name), "manifest"));
    char *text = slurp(path, &bytes);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (strchr(line, ' ') != strrchr(line, ' ') && strncmp(line, "kelvin", 6) != 0)
            names[n++] = strrchr(line, ' ') + 1;
    assert_true(n > 5 && n < MOST);
    assert_ok(kelvin_manifest_write(in_base(name), names, n));
    kelvin_free(text);
}

static void histories(void **state)
{
    (void)state;
    double column[50];
    kelvin_run *run = run_of("run");
    kelvin_samples *samples = open_samples("run");
    kelvin_history history;
    const kelvin_statistic *columns[KELVIN_COLUMNS];
    assert_ok(kelvin_history_read(&history, samples, 2));
    assert_int_equal(history.rows, 50);
    assert_int_equal(history.columns, kelvin_run_list_columns(columns, run));
    for (size_t k = 0; k < history.columns; k++) {
        assert_string_equal(history.names[k], columns[k]->name);
        read_column(column, run, "run", 2, columns[k]->name, 50);
        for (size_t i = 0; i < 50; i++) {
            assert_true(kelvin_history_at(&history, i, columns[k]->name) == &history.values[i * history.columns + k]);
            assert_true(history.values[i * history.columns + k] == column[i]);
        }
    }
    assert_null(kelvin_history_at(&history, 4, "rate"));
    kelvin_history_free(&history);
    kelvin_samples_close(samples);
    kelvin_path path;
    assert_ok(kelvin_path_join(path, in_base("run"), KELVIN_HISTORY_FILE, 2u));
    edit(path, "\n1,", "\n1,1,1,1,1,1,1,1,1,1\n1,");
    sign("run");
    samples = open_samples("run");
    fails(kelvin_history_read(&history, samples, 2), KELVIN_EFORMAT, path, "has 51 rows; expected at most 50");
    assert_null(history.values);
    edit(path, "\n1,1,1,1,1,1,1,1,1,1\n1,", "\n1,");
    sign("run");
    kelvin_samples_close(samples);
    kelvin_run_close(run);
}

/* Of a chain that came to its end; of one that diverged it may be of any length. */
static void histories_that_are_lost(void **state)
{
    (void)state;
    kelvin_samples *samples = open_samples("run");
    kelvin_history history;
    kelvin_path path;
    size_t bytes;
    char lost[KELVIN_LOST];
    assert_ok(kelvin_history_lost(lost, samples, 2));
    assert_string_equal(lost, "");
    assert_ok(kelvin_path_join(path, in_base("run"), KELVIN_HISTORY_FILE, 2u));
    char *text = slurp(path, &bytes);
    spill(path, text, bytes - 1); /* not even the last row is whole */
    fails(kelvin_history_read(&history, samples, 2), KELVIN_EFORMAT, path, "ends after 49 of 50 epochs; resuming ");
    assert_ok(kelvin_history_lost(lost, samples, 2));
    assert_string_equal(lost, kelvin_error_raw());
    const char **diverged = (const char **)samples->diverged;
    diverged[2] = "at step 1";
    assert_ok(kelvin_history_lost(lost, samples, 2));
    assert_string_equal(lost, "");
    diverged[2] = NULL;
    assert_int_equal(remove(path), 0);
    fails(kelvin_history_read(&history, samples, 2), KELVIN_EFORMAT, path, "is missing; resuming ");
    assert_null(strstr(kelvin_error(), "remove"));
    spill(path, text, bytes);
    kelvin_free(text);
    kelvin_samples_close(samples);
}

/* ---- what is no run ---- */

static bool stop_soon(void *context, const kelvin_run *run, const kelvin_chain_news *news)
{
    (void)context, (void)run;
    return news->row < 20;
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
    fails(kelvin_samples_open(&samples, in_base("empty")), KELVIN_EFORMAT, "empty", "has lost its run.json");
    fails(kelvin_samples_open(&samples, in_base("table.csv")), KELVIN_EFORMAT, "table.csv", "is a file");
    assert_null(samples);
}

static void a_run_that_has_not_ended(void **state)
{
    (void)state;
    for (size_t i = 0; i < samplers(); i++) {
        const kelvin_sampler_type *type = kelvin_sampler_info(i);
        kelvin_run_config config = type->batches ? cyclical() : tiny_by(type);
        config.prior = "sparse:8,0.4"; /* with which no chains go together: they end one after the other */
        kelvin_samples *samples;
        char sentence[128];
        kelvin_run *run = started(&config, "begun");
        snprintf(sentence, sizeof sentence, "the run has not ended: chain 0 has 0 of 50 %ss; go on by resuming ",
                 kelvin_run_row_name(run));
        fails(kelvin_samples_open(&samples, in_base("begun")), KELVIN_EFORMAT, "begun", sentence);
        assert_null(samples);
        const kelvin_run_options options = {.threads = 1, .checkpoint = 0};
        assert_int_equal(kelvin_run_sample(&run, 1, &options, stop_soon, NULL), KELVIN_ESTOP);
        kelvin_run_close(run);
        fails(kelvin_samples_open(&samples, in_base("begun")), KELVIN_EFORMAT, "begun",
              "the run has not ended: chain ");
        resumed("begun", 2);
        kelvin_samples_close(open_samples("begun"));
        remove_tree(in_base("begun"));
    }
}

/* Those of earlier ones are in tests/test_old_runs.c. */
static void later_versions(void **state)
{
    (void)state;
    kelvin_samples *samples;
    kelvin_path path;
    kelvin_run *run;
    const char *const now = "\"kelvin\": \"" KELVIN_VERSION "\"";
    const char *const later[] = {"\"kelvin\": \"99\"", "\"kelvin\": \"0.99.1\"", "\"kelvin\": \"1.0.0\"",
                                 "\"kelvin\": \"" KELVIN_VERSION "9\""};
    assert_ok(kelvin_path_join(path, in_base("run"), "run.json"));
    for (size_t i = 0; i < 4; i++) {
        edit(path, now, later[i]);
        fails(kelvin_samples_open(&samples, in_base("run")), KELVIN_EFORMAT, path, "is not as the run left it");
        sign("run");
        fails(kelvin_samples_open(&samples, in_base("run")), KELVIN_EFORMAT, path, "was written by kelvin ");
        fails(kelvin_run_open(&run, in_base("run")), KELVIN_EFORMAT, path, "use that version, or a later one");
        edit(path, later[i], now);
        sign("run");
        kelvin_samples_close(open_samples("run"));
    }
}

/* ---- samples that are none ---- */

/* The file of chain 1 becomes one that says that it is number `number` of chain `chain` of a run, with these draws. */
static void write_draws(const kelvin_run *run, uint32_t chain, uint32_t number, const float *draws)
{
    kelvin_path from, to;
    const struct kelvin_draw_place place = kelvin_draw_place(run, 1, 0);
    const double row[KELVIN_COLUMNS] = {0}; /* nobody looks at it */
    struct kelvin_bundle bundle;
    kelvin_run elsewhere = *run;
    elsewhere.folder = in_base("put");
    assert_ok(kelvin_bundle_create(&bundle, run));
    for (uint32_t i = 0; i < 50; i++) kelvin_bundle_add(&bundle, run, row, draws + bundle.draws * run->model->n_params);
    assert_int_equal(bundle.draws, 4);
    bundle.first_draw = number * kelvin_run_bundle_draws(run);
    assert_int_equal(mkdir(in_base("put"), 0777), 0);
    assert_ok(kelvin_path_join(from, in_base("put"), KELVIN_CHAIN_FOLDER, chain));
    assert_int_equal(mkdir(from, 0777), 0);
    assert_ok(kelvin_bundle_write(&bundle, &elsewhere, chain));
    assert_ok(kelvin_path_join(from, in_base("put"), KELVIN_BUNDLE_FILE, chain, number));
    assert_ok(kelvin_path_join(to, in_base("run"), "%s", place.name));
    assert_int_equal(rename(from, to), 0);
    remove_tree(in_base("put"));
    kelvin_bundle_free(&bundle);
    sign("run");
}

static void reads(const char *sentence)
{
    for (size_t how = 0; how < 2; how++) { /* one sample, or all parameters of all of its chain */
        kelvin_samples *samples = open_samples("run");
        float theta[1000];
        double x[4 * 1000];
        const kelvin_status status =
            how == 0 ? kelvin_samples_read(samples, theta, 6)
                     : kelvin_samples_columns(samples, x, 4, 4, 4, 0, samples->run->model->n_params);
        if (sentence) {
            fails(status, KELVIN_EFORMAT, "chain-001/samples-000.safetensors", sentence);
            assert_non_null(strstr(kelvin_error(), "; remove "));
            assert_non_null(strstr(kelvin_error(), "/chain-001, and resuming ")); /* its chain is past it */
        } else {
            assert_ok(status);
        }
        kelvin_samples_close(samples);
    }
}

static void samples_of_others(void **state)
{
    (void)state;
    kelvin_run *run = run_of("run");
    const size_t n = run->model->n_params;
    float *draws = kelvin_alloc(4 * n, sizeof *draws);
    size_t bytes;
    kelvin_path path;
    assert_ok(kelvin_path_join(path, in_base("run"), KELVIN_BUNDLE_FILE, 1u, 0u));
    char *file = slurp(path, &bytes);
    for (uint32_t i = 0; i < 4; i++) {
        float *theta = draw_of(run, "run", 1, i);
        memcpy(draws + i * n, theta, n * sizeof *theta);
        kelvin_free(theta);
    }
    write_draws(run, 1, 0, draws);
    reads(NULL);
    draws[2 * n + 41] = NAN;
    write_draws(run, 1, 0, draws);
    reads("tensor \"layers.1.weight\", value 1 (from 0) is nan; expected a number");
    draws[2 * n + 41] = 0;
    write_draws(run, 1, 1, draws);
    reads("\"number\" is \"1\", expected 0");
    write_draws(run, 2, 0, draws);
    reads("\"chain\" is \"2\", expected 1");
    kelvin_run_config config = cyclical();
    kelvin_run *other;
    set(&config, "lr", 0.02);
    assert_ok(kelvin_run_prepare(&other, &config, NULL, NULL));
    write_draws(other, 1, 0, draws);
    reads("is of another run, or run.json has changed since");
    spill(path, file, bytes);
    sign("run");
    reads(NULL);
    kelvin_run_close(other);
    kelvin_free(file);
    kelvin_free(draws);
    kelvin_run_close(run);
}

/* Away for a while. */
static void samples_that_are_gone(void **state)
{
    (void)state;
    kelvin_samples *samples = open_samples("run");
    float theta[1000];
    kelvin_path path;
    assert_ok(kelvin_path_join(path, in_base("run"), KELVIN_BUNDLE_FILE, 1u, 0u));
    assert_int_equal(rename(path, in_base("away")), 0);
    for (size_t i = 4; i < 8; i++)
        fails(kelvin_samples_read(samples, theta, i), KELVIN_EFORMAT, path, "is missing; remove ");
    for (size_t i = 0; i < 12; i++)
        if (i / 4 != 1) assert_ok(kelvin_samples_read(samples, theta, i)); /* the others are there */
    bool there;
    assert_ok(kelvin_samples_are_there(&there, samples));
    assert_false(there);
    kelvin_samples_close(samples);
    samples = open_samples("run"); /* their logits say enough for some */
    assert_int_equal(samples->n, 12);
    assert_int_equal(rename(in_base("away"), path), 0);
    assert_ok(kelvin_samples_are_there(&there, samples));
    assert_true(there);
    kelvin_samples_close(samples);
}

/* A link to itself: nobody can read it, not even root. It may be whole behind that, so nobody is told to remove it. */
static void what_cannot_be_read(void **state)
{
    (void)state;
    kelvin_samples *samples = open_samples("run");
    const char *const names[] = {"chain-001/samples-000.safetensors", "chain-000", "chain-002"};
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
        kelvin_run *run;
        fails(kelvin_run_open(&run, in_base("run")), KELVIN_EIO, path, "could not be read: ");
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
        if (!status) status = kelvin_history_read(&history, samples, 0);
        kelvin_alloc_fail_at(0);
        assert_true(status == KELVIN_OK || status == KELVIN_ENOMEM);
        kelvin_history_free(&history);
        kelvin_free(theta);
        kelvin_samples_close(samples);
        samples = NULL;
        assert_true(n < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_what_the_files_hold),
        cmocka_unit_test(draws_of_iterations),
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
