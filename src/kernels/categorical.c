/* The categorical density of a block of observations, from logits to its gradient, in one pass: with m, s and q of
 * softmax.c,
 *
 *     value = (z_y - m) - log1p(s),   dz_k = q_k if k = y, -p_k if not,
 *
 * the same bits as by softmax, that density and softmax_backward; and what `outputs` says of the same logits, as it
 * says it. */
#include "kernels/local.h"
#include "kernels/vmath.h"

enum { VECTORS = KELVIN_BLOCK / 8 };

INLINE m8 load_labels(const int32_t *label)
{
    return v8_bits(v8_load((const float *)label));
}

INLINE v8 number(int32_t x) /* to be selected as a float */
{
    return m8_floats(m8_set(x));
}

/* One block. */
INLINE void look(bool OUTPUTS, float *restrict dz, float *value, struct outputs *out, const float *restrict z,
                 const int32_t *label, size_t K, size_t row)
{
    const v8 zero = v8_set(0.0f), one = v8_set(1.0f);
    v8 most[VECTORS], least[VECTORS], s[VECTORS], sum[VECTORS], finite[VECTORS], below_y[VECTORS], norm[VECTORS];
    m8 y[VECTORS], top[VECTORS], numbers[VECTORS];
    UNROLLED(v, VECTORS) {
        y[v] = load_labels(label + 8 * v);
        most[v] = least[v] = v8_load(z + 8 * v);
        s[v] = sum[v] = finite[v] = below_y[v] = zero;
        top[v] = m8_set(0);
        numbers[v] = m8_set(-1);
    }
    for (size_t k = 0; k < K; k++)
        UNROLLED(v, VECTORS) {
            const v8 zk = v8_load(z + k * row + 8 * (size_t)v);
            const m8 larger = v8_gt(zk, most[v]);
            most[v] = v8_select(larger, zk, most[v]);
            top[v] = v8_bits(v8_select(larger, number((int32_t)k), m8_floats(top[v])));
            if (!OUTPUTS) continue;
            least[v] = v8_select(v8_gt(least[v], zk), zk, least[v]);
            finite[v] = v8_fma(zero, zk, finite[v]);
            numbers[v] = m8_and(numbers[v], v8_eq(zk, zk));
        }
    for (size_t k = 0; k < K; k++)
        UNROLLED(v, VECTORS) {
            const size_t at = k * row + 8 * (size_t)v;
            const m8 here = m8_set((int32_t)k);
            const v8 below = v8_sub(v8_load(z + at), most[v]), e = v8_exp(below);
            v8_store(dz + at, e);
            s[v] = v8_add(s[v], v8_select(m8_eq(top[v], here), zero, e));
            below_y[v] = v8_select(m8_eq(y[v], here), below, below_y[v]);
            if (OUTPUTS) sum[v] = v8_add(sum[v], e);
        }
    UNROLLED(v, VECTORS) {
        norm[v] = v8_div(one, v8_add(one, s[v]));
        if (value) v8_store(value + 8 * v, v8_sub(below_y[v], v8_log1p(s[v])));
    }
    for (size_t k = 0; k < K; k++)
        UNROLLED(v, VECTORS) {
            const size_t at = k * row + 8 * (size_t)v;
            const m8 here = m8_set((int32_t)k);
            const v8 p = v8_mul(v8_load(dz + at), norm[v]);
            const v8 q = v8_select(m8_eq(top[v], here), v8_mul(s[v], norm[v]), v8_sub(one, p));
            const v8 slope = v8_select(m8_eq(y[v], here), q, v8_sub(zero, p));
            v8_store(dz + at, v8_select(m8_eq(y[v], m8_set(-1)), zero, slope));
        }
    if (!OUTPUTS) return;
    UNROLLED(v, VECTORS) {
        v8_store(out->top + 8 * v, v8_select(numbers[v], m8_to_float(top[v]), v8_set(-1.0f)));
        v8_store(out->p + 8 * v, v8_add(v8_div(one, sum[v]), finite[v]));
        v8_store(out->range + 8 * v, v8_add(v8_sub(most[v], least[v]), finite[v]));
    }
}

/* All blocks, of two classes, as softmax_2. */
INLINE void look_2(float *restrict dz, const float *restrict z, const int32_t *label, size_t row)
{
    const v8 zero = v8_set(0.0f), one = v8_set(1.0f);
    for (size_t at = 0; at < row; at += 8) {
        const v8 z0 = v8_load(z + at), z1 = v8_load(z + row + at);
        const m8 second = v8_gt(z1, z0), y = load_labels(label + at);
        const v8 s = v8_exp(v8_sub(v8_select(second, z0, z1), v8_select(second, z1, z0)));
        const v8 norm = v8_div(one, v8_add(one, s)), p_low = v8_mul(s, norm), q_low = v8_sub(one, p_low);
        const v8 q0 = v8_select(second, q_low, p_low), p0 = v8_select(second, p_low, norm);
        const v8 q1 = v8_select(second, p_low, q_low), p1 = v8_select(second, norm, p_low);
        const m8 none = m8_eq(y, m8_set(-1));
        const v8 slope0 = v8_select(m8_eq(y, m8_set(0)), q0, v8_sub(zero, p0));
        const v8 slope1 = v8_select(m8_eq(y, m8_set(1)), q1, v8_sub(zero, p1));
        v8_store(dz + at, v8_select(none, zero, slope0));
        v8_store(dz + row + at, v8_select(none, zero, slope1));
    }
}

void NAME(categorical)(float *dz, float *value, struct outputs *out, const float *z, const int32_t *label, size_t K,
                       size_t lanes)
{
    if (out)
        look(true, dz, value, out, z, label, K, KELVIN_BLOCK);
    else if (K == 2 && !value)
        look_2(dz, z, label, lanes);
    else
        for (size_t at = 0; at < lanes; at += KELVIN_BLOCK)
            look(false, dz + at, value ? value + at : NULL, NULL, z + at, label + at, K, lanes);
}
