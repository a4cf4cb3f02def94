/* Runs by SGHMC for tests: a small table, a run of milliseconds on it, folders compared. Included once per test
 * program, before anything else. */
#ifndef CHAINS_HELPERS_H
#define CHAINS_HELPERS_H

#include "folder_helpers.h"

#include <kelvin/kelvin.h>

#include "run/chain.h"

static const char *table_spec; /* "csv:..." */

/* Three classes in four columns, 75 rows, of which 15 are for testing. */
static inline int make_table(void **state)
{
    static char spec[KELVIN_PATH_MAX];
    /* Every file is synced: where it is in memory, that takes no time. */
    if (access("/dev/shm", W_OK) == 0) snprintf(base, sizeof base, "/dev/shm/kelvin-test-run-XXXXXX");
    if (make_base(state)) return -1;
    const char *path = in_base("table.csv");
    FILE *file = fopen(path, "w");
    if (!file) return -1;
    fprintf(file, "a,b,c,d,label\n");
    for (uint32_t i = 0; i < 75; i++) {
        const kelvin_random where = {.seed = 5, .step = i, .stream = KELVIN_STREAM_USER};
        for (uint32_t k = 0; k < 4; k++) fprintf(file, "%.4f,", kelvin_normal(where, k) + (i % 3 == k));
        fprintf(file, "%c\n", "xyz"[i % 3]);
    }
    snprintf(spec, sizeof spec, "csv:%s,label=label", path);
    table_spec = spec;
    return fclose(file);
}

/* 15 steps per epoch. */
static inline kelvin_run_config tiny(void)
{
    kelvin_run_config config;
    assert_ok(kelvin_run_defaults(&config, "sghmc"));
    config.data = table_spec;
    config.model = "mlp:8";
    config.chains = config.samples = 3;
    config.epochs = 50;
    config.batch = 4;
    config.lr = 0.01;
    config.seed = 2385;
    return config;
}

static inline kelvin_chains *started(const kelvin_run_config *config, const char *name)
{
    kelvin_chains *chains;
    assert_ok(kelvin_chains_start(&chains, config, in_base(name)));
    return chains;
}

static inline kelvin_chains *opened(const char *name)
{
    kelvin_chains *chains;
    assert_ok(kelvin_chains_open(&chains, in_base(name)));
    return chains;
}

/* From the start to the end. */
static inline void whole_run(const kelvin_run_config *config, const char *name, size_t threads, double checkpoint)
{
    kelvin_chains *chains = started(config, name);
    assert_false(kelvin_chains_finished(chains));
    const kelvin_chains_options options = {.threads = threads, .checkpoint = checkpoint};
    assert_ok(kelvin_chains_run(chains, &options, NULL, NULL));
    assert_true(kelvin_chains_finished(chains));
    kelvin_chains_close(chains);
}

/* Goes on with a run to its end. */
static inline void resumed(const char *name, size_t threads)
{
    kelvin_chains *chains = opened(name);
    assert_ok(kelvin_chains_run(chains, &(kelvin_chains_options){.threads = threads, .checkpoint = 0}, NULL, NULL));
    assert_true(kelvin_chains_finished(chains));
    kelvin_chains_close(chains);
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

static inline kelvin_run *run_of(const char *name)
{
    kelvin_run *run;
    assert_ok(kelvin_run_read(&run, in_base(name)));
    return run;
}

/* The history of a chain, as the file has it: (n, KELVIN_EPOCH_COLUMNS). The file must have n rows. */
static inline void read_history(double *rows, const char *name, uint32_t chain, size_t n)
{
    kelvin_path path;
    assert_ok(kelvin_path_join(path, in_base(name), KELVIN_HISTORY_FILE, chain));
    assert_ok(kelvin_table_read(rows, path, kelvin_epoch_columns, KELVIN_EPOCH_COLUMNS, n));
}

/* Parameters of a sample; the caller frees them. */
static inline float *sample_of(const kelvin_run *run, const char *name, uint32_t chain, uint32_t index)
{
    kelvin_path path;
    float *theta = kelvin_alloc(run->model->n_params, sizeof *theta);
    assert_non_null(theta);
    assert_ok(kelvin_path_join(path, in_base(name), KELVIN_SAMPLE_FILE, chain, index));
    assert_ok(kelvin_sample_read(theta, path, run->model));
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
