/* kernels: the hot loops. One source each, compiled once per instruction set; this table holds the chosen ones.
 *
 *     const struct kelvin_kernels *k;
 *     kelvin_status st = kelvin_kernels_get(&k);         // by CPU, or by $KELVIN_ISA
 *     k->axpy(y, 0.5f, x, n);
 *
 * Same bits under every instruction set with FMA: sums over lanes go over eight lanes by one fixed tree,
 * other sums are not touched by vectorising, and a multiply-add is fused only where the source says so.
 */
#ifndef KERNELS_KERNELS_H
#define KERNELS_KERNELS_H

#include "base/block.h"
#include "base/random.h"
#include "kernels/maps.h"

#include <kelvin/base.h>

/* A panel: `rows` units of one layer for up to KELVIN_BLOCK observations. Observations are lanes: `wide` whole vectors
 * of eight, and, where one or two are left over, a rest of two: four units share a vector there, so that 18
 * observations cost 2.25 vectors per unit instead of 3. */
struct panel_shape {
    size_t wide; /* 1, 2 or 3 */
    bool rest;   /* only with wide < 3 */
};

struct panel {
    float *wide; /* (rows, 8 * shape.wide) */
    float *rest; /* (rows, 2) */
};

struct panel_shape kelvin_panel_shape(size_t n);

/* Rows to allocate for `units` units: one more, which holds ones where a gradient is taken, up to a multiple of four.
 */
static inline size_t panel_rows(size_t units)
{
    return (units + 4) / 4 * 4;
}

/* Dense layers on rows of a table, one by one: `row[r]` is where row r lies. Kernels take rows a few at a time: after
 * the last one of an array of rows stand KELVIN_ROWS_BEYOND more, which may be read, and results have room for them. */
enum { KELVIN_ROWS_BEYOND = 7 };

/* Floats in a row of units there: whole vectors of eight. */
static inline size_t kelvin_row(size_t units)
{
    return (units + 7) / 8 * 8;
}

/* Convolutions on panels have kernels of at most PANEL_KERNEL x PANEL_KERNEL. */
enum { PANEL_KERNEL = 11 };

/* A dense layer y = act(W x + b), act(s) = max(s, leak s): ReLU with leak 0, nothing with leak 1. */
struct dense {
    size_t n_in, n_out;
    float leak;
};

/* What becomes of a gradient of several chains: with what a prior adds, it kicks their momentum, and theta moves with
 * that, as by lanes_push. */
struct chains_push {
    float *theta, *momentum;   /* (n_params, chains) */
    const float *pull;         /* (layers, 2): the prior adds so much of each weight, and of each bias */
    const float *kick, *drift; /* (8), by lanes: of four chains each is there twice */
};

/* Dense layers of several chains at once, each with weights of its own, on one block of observations: each chain gets
 * the bits of mlp_forward and mlp_backward. theta and grad are (n_params, chains), act[l] and slope[l] (units,
 * observations, chains): as many observations as the shape has room for, in the order of kelvin_chains_observation. */
struct chains_method {
    size_t chains;
    bool halved; /* they are half a vector */
    void (*forward)(const struct dense *layers, size_t n, struct panel_shape shape, float *const *act,
                    const float *theta);
    /* slope[n] must be 0 where there is no observation; slope[l] may be slope[l + 2]. grad is set, or added to. Or,
     * unless `push` is NULL, it is used up at once: nothing is added to grad, and anything may be left there. */
    void (*backward)(const struct dense *layers, size_t n, struct panel_shape shape, float *const *slope,
                     float *const *act, float *grad, const float *theta, bool add, const struct chains_push *push);
};

/* Which observation of a block is the i-th of its panels, whether there is such a one or not. */
size_t kelvin_chains_observation(const struct chains_method *method, struct panel_shape shape, size_t i);

/* How an image of bytes becomes floats: pixel (y, x) of a channel is pixel (y + dy, x + dx) of the image, or of its
 * mirror image, times scale plus offset; 0 where that is outside. */
struct image {
    size_t channels, height, width;
    const float *scale, *offset; /* (channels) */
    bool flip;
    int dy, dx;
};

/* What a network says of each of KELVIN_BLOCK observations. */
struct outputs {
    float top[KELVIN_BLOCK];   /* the first class with the largest logit; -1 if a logit is not a number */
    float p[KELVIN_BLOCK];     /* its probability, and */
    float range[KELVIN_BLOCK]; /* largest - smallest logit: not a number if a logit is not finite */
};

/* Probabilities in double, of a tile of observations: arrays are (classes, KELVIN_TILE), all lanes. Sums of
 * probabilities above KELVIN_LEAST_P have all their digits. */
