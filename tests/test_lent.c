/* Runs on data that the caller has open: arrays in memory, in folders and without any. The same numbers in a CSV file
 * are what they are compared with. */
#include "config_helpers.h"

#include <kelvin/posterior.h>

#include <sys/resource.h>

enum { ROWS = 60, COLUMNS = 3 };

static float x[ROWS][COLUMNS];
static int32_t y[ROWS];

/* Three clouds. */
static void fill_arrays(float shift)
{
    for (int i = 0; i < ROWS; i++) {
        y[i] = i % 3;
        for (int k = 0; k < COLUMNS; k++)
            x[i][k] = (float)((k == y[i]) * 2.385 + 0.01 * ((i * 37 + k * 11) % 101)) + (i == 0) * shift;
    }
}

static kelvin_data *arrays(const char *name, float shift)
{
    kelvin_data *data;
    fill_arrays(shift);
    const kelvin_arrays given = {.rows = ROWS, .columns = COLUMNS, .x = x[0], .labels = y, .classes = 3, .name = name};
    assert_ok(kelvin_data_from_arrays(&data, &given));
    return data;
}

static const char *csv_file(void)
{
    static char spec[128];
    FILE *file = fopen(in_base("table.csv"), "w");
    assert_non_null(file);
    for (int i = 0; i < ROWS; i++)
        fprintf(file, "%.17g,%.17g,%.17g,%d\n", (double)x[i][0], (double)x[i][1], (double)x[i][2], (int)y[i]);
    assert_int_equal(fclose(file), 0);
    snprintf(spec, sizeof spec, "csv:%s", in_base("table.csv"));
    return spec;
}

static kelvin_config *configured(const char *sampler)
{
    kelvin_config *config;
    assert_ok(kelvin_config_create(&config));
    assert_ok(kelvin_config_set(config, "preset", "paper"));
    assert_ok(kelvin_config_set(config, "sampler", sampler));
    assert_ok(kelvin_config_set(config, "model", "mlp:4"));
    assert_ok(kelvin_config_set(config, "chains", "2"));
    const bool batches = strcmp(sampler, "sghmc") == 0;
    assert_ok(kelvin_config_set(config, batches ? "epochs" : "iterations", "6"));
    if (!batches) assert_ok(kelvin_config_set(config, "steps", "5"));
    return config;
}

static kelvin_status sample(kelvin_run *run)
{
    return kelvin_run_sample(&run, 1, &(kelvin_run_options){.threads = 2, .checkpoint = 60}, NULL, NULL);
}

/* In memory, in a folder, and by CSV: the same draws by every sampler; two runs share the data. */
static void the_same_as_a_file(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    kelvin_data *data = arrays(NULL, 0);
    for (size_t s = 0; (type = kelvin_sampler_info(s)); s++) {
        kelvin_config *config = configured(type->member.name);
        kelvin_run *kept, *folder, *csv;
        assert_ok(kelvin_run_start_with(&kept, config, data, NULL));
        assert_ok(kelvin_run_start_with(&folder, config, data, in_base("lent")));
        assert_ok(kelvin_config_set(config, "data", csv_file()));
        assert_ok(kelvin_run_start(&csv, config, in_base("csv")));
        kelvin_run *both[] = {kept, folder};
        assert_ok(kelvin_run_sample(both, 2, &(kelvin_run_options){.threads = 2, .checkpoint = 60}, NULL, NULL));
        assert_ok(sample(csv));
        assert_ptr_equal(kelvin_run_data(kept), data);
        assert_string_equal(kelvin_run_text(kept, "data"), "arrays");
        kelvin_samples *a = samples_from(kept), *b = samples_from(folder), *c = samples_from(csv);
        same_samples(a, c, true);
        same_samples(b, c, false);
        kelvin_samples_close(a);
        kelvin_samples_close(b);
        kelvin_samples_close(c);
        kelvin_run_close(kept);
        kelvin_run_close(folder);
        kelvin_run_close(csv);
        same_bytes(in_base("lent/logits_train.npy"), in_base("csv/logits_train.npy"));
        same_bytes(in_base("lent/logits_test.npy"), in_base("csv/logits_test.npy"));
        remove_tree(in_base("lent"));
        remove_tree(in_base("csv"));
        kelvin_config_destroy(config);
    }
    kelvin_data_close(data);
}

/* ---- folders ---- */

static bool stop_soon(void *rows, const kelvin_run *run, const kelvin_chain_news *news)
{
    (void)run;
    return news->row < *(const uint32_t *)rows;
}

/* One that was stopped goes on with the same data, and with no other; without them it says why not. What it has left
 * can be read without them. */
