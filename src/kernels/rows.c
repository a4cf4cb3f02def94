/* Dense layers on rows of a table, which are read where they lie: forward, backward to their inputs, gradients of their
 * weights.
 *
 *     y = act(b + sum_i x_i w_i)      d = (sum_k a_k w_k) act'(h)      g_c = sum over rows of a_c b
 *
 * Lanes are units, in rows of whole vectors: nothing is gathered, turned or summed over lanes, but for logits, where a
 * sum over a layer's units goes over eight lanes by the fixed tree. Every other sum is one chain of multiply-adds, over
 * inputs or over observations in their order, so that the bits depend neither on the instruction set nor on how many
 * chains share the registers. */
#include "kernels/local.h"
#include "kernels/vec.h"

/* Rows (or columns) that go together with V vectors of units: as many chains of multiply-adds as hide their latency, and
 * no more than sixteen registers hold. */
#define TOGETHER(V) ((V) == 1 ? 8 : (V) == 2 ? 6 : 4)
enum { MOST = 9 }; /* of these, with a bias */

_Static_assert(KELVIN_ROWS_BEYOND + 1 >= TOGETHER(1) && KELVIN_BLOCK % TOGETHER(1) == 0 &&
                   KELVIN_BLOCK % TOGETHER(2) == 0 && KELVIN_BLOCK % TOGETHER(3) == 0,
               "whole tiles fit");

/* Vectors to take next of those that are left: 3, or 2, so that a single one is left only where there is one. */
INLINE size_t take(size_t left)
{
    return left == 4 ? 2 : left < 3 ? left : 3;
}

/* V vectors of some rows of y = sum_i from[i * right] w[i]. Forward starts from the bias, w's first row, and ends with
 * max(s, leak s); backward starts from 0 and ends with s or leak s, by the sign of the activation h. */
INLINE void product_tile(int V, bool BACK, float *y, const float *h, const float *const *x, size_t right,
                         const float *w, size_t n, size_t row, float leak)
{
    const int R = TOGETHER(V);
    const v8 slope = v8_set(leak), zero = v8_set(0.0f);
    const float *from[MOST];
    v8 sum[MOST][3], in[3];
    UNROLLED(r, R) {
        from[r] = x[r];
        UNROLLED(v, V) sum[r][v] = BACK ? zero : v8_load(w + 8 * v);
    }
    if (!BACK) w += row;
    for (size_t i = 0; i < n; i++, w += row) {
        UNROLLED(v, V) in[v] = v8_load(w + 8 * v);
        UNROLLED(r, R) {
            const v8 each = v8_set(from[r][i * right]);
            UNROLLED(v, V) sum[r][v] = v8_fma(each, in[v], sum[r][v]);
        }
    }
    UNROLLED(r, R) {
        UNROLLED(v, V) {
            const size_t at = (size_t)r * row + 8 * (size_t)v;
            const v8 s = sum[r][v], less = v8_mul(slope, s);
            v8_store(y + at, BACK ? v8_select(v8_gt(v8_load(h + at), zero), s, less) : v8_max(less, s));
        }
    }
}

INLINE void product(int V, bool BACK, float *y, const float *h, const float *const *x, size_t right, const float *w,
                    size_t n, size_t row, float leak, size_t rows)
{
    const size_t R = TOGETHER(V);
    for (size_t r = 0; r < rows; r += R)
        product_tile(V, BACK, y + r * row, BACK ? h + r * row : NULL, x + r, right, w, n, row, leak);
}

INLINE void products(bool BACK, float *y, const float *h, const float *const *x, size_t right, const float *w, size_t n,
                     size_t vectors, float leak, size_t rows)
{
    const size_t row = 8 * vectors;
    for (size_t v = 0, some; v < vectors; v += some, y += 8 * some, w += 8 * some) {
        some = take(vectors - v);
        if (some == 3)
            product(3, BACK, y, h, x, right, w, n, row, leak, rows);
        else if (some == 2)
            product(2, BACK, y, h, x, right, w, n, row, leak, rows);
        else
            product(1, BACK, y, h, x, right, w, n, row, leak, rows);
        if (BACK) h += 8 * some;
    }
}

void NAME(rows_forward)(float *y, const float *const *x, const float *w, size_t n, size_t vectors, float leak,
                        size_t rows)
{
    products(false, y, NULL, x, 1, w, n, vectors, leak, rows);
}

void NAME(rows_backward)(float *d, const float *h, const float *const *a, size_t right, const float *w, size_t n,
                         size_t vectors, float leak, size_t rows)
{
    if (right == 1)
        products(true, d, h, a, 1, w, n, vectors, leak, rows);
    else
        products(true, d, h, a, KELVIN_BLOCK, w, n, vectors, leak, rows);
}

/* Sums over the lanes of eight vectors. */
INLINE v8 fold(const v8 *s)
{
    const v8 low = v8_fold1(v8_fold2(s[0], s[1]), v8_fold2(s[2], s[3]));
    const v8 high = v8_fold1(v8_fold2(s[4], s[5]), v8_fold2(s[6], s[7]));
    return v8_fold4(low, high);
}

void NAME(rows_logits)(float *z, const float *h, const float *w, const float *b, size_t classes, size_t vectors,
                       size_t rows)
{
    const size_t row = 8 * vectors;
    for (size_t r = 0; r < rows; r += 8, h += 8 * row)
        for (size_t k = 0; k < classes; k++) {
            v8 sum[8];
            const v8 first = v8_load(w + k * row);
            UNROLLED(t, 8) sum[t] = v8_mul(first, v8_load(h + (size_t)t * row));
            for (size_t v = 1; v < vectors; v++) {
                const v8 next = v8_load(w + k * row + 8 * v);
                UNROLLED(t, 8) sum[t] = v8_fma(next, v8_load(h + (size_t)t * row + 8 * v), sum[t]);
            }
            v8_store(z + k * KELVIN_BLOCK + r, v8_add(fold(sum), v8_set(b[k])));
        }
}

