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

INLINE void look(bool OUTPUTS, float *restrict dz, float *value, struct outputs *out, const float *restrict z,
                 const int32_t *label, size_t K)
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
            const v8 zk = v8_load(z + k * KELVIN_BLOCK + 8 * (size_t)v);
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
            const size_t at = k * KELVIN_BLOCK + 8 * (size_t)v;
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
            const size_t at = k * KELVIN_BLOCK + 8 * (size_t)v;
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

void NAME(categorical)(float *dz, float *value, struct outputs *out, const float *z, const int32_t *label, size_t K)
{
    if (out)
        look(true, dz, value, out, z, label, K);
    else
        look(false, dz, value, NULL, z, label, K);
}
