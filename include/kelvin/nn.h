/* nn: networks as functions of one flat parameter vector.
 *
 *     kelvin_model *model;
 *     kelvin_shape image = {3, 32, 32};
 *     kelvin_status st = kelvin_model_create(&model, "resnet20", image, 10);     // what goes in, how many classes
 *     float *theta = malloc(kelvin_model_parameters(model) * sizeof *theta);
 *     kelvin_model_start(model, theta, 1, 0);                                    // as chain 0 of seed 1 would start
 *     st = kelvin_model_logits(model, logits, theta, x, n);                      // x (n, 3 * 32 * 32), logits (n, 10)
 *     kelvin_model_destroy(model);
 *
 * The family "models" (family.h) has what there is. A model is read-only: threads can share it.
 */
#ifndef KELVIN_NN_H
#define KELVIN_NN_H

#include <kelvin/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kelvin_model kelvin_model;

/* "mlp:10,10,10": hidden layers of that many units with ReLU, "mlp:20,20,leak=0.01" with leaky ReLU; "cnn", the paper's
 * for MNIST; "resnet20", or with another depth 6n + 2, the paper's for CIFAR-10. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_model_create(kelvin_model **model, const char *spec,
                                                               kelvin_shape input, size_t classes);
KELVIN_API void kelvin_model_destroy(kelvin_model *model);

KELVIN_API const char *kelvin_model_spec(const kelvin_model *model); /* "resnet20" */
KELVIN_API size_t kelvin_model_inputs(const kelvin_model *model);    /* channels x height x width */
KELVIN_API size_t kelvin_model_classes(const kelvin_model *model);
KELVIN_API size_t kelvin_model_parameters(const kelvin_model *model);

/* A named view on the flat parameter vector. Row-major; a weight is (out, in) or (out, in, height, width), as in
 * PyTorch. */
typedef struct kelvin_tensor {
    char name[40];
    size_t offset, ndim, shape[4];
    double deviation; /* of its values at the start: a normal cut at 2 sigma if `cut`, else all are `start` */
    double start;
    bool cut;
} kelvin_tensor;

KELVIN_API size_t kelvin_model_tensors(const kelvin_model *model);
KELVIN_API const kelvin_tensor *kelvin_model_tensor(const kelvin_model *model, size_t i); /* NULL after the last */

/* How many values. */
KELVIN_API size_t kelvin_tensor_size(const kelvin_tensor *tensor);

/* theta (parameters) as networks are started: each tensor as it says itself. A function of seed and chain. */
KELVIN_API void kelvin_model_start(const kelvin_model *model, float *theta, uint64_t seed, uint32_t chain);

/* Logits (n, classes) of x (n, inputs), as the network sees them: normalised. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_model_logits(const kelvin_model *model, float *logits,
                                                               const float *theta, const float *x, size_t n);

#ifdef __cplusplus
}
#endif
#endif
