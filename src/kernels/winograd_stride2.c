/* Winograd's minimal filtering of 3x3 convolutions of stride 2, by tiles of 4x4 outputs: 81 products instead of 144.
 *
 * Along one axis a tile reads nine pixels. The first and the last tap meet the even ones of them, 0, 2 .. 8: two taps
 * at neighbours, as in a convolution of stride 1, which takes a product at each of five points instead of eight. The
 * middle tap meets the odd ones, 1, 3, 5, 7: a product each, plainly. So there are nine values per axis, five at points
 * and four plain ones, which share one weight:
 *
 *     forward    out = A' [ sum over c of (G w G') (B' in B) ] A        per tile, products per value
 *     gradient   dw = G' [ sum over tiles, plain values, of (B' in B) (A dout A') ] G
 *
 * Back to the data it is the same products: 4x4 pixels of each phase of `in` hear from 5x5 of `out`. Even pixels hear
 * through the first and the last tap from two neighbours, odd ones through the middle tap from one:
 *
 *     backward   each phase of d_in = A' [ sum over c of (G w G') (B' dout B) ] A, weights turned by half a turn
 *
 * Points: 0, +-7/8, +-7/4. Of the sets that are their own mirror image, which cost least, these lose the fewest digits;
 * 0, +-1, 2, infinity lose three times as many. The factors that make the transforms fit each other are all in the
 * weights'. Lanes are channels throughout. Each sum is one chain of multiply-adds in a fixed order. */
#include "kernels/fetch.h"
#include "kernels/local.h"
#include "kernels/product.h"

#define NAMED(function) NAME(winograd_s2_##function)

enum {
    LANES = KELVIN_LANES,
    TILE = 4,
    REAL = TILE + 1,   /* points of a transform */
    AXIS = REAL + TILE, /* values per axis, and pixels that a tile reads */
    POINTS = REAL + 1, /* weights per axis: the last one belongs to the plain values */
    ALL_POINTS = POINTS * POINTS,
    TILES = 32, /* at a time, at most */
    FORWARD_TILES = 16,
};

/* ---- one axis ---- */

static const float point_a = 0.875f, point_b = 1.75f;

/* d times the polynomials that vanish at all points but one, (x^2 - a^2) (x^2 - b^2) and so on */
INLINE void to_points(wide v[REAL], const wide d[REAL])
{
    const wide aa = wide_set(-point_a * point_a), bb = wide_set(-point_b * point_b);
    const wide even_a = wide_fma(bb, d[2], d[4]), by_a = wide_set(point_a) * wide_fma(bb, d[1], d[3]);
    const wide even_b = wide_fma(aa, d[2], d[4]), by_b = wide_set(point_b) * wide_fma(aa, d[1], d[3]);
    v[0] = wide_fma(aa * bb, d[0], wide_fma(aa, d[2], even_a));
    v[1] = even_a + by_a;
    v[2] = even_a - by_a;
    v[3] = even_b + by_b;
    v[4] = even_b - by_b;
}

/* y[j] = sum over points of point^j m */
INLINE void from_points(wide y[TILE], const wide m[REAL])
{
    const wide a = wide_set(point_a), b = wide_set(point_b);
    const wide sum_a = m[1] + m[2], sum_b = m[3] + m[4];
    const wide odd_a = a * (m[1] - m[2]), odd_b = b * (m[3] - m[4]);
    y[0] = m[0] + (sum_a + sum_b);
    y[1] = odd_a + odd_b;
    y[2] = wide_fma(b * b, sum_b, a * a * sum_a);
    y[3] = wide_fma(b * b, odd_b, a * a * odd_a);
}

INLINE void to_points_back(wide m[REAL], const wide y[TILE])
{
    const wide a = wide_set(point_a), b = wide_set(point_b);
    const wide even_a = wide_fma(a * a, y[2], y[0]), by_a = a * wide_fma(a * a, y[3], y[1]);
    const wide even_b = wide_fma(b * b, y[2], y[0]), by_b = b * wide_fma(b * b, y[3], y[1]);
    m[0] = y[0];
    m[1] = even_a + by_a;
    m[2] = even_a - by_a;
    m[3] = even_b + by_b;
    m[4] = even_b - by_b;
}

/* The polynomial of the outer taps at each point, over the product of the distances to the other points; the middle
 * tap. */
