/* Winograd's minimal filtering of 3x3, stride-1 convolutions, by tiles of TILE x TILE outputs (Lavin & Gray 2016). A
 * file defines TILE, NAMED(function) (the names of its functions) and, for one axis, the transforms
 *
 *     to_points(v, d)      v = B' d     POINTS = TILE + 2 inputs, POINTS values
 *     from_points(y, m)    y = A' m     POINTS values, TILE outputs
 *     to_points_back(m, y) m = A y      its adjoint, for the gradient of the weights
 *     weight_points(u, g)  u = G g      3 weights, POINTS values
 *     weight_back(g, u)    g = G' u     its adjoint
 *
 * and includes this one. With all of them applied along both axes,
 *
 *     forward    out = A' [ sum over c of (G w G') (B' in B) ] A        per tile, products per point
 *     backward   the same with the weights turned by half a turn and their channels exchanged
 *     gradient   dw = G' [ sum over tiles of (B' in B) (A dout A') ] G   summed at the points, brought back once
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

/* Values at the points are (points, tiles, 16 blocks). Floats from one point to the next: one line more than they fill,
 * or all points would fall into one set of the cache. */
INLINE size_t step_of(size_t blocks)
{
    return (TILES * blocks + 1) * KELVIN_LANES;
}

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

/* The second half of a transform to points: along y. out[p * step] */
#define ALONG_Y(transform, out, step, half, n)                                                                         \
    UNROLLED(x, POINTS) {                                                                                              \
        wide d[n], v[POINTS];                                                                                          \
        UNROLLED(y, n) d[y] = half[y][x];                                                                              \
        transform(v, d);                                                                                               \
        UNROLLED(y, POINTS) wide_store((out) + (size_t)(y * POINTS + x) * (step), v[y]);                               \
    }

/* out[p * step] = B' in B */
INLINE void tile_to_points(float *out, size_t step, const float *in, size_t row)
{
    wide half[POINTS][POINTS];
    UNROLLED(y, POINTS) {
        wide d[POINTS];
        UNROLLED(x, POINTS) d[x] = wide_load(in + x * KELVIN_LANES);
        to_points(half[y], d);
        in += row;
    }
    ALONG_Y(to_points, out, step, half, POINTS)
}

/* out = A' m A, m at m[p * step] */
INLINE void tile_from_points(wide out[TILE][TILE], const float *m, size_t step)
{
    wide half[TILE][POINTS];
    UNROLLED(x, POINTS) {
        wide d[POINTS], v[TILE];
        UNROLLED(y, POINTS) d[y] = wide_load(m + (size_t)(y * POINTS + x) * step);
        from_points(v, d);
        UNROLLED(y, TILE) half[y][x] = v[y];
    }
    UNROLLED(y, TILE) from_points(out[y], half[y]);
}

/* out[p * step] = A in A', the pixels beyond `rows` and `columns` taken as 0 */
INLINE void tile_to_points_back(float *out, size_t step, const float *in, size_t row, int rows, int columns)
{
    wide half[TILE][POINTS];
    UNROLLED(y, TILE) {
        wide d[TILE];
        UNROLLED(x, TILE) d[x] = y < rows && x < columns ? wide_load(in + x * KELVIN_LANES) : (wide){0};
        to_points_back(half[y], d);
        in += row;
    }
    ALONG_Y(to_points_back, out, step, half, TILE)
}

/* ---- all tiles of a part ---- */

/* v (points, tiles, 16 blocks). Strides between points are constants where `blocks` is one: 36 addresses that have to
 * be computed cost more than the transform. */
INLINE void blocks_to_points(float *v, const float *in, const struct map *map, const struct part *part, size_t blocks)
{
    for (size_t t = 0; t < part->n; t++) {
        const struct tile tile = part->tile[t];
        const float *at = in + tile.image * map->size + map_at(map, 0, tile.y, tile.x) - map->row - KELVIN_LANES;
        for (size_t b = 0; b < blocks; b++)
            for (size_t c = 0; c < KELVIN_LANES; c += WIDE)
                tile_to_points(v + (t * blocks + b) * KELVIN_LANES + c, step_of(blocks), at + b * map->block + c,
                               map->row);
    }
}

