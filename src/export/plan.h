/* What of a run goes into a file: its arrays, with the names of their axes, and which samples. */
#ifndef EXPORT_PLAN_H
#define EXPORT_PLAN_H

#include "export/sheet.h"

#include <kelvin/posterior.h>

enum plan_part {
    PLAN_POSTERIOR,
    PLAN_STATS,
    PLAN_LIKELIHOOD,
    PLAN_PREDICTIVE,  /* logits of the training data */
    PLAN_PREDICTIONS, /* logits of the test data */
    PLAN_PARTS
};

extern const char *const export_parts[PLAN_PARTS]; /* their names */

enum { PLAN_NONE = -1 };

/* The arrays of one side of the data; PLAN_NONE: not in the file. */
struct plan_side {
    size_t n;
    int likelihood, logits, labels;
};

struct plan {
    kelvin_arena *arena;
    struct export_sheet sheet;
    size_t chains, draws;
    const int64_t *chain;        /* (chains): their numbers */
    const size_t *row;           /* (samples): chain x draws + draw in the file, or SIZE_MAX: left out */
    int tensors;                 /* the first one; PLAN_NONE: no parameters */
    int chain_array, draw_array; /* their coordinates */
    int stats;                   /* the first of n_stats */
    const kelvin_statistic *stat[KELVIN_COLUMNS]; /* (n_stats), columns of history.csv */
    size_t n_stats;
    struct plan_side side[2]; /* KELVIN_TRAIN, KELVIN_TEST */
};

/* `parts`: bit i, whether part i is wanted. export_plan_free also after a failure. */
KELVIN_MUST_CHECK kelvin_status export_plan_make(struct plan *plan, const kelvin_samples *samples, unsigned parts);
void export_plan_free(struct plan *plan);

/* As what a number of the history goes into the file. */
enum kelvin_dtype export_stat_type(const kelvin_statistic *stat);

#endif