static const float at_0 = 1 / (0.875f * 0.875f * 1.75f * 1.75f), at_a = 0.5f / (0.875f * 0.875f) / (-3 * 0.875f * 0.875f),
                   at_b = 0.5f / (1.75f * 1.75f) / (3 * 0.875f * 0.875f);

INLINE void weight_points(wide u[POINTS], const wide g[3])
{
    const wide even_a = wide_set(at_a) * g[0], even_b = wide_set(at_b) * g[0];
    const wide odd_a = wide_set(at_a * point_a) * g[2], odd_b = wide_set(at_b * point_b) * g[2];
    u[0] = wide_set(at_0) * g[0];
    u[1] = even_a + odd_a;
    u[2] = even_a - odd_a;
    u[3] = even_b + odd_b;
    u[4] = even_b - odd_b;
    u[5] = g[1];
}

INLINE void weight_back(wide g[3], const wide u[POINTS])
{
    const wide even = wide_fma(wide_set(at_a), u[1] + u[2], wide_set(at_b) * (u[3] + u[4]));
    g[0] = wide_fma(wide_set(at_0), u[0], even);
    g[1] = u[5];
    g[2] = wide_fma(wide_set(at_a * point_a), u[1] - u[2], wide_set(at_b * point_b) * (u[3] - u[4]));
}

/* ---- where values are ---- */

/* Values of tiles are (blocks, points, tiles, plain values down, across, 16). How many rows of 16 a tile has at a
 * point, one for each pair of plain values: */
INLINE size_t rows_at(size_t point)
{
    return (point / POINTS < REAL ? 1u : TILE) * (point % POINTS < REAL ? 1u : TILE);
}

/* Where the values at a point begin: one line more than they fill after the last, or all points would fall into one set
 * of the cache. */
INLINE size_t point_at(size_t point)
{
    const size_t down = point / POINTS, across = point % POINTS;
    return ((AXIS * down + (down < REAL ? 1 : TILE) * across) * TILES + point) * LANES;
}

enum { BLOCK_VALUES = (AXIS * AXIS * TILES + ALL_POINTS) * LANES };

/* Value (y, x) of AXIS x AXIS of tile t. */
INLINE size_t value_at(size_t t, size_t y, size_t x)
{
    const size_t down = y < REAL ? y : REAL, across = x < REAL ? x : REAL, point = down * POINTS + across;
    return point_at(point) + (t * rows_at(point) + (y - down) * (across < REAL ? 1 : TILE) + (x - across)) * LANES;
}

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
    ptrdiff_t y, x; /* of its first pixel */
};

static struct tile tile_at(const struct part *part, size_t t)
{
    const size_t number = part->first + t, row = number / part->across;
    return (struct tile){row / part->down, (ptrdiff_t)(row % part->down * TILE), (ptrdiff_t)(number % part->across * TILE)};
}

