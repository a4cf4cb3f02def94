/* distribution: how log-probabilities that samples predict are distributed; and the figures that are made of this.
 *
 *     struct distribution of = {.kind = &kind};
 *     kelvin_status status = kelvin_distribution_count(&of, logits);
 *     struct distribution_share share = kelvin_distribution_at(&of, 400);        // at kelvin_distribution_point(&kind,
 * 400) kelvin_distribution_free(&of);
 */
#ifndef FIGURES_DISTRIBUTION_H
#define FIGURES_DISTRIBUTION_H

#include "figures/cells.h"

enum { DISTRIBUTION_BINS = 1000, DISTRIBUTION_POINTS = DISTRIBUTION_BINS + 1 };

/* What is counted: log-probabilities of all classes, or of the label alone. */
struct distribution_kind {
    const char *on; /* "train" or "test" */
    bool label;
    double lowest; /* of the points, the last of which is 0 */
    double bound;  /* what is less is counted apart */
};

struct distribution {
    const struct distribution_kind *kind;
    size_t samples;   /* 0: there are none */
    uint64_t values;  /* of each sample */
    uint64_t below;   /* that are less than the bound, of all samples together */
    uint64_t *count;  /* (samples, DISTRIBUTION_POINTS): those of a sample that are at most so large */
    double *of_point; /* (samples) */
};

/* Of single samples: mean, 10th and 90th percentile. */
struct distribution_share {
    double low, mean, high;
};

double kelvin_distribution_point(const struct distribution_kind *kind, size_t i);

/* Reads the logits to their end; they must be of kind->on. Free it also after a failure. */
KELVIN_MUST_CHECK kelvin_status kelvin_distribution_count(struct distribution *of, kelvin_logits *logits);
void kelvin_distribution_free(struct distribution *of);

/* Not numbers, where there are no samples. */
struct distribution_share kelvin_distribution_at(const struct distribution *of, size_t i);
double kelvin_distribution_below(const struct distribution *of);  /* the share of all values */
double kelvin_distribution_median(const struct distribution *of); /* the first point with half of all values */

/* ---- a figure ---- */

/* A posterior whose distribution is drawn: DirClip with the options' alpha, or categorical at T = 0. */
struct distribution_series {
    const char *name; /* of its columns, and of its cell */
    const char *title;
    bool dirclip, tuned;
    double clip; /* 0: that of the options */
};

enum { DISTRIBUTION_SERIES = 4 }; /* at most */

struct distribution_picture {
    const struct figure *figure;
    struct distribution_kind kind;
    struct distribution_series series[DISTRIBUTION_SERIES]; /* those after the last have no name */
    void (*print)(const struct figure_options *options, const struct distribution of[DISTRIBUTION_SERIES]);
};

KELVIN_MUST_CHECK kelvin_status kelvin_distribution_cells(const struct distribution_picture *picture,
                                                          struct figure_cells *list,
                                                          const struct figure_options *options);
KELVIN_MUST_CHECK kelvin_status kelvin_distribution_run(const struct distribution_picture *picture,
                                                        const struct figure_options *options);

#endif
