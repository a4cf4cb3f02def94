/* Loops over the flat parameter vector, and the loop that measures the FMA peak. */
#include "kernels/local.h"
#include "kernels/wide.h"

void NAME(axpy)(float *restrict y, float a, const float *restrict x, size_t n)
{
    const v8 va = v8_set(a);
    size_t i = 0;
#pragma GCC unroll 4
    for (; i + 8 <= n; i += 8) v8_store(y + i, v8_fma(va, v8_load(x + i), v8_load(y + i)));
    for (; i < n; i++) y[i] = float_fma(a, x[i], y[i]);
}

void NAME(kick_drift)(float *restrict theta, float *restrict v, const float *restrict g, float e, float h, size_t n)
{
    const v8 ve = v8_set(e), vh = v8_set(h);
    size_t i = 0;
#pragma GCC unroll 4
    for (; i + 8 <= n; i += 8) {
        const v8 moved = v8_fma(ve, v8_load(g + i), v8_load(v + i));
        v8_store(v + i, moved);
        v8_store(theta + i, v8_fma(vh, moved, v8_load(theta + i)));
    }
    for (; i < n; i++) {
        v[i] = float_fma(e, g[i], v[i]);
        theta[i] = float_fma(h, v[i], theta[i]);
    }
}

void NAME(multiply)(float *restrict y, const float *restrict x, size_t n)
{
    size_t i = 0;
#pragma GCC unroll 4
    for (; i + 8 <= n; i += 8) v8_store(y + i, v8_mul(v8_load(y + i), v8_load(x + i)));
    for (; i < n; i++) y[i] *= x[i];
}

void NAME(axpy_by)(float *restrict y, float a, const float *restrict x, const float *restrict by, size_t n)
{
    const v8 va = v8_set(a);
    size_t i = 0;
#pragma GCC unroll 4
    for (; i + 8 <= n; i += 8)
        v8_store(y + i, v8_fma(va, v8_mul(v8_load(x + i), v8_load(by + i)), v8_load(y + i)));
    for (; i < n; i++) y[i] = float_fma(a, x[i] * by[i], y[i]);
}

double NAME(fma_peak)(size_t rounds)
{
    enum { CHAINS = WIDE == 4 ? 20 : 10 }; /* enough to hide the latency, few enough for the registers */
    wide sum[CHAINS];
    for (int i = 0; i < CHAINS; i++) sum[i] = wide_set((float)i);
    const wide a = wide_set(0.999f), b = wide_set(0.001f);
    for (size_t round = 0; round < rounds; round++)
        for (int i = 0; i < CHAINS; i++) sum[i] = wide_fma(sum[i], a, b);
    wide all = sum[0];
    for (int i = 1; i < CHAINS; i++) all += sum[i];
    volatile float sink = all[0]; /* or the loop would be taken out */
    (void)sink;
    return (double)rounds * CHAINS * WIDE * 2;
}
