/* Dense layers of several chains at once: lanes are chains, each with weights of its own, at the same observations.
 *
 *     y = act(W x + b)      dx = (W' dy) act'(x)      [dW db] = dy [x; 1]'
 *
 * No sum is over lanes, and no lane is idle, whatever the number of observations. Each chain gets the bits that dense.c
 * would give it: sums over units are in their order there too, and a sum over observations, where these are lanes, is
 * one over whole vectors, then over eight lanes by a tree. The same tree is climbed here with plain additions; they
 * have adders of their own beside those of multiply-adds.
 *
 * A file that includes this says how many CHAINS there are: a vector, or half of one. Then the other half has the
 * observations that dense.c has in the upper half of its own, so that what joins the halves is the root of the tree. */
#include "kernels/dense.h"
#include "kernels/local.h"

#if defined(__AVX512F__) && CHAINS == 8
#include "kernels/v16.h"
#else
enum { LANES = 8 };
typedef v8 vec;
#define vec_set    v8_set
#define vec_load   v8_load
#define vec_store  v8_store
#define vec_add    v8_add
#define vec_mul    v8_mul
#define vec_fma    v8_fma
#define vec_keep   keep
#define vec_finish finished
#define vec_low    v8_load_low
#define vec_fold   v8_fold4

INLINE vec vec_twice(const float *p)
{
    return v8_load_halves(p, p);
}

INLINE void vec_store_low(float *p, vec a)
{
    float nowhere[4];
    v8_store_halves(p, nowhere, a);
}
#endif

/* STEPS: vectors of a unit for eight observations. */
enum { HALVED = LANES > CHAINS, STEPS = HALVED ? 4 : 8 };

/* Parameters are (n, CHAINS): the same ones in both halves. */
INLINE vec weights(const float *p)
{
    return HALVED ? vec_twice(p) : vec_load(p);
}

/* Floats of a unit. */
INLINE size_t row_of(size_t vectors, bool rest)
{
    return CHAINS * (8 * vectors + (rest ? 2 : 0));
}

/* ---- forward, and backward to the activations ---- */

/* V vectors of units j .. j+J-1 of y = m x + b, whose units are `row` floats; x has n > 0 of them. Forward starts from
 * b; backward from 0, and needs act. The arguments in capitals are constants in each copy of this code. */
INLINE void tile(int J, int V, float *y, struct matrix m, const float *x, size_t n, size_t row, const float *b,
                 bool RELU, float leak, bool BACKWARD, const float *act)
{
    const vec slope = vec_set(leak);
    vec sum[2][5];
    UNROLLED(t, J) UNROLLED(v, V) sum[t][v] = BACKWARD ? vec_set(0.0f) : weights(b + t * CHAINS);
    const float *w = m.w;
    do {
        vec of[2];
        UNROLLED(t, J) of[t] = weights(w + (size_t)t * m.down);
        UNROLLED(v, V)
        {
            const vec in = vec_keep(vec_load(x + LANES * v));
            UNROLLED(t, J) sum[t][v] = vec_fma(of[t], in, sum[t][v]);
        }
        w += m.right;
        x += row;
    } while (--n > 0);
    UNROLLED(t, J) UNROLLED(v, V)
    {
        const size_t at = (size_t)t * row + LANES * (size_t)v;
        vec_store(y + at, vec_finish(RELU, BACKWARD, sum[t][v], slope, act + at));
    }
}

/* Units j .. j+J-1, all vectors: whatever the shape, fives and fours make them up, of 18 observations 5 + 4 or twice
 * that. Two units of four are as many sums as are under way at a time. */
INLINE void units(int J, float *y, size_t j, struct matrix m, const float *x, size_t n, size_t row, const float *b,
                  bool RELU, float leak, bool BACKWARD, const float *act)
{
    size_t at = 0;
    m.w += j * m.down;
    y += j * row;
    act += j * row;
    if (!BACKWARD) b += j * CHAINS;
    for (; (row - at) % (4 * LANES) > 0; at += 5 * LANES)
        tile(J, 5, y + at, m, x + at, n, row, b, RELU, leak, BACKWARD, act + at);
    for (; at < row; at += 4 * LANES) tile(J, 4, y + at, m, x + at, n, row, b, RELU, leak, BACKWARD, act + at);
}

INLINE void multiply_as(float *y, size_t n_y, struct matrix m, const float *x, size_t n_x, size_t row, const float *b,
                        bool RELU, float leak, bool BACKWARD, const float *act)
{
    size_t j = 0;
    for (; j + 2 <= n_y; j += 2) units(2, y, j, m, x, n_x, row, b, RELU, leak, BACKWARD, act);
    if (j < n_y) units(1, y, j, m, x, n_x, row, b, RELU, leak, BACKWARD, act);
}

INLINE void multiply(float *y, size_t n_y, struct matrix m, const float *x, size_t n_x, size_t row, const float *b,
                     float leak, bool BACKWARD, const float *act)
{
    if (leak > 0)
        multiply_as(y, n_y, m, x, n_x, row, b, false, leak, BACKWARD, act);
    else
        multiply_as(y, n_y, m, x, n_x, row, b, true, 0.0f, BACKWARD, act);
}

