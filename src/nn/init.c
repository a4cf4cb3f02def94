/* Parameters as networks are started: He's initialisation (2015), from a normal that is cut at 2 sigma.
 *
 *     w = sigma x,   x ~ N(0, 1) given |x| <= 2,   sigma = deviation / 0.8796...
 *
 * where 0.8796 is the deviation of x. By rejection: x uniform in (-2, 2) is taken with probability exp(-x^2 / 2), which
 * is exact and succeeds three times in five. Only operations that IEEE 754 rounds alike everywhere, so the bits are the
 * same on every machine: the values are made in double and rounded once, to float. */
#include "base/random.h"
#include "nn/nn.h"

static const double cut_deviation = 0.87962566103423978; /* sqrt(1 - 4 phi(2) / (2 Phi(2) - 1)) */

/* exp(-t) for t in [0, 2] by its series, 1 - t (1 - t/2 (1 - t/3 ...)): what is left out is below 2^26 / 26! = 2e-19.
 */
static double exp_minus(double t)
{
    double sum = 1;
    for (int k = 25; k > 0; k--) sum = 1 - t / k * sum;
    return sum;
}

/* Number `index`. A try takes two uniform numbers; the next one takes those at the same place of another stream, so a
 * value does not depend on how many tries others took. */
static double cut_normal(kelvin_random where, uint64_t index)
{
    for (;; where.stream += 1u << 16) {
        const double x = 4 * kelvin_uniform(where, 2 * index) - 2;
        if (kelvin_uniform(where, 2 * index + 1) < exp_minus(x * x / 2)) return x;
    }
}

/* A tensor's number takes the place of the step: tensors do not depend on the sizes of those before them. */
void kelvin_model_start(const kelvin_model *model, float *theta, uint64_t seed, uint32_t chain)
{
    for (size_t t = 0; t < model->n_tensors; t++) {
        const kelvin_tensor *tensor = &model->tensor[t];
        const size_t n = kelvin_tensor_size(tensor);
        const kelvin_random where = {.seed = seed, .chain = chain, .step = (uint32_t)t, .stream = KELVIN_STREAM_INIT};
        float *value = theta + tensor->offset;
        for (size_t i = 0; i < n; i++)
            value[i] = (float)(tensor->cut ? tensor->deviation / cut_deviation * cut_normal(where, i) : tensor->start);
    }
}
