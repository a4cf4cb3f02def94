/* Dense layers for one block of observations: forward, backward to their inputs, gradients of their weights.
 *
 *     y = act(W x + b)      dx = (W' dy) act'(x)      [dW db] = dy [x; 1]'
 *
 * Lanes are observations. One routine serves forward and backward: it multiplies a matrix, given by its two strides,
 * with a panel, four output units at a time. Every element of y and dx is summed over units in their order; every
 * element of dW first over whole vectors, then over eight lanes by one fixed tree: so the bits do not depend on the
 * instruction set. */
#include "kernels/dense.h"
#include "kernels/local.h"

/* Units j .. j+J-1 of y = m x + b, where x has n > 0 units. Forward starts from b; backward from 0, and needs act.
 * The arguments in capitals are constants in each copy of this code. */
INLINE void tile(int J, int W, bool REST, struct panel y, size_t j, struct matrix m, struct panel x, size_t n,
                 const float *b, bool RELU, float leak, bool BACKWARD, struct panel act)
{
    const size_t row = 8 * (size_t)W;
    const v8 slope = v8_set(leak);
    v8 sum[4][3], four[4], rest = v8_set(0.0f);
    for (int t = 0; t < J; t++) {
        four[t] = v8_set(BACKWARD ? 0.0f : b[j + (size_t)t]);
        for (int v = 0; v < W; v++) sum[t][v] = four[t];
    }
    const int b1 = J > 1 ? 1 : 0, b2 = J > 2 ? 2 : 0, b3 = J > 3 ? 3 : 0;
    if (REST) rest = v8_pairs_of(four[0], four[b1], four[b2], four[b3]);
    const float *w = m.w + j * m.down;
    size_t i = 0;
#pragma GCC unroll 2
    do {
        v8 in[3];
        for (int v = 0; v < W; v++) in[v] = v8_load(x.wide + i * row + 8 * (size_t)v);
        for (int t = 0; t < J; t++) {
            four[t] = v8_set(w[(size_t)t * m.down]);
            for (int v = 0; v < W; v++) sum[t][v] = v8_fma(four[t], in[v], sum[t][v]);
        }
        if (REST) rest = v8_fma(v8_pairs_of(four[0], four[b1], four[b2], four[b3]), v8_pair(x.rest + 2 * i), rest);
        w += m.right;
    } while (++i < n);
    for (int t = 0; t < J; t++)
        for (int v = 0; v < W; v++) {
            const size_t at = (j + (size_t)t) * row + 8 * (size_t)v;
            v8_store(y.wide + at, finished(RELU, BACKWARD, sum[t][v], slope, act.wide + at));
        }
    if (!REST) return;
    rest = finished(RELU, BACKWARD, rest, slope, act.rest + 2 * j);
    memcpy(y.rest + 2 * j, &rest, 2 * (size_t)J * sizeof(float));
}

/* The small tiles come first: the last ones, whose results the next layer waits for, are then the efficient ones. */
INLINE void multiply(int W, bool REST, struct panel y, size_t n_y, struct matrix m, struct panel x, size_t n_x,
                     const float *b, bool RELU, float leak, bool BACKWARD, struct panel act)
{
    size_t j = 0;
    if (n_y & 1) {
        tile(1, W, REST, y, j, m, x, n_x, b, RELU, leak, BACKWARD, act);
        j += 1;
    }
    if (n_y & 2) {
        tile(2, W, REST, y, j, m, x, n_x, b, RELU, leak, BACKWARD, act);
        j += 2;
    }
    for (; j < n_y; j += 4) tile(4, W, REST, y, j, m, x, n_x, b, RELU, leak, BACKWARD, act);
}

/* From act[0], the inputs, to act[n], the logits. theta holds W (n_out, n_in) and b (n_out) of each layer in turn. */
INLINE void forward(int W, bool REST, const struct dense *layer, size_t n, const struct panel *act, const float *theta)
{
    for (size_t l = 0; l < n; l++, layer++) {
        const struct matrix m = {theta, layer->n_in, 1};
        const float *b = theta + layer->n_in * layer->n_out;
        if (layer->leak > 0)
            multiply(W, REST, act[l + 1], layer->n_out, m, act[l], layer->n_in, b, false, layer->leak, false,
                     act[l + 1]);
        else
            multiply(W, REST, act[l + 1], layer->n_out, m, act[l], layer->n_in, b, true, 0.0f, false, act[l + 1]);
        theta = b + layer->n_out;
    }
}

