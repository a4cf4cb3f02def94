/* Small fits to data in memory, by the public interface alone: what tests of arrays, threads and children share. */
#ifndef TESTS_FIT_HELPERS_H
#define TESTS_FIT_HELPERS_H

#include <kelvin/kelvin.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIT_ROWS = 1000, FIT_COLUMNS = 20, FIT_CLASSES = 3 };

struct fit_table {
    float x[FIT_ROWS][FIT_COLUMNS];
    int32_t y[FIT_ROWS];
};

/* Numbers as any program may have them: by a generator of its own (Numerical Recipes' LCG). */
static inline double fit_uniform(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) / 16777216.0;
}

static inline void fit_fill(struct fit_table *t, uint32_t seed)
{
    for (size_t i = 0; i < FIT_ROWS; i++) {
        double sum = 0;
        for (size_t j = 0; j < FIT_COLUMNS; j++) {
            t->x[i][j] = (float)(3 + (double)(j + 1) * (fit_uniform(&seed) - 0.3));
            sum += (j % 3 ? 1.0 : -1.0) * ((double)t->x[i][j] - 3) / (double)(j + 1);
        }
        t->y[i] = sum < -0.3 ? 0 : sum < 0.6 ? 1 : 2;
    }
}

static inline kelvin_arrays fit_arrays(const struct fit_table *t)
{
    kelvin_arrays arrays = {0};
    arrays.rows = FIT_ROWS;
    arrays.columns = FIT_COLUMNS;
    arrays.x = t->x[0];
    arrays.labels = t->y;
    return arrays;
}

/* Two fields each, NULL after the last: some samples in a moment. */
static const char *const fit_sghmc[] = {"sampler", "sghmc",    "samples",  "6",     "chains", "2",  "epochs",
                                        "6",       "schedule", "cyclical", "batch", "50",     "lr", "0.01",
                                        "model",   "mlp:10",   "seed",     "2385",  NULL};
static const char *const fit_hmc[] = {"sampler", "hmc",    "iterations", "6",    "warmup",    "2",
                                      "chains",  "2",      "steps",      "10",   "step_size", "0.005",
                                      "model",   "mlp:10", "seed",       "2385", NULL};
static const char *const fit_mclmc[] = {"sampler", "mclmc", "iterations", "6",      "warmup", "2",    "chains", "2",
                                        "steps",   "10",    "model",      "mlp:10", "seed",   "2385", NULL};

/* A run with these fields, sampled to its end: of `data`, or, if that is NULL, of those that `spec` names. */
static inline kelvin_status fit_run(kelvin_run **run, const char *const *fields, const kelvin_data *data,
                                    const char *spec, const char *folder, size_t threads)
{
    kelvin_config *config;
    const kelvin_run_options options = {.threads = threads, .checkpoint = 60};
    *run = NULL;
    kelvin_status st = kelvin_config_create(&config);
    if (!st) st = kelvin_config_set(config, "preset", "paper");
    for (size_t i = 0; !st && fields[i]; i += 2) st = kelvin_config_set(config, fields[i], fields[i + 1]);
    if (!st && spec) st = kelvin_config_set(config, "data", spec);
    if (!st) st = data ? kelvin_run_start_with(run, config, data, folder) : kelvin_run_start(run, config, folder);
    if (!st) st = kelvin_run_sample(run, 1, &options, NULL, NULL);
    kelvin_config_destroy(config);
    return st;
}

/* All draws of all samples, one behind the other; *n of them. To be freed with kelvin_free. */
static inline kelvin_status fit_draws(float **draws, size_t *n, kelvin_run *run)
{
    kelvin_samples *samples;
    const size_t parameters = kelvin_model_parameters(kelvin_run_model(run));
    *draws = NULL;
    *n = 0;
    kelvin_status st = kelvin_samples_of(&samples, run);
    if (st) return st;
    *n = kelvin_samples_count(samples) * parameters;
    *draws = (float *)kelvin_alloc(*n, sizeof **draws);
    if (!*draws) st = KELVIN_ENOMEM;
    for (size_t i = 0; !st && i < kelvin_samples_count(samples); i++)
        st = kelvin_samples_read(samples, *draws + i * parameters, i);
    kelvin_samples_close(samples);
    return st;
}

/* Everything in memory, from the arrays to the draws. */
static inline kelvin_status fit_memory(float **draws, size_t *n, const char *const *fields, const kelvin_arrays *arrays,
                                       size_t threads)
{
    kelvin_data *data;
    kelvin_run *run = NULL;
    *draws = NULL;
    *n = 0;
    kelvin_status st = kelvin_data_from_arrays(&data, arrays);
    if (!st) st = fit_run(&run, fields, data, NULL, NULL, threads);
    if (!st) st = fit_draws(draws, n, run);
    kelvin_run_close(run);
    kelvin_data_close(data);
    return st;
}

#endif
