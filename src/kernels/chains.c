/* Dense layers of several chains at once: lanes are chains, each with weights of its own, at the same observations.
 *
 *     y = act(W x + b)      dx = (W' dy) act'(x)      [dW db] = dy [x; 1]'
 *
 * No sum is over lanes, and no lane is idle, whatever the number of observations. Each chain gets the bits that dense.c
 * would give it: sums over units are in their order there too, and a sum over observations, where these are lanes, is
 * one over whole vectors, then over eight lanes by a tree. The same tree is climbed here with plain additions; they
 * have adders of their own beside those of multiply-adds.
 *
 * Eight chains are a vector. Four are half of one: the other half has the observations that dense.c has in the upper
 * half of its own, so that what joins the halves is the root of the tree. */
#include "kernels/dense.h"
#include "kernels/local.h"

/* Parameters are (n, CHAINS): of eight chains a vector, of four the same ones in both halves. */
INLINE v8 weights(int CHAINS, const float *p)
{
    return CHAINS == 8 ? v8_load(p) : v8_load_halves(p, p);
}

/* Vectors of a unit: of each vector of observations eight or four, of the rest two or one. */
INLINE size_t vectors(int CHAINS, struct panel_shape shape)
{
    return CHAINS == 8 ? 8 * shape.wide + (shape.rest ? 2 : 0) : 4 * shape.wide + (shape.rest ? 1 : 0);
}

/* ---- forward, and backward to the activations ---- */

/* V vectors of units j .. j+J-1 of y = m x + b, whose units are `row` floats; x has n > 0 of them. Forward starts from
 * b; backward from 0, and needs act. The arguments in capitals are constants in each copy of this code. */
INLINE void tile(int CHAINS, int J, int V, float *y, struct matrix m, const float *x, size_t n, size_t row,
                 const float *b, bool RELU, float leak, bool BACKWARD, const float *act)
{
    const v8 slope = v8_set(leak);
    v8 sum[2][6];
    UNROLLED(t, J) UNROLLED(v, V) sum[t][v] = BACKWARD ? v8_set(0.0f) : weights(CHAINS, b + t * CHAINS);
    const float *w = m.w;
    do {
        v8 of[2];
        UNROLLED(t, J) of[t] = weights(CHAINS, w + (size_t)t * m.down);
        UNROLLED(v, V)
        {
            const v8 in = keep(v8_load(x + 8 * v));
            UNROLLED(t, J) sum[t][v] = v8_fma(of[t], in, sum[t][v]);
        }
        w += m.right;
        x += row;
    } while (--n > 0);
    UNROLLED(t, J) UNROLLED(v, V)
    {
        const size_t at = (size_t)t * row + 8 * (size_t)v;
        v8_store(y + at, finished(RELU, BACKWARD, sum[t][v], slope, act + at));
    }
}

/* Units j .. j+J-1, all vectors. */
INLINE void units(int CHAINS, int J, float *y, size_t j, struct matrix m, const float *x, size_t n, size_t row,
                  const float *b, bool RELU, float leak, bool BACKWARD, const float *act)
{
    size_t at = 0;
    m.w += j * m.down;
    y += j * row;
    act += j * row;
    if (!BACKWARD) b += j * (size_t)CHAINS;
    for (; at + 48 <= row; at += 48)
        tile(CHAINS, J, 6, y + at, m, x + at, n, row, b, RELU, leak, BACKWARD, act + at);
    for (; at + 24 <= row; at += 24)
        tile(CHAINS, J, 3, y + at, m, x + at, n, row, b, RELU, leak, BACKWARD, act + at);
    for (; at < row; at += 8) tile(CHAINS, J, 1, y + at, m, x + at, n, row, b, RELU, leak, BACKWARD, act + at);
}

INLINE void multiply_as(int CHAINS, float *y, size_t n_y, struct matrix m, const float *x, size_t n_x, size_t row,
                        const float *b, bool RELU, float leak, bool BACKWARD, const float *act)
{
    size_t j = 0;
    for (; j + 2 <= n_y; j += 2) units(CHAINS, 2, y, j, m, x, n_x, row, b, RELU, leak, BACKWARD, act);
    if (j < n_y) units(CHAINS, 1, y, j, m, x, n_x, row, b, RELU, leak, BACKWARD, act);
}

INLINE void multiply(int CHAINS, float *y, size_t n_y, struct matrix m, const float *x, size_t n_x, size_t row,
                     const float *b, float leak, bool BACKWARD, const float *act)
{
    if (leak > 0)
        multiply_as(CHAINS, y, n_y, m, x, n_x, row, b, false, leak, BACKWARD, act);
    else
        multiply_as(CHAINS, y, n_y, m, x, n_x, row, b, true, 0.0f, BACKWARD, act);
}