enum { KELVIN_TILE = 16 };
#define KELVIN_LEAST_P 1e-280

/* What one sample says of each, or the mean of several. */
struct appraisal {
    double top[KELVIN_TILE];        /* the first of the most likely classes, and */
    double confidence[KELVIN_TILE]; /* its probability */
    double brier[KELVIN_TILE];      /* sum_k (p_k - 1[k is the label])^2 */
    double entropy[KELVIN_TILE];    /* only of several: -sum_k p_k log p_k, where p <= KELVIN_LEAST_P adds nothing */
    double log_p[KELVIN_TILE];      /* only of several: of the label; 0 if its p <= KELVIN_LEAST_P */
};

/* What a method works in, and memory that will be wanted after it: it is asked for while there is enough to compute, or
 * else each layer would begin by waiting. */
struct work {
    float *scratch; /* as many floats as the method's function of that name says */
    const float *soon[2];
    size_t floats[2];
};

/* FRN's gradient in the making, at each pixel of n images: dx = scale du + pull x, where du is da where
 * scale x + beta > max(tau, 0), else 0. */
struct frn_slope {
    const float *da, *x;              /* (n, da_map->size), (n, x_map->size) */
    const struct map *da_map, *x_map; /* of the same pixels, each with its own frame */
    const float *scale, *pull;        /* (n, 16 blocks) */
    const float *beta, *tau;          /* (16 blocks) */
};

/* One way to compute a convolution where lanes are channels (maps.h). It has its own form of the weights; gradients of
 * weights are summed in that form, and brought back once. `n` images; in (n, conv->in.size), out (n, conv->out.size).
 */
struct conv_method {
    const char *name;
    bool (*fits)(const struct conv *conv);
    size_t (*weights)(const struct conv *conv); /* floats, the same for both directions */
    size_t (*scratch)(const struct conv *conv);

    /* From w (out channels, in channels, kernel, kernel). `back`: for `backward`. */
    void (*pack)(float *packed, const float *w, const struct conv *conv, bool back);
    /* out = bias + w * in; bias (16 out.blocks) or NULL. squares (n, 16 out.blocks) gets the sums over pixels of out^2,
     * unless NULL. */
    void (*forward)(float *out, float *squares, const float *in, const float *packed, const float *bias,
                    const struct conv *conv, size_t n, const struct work *work);
    /* d_in = (or, if `add`, +=) the gradient in `in` from that in `out`, d_out, whose frame must be what
     * kelvin_conv_back_frame says. */
    void (*backward)(float *d_in, const float *d_out, const float *packed, const struct conv *conv, size_t n, bool add,
                     const struct work *work);
    /* d_packed = (or, if `add`, +=) the gradient in the weights. */
    void (*gradient)(float *d_packed, const float *in, const float *d_out, const struct conv *conv, size_t n, bool add,
                     const struct work *work);
    /* Both of them, where the gradient in `out` is dx of `slope`; NULL where that shares no work. Of conv->out only the
     * size counts. */
    void (*both)(float *d_in, bool add_in, float *d_packed, bool add_packed, const float *in,
                 const struct frn_slope *slope, const float *packed, const struct conv *conv, size_t n,
                 const struct work *work);
    /* w (out channels, in channels, kernel, kernel) = what was summed up in d_packed. */
    void (*unpack)(float *w, const float *d_packed, const struct conv *conv);
};

/* Filter response normalisation and ReLU of one layer: a = max(gamma r x + beta, tau, 0) with
 * r = 1 / sqrt(mean over pixels of x^2 + 1e-6), per image and channel. Vectors of 16 x blocks. */
struct frn {
    const float *gamma, *beta, *tau;
};

/* What is summed up on the way back, vectors of 16 x blocks: gradients of the FRN and of the bias before it. */
struct frn_gradient {
    float *gamma, *beta, *tau, *bias;
};

struct kelvin_kernels {
    kelvin_isa isa;
    bool fma;

    /* y += a x */
    void (*axpy)(float *y, float a, const float *x, size_t n);
    /* v += e g; theta += h v */
    void (*kick_drift)(float *theta, float *v, const float *g, float e, float h, size_t n);

    /* y_i *= x_i */
    void (*multiply)(float *y, const float *x, size_t n);
    /* y_i += a (x_i by_i) */
    void (*axpy_by)(float *y, float a, const float *x, const float *by, size_t n);

