/* points: what networks say at points of the plane, draw by draw.
 *
 *     struct points points;
 *     KELVIN_TRY(kelvin_points_create(&points, model, x, n));              // x (n, inputs)
 *     for (size_t s = 0; s < samples; s++) kelvin_points_add(&points, p, NULL, draws + s * model->n_params);
 *     kelvin_points_destroy(&points);                                      // p / samples is the posterior predictive
 */
#ifndef FIGURES_POINTS_H
#define FIGURES_POINTS_H

#include "kernels/kernels.h"
#include "nn/nn.h"

struct points {
    const kelvin_model *model;
    const struct kelvin_kernels *kernels;
    kelvin_weights *weights;
    kelvin_net *net;
    size_t n;
    float *packed, *scratch;
};

/* x is not needed afterwards; the model is. After a failure there is nothing to destroy. */
KELVIN_MUST_CHECK kelvin_status kelvin_points_create(struct points *points, const kelvin_model *model, const float *x,
                                                     size_t n);
void kelvin_points_destroy(struct points *points);

/* Adds to p (n) the probability of class 0 that one draw gives each point and, unless NULL, to entropy (n) the entropy
 * of all its probabilities, in nats. */
void kelvin_points_add(struct points *points, double *p, double *entropy, const float *theta);

#endif
