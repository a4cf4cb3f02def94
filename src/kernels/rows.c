/* Dense layers on rows of a table, which are read where they lie: forward, backward to their inputs, gradients of their
 * weights.
 *
 *     y = act(b + sum_i x_i w_i)      d = (sum_k a_k w_k) act'(h)      g_i = sum over rows of x_i d
 *
 * Lanes are units, in rows of whole vectors: nothing is gathered, turned or summed over lanes, but for logits, where a
 * sum over a layer's units goes over eight lanes by the fixed tree. Every other sum is one chain of multiply-adds, over
 * inputs or over observations in their order, so that the bits depend neither on the instruction set nor on how many
 * chains share the registers. */
#include "kernels/local.h"
#include "kernels/vec.h"

/* A layer's units in vectors of eight; if at most four are left over, two rows share a vector of them. Units are taken
 * some vectors at a time. */
struct some {
    size_t whole;
    bool half;
};

INLINE struct some vectors_of(size_t units)
{
    const size_t whole = units / 8, left = units % 8;
    if (left == 0) return (struct some){whole, false};
    return left > 4 || whole == 0 ? (struct some){whole + 1, false} : (struct some){whole, true};
}

/* Three or two of those that are left, so that a single one is left only where there is one, or with a half. */
INLINE struct some take(struct some left)
{
    if (left.whole < 3 || (left.whole == 3 && !left.half)) return left;
    return (struct some){left.whole > 4 ? 3 : 2, false};
}

/* Rows (or columns) that go together with V vectors of units, and a half: as many chains of multiply-adds as hide their
 * latency, and no more than the registers hold: sixteen, or thirty-two. */
#if defined(__AVX512F__)
#define TOGETHER(V, HALF) ((V) == 1 && !(HALF) ? 8 : 6)
#else
#define TOGETHER(V, HALF) ((V) == 3 ? 4 : (V) == 2 ? (HALF) ? 4 : 6 : (HALF) ? 6 : 8)
#endif
enum { MOST = 10 }; /* of these, with a bias, and even */

_Static_assert(KELVIN_ROWS_BEYOND >= 7 && KELVIN_BLOCK % 8 == 0 && KELVIN_BLOCK % 6 == 0, "whole tiles fit");

/* CALL(V, HALF) with constants. */
#define EACH_SHAPE(some, CALL)                                                                                         \
    do {                                                                                                               \
        if ((some).whole == 3)                                                                                         \
            CALL(3, false);                                                                                            \
        else if ((some).whole == 2 && (some).half)                                                                     \
            CALL(2, true);                                                                                             \
        else if ((some).whole == 2)                                                                                    \
            CALL(2, false);                                                                                            \
        else if ((some).half)                                                                                          \
            CALL(1, true);                                                                                             \
        else                                                                                                           \
            CALL(1, false);                                                                                            \
    } while (0)

/* What is done to a finished sum: forward max(s, leak s), backward s or leak s, by the sign of the activation h. */
INLINE v8 finished(bool BACK, v8 s, v8 leak, v8 h)
{
    const v8 less = v8_mul(leak, s);
    return BACK ? v8_select(v8_gt(h, v8_set(0.0f)), s, less) : v8_max(less, s);
}

