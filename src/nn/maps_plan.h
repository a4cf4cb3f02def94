/* maps_plan: what is known of a residual network before it runs: how its images lie in memory, which method takes which
 * pass of which convolution, and which memory a gradient goes through. */
#ifndef NN_MAPS_PLAN_H
#define NN_MAPS_PLAN_H

#include "nn/net_type.h"

/* Passes of a convolution. */
enum { PASS_FORWARD, PASS_BACKWARD, PASS_GRADIENT, PASSES };

/* A layer's vectors, each 16 x blocks floats, one after the other. */
enum { VECTOR_BIAS, VECTOR_GAMMA, VECTOR_BETA, VECTOR_TAU, VECTORS };

/* One layer; for the input, number 0, only `map` counts, and for MEAN and DENSE only what is said. */
struct step {
    struct map map;   /* of its output, before and after normalising, and of gradients in it */
    struct conv conv; /* from the map of the layer that it reads to its own */
    const struct conv_method *method[PASSES];
    size_t packed[PASSES]; /* where its weights are, in each form; PASS_GRADIENT: where their gradient is summed */
    size_t vectors;        /* where its vectors are */

    /* Memory of gradients, by number: that in its output, and that in what goes into FRN, which is the same memory
     * unless the first is still needed, because it is the gradient in an added layer's output too. */
    size_t d_out, d_conv;
    bool add_back; /* to the gradient in the output of the layer that it reads: something is there already */
    size_t images; /* that go through this layer and its neighbours at a time */
};

struct plan {
    struct step *step; /* (n_layers + 1) */
    size_t packed;     /* floats of weights for the way forward and back, */
    size_t gradient;   /* of gradients of weights, */
    size_t vectors;    /* and of vectors */
    size_t scratch;    /* floats that the methods want */
    size_t n_buffers;  /* of gradients */
    struct map *buffer;
};

KELVIN_MUST_CHECK kelvin_status plan_make(struct plan *plan, kelvin_arena *arena, const kelvin_model *model,
                                          const struct kelvin_kernels *kernels);

/* Images that go through a network together. */
enum { MAPS_BLOCK = 8 };

#endif
