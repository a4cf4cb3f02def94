/* Inside of the posterior room, and for charts: what is taken for what. */
#ifndef POSTERIOR_CONFUSION_H
#define POSTERIOR_CONFUSION_H

#include <kelvin/posterior.h>

/* A curve has at most so many points: one for each step of 1/128 along it, and its ends. */
enum { KELVIN_ROC_STEPS = 128, KELVIN_ROC_POINTS = 2 * KELVIN_ROC_STEPS + 2 };

struct kelvin_roc {
    double auc; /* not a number: there is no curve */
    size_t n;
    kelvin_roc_point *points; /* (n) */
};

/* Of the scores of others and of a class's own, which are sorted. The points are the arena's; scratch (n_others + n_own
 * + 1). */
KELVIN_MUST_CHECK kelvin_status kelvin_roc_find(struct kelvin_roc *roc, kelvin_arena *arena, double *others,
                                                size_t n_others, double *own, size_t n_own, kelvin_roc_point *scratch);

/* The share of its own that a curve has reached where it has so much of the others: between points it is straight, and
 * of several at one place the highest. */
double kelvin_roc_at(const struct kelvin_roc *roc, double others);

struct kelvin_confusion {
    size_t classes, n, room;
    int32_t *label;         /* (room) */
    double *p;              /* (room, classes), until all are there */
    size_t *count;          /* (classes, classes): by label, then by prediction */
    struct kelvin_roc *roc; /* (classes), at the end */
    kelvin_arena *arena;
};

#endif
