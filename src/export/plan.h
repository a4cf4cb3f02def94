/* What of a run goes into a file: its arrays, with the names of their axes, and which samples. */
#ifndef EXPORT_PLAN_H
#define EXPORT_PLAN_H

#include "export/sheet.h"
#include "posterior/lineup.h"
#include "run/run.h"

enum plan_part {
    PLAN_POSTERIOR,
    PLAN_STATS,
    PLAN_LIKELIHOOD,
    PLAN_PREDICTIVE,  /* logits of the training data */
    PLAN_PREDICTIONS, /* logits of the test data */
    PLAN_PARTS
};

extern const char *const kelvin_export_parts[PLAN_PARTS]; /* their names */

/* The arrays of one side of the data; NULL: not in the file. */
struct plan_side {
    size_t n;
    const struct export_array *likelihood, *logits, *labels;
};

struct plan {
    kelvin_arena *arena;
    struct export_sheet sheet;
    struct export_array *arrays; /* of the sheet */
    struct kelvin_lineup lineup; /* the samples in the file */
    struct export_axis chain, draw, class, obs[2];
    const struct export_array *chain_array, *draw_array; /* their coordinates */
    const struct export_array *tensors;                  /* the first one; NULL: no parameters */
    const struct export_array *stats;                    /* the first of n_stats */
    const kelvin_statistic *stat[KELVIN_COLUMNS];        /* (n_stats), columns of history.csv */
    size_t n_stats;
    struct plan_side side[2]; /* KELVIN_TRAIN, KELVIN_TEST */
};

/* `parts`: bit i, whether part i is wanted. The plan must stay where it is. kelvin_export_plan_free also after a
 * failure. */
KELVIN_MUST_CHECK kelvin_status kelvin_export_plan_make(struct plan *plan, const kelvin_samples *samples,
                                                        unsigned parts);
void kelvin_export_plan_free(struct plan *plan);

#endif
