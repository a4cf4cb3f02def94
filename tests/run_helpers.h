/* Runs for the tests of the run room: small ones by every sampler, in memory and in folders. Included once per test
 * program, before anything else. */
#ifndef RUN_HELPERS_H
#define RUN_HELPERS_H

#include "folder_helpers.h"

#include <kelvin/kelvin.h>

#include "run/bundle.h"

/* Milliseconds, by any sampler: 2 chains, 8 samples in all, and of samplers that look at all data 2 draws of warm-up in
 * each chain. The network has 492 parameters, the data are 18 points without a test part. */
static inline kelvin_run_config small_by(const char *sampler)
{
    kelvin_run_config config;
    assert_ok(kelvin_run_defaults(&config, sampler));
    config.data = "toy";
    config.model = "mlp:10,10,10,10,10";
    config.chains = 2;
    config.iterations = 6;
    config.warmup = 2;
    config.samples = 8;
    config.epochs = 10;
    config.batch = 5;
    config.schedule = config.temperature_schedule = "cyclical";
    config.seed = 2385;
    const kelvin_sampler_type *type;
    assert_ok(kelvin_sampler_find(&type, sampler));
    if (has_setting(type, "steps")) assert_ok(kelvin_run_set(&config, "steps", 20));
    return config;
}

static inline kelvin_run_config small(void)
{
    return small_by("hmc");
}

/* In a folder of the base, or in memory (NULL). */
static inline kelvin_run *started_in(const kelvin_run_config *config, const char *name)
{
    kelvin_run *run;
    assert_ok(kelvin_run_begin(&run, config, name ? in_base(name) : NULL));
    return run;
}

static inline kelvin_run *sampled_in(const kelvin_run_config *config, const char *name, size_t threads)
{
    kelvin_run *run = started_in(config, name);
    assert_ok(kelvin_run_sample(&run, 1, &(kelvin_run_options){.threads = threads, .checkpoint = 60}, NULL, NULL));
    return run;
}

static inline kelvin_run *sampled(const kelvin_run_config *config, size_t threads)
{
    return sampled_in(config, NULL, threads);
}

static inline void sample_into(const kelvin_run_config *config, const char *name, size_t threads)
{
    kelvin_run_close(sampled_in(config, name, threads));
}

static inline kelvin_samples *samples_in(const char *name)
{
    kelvin_samples *samples;
    assert_ok(kelvin_samples_open(&samples, in_base(name)));
    return samples;
}

/* ---- compared ---- */

static struct {
    const char *from, *to; /* NULL: files are counted alone */
    size_t files;
} folder_pair;

static inline int visit_file(const char *path, const struct stat *about, int type, struct FTW *place)
{
    (void)about;
    const char *name = path + place->base;
    if (type != FTW_F || strcmp(name, "times.csv") == 0 || strcmp(name, "lock") == 0) return 0;
    folder_pair.files++;
    if (!folder_pair.to) return 0;
    kelvin_path other;
    assert_ok(kelvin_path_join(other, folder_pair.to, "%s", path + strlen(folder_pair.from) + 1));
    if (!exists(other)) fail_msg("%s is not there", other);
    same_bytes(path, other);
    return 0;
}

static inline size_t visit_files(const char *from, const char *to)
{
    folder_pair.from = from;
    folder_pair.to = to;
    folder_pair.files = 0;
    assert_int_equal(nftw(from, visit_file, 16, FTW_PHYS), 0);
    return folder_pair.files;
}

/* All files but the lock and the times, to the byte. */
static inline void same_folders(const char *a, const char *b)
{
    assert_int_equal(visit_files(a, b), visit_files(b, NULL));
}

/* The same samples, and histories with the same rows and columns. `rounded`: a file of history has fewer digits of what
 * is for people alone. */
static inline void same_samples(kelvin_samples *a, kelvin_samples *b, bool rounded)
{
    const size_t n = a->run->model->n_params, bytes = n * sizeof(float);
    float *x = kelvin_alloc(n, sizeof *x), *y = kelvin_alloc(n, sizeof *y);
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++) {
        assert_true(a->chain[i] == b->chain[i] && a->draw[i] == b->draw[i]);
        assert_ok(kelvin_samples_read(a, x, i));
        assert_ok(kelvin_samples_read(b, y, i));
        assert_memory_equal(x, y, bytes);
    }
    for (uint32_t c = 0; c < a->run->config.chains; c++) {
        kelvin_history p, q;
        assert_ok(kelvin_history_read(&p, a, c));
        assert_ok(kelvin_history_read(&q, b, c));
        assert_true(p.rows == q.rows && p.columns == q.columns);
        for (size_t k = 0; k < p.columns; k++) assert_string_equal(p.names[k], q.names[k]);
        for (size_t k = 0; k < p.rows * p.columns; k++)
            if (!(rounded && isfinite(p.values[k])))
                assert_true(p.values[k] == q.values[k] || (isnan(p.values[k]) && isnan(q.values[k])));
            else
                assert_near(p.values[k], q.values[k], 1e-8 * fabs(p.values[k])); /* nine digits */
        kelvin_history_free(&p);
        kelvin_history_free(&q);
    }
    kelvin_free(x);
    kelvin_free(y);
}

static inline kelvin_samples *samples_from(kelvin_run *run)
{
    kelvin_samples *samples;
    assert_ok(kelvin_samples_of(&samples, run));
    return samples;
}

/* Parameters of a draw of a run in memory, warm-up counted. */
static inline void draw_in_memory(float *theta, const kelvin_run *run, size_t chain, size_t draw)
{
    for (const kelvin_tensor *t = run->model->tensor; t < run->model->tensor + run->model->n_tensors; t++)
        memcpy(theta + t->offset, kelvin_bundle_at(&kelvin_run_inside(run)->kept[chain], t, draw),
               kelvin_tensor_size(t) * sizeof *theta);
}

static inline void same_draws(kelvin_run *a, kelvin_run *b)
{
    kelvin_samples *x = samples_from(a), *y = samples_from(b);
    same_samples(x, y, a->folder || b->folder);
    kelvin_samples_close(x);
    kelvin_samples_close(y);
}

#endif