INLINE void blocks_to_points_back(float *v, const float *in, const struct map *map, const struct part *part,
                                  size_t blocks)
{
    for (size_t t = 0; t < part->n; t++) {
        const struct tile tile = part->tile[t];
        const float *at = in + tile.image * map->size + map_at(map, 0, tile.y, tile.x);
        const int rows = (int)smaller(TILE, map->height - tile.y), columns = (int)smaller(TILE, map->width - tile.x);
        for (size_t b = 0; b < blocks; b++)
            for (size_t c = 0; c < KELVIN_LANES; c += WIDE) {
                float *to = v + (t * blocks + b) * KELVIN_LANES + c;
                const float *from = at + b * map->block + c;
                if (rows == TILE && columns == TILE)
                    tile_to_points_back(to, step_of(blocks), from, map->row, TILE, TILE);
                else
                    tile_to_points_back(to, step_of(blocks), from, map->row, rows, columns);
            }
    }
}

#define WITH_CONSTANT_BLOCKS(blocks, function, ...)                                                                    \
    switch (blocks) {                                                                                                  \
    case 1:                                                                                                            \
        function(__VA_ARGS__, 1);                                                                                      \
        break;                                                                                                         \
    case 2:                                                                                                            \
        function(__VA_ARGS__, 2);                                                                                      \
        break;                                                                                                         \
    case 4:                                                                                                            \
        function(__VA_ARGS__, 4);                                                                                      \
        break;                                                                                                         \
    default:                                                                                                           \
        function(__VA_ARGS__, blocks);                                                                                 \
        break;                                                                                                         \
    }

static void part_to_points(float *v, const float *in, const struct map *map, const struct part *part)
{
    WITH_CONSTANT_BLOCKS(map->blocks, blocks_to_points, v, in, map, part)
}

static void part_to_points_back(float *v, const float *in, const struct map *map, const struct part *part)
{
    WITH_CONSTANT_BLOCKS(map->blocks, blocks_to_points_back, v, in, map, part)
}

/* What becomes of a finished tile. */
struct finish {
    float *out;
    const struct map *map;
    float *squares;    /* (images, 16 blocks), added to; or NULL */
    const float *bias; /* (16 blocks), or NULL */
    bool add;          /* to what is there */
};

INLINE void put_tile(float *out, float *squares, wide y[TILE][TILE], wide bias, bool add, size_t row, int rows,
                     int columns)
{
    wide sum = (wide){0};
    UNROLLED(i, TILE) {
        wide in_row = (wide){0};
        UNROLLED(j, TILE) {
            if (i >= rows || j >= columns) continue;
            float *at = out + (size_t)i * row + j * KELVIN_LANES;
            const wide value = y[i][j] + (add ? wide_load(at) : bias);
            wide_store(at, value);
            if (squares) in_row = wide_fma(value, value, in_row);
        }
        sum += in_row;
    }
    if (squares) wide_store(squares, wide_load(squares) + sum);
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
        for (size_t c = 0; c < KELVIN_LANES; c += WIDE) {
            wide y[TILE][TILE];
            tile_from_points(y, m + t * KELVIN_LANES + c, step_of(1));
            const wide bias = f->bias ? wide_load(f->bias + block * KELVIN_LANES + c) : (wide){0};
            if (rows < TILE || columns < TILE)
                put_tile(at + c, squares ? squares + c : NULL, y, bias, f->add, map->row, rows, columns);
            else if (squares)
                put_tile(at + c, squares + c, y, bias, false, map->row, TILE, TILE);
            else
                put_tile(at + c, NULL, y, bias, f->add, map->row, TILE, TILE);
        }
    }
}

/* m (tiles, 16) = v (tiles, 16 blocks) times u (channels, 16), some tiles at one point, and one block of output
 * channels. */
INLINE void multiply_rows(float *m, const float *v, const float *u, int rows, size_t blocks, size_t channels)
{
    wide sum[PRODUCT_ROWS][PER_BLOCK] = {{{0}}};
    product_add(
        sum, rows,
        (struct product){
            .a = v, .b = u, .n = channels, .step_a = 1, .row_a = blocks * KELVIN_LANES, .step_b = KELVIN_LANES});
    product_store(m, sum, rows);
}

/* Point by point: the weights of one point, which may come from far away, are used for all tiles at once. */
INLINE void multiply_blocks(float *m, const float *v, const float *u, size_t tiles, size_t channels,
                            struct fetch *fetch, size_t blocks)
{
    for (size_t p = 0; p < ALL_POINTS; p++, m += step_of(1), v += step_of(blocks), u += weight_step(channels)) {
        fetch_some(fetch);
        for (size_t t = 0; t < tiles;) {
            const size_t rows = product_rows(tiles - t);
#define CALL(constant) multiply_rows(m + t * KELVIN_LANES, v + t * blocks * KELVIN_LANES, u, constant, blocks, channels)
            WITH_CONSTANT_ROWS(rows, CALL)
#undef CALL
            t += rows;
        }
    }
}

