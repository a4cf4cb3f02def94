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

void NAME(softmax)(float *restrict l, float *restrict p, float *restrict q, const float *restrict z, size_t K)
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
            const v8 zk = v8_load(z + k * KELVIN_BLOCK + 8 * (size_t)v);
            const m8 larger = v8_gt(zk, m[v]);
            m[v] = v8_select(larger, zk, m[v]);
            top[v] = v8_bits(v8_select(larger, m8_floats(m8_set((int32_t)k)), m8_floats(top[v])));
        }
    for (size_t k = 0; k < K; k++)
        for (int v = 0; v < VECTORS; v++) {
            const size_t at = k * KELVIN_BLOCK + 8 * (size_t)v;
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
            const size_t at = k * KELVIN_BLOCK + 8 * (size_t)v;
            const m8 is_top = m8_eq(top[v], m8_set((int32_t)k));
            const v8 pk = v8_mul(v8_load(p + at), norm[v]);
            v8_store(l + at, v8_sub(v8_load(l + at), log_norm[v]));
            v8_store(p + at, pk);
            v8_store(q + at, v8_select(is_top, v8_mul(s[v], norm[v]), v8_sub(one, pk)));
        }
}

void NAME(softmax_backward)(float *restrict dz, const float *restrict g, const float *restrict p,
                            const float *restrict q, size_t K)
{
    v8 sum[VECTORS];
    for (int v = 0; v < VECTORS; v++) sum[v] = v8_load(g + 8 * v);
    for (size_t k = 1; k < K; k++)
        for (int v = 0; v < VECTORS; v++) sum[v] = v8_add(sum[v], v8_load(g + k * KELVIN_BLOCK + 8 * (size_t)v));
    for (size_t k = 0; k < K; k++)
        for (int v = 0; v < VECTORS; v++) {
            const size_t at = k * KELVIN_BLOCK + 8 * (size_t)v;
            const v8 gk = v8_load(g + at), others = v8_sub(sum[v], gk);
            const v8 slope = v8_sub(v8_mul(gk, v8_load(q + at)), v8_mul(v8_load(p + at), others));
            v8_store(dz + at, v8_add(v8_load(dz + at), slope));
        }
}
