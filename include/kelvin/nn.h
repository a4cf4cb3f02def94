/* nn: networks as functions of one flat parameter vector.
 *
 *     kelvin_model *model;
 *     kelvin_status st = kelvin_model_create(&model, "mlp:10,10,10", 2, 2);      // inputs, classes
 *     kelvin_net *net;                                                            // a model that looks at n inputs
 *     if (!st) st = kelvin_net_create(&net, model, x, n);                         // x (n, inputs), copied
 *     for (size_t b = 0; b < kelvin_net_blocks(net); b++) {
 *         kelvin_net_forward(net, z, theta, b);                                   // z (classes, KELVIN_BLOCK)
 *         ... dz = gradient of something in z ...
 *         kelvin_net_backward(net, grad, theta, dz, b);                           // adds up d/dtheta
 *     }
 *
 * A model is read-only and can be shared; a net holds activations, so each thread has its own.
 */
#ifndef KELVIN_NN_H
#define KELVIN_NN_H

#include <kelvin/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A named view on the flat parameter vector. Row-major; a weight is (out, in), as in PyTorch. */
typedef struct kelvin_tensor {
    char name[40];
    size_t offset, ndim, shape[4];
} kelvin_tensor;

typedef struct kelvin_model {
    char spec[128];
    size_t inputs, classes;
    size_t n_params;
    size_t n_tensors;
    kelvin_tensor *tensor;
    size_t n_layers;
    size_t *width; /* n_layers + 1: inputs, hidden ..., classes */
    float leak;    /* slope left of zero: 0 for ReLU */
} kelvin_model;

typedef struct kelvin_net kelvin_net;

/* "mlp:10,10,10": hidden layers of that many units with ReLU; "mlp:20,20,leak=0.01" with leaky ReLU. */
KELVIN_MUST_CHECK kelvin_status kelvin_model_create(kelvin_model **model, const char *spec, size_t inputs,
                                                    size_t classes);
void kelvin_model_destroy(kelvin_model *model);

/* The i-th family of models and one line about it; false after the last. */
bool kelvin_model_info(size_t i, const char **name, const char **about);

KELVIN_MUST_CHECK kelvin_status kelvin_net_create(kelvin_net **net, const kelvin_model *model, const float *x,
                                                  size_t n);
void kelvin_net_destroy(kelvin_net *net);

/* Inputs are taken KELVIN_BLOCK at a time; block b holds inputs b * KELVIN_BLOCK and on, kelvin_net_count of them. */
size_t kelvin_net_blocks(const kelvin_net *net);
size_t kelvin_net_count(const kelvin_net *net, size_t block);

void kelvin_net_forward(kelvin_net *net, float *z, const float *theta, size_t block);
/* Of the block that forward saw last; blocks are taken in order, and grad (n_params values) is whole after the last
 * one. dz (classes, KELVIN_BLOCK) must be 0 at observations beyond the last. */
void kelvin_net_backward(kelvin_net *net, float *grad, const float *theta, const float *dz, size_t block);

/* Logits of all inputs as (n, classes). */
void kelvin_net_logits(kelvin_net *net, float *logits, const float *theta);

#ifdef __cplusplus
}
#endif
#endif
