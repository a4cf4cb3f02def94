/* Loops over the flat parameter vector, and the loop that measures the FMA peak. */
#include "kernels/local.h"
#include "kernels/wide.h"

/* What numbers are multiplied with, by lanes: of one chain all the same, which is a constant in each copy of this code.
 */
struct lanes {
    v8 all;
    const float *one; /* (8), or NULL: */
    float each;
};

INLINE struct lanes lanes_of(const float *a)
{
    return (struct lanes){.all = v8_load(a), .one = a};
}

INLINE struct lanes same(float a)
{
    return (struct lanes){.all = v8_set(a), .each = a};
}

INLINE float lane(const struct lanes *a, size_t i)
{
    return a->one ? a->one[i % 8] : a->each;
}

INLINE void axpy(float *restrict y, const struct lanes *a, const float *restrict x, size_t n)
{
    size_t i = 0;
#pragma GCC unroll 4
    for (; i + 8 <= n; i += 8) v8_store(y + i, v8_fma(a->all, v8_load(x + i), v8_load(y + i)));
    for (; i < n; i++) y[i] = float_fma(lane(a, i), x[i], y[i]);
}

/* pull NULL: the gradient is g. */
INLINE void kick_drift(float *restrict theta, float *restrict v, const float *restrict g, const struct lanes *pull,
                       const struct lanes *e, const struct lanes *h, size_t n)
{
    size_t i = 0;
#pragma GCC unroll 4
    for (; i + 8 <= n; i += 8) {
        const v8 at = v8_load(theta + i), given = v8_load(g + i), grad = pull ? v8_fma(pull->all, at, given) : given;
        const v8 moved = v8_fma(e->all, grad, v8_load(v + i));
        v8_store(v + i, moved);
        v8_store(theta + i, v8_fma(h->all, moved, at));
    }
    for (; i < n; i++) {
        const float grad = pull ? float_fma(lane(pull, i), theta[i], g[i]) : g[i];
        v[i] = float_fma(lane(e, i), grad, v[i]);
        theta[i] = float_fma(lane(h, i), v[i], theta[i]);
    }
}

INLINE void axpy_by(float *restrict y, const struct lanes *a, const float *restrict x, const float *restrict by,
                    size_t n)
{
    size_t i = 0;
#pragma GCC unroll 4
    for (; i + 8 <= n; i += 8)
        v8_store(y + i, v8_fma(a->all, v8_mul(v8_load(x + i), v8_load(by + i)), v8_load(y + i)));
    for (; i < n; i++) y[i] = float_fma(lane(a, i), x[i] * by[i], y[i]);
}

void NAME(axpy)(float *restrict y, float a, const float *restrict x, size_t n)
{
    const struct lanes va = same(a);
    axpy(y, &va, x, n);
}

void NAME(lanes_axpy)(float *restrict y, const float *a, const float *restrict x, size_t n)
{
    const struct lanes va = lanes_of(a);
    axpy(y, &va, x, n);
}

void NAME(kick_drift)(float *restrict theta, float *restrict v, const float *restrict g, float e, float h, size_t n)
{
    const struct lanes ve = same(e), vh = same(h);
    kick_drift(theta, v, g, NULL, &ve, &vh, n);
}

void NAME(lanes_kick_drift)(float *restrict theta, float *restrict v, const float *restrict g, const float *e,
                            const float *h, size_t n)
{
    const struct lanes ve = lanes_of(e), vh = lanes_of(h);
    kick_drift(theta, v, g, NULL, &ve, &vh, n);
}

void NAME(lanes_push)(float *restrict theta, float *restrict v, const float *restrict g, float pull, const float *e,
                      const float *h, size_t n)
{
    const struct lanes vp = same(pull), ve = lanes_of(e), vh = lanes_of(h);
    kick_drift(theta, v, g, &vp, &ve, &vh, n);
}

void NAME(axpy_by)(float *restrict y, float a, const float *restrict x, const float *restrict by, size_t n)
{
    const struct lanes va = same(a);
    axpy_by(y, &va, x, by, n);
}

void NAME(lanes_axpy_by)(float *restrict y, const float *a, const float *restrict x, const float *restrict by, size_t n)
{
    const struct lanes va = lanes_of(a);
    axpy_by(y, &va, x, by, n);
}

void NAME(multiply)(float *restrict y, const float *restrict x, size_t n)
{
    size_t i = 0;
#pragma GCC unroll 4
    for (; i + 8 <= n; i += 8) v8_store(y + i, v8_mul(v8_load(y + i), v8_load(x + i)));
    for (; i < n; i++) y[i] *= x[i];
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
