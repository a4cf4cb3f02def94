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
    vec sum[2][6];
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

/* Units j .. j+J-1, all vectors: 18 observations are 18 or 9 of them. */
INLINE void units(int J, float *y, size_t j, struct matrix m, const float *x, size_t n, size_t row, const float *b,
                  bool RELU, float leak, bool BACKWARD, const float *act)
{
    size_t at = 0;
    m.w += j * m.down;
    y += j * row;
    act += j * row;
    if (!BACKWARD) b += j * CHAINS;
    for (; at + 6 * LANES <= row; at += 6 * LANES)
        tile(J, 6, y + at, m, x + at, n, row, b, RELU, leak, BACKWARD, act + at);
    for (; at + 3 * LANES <= row; at += 3 * LANES)
        tile(J, 3, y + at, m, x + at, n, row, b, RELU, leak, BACKWARD, act + at);
    for (; at < row; at += LANES) tile(J, 1, y + at, m, x + at, n, row, b, RELU, leak, BACKWARD, act + at);
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

/* What becomes of a gradient: it is set, or added to what is there, or used up at once, as kelvin_kernels.kick_drift
 * would, with the slope of a prior before it. */
enum use { SET, ADD, PUSH };

/* Where the gradients of a unit's weights are, or the weights and their momenta. */
struct sink {
    float *to, *momentum;
    const struct chains_push *push;
    float pull;
};

INLINE struct sink sink_at(struct sink sink, size_t at)
{
    sink.to += at;
    if (sink.momentum) sink.momentum += at;
    return sink;
}

INLINE vec vec_part(bool LOW, const float *p)
{
    return LOW ? vec_low(p) : vec_load(p);
}

INLINE void vec_put(bool LOW, float *p, vec a)
{
    if (LOW)
        vec_store_low(p, a);
    else
        vec_store(p, a);
}

/* A vector of them, or the lower half of one. */
INLINE void use_up(enum use USE, bool LOW, struct sink sink, vec grad)
{
    if (USE == SET) vec_put(LOW, sink.to, grad);
    if (USE == ADD) vec_put(LOW, sink.to, vec_add(vec_part(LOW, sink.to), grad));
    if (USE != PUSH) return;
    const vec theta = vec_part(LOW, sink.to), kick = weights(sink.push->kick), drift = weights(sink.push->drift);
    const vec whole = vec_fma(vec_set(sink.pull), theta, grad);
    const vec moved = vec_fma(kick, whole, vec_part(LOW, sink.momentum));
    vec_put(LOW, sink.momentum, moved);
    vec_put(LOW, sink.to, vec_fma(drift, moved, theta));
}

/* I sums that stand side by side. */
INLINE void put(int I, enum use USE, struct sink sink, const vec *sum)
{
    if (HALVED)
        use_up(USE, I == 1, sink, vec_fold(sum[0], sum[I - 1]));
    else
        UNROLLED(u, I) use_up(USE, false, sink_at(sink, CHAINS * (size_t)u), sum[u]);
}

/* Of J units of dy and I of x; the weights of one unit of dy are `down` floats behind those of the one before. */
INLINE void block(int J, int I, int W, bool REST, enum use USE, struct sink sink, size_t down, const float *dy,
                  const float *x, size_t row)
{
    sums sum, upper;
    half(J, I, W, REST, sum, dy, x, row, 0);
    if (!HALVED) {
        half(J, I, W, REST, upper, dy, x, row, 4);
        UNROLLED(t, J) UNROLLED(u, COLUMNS) sum[t][u] = vec_add(sum[t][u], upper[t][u]);
    }
    UNROLLED(t, J) put(COLUMNS, USE, sink_at(sink, (size_t)t * down), sum[t]);
}

/* All weights of J units, and their biases. */
INLINE void gradient_units(int J, int W, bool REST, enum use USE, size_t n_in, struct sink w, struct sink b,
                           const float *dy, const float *x)
{
    const size_t row = row_of((size_t)W, REST), down = n_in * CHAINS;
    size_t i = 0;
    for (; i + 2 <= n_in; i += 2) block(J, 2, W, REST, USE, sink_at(w, i * CHAINS), down, dy, x + i * row, row);
    if (i < n_in) block(J, 1, W, REST, USE, sink_at(w, i * CHAINS), down, dy, x + i * row, row);
    block(J, 0, W, REST, USE, b, CHAINS, dy, x, row);
}

/* Of three units at once, as long as not one alone would be left; w and b are where those of the first are. */
INLINE void gradient(int W, bool REST, enum use USE, const struct dense *layer, struct sink w, struct sink b,
                     const float *dy, const float *x)
{
    const size_t row = row_of((size_t)W, REST), n_in = layer->n_in;
    for (size_t left = layer->n_out, some; left > 0; left -= some) {
        some = left == 1 ? 1 : left == 2 || left == 4 ? 2 : 3;
        if (some == 3)
            gradient_units(3, W, REST, USE, n_in, w, b, dy, x);
        else if (some == 2)
            gradient_units(2, W, REST, USE, n_in, w, b, dy, x);
        else
            gradient_units(1, W, REST, USE, n_in, w, b, dy, x);
        w = sink_at(w, some * n_in * CHAINS);
        b = sink_at(b, some * CHAINS);
        dy += some * row;
    }
}

/* One copy of the code per shape, in which all of it is constant. */
typedef void gradient_copy(const struct dense *layer, struct sink w, struct sink b, const float *dy, const float *x);

#define COPY(W, REST, USE)                                                                                             \
    static void gradient_##W##REST##USE(const struct dense *layer, struct sink w, struct sink b, const float *dy,      \
                                        const float *x)                                                                \
    {                                                                                                                  \
        gradient(W, REST, USE, layer, w, b, dy, x);                                                                    \
    }
