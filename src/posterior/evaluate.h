/* Inside of the posterior room: an evaluation at work. Single samples are scored, and so are walks: samples that are
 * added to an ensemble one after the other, which is scored wherever the walk stops. The first walk takes all samples
 * in their order and stops once, at the end. */
#ifndef POSTERIOR_EVALUATE_H
#define POSTERIOR_EVALUATE_H

#include "posterior/logits.h"
#include "posterior/score.h"

enum {
    KELVIN_SUBSET = 8, /* samples make a posterior of the paper */
    KELVIN_SUBSETS = 100,
    KELVIN_ORDERS = 20, /* of all samples, for the curve over posterior sizes */
    KELVIN_WALKS = 1 + KELVIN_ORDERS + KELVIN_SUBSETS,
};

struct kelvin_walk {
    uint32_t *order;    /* (samples), or those that it takes */
    const size_t *stop; /* (stops), how many samples are in the ensemble then; increasing */
    size_t stops;
    size_t score; /* the number of the score of its first stop */
};

/* The keys of a piece, (scores, n); a list, the last piece first. */
struct kelvin_keys {
    struct kelvin_keys *before;
    size_t n;
    uint64_t key[];
};

struct kelvin_evaluation {
    kelvin_logits *logits;
    size_t samples, classes, bins, n; /* n: observations so far */
    bool labelled;                    /* scores count; otherwise there are none */
    size_t walks, subsets, sizes;     /* subsets: the last so many walks; sizes: stops of the walks before them */
    struct kelvin_walk walk[KELVIN_WALKS];
    size_t size[KELVIN_MOST_SIZES];

    size_t scores;              /* of samples, then of walks' stops */
    struct kelvin_score *score; /* (scores) */
    struct kelvin_keys *keys;

    /* a block of observations: those from `first` of the piece on */
    kelvin_piece piece;
    size_t first, count, most;
    double *p;               /* (samples, most, classes) */
    double *log_p, *h;       /* (samples, most): of labels; entropies */
    double *sum, *sum_h;     /* (walks, most, classes), (walks, most): over samples */
    double *mean;            /* (walks, most, classes) */
    kelvin_verdict *verdict; /* (most), of all samples together */
    kelvin_pool *pool;
    kelvin_arena *arena;
};

/* Which samples are in which ensembles: subsets for error bars, orders for posterior sizes. */
KELVIN_MUST_CHECK kelvin_status kelvin_choose_walks(struct kelvin_evaluation *e, bool sizes);

/* From scores to metrics, once all observations are in; fills in ece_mass of the scores. */
KELVIN_MUST_CHECK kelvin_status kelvin_conclude(kelvin_metrics *out, struct kelvin_evaluation *e);

#endif