    /* The same with a, e and h of eight lanes: element i has that of lane i % 8. */
    void (*lanes_axpy)(float *y, const float *a, const float *x, size_t n);
    void (*lanes_kick_drift)(float *theta, float *v, const float *g, const float *e, const float *h, size_t n);
    void (*lanes_axpy_by)(float *y, const float *a, const float *x, const float *by, size_t n);
    /* g = axpy of theta with pull, then lanes_kick_drift, in one pass; g stays as it is. */
    void (*lanes_push)(float *theta, float *v, const float *g, float pull, const float *e, const float *h, size_t n);

    /* sum_i a_i b_i: products and sums in double; the same bits on every machine. */
    double (*dot)(const float *a, const float *b, size_t n);
    /* The same, ab, and that of b with itself, bb, unless NULL. */
    void (*dots)(double *ab, double *bb, const float *a, const float *b, size_t n);

    /* kelvin_random_bits(where, first + 0 .. KELVIN_BITS - 1); first is a multiple of that. */
    kelvin_bits *random_bits;

    /* Standard normals number 0 .. n-1: kelvin_normal() in float. */
    void (*normals)(float *out, size_t n, kelvin_random where);

    /* l = logsoftmax(z), p = exp(l), q = 1 - p without cancellation; arrays (K, lanes), all of them: KELVIN_BLOCK,
     * or several times that. */
    void (*softmax)(float *l, float *p, float *q, const float *z, size_t K, size_t lanes);
    /* dz_k = g_k q_k - p_k sum_{j != k} g_j: from the gradient g in l to that in z. */
    void (*softmax_backward)(float *dz, const float *g, const float *p, const float *q, size_t K, size_t lanes);

    /* The same from l_label in one pass: value (lanes) = l_label unless NULL, dz is set; label (lanes), -1 where there
     * is no observation, and dz is 0 there. And what `outputs` says of a single block, unless NULL. */
    void (*categorical)(float *dz, float *value, struct outputs *out, const float *z, const int32_t *label, size_t K,
                        size_t lanes);

    /* z: logits (K, KELVIN_BLOCK), all lanes. */
    void (*outputs)(struct outputs *out, const float *z, size_t K);

    /* p = softmax(z) of z (n, classes), n <= KELVIN_TILE; log_sum = log sum_k exp z_k; the entropy of p. Lanes beyond
     * n are the last one again. p is 0 where it would be below exp(-708). */
    void (*softmax_double)(double *p, double *log_sum, double *entropy, const float *z, size_t n, size_t classes);
    /* sum += row which_0 of rows (, row), then row which_1, ...; row is a multiple of KELVIN_TILE. */
    void (*add_rows)(double *sum, const double *rows, const uint32_t *which, size_t count, size_t row);
    /* Of p = sum / m, with labels as doubles. */
    void (*appraise)(struct appraisal *out, const double *sum, size_t m, const double *label, size_t classes);

    /* n dense layers on one block: from act[0], the inputs, to act[n], the logits. theta holds w (n_out, n_in) and then
     * b (n_out) of each layer in turn. */
    void (*mlp_forward)(const struct dense *layers, size_t n, struct panel_shape shape, const struct panel *act,
                        const float *theta);
    /* From slope[n], the gradient in the logits, which is 0 beyond the last observation, to that in the sums of each
     * layer before, slope[l] = (w' slope[l + 1]) act'(act[l]), and to grad, laid out as theta, which is set or added
     * to. The unit of act[l] after its last one must be 1, for all l < n. */
    void (*mlp_backward)(const struct dense *layers, size_t n, struct panel_shape shape, const struct panel *slope,
                         const struct panel *act, float *grad, const float *theta, bool add);

    /* The same layers of several chains at once. */
    const struct chains_method *chains_4, *chains_8;

    /* ---- rows of a table, where lanes are units: row = kelvin_row(units) of them, those beyond the last 0 ---- */

    /* y (rows, row) = max(s, leak s), s = b + sum_i x_i w_i; w (1 + n, row), the first of them b. */
    void (*rows_forward)(float *y, const float *const *x, const float *w, size_t n, size_t units, float leak,
                         size_t rows);
    /* z (classes, KELVIN_BLOCK) = b + w h, of rows <= KELVIN_BLOCK; w (classes, row), h (rows, row). */
    void (*rows_logits)(float *z, const float *h, const float *w, const float *b, size_t classes, size_t units,
                        size_t rows);
    /* d (rows, row) = (sum_k a_k w_k) act'(h); w (n, row), a row of a has n numbers. */
    void (*rows_backward)(float *d, const float *h, const float *const *a, const float *w, size_t n, size_t units,
                          float leak, size_t rows);
    /* Back through the last layer, rows <= KELVIN_BLOCK: d as above from dz (classes, KELVIN_BLOCK), whose lanes from
     * `rows` on are 0; g (classes, row) = or += the sum over rows of dz_k h; bias (classes, 8) = or += lanes of the
     * sum of dz_k. */
    void (*rows_end)(float *d, float *g, float *bias, const float *dz, size_t classes, const float *h, const float *w,
                     size_t units, float leak, size_t rows, bool add);
    /* g (1 + n, row) = or += the sum over rows of d, and of x_i d; d (rows, row). */
    void (*rows_gradient)(float *g, const float *const *x, size_t n, const float *d, size_t units, size_t rows,
                          bool add);
    /* to (columns, to_row) = scale times from (rows, from_row), turned. */
    void (*turn)(float *to, size_t to_row, const float *from, size_t from_row, size_t rows, size_t columns,
                 float scale);

