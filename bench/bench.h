/* bench: what a benchmark is. One file per benchmark, one line each in bench.c; a model's name is a benchmark too. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "kernels/kernels.h"

#include "nn/nn.h"

#include <jansson.h>
#include <kelvin/data.h>

struct bench_settings {
    const char *model; /* of a network: what was asked for */
    size_t threads, chains;
    bool quick, methods, json;
};

struct bench_row {
    const char *key;   /* in JSON */
    const char *title; /* NULL: in JSON alone */
    const char *unit;
    int digits;
    double factor; /* from JSON's unit to the one that is printed */
    double aim;    /* at most this, in JSON's unit; 0: none */
};

enum { BENCH_ROWS = 40 };

struct bench_results {
    char about[160];          /* what ran on what: "gradients on one core" */
    const char *data;         /* the data set */
    const char *model;        /* that was asked for, or NULL */
    json_t *layers;           /* of a network, an array; NULL: there are none to tell of */
    size_t threads;           /* how many ran */
    bool aims;                /* this is what the aims are for */
    double value[BENCH_ROWS]; /* one for each row; NaN: not measured */
};

struct benchmark {
    const char *name;
    const struct bench_row *rows;
    size_t n_rows;
    kelvin_status (*measure)(struct bench_results *results, const struct bench_settings *settings,
                             const struct kelvin_kernels *kernels);
};

extern const struct benchmark leapfrog_benchmark, data_benchmark, network_benchmark, tables_benchmark;

/* Smallest and median of n seconds, which get sorted. */
struct bench_times {
    double best, median;
};
struct bench_times bench_times(double *seconds, size_t n);

/* Seconds that a call takes, the best of bursts that fill `seconds` together. */
double bench_best(void (*work)(void *context), void *context, double seconds);

/* The multiply-adds of a core, in GFLOP/s, where `threads` run at once: the best of a few bursts, for others may run
 * beside us. */
KELVIN_MUST_CHECK kelvin_status bench_peak(double *gflops, const struct kelvin_kernels *kernels, size_t threads);

/* Megabytes (1e6 bytes) that the kernel counts under a name such as VmRSS; NaN where it does not. */
double bench_resident_mb(const char *name);

/* ---- layers of a network (bench_layers.c) ---- */

/* The convolutions of a residual network, each pass as it runs there, one core: an array for results->layers, NULL for
 * other networks; and the seconds that all of them take for one image. `peak` in GFLOP/s. */
KELVIN_MUST_CHECK kelvin_status bench_layers(json_t **layers, double *seconds_per_image, const kelvin_model *model,
                                             const struct kelvin_kernels *kernels,
                                             const struct bench_settings *settings, double peak);
void bench_layers_print(const json_t *layers);

/* ---- steps of chains (bench_sampling.c) ---- */

/* One chain on one thread: seconds, and shares of the bare gradient. */
struct bench_sampling {
    double gradient;                                    /* of a batch that is there */
    double step;                                        /* of a chain, in the middle of an epoch */
    double epoch_end;                                   /* per step */
    double checkpoint;                                  /* one, with a long history */
    double overhead, overhead_median;                   /* of all that, over the gradient: best, median of turns */
    double batch, outputs, update, epochs, checkpoints; /* its parts, each timed by itself */
};
KELVIN_MUST_CHECK kelvin_status bench_sampling(struct bench_sampling *sampling, const char *model, bool quick);
/* On these data, which are closed. */
KELVIN_MUST_CHECK kelvin_status bench_sampling_on(struct bench_sampling *sampling, const char *model, kelvin_data *data,
                                                  bool quick);

#endif
