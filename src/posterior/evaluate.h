/* Inside of the posterior room: an evaluation at work. Single samples are scored, and so are walks: samples that are
 * added to an ensemble one after the other, which is scored wherever the walk stops. The first walk takes all samples
 * in their order and stops once, at the end. */
#ifndef POSTERIOR_EVALUATE_H
#define POSTERIOR_EVALUATE_H

#include "kernels/kernels.h"
#include "posterior/logits.h"
#include "posterior/score.h"

#include <stdatomic.h>

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

    kelvin_piece piece;
    size_t tiles, room;       /* room: in `part` */
    atomic_size_t next;       /* the tile, and at the end the score, to do next */
    struct kelvin_sums *part; /* (tiles, scores) */
    struct kelvin_sums *open; /* (scores), of a tile that the next piece goes on with */
    kelvin_verdict *verdict;  /* (piece.n), of all samples together; NULL: nobody asked */
    double *p;                /* (piece.n, classes), theirs */

    const struct kelvin_kernels *kernels;
    struct kelvin_bench *bench; /* (threads of the pool) */
    kelvin_pool *pool;
    kelvin_arena *arena;
};

/* Where a thread works on a tile: observations number KELVIN_TILE i and on, so far as they are in the piece. */
struct kelvin_bench {
    size_t tile, first, count; /* first: in the piece */
    double *rows;              /* (samples, classes + 1, KELVIN_TILE): probabilities, and entropies behind them */
    double *log_p;             /* (samples, KELVIN_TILE), of labels */
    double *sum;               /* (classes + 1, KELVIN_TILE): of rows of the samples in an ensemble */
    double label[KELVIN_TILE];
    struct appraisal appraisal;
};

KELVIN_MUST_CHECK kelvin_status kelvin_bench_create(struct kelvin_bench *bench, const struct kelvin_evaluation *e);

/* Fills in what the tile adds: to its row of e->part, to keys and verdicts. */
void kelvin_score_tile(struct kelvin_evaluation *e, struct kelvin_bench *bench, size_t tile);

/* Which samples are in which ensembles: subsets for error bars, orders for posterior sizes. */
KELVIN_MUST_CHECK kelvin_status kelvin_choose_walks(struct kelvin_evaluation *e, bool sizes);

/* From scores to metrics, once all observations are in; fills in the calibration of the scores. */
KELVIN_MUST_CHECK kelvin_status kelvin_conclude(kelvin_metrics *out, struct kelvin_evaluation *e);

#endif
