/* looked_at: some training observations, and what networks with any parameters say of them.
 *
 *     struct looked_at images = {0};                                          // threads share them
 *     struct viewer viewer = {0};                                             // one thread's
 *     kelvin_status status = kelvin_looked_at_open(&images, "cifar10", "resnet20");
 *     if (!status) status = kelvin_looked_at_take(&images, 0, 1200);          // the first 1,200, or all
 *     if (!status) status = kelvin_viewer_create(&viewer, &images);
 *     ... viewer.theta ...                                                    // parameters; and for each of them:
 *     kelvin_outputs outputs = kelvin_viewer_look(&viewer);                          // how often it is right, how sure
 * it is const double *z = kelvin_viewer_logits(&viewer, 7);                     // of the eighth
 *     kelvin_viewer_destroy(&viewer);
 *     kelvin_looked_at_close(&images);
 */
#ifndef FIGURES_LOOKED_AT_H
#define FIGURES_LOOKED_AT_H

#include "data/dataset.h"
#include "nn/nn.h"
#include "target/target.h"

struct looked_at {
    kelvin_data *data;
    kelvin_model *model;
    size_t n;
    const int32_t *y; /* (n) */
    float *packed;    /* as the model takes them */
};

/* A data set and a network for it, as in a run's configuration. Close them also after a failure. */
KELVIN_MUST_CHECK kelvin_status kelvin_looked_at_open(struct looked_at *images, const char *data, const char *model);
void kelvin_looked_at_close(struct looked_at *images);

/* Once: `n` training observations from the first-th on, or those that there are. */
KELVIN_MUST_CHECK kelvin_status kelvin_looked_at_take(struct looked_at *images, size_t first, size_t n);

/* What one thread looks with. */
struct viewer {
    const struct looked_at *images;
    const struct kelvin_kernels *kernels;
    kelvin_weights *weights;
    kelvin_net *net;
    float *theta;   /* (n_params), which the caller fills in */
    float *logits;  /* (n, classes), of the last view */
    float *z;       /* (classes, KELVIN_BLOCK) */
    double *of_one; /* (classes) */
};

/* Destroy it also after a failure. */
KELVIN_MUST_CHECK kelvin_status kelvin_viewer_create(struct viewer *viewer, const struct looked_at *images);
void kelvin_viewer_destroy(struct viewer *viewer);

/* What the network with parameters viewer->theta says. */
kelvin_outputs kelvin_viewer_look(struct viewer *viewer);

/* Its logits of the i-th observation (classes), until the next call. */
const double *kelvin_viewer_logits(struct viewer *viewer, size_t i);

#endif