/* ---- gradients of weights ---- */

/* J x I sums at once: of J units of dy with I of x. I = 0: one, of J units with the unit that is always 1, whose weight
 * is the bias: with it nothing is multiplied, to the same bits. */
enum { MOST = 3 };
typedef vec sums[MOST][MOST];
#define COLUMNS (I > 0 ? I : 1)

INLINE vec product(bool ONE, vec d, vec x)
{
    return ONE ? d : vec_mul(d, x);
}

INLINE vec product_add(bool ONE, vec d, vec x, vec sum)
{
    return ONE ? vec_add(d, sum) : vec_fma(d, x, sum);
}

/* Products of lane l of all W vectors of dense.c. */
INLINE void dots(int J, int I, int W, sums sum, const float *dy, const float *x, size_t row, int l)
{
    UNROLLED(v, W)
    {
        const size_t at = LANES * (size_t)(STEPS * v + l);
        vec in[MOST] = {vec_set(1.0f)};
        UNROLLED(u, I) in[u] = vec_keep(vec_load(x + (size_t)u * row + at));
        UNROLLED(t, J)
        {
            const vec d = vec_keep(vec_load(dy + (size_t)t * row + at));
            UNROLLED(u, COLUMNS)
            sum[t][u] = v == 0 ? product(I == 0, d, in[u]) : product_add(I == 0, d, in[u], sum[t][u]);
        }
    }
}

/* sum += products of the rest, number r of it. In dense.c its x is zero in the upper half of a vector, and zero is what
 * is added there, with a sign, or not a number. */
INLINE void add_rest(int J, int I, sums sum, const float *dy, const float *x, size_t row, int r, bool UPPER)
{
    static const float ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    UNROLLED(t, J)
    {
        const vec d = vec_keep(weights(dy + (size_t)t * row + r * CHAINS));
        const vec nothing = vec_mul(d, vec_set(0.0f));
        UNROLLED(u, COLUMNS)
        {
            const float *in = x + (size_t)u * row + r * CHAINS;
            if (HALVED)
                sum[t][u] = vec_fma(d, vec_low(I == 0 ? ones : in), sum[t][u]);
            else if (UPPER)
                sum[t][u] = vec_add(sum[t][u], nothing);
            else
                sum[t][u] = product_add(I == 0, d, I == 0 ? d : vec_load(in), sum[t][u]);
        }
    }
}

/* What fold2 and fold1 of vec.h leave of half a vector: of lanes l .. l + 3. */
INLINE void half(int J, int I, int W, bool REST, sums sum, const float *dy, const float *x, size_t row, int l)
{
    const size_t rest = LANES * (size_t)(STEPS * W);
    sums side[2], other;
    UNROLLED(r, 2)
    {
        dots(J, I, W, side[r], dy, x, row, l + r);
        dots(J, I, W, other, dy, x, row, l + r + 2);
        UNROLLED(t, J) UNROLLED(u, COLUMNS) side[r][t][u] = vec_add(side[r][t][u], other[t][u]);
        if (REST) add_rest(J, I, side[r], dy + rest, x + rest, row, r, l > 0);
    }
    UNROLLED(t, J) UNROLLED(u, COLUMNS) sum[t][u] = vec_add(side[0][t][u], side[1][t][u]);
}

/* I sums that stand side by side. */
INLINE void put(int I, float *w, const vec *sum, bool ADD)
{
    if (HALVED && I == 1) {
        const vec one = vec_fold(sum[0], sum[0]);
        vec_store_low(w, ADD ? vec_add(vec_low(w), one) : one);
    } else if (HALVED) {
        const vec both = vec_fold(sum[0], sum[1]);
        vec_store(w, ADD ? vec_add(vec_load(w), both) : both);
    } else {
        UNROLLED(u, I) vec_store(w + CHAINS * u, ADD ? vec_add(vec_load(w + CHAINS * u), sum[u]) : sum[u]);
    }
}

/* Of J units of dy and I of x; w is where the first weight is, `down` floats from unit to unit of dy. */
INLINE void block(int J, int I, int W, bool REST, bool ADD, float *w, size_t down, const float *dy, const float *x,
                  size_t row)
{
    sums sum, upper;
    half(J, I, W, REST, sum, dy, x, row, 0);
    if (!HALVED) {
        half(J, I, W, REST, upper, dy, x, row, 4);
        UNROLLED(t, J) UNROLLED(u, COLUMNS) sum[t][u] = vec_add(sum[t][u], upper[t][u]);
    }
    UNROLLED(t, J) put(COLUMNS, w + (size_t)t * down, sum[t], ADD);
}