/* size x size pixels of one block from (y, x) on, zeros where there is neither image nor frame. */
struct window {
    const float *at;
    size_t row;
    float copy[AXIS * AXIS * LANES];
};

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
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++) {
            const ptrdiff_t from_y = y + (ptrdiff_t)i, from_x = x + (ptrdiff_t)j;
            if (!inside(from_y, 1, map->height, (struct frame){0}) || !inside(from_x, 1, map->width, (struct frame){0}))
                continue;
            memcpy(w->copy + i * w->row + j * LANES, block + map_at(map, 0, (size_t)from_y, (size_t)from_x),
                   LANES * sizeof(float));
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

/* ---- transforms of single tiles: one vector of channels ---- */

/* Not inlined into the loops over tiles: there the compiler would keep the addresses of all 81 values on the stack, which
 * takes longer than the transform; in a function of its own they are distances from the first of them. */
#define APART static __attribute__((noinline))

/* Along y, from column x of `half`, to the values of column `to`. */
#define ALONG_Y(transform, n, v, t, half, x, to)                                                                       \
    {                                                                                                                  \
        wide d[n], p[REAL];                                                                                            \
        UNROLLED(y, n) d[y] = half[y][x];                                                                              \
        transform(p, d);                                                                                               \
        UNROLLED(y, REAL) wide_store((v) + value_at(t, (size_t)y, (size_t)(to)), p[y]);                                \
    }

/* Even pixels are `step` pixels apart, odd ones are the neighbours of even ones. */
INLINE void to_values(float *v, size_t t, const float *in, size_t row, size_t step)
{
    wide even[REAL][REAL], odd[REAL][TILE];
    UNROLLED(y, REAL) {
        const float *at = in + (size_t)y * step * row;
        wide d[REAL];
        UNROLLED(x, REAL) d[x] = wide_load(at + (size_t)x * step * LANES);
        to_points(even[y], d);
        UNROLLED(x, TILE) odd[y][x] = wide_load(at + ((size_t)x * step + 1) * LANES);
    }
    UNROLLED(x, REAL) ALONG_Y(to_points, REAL, v, t, even, x, x)
    UNROLLED(x, TILE) ALONG_Y(to_points, REAL, v, t, odd, x, REAL + x)
    UNROLLED(y, TILE) {
        const float *at = in + ((size_t)y * step + 1) * row;
        wide d[REAL], p[REAL];
        UNROLLED(x, REAL) d[x] = wide_load(at + (size_t)x * step * LANES);
        to_points(p, d);
        UNROLLED(x, REAL) wide_store(v + value_at(t, (size_t)(REAL + y), (size_t)x), p[x]);
        UNROLLED(x, TILE)
            wide_store(v + value_at(t, (size_t)(REAL + y), (size_t)(REAL + x)),
                       wide_load(at + ((size_t)x * step + 1) * LANES));
    }
}

APART void values_of_in(float *v, size_t t, const float *in, size_t row)
{
    to_values(v, t, in, row, 2);
}

APART void values_of_out(float *v, size_t t, const float *in, size_t row)
{
    to_values(v, t, in, row, 1);
}

/* The adjoint of the way from values to outputs. */
APART void values_of_out_back(float *v, size_t t, const float *in, size_t row)
{
    wide y_in[TILE][TILE], half[TILE][REAL];
    UNROLLED(y, TILE) {
        UNROLLED(x, TILE) {
            y_in[y][x] = wide_load(in + (size_t)y * row + x * LANES);
            wide_store(v + value_at(t, (size_t)(REAL + y), (size_t)(REAL + x)), y_in[y][x]);
        }
        to_points_back(half[y], y_in[y]);
        UNROLLED(x, REAL) wide_store(v + value_at(t, (size_t)(REAL + y), (size_t)x), half[y][x]);
    }
    UNROLLED(x, REAL) ALONG_Y(to_points_back, TILE, v, t, half, x, x)
    UNROLLED(x, TILE) ALONG_Y(to_points_back, TILE, v, t, y_in, x, REAL + x)
}

/* From values to pixels along y, of column x of the values. */
INLINE void along_y(wide out[TILE], const float *m, size_t t, int x)
{
    wide d[REAL];
    UNROLLED(y, REAL) d[y] = wide_load(m + value_at(t, (size_t)y, (size_t)x));
    from_points(out, d);
}

/* A plain value of column x. */
INLINE wide plain(const float *m, size_t t, int y, int x)
{
    return wide_load(m + value_at(t, (size_t)(REAL + y), (size_t)x));
}

/* ---- what becomes of finished tiles ---- */

struct finish {
    float *out;
    const struct map *map;
    float *squares;    /* (images, 16 blocks), added to; or NULL */
    const float *bias; /* (16 blocks), or NULL */
};

/* A tile of outputs, to which all values add. */
INLINE void put_outputs(float *out, float *squares, const float *m, size_t t, wide bias, size_t row, int rows,
                        int columns)
{
    wide half[AXIS][TILE], sum = (wide){0};
    UNROLLED(x, AXIS) {
        along_y(half[x], m, t, x);
        UNROLLED(y, TILE) half[x][y] += plain(m, t, y, x);
    }
    UNROLLED(y, TILE) {
        wide d[REAL], p[TILE], in_row = (wide){0};
        UNROLLED(x, REAL) d[x] = half[x][y];
        from_points(p, d);
        UNROLLED(x, TILE) {
            if (y >= rows || x >= columns) continue;
            const wide value = p[x] + half[REAL + x][y] + bias;
            wide_store(out + (size_t)y * row + x * LANES, value);
            if (squares) in_row = wide_fma(value, value, in_row);
        }
        sum += in_row;
    }
    if (squares) wide_store(squares, wide_load(squares) + sum);
}

APART void put_whole(float *out, float *squares, const float *m, size_t t, wide bias, size_t row)
{
    put_outputs(out, squares, m, t, bias, row, TILE, TILE);
}

APART void put_some(float *out, float *squares, const float *m, size_t t, wide bias, size_t row, int rows, int columns)
{
    put_outputs(out, squares, m, t, bias, row, rows, columns);
}

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

/* Where the pixels of a tile of d_in go: those from `first` to before `end` of 2 TILE x 2 TILE are there. */
struct target {
    float *at;
    size_t row;
    bool add;
    int first_y, first_x, end_y, end_x;
};

INLINE void put_pixel(const struct target *to, int y, int x, wide value, bool whole)
{
    if (!whole && (y < to->first_y || y >= to->end_y || x < to->first_x || x >= to->end_x)) return;
    float *at = to->at + y * (ptrdiff_t)to->row + x * LANES;
    wide_store(at, to->add ? wide_load(at) + value : value);
}

/* All phases of a tile of d_in. */
INLINE void put_phases(const struct target *to, const float *m, size_t t, bool whole)
{
    wide half[REAL][TILE];
    UNROLLED(x, REAL) along_y(half[x], m, t, x);
    UNROLLED(y, TILE) {
        wide d[REAL], p[TILE];
        UNROLLED(x, REAL) d[x] = half[x][y];
        from_points(p, d);
        UNROLLED(x, TILE) put_pixel(to, 2 * y, 2 * x, p[x], whole);
        UNROLLED(x, REAL) d[x] = plain(m, t, y, x);
        from_points(p, d);
        UNROLLED(x, TILE) put_pixel(to, 2 * y + 1, 2 * x, p[x], whole);
    }
    UNROLLED(x, TILE) {
        wide p[TILE];
        along_y(p, m, t, REAL + x);
        UNROLLED(y, TILE) {
            put_pixel(to, 2 * y, 2 * x + 1, p[y], whole);
            put_pixel(to, 2 * y + 1, 2 * x + 1, plain(m, t, y, REAL + x), whole);
        }
    }
}

APART void put_whole_phases(const struct target *to, const float *m, size_t t)
{
    put_phases(to, m, t, true);
}

APART void put_some_phases(const struct target *to, const float *m, size_t t)
{
    put_phases(to, m, t, false);
}

static int clamp(ptrdiff_t x)
{
    return x < 0 ? 0 : x > 2 * TILE ? 2 * TILE : (int)x;
}

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

/* What a pass reads: windows of size x size pixels, `step` of which are between the first ones of neighbours; the first
 * window begins at (y, x) of the map. */
struct reader {
    const struct map *map;
    void (*transform)(float *v, size_t t, const float *in, size_t row);
    size_t size;
    ptrdiff_t step, y, x;
};

/* v (blocks, values) of so many blocks of channels, from the first on. */
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

/* Of `in`, on the way forward and for gradients of weights. */
static struct reader reader_of_in(const struct conv *conv)
{
    return (struct reader){&conv->in, values_of_in, AXIS, 2, -(ptrdiff_t)conv->pad_y, -(ptrdiff_t)conv->pad_x};
}

/* Of d_out, on the way back: an even pixel hears from the output that its odd neighbour hears from and from the one
 * before. */
static struct reader reader_of_out(const struct conv *conv)
{
    return (struct reader){&conv->out, values_of_out, REAL, 1, -1, -1};
}

/* Of d_out, for gradients of weights. */
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
    wide sum[PRODUCT_ROWS][PER_BLOCK] = {{{0}}};
    for (size_t b = 0; b < blocks_of(channels); b++)
        product_add(sum, rows,
                    (struct product){.a = v + b * BLOCK_VALUES,
                                     .b = u + b * LANES * LANES,
                                     .n = channels_of(channels, b),
                                     .step_a = 1,
                                     .row_a = LANES,
                                     .step_b = LANES});
    product_store(m, sum, rows);
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
    wide sum[PRODUCT_ROWS][PER_BLOCK] = {{{0}}};
    if (add) product_load(sum, d, channels);
    product_add(sum, channels,
                (struct product){.a = v, .b = g, .n = rows, .step_a = LANES, .row_a = 1, .step_b = LANES});
    product_store(d, sum, channels);
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

#include "kernels/winograd_weights.h"
