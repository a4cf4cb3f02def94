/* Log-softmax of a block of observations, and its adjoint.
 *
 *     m = max_k z_k,  s = sum of exp(z_k - m) over all classes but the (first) largest,
 *     l_k = (z_k - m) - log1p(s),   p_k = exp(z_k - m) / (1 + s),   q_k = 1 - p_k,
 *     dz_k = sum_j g_j ([j = k] - p_k) = g_k q_k - p_k (sum_j g_j - g_k).
 *
 * Leaving the largest out of s keeps l and q exact to rounding even where a prediction is all but certain. */
#include "kernels/local.h"
#include "kernels/vmath.h"

enum { VECTORS = KELVIN_BLOCK / 8 };

/* One block. */
INLINE void softmax(float *restrict l, float *restrict p, float *restrict q, const float *restrict z, size_t K,
                    size_t row)
{
    const v8 one = v8_set(1.0f);
    v8 m[VECTORS], s[VECTORS], log_norm[VECTORS], norm[VECTORS];
    m8 top[VECTORS];
    for (int v = 0; v < VECTORS; v++) {
        m[v] = v8_load(z + 8 * v);
        s[v] = v8_set(0.0f);
        top[v] = m8_set(0);
    }
    for (size_t k = 1; k < K; k++)
        for (int v = 0; v < VECTORS; v++) {
            const v8 zk = v8_load(z + k * row + 8 * (size_t)v);
            const m8 larger = v8_gt(zk, m[v]);
            m[v] = v8_select(larger, zk, m[v]);
            top[v] = v8_bits(v8_select(larger, m8_floats(m8_set((int32_t)k)), m8_floats(top[v])));
        }
    for (size_t k = 0; k < K; k++)
        for (int v = 0; v < VECTORS; v++) {
            const size_t at = k * row + 8 * (size_t)v;
            const v8 below = v8_sub(v8_load(z + at), m[v]), e = v8_exp(below);
            const m8 is_top = m8_eq(top[v], m8_set((int32_t)k));
            v8_store(l + at, below);
            v8_store(p + at, e);
            s[v] = v8_add(s[v], v8_select(is_top, v8_set(0.0f), e));
        }
    for (int v = 0; v < VECTORS; v++) {
        log_norm[v] = v8_log1p(s[v]);
        norm[v] = v8_div(one, v8_add(one, s[v]));
    }
    for (size_t k = 0; k < K; k++)
        for (int v = 0; v < VECTORS; v++) {
            const size_t at = k * row + 8 * (size_t)v;
            const m8 is_top = m8_eq(top[v], m8_set((int32_t)k));
            const v8 pk = v8_mul(v8_load(p + at), norm[v]);
            v8_store(l + at, v8_sub(v8_load(l + at), log_norm[v]));
            v8_store(p + at, pk);
            v8_store(q + at, v8_select(is_top, v8_mul(s[v], norm[v]), v8_sub(one, pk)));
        }
}

/* All blocks. Of two classes the larger one has exp(0) = 1: one exponential will do, to the same bits. Each pass is
 * over all lanes, so that there are always some that do not wait for one another; what it leaves to the next stands
 * where results will. */
INLINE void softmax_2(float *restrict l, float *restrict p, float *restrict q, const float *restrict z, size_t row)
{
    const v8 one = v8_set(1.0f);
    for (size_t at = 0; at < row; at += 8) {
        const v8 z0 = v8_load(z + at), z1 = v8_load(z + row + at);
        const m8 second = v8_gt(z1, z0); /* is the larger one */
        const v8 below = v8_sub(v8_select(second, z0, z1), v8_select(second, z1, z0));
        v8_store(l + at, below);
        v8_store(p + at, v8_exp(below));
    }
    for (size_t at = 0; at < row; at += 8) {
        const v8 s = v8_load(p + at);
        v8_store(l + row + at, v8_log1p(s));
        v8_store(p + row + at, v8_div(one, v8_add(one, s)));
    }
    for (size_t at = 0; at < row; at += 8) {
        const v8 z0 = v8_load(z + at), z1 = v8_load(z + row + at);
        const m8 second = v8_gt(z1, z0);
        const v8 m = v8_select(second, z1, z0), log_norm = v8_load(l + row + at), norm = v8_load(p + row + at);
        const v8 high = v8_sub(v8_sub(m, m), log_norm), low = v8_sub(v8_load(l + at), log_norm);
        const v8 p_low = v8_mul(v8_load(p + at), norm), q_low = v8_sub(one, p_low);
        v8_store(l + at, v8_select(second, low, high));
        v8_store(l + row + at, v8_select(second, high, low));
        v8_store(p + at, v8_select(second, p_low, norm));
        v8_store(p + row + at, v8_select(second, norm, p_low));
        v8_store(q + at, v8_select(second, q_low, p_low));
        v8_store(q + row + at, v8_select(second, p_low, q_low));
    }
}

void NAME(softmax)(float *l, float *p, float *q, const float *z, size_t K, size_t lanes)
{
    if (K == 2 && lanes == KELVIN_BLOCK)
        softmax_2(l, p, q, z, KELVIN_BLOCK);
    else if (K == 2)
        softmax_2(l, p, q, z, lanes);
    else
        for (size_t at = 0; at < lanes; at += KELVIN_BLOCK) softmax(l + at, p + at, q + at, z + at, K, lanes);
}

INLINE void backward(float *restrict dz, const float *restrict g, const float *restrict p, const float *restrict q,
                     size_t K, size_t row)
{
    const v8 zero = v8_set(0.0f);
    v8 sum[VECTORS];
    for (int v = 0; v < VECTORS; v++) sum[v] = v8_load(g + 8 * v);
    for (size_t k = 1; k < K; k++)
        for (int v = 0; v < VECTORS; v++) sum[v] = v8_add(sum[v], v8_load(g + k * row + 8 * (size_t)v));
    for (size_t k = 0; k < K; k++)
        for (int v = 0; v < VECTORS; v++) {
            const size_t at = k * row + 8 * (size_t)v;
            const v8 gk = v8_load(g + at), others = v8_sub(sum[v], gk);
            const v8 slope = v8_sub(v8_mul(gk, v8_load(q + at)), v8_mul(v8_load(p + at), others));
            v8_store(dz + at, v8_add(zero, slope)); /* no zero is negative */
        }
}

void NAME(softmax_backward)(float *dz, const float *g, const float *p, const float *q, size_t K, size_t lanes)
{
    for (size_t at = 0; at < lanes; at += KELVIN_BLOCK) backward(dz + at, g + at, p + at, q + at, K, lanes);
}