/* Some rows of y = sum_i x_i w_i. Forward starts from the bias, w's first row; backward from 0. */
INLINE void product_tile(int V, bool HALF, bool BACK, float *y, const float *h, const float *const *x, const float *w,
                         size_t n, size_t row, float leak)
{
    const int R = TOGETHER(V, HALF);
    const v8 slope = v8_set(leak), zero = v8_set(0.0f);
    const float *from[MOST];
    v8 sum[MOST][3], both[MOST / 2], each[MOST], in[3], in_half = zero;
    UNROLLED(r, R) {
        from[r] = x[r];
        UNROLLED(v, V) sum[r][v] = BACK ? zero : v8_load(w + 8 * v);
    }
    if (HALF) UNROLLED(r, R / 2) both[r] = BACK ? zero : v8_twice(w + 8 * V);
    if (!BACK) w += row;
    for (size_t i = 0; i < n; i++, w += row) {
        UNROLLED(v, V) in[v] = v8_load(w + 8 * v);
        if (HALF) in_half = v8_twice(w + 8 * V);
        UNROLLED(r, R) {
            each[r] = v8_set(from[r][i]);
            UNROLLED(v, V) sum[r][v] = v8_fma(each[r], in[v], sum[r][v]);
            if (HALF && r % 2) both[r / 2] = v8_fma(v8_halves_of(each[r - 1], each[r]), in_half, both[r / 2]);
        }
    }
    UNROLLED(r, R) {
        UNROLLED(v, V) {
            const size_t at = (size_t)r * row + 8 * (size_t)v;
            v8_store(y + at, finished(BACK, sum[r][v], slope, BACK ? v8_load(h + at) : zero));
        }
        if (HALF && r % 2) {
            const size_t second = (size_t)r * row + 8 * (size_t)V, first = second - row;
            const v8 act = BACK ? v8_load_halves(h + first, h + second) : zero;
            const v8 done = finished(BACK, both[r / 2], slope, act);
            v8_store(y + first, v8_low(done)); /* as it will be loaded, or the load would wait for the store */
            v8_store(y + second, v8_high(done));
        }
    }
}

INLINE void product(int V, bool HALF, bool BACK, float *y, const float *h, const float *const *x, const float *w,
                    size_t n, size_t row, float leak, size_t rows)
{
    const size_t R = TOGETHER(V, HALF);
    for (size_t r = 0; r < rows; r += R)
        product_tile(V, HALF, BACK, y + r * row, BACK ? h + r * row : NULL, x + r, w, n, row, leak);
}

INLINE void products(bool BACK, float *y, const float *h, const float *const *x, const float *w, size_t n, size_t units,
                     float leak, size_t rows)
{
    const size_t row = kelvin_row(units);
    struct some left = vectors_of(units);
    while (left.whole > 0) {
        const struct some some = take(left);
#define PRODUCT(V, HALF) product(V, HALF, BACK, y, h, x, w, n, row, leak, rows)
        EACH_SHAPE(some, PRODUCT);
#undef PRODUCT
        y += 8 * some.whole;
        w += 8 * some.whole;
        if (BACK) h += 8 * some.whole;
        left.whole -= some.whole;
    }
}

void NAME(rows_forward)(float *y, const float *const *x, const float *w, size_t n, size_t units, float leak,
                        size_t rows)
{
    products(false, y, NULL, x, w, n, units, leak, rows);
}

void NAME(rows_backward)(float *d, const float *h, const float *const *a, const float *w, size_t n, size_t units,
                         float leak, size_t rows)
{
    products(true, d, h, a, w, n, units, leak, rows);
}

/* Sums over the lanes of eight vectors. */
INLINE v8 fold(const v8 *s)
{
    const v8 low = v8_fold1(v8_fold2(s[0], s[1]), v8_fold2(s[2], s[3]));
    const v8 high = v8_fold1(v8_fold2(s[4], s[5]), v8_fold2(s[6], s[7]));
    return v8_fold4(low, high);
}

/* Eight rows of one class. */
INLINE v8 logits_8(const float *h, const float *w, size_t row)
{
    v8 sum[8];
    const v8 first = v8_load(w);
    UNROLLED(t, 8) sum[t] = v8_mul(first, v8_load(h + (size_t)t * row));
    for (size_t v = 8; v < row; v += 8) {
        const v8 next = v8_load(w + v);
        UNROLLED(t, 8) sum[t] = v8_fma(next, v8_load(h + (size_t)t * row + v), sum[t]);
    }
    return fold(sum);
}

void NAME(rows_logits)(float *z, const float *h, const float *w, const float *b, size_t classes, size_t units,
                       size_t rows)
{
    const size_t row = kelvin_row(units);
    for (size_t r = 0; r < rows; r += 8, h += 8 * row)
        for (size_t k = 0; k < classes; k++)
            v8_store(z + k * KELVIN_BLOCK + r, v8_add(logits_8(h, w + k * row, row), v8_set(b[k])));
}