/* Four units of x, in registers while rows of dy go by: read again for each row, they would keep the load units busy.
 */
struct four {
    v8 wide[4][3], rest[2];
};

INLINE struct four load_four(int W, bool REST, struct panel x, size_t i)
{
    struct four f;
    for (size_t t = 0; t < 4; t++)
        for (int v = 0; v < W; v++) f.wide[t][v] = v8_load(x.wide + ((i + t) * (size_t)W + (size_t)v) * 8);
    for (size_t h = 0; h < 2; h++) f.rest[h] = REST ? v8_load_low(x.rest + 2 * i + 4 * h) : v8_set(0.0f);
    return f;
}

INLINE v8 dot(int W, const v8 *d, const v8 *x)
{
    v8 sum = v8_mul(d[0], x[0]);
    for (int v = 1; v < W; v++) sum = v8_fma(d[v], x[v], sum);
    return sum;
}

/* Products of unit j of dy with four units of x: lanes 0-3 and 4-7 each hold half of the four sums. */
INLINE v8 dots_4(int W, bool REST, struct panel dy, size_t j, const struct four *x)
{
    v8 d[3];
    for (int v = 0; v < W; v++) d[v] = v8_load(dy.wide + (j * (size_t)W + (size_t)v) * 8);
    v8 a = v8_fold2(dot(W, d, x->wide[0]), dot(W, d, x->wide[1]));
    v8 b = v8_fold2(dot(W, d, x->wide[2]), dot(W, d, x->wide[3]));
    if (REST) {
        const v8 rest = v8_pair(dy.rest + 2 * j);
        a = v8_fma(rest, x->rest[0], a);
        b = v8_fma(rest, x->rest[1], b);
    }
    return v8_fold1(a, b);
}

/* ... of units j and j + 1. */
INLINE v8 dots_2x4(int W, bool REST, struct panel dy, size_t j, const struct four *x)
{
    return v8_fold4(dots_4(W, REST, dy, j, x), dots_4(W, REST, dy, j + 1, x));
}

/* Columns i .. i+3 of W; w is where they start. */
INLINE void gradient_four(int W, bool REST, const struct dense *layer, float *w, struct panel dy, struct panel x,
                          size_t i, bool add)
{
    const size_t n_in = layer->n_in, n_out = layer->n_out;
    const struct four four = load_four(W, REST, x, i);
    float nowhere[4] = {0};
    for (size_t j = 0; j < n_out; j += 2, w += 2 * n_in) {
        float *second = j + 1 < n_out ? w + n_in : nowhere;
        const v8 sum = dots_2x4(W, REST, dy, j, &four);
        v8_store_halves(w, second, add ? v8_add(v8_load_halves(w, second), sum) : sum);
    }
}

/* `count` (0 to 3) of four floats to w, the one after them to b. */
INLINE void put_end(float *w, float *b, const float *four, size_t count, bool add)
{
    if (count & 2) w[0] = add ? w[0] + four[0] : four[0], w[1] = add ? w[1] + four[1] : four[1];
    if (count & 1) w[count - 1] = add ? w[count - 1] + four[count - 1] : four[count - 1];
    *b = add ? *b + four[count] : four[count];
}

/* The columns that are left, and the bias: the column of the unit that is always one. */
INLINE void gradient_end(int W, bool REST, const struct dense *layer, float *w, float *b, struct panel dy,
                         struct panel x, size_t i, bool add)
{
    const size_t n_in = layer->n_in, n_out = layer->n_out;
    const struct four four = load_four(W, REST, x, i);
    for (size_t j = 0; j < n_out; j += 2, w += 2 * n_in) {
        _Alignas(32) float lane[8];
        v8_store(lane, dots_2x4(W, REST, dy, j, &four));
        put_end(w, b + j, lane, n_in % 4, add);
        if (j + 1 < n_out) put_end(w + n_in, b + j + 1, lane + 4, n_in % 4, add);
    }
}

