/* Runs by any sampler for tests: a small table, a run of milliseconds on it, folders compared. Included once per test
 * program, before anything else. */
#ifndef CHAINS_HELPERS_H
#define CHAINS_HELPERS_H

#include "folder_helpers.h"

#include <kelvin/kelvin.h>

#include "base/random.h"
#include "run/band.h"

static const char *table_spec; /* "csv:..." */
static const char *short_spec; /* its first fifth */

/* Three classes in four columns, of which a fifth of the rows is for testing. */
static inline int write_table(char spec[KELVIN_PATH_MAX], const char *name, uint32_t rows)
{
    const char *path = in_base(name);
    FILE *file = fopen(path, "w");
    if (!file) return -1;
    fprintf(file, "a,b,c,d,label\n");
    for (uint32_t i = 0; i < rows; i++) {
        const kelvin_random where = {.seed = 5, .step = i, .stream = KELVIN_STREAM_USER};
        for (uint32_t k = 0; k < 4; k++) fprintf(file, "%.4f,", kelvin_normal(where, k) + (i % 3 == k));
        fprintf(file, "%c\n", "xyz"[i % 3]);
    }
    snprintf(spec, KELVIN_PATH_MAX, "csv:%s,label=label", path);
    return fclose(file);
}

/* 75 rows, and 15. */
static inline int make_table(void **state)
{
    static char specs[2][KELVIN_PATH_MAX];
    /* Every file is synced: where it is in memory, that takes no time. */
    if (access("/dev/shm", W_OK) == 0) snprintf(base, sizeof base, "/dev/shm/kelvin-test-run-XXXXXX");
    if (make_base(state)) return -1;
    table_spec = specs[0];
    short_spec = specs[1];
    return write_table(specs[0], "table.csv", 75) || write_table(specs[1], "short.csv", 15);
}

static inline void set(kelvin_run_config *config, const char *name, double value)
{
    assert_ok(kelvin_run_set(config, name, value));
}

/* By any sampler. By one that looks at batches 15 steps per epoch. */
static inline kelvin_run_config tiny_by(const kelvin_sampler_type *type)
{
    kelvin_run_config config;
    assert_ok(kelvin_run_defaults(&config, type->member.name));
    config.data = table_spec;
    config.model = "mlp:8";
    config.chains = config.samples = 3;
    config.epochs = config.iterations = 50;
    config.warmup = 10;
    config.batch = 4;
    config.seed = 2385;
    if (type->batches) set(&config, "lr", 0.01);
    if (has_setting(type, "steps")) set(&config, "steps", 5);
    if (type->accepts) set(&config, "step_size", 0.05); /* so that it does not accept all */
    return config;
}

static inline const kelvin_sampler_type *sampler_named(const char *name)
{
    const kelvin_sampler_type *type;
    assert_ok(kelvin_sampler_find(&type, name));
    return type;
}

static inline kelvin_run_config tiny(void)
{
    return tiny_by(sampler_named("sghmc"));
}

enum { BUNDLED_DRAWS = 8, BUNDLE = 3 }; /* of each chain; in one file */

/* A network so wide that three draws fill a file: each chain has three files of them, the second of which has the end
 * of the warm-up, if there is one. By a sampler that looks at batches a draw is taken after every second epoch of
 * three steps. */
static inline kelvin_run_config bundled_by(const kelvin_sampler_type *type)
{
    kelvin_run_config config = tiny_by(type);
    config.data = short_spec;
    config.model = "mlp:512,512";
    config.chains = 2;
    config.samples = 2 * BUNDLED_DRAWS;
    config.epochs = 2 * BUNDLED_DRAWS;
    config.schedule = config.temperature_schedule = "constant";
    config.iterations = BUNDLED_DRAWS;
    config.warmup = BUNDLE + 1;
    if (type->batches) set(&config, "lr", 1e-4);
    if (has_setting(type, "steps")) set(&config, "steps", 1);
    if (type->accepts) set(&config, "step_size", 2e-3);
    return config;
}

/* for (size_t i = 0; i < samplers(); i++) ... kelvin_sampler_info(i) ... */
static inline size_t samplers(void)
{
    size_t n = 0;
    while (kelvin_sampler_info(n)) n++;
    assert_true(n >= 3);
    return n;
}

/* Samples of a whole run, warm-up left out. */
static inline uint32_t samples_of(const kelvin_run_config *config)
{
    return sampler_named(config->sampler)->batches ? config->samples
                                                   : config->chains * (config->iterations - config->warmup);
}

static inline kelvin_run *started(const kelvin_run_config *config, const char *name)
{
    kelvin_run *run;
    assert_ok(kelvin_run_begin(&run, config, in_base(name)));
    return run;
}

static inline kelvin_run *opened(const char *name)
{
    kelvin_run *run;
    assert_ok(kelvin_run_open(&run, in_base(name)));
    return run;
}

static inline kelvin_status sample(kelvin_run *run, size_t threads, double checkpoint)
{
    return kelvin_run_sample(&run, 1, &(kelvin_run_options){.threads = threads, .checkpoint = checkpoint}, NULL, NULL);
}