INLINE void forward(int CHAINS, const struct dense *layer, size_t n, struct panel_shape shape, float *const *act,
                    const float *theta)
{
    const size_t row = 8 * vectors(CHAINS, shape), chains = (size_t)CHAINS;
    for (size_t l = 0; l < n; l++, layer++) {
        const struct matrix m = {theta, layer->n_in * chains, chains};
        const float *b = theta + layer->n_in * layer->n_out * chains;
        multiply(CHAINS, act[l + 1], layer->n_out, m, act[l], layer->n_in, row, b, layer->leak, false, act[l + 1]);
        theta = b + layer->n_out * chains;
    }
}

/* ---- gradients of weights ---- */

/* J x I sums at once: of J units of dy with I of x. I = 0: one, of J units with the unit that is always 1, whose weight
 * is the bias: with it nothing is multiplied, to the same bits. */
typedef v8 sums[2][2];
#define COLUMNS (I > 0 ? I : 1)

INLINE v8 product(bool ONE, v8 d, v8 x)
{
    return ONE ? d : v8_mul(d, x);
}

INLINE v8 product_add(bool ONE, v8 d, v8 x, v8 sum)
{
    return ONE ? v8_add(d, sum) : v8_fma(d, x, sum);
}

/* Products of lane l of all W vectors of observations, in each of which there are LANES. */
INLINE void dots(int J, int I, int W, int LANES, sums sum, const float *dy, const float *x, size_t row, int l)
{
    UNROLLED(v, W)
    {
        const size_t at = 8 * (size_t)(LANES * v + l);
        v8 d[2], in[2] = {v8_set(1.0f)};
        UNROLLED(t, J) d[t] = keep(v8_load(dy + (size_t)t * row + at));
        UNROLLED(u, I) in[u] = keep(v8_load(x + (size_t)u * row + at));
        UNROLLED(t, J)
        UNROLLED(u, COLUMNS)
        sum[t][u] = v == 0 ? product(I == 0, d[t], in[u]) : product_add(I == 0, d[t], in[u], sum[t][u]);
    }
}

/* sum += products of the rest, number r of it. Where lanes are observations its x is zero in the upper half of a
 * vector, and zero is what is added there, with a sign, or not a number. */
INLINE void add_rest(int CHAINS, int J, int I, sums sum, const float *dy, const float *x, size_t row, int r, bool UPPER)
{
    static const float one[8] = {1, 1, 1, 1, 0, 0, 0, 0};
    UNROLLED(t, J)
    {
        const v8 d = keep(weights(CHAINS, dy + (size_t)t * row + r * CHAINS));
        const v8 nothing = v8_mul(d, v8_set(0.0f));
        UNROLLED(u, COLUMNS)
        {
            const float *in = x + (size_t)u * row + r * CHAINS;
            if (CHAINS == 4)
                sum[t][u] = v8_fma(d, I == 0 ? v8_load(one) : v8_load_low(in), sum[t][u]);
            else if (UPPER)
                sum[t][u] = v8_add(sum[t][u], nothing);
            else
                sum[t][u] = product_add(I == 0, d, I == 0 ? d : v8_load(in), sum[t][u]);
        }
    }
}

/* What fold2 and fold1 of vec.h leave of half a vector: of lanes l .. l + 3. */
INLINE void half(int CHAINS, int J, int I, int W, bool REST, sums sum, const float *dy, const float *x, size_t row,
                 int l)
{
    const int LANES = CHAINS == 8 ? 8 : 4;
    const size_t rest = 8 * (size_t)(LANES * W);
    sums side[2], other;
    UNROLLED(r, 2)
    {
        dots(J, I, W, LANES, side[r], dy, x, row, l + r);
        dots(J, I, W, LANES, other, dy, x, row, l + r + 2);
        UNROLLED(t, J) UNROLLED(u, COLUMNS) side[r][t][u] = v8_add(side[r][t][u], other[t][u]);
        if (REST) add_rest(CHAINS, J, I, side[r], dy + rest, x + rest, row, r, l > 0);
    }
    UNROLLED(t, J) UNROLLED(u, COLUMNS) sum[t][u] = v8_add(side[0][t][u], side[1][t][u]);
}

INLINE void put(int CHAINS, int I, float *w, const v8 *sum, bool ADD)
{
    if (CHAINS == 8) {
        UNROLLED(u, I) v8_store(w + 8 * u, ADD ? v8_add(v8_load(w + 8 * u), sum[u]) : sum[u]);
    } else {
        float nowhere[4] = {0}, *second = I > 1 ? w + 4 : nowhere;
        const v8 both = v8_fold4(sum[0], sum[I - 1]);
        v8_store_halves(w, second, ADD ? v8_add(v8_load_halves(w, second), both) : both);
    }
}

/* Of J units of dy and I of x; w is where the first weight is, `down` floats from unit to unit of dy. */
INLINE void block(int CHAINS, int J, int I, int W, bool REST, bool ADD, float *w, size_t down, const float *dy,
                  const float *x, size_t row)
{
    sums sum, upper;
    half(CHAINS, J, I, W, REST, sum, dy, x, row, 0);
    if (CHAINS == 8) {
        half(CHAINS, J, I, W, REST, upper, dy, x, row, 4);
        UNROLLED(t, J) UNROLLED(u, COLUMNS) sum[t][u] = v8_add(sum[t][u], upper[t][u]);
    }
    UNROLLED(t, J) put(CHAINS, COLUMNS, w + (size_t)t * down, sum[t], ADD);
}

