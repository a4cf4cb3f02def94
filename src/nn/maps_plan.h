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
    struct map map;      /* of its output and of gradients in it */
    struct map bare;     /* the same without a frame: of what its convolution gives */
    struct conv forward; /* from the map of the layer that it reads to `bare` */
    struct conv back;    /* from there to `map` */
    const struct conv_method *method[PASSES];
    size_t packed[PASSES]; /* where its weights are, in each form; PASS_GRADIENT: where their gradient is summed */
    size_t vectors;        /* where its vectors are */

    /* Memory of gradients, by number: that in its output, and that in what goes into FRN, which is the same memory
     * unless the first is still needed, because it is the gradient in an added layer's output too. */
    size_t d_out, d_conv;
    bool both; /* its method takes both ways back at once: what goes into FRN has no gradient in memory */
    bool add_back; /* to the gradient in the output of the layer that it reads: something is there already */
    size_t images; /* that go through this layer and its neighbours at a time */

    /* Its output is read by its neighbours only, so it is kept only until they have run, in memory for `images` images,
     * by number, and made again on the way back: that takes less time than keeping it. */
    bool passing;
    size_t place;
    bool inside; /* all who read its output take as many images at a time */
};

/* Memory for images that several layers use in turn: for all images of a block, or for one group of images that goes
 * through consecutive layers, so that the next group finds it in the cache. */
struct buffers {
    size_t n;
    struct buffer {
        struct map map;
        bool whole, busy;
    } * buffer; /* (n) */
};

struct plan {
    struct step *step;   /* (n_layers + 1) */
    size_t packed;       /* floats of weights for the way forward and back, */
    size_t gradient;     /* of gradients of weights, */
    size_t vectors;      /* and of vectors */
    size_t scratch;      /* floats that the methods want */
    size_t lanes;        /* 16 x the most blocks of channels that a layer has */
    struct buffers d, a; /* memory of gradients, and of outputs that are not kept */
};

KELVIN_MUST_CHECK kelvin_status kelvin_plan_make(struct plan *plan, kelvin_arena *arena, const kelvin_model *model,
                                                 const struct kelvin_kernels *kernels);

/* Images that go through a network together. */
enum { MAPS_BLOCK = 16 };

#endif
