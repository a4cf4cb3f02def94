/* predictions: one pass over the logits of all samples, from which agreement and accuracy are made, and convergence of
 * what they say of some observations. */
#ifndef POSTERIOR_PREDICTIONS_H
#define POSTERIOR_PREDICTIONS_H

#include "base/threads.h"
#include "posterior/diagnosis.h"
#include "posterior/lineup.h"

/* Convergence is looked at at so many observations, at most; and of very many draws at so few that there are not more
 * probabilities to look at than these, but for some observations that always are. */
enum { KELVIN_MOST_OBSERVED = 1000, KELVIN_MOST_LOOKED_AT = 50000000, KELVIN_LEAST_OBSERVED = 10 };

/* Whoever goes through logits hands on their pieces, in order: others may want to see them, too. */
struct kelvin_reader {
    kelvin_status (*read)(void *context, const kelvin_piece *piece);
    void *context;
};

/* Goes through the logits for readers: each gets every piece. */
typedef kelvin_status kelvin_go_through(void *context, kelvin_logits *logits, const struct kelvin_reader *reader);
kelvin_go_through kelvin_logits_go_through; /* for the reader alone; without a context */

/* Fills in predictions, observations, agreement and quality of the diagnosis, whose arrays are the arena's; also what
 * it says of training data, if the logits are of those. n: how many observations there are. samples: whose baselines
 * are compared with; NULL: none. */
KELVIN_MUST_CHECK kelvin_status kelvin_predictions_diagnose(kelvin_diagnosis *out, kelvin_logits *logits, size_t n,
                                                            kelvin_samples *samples, const struct kelvin_lineup *lineup,
                                                            kelvin_pool *pool, kelvin_go_through *go_through,
                                                            void *context);

/* Fills in what the diagnosis says of training data. */
KELVIN_MUST_CHECK kelvin_status kelvin_training_diagnose(kelvin_diagnosis *out, kelvin_logits *logits, size_t n,
                                                         kelvin_samples *samples, kelvin_pool *pool,
                                                         kelvin_go_through *go_through, void *context);

#endif
