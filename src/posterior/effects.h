/* Inside of the posterior room: how columns of a table are compared. Some rows and some samples are taken into memory;
 * threads take columns, or values of a column, each with a network of its own. */
#ifndef POSTERIOR_EFFECTS_H
#define POSTERIOR_EFFECTS_H

#include "base/random.h"
#include "base/threads.h"
#include "run/room.h"

#include <kelvin/posterior.h>

#include <stdatomic.h>

enum {
    KELVIN_EFFECT_ROWS = 1000,
    KELVIN_EFFECT_SAMPLES = 32,
    KELVIN_EFFECT_PERMUTATIONS = 5,
    KELVIN_EFFECTS_SHOWN = 6,    /* columns that have partial dependence, at most */
    KELVIN_EFFECT_AVERAGE = 200, /* rows that it is the mean over, at most */
    KELVIN_EFFECT_VALUES = 21,   /* values of a column at which it is found, at most; */
    KELVIN_EFFECT_NAMES = 16,    /* of a category: the most frequent */
};

struct kelvin_effects {
    kelvin_arena *arena;
    size_t n, rows, samples, permutations, classes;
    kelvin_effect *list; /* (n) */
};

/* What a thread works with. */
struct kelvin_effects_bench {
    kelvin_posterior *pass;
    float *x;        /* (rows, inputs) */
    float *z;        /* (KELVIN_PASS, classes) */
    double *log_p;   /* (rows), and what it is made of: */
    double *rest;    /* (rows) */
    double *change;  /* (rows) */
    double *p;       /* (samples, classes) */
    double *sorted;  /* (samples) */
    uint32_t *order; /* (rows) */
};

struct kelvin_effects_work {
    const kelvin_run *run;
    const kelvin_data *data;
    kelvin_effects *out;
    size_t rows, inputs, classes, samples, permutations, average;
    float *x;      /* (rows, inputs), normalised */
    int32_t *y;    /* (rows) */
    float *theta;  /* (samples, n_params) */
    double *plain; /* (rows): log p of the labels, by the ensemble */
    kelvin_pool *pool;
    struct kelvin_effects_bench *bench; /* (threads) */
    atomic_size_t next;                 /* what is to be done next, */
    size_t tasks;                       /* of so many */
    struct kelvin_effects_value *value; /* (tasks), of partial dependence */
};

/* ---- effects_passes.c ---- */

KELVIN_MUST_CHECK kelvin_status kelvin_effects_bench_create(struct kelvin_effects_bench *bench,
                                                            const struct kelvin_effects_work *work);
void kelvin_effects_bench_destroy(struct kelvin_effects_bench *bench);

/* bench->log_p (rows): log of the mean over samples of the label's probability, at the rows in bench->x. */
KELVIN_MUST_CHECK kelvin_status kelvin_effects_log_p(const struct kelvin_effects_work *work,
                                                     struct kelvin_effects_bench *bench);

/* bench->p (samples, classes): means of probabilities over the first n rows in bench->x. */
KELVIN_MUST_CHECK kelvin_status kelvin_effects_mean_p(const struct kelvin_effects_work *work,
                                                      struct kelvin_effects_bench *bench, size_t n);

/* ---- importance.c, dependence.c ---- */

/* Fills in the importance of all columns in work->out. */
KELVIN_MUST_CHECK kelvin_status kelvin_effects_importance(struct kelvin_effects_work *work);

/* Fills in the points of the first columns in work->out, which are sorted. */
KELVIN_MUST_CHECK kelvin_status kelvin_effects_dependence(struct kelvin_effects_work *work);

#endif
