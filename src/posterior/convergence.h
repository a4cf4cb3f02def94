/* convergence: R-hat and effective sample sizes of many quantities, which come some at a time.
 *
 *     struct kelvin_converging *c;
 *     kelvin_status st = kelvin_converging_create(&c, quantities, chains, draws, pool);
 *     while (!st && ...) st = kelvin_converging_add(c, x, n);          // n more: x (n, chains, draws)
 *     if (!st) kelvin_converging_result(&convergence, c);
 *     kelvin_converging_destroy(c);
 */
#ifndef POSTERIOR_CONVERGENCE_H
#define POSTERIOR_CONVERGENCE_H

#include "posterior/lineup.h"

struct kelvin_converging;

/* On the threads of a pool; the bits do not depend on how many there are. */
KELVIN_MUST_CHECK kelvin_status kelvin_converging_create(struct kelvin_converging **converging, size_t quantities,
                                                         size_t chains, size_t draws, kelvin_pool *pool);

/* Not more than the quantities that were promised. */
KELVIN_MUST_CHECK kelvin_status kelvin_converging_add(struct kelvin_converging *converging, const double *x, size_t n);

/* Of those that came. The paper's mean and maximum are not a number if that of any quantity is; the others are over
 * the quantities that move at all. */
void kelvin_converging_result(kelvin_convergence *out, struct kelvin_converging *converging);
void kelvin_converging_destroy(struct kelvin_converging *converging); /* NULL is fine */

/* How many quantities to hand over at once, so that their draws take a few MB at most, or are of one. */
size_t kelvin_converging_block(size_t quantities, size_t chains, size_t draws);

/* Of all parameters. */
KELVIN_MUST_CHECK kelvin_status kelvin_converge_parameters(kelvin_convergence *out, kelvin_samples *samples,
                                                           const struct kelvin_lineup *lineup, kelvin_pool *pool);

#endif