/* Columns c .. c+C-1 of a with V vectors of b, and with BIAS the sum of these, which is g's first row. */
INLINE void gradient_tile(int C, int V, bool BIAS, float *g, float *bias, const float *const *a, size_t right, size_t c,
                          const float *b, size_t row, size_t rows, bool add)
{
    v8 sum[MOST][3], in[3];
    UNROLLED(t, C) UNROLLED(v, V) sum[t][v] = add ? v8_load(g + (size_t)t * row + 8 * (size_t)v) : v8_set(0.0f);
    if (BIAS) UNROLLED(v, V) sum[C][v] = add ? v8_load(bias + 8 * v) : v8_set(0.0f);
    for (size_t r = 0; r < rows; r++, b += row) {
        const float *from = a[r] + c * right;
        UNROLLED(v, V) in[v] = v8_load(b + 8 * v);
        UNROLLED(t, C) {
            const v8 each = v8_set(from[(size_t)t * right]);
            UNROLLED(v, V) sum[t][v] = v8_fma(each, in[v], sum[t][v]);
        }
        if (BIAS) UNROLLED(v, V) sum[C][v] = v8_add(in[v], sum[C][v]);
    }
    UNROLLED(t, C) UNROLLED(v, V) v8_store(g + (size_t)t * row + 8 * (size_t)v, sum[t][v]);
    if (BIAS) UNROLLED(v, V) v8_store(bias + 8 * v, sum[C][v]);
}

/* The last columns, at most four, with the bias if there is one: by itself it would be a few chains that wait. */
INLINE void gradient_end(int V, bool BIAS, float *g, float *bias, const float *const *a, size_t right, size_t c,
                         size_t left, const float *b, size_t row, size_t rows, bool add)
{
    if (left == 4)
        gradient_tile(4, V, BIAS, g, bias, a, right, c, b, row, rows, add);
    else if (left == 3)
        gradient_tile(3, V, BIAS, g, bias, a, right, c, b, row, rows, add);
    else if (left == 2)
        gradient_tile(2, V, BIAS, g, bias, a, right, c, b, row, rows, add);
    else
        gradient_tile(1, V, BIAS, g, bias, a, right, c, b, row, rows, add);
}

INLINE void gradient(int V, bool BIAS, float *g, float *bias, const float *const *a, size_t right, size_t n,
                     const float *b, size_t row, size_t rows, bool add)
{
    const size_t C = TOGETHER(V);
    size_t c = 0;
    for (; n - c > C && n - c > 4; c += C) gradient_tile(TOGETHER(V), V, false, g + c * row, bias, a, right, c, b, row, rows, add);
    for (; n - c > 4; c += 4) gradient_tile(4, V, false, g + c * row, bias, a, right, c, b, row, rows, add);
    gradient_end(V, BIAS, g + c * row, bias, a, right, c, n - c, b, row, rows, add);
}

INLINE void gradients(bool BIAS, float *g, const float *const *a, size_t right, size_t n, const float *b,
                      size_t vectors, size_t rows, bool add)
{
    const size_t row = 8 * vectors;
    float *bias = g;
    if (BIAS) g += row;
    for (size_t v = 0, some; v < vectors; v += some, g += 8 * some, bias += 8 * some, b += 8 * some) {
        some = take(vectors - v);
        if (some == 3)
            gradient(3, BIAS, g, bias, a, right, n, b, row, rows, add);
        else if (some == 2)
            gradient(2, BIAS, g, bias, a, right, n, b, row, rows, add);
        else
            gradient(1, BIAS, g, bias, a, right, n, b, row, rows, add);
    }
}

void NAME(rows_gradient)(float *g, const float *const *x, size_t n, const float *d, size_t vectors, size_t rows,
                         bool add)
{
    gradients(true, g, x, 1, n, d, vectors, rows, add);
}

void NAME(rows_gradient_end)(float *g, const float *const *dz, size_t classes, const float *h, size_t vectors,
                             size_t rows, bool add)
{
    gradients(false, g, dz, KELVIN_BLOCK, classes, h, vectors, rows, add);
}

/* Four columns of eight units become eight rows of four. */
INLINE void put_turned(float *w, size_t n, const float *g, size_t row, size_t units, v8 scale)
{
    _Alignas(32) float lane[4][8];
    UNROLLED(t, 4) v8_store(lane[t], v8_mul(scale, v8_load(g + (size_t)t * row)));
    for (size_t u = 0; u < units; u++)
        for (size_t t = 0; t < 4; t++) w[u * n + t] = lane[t][u];
}

void NAME(rows_turn)(float *w, const float *g, size_t units, size_t n, size_t vectors, float scale)
{
    const size_t row = 8 * vectors;
    const v8 by = v8_set(scale);
    for (size_t u = 0; u < units; u += 8) {
        const size_t some = units - u < 8 ? units - u : 8;
        size_t c = 0;
        for (; c + 4 <= n; c += 4) put_turned(w + u * n + c, n, g + c * row + u, row, some, by);
        for (; c < n; c++)
            for (size_t t = 0; t < some; t++) w[(u + t) * n + c] = scale * g[c * row + u + t];
    }
}