    /* n observations x (n, inputs) as a panel without a rest, (inputs, 8 wide); zeros beyond the last one. */
    void (*panel_pack)(float *panel, const float *x, size_t n, size_t inputs, size_t wide);

    /* A convolution on panels without a rest whose units are (channels, height, width): of maps.h's struct conv, only
     * these, kernel, stride and padding count. theta is w (out, in, kernel, kernel) and then b (out). A dense layer is
     * the convolution of one pixel. */
    /* y = max(s, leak s), s = b + w * x */
    void (*panel_conv_forward)(float *y, const float *x, const float *theta, const struct conv *conv, float leak,
                               size_t wide);
    /* dx = (w' * dy) act'(x), from the gradient in the sums of the layer to that in the sums of the one that made x,
     * whose leak is given. */
    void (*panel_conv_backward)(float *dx, const float *dy, const float *x, const float *theta, const struct conv *conv,
                                float leak, size_t wide);
    /* The gradient in theta is set or added to. */
    void (*panel_conv_gradient)(float *grad, const float *dy, const float *x, const struct conv *conv, size_t wide,
                                bool add);

    /* in and out: (channels, height, width). */
    void (*image)(float *out, const uint8_t *in, const struct image *image);

    /* ---- lanes are channels: maps.h ---- */

    struct conv_method direct;                 /* any convolution */
    struct conv_method winograd_2, winograd_4; /* 3x3, stride 1: by tiles of 2x2, of 4x4 */
    struct conv_method winograd_s2;            /* 3x3, stride 2 */

    /* out = a (+ added, unless NULL) for n images. x (n, x_map->size), out (n, out_map->size), added (n,
     * added_map->size); squares: sums over pixels of x^2. r (n, 16 blocks) is kept for the way back. */
    void (*frn_forward)(float *out, const struct map *out_map, float *r, const float *x, const struct map *x_map,
                        const float *squares, const float *added, const struct map *added_map, const struct frn *frn,
                        size_t n);
    /* dx = gradient in x from da, that in a, and adds to the gradients of the parameters. dx and da may be the same
     * memory if their maps are. */
    void (*frn_backward)(float *dx, const struct map *dx_map, const struct frn_gradient *gradient, const float *da,
                         const struct map *da_map, const float *x, const struct map *x_map, const float *r,
                         const struct frn *frn, size_t n);

    /* All of that but dx, for those who make it where they need it: scale and pull (n, 16 blocks) of struct frn_slope.
     */
    void (*frn_slopes)(float *scale, float *pull, const struct frn_gradient *gradient, const float *da,
                       const struct map *da_map, const float *x, const struct map *x_map, const float *r,
                       const struct frn *frn, size_t n);

    /* Means over pixels: out (n, 16 blocks); and back: d_in is set. */
    void (*mean_forward)(float *out, const float *in, const struct map *map, size_t n);
    void (*mean_backward)(float *d_in, const float *d_out, const struct map *map, size_t n);

    /* Planes (n, channels, height, width) into maps; lanes beyond the last channel and frames are left alone. */
    void (*map_from_planes)(float *out, const float *planes, const struct map *map, size_t n);

    /* ---- steps with friction and noise ---- */

    /* v = decay v + kick g + noise xi; theta += drift v; xi: standard normals, kelvin_normal(where, i), none drawn if
     * noise is 0. */
    void (*langevin)(float *theta, float *v, const float *g, size_t n, float decay, float kick, float noise,
                     float drift, kelvin_random where);

    /* Multiply-adds as fast as they go, to know what 100 % is; returns the number of floating-point operations done. */
    double (*fma_peak)(size_t rounds);
};

KELVIN_MUST_CHECK kelvin_status kelvin_kernels_get(const struct kelvin_kernels **kernels);

/* The table for one instruction set; NULL if it was not compiled in. For tests. */
const struct kelvin_kernels *kelvin_kernels_for(kelvin_isa isa);

#endif
