/* quality: how good predictions are, row by row, beside the baselines; and each chain by itself. A pass over logits
 * hands over their pieces:
 *
 *     struct kelvin_rating *rating;
 *     KELVIN_TRY(kelvin_rating_create(&rating, logits, n, pool, arena));
 *     ... kelvin_rating_add(rating, &piece) ...
 *     KELVIN_TRY(kelvin_rating_conclude(rating, &quality, samples, side));
 *     kelvin_rating_end(rating);
 */
#ifndef POSTERIOR_QUALITY_H
#define POSTERIOR_QUALITY_H

#include "base/threads.h"
#include "posterior/diagnosis.h"
#include "posterior/logits.h"

struct kelvin_rating;

/* n: observations that will come. What is found is the arena's. */
KELVIN_MUST_CHECK kelvin_status kelvin_rating_create(struct kelvin_rating **rating, const kelvin_logits *logits,
                                                     size_t n, kelvin_pool *pool, kelvin_arena *arena);
KELVIN_MUST_CHECK kelvin_status kelvin_rating_add(struct kelvin_rating *rating, const kelvin_piece *piece);

/* Once all are in: what the ensemble is worth beside the baselines of that side, and what its chains
 * are; samples NULL: without baselines. */
KELVIN_MUST_CHECK kelvin_status kelvin_rating_conclude(struct kelvin_rating *rating, struct kelvin_quality *out,
                                                       kelvin_samples *samples, kelvin_side side);
void kelvin_rating_end(struct kelvin_rating *rating); /* NULL is fine */

#endif
