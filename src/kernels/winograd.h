/* Winograd's minimal filtering of 3x3, stride-1 convolutions, by tiles of TILE x TILE outputs (Lavin & Gray 2016). A
 * file defines TILE, NAMED(function) (the names of its functions) and, for one axis, the transforms
 *
 *     to_points(v, d)      v = B' d     POINTS = TILE + 2 inputs, POINTS values
 *     from_points(y, m)    y = A' m     POINTS values, TILE outputs
 *     to_points_back(m, y) m = A y      its adjoint
 *     points_back(d, v)    d = B v      the adjoint of to_points
 *     weight_points(u, g)  u = G g      3 weights, POINTS values
 *     weight_back(g, u)    g = G' u     its adjoint
 *
 * and includes this one; and which points and rows go together (see below). With all of them applied along both axes,
 *
 *     forward    out = A' [ sum over c of (G w G') (B' in B) ] A        per tile, products per point
 *     backward   d_in = B [ sum over k of (G w G') (A dout A') ] B'      per tile; tiles overlap, and are added up
 *     gradient   dw = G' [ sum over tiles of (B' in B) (A dout A') ] G   summed at the points, brought back once
 *
 * Both ways back share A dout A' (winograd_back.h).
 *
 * Tiles are taken some at a time so that their values at the points stay in L2. Lanes are channels throughout. Each sum
 * is one chain of multiply-adds in a fixed order. */
#include "kernels/fetch.h"
#include "kernels/local.h"
#include "kernels/product.h"

enum {
    POINTS = TILE + 2,
    ALL_POINTS = POINTS * POINTS,
    TILES = 36,         /* at a time, at most, so that their values at the points stay in L2 */
    FORWARD_TILES = 24, /* gradients take more: each of their sums is loaded and stored once in that time */
};

/* One tile: where it begins in the images. */
struct tile {
    size_t image, y, x;
};

/* What the loops over tiles work on. */
struct part {
    size_t n;
    struct tile tile[TILES];
};

/* The tiles of all images, row by row, part by part. */
struct walk {
    size_t height, width, left;
    struct tile next;
};

static struct walk walk_make(const struct map *out, size_t images)
{
    const size_t rows = (out->height + TILE - 1) / TILE, columns = (out->width + TILE - 1) / TILE;
    return (struct walk){.height = out->height, .width = out->width, .left = rows * columns * images};
}

static struct tile tile_after(const struct walk *walk, struct tile tile)
{
    tile.x += TILE;
    if (tile.x >= walk->width) tile.x = 0, tile.y += TILE;
    if (tile.y >= walk->height) tile.y = 0, tile.image++;
    return tile;
}

/* The next part, of `most` tiles or a few less, so that the last one is not much smaller than the others; none when
 * there are no more. */
static void walk_on(struct walk *walk, struct part *part, size_t most)
{
    const size_t parts = (walk->left + most - 1) / most;
    part->n = parts ? (walk->left + parts - 1) / parts : 0;
    walk->left -= part->n;
    for (size_t t = 0; t < part->n; t++, walk->next = tile_after(walk, walk->next)) part->tile[t] = walk->next;
}

/* Values at the points are (blocks, points, tiles, 16). Floats from one point to the next: one line more than they
 * fill, or all points would fall into one set of the cache. They are constants: 36 addresses that have to be computed
 * would cost more than a transform. */
enum { STEP = (TILES + 1) * KELVIN_LANES, BLOCK_STEP = ALL_POINTS * STEP };

