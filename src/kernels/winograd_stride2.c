/* Winograd's minimal filtering of 3x3, stride-2 convolutions, by tiles of 4x4 outputs: 81 products instead of 144.
 * Along an axis the outer taps meet one half of the pixels, as in a convolution of two taps and stride 1, the middle
 * one meets the other half (winograd_stride2.h). With the transforms applied along both axes,
 *
 *     forward    out = A' [ sum over c of (G w G') (B' in B) ] A            per tile, products per value
 *     backward   each phase of d_in = A' [ sum over c of (G w G') (B' d_out B) ] A, the weights turned by half a turn
 *                and their channels exchanged; a phase: the pixels at even or odd places down and across
 *     gradient   dw = G' [ sum over tiles and plain values of (B' in B) (A d_out A') ] G
 *
 * Lanes are channels throughout. Each sum is one chain of multiply-adds in a fixed order. */
#include "kernels/winograd_stride2.h"
#include "kernels/fetch.h"
#include "kernels/local.h"
#include "kernels/product.h"

#define NAMED(function) NAME(winograd_s2_##function)

/* Weights at the points are (blocks, points, channels, 16): floats from one point to the next. */
INLINE size_t weight_step(size_t channels)
{
    return (channels + 1) * LANES;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t blocks_of(size_t channels)
{
    return (channels + LANES - 1) / LANES;
}

/* ---- tiles ---- */

/* The tiles of some images, row by row: those from `first` on that are dealt with now. */
struct part {
    size_t down, across, left, first, n;
};

/* Tiles that cover `height` x `width` pixels of each of n images. */
static struct part part_make(size_t height, size_t width, size_t n)
{
    const size_t down = (height + TILE - 1) / TILE, across = (width + TILE - 1) / TILE;
    return (struct part){.down = down, .across = across, .left = down * across * n};
}

/* The next part, of `most` tiles or a few less, so that the last one is not much smaller than the others; false when
 * there are no more. */
static bool part_next(struct part *part, size_t most)
{
    const size_t parts = (part->left + most - 1) / most;
    part->first += part->n;
    part->n = parts ? (part->left + parts - 1) / parts : 0;
    part->left -= part->n;
    return part->n > 0;
}

struct tile {
    size_t image;
    ptrdiff_t y, x; /* of its first output */
};

static struct tile tile_at(const struct part *part, size_t t)
{
    const size_t number = part->first + t, row = number / part->across;
    const size_t y = row % part->down * TILE, x = number % part->across * TILE;
    return (struct tile){row / part->down, (ptrdiff_t)y, (ptrdiff_t)x};
}

/* size x size pixels of one block from (y, x) on; a copy where neither the image nor its frame has all of them, with
 * zeros for those beyond. */
struct window {
    const float *at;
    size_t row;
    float copy[AXIS * AXIS * LANES];
};

/* Whether a row of `size` pixels is within one of `length` and its frame. */
static bool inside(ptrdiff_t first, size_t size, size_t length, struct frame frame)
{
    return first + (ptrdiff_t)frame.before >= 0 && first + (ptrdiff_t)size <= (ptrdiff_t)(length + frame.after);
}

static void window_copy(struct window *w, const float *block, const struct map *map, ptrdiff_t y, ptrdiff_t x,
                        size_t size)
{
    memset(w->copy, 0, sizeof w->copy);
    w->at = w->copy;
    w->row = size * LANES;
    const struct frame none = {0, 0};
    for (size_t i = 0; i < size * size; i++) {
        const ptrdiff_t from_y = y + (ptrdiff_t)(i / size), from_x = x + (ptrdiff_t)(i % size);
        if (inside(from_y, 1, map->height, none) && inside(from_x, 1, map->width, none))
            memcpy(w->copy + i * LANES, block + map_at(map, 0, (size_t)from_y, (size_t)from_x), LANES * sizeof(float));
    }
}

INLINE void window_open(struct window *w, const float *block, const struct map *map, ptrdiff_t y, ptrdiff_t x,
                        size_t size)
{
    if (inside(y, size, map->height, map->frame) && inside(x, size, map->width, map->frame)) {
        w->at = block + ((ptrdiff_t)map->origin + y * (ptrdiff_t)map->row + x * LANES);
        w->row = map->row;
    } else
        window_copy(w, block, map, y, x, size);
}

/* ---- what becomes of finished tiles ---- */

struct finish {
    float *out;
    const struct map *map;
    float *squares;    /* (images, 16 blocks), added to; or NULL */
    const float *bias; /* (16 blocks), or NULL */
};

/* The tiles of a part for one block of output channels. */
static void finish_forward(const struct finish *f, const float *m, size_t block, const struct part *part)
{
    const struct map *map = f->map;
    for (size_t t = 0; t < part->n; t++) {
        const struct tile tile = tile_at(part, t);
        const size_t y = (size_t)tile.y, x = (size_t)tile.x;
        const int rows = (int)smaller(TILE, map->height - y), columns = (int)smaller(TILE, map->width - x);
        float *at = f->out + tile.image * map->size + map_at(map, block * LANES, y, x);
        float *squares = f->squares ? f->squares + (tile.image * map->blocks + block) * LANES : NULL;
        for (size_t c = 0; c < LANES; c += WIDE) {
            const wide bias = f->bias ? wide_load(f->bias + block * LANES + c) : (wide){0};
            float *sum = squares ? squares + c : NULL;
            if (rows < TILE || columns < TILE)
                put_some(at + c, sum, m + c, t, bias, map->row, rows, columns);
            else
                put_whole(at + c, sum, m + c, t, bias, map->row);
        }
    }
}

static int clamp(ptrdiff_t x)
{
    return x < 0 ? 0 : x > 2 * TILE ? 2 * TILE : (int)x;
}

/* The tiles of a part for one block of input channels. */
static void finish_backward(float *d_in, const struct conv *conv, const float *m, size_t block, const struct part *part,
                            bool add)
{
    const struct map *map = &conv->in;
    for (size_t t = 0; t < part->n; t++) {
        const struct tile tile = tile_at(part, t);
        const ptrdiff_t y = 2 * tile.y - (ptrdiff_t)conv->pad_y, x = 2 * tile.x - (ptrdiff_t)conv->pad_x;
        struct target to = {.row = map->row, .add = add};
        to.first_y = clamp(-y), to.first_x = clamp(-x);
        to.end_y = clamp((ptrdiff_t)map->height - y), to.end_x = clamp((ptrdiff_t)map->width - x);
        const bool whole = to.end_y - to.first_y == 2 * TILE && to.end_x - to.first_x == 2 * TILE;
        for (size_t c = 0; c < LANES; c += WIDE) {
            to.at = d_in + tile.image * map->size +
                    ((ptrdiff_t)(map->origin + block * map->block + c) + y * (ptrdiff_t)map->row + x * LANES);
            (whole ? put_whole_phases : put_some_phases)(&to, m + c, t);
        }
    }
}

/* ---- all tiles of a part ---- */

/* What a pass reads: windows of size x size pixels, TILE * step from one tile to the next, the first from (y, x) on. */
struct reader {
    const struct map *map;
    void (*transform)(float *v, size_t t, const float *in, size_t row);
    size_t size;
    ptrdiff_t step, y, x;
};

/* v (blocks, values) of so many blocks of channels, from the one at `in` on. */
static void part_values(float *v, const float *in, const struct reader *reader, const struct part *part, size_t blocks)
{
    const struct map *map = reader->map;
    struct window window;
    for (size_t t = 0; t < part->n; t++) {
        const struct tile tile = tile_at(part, t);
        for (size_t b = 0; b < blocks; b++) {
            window_open(&window, in + tile.image * map->size + b * map->block, map, reader->step * tile.y + reader->y,
                        reader->step * tile.x + reader->x, reader->size);
            for (size_t c = 0; c < LANES; c += WIDE)
                reader->transform(v + b * BLOCK_VALUES + c, t, window.at + c, window.row);
        }
    }
}

/* On the way forward, and for gradients of weights. */
static struct reader reader_of_in(const struct conv *conv)
{
    return (struct reader){&conv->in, values_of_in, AXIS, 2, -(ptrdiff_t)conv->pad_y, -(ptrdiff_t)conv->pad_x};
}

/* On the way back: from the output before a tile's first on. */
static struct reader reader_of_out(const struct conv *conv)
{
    return (struct reader){&conv->out, values_of_out, REAL, 1, -1, -1};
}

/* For gradients of weights. */
static struct reader reader_of_out_back(const struct conv *conv)
{
    return (struct reader){&conv->out, values_of_out_back, TILE, 1, 0, 0};
}

static size_t channels_of(size_t channels, size_t block)
{
    return smaller(LANES, channels - block * LANES);
}

/* m (rows, 16) = v (blocks, rows, 16) times u (channels, 16): some rows at one point, one block of channels of m */
INLINE void multiply_rows(float *m, const float *v, const float *u, int rows, size_t channels)
{
    wide sum[PRODUCT_ROWS][PRODUCT_VECTORS] = {{{0}}};
    for (size_t b = 0; b < blocks_of(channels); b++)
        product_add(sum, rows, 1,
                    &(struct product){.a = v + b * BLOCK_VALUES,
                                      .b = u + b * LANES * LANES,
                                      .n = channels_of(channels, b),
                                      .step_a = 1,
                                      .row_a = LANES,
                                      .step_b = LANES});
    product_store(m, sum, rows, 1, 0);
}

/* Point by point: the weights of one point, which may come from far away, are used for all tiles at once. */
static void multiply(float *m, const float *v, const float *u, size_t tiles, size_t channels, struct fetch *fetch)
{
    for (size_t p = 0; p < ALL_POINTS; p++, u += weight_step(channels)) {
        const size_t from = point_at(p), all = tiles * rows_at(p);
        fetch_some(fetch);
        for (size_t r = 0, rows; r < all; r += rows) {
            rows = product_rows(all - r);
#define CALL(constant) multiply_rows(m + from + r * LANES, v + from + r * LANES, u, constant, channels)
            WITH_CONSTANT_ROWS(rows, CALL)
#undef CALL
        }
    }
}

/* How often a point of a part is dealt with, at most so many tiles at a time. */
static size_t turns(const struct part *part, size_t most, size_t blocks)
{
    return (part->left + most - 1) / most * blocks * ALL_POINTS;
}

/* ---- the method ---- */

bool NAMED(fits)(const struct conv *conv)
{
    return conv->kernel == 3 && conv->stride == 2;
}

size_t NAMED(weights)(const struct conv *conv)
{
    const size_t in = conv->in.channels, out = conv->out.channels;
    return ALL_POINTS * larger(blocks_of(out) * weight_step(in), blocks_of(in) * weight_step(out));
}

size_t NAMED(scratch)(const struct conv *conv)
{
    return (larger(conv->in.blocks, conv->out.blocks) + 1) * BLOCK_VALUES;
}

void NAMED(forward)(float *out, float *squares, const float *in, const float *packed, const float *bias,
                    const struct conv *conv, size_t n, const struct work *work)
{
    const struct finish finish = {.out = out, .map = &conv->out, .squares = squares, .bias = bias};
    float *v = work->scratch, *m = v + conv->in.blocks * BLOCK_VALUES;
    if (squares) memset(squares, 0, n * conv->out.blocks * LANES * sizeof *squares);
    const struct reader reader = reader_of_in(conv);
    struct part part = part_make(conv->out.height, conv->out.width, n);
    struct fetch fetch = fetch_make(work, turns(&part, FORWARD_TILES, conv->out.blocks));
    while (part_next(&part, FORWARD_TILES)) {
        part_values(v, in, &reader, &part, conv->in.blocks);
        for (size_t block = 0; block < conv->out.blocks; block++) {
            multiply(m, v, packed + block * ALL_POINTS * weight_step(conv->in.channels), part.n, conv->in.channels,
                     &fetch);
            finish_forward(&finish, m, block, &part);
        }
    }
}

void NAMED(backward)(float *d_in, const float *d_out, const float *packed, const struct conv *conv, size_t n, bool add,
                     const struct work *work)
{
    float *v = work->scratch, *m = v + conv->out.blocks * BLOCK_VALUES;
    const struct reader reader = reader_of_out(conv);
    struct part part = part_make((conv->in.height + conv->pad_y + 1) / 2, (conv->in.width + conv->pad_x + 1) / 2, n);
    struct fetch fetch = fetch_make(work, turns(&part, FORWARD_TILES, conv->in.blocks));
    while (part_next(&part, FORWARD_TILES)) {
        part_values(v, d_out, &reader, &part, conv->out.blocks);
        for (size_t block = 0; block < conv->in.blocks; block++) {
            multiply(m, v, packed + block * ALL_POINTS * weight_step(conv->out.channels), part.n, conv->out.channels,
                     &fetch);
            finish_backward(d_in, conv, m, block, &part, add);
        }
    }
}

/* d (channels, 16) = (or, if `add`, +=) sum over rows of v (rows, 16) times g (rows, 16), for some channels */
INLINE void add_channels(float *d, const float *v, const float *g, size_t rows, int channels, bool add)
{
    wide sum[PRODUCT_ROWS][PRODUCT_VECTORS] = {{{0}}};
    if (add) product_load(sum, d, channels, 1, 0);
    product_add(sum, channels, 1,
                &(struct product){.a = v, .b = g, .n = rows, .step_a = LANES, .row_a = 1, .step_b = LANES});
    product_store(d, sum, channels, 1, 0);
}

/* d (points, channels, 16) from v (blocks, values) and g (values), one block of channels of d_out. */
static void add_products(float *d, const float *v, const float *g, size_t tiles, size_t channels, bool add,
                         struct fetch *fetch)
{
    for (size_t p = 0; p < ALL_POINTS; p++, d += weight_step(channels)) {
        const size_t from = point_at(p), all = tiles * rows_at(p);
        fetch_some(fetch);
        for (size_t c = 0, some; c < channels; c += some) {
            const float *block = v + c / LANES * BLOCK_VALUES + from;
            some = product_rows(smaller(LANES - c % LANES, channels - c));
#define CALL(constant) add_channels(d + c * LANES, block + c % LANES, g + from, all, constant, add)
            WITH_CONSTANT_ROWS(some, CALL)
#undef CALL
        }
    }
}

void NAMED(gradient)(float *d_packed, const float *in, const float *d_out, const struct conv *conv, size_t n, bool add,
                     const struct work *work)
{
    float *v = work->scratch, *g = v + conv->in.blocks * BLOCK_VALUES;
    const struct reader of_in = reader_of_in(conv), of_out = reader_of_out_back(conv);
    struct part part = part_make(conv->out.height, conv->out.width, n);
    struct fetch fetch = fetch_make(work, turns(&part, TILES, conv->out.blocks));
    while (part_next(&part, TILES)) {
        part_values(v, in, &of_in, &part, conv->in.blocks);
        for (size_t block = 0; block < conv->out.blocks; block++) {
            float *d = d_packed + block * ALL_POINTS * weight_step(conv->in.channels);
            part_values(g, d_out + block * conv->out.block, &of_out, &part, 1);
            add_products(d, v, g, part.n, conv->in.channels, add, &fetch);
        }
        add = true;
    }
}

enum { TURNED = true }; /* the way back is a convolution, too */
#include "kernels/winograd_weights.h"
