/* agreement: how far chains are apart, from the probabilities of every sample, a piece of the logits at a time.
 *
 *     struct kelvin_agreeing *a;
 *     kelvin_status st = kelvin_agreeing_create(&a, chain, samples, classes, pool);
 *     while (!st && ...) st = kelvin_agreeing_add(a, &piece, p);           // p (piece.samples, piece.n, classes)
 *     if (!st) st = kelvin_agreeing_result(&agreement, a, arena);     // its arrays are the arena's
 *     kelvin_agreeing_destroy(a);
 */
#ifndef POSTERIOR_AGREEMENT_H
#define POSTERIOR_AGREEMENT_H

#include <kelvin/posterior.h>

/* Of more chains than these, so many at equal distances are compared with each other; within a chain, so many pairs. */
enum { KELVIN_MOST_COMPARED = 64, KELVIN_MOST_PAIRS = 50 };

struct kelvin_agreeing;

/* chain (samples), in order: which one each sample is of. It must stay. */
KELVIN_MUST_CHECK kelvin_status kelvin_agreeing_create(struct kelvin_agreeing **agreeing, const uint32_t *chain,
                                                       size_t samples, size_t classes, kelvin_pool *pool);
KELVIN_MUST_CHECK kelvin_status kelvin_agreeing_add(struct kelvin_agreeing *agreeing, const kelvin_piece *piece,
                                                    const double *p);
KELVIN_MUST_CHECK kelvin_status kelvin_agreeing_result(kelvin_agreement *out, const struct kelvin_agreeing *agreeing,
                                                       kelvin_arena *arena);
void kelvin_agreeing_destroy(struct kelvin_agreeing *agreeing); /* NULL is fine */

#endif