/* Weights at the points are (blocks, points, channels, 16): floats from one point to the next, for the same reason. */
INLINE size_t weight_step(size_t channels)
{
    return (channels + 1) * KELVIN_LANES;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- transforms of single tiles: one vector of channels ---- */

/* A transform is made for one or two of its columns (or rows) at a time, those that share terms: POINT_GROUPS(DO) calls
 * DO(first, count), ROW_GROUPS and BACK_GROUPS call DO(one, two). What is half done then fits into the registers, and
 * loading some values twice costs less than storing it. The compiler leaves out what no column asks for; it must not
 * load early, or keep, what the next group loads. */
#define APART() __asm__ volatile("" ::: "memory")

/* out[p STEP] = B' in B, for points `first` to `first + count - 1` along x */
INLINE void some_to_points(float *out, const float *in, size_t row, int first, int count)
{
    wide half[2][POINTS];
    UNROLLED(y, POINTS) {
        wide d[POINTS], v[POINTS];
        UNROLLED(x, POINTS) d[x] = wide_load(in + (size_t)y * row + x * KELVIN_LANES);
        to_points(v, d);
        UNROLLED(i, count) half[i][y] = v[first + i];
    }
    UNROLLED(i, count) {
        wide v[POINTS];
        to_points(v, half[i]);
        UNROLLED(y, POINTS) wide_store(out + (y * POINTS + first + i) * STEP, v[y]);
    }
    APART();
}

static NOINLINE void tile_to_points(float *out, const float *in, size_t row)
{
#define TO_POINTS(first, count) some_to_points(out + c, in + c, row, first, count);
    for (size_t c = 0; c < KELVIN_LANES; c += WIDE) { POINT_GROUPS(TO_POINTS) }
#undef TO_POINTS
}

/* Rows `one` and `two` of A' m A, m at m[p STEP] */
INLINE void rows_from_points(wide out[TILE][TILE], const float *m, int one, int two)
{
    wide half[TILE][POINTS];
    UNROLLED(x, POINTS) {
        wide d[POINTS], v[TILE];
        UNROLLED(y, POINTS) d[y] = wide_load(m + (y * POINTS + x) * STEP);
        from_points(v, d);
        half[one][x] = v[one];
        half[two][x] = v[two];
    }
    from_points(out[one], half[one]);
    from_points(out[two], half[two]);
}

/* ---- all tiles of a part ---- */

static void part_to_points(float *v, const float *in, const struct map *map, const struct part *part)
{
    for (size_t t = 0; t < part->n; t++) {
        const struct tile tile = part->tile[t];
        const float *at = in + tile.image * map->size + map_at(map, 0, tile.y, tile.x) - map->row - KELVIN_LANES;
        for (size_t b = 0; b < map->blocks; b++)
            tile_to_points(v + b * BLOCK_STEP + t * KELVIN_LANES, at + b * map->block, map->row);
    }
}

/* What becomes of a finished tile. */
struct finish {
    float *out;
    const struct map *map;
    float *squares;    /* (images, 16 blocks), added to; or NULL */
    const float *bias; /* (16 blocks), or NULL */
};

/* One row of a tile; returns the sum of its squares. */
INLINE wide put_row(float *out, const wide y[TILE], wide bias, int columns)
{
    wide squares = (wide){0};
    UNROLLED(j, TILE) {
        if (j >= columns) continue;
        const wide value = y[j] + bias;
        wide_store(out + j * KELVIN_LANES, value);
        squares = wide_fma(value, value, squares);
    }
    return squares;
}

/* One vector of channels of a finished tile. */
INLINE void put_tile(float *out, float *squares, const float *m, wide bias, size_t row, int rows, int columns)
{
    wide y[TILE][TILE], in_row[TILE] = {{0}}, sum = (wide){0};
#define PUT(i)                                                                                                         \
    if (i < rows) in_row[i] = put_row(out + (i) * row, y[i], bias, columns);
#define PUT_ROWS(one, two)                                                                                             \
    rows_from_points(y, m, one, two);                                                                                  \
    PUT(one) PUT(two) APART();
    ROW_GROUPS(PUT_ROWS)
#undef PUT_ROWS
#undef PUT
    if (!squares) return;
    UNROLLED(i, TILE) sum += in_row[i];
    wide_store(squares, wide_load(squares) + sum);
}

static NOINLINE void put_whole(float *out, float *squares, const float *m, const float *bias, size_t row)
{
    for (size_t c = 0; c < KELVIN_LANES; c += WIDE)
        put_tile(out + c, squares + c, m + c, bias ? wide_load(bias + c) : (wide){0}, row, TILE, TILE);
}

static NOINLINE void put_edge(float *out, float *squares, const float *m, const float *bias, size_t row, int rows,
                              int columns)
{
    for (size_t c = 0; c < KELVIN_LANES; c += WIDE)
        put_tile(out + c, squares ? squares + c : NULL, m + c, bias ? wide_load(bias + c) : (wide){0}, row, rows,
                 columns);
}

/* The tiles of a part for one block of output channels, from m (points, tiles, 16). */
static void part_from_points(const struct finish *f, const float *m, size_t block, const struct part *part)
{
    const struct map *map = f->map;
    for (size_t t = 0; t < part->n; t++) {
        const struct tile tile = part->tile[t];
        const int rows = (int)smaller(TILE, map->height - tile.y), columns = (int)smaller(TILE, map->width - tile.x);
        float *at = f->out + tile.image * map->size + map_at(map, block * KELVIN_LANES, tile.y, tile.x);
        float *squares = f->squares ? f->squares + (tile.image * map->blocks + block) * KELVIN_LANES : NULL;
        const float *bias = f->bias ? f->bias + block * KELVIN_LANES : NULL;
        if (squares && rows == TILE && columns == TILE)
            put_whole(at, squares, m + t * KELVIN_LANES, bias, map->row);
        else
            put_edge(at, squares, m + t * KELVIN_LANES, bias, map->row, rows, columns);
    }
}

/* m (tiles, 16) = v (blocks, tiles, 16) times u (channels, 16), some tiles at one point, and one or more blocks of
 * output channels: m from BLOCK_STEP to BLOCK_STEP, u from `next` to `next`. */
INLINE void multiply_rows(float *m, const float *v, const float *u, int rows, int blocks, size_t channels, size_t next)
{
    wide sum[PRODUCT_ROWS][PRODUCT_VECTORS];
    struct product p = {.a = v, .b = u, .step_a = 1, .row_a = KELVIN_LANES, .step_b = KELVIN_LANES, .next_b = next};
    product_first(sum, rows, blocks, &p);
    p.n = smaller(channels, KELVIN_LANES) - 1;
    product_add(sum, rows, blocks, &p);
    for (size_t c = KELVIN_LANES; c < channels; c += KELVIN_LANES) {
        p.a = v += BLOCK_STEP;
        p.n = smaller(channels - c, KELVIN_LANES);
        product_add(sum, rows, blocks, &p);
    }
    product_store(m, sum, rows, blocks, BLOCK_STEP);
}

INLINE void multiply_tiles(float *m, const float *v, const float *u, size_t tiles, int blocks, size_t channels,
                           size_t next)
{
    for (size_t t = 0; t < tiles;) {
        const size_t rows = product_rows(tiles - t);
#define CALL(constant) multiply_rows(m + t * KELVIN_LANES, v + t * KELVIN_LANES, u, constant, blocks, channels, next)
        WITH_CONSTANT_ROWS(rows, CALL)
#undef CALL
        t += rows;
    }
}

static NOINLINE void multiply(float *m, const float *v, const float *u, size_t tiles, size_t channels)
{
    multiply_tiles(m, v, u, tiles, 1, channels, 0);
}

static NOINLINE void multiply_abreast(float *m, const float *v, const float *u, size_t tiles, size_t channels,
                                      size_t next)
{
    multiply_tiles(m, v, u, tiles, PRODUCT_BLOCKS, channels, next);
}

/* Floats of the weights for one block of output channels. */
static size_t packed_step(size_t channels)
{
    return ALL_POINTS * weight_step(channels);
}

/* Point by point: the weights of one point, which may come from far away, are used for all tiles at once. Of one block
 * of output channels, or as many as go abreast. */
static void multiply_points(float *m, const float *v, const float *u, size_t tiles, size_t channels, size_t blocks,
                            struct fetch *fetch)
{
    for (size_t p = 0; p < ALL_POINTS; p++, m += STEP, v += STEP, u += weight_step(channels)) {
        for (size_t b = 0; b < blocks; b++) fetch_some(fetch);
        if (PRODUCT_BLOCKS == 1 || blocks == 1)
            multiply(m, v, u, tiles, channels);
        else
            multiply_abreast(m, v, u, tiles, channels, packed_step(channels));
    }
}

/* How many blocks of channels to take now: as many as go abreast, or one. */
static size_t some_blocks(size_t left)
{
    return left < PRODUCT_BLOCKS ? 1 : PRODUCT_BLOCKS;
}

/* How often a point of a part is dealt with: for n images, at most so many tiles at a time. */
static size_t turns(const struct map *out, size_t n, size_t most)
{
    return (walk_make(out, n).left + most - 1) / most * out->blocks * ALL_POINTS;
}

/* ---- the method ---- */

bool NAMED(fits)(const struct conv *conv)
{
    return conv->kernel == 3 && conv->stride == 1;
}

static size_t blocks_of(size_t channels)
{
    return (channels + KELVIN_LANES - 1) / KELVIN_LANES;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

size_t NAMED(weights)(const struct conv *conv)
{
    const size_t in = conv->in.channels, out = conv->out.channels;
    return ALL_POINTS * larger(blocks_of(out) * weight_step(in), blocks_of(in) * weight_step(out));
}

size_t NAMED(scratch)(const struct conv *conv)
{
    return (conv->in.blocks + conv->out.blocks) * BLOCK_STEP;
}

void NAMED(forward)(float *out, float *squares, const float *in, const float *packed, const float *bias,
                    const struct conv *conv, size_t n, const struct work *work)
{
    const struct finish finish = {.out = out, .map = &conv->out, .squares = squares, .bias = bias};
    const size_t channels = conv->in.channels;
    float *v = work->scratch, *m = v + conv->in.blocks * BLOCK_STEP;
    if (squares) memset(squares, 0, n * conv->out.blocks * KELVIN_LANES * sizeof *squares);
    struct fetch fetch = fetch_make(work, turns(&conv->out, n, FORWARD_TILES));
    struct walk walk = walk_make(&conv->out, n);
    struct part part;
    for (walk_on(&walk, &part, FORWARD_TILES); part.n > 0; walk_on(&walk, &part, FORWARD_TILES)) {
        part_to_points(v, in, &conv->in, &part);
        for (size_t block = 0, some; block < conv->out.blocks; block += some) {
            some = some_blocks(conv->out.blocks - block);
            multiply_points(m, v, packed + block * packed_step(channels), part.n, channels, some, &fetch);
            for (size_t b = 0; b < some; b++) part_from_points(&finish, m + b * BLOCK_STEP, block + b, &part);
        }
    }
}

#include "kernels/winograd_back.h"
enum { TURNED = false }; /* the way back is the adjoint */
#include "kernels/winograd_weights.h"