/* Of the last layer K classes from k on, with V vectors of units, which are whole: those beyond the last are 0. What
 * came of the classes before is in d. */
INLINE void end_tile(int V, int K, bool FIRST, bool LAST, float *d, float *g, const float *dz, const float *h,
                     const float *w, size_t row, float leak, size_t rows, bool add)
{
    const v8 zero = v8_set(0.0f), slope = v8_set(leak);
    v8 sum[2][3], by[2][3];
    UNROLLED(k, K) UNROLLED(v, V) {
        const size_t at = (size_t)k * row + 8 * (size_t)v;
        sum[k][v] = add ? v8_load(g + at) : zero;
        by[k][v] = v8_load(w + at);
    }
    for (size_t r = 0; r < rows; r++, d += row, h += row) {
        v8 each[2];
        UNROLLED(k, K) each[k] = v8_set(dz[(size_t)k * KELVIN_BLOCK + r]);
        UNROLLED(v, V) {
            const v8 act = v8_load(h + 8 * v);
            v8 s = FIRST ? v8_mul(each[0], by[0][v]) : v8_load(d + 8 * v);
            UNROLLED(k, K) {
                if (!FIRST || k > 0) s = v8_fma(each[k], by[k][v], s);
                sum[k][v] = v8_fma(each[k], act, sum[k][v]);
            }
            v8_store(d + 8 * v, LAST ? finished(true, s, slope, act) : s);
        }
    }
    UNROLLED(k, K) UNROLLED(v, V) v8_store(g + (size_t)k * row + 8 * (size_t)v, sum[k][v]);
}

/* Two classes at a time, so that their weights and gradients stay in registers. */
INLINE void end_classes(int V, float *d, float *g, const float *dz, size_t classes, const float *h, const float *w,
                        size_t row, float leak, size_t rows, bool add)
{
    for (size_t k = 0; k < classes; k += 2, dz += 2 * KELVIN_BLOCK, g += 2 * row, w += 2 * row) {
        const size_t left = classes - k;
        if (k == 0 && left == 2)
            end_tile(V, 2, true, true, d, g, dz, h, w, row, leak, rows, add);
        else if (k == 0)
            end_tile(V, 2, true, false, d, g, dz, h, w, row, leak, rows, add);
        else if (left > 2)
            end_tile(V, 2, false, false, d, g, dz, h, w, row, leak, rows, add);
        else if (left == 2)
            end_tile(V, 2, false, true, d, g, dz, h, w, row, leak, rows, add);
        else
            end_tile(V, 1, false, true, d, g, dz, h, w, row, leak, rows, add);
    }
}

void NAME(rows_end)(float *d, float *g, float *bias, const float *dz, size_t classes, const float *h, const float *w,
                    size_t units, float leak, size_t rows, bool add)
{
    const size_t row = kelvin_row(units);
    for (size_t k = 0; k < classes; k++) {
        v8 sum = add ? v8_load(bias + 8 * k) : v8_set(0.0f);
        for (size_t r = 0; r < KELVIN_BLOCK; r += 8) sum = v8_add(sum, v8_load(dz + k * KELVIN_BLOCK + r));
        v8_store(bias + 8 * k, sum);
    }
    for (size_t at = 0, some; at < row; at += 8 * some) {
        some = take((struct some){(row - at) / 8, false}).whole;
        if (some == 3)
            end_classes(3, d + at, g + at, dz, classes, h + at, w + at, row, leak, rows, add);
        else if (some == 2)
            end_classes(2, d + at, g + at, dz, classes, h + at, w + at, row, leak, rows, add);
        else
            end_classes(1, d + at, g + at, dz, classes, h + at, w + at, row, leak, rows, add);
    }
}

