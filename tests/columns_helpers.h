/* Some parameters of all samples, against all parameters of some. */
#ifndef TESTS_COLUMNS_HELPERS_H
#define TESTS_COLUMNS_HELPERS_H

#include "check.h"

#include <kelvin/run.h>

#include "run/room.h"

/* From each chain its samples but for the first `skipped`, `n` parameters at a time. */
static inline void same_columns(kelvin_samples *samples, size_t skipped, size_t n)
{
    const size_t params = samples->run->model->n_params, stride = samples->n + 1;
    float *theta = kelvin_alloc(params, sizeof *theta);
    double *x = kelvin_alloc(n * stride, sizeof *x);
    assert_true(theta && x);
    for (size_t first = 0, end; first < samples->n; first = end) {
        for (end = first; end < samples->n && samples->chain[end] == samples->chain[first];) end++;
        const size_t from = first + skipped;
        for (size_t k = 0; k < params && from < end; k += n) {
            const size_t m = params - k < n ? params - k : n;
            assert_ok(kelvin_samples_columns(samples, x, stride, from, end - from, k, m));
            for (size_t i = from; i < end; i++) {
                assert_ok(kelvin_samples_read(samples, theta, i));
                for (size_t p = 0; p < m; p++) assert_true(x[p * stride + i - from] == (double)theta[k + p]);
            }
        }
    }
    kelvin_free(theta);
    kelvin_free(x);
}

#endif
