/* linear: the plainest model of labelled data, to which others are compared: softmax regression.
 *
 *     struct kelvin_linear fit;
 *     kelvin_status st = kelvin_linear_fit(&fit, data, threads);      // to the training part
 *     ... fit.theta ...
 *     kelvin_linear_free(&fit);
 *
 * It minimises  sum over rows of w (-log p(y | x)) + strength / 2 |W|^2,  p = softmax(W x + b), as scikit-learn's
 * LogisticRegression(C = 1 / strength) does on the same columns. The strength is 1 or the power of ten above it that
 * predicts best what was left out of the fit: rows of the training part, and never of the test part. */
#ifndef TARGET_LINEAR_H
#define TARGET_LINEAR_H

#include "target/target.h"

/* Of larger data, rows at equal distances that have so many numbers: they are enough for a model of so few parameters,
 * and take some seconds. */
enum { KELVIN_LINEAR_NUMBERS = 1 << 24 };

struct kelvin_linear {
    kelvin_model *model; /* "mlp" without a hidden layer */
    float *theta;        /* its parameters: W (classes, inputs), b (classes) */
    double strength;
    size_t rows; /* of the training part, that it was fitted to */
};

/* The bits do not depend on the threads (0: one). */
KELVIN_MUST_CHECK kelvin_status kelvin_linear_fit(struct kelvin_linear *out, const kelvin_data *data, size_t threads);
void kelvin_linear_free(struct kelvin_linear *linear);

/* The same with a strength that is given. */
KELVIN_MUST_CHECK kelvin_status kelvin_linear_fit_with(struct kelvin_linear *out, const kelvin_data *data,
                                                       double strength, size_t threads);

#endif