/* All weights of J units, and their biases. */
INLINE void gradient_units(int J, int W, bool REST, bool ADD, size_t n_in, float *w, float *b, const float *dy,
                           const float *x)
{
    const size_t row = row_of((size_t)W, REST), down = n_in * CHAINS;
    size_t i = 0;
    for (; i + 2 <= n_in; i += 2) block(J, 2, W, REST, ADD, w + i * CHAINS, down, dy, x + i * row, row);
    if (i < n_in) block(J, 1, W, REST, ADD, w + i * CHAINS, down, dy, x + i * row, row);
    block(J, 0, W, REST, ADD, b, CHAINS, dy, x, row);
}

/* Of three units at once, as long as not one alone would be left. */
INLINE void gradient(int W, bool REST, bool ADD, const struct dense *layer, float *w, const float *dy, const float *x)
{
    const size_t row = row_of((size_t)W, REST), n_in = layer->n_in;
    float *b = w + n_in * layer->n_out * CHAINS;
    for (size_t left = layer->n_out, some; left > 0; left -= some) {
        some = left == 1 ? 1 : left == 2 || left == 4 ? 2 : 3;
        if (some == 3)
            gradient_units(3, W, REST, ADD, n_in, w, b, dy, x);
        else if (some == 2)
            gradient_units(2, W, REST, ADD, n_in, w, b, dy, x);
        else
            gradient_units(1, W, REST, ADD, n_in, w, b, dy, x);
        w += some * n_in * CHAINS;
        b += some * CHAINS;
        dy += some * row;
    }
}

/* One copy of the code per shape, in which all of it is constant. */
typedef void gradient_copy(const struct dense *layer, float *w, const float *dy, const float *x);

#define COPY(W, REST, ADD)                                                                                             \
    static void gradient_##W##REST##ADD(const struct dense *layer, float *w, const float *dy, const float *x)          \
    {                                                                                                                  \
        gradient(W, REST, ADD, layer, w, dy, x);                                                                       \
    }
#define COPIES(ADD) COPY(1, 0, ADD) COPY(2, 0, ADD) COPY(3, 0, ADD) COPY(1, 1, ADD) COPY(2, 1, ADD)

COPIES(0)
COPIES(1)

static gradient_copy *const copies[2][2][4] = {
    {{NULL, gradient_100, gradient_200, gradient_300}, {NULL, gradient_110, gradient_210}},
    {{NULL, gradient_101, gradient_201, gradient_301}, {NULL, gradient_111, gradient_211}}};

/* ---- all layers ---- */

static void forward(const struct dense *layer, size_t n, struct panel_shape shape, float *const *act,
                    const float *theta)
{
    const size_t row = row_of(shape.wide, shape.rest);
    for (size_t l = 0; l < n; l++, layer++) {
        const struct matrix m = {theta, layer->n_in * CHAINS, CHAINS};
        const float *b = theta + layer->n_in * layer->n_out * CHAINS;
        multiply(act[l + 1], layer->n_out, m, act[l], layer->n_in, row, b, layer->leak, false, act[l + 1]);
        theta = b + layer->n_out * CHAINS;
    }
}

/* The parameters of a layer, while they and their gradient are in the nearest cache; `at` is where they begin. */
static void push_layer(const struct chains_push *push, size_t l, const struct dense *layer, const float *grad,
                       size_t at)
{
    const size_t weights = layer->n_in * layer->n_out * CHAINS, biases = layer->n_out * CHAINS;
    const float *pull = push->pull + 2 * l;
    const size_t alike = pull[0] == pull[1] ? weights + biases : weights;
    float *theta = push->theta + at, *momentum = push->momentum + at;
    NAME(lanes_push)(theta, momentum, grad, pull[0], push->kick, push->drift, alike);
    if (alike == weights)
        NAME(lanes_push)
        (theta + weights, momentum + weights, grad + weights, pull[1], push->kick, push->drift, biases);
}

static void backward(const struct dense *layers, size_t n, struct panel_shape shape, float *const *slope,
                     float *const *act, float *grad, const float *theta, bool add, const struct chains_push *push)
{
    const size_t row = row_of(shape.wide, shape.rest);
    size_t at = 0;
    for (size_t l = 0; l < n; l++) at += (layers[l].n_in + 1) * layers[l].n_out * CHAINS;
    for (size_t l = n; l-- > 0;) {
        const struct dense *layer = &layers[l];
        at -= (layer->n_in + 1) * layer->n_out * CHAINS;
        float *to = push ? grad : grad + at; /* where the gradient of the layer before was, which is used up */
        if (l > 0) {
            const struct matrix transposed = {theta + at, CHAINS, layer->n_in * CHAINS};
            multiply(slope[l], layer->n_in, transposed, slope[l + 1], layer->n_out, row, NULL, layers[l - 1].leak, true,
                     act[l]);
        }
        copies[add][shape.rest][shape.wide](layer, to, slope[l + 1], act[l]);
        if (push) push_layer(push, l, layer, to, at);
    }
}

#define CHAINS_METHOD(NAME_OF)                                                                                         \
    const struct chains_method NAME(NAME_OF) = {                                                                       \
        .chains = CHAINS, .halved = HALVED, .forward = forward, .backward = backward}
