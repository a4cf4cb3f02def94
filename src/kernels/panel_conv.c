/* Convolutions where lanes are observations: forward, and backward to their inputs.
 *
 *     y = act(w * x + b)      dx = (w' * dy) act'(x)
 *
 * An activation is (channels, height, width) rows of one, two or three vectors of observations. Taps that fall beside
 * the image are never looked at. Both directions are one routine: a nest of three loops adds to a tile of outputs in
 * registers, some channels of one pixel. Every element of y and dx is one chain of multiply-adds in a fixed order,
 * whatever the tile: so the bits do not depend on the instruction set. */
#include "kernels/local.h"
#include "kernels/panel_taps.h"

/* Three loops, the outermost first, each of at least one round; each moves on in x and in w by so many floats. */
struct nest {
    const float *x, *w;
    size_t next; /* floats of w from one row of the tile to the next */
    struct {
        size_t n;
        ptrdiff_t x, w;
    } loop[3];
};

/* sum[j] += w[j] x, over the nest. The arguments in capitals are constants in each copy of this code. */
INLINE void add_nest(int J, int W, v8 sum[][3], const struct nest *nest)
{
    const size_t next = nest->next;
    const ptrdiff_t step_x = nest->loop[2].x, step_w = nest->loop[2].w;
    const float *x_0 = nest->x, *w_0 = nest->w;
    size_t n_0 = nest->loop[0].n;
    do {
        const float *x_1 = x_0, *w_1 = w_0;
        size_t n_1 = nest->loop[1].n;
        do {
            const float *x = x_1, *w = w_1;
            size_t n = nest->loop[2].n;
            do {
                v8 in[3];
                UNROLLED(v, W) in[v] = v8_load(x + 8 * v);
                UNROLLED(j, J) {
                    const v8 a = v8_set(w[(size_t)j * next]);
                    UNROLLED(v, W) sum[j][v] = v8_fma(a, in[v], sum[j][v]);
                }
                x += step_x;
                w += step_w;
            } while (--n);
            x_1 += nest->loop[1].x;
            w_1 += nest->loop[1].w;
        } while (--n_1);
        x_0 += nest->loop[0].x;
        w_0 += nest->loop[0].w;
    } while (--n_0);
}

/* What is done to a finished sum s. Forward: max(s, leak s). Backward: s or leak s, by the sign of the activation. */
INLINE v8 finished(v8 s, v8 leak, const float *act)
{
    return act ? v8_select(v8_gt(v8_load(act), v8_set(0.0f)), s, v8_mul(leak, s)) : v8_max(v8_mul(leak, s), s);
}

/* All channels of one pixel of y: from b (forward) or zeros (backward), the sum over the nest. */
struct pixel {
    float *y;
    const float *b, *act; /* act, backward only, goes with y */
    size_t channel;       /* floats of y from one channel to the next */
    float leak;
    struct nest nest;
};

INLINE void tile(int J, int W, const struct pixel *p)
{
    v8 sum[8][3];
    UNROLLED(j, J)
        UNROLLED(v, W) sum[j][v] = v8_set(p->b[j]);
    add_nest(J, W, sum, &p->nest);
    const v8 leak = v8_set(p->leak);
    UNROLLED(j, J)
        UNROLLED(v, W) {
            const size_t at = (size_t)j * p->channel + 8 * (size_t)v;
            v8_store(p->y + at, finished(sum[j][v], leak, p->act ? p->act + at : NULL));
        }
}

typedef void tile_copy(const struct pixel *p);
#define COPY_TILE(W, J)                                                                                                \
    static void tile_##W##J(const struct pixel *p)                                                                     \
    {                                                                                                                  \
        tile(J, W, p);                                                                                                 \
    }
#define COPY_TILES_4(W) COPY_TILE(W, 1) COPY_TILE(W, 2) COPY_TILE(W, 3) COPY_TILE(W, 4)
COPY_TILES_4(1)
COPY_TILES_4(2)
COPY_TILES_4(3)
COPY_TILE(1, 5)
COPY_TILE(1, 6)
COPY_TILE(1, 7)
COPY_TILE(1, 8)
COPY_TILE(2, 5)
COPY_TILE(2, 6)