/* From the start to the end. */
static inline void whole_run(const kelvin_run_config *config, const char *name, size_t threads, double checkpoint)
{
    kelvin_run *run = started(config, name);
    assert_false(kelvin_run_finished(run));
    assert_ok(sample(run, threads, checkpoint));
    assert_true(kelvin_run_finished(run));
    assert_ok(kelvin_run_verify(run));
    kelvin_run_close(run);
}

/* Goes on with a run to its end. */
static inline void resumed(const char *name, size_t threads)
{
    kelvin_run *run = opened(name);
    assert_ok(sample(run, threads, 0));
    assert_true(kelvin_run_finished(run));
    assert_ok(kelvin_run_verify(run));
    kelvin_run_close(run);
}

/* ---- folders ---- */

static struct {
    const char *from, *to;
    size_t files;
} comparison;

static inline bool counts(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    return strcmp(name, "times.csv") != 0 && strcmp(name, "lock") != 0;
}

static inline int compare_entry(const char *path, const struct stat *about, int type, struct FTW *place)
{
    (void)about, (void)place;
    if (type != FTW_F || !counts(path)) return 0;
    comparison.files++;
    kelvin_path other;
    assert_ok(kelvin_path_join(other, comparison.to, "%s", path + strlen(comparison.from) + 1));
    if (comparison.to != comparison.from) {
        if (!exists(other)) fail_msg("%s is not there", other);
        size_t n, m;
        char *x = slurp(path, &n), *y = slurp(other, &m);
        if (n != m || memcmp(x, y, n) != 0) fail_msg("%s and %s differ", path, other);
        kelvin_free(x);
        kelvin_free(y);
    }
    return 0;
}

/* Files in a folder but for the lock and the times, each compared with its like in the other. */
static inline size_t compare(const char *from, const char *to)
{
    comparison.from = from;
    comparison.to = to;
    comparison.files = 0;
    assert_int_equal(nftw(from, compare_entry, 16, FTW_PHYS), 0);
    return comparison.files;
}

/* Two runs are the same, to the byte and to the file. */
static inline void same_runs(const char *a, const char *b)
{
    const char *from = in_base(a), *to = in_base(b);
    assert_int_equal(compare(from, to), compare(to, to));
}

/* ---- what is in them ---- */

/* The run that a folder describes; nobody works there. */
static inline kelvin_run *run_of(const char *name)
{
    kelvin_run *run;
    assert_ok(kelvin_run_load(&run, in_base(name), false, NULL));
    return run;
}

/* A column of the history of a chain, as the file has it: (n). The file must have n rows, and all columns. */
static inline void read_column(double *out, const kelvin_run *run, const char *name, uint32_t chain, const char *column,
                               size_t n)
{
    struct kelvin_column columns[KELVIN_COLUMNS];
    size_t which[KELVIN_COLUMNS + 1], found;
    const size_t count = kelvin_history_table(columns, run), at = kelvin_run_find_column(run, column);
    double *rows = kelvin_alloc(n * count + 1, sizeof *rows);
    kelvin_path path;
    assert_true(rows && at < count);
    assert_ok(kelvin_path_join(path, in_base(name), KELVIN_HISTORY_FILE, chain));
    assert_ok(kelvin_table_read(rows, which, &found, path, columns, count, n));
    assert_int_equal(found, count);
    for (size_t i = 0; i < n; i++) out[i] = rows[i * count + at];
    kelvin_free(rows);
}

/* Parameters of a draw, warm-up counted; the caller frees them. */
static inline float *draw_of(const kelvin_run *run, const char *name, uint32_t chain, uint32_t draw)
{
    const struct kelvin_draw_place place = kelvin_draw_place(run, chain, draw);
    struct kelvin_bundle_file file;
    kelvin_run there = *run;
    there.folder = in_base(name);
    float *theta = kelvin_alloc(run->model->n_params, sizeof *theta);
    assert_non_null(theta);
    assert_ok(kelvin_bundle_open(&file, &there, &place, true));
    assert_true(place.index < file.draws);
    kelvin_bundle_theta(theta, &file, run->model, place.index);
    kelvin_bundle_close(&file);
    return theta;
}

/* The last state of a chain; kelvin_chain_destroy afterwards. */
static inline struct kelvin_chain state_of(const kelvin_run *run, const char *name, uint32_t number)
{
    struct kelvin_chain chain;
    kelvin_path path;
    assert_ok(kelvin_chain_create(&chain, run, number));
    assert_ok(kelvin_path_join(path, in_base(name), KELVIN_STATE_FILE, number));
    assert_ok(kelvin_state_read(&chain, path));
    return chain;
}

/* Random numbers of a test; `i` counts. */
static inline uint32_t dice(uint32_t i, uint32_t bound)
{
    return kelvin_uniform_int((kelvin_random){.seed = 17, .stream = KELVIN_STREAM_USER}, i, bound);
}

#endif