/* Columns c .. c+C-1 of x with some vectors of d, and with BIAS the sum of these: the column of ones. */
INLINE void gradient_tile(int C, int V, bool HALF, bool BIAS, float *g, float *bias, const float *const *x, size_t c,
                          const float *d, size_t row, size_t rows, bool add)
{
    const int ALL = C + (BIAS ? 1 : 0), PAIRS = (ALL + 1) / 2;
    const v8 zero = v8_set(0.0f), one = v8_set(1.0f);
    float nowhere[8 * 3 + 4], *to[MOST];
    v8 sum[MOST][3], both[MOST / 2], each[MOST], in[3], in_half = zero;
    UNROLLED(t, 2 * PAIRS) {
        to[t] = t < C ? g + (size_t)t * row : t < ALL ? bias : nowhere;
        each[t] = one;
    }
    UNROLLED(t, ALL) UNROLLED(v, V) sum[t][v] = add ? v8_load(to[t] + 8 * v) : zero;
    if (HALF && ALL % 2) memset(nowhere, 0, sizeof nowhere);
    if (HALF) UNROLLED(t, PAIRS) both[t] = add ? v8_load_halves(to[2 * t] + 8 * V, to[2 * t + 1] + 8 * V) : zero;
    for (size_t r = 0; r < rows; r++, d += row) {
        const float *from = x[r] + c;
        UNROLLED(v, V) in[v] = v8_load(d + 8 * v);
        if (HALF) in_half = v8_twice(d + 8 * V);
        UNROLLED(t, ALL) {
            if (t < C) each[t] = v8_set(from[t]);
            UNROLLED(v, V) sum[t][v] = t < C ? v8_fma(each[t], in[v], sum[t][v]) : v8_add(in[v], sum[t][v]);
            if (HALF && t % 2) both[t / 2] = v8_fma(v8_halves_of(each[t - 1], each[t]), in_half, both[t / 2]);
        }
        if (HALF && ALL % 2) both[PAIRS - 1] = v8_fma(each[ALL - 1], in_half, both[PAIRS - 1]);
    }
    UNROLLED(t, ALL) UNROLLED(v, V) v8_store(to[t] + 8 * v, sum[t][v]);
    if (HALF) UNROLLED(t, PAIRS) v8_store_halves(to[2 * t] + 8 * V, to[2 * t + 1] + 8 * V, both[t]);
}

/* The last columns, at most four, with the bias: by itself it would be a few chains that wait. */
INLINE void gradient_end(int V, bool HALF, float *g, float *bias, const float *const *x, size_t c, size_t left,
                         const float *d, size_t row, size_t rows, bool add)
{
    if (left == 4)
        gradient_tile(4, V, HALF, true, g, bias, x, c, d, row, rows, add);
    else if (left == 3)
        gradient_tile(3, V, HALF, true, g, bias, x, c, d, row, rows, add);
    else if (left == 2)
        gradient_tile(2, V, HALF, true, g, bias, x, c, d, row, rows, add);
    else
        gradient_tile(1, V, HALF, true, g, bias, x, c, d, row, rows, add);
}

INLINE void gradient(int V, bool HALF, float *g, float *bias, const float *const *x, size_t n, const float *d,
                     size_t row, size_t rows, bool add)
{
    const size_t C = TOGETHER(V, HALF);
    size_t c = 0;
    for (; n - c > C && n - c > 4; c += C)
        gradient_tile(TOGETHER(V, HALF), V, HALF, false, g + c * row, bias, x, c, d, row, rows, add);
    for (; n - c > 4; c += 4) gradient_tile(4, V, HALF, false, g + c * row, bias, x, c, d, row, rows, add);
    gradient_end(V, HALF, g + c * row, bias, x, c, n - c, d, row, rows, add);
}

void NAME(rows_gradient)(float *g, const float *const *x, size_t n, const float *d, size_t units, size_t rows,
                         bool add)
{
    const size_t row = kelvin_row(units);
    struct some left = vectors_of(units);
    float *bias = g;
    g += row;
    while (left.whole > 0) {
        const struct some some = take(left);
#define GRADIENT(V, HALF) gradient(V, HALF, g, bias, x, n, d, row, rows, add)
        EACH_SHAPE(some, GRADIENT);
#undef GRADIENT
        g += 8 * some.whole;
        bias += 8 * some.whole;
        d += 8 * some.whole;
        left.whole -= some.whole;
    }
}
