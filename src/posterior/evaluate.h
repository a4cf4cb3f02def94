/* Inside of the posterior room: an evaluation at work. Single samples are scored, at most some of them, and so are
 * walks: single samples that are added to an ensemble one after the other, which is scored wherever the walk stops. The
 * first walk takes all samples as they come and stops once, at the end. */
#ifndef POSTERIOR_EVALUATE_H
#define POSTERIOR_EVALUATE_H

#include "base/threads.h"
#include "kernels/kernels.h"
#include "posterior/logits.h"
#include "posterior/metric.h"

#include <stdatomic.h>

enum {
    KELVIN_MOST_SINGLES = 1000, /* of more samples, so many at equal distances are looked at one by one */
    KELVIN_SUBSET = 8,          /* samples make a posterior of the paper */
    KELVIN_SUBSETS = 100,
    KELVIN_ORDERS = 20, /* of all samples, for the curve over posterior sizes */
    KELVIN_WALKS = 1 + KELVIN_ORDERS + KELVIN_SUBSETS,
};

struct kelvin_walk {
    uint32_t *order;    /* (singles), or those that it takes; NULL: all samples */
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

/* The sums of metrics that look at each observation by themselves: the same three for them, as there are `n` such
 * metrics. */
struct kelvin_own {
    size_t n, room;
    const struct kelvin_metric_type *type[KELVIN_METRICS]; /* (n) */
    double *sums, *part, *open;                            /* (scores, n), (tiles, scores, n), (scores, n) */
};

struct kelvin_evaluation {
    kelvin_logits *logits;
    size_t samples, singles, classes, bins, n; /* n: observations so far */
    bool labelled;                             /* scores count; otherwise there are none */
    size_t walks, subsets, sizes; /* subsets: the last so many walks; sizes: stops of the walks before them */
    struct kelvin_walk walk[KELVIN_WALKS];
    size_t size[KELVIN_MOST_SIZES];

    size_t scores;            /* of singles, then of walks' stops */
    struct kelvin_sums *sums; /* (scores) */
    double *values;           /* (scores, KELVIN_METRICS), at the end */
    struct kelvin_keys *keys;
    kelvin_metrics *out; /* at the end: bins of the ensemble of all */

    kelvin_piece piece;
    size_t tiles;
    size_t room, verdicts, probabilities; /* for which there is memory in part, verdict and p */
    atomic_size_t next;                   /* the tile, and at the end the score, to do next */
    struct kelvin_sums *part;             /* (tiles, scores) */
    struct kelvin_sums *open;             /* (scores), of a tile that the next piece goes on with */
    struct kelvin_own own;
    kelvin_verdict *verdict; /* (piece.n), of all samples together; NULL: nobody asked */
    double *p;               /* (piece.n, classes), theirs */

    const struct kelvin_kernels *kernels;
    struct kelvin_bench *bench; /* (benches), one for each thread, or for each tile of samples that come in parts */
    size_t benches;
    kelvin_pool *pool;
    kelvin_arena *arena;
};

/* Whether no samples follow at the same observations. */
static inline bool kelvin_piece_is_last(const struct kelvin_evaluation *e)
{
    return e->piece.first_sample + e->piece.samples == e->samples;
}

/* Where a thread works on a tile: observations number KELVIN_TILE i and on, so far as they are in the piece. */
struct kelvin_bench {
    size_t tile, first, count; /* first: in the piece */
    /* (singles and some more, classes + 1, KELVIN_TILE): probabilities, and entropies behind them */
    double *rows;
    double *log_p; /* (singles, KELVIN_TILE), of labels */
    double *all;   /* (classes + 1, KELVIN_TILE): the sum of the rows of all samples so far */
    double *sum;   /* the same, of those in an ensemble */
    /* log p of labels over all samples, where doubles cannot hold their p: the largest, and sum of exp(log p - it). */
    double largest[KELVIN_TILE], rest[KELVIN_TILE];
    double label[KELVIN_TILE];
    struct appraisal appraisal;
    double *p; /* (classes), of one observation, for metrics that look at each by themselves */
};

KELVIN_MUST_CHECK kelvin_status kelvin_bench_create(struct kelvin_bench *bench, const struct kelvin_evaluation *e);

/* The samples of e->piece, all or a part of them; after the last, fills in what the tile adds: to its row of e->part,
 * to keys and verdicts. */
void kelvin_score_tile(struct kelvin_evaluation *e, struct kelvin_bench *bench, size_t tile);

/* Which samples are in which ensembles: subsets for error bars, orders for posterior sizes. */
KELVIN_MUST_CHECK kelvin_status kelvin_choose_walks(struct kelvin_evaluation *e, bool sizes);

/* From scores to metrics, once all observations are in; fills in the calibration of the scores. */
KELVIN_MUST_CHECK kelvin_status kelvin_conclude(kelvin_metrics *out, struct kelvin_evaluation *e);

/* kelvin_evaluate, into memory of the caller. reader: also gets the pieces, after they have been looked at; or NULL. */
struct kelvin_reader;
KELVIN_MUST_CHECK kelvin_status kelvin_evaluate_into(kelvin_metrics *out, kelvin_logits *logits,
                                                     const kelvin_evaluate_options *options,
                                                     const struct kelvin_reader *reader);

#endif
