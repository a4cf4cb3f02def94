/* agreement: how far chains are apart, from the probabilities of every sample, a piece of the logits at a time.
 *
 *     struct kelvin_agreeing *a;
 *     kelvin_status st = kelvin_agreeing_create(&a, chain, samples, classes, pool, arena);
 *     while (!st && ...) st = kelvin_agreeing_add(a, &piece, p);           // p (piece.samples, piece.n, classes)
 *     if (!st) kelvin_agreeing_result(&agreement, a);                      // its arrays are the arena's
 *     kelvin_agreeing_end(a);
 */
#ifndef POSTERIOR_AGREEMENT_H
#define POSTERIOR_AGREEMENT_H

#include "base/threads.h"

#include <kelvin/posterior.h>

/* Of more chains than these, so many at equal distances are compared with each other; within a chain, so many pairs. */
enum { KELVIN_MOST_COMPARED = 64, KELVIN_MOST_PAIRS = 50 };

struct kelvin_agreeing;

/* chain (samples), in order: which one each sample is of. It must stay. */
KELVIN_MUST_CHECK kelvin_status kelvin_agreeing_create(struct kelvin_agreeing **agreeing, const uint32_t *chain,
                                                       size_t samples, size_t classes, kelvin_pool *pool,
                                                       kelvin_arena *arena);
KELVIN_MUST_CHECK kelvin_status kelvin_agreeing_add(struct kelvin_agreeing *agreeing, const kelvin_piece *piece,
                                                    const double *p);
void kelvin_agreeing_result(kelvin_agreement *out, struct kelvin_agreeing *agreeing); /* once */
void kelvin_agreeing_end(struct kelvin_agreeing *agreeing); /* frees what is not the arena's; NULL is fine */

#endif
