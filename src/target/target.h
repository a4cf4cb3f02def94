/* target, from within: posteriors that look at batches, and that tell what their network says.
 *
 *     kelvin_posterior_options options = {.batch = 125, .threads = 2};
 *     kelvin_status st = kelvin_posterior_make(&posterior, model, &density, &prior, data, &options);
 *     kelvin_target target = kelvin_posterior_target(posterior);                 // estimated from a batch, for SGHMC
 *     st = kelvin_posterior_set_batch(posterior, x, y, 125);
 *     target.eval(target.context, NULL, grad, theta);
 */
#ifndef TARGET_TARGET_H
#define TARGET_TARGET_H

#include "data/dataset.h"
#include "density/density.h"
#include "nn/nn.h"
#include "ranks/ranks.h"
#include "sampler/sampler.h"

#include <kelvin/target.h>

typedef struct kelvin_posterior_options {
    size_t batch;   /* the largest batch; 0: all training data, always */
    size_t threads; /* that share an evaluation; 0: one. The bits do not depend on it. More than 8 gain little. */
    size_t total;   /* observations that those it looks at stand for; 0: as many as there are training data */
    bool outputs;   /* keep count of what the network says, for kelvin_posterior_outputs */
    bool rows;      /* batches of a table are read where they lie, which is faster where each is met once or twice: they
                       must stay there until the next batch is set. The same numbers but for roundings */
    struct kelvin_group *group; /* ranks that share each evaluation, in lockstep; NULL: none. The bits do not depend on
                                   it; what they say of logits is each one's own. If it breaks, numbers mean nothing. */
} kelvin_posterior_options;

/* What a network said of some observations. */
typedef struct kelvin_outputs {
    uint64_t n, hits;  /* observations; those whose label has the largest logit (the first of equal ones is it) */
    double confidence; /* sum of their largest probabilities */
    double range;      /* of one observation's logits, largest - smallest: the largest; not a number if one is not */
} kelvin_outputs;

/* Adds b to a. */
void kelvin_outputs_add(kelvin_outputs *a, const kelvin_outputs *b);

/* `prior` may be NULL: a flat one. `data` may be NULL for batches, if `total` is given; it is not needed afterwards. */
KELVIN_MUST_CHECK kelvin_status kelvin_posterior_make(kelvin_posterior **posterior, const kelvin_model *model,
                                                      const kelvin_density *density, const kelvin_prior *prior,
                                                      const kelvin_data *data, const kelvin_posterior_options *options);

/* The next evaluations see these n observations, x (n, inputs), y (n), each 0 .. classes - 1: x must stay where it is
 * until the first of them has ended. Their log-densities count total / n times: an estimate of log p(theta) without
 * bias. Before the first batch there is nothing to see, and log p is not a number. */
KELVIN_MUST_CHECK kelvin_status kelvin_posterior_set_batch(kelvin_posterior *posterior, const float *x,
                                                           const int32_t *y, size_t n);

/* The same with observations `index` (n) of a part of the data, as kelvin_data_gather would put them together: each
 * thread does so for its own, just before it needs them. `epoch` NULL: as they are. data, part and index must stay
 * where they are until the first evaluation has ended. */
KELVIN_MUST_CHECK kelvin_status kelvin_posterior_set_part(kelvin_posterior *posterior, const kelvin_data *data,
                                                          const kelvin_part *part, const uint32_t *index, size_t n,
                                                          const kelvin_epoch *epoch);

/* The next evaluations see only the first `few` of a batch of rows, if it has more, until the next one is set: enough
 * to tell whether a network is one. Of other batches they see all. */
void kelvin_posterior_narrow(kelvin_posterior *posterior, size_t few);

/* Logits at theta of the observations that it looks at, (n, classes). */
void kelvin_posterior_logits(kelvin_posterior *posterior, float *logits, const float *theta);

/* Of the last evaluation, if the options asked for it. The bits do not depend on the threads. */
kelvin_outputs kelvin_posterior_outputs(const kelvin_posterior *posterior);

/* What the network says at theta of the observations that it looks at, whatever the options asked for. */
kelvin_outputs kelvin_posterior_look(kelvin_posterior *posterior, const float *theta);

/* Memory that evaluations work in, in bytes. */
size_t kelvin_posterior_bytes(const kelvin_posterior *posterior);

/* The prior of the i-th tensor of a model. */
kelvin_prior kelvin_prior_of_tensor(const kelvin_prior *prior, const kelvin_model *model, size_t i);

/* ---- at several places at once ----
 *
 *     const size_t lanes = kelvin_posteriors_fit(model, &prior, 18, 7);          // places at once for 7 chains
 *     kelvin_posteriors *posteriors;
 *     kelvin_status st = kelvin_posteriors_make(&posteriors, model, &density, &prior, data, lanes);
 *     kelvin_lanes target = kelvin_posteriors_lanes(posteriors);                 // for kelvin_sampler_advance_all
 */

/* Gradients of the posterior of all training data, to the bits that kelvin_posterior_target gives for each place. */
typedef struct kelvin_posteriors kelvin_posteriors;

/* How many lanes serve so many chains of one thread best, at n observations; 0: they are better off one by one, or must
 * be. */
size_t kelvin_posteriors_fit(const kelvin_model *model, const kelvin_prior *prior, size_t n, size_t chains);

/* `data` is not needed afterwards. */
KELVIN_MUST_CHECK kelvin_status kelvin_posteriors_make(kelvin_posteriors **posteriors, const kelvin_model *model,
                                                       const kelvin_density *density, const kelvin_prior *prior,
                                                       const kelvin_data *data, size_t lanes);
kelvin_lanes kelvin_posteriors_lanes(kelvin_posteriors *posteriors);
void kelvin_posteriors_destroy(kelvin_posteriors *posteriors);

#endif
