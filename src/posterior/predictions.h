/* predictions: one pass over the logits of all samples, from which agreement and accuracy are made, and convergence of
 * what they say of some observations. */
#ifndef POSTERIOR_PREDICTIONS_H
#define POSTERIOR_PREDICTIONS_H

#include "posterior/diagnosis.h"
#include "posterior/lineup.h"

/* Convergence is looked at at so many observations, at most; and of very many draws at so few that there are not more
 * probabilities to look at than these, but for some observations that always are. */
enum { KELVIN_MOST_OBSERVED = 1000, KELVIN_MOST_LOOKED_AT = 50000000, KELVIN_LEAST_OBSERVED = 10 };

/* Fills in predictions, observations and agreement of the diagnosis, whose arrays are the arena's; also what it
 * says of single samples on training data, if the logits are of those. n: how many observations there are. */
KELVIN_MUST_CHECK kelvin_status kelvin_predictions_diagnose(kelvin_diagnosis *out, kelvin_logits *logits, size_t n,
                                                            const struct kelvin_lineup *lineup, kelvin_pool *pool,
                                                            kelvin_arena *arena);

/* Fills in what the diagnosis says of single samples on training data: accuracy, log-likelihood, confidence. */
KELVIN_MUST_CHECK kelvin_status kelvin_training_diagnose(kelvin_diagnosis *out, kelvin_logits *logits);

#endif
