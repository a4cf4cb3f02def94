/* nn, from within: networks, one block of observations after the other.
 *
 *     kelvin_weights *weights;                                                    // parameters, made ready
 *     kelvin_status st = kelvin_weights_create(&weights, model);
 *     kelvin_net *net;                                                            // one thread's activations
 *     if (!st) st = kelvin_net_create(&net, model);
 *     kelvin_model_pack(model, packed, x, n);                                     // x (n, inputs) into blocks
 *     kelvin_weights_set(weights, theta, true);
 *     for (size_t first = 0; first < n; first += model->block) {
 *         kelvin_block block = kelvin_model_block(model, packed, n, first);
 *         kelvin_net_forward(net, z, weights, &block);                            // z (classes, KELVIN_BLOCK)
 *         ... dz = gradient of something in z ...
 *         kelvin_net_backward(net, grad, weights, dz, &block);                    // grad is whole after the last
 *     }
 *
 * A model is read-only and can be shared, and so are weights between two calls of kelvin_weights_set; a net holds
 * activations, so each thread has its own. Nothing is allocated after the three have been created.
 */
#ifndef NN_NN_H
#define NN_NN_H

#include "base/block.h"

#include <kelvin/nn.h>

typedef enum kelvin_layer_kind {
    KELVIN_LAYER_DENSE, /* w x + b, of all its inputs (channels, height, width in a row) */
    KELVIN_LAYER_CONV,  /* kernel x kernel, stride, SAME padding as TensorFlow's; w * x + b */
    KELVIN_LAYER_MEAN,  /* over pixels */
} kelvin_layer_kind;

/* One layer: the linear map, then filter response normalisation where it has one, then max(s, leak s), then the output
 * of another layer added. Layers are numbered from 1; number 0 is what goes into the network. */
typedef struct kelvin_layer {
    kelvin_layer_kind kind;
    char name[24];
    size_t in;  /* the layer whose output it takes */
    size_t add; /* the layer whose output is added to its own; 0: none */
    bool frn;   /* y = max(gamma x / sqrt(mean over pixels of x^2 + 1e-6) + beta, tau), per image and channel */
    float leak; /* slope left of zero: 0 for ReLU, 1 for none */
    size_t kernel, stride;
    kelvin_shape from, to;
    size_t tensor; /* its first one: weight, bias, and with FRN gamma, beta, tau; MEAN has none */
} kelvin_layer;

/* How many values. */
size_t kelvin_shape_size(kelvin_shape shape);

struct kelvin_kernels;
struct net_type;

struct kelvin_model {
    char spec[128];
    kelvin_shape input;
    size_t inputs, classes; /* inputs: channels x height x width */
    size_t n_params;
    size_t n_tensors;
    kelvin_tensor *tensor;
    size_t n_layers;
    kelvin_layer *layer; /* (n_layers + 1): layer[0] is the input, with only `to` set */
    size_t block;        /* observations that go through the network together: at most KELVIN_BLOCK */
    const struct net_type *type;
    const struct kelvin_kernels *kernels;
};

/* Floating-point operations per observation, two for a multiply-add, as the direct method needs them: of one layer
 * (numbered from 1) forward, and as much again backward to the weights, and (but for those that read the input)
 * backward to the data. */
double kelvin_layer_flops(const kelvin_layer *layer);

/* Observations as the model takes them: kelvin_model_packed(model, n) floats from x (n, inputs). */
size_t kelvin_model_packed(const kelvin_model *model, size_t n);
void kelvin_model_pack(const kelvin_model *model, float *packed, const float *x, size_t n);

/* A block of packed observations. */
typedef struct kelvin_block {
    const float *x;
    size_t n;
    bool first, last; /* of those that a gradient is summed over */

    /* Of a network that takes rows: where they lie, instead of x, and what the gradient is multiplied by. */
    const float *const *row;
    float scale;
} kelvin_block;

/* Observations first .. first + model->block - 1 of n packed ones, or those that there are. */
kelvin_block kelvin_model_block(const kelvin_model *model, const float *packed, size_t n, size_t first);

/* Parameters as the kernels want them. */
typedef struct kelvin_weights kelvin_weights;
KELVIN_MUST_CHECK kelvin_status kelvin_weights_create(kelvin_weights **weights, const kelvin_model *model);
/* theta (n_params) must stay where it is until the next call. `backward`: gradients will be asked for. */
void kelvin_weights_set(kelvin_weights *weights, const float *theta, bool backward);
/* The same in parts 0 .. parts - 1, which threads can do at once; worth it only where a model prepares its weights. */
void kelvin_weights_share(kelvin_weights *weights, const float *theta, bool backward, size_t part, size_t parts);
bool kelvin_model_prepares(const kelvin_model *model);
size_t kelvin_weights_bytes(const kelvin_weights *weights);
void kelvin_weights_destroy(kelvin_weights *weights);

typedef struct kelvin_net kelvin_net;
KELVIN_MUST_CHECK kelvin_status kelvin_net_create(kelvin_net **net, const kelvin_model *model);
size_t kelvin_net_bytes(const kelvin_net *net);
void kelvin_net_destroy(kelvin_net *net);

/* A network of dense layers on a table can also take its rows where they lie, (inputs) each, KELVIN_BLOCK at a time:
 * the same numbers but for roundings, faster where each row is met once. Both must be made for it, weights and net. The
 * rows of a gradient stand in one array, block after block, where they stay until its last block; KELVIN_ROWS_BEYOND
 * more follow it, which may be any rows. */
bool kelvin_model_takes_rows(const kelvin_model *model);
KELVIN_MUST_CHECK kelvin_status kelvin_weights_create_rows(kelvin_weights **weights, const kelvin_model *model);
KELVIN_MUST_CHECK kelvin_status kelvin_net_create_rows(kelvin_net **net, const kelvin_model *model);

/* z (classes, KELVIN_BLOCK): class k of observation i is at k * KELVIN_BLOCK + i. Lanes beyond the last
 * observation may be written to, or left as they were. */
void kelvin_net_forward(kelvin_net *net, float *z, const kelvin_weights *weights, const kelvin_block *block);

/* Of the block that forward saw last. dz (classes, KELVIN_BLOCK) must be 0 at observations beyond the last. grad
 * (n_params values) is the sum over the blocks from the one with `first` to the one with `last`, and is whole only
 * after that. */
void kelvin_net_backward(kelvin_net *net, float *grad, const kelvin_weights *weights, const float *dz,
                         const kelvin_block *block);

/* From z (classes, KELVIN_BLOCK) of n observations to (n, classes). */
void kelvin_block_logits(float *logits, const float *z, size_t classes, size_t n);

/* Logits of n packed observations as (n, classes). */
void kelvin_net_logits(kelvin_net *net, float *logits, const kelvin_weights *weights, const float *packed, size_t n);

/* Whether parameters of one are parameters of the other: tensors of the same names and shapes. */
bool kelvin_model_alike(const kelvin_model *a, const kelvin_model *b);

/* Inputs of each of a weight's units; 1 of a bias, and of all else that is no weight. */
size_t kelvin_tensor_inputs(const kelvin_tensor *tensor);
/* Whether tensor i has the weights of a layer that reads what goes into the network. */
bool kelvin_model_is_outer(const kelvin_model *model, size_t i);

#endif
