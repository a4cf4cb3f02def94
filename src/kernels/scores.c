/* What predictions are worth, in double; lanes are observations.
 *
 *     m = max_k z_k,  e_k = exp(z_k - m),  p_k = e_k / sum e,  H = log sum e - sum_k p_k (z_k - m)
 *
 * is finite and not negative for any finite z. Equal logits have equal probabilities, and one that is all is 1. */
#include "kernels/doubles.h"
#include "kernels/local.h"

enum { VECTORS = KELVIN_TILE / DOUBLES };

INLINE doubles load_logits(const float *const row[DOUBLES], size_t k)
{
    float lane[DOUBLES];
    UNROLLED(j, DOUBLES) lane[j] = row[j][k];
    return doubles_from_floats(lane);
}

/* z (n, classes) into p (classes, KELVIN_TILE), and the largest of each. */
INLINE void take_logits(double *restrict p, doubles largest[VECTORS], const float *restrict z, size_t n, size_t classes)
{
    for (size_t v = 0; v < VECTORS; v++) {
        const float *row[DOUBLES];
        UNROLLED(j, DOUBLES) {
            const size_t i = v * DOUBLES + (size_t)j;
            row[j] = z + (i < n ? i : n - 1) * classes;
        }
        doubles most = load_logits(row, 0);
        for (size_t k = 0; k < classes; k++) {
            const doubles zk = load_logits(row, k);
            most = doubles_max(most, zk);
            doubles_store(p + k * KELVIN_TILE + v * DOUBLES, zk);
        }
        largest[v] = most;
    }
}

void NAME(softmax_double)(double *restrict p, double *restrict log_sum, double *restrict entropy,
                          const float *restrict z, size_t n, size_t classes)
{
    doubles largest[VECTORS], sum[VECTORS] = {{0}}, dot[VECTORS] = {{0}}, share[VECTORS];
    take_logits(p, largest, z, n, classes);
    for (double *at = p; at < p + classes * KELVIN_TILE; at += KELVIN_TILE)
        UNROLLED(v, VECTORS) {
            const doubles below = doubles_load(at + v * DOUBLES) - largest[v], e = doubles_exp(below);
            sum[v] += e;
            dot[v] = doubles_fma(e, below, dot[v]);
            doubles_store(at + v * DOUBLES, e);
        }
    UNROLLED(v, VECTORS) {
        share[v] = doubles_set(1) / sum[v];
        const doubles log_of_sum = doubles_log(sum[v]);
        doubles_store(log_sum + v * DOUBLES, largest[v] + log_of_sum);
        doubles_store(entropy + v * DOUBLES, log_of_sum - dot[v] * share[v]);
    }
    for (double *at = p; at < p + classes * KELVIN_TILE; at += KELVIN_TILE)
        UNROLLED(v, VECTORS) doubles_store(at + v * DOUBLES, doubles_load(at + v * DOUBLES) * share[v]);
}

void NAME(add_rows)(double *restrict sum, const double *restrict rows, const uint32_t *restrict which, size_t count,
                    size_t row)
{
    for (size_t i = 0; i < row; i += KELVIN_TILE) {
        doubles s[VECTORS];
        UNROLLED(v, VECTORS) s[v] = doubles_load(sum + i + v * DOUBLES);
        for (size_t j = 0; j < count; j++)
            UNROLLED(v, VECTORS) s[v] += doubles_load(rows + which[j] * row + i + v * DOUBLES);
        UNROLLED(v, VECTORS) doubles_store(sum + i + v * DOUBLES, s[v]);
    }
}

/* One sample is itself: not divided, and without logarithms. */
INLINE void appraise(struct appraisal *restrict out, const double *restrict sum, doubles m, bool one,
                     const double *restrict label, size_t classes, size_t i)
{
    const doubles y = doubles_load(label + i), none = {0}, unit = doubles_set(1), least = doubles_set(KELVIN_LEAST_P);
    doubles confidence = doubles_set(-1), top = none, brier = none, entropy = none, log_p = none;
    for (size_t k = 0; k < classes; k++) {
        const doubles sum_k = doubles_load(sum + k * KELVIN_TILE + i), p = one ? sum_k : sum_k / m;
        const doubles class = doubles_set((double)k);
        const longs larger = (longs)(p > confidence), right = (longs)(y == class);
        const doubles off = p - doubles_where(right, unit);
        confidence = doubles_max(p, confidence);
        top = doubles_select(larger, class, top);
        brier = doubles_fma(off, off, brier);
        if (one) continue;
        const doubles log = doubles_log(doubles_select((longs)(p > least), p, unit));
        entropy = doubles_fma(-p, log, entropy);
        log_p = doubles_select(right, log, log_p);
    }
    doubles_store(out->top + i, top);
    doubles_store(out->confidence + i, confidence);
    doubles_store(out->brier + i, brier);
    if (one) return;
    doubles_store(out->entropy + i, doubles_max(entropy, none));
    doubles_store(out->log_p + i, log_p);
}

void NAME(appraise)(struct appraisal *out, const double *sum, size_t m, const double *label, size_t classes)
{
    const doubles samples = doubles_set((double)m);
    for (size_t i = 0; i < KELVIN_TILE; i += DOUBLES)
        if (m == 1)
            appraise(out, sum, samples, true, label, classes, i);
        else
            appraise(out, sum, samples, false, label, classes, i);
}