INLINE void gradient(int W, bool REST, const struct dense *layer, float *w, struct panel dy, struct panel x, bool add)
{
    float *b = w + layer->n_in * layer->n_out;
    size_t i = 0;
    for (; i + 4 <= layer->n_in; i += 4) gradient_four(W, REST, layer, w + i, dy, x, i, add);
    gradient_end(W, REST, layer, w + i, b, dy, x, i, add);
}

/* From slope[n], given, to slope[1], and to the gradient of all weights. */
INLINE void backward(int W, bool REST, const struct dense *layers, size_t n, const struct panel *slope,
                     const struct panel *act, float *grad, const float *theta, bool add)
{
    for (size_t l = 0; l < n; l++) {
        theta += (layers[l].n_in + 1) * layers[l].n_out;
        grad += (layers[l].n_in + 1) * layers[l].n_out;
    }
    for (size_t l = n; l-- > 0;) {
        const struct dense *layer = &layers[l];
        theta -= (layer->n_in + 1) * layer->n_out;
        grad -= (layer->n_in + 1) * layer->n_out;
        if (l > 0) { /* before the gradient: what the next layer waits for comes first */
            const struct matrix transposed = {theta, 1, layer->n_in};
            const float leak = layers[l - 1].leak;
            if (leak > 0)
                multiply(W, REST, slope[l], layer->n_in, transposed, slope[l + 1], layer->n_out, NULL, false, leak,
                         true, act[l]);
            else
                multiply(W, REST, slope[l], layer->n_in, transposed, slope[l + 1], layer->n_out, NULL, true, 0.0f, true,
                         act[l]);
        }
        gradient(W, REST, layer, grad, slope[l + 1], act[l], add);
    }
}

/* One copy of the code per shape of panel, in which W, REST and ADD are constants. */
typedef void forward_copy(const struct dense *layers, size_t n, const struct panel *act, const float *theta);
typedef void backward_copy(const struct dense *layers, size_t n, const struct panel *slope, const struct panel *act,
                           float *grad, const float *theta);

#define COPY_FORWARD(W, REST)                                                                                          \
    static void forward_##W##REST(const struct dense *layers, size_t n, const struct panel *act, const float *theta)   \
    {                                                                                                                  \
        forward(W, REST, layers, n, act, theta);                                                                       \
    }
#define COPY_BACKWARD(W, REST, ADD)                                                                                    \
    static void backward_##W##REST##ADD(const struct dense *layers, size_t n, const struct panel *slope,               \
                                        const struct panel *act, float *grad, const float *theta)                      \
    {                                                                                                                  \
        backward(W, REST, layers, n, slope, act, grad, theta, ADD);                                                    \
    }
#define COPIES(W, REST) COPY_FORWARD(W, REST) COPY_BACKWARD(W, REST, 0) COPY_BACKWARD(W, REST, 1)

COPIES(1, 0)
COPIES(2, 0)
COPIES(3, 0)
COPIES(1, 1)
COPIES(2, 1)

void NAME(mlp_forward)(const struct dense *layers, size_t n, struct panel_shape shape, const struct panel *act,
                       const float *theta)
{
    static forward_copy *const copy[2][4] = {{NULL, forward_10, forward_20, forward_30},
                                             {NULL, forward_11, forward_21}};
    copy[shape.rest][shape.wide](layers, n, act, theta);
}

void NAME(mlp_backward)(const struct dense *layers, size_t n, struct panel_shape shape, const struct panel *slope,
                        const struct panel *act, float *grad, const float *theta, bool add)
{
    static backward_copy *const copy[2][2][4] = {
        {{NULL, backward_100, backward_200, backward_300}, {NULL, backward_110, backward_210}},
        {{NULL, backward_101, backward_201, backward_301}, {NULL, backward_111, backward_211}}};
    copy[add][shape.rest][shape.wide](layers, n, slope, act, grad, theta);
}
