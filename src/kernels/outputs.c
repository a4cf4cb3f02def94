/* What a network says of each observation of a block: its class, how sure it is, and how far its logits are apart.
 *
 *     m = max_k z_k,   p = 1 / sum_k exp(z_k - m),   range = m - min_k z_k
 *
 * Logits that are not finite must not be taken for others: 0 z is 0, or not a number, and is added to p and range. */
#include "kernels/local.h"
#include "kernels/vmath.h"

enum { VECTORS = KELVIN_BLOCK / 8 };

void NAME(outputs)(struct outputs *out, const float *restrict z, size_t K)
{
    const v8 zero = v8_set(0.0f);
    v8 most[VECTORS], least[VECTORS], top[VECTORS], sum[VECTORS], finite[VECTORS];
    m8 numbers[VECTORS];
    for (int v = 0; v < VECTORS; v++) {
        most[v] = least[v] = v8_load(z + 8 * v);
        top[v] = sum[v] = finite[v] = zero;
        numbers[v] = m8_set(-1);
    }
    for (size_t k = 0; k < K; k++)
        for (int v = 0; v < VECTORS; v++) {
            const v8 zk = v8_load(z + k * KELVIN_BLOCK + 8 * (size_t)v);
            const m8 larger = v8_gt(zk, most[v]);
            most[v] = v8_select(larger, zk, most[v]);
            top[v] = v8_select(larger, v8_set((float)k), top[v]);
            least[v] = v8_select(v8_gt(least[v], zk), zk, least[v]);
            finite[v] = v8_fma(zero, zk, finite[v]);
            numbers[v] = m8_and(numbers[v], v8_eq(zk, zk));
        }
    for (size_t k = 0; k < K; k++)
        for (int v = 0; v < VECTORS; v++) {
            const v8 zk = v8_load(z + k * KELVIN_BLOCK + 8 * (size_t)v);
            sum[v] = v8_add(sum[v], v8_exp(v8_sub(zk, most[v])));
        }
    for (int v = 0; v < VECTORS; v++) {
        v8_store(out->top + 8 * v, v8_select(numbers[v], top[v], v8_set(-1.0f)));
        v8_store(out->p + 8 * v, v8_add(v8_div(v8_set(1.0f), sum[v]), finite[v]));
        v8_store(out->range + 8 * v, v8_add(v8_sub(most[v], least[v]), finite[v]));
    }
}