static void a_folder_goes_on(void **state)
{
    (void)state;
    const char *const names[] = {NULL, "flowers"};
    for (size_t i = 0; i < 2; i++) {
        kelvin_data *data = arrays(names[i], 0), *other = arrays(names[i], 1);
        kelvin_config *config = configured("hmc"), *again;
        kelvin_run *run;
        kelvin_samples *samples;
        kelvin_logits *logits;
        char said[64];
        uint32_t rows = 2;
        snprintf(said, sizeof said, "its data (\"%s\") were in the memory of the program",
                 names[i] ? names[i] : "arrays");
        assert_ok(kelvin_run_start_with(&run, config, data, in_base("whole")));
        assert_ok(sample(run));
        kelvin_run_close(run);
        assert_ok(kelvin_run_start_with(&run, config, data, in_base("stopped")));
        assert_int_equal(
            kelvin_run_sample(&run, 1, &(kelvin_run_options){.threads = 1, .checkpoint = 0}, stop_soon, &rows),
            KELVIN_ESTOP);
        kelvin_run_close(run);

        fails(kelvin_run_open(&run, in_base("stopped")), KELVIN_EUSAGE, "stopped/run.json", said);
        assert_null(run);
        fails(kelvin_run_open_with(&run, in_base("stopped"), other), KELVIN_EFORMAT, "stopped/run.json",
              "has changed since (training inputs");
        assert_null(run);
        assert_ok(kelvin_run_open_with(&run, in_base("stopped"), data));
        assert_ok(sample(run));
        kelvin_run_close(run);
        same_folders(in_base("stopped"), in_base("whole"));

        assert_ok(kelvin_config_create(&again)); /* its configuration, by the same data */
        assert_ok(kelvin_config_read(again, in_base("whole")));
        fails(kelvin_run_start(&run, again, NULL), KELVIN_EFORMAT, "whole/run.json", "unknown data set");
        fails(kelvin_run_start_with(&run, again, other, NULL), KELVIN_EFORMAT, "run.json", "has changed");
        assert_ok(kelvin_run_start_with(&run, again, data, in_base("again")));
        assert_ok(sample(run));
        kelvin_run_close(run);
        same_folders(in_base("again"), in_base("whole"));
        kelvin_config_destroy(again);
        kelvin_config_destroy(config);
        kelvin_data_close(other);
        kelvin_data_close(data);

        assert_ok(kelvin_samples_open(&samples, in_base("whole"))); /* the data are gone */
        assert_int_equal(kelvin_data_rows(kelvin_run_data(kelvin_samples_run(samples)), KELVIN_TRAIN), 48);
        assert_int_equal(kelvin_samples_count(samples), 2 * 5);
        assert_ok(kelvin_logits_saved(&logits, samples, KELVIN_TEST));
        kelvin_logits_close(logits);
        kelvin_samples_close(samples);
        remove_tree(in_base("whole"));
        remove_tree(in_base("stopped"));
        remove_tree(in_base("again"));
    }
}

/* ---- no disk ---- */

/* A process that can open no file, not even to read one: fitted, predicted, and freed. */
static int fit_without_files(const kelvin_sampler_type *type)
{
    const struct rlimit none = {0, 0};
    kelvin_data *data = arrays(NULL, 0);
    kelvin_config *config = configured(type->member.name);
    kelvin_run *run = NULL;
    kelvin_samples *samples = NULL;
    double p[ROWS][3];
    if (setrlimit(RLIMIT_NOFILE, &none)) return 2;
    kelvin_status status = kelvin_run_start_with(&run, config, data, NULL);
    if (!status) status = sample(run);
    if (!status) status = kelvin_samples_of(&samples, run);
    if (!status) status = kelvin_predict(samples, p[0], x[0], ROWS, 2);
    if (status) fprintf(stderr, "%s\n", kelvin_error());
    for (int i = 0; i < ROWS && !status; i++)
        if (!(fabs(p[i][0] + p[i][1] + p[i][2] - 1) < 1e-9)) return 3;
    kelvin_samples_close(samples);
    kelvin_run_close(run);
    kelvin_config_destroy(config);
    kelvin_data_close(data);
    return status != KELVIN_OK;
}

static void memory_touches_no_disk(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    for (size_t s = 0; (type = kelvin_sampler_info(s)); s++) {
        const pid_t child = fork();
        int status;
        assert_true(child >= 0);
        if (child == 0) _exit(fit_without_files(type));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

/* ---- no memory ---- */

static kelvin_status start_and_open(void *data)
{
    kelvin_config *config = NULL;
    kelvin_run *run = NULL;
    kelvin_status status = kelvin_config_create(&config);
    if (!status) status = kelvin_config_set(config, "preset", "paper");
    if (!status) status = kelvin_config_set(config, "sampler", "hmc");
    if (!status) status = kelvin_config_set(config, "model", "mlp:4");
    if (!status) status = kelvin_run_start_with(&run, config, data, NULL);
    kelvin_run_close(run);
    run = NULL;
    if (!status) status = kelvin_run_open_with(&run, in_base("begun"), data);
    kelvin_run_close(run);
    kelvin_config_destroy(config);
    return status;
}

static void no_memory(void **state)
{
    (void)state;
    kelvin_data *data = arrays(NULL, 0);
    kelvin_config *config = configured("hmc");
    kelvin_run *run;
    assert_ok(kelvin_run_start_with(&run, config, data, in_base("begun")));
    kelvin_run_close(run);
    assert_true(without_memory(start_and_open, data) > 20);
    kelvin_config_destroy(config);
    assert_int_equal(kelvin_data_rows(data, KELVIN_TRAIN), 48); /* they are still the caller's */
    kelvin_data_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_as_a_file),
        cmocka_unit_test(a_folder_goes_on),
        cmocka_unit_test(memory_touches_no_disk),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, make_quick_base, remove_base);
}