#define COPIES(USE) COPY(1, 0, USE) COPY(2, 0, USE) COPY(3, 0, USE) COPY(1, 1, USE) COPY(2, 1, USE)
#define COPIED(USE)                                                                                                    \
    {                                                                                                                  \
        {NULL, gradient_10##USE, gradient_20##USE, gradient_30##USE},                                                  \
        {                                                                                                              \
            NULL, gradient_11##USE, gradient_21##USE                                                                   \
        }                                                                                                              \
    }

COPIES(SET)
COPIES(ADD)
COPIES(PUSH)

static gradient_copy *const copies[3][2][4] = {[SET] = COPIED(SET), [ADD] = COPIED(ADD), [PUSH] = COPIED(PUSH)};

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

/* From slope[n] to slope[1], and to the gradient of all weights; a layer's weights are used up after its slopes have
 * been. */
static void go_back(const struct dense *layers, size_t n, struct panel_shape shape, float *const *slope,
                    float *const *act, const float *theta, enum use use, struct sink sink)
{
    const size_t row = row_of(shape.wide, shape.rest);
    size_t at = 0;
    for (size_t l = 0; l < n; l++) at += (layers[l].n_in + 1) * layers[l].n_out * CHAINS;
    for (size_t l = n; l-- > 0;) {
        const struct dense *layer = &layers[l];
        const size_t weights = layer->n_in * layer->n_out * CHAINS;
        at -= weights + layer->n_out * CHAINS;
        if (l > 0) {
            const struct matrix transposed = {theta + at, CHAINS, layer->n_in * CHAINS};
            multiply(slope[l], layer->n_in, transposed, slope[l + 1], layer->n_out, row, NULL, layers[l - 1].leak, true,
                     act[l]);
        }
        struct sink w = sink_at(sink, at), b = sink_at(sink, at + weights);
        if (use == PUSH) {
            w.pull = sink.push->pull[2 * l];
            b.pull = sink.push->pull[2 * l + 1];
        }
        copies[use][shape.rest][shape.wide](layer, w, b, slope[l + 1], act[l]);
    }
}

static void backward(const struct dense *layers, size_t n, struct panel_shape shape, float *const *slope,
                     float *const *act, float *grad, const float *theta, bool add)
{
    go_back(layers, n, shape, slope, act, theta, add ? ADD : SET, (struct sink){.to = grad});
}

static void push(const struct dense *layers, size_t n, struct panel_shape shape, float *const *slope,
                 float *const *act, float *theta, float *momentum, const struct chains_push *how)
{
    go_back(layers, n, shape, slope, act, theta, PUSH, (struct sink){.to = theta, .momentum = momentum, .push = how});
}

#define CHAINS_METHOD(NAME_OF)                                                                                         \
    const struct chains_method NAME(NAME_OF) = {                                                                       \
        .chains = CHAINS, .halved = HALVED, .forward = forward, .backward = backward, .push = push}