/* All weights of J units, and their biases. */
INLINE void gradient_units(int CHAINS, int J, int W, bool REST, bool ADD, const struct dense *layer, float *w, float *b,
                           const float *dy, const float *x, size_t row)
{
    const size_t chains = (size_t)CHAINS, down = layer->n_in * chains;
    size_t i = 0;
    for (; i + 2 <= layer->n_in; i += 2)
        block(CHAINS, J, 2, W, REST, ADD, w + i * chains, down, dy, x + i * row, row);
    if (i < layer->n_in) block(CHAINS, J, 1, W, REST, ADD, w + i * chains, down, dy, x + i * row, row);
    block(CHAINS, J, 0, W, REST, ADD, b, chains, dy, x, row);
}

INLINE void gradient(int CHAINS, int W, bool REST, bool ADD, const struct dense *layer, float *w, const float *dy,
                     const float *x)
{
    const size_t chains = (size_t)CHAINS, row = 8 * vectors(CHAINS, (struct panel_shape){(size_t)W, REST});
    float *b = w + layer->n_in * layer->n_out * chains;
    size_t j = 0;
    for (; j + 2 <= layer->n_out; j += 2)
        gradient_units(CHAINS, 2, W, REST, ADD, layer, w + j * layer->n_in * chains, b + j * chains, dy + j * row, x,
                       row);
    if (j < layer->n_out)
        gradient_units(CHAINS, 1, W, REST, ADD, layer, w + j * layer->n_in * chains, b + j * chains, dy + j * row, x,
                       row);
}

/* One copy of the code per shape, in which all of it is constant. */
typedef void gradient_copy(const struct dense *layer, float *w, const float *dy, const float *x);

#define COPY(CHAINS, W, REST, ADD)                                                                                     \
    static void gradient_##CHAINS##W##REST##ADD(const struct dense *layer, float *w, const float *dy, const float *x)  \
    {                                                                                                                  \
        gradient(CHAINS, W, REST, ADD, layer, w, dy, x);                                                               \
    }
#define COPIES(CHAINS, W, REST) COPY(CHAINS, W, REST, 0) COPY(CHAINS, W, REST, 1)
#define ALL_COPIES(CHAINS)                                                                                             \
    COPIES(CHAINS, 1, 0) COPIES(CHAINS, 2, 0) COPIES(CHAINS, 3, 0) COPIES(CHAINS, 1, 1) COPIES(CHAINS, 2, 1)
ALL_COPIES(8)
ALL_COPIES(4)

#define TABLE(CHAINS, ADD)                                                                                             \
    {                                                                                                                  \
        {NULL, gradient_##CHAINS##10##ADD, gradient_##CHAINS##20##ADD, gradient_##CHAINS##30##ADD},                    \
        {                                                                                                              \
            NULL, gradient_##CHAINS##11##ADD, gradient_##CHAINS##21##ADD                                               \
        }                                                                                                              \
    }

/* ---- all layers ---- */

INLINE void backward(int CHAINS, const struct dense *layers, size_t n, struct panel_shape shape, float *const *slope,
                     float *const *act, float *grad, const float *theta, gradient_copy *copy)
{
    const size_t row = 8 * vectors(CHAINS, shape), chains = (size_t)CHAINS;
    for (size_t l = 0; l < n; l++) {
        theta += (layers[l].n_in + 1) * layers[l].n_out * chains;
        grad += (layers[l].n_in + 1) * layers[l].n_out * chains;
    }
    for (size_t l = n; l-- > 0;) {
        const struct dense *layer = &layers[l];
        theta -= (layer->n_in + 1) * layer->n_out * chains;
        grad -= (layer->n_in + 1) * layer->n_out * chains;
        if (l > 0) {
            const struct matrix transposed = {theta, chains, layer->n_in * chains};
            multiply(CHAINS, slope[l], layer->n_in, transposed, slope[l + 1], layer->n_out, row, NULL,
                     layers[l - 1].leak, true, act[l]);
        }
        copy(layer, grad, slope[l + 1], act[l]);
    }
}

void NAME(chains_forward)(const struct dense *layers, size_t n, struct panel_shape shape, size_t chains,
                          float *const *act, const float *theta)
{
    if (chains == 8)
        forward(8, layers, n, shape, act, theta);
    else
        forward(4, layers, n, shape, act, theta);
}

void NAME(chains_backward)(const struct dense *layers, size_t n, struct panel_shape shape, size_t chains,
                           float *const *slope, float *const *act, float *grad, const float *theta, bool add)
{
    static gradient_copy *const copy[2][2][2][4] = {{TABLE(4, 0), TABLE(4, 1)}, {TABLE(8, 0), TABLE(8, 1)}};
    gradient_copy *const one = copy[chains == 8][add][shape.rest][shape.wide];
    if (chains == 8)
        backward(8, layers, n, shape, slope, act, grad, theta, one);
    else
        backward(4, layers, n, shape, slope, act, grad, theta, one);
}
