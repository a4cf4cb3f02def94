/* gather: all that a page has to say of a run, before a word of it is written. */
#ifndef REPORT_GATHER_H
#define REPORT_GATHER_H

#include "report/report.h"

enum { REPORT_CASES = 12, REPORT_TOP = 3 };

/* One observation that is worth a look. */
struct report_case {
    size_t index;
    int32_t label, predicted;
    double entropy, epistemic, confidence;
    double score; /* by which it is remarkable */
    size_t n_top;
    int32_t top[REPORT_TOP]; /* the most likely classes, the first of them `predicted` */
    double p[REPORT_TOP];
    const float *x; /* (inputs), normalised; NULL: it cannot be had */
};

struct report_cases {
    size_t n;
    struct report_case list[REPORT_CASES]; /* the most remarkable first */
};

struct report_run {
    const char *folder; /* as it was given */
    const char *name;   /* short, and different for each run */
    kelvin_samples *samples;
    const char *on; /* "test", "train" or a data set */
    kelvin_metrics *metrics;
    kelvin_diagnosis *diagnosis;
    kelvin_history *histories; /* (chains) */
    struct report_cases mistakes, doubts;
    const char *without_data; /* why cases have no inputs; NULL: they have */
};

/* The texts and arrays of a run live in the arena. A run that was gathered only in part can be released, too. */
KELVIN_MUST_CHECK kelvin_status gather_runs(struct report_run *runs, kelvin_arena *arena, const char *const *folders,
                                            size_t n, const struct report_options *options);
void gather_release(struct report_run *runs, size_t n);

#endif