/* How often a point of a part is dealt with: for n images, at most so many tiles at a time. */
static size_t turns(const struct map *out, size_t n, size_t most)
{
    return (walk_make(out, n).left + most - 1) / most * out->blocks * ALL_POINTS;
}

static void convolve(const struct finish *finish, const float *in, const struct map *map, const float *u, size_t n,
                     const struct work *work)
{
    float *v = work->scratch, *m = v + ALL_POINTS * step_of(map->blocks);
    if (finish->squares) memset(finish->squares, 0, n * finish->map->blocks * KELVIN_LANES * sizeof(float));
    struct fetch fetch = fetch_make(work, turns(finish->map, n, FORWARD_TILES));
    struct walk walk = walk_make(finish->map, n);
    struct part part;
    for (walk_on(&walk, &part, FORWARD_TILES); part.n > 0; walk_on(&walk, &part, FORWARD_TILES)) {
        part_to_points(v, in, map, &part);
        for (size_t block = 0; block < finish->map->blocks; block++) {
            const float *weights = u + block * ALL_POINTS * weight_step(map->channels);
            WITH_CONSTANT_BLOCKS(map->blocks, multiply_blocks, m, v, weights, part.n, map->channels, &fetch)
            part_from_points(finish, m, block, &part);
        }
    }
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
    return ALL_POINTS * (step_of(conv->in.blocks) + step_of(conv->out.blocks));
}

void NAMED(forward)(float *out, float *squares, const float *in, const float *packed, const float *bias,
                    const struct conv *conv, size_t n, const struct work *work)
{
    const struct finish finish = {.out = out, .map = &conv->out, .squares = squares, .bias = bias};
    convolve(&finish, in, &conv->in, packed, n, work);
}

void NAMED(backward)(float *d_in, const float *d_out, const float *packed, const struct conv *conv, size_t n, bool add,
                     const struct work *work)
{
    const struct finish finish = {.out = d_in, .map = &conv->in, .add = add};
    convolve(&finish, d_out, &conv->out, packed, n, work);
}

/* d (channels, 16) = (or, if `add`, +=) sum over tiles of v (tiles, 16 blocks) times g (tiles, 16 of the blocks), for
 * some channels */
INLINE void add_rows(float *d, const struct product *product, size_t first, int rows, bool add)
{
    wide sum[PRODUCT_ROWS][PER_BLOCK] = {{{0}}};
    struct product some = *product;
    some.a += first;
    if (add) product_load(sum, d + first * KELVIN_LANES, rows);
    product_add(sum, rows, some);
    product_store(d + first * KELVIN_LANES, sum, rows);
}

/* d (channels, 16) at one point and for one block of output channels */
static void add_products(float *d, const struct product *product, size_t channels, bool add)
{
    for (size_t c = 0; c < channels;) {
        const size_t rows = product_rows(channels - c);
#define CALL(constant) add_rows(d, product, c, constant, add)
        WITH_CONSTANT_ROWS(rows, CALL)
#undef CALL
        c += rows;
    }
}

void NAMED(gradient)(float *d_packed, const float *in, const float *d_out, const struct conv *conv, size_t n, bool add,
                     const struct work *work)
{
    const size_t channels = conv->in.channels, step_v = step_of(conv->in.blocks), step_g = step_of(conv->out.blocks);
    float *v = work->scratch, *g = v + ALL_POINTS * step_v;
    struct fetch fetch = fetch_make(work, turns(&conv->out, n, TILES));
    struct walk walk = walk_make(&conv->out, n);
    struct part part;
    for (walk_on(&walk, &part, TILES); part.n > 0; walk_on(&walk, &part, TILES)) {
        part_to_points(v, in, &conv->in, &part);
        part_to_points_back(g, d_out, &conv->out, &part);
        for (size_t block = 0; block < conv->out.blocks; block++)
            for (size_t p = 0; p < ALL_POINTS; p++) {
                const struct product product = {.a = v + p * step_v,
                                                .b = g + p * step_g + block * KELVIN_LANES,
                                                .n = part.n,
                                                .step_a = conv->in.blocks * KELVIN_LANES,
                                                .row_a = 1,
                                                .step_b = conv->out.blocks * KELVIN_LANES};
                fetch_some(&fetch);
                add_products(d_packed + (block * ALL_POINTS + p) * weight_step(channels), &product, channels, add);
            }
        add = true;
    }
}

#include "kernels/winograd_weights.h"
