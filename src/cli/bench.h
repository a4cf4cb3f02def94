/* bench: what a benchmark is. One file per benchmark, one line each in bench.c. */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include "kernels/kernels.h"

#include <kelvin/base.h>

struct bench_settings {
    size_t threads;
    bool quick, json;
};

struct bench_row {
    const char *key;   /* in JSON */
    const char *title; /* NULL: in JSON alone */
    const char *unit;
    int digits;
    double factor; /* from JSON's unit to the one that is printed */
    double aim;    /* at most this, in JSON's unit; 0: none */
};

enum { BENCH_ROWS = 24 };

struct bench_results {
    char about[160];          /* what ran on what: "gradients on one core" */
    const char *data;         /* the data set */
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

extern const struct benchmark hmc_benchmark, data_benchmark;

/* Smallest and median of n seconds, which get sorted. */
struct bench_times {
    double best, median;
};
struct bench_times bench_times(double *seconds, size_t n);

#endif