/* By vectors and channels; as many channels as there are registers for. */
static const size_t most_channels[4] = {0, 8, 6, 4};
static tile_copy *const tiles[4][9] = {{NULL},
                                       {NULL, tile_11, tile_12, tile_13, tile_14, tile_15, tile_16, tile_17, tile_18},
                                       {NULL, tile_21, tile_22, tile_23, tile_24, tile_25, tile_26},
                                       {NULL, tile_31, tile_32, tile_33, tile_34}};

/* Moves p along the channels. */
INLINE void run_pixel(struct pixel *p, const struct tiling *tiling, size_t wide)
{
    for (size_t i = 0; i < tiling->n; i++) {
        const size_t J = tile_size(tiling, i);
        tiles[wide][J](p);
        p->y += J * p->channel;
        p->nest.w += J * p->nest.next;
        if (p->act)
            p->act += J * p->channel;
        else
            p->b += J;
    }
}

void NAME(panel_conv_forward)(float *y, const float *x, const float *theta, const struct conv *conv, float leak,
                              size_t wide)
{
    const struct map *in = &conv->in, *out = &conv->out;
    const size_t row = 8 * wide, k = conv->kernel, row_w = in->channels * k * k;
    const struct tiling tiling = tiling_of(out->channels, most_channels[wide]);
    struct pixel p = {.channel = out->height * out->width * row,
                      .leak = leak,
                      .nest = {.next = row_w,
                               .loop = {{in->channels, (ptrdiff_t)(in->height * in->width * row), (ptrdiff_t)(k * k)},
                                        {0, (ptrdiff_t)(in->width * row), (ptrdiff_t)k},
                                        {0, (ptrdiff_t)row, 1}}}};
    for (size_t qy = 0; qy < out->height; qy++) {
        const struct range down = taps_of(qy, conv->pad_y, in->height, conv);
        for (size_t qx = 0; qx < out->width; qx++) {
            const struct range right = taps_of(qx, conv->pad_x, in->width, conv);
            const size_t py = qy * conv->stride + down.from - conv->pad_y;
            const size_t px = qx * conv->stride + right.from - conv->pad_x;
            p.y = y + (qy * out->width + qx) * row;
            p.b = theta + out->channels * row_w;
            p.nest.x = x + (py * in->width + px) * row;
            p.nest.w = theta + down.from * k + right.from;
            p.nest.loop[1].n = down.to - down.from;
            p.nest.loop[2].n = right.to - right.from;
            run_pixel(&p, &tiling, wide);
        }
    }
}

/* Pixels that no output looks at. */
static void clear_pixel(float *y, size_t channels, size_t channel, size_t row)
{
    for (size_t c = 0; c < channels; c++) memset(y + c * channel, 0, row * sizeof *y);
}

void NAME(panel_conv_backward)(float *dx, const float *dy, const float *x, const float *theta, const struct conv *conv,
                               float leak, size_t wide)
{
    const struct map *in = &conv->in, *out = &conv->out;
    const size_t row = 8 * wide, k = conv->kernel, s = conv->stride;
    const struct tiling tiling = tiling_of(in->channels, most_channels[wide]);
    static const float zeros[8];
    struct pixel p = {.b = zeros,
                      .channel = in->height * in->width * row,
                      .leak = leak,
                      .nest = {.next = k * k,
                               .loop = {{0, (ptrdiff_t)(out->width * row), -(ptrdiff_t)(s * k)},
                                        {0, (ptrdiff_t)row, -(ptrdiff_t)s},
                                        {out->channels, (ptrdiff_t)(out->height * out->width * row),
                                         (ptrdiff_t)(in->channels * k * k)}}}};
    for (size_t py = 0; py < in->height; py++) {
        const struct range down = outputs_of(py, conv->pad_y, out->height, conv);
        for (size_t px = 0; px < in->width; px++) {
            const struct range right = outputs_of(px, conv->pad_x, out->width, conv);
            const size_t at = (py * in->width + px) * row;
            p.y = dx + at;
            p.act = x + at;
            if (down.from == down.to || right.from == right.to) {
                clear_pixel(p.y, in->channels, p.channel, row);
                continue;
            }
            p.nest.x = dy + (down.from * out->width + right.from) * row;
            p.nest.w = theta + (py + conv->pad_y - down.from * s) * k + px + conv->pad_x - right.from * s;
            p.nest.loop[0].n = down.to - down.from;
            p.nest.loop[1].n = right.to - right.from;
            run_pixel(&p, &tiling, wide);
        }
    }
}
