/* What the tests of whole networks share: numbers, instruction sets, tensors compared. */
#ifndef TESTS_NETS_H
#define TESTS_NETS_H

#include "check.h"
#include "plain_net.h"

#include "kernels/kernels.h"

#include "nn/nn.h"

#include <stdlib.h>

static inline double normal_at(uint32_t stream, size_t i)
{
    return kelvin_normal((kelvin_random){77, 1, 2, stream}, i);
}

static inline void *room(size_t count, size_t size)
{
    void *p = kelvin_alloc(count, size);
    assert_non_null(p);
    return p;
}

static inline float *normals(size_t n, uint32_t stream)
{
    float *x = room(n, sizeof *x);
    for (size_t i = 0; i < n; i++) x[i] = (float)normal_at(stream, i);
    return x;
}

/* Parameters of which each counts: weights of the size that networks start with, and all vectors scattered about their
 * start, so that half of the taus are positive. */
static inline float *parameters(const kelvin_model *model, uint32_t stream)
{
    float *theta = room(model->n_params, sizeof *theta);
    for (size_t t = 0; t < model->n_tensors; t++) {
        const kelvin_tensor *tensor = &model->tensor[t];
        for (size_t i = tensor->offset; i < tensor->offset + kelvin_tensor_size(tensor); i++)
            theta[i] = (float)(tensor->cut ? tensor->deviation * normal_at(stream, i)
                                           : tensor->start + 0.3 * normal_at(stream, i));
    }
    return theta;
}

static inline double *doubles_of(const float *x, size_t n)
{
    double *copy = room(n, sizeof *copy);
    for (size_t i = 0; i < n; i++) copy[i] = (double)x[i];
    return copy;
}

/* Instruction sets of this CPU: what is made from now on runs under the i-th; false after the last. */
static inline bool use_isa(size_t i)
{
    for (int isa = 0; isa < KELVIN_ISA_COUNT; isa++)
        if (kelvin_kernels_for((kelvin_isa)isa) && kelvin_isa_supported((kelvin_isa)isa) && i-- == 0)
            return setenv("KELVIN_ISA", kelvin_isa_name((kelvin_isa)isa), 1) == 0;
    unsetenv("KELVIN_ISA");
    return false;
}

/* Each value within `tolerance` of the largest that its tensor has in `expected`. */
static inline void assert_gradient(const kelvin_model *model, const float *grad, const double *expected,
                                   double tolerance)
{
    for (size_t t = 0; t < model->n_tensors; t++) {
        const kelvin_tensor *tensor = &model->tensor[t];
        const size_t size = kelvin_tensor_size(tensor);
        const double *want = expected + tensor->offset;
        double largest = 0;
        for (size_t i = 0; i < size; i++) largest = fmax(largest, fabs(want[i]));
        for (size_t i = 0; i < size; i++) {
            const double got = (double)grad[tensor->offset + i];
            if (!(fabs(got - want[i]) <= tolerance * largest))
                fail_msg("%s, %s[%zu]: %.9g instead of %.9g, apart by %.2g of the largest, allowed %.2g", model->spec,
                         tensor->name, i, got, want[i], fabs(got - want[i]) / largest, tolerance);
        }
    }
}

static inline void assert_bits(const float *got, const float *expected, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(got + i, expected + i, sizeof *got) != 0)
            fail_msg("%s: value %zu of %zu is %.9g, not %.9g to the bit", what, i, n, (double)got[i],
                     (double)expected[i]);
}

#endif
