/* convergence: R-hat and effective sample sizes of many quantities, which come some at a time.
 *
 *     struct kelvin_converging *c;
 *     kelvin_status st = kelvin_converging_create(&c, quantities, chains, draws, pool);
 *     while (!st && ...) {
 *         ... kelvin_converging_next(c) ...               // where draws of the next quantity belong: (chains, draws)
 *         st = kelvin_converging_add(c, 1);               // or c->block of them at once
 *     }
 *     if (!st) kelvin_converging_result(&convergence, c);
 *     kelvin_converging_destroy(c);
 */
#ifndef POSTERIOR_CONVERGENCE_H
#define POSTERIOR_CONVERGENCE_H

#include "base/threads.h"
#include "posterior/lineup.h"

struct kelvin_converging {
    size_t quantities, chains, draws;
    size_t block;   /* quantities that x has room for; 0: of fewer than two draws nothing can be told */
    double *x;      /* (block, chains, draws) */
    size_t waiting; /* in x */
    size_t seen;    /* before these */
    double *rhat, *rank, *bulk, *tail; /* (quantities) */
    kelvin_pool *pool;
    size_t threads, bytes;             /* that work at once; of the work of each */
    struct kelvin_rank_tables *tables; /* of all threads */
    char *work;                        /* (threads, bytes) */
};

/* On the threads of a pool; the bits do not depend on how many there are. */
KELVIN_MUST_CHECK kelvin_status kelvin_converging_create(struct kelvin_converging **converging, size_t quantities,
                                                         size_t chains, size_t draws, kelvin_pool *pool);

/* Where the next quantity belongs. */
static inline double *kelvin_converging_next(const struct kelvin_converging *c)
{
    return c->x + c->waiting * c->chains * c->draws;
}

/* They are in their places. Not more than the quantities that were promised. */
KELVIN_MUST_CHECK kelvin_status kelvin_converging_add(struct kelvin_converging *converging, size_t n);

/* When all have come, or none could be told of. The paper's mean and maximum are not a number if that of any quantity
 * is; the others are over the quantities that move at all. */
void kelvin_converging_result(kelvin_convergence *out, struct kelvin_converging *converging);
void kelvin_converging_destroy(struct kelvin_converging *converging); /* NULL is fine */

/* Of all parameters. */
KELVIN_MUST_CHECK kelvin_status kelvin_converge_parameters(kelvin_convergence *out, kelvin_samples *samples,
                                                           const struct kelvin_lineup *lineup, kelvin_pool *pool);

#endif
