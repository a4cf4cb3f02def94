/* Winograd's minimal filtering: the ways back, to the data and to the weights, for winograd.h, which includes this.
 *
 * The gradient in `out` is brought to the points once, tile by tile, as A dout A'. Tiles do not overlap there, so what
 * FRN makes of the gradient in its output can be made on the way, pixel by pixel, and is never written. */
#include "kernels/slope.h"

/* ---- transforms of single tiles: one vector of channels ---- */

/* out[p STEP] = A d A', for some points along x */
INLINE void some_to_points_back(float *out, wide d[TILE][TILE], int first, int count)
{
    wide half[2][TILE];
    UNROLLED(y, TILE) {
        wide v[POINTS];
        to_points_back(v, d[y]);
        UNROLLED(i, count) half[i][y] = v[first + i];
    }
    UNROLLED(i, count) {
        wide v[POINTS];
        to_points_back(v, half[i]);
        UNROLLED(y, POINTS) wide_store(out + (y * POINTS + first + i) * STEP, v[y]);
    }
    APART();
}

INLINE void all_to_points_back(float *out, wide d[TILE][TILE])
{
#define TO_POINTS(first, count) some_to_points_back(out, d, first, count);
    POINT_GROUPS(TO_POINTS)
#undef TO_POINTS
}

static NOINLINE void tile_to_points_back(float *out, const float *in, size_t row)
{
    for (size_t c = 0; c < KELVIN_LANES; c += WIDE) {
        wide d[TILE][TILE];
        UNROLLED(y, TILE)
            UNROLLED(x, TILE) d[y][x] = wide_load(in + (size_t)y * row + x * KELVIN_LANES + c);
        all_to_points_back(out + c, d);
    }
}

/* Adds to the first `old` pixels, and sets the others. */
INLINE void add_row(float *out, const wide half[POINTS], int old)
{
    wide v[POINTS];
    points_back(v, half);
    UNROLLED(x, POINTS) {
        float *at = out + x * KELVIN_LANES;
        wide_store(at, x < old ? wide_load(at) + v[x] : v[x]);
    }
}

/* Where a tile overlaps those to the left, and above. */
enum { OVERLAP = POINTS - TILE };

/* Which pixels of a tile others have been added to: all of them; or those where it overlaps with one to its left, if
 * there is one, and those above, if there are some. */
struct old {
    bool all, left, above;
};

INLINE int old_of(struct old old, int y)
{
    return old.all || (old.above && y < OVERLAP) ? POINTS : old.left ? OVERLAP : 0;
}

/* Rows `one` and `two` of B m B', m at m[p STEP] */
INLINE void add_rows_back(float *out, size_t row, const float *m, struct old old, int one, int two)
{
    wide half[POINTS][POINTS];
    UNROLLED(x, POINTS) {
        wide d[POINTS], v[POINTS];
        UNROLLED(y, POINTS) d[y] = wide_load(m + (y * POINTS + x) * STEP);
        points_back(v, d);
        half[one][x] = v[one];
        half[two][x] = v[two];
    }
    add_row(out + (size_t)one * row, half[one], old_of(old, one));
    add_row(out + (size_t)two * row, half[two], old_of(old, two));
    APART();
}

typedef void add_tile(float *out, size_t row, const float *m);

#define ADD_ROWS(one, two) add_rows_back(out + c, row, m + c, OLD, one, two);
#define ADD_TILE(name)                                                                                                 \
    static NOINLINE void name(float *out, size_t row, const float *m)                                                  \
    {                                                                                                                  \
        for (size_t c = 0; c < KELVIN_LANES; c += WIDE) { BACK_GROUPS(ADD_ROWS) }                                      \
    }
#define OLD ((struct old){.all = true})
ADD_TILE(add_to_all)
#undef OLD
#define OLD ((struct old){.left = false})
ADD_TILE(add_first)
#undef OLD
#define OLD ((struct old){.left = true})
ADD_TILE(add_in_first_row)
#undef OLD
#define OLD ((struct old){.above = true})
ADD_TILE(add_in_first_column)
#undef OLD
#define OLD ((struct old){.left = true, .above = true})
ADD_TILE(add_inside)
#undef OLD

static add_tile *add_tile_for(struct tile tile, bool add)
{
    static add_tile *const copy[2][2] = {{add_first, add_in_first_row}, {add_in_first_column, add_inside}};
    return add ? add_to_all : copy[tile.y > 0][tile.x > 0];
}

/* ---- the gradient in `out` ---- */

/* As it is; or, if there is a slope, in the making. */
struct d_out {
    const float *at;
    const struct map *map;
    const struct frn_slope *slope;
};

/* One block of a tile. */
struct making {
    const float *da, *x, *scale, *pull, *beta, *tau;
    size_t da_row, x_row;
};

static struct making making_of(const struct frn_slope *s, struct tile tile, size_t block)
{
    const size_t lanes = block * KELVIN_LANES, of_image = tile.image * s->x_map->blocks * KELVIN_LANES + lanes;
    return (struct making){.da = s->da + tile.image * s->da_map->size + map_at(s->da_map, lanes, tile.y, tile.x),
                           .x = s->x + tile.image * s->x_map->size + map_at(s->x_map, lanes, tile.y, tile.x),
                           .scale = s->scale + of_image,
                           .pull = s->pull + of_image,
                           .beta = s->beta + lanes,
                           .tau = s->tau + lanes,
                           .da_row = s->da_map->row,
                           .x_row = s->x_map->row};
}

static NOINLINE void slope_to_points_back(float *out, const struct making *m)
{
    for (size_t c = 0; c < KELVIN_LANES; c += WIDE) {
        const struct slope slope = slope_load(m->scale + c, m->pull + c, m->beta + c, m->tau + c);
        wide d[TILE][TILE];
        UNROLLED(i, TILE) {
            const float *da = m->da + (size_t)i * m->da_row + c, *x = m->x + (size_t)i * m->x_row + c;
            UNROLLED(j, TILE)
                d[i][j] = slope_at(&slope, wide_load(da + j * KELVIN_LANES), wide_load(x + j * KELVIN_LANES));
        }
        all_to_points_back(out + c, d);
    }
}

enum { TILE_ROW = TILE * KELVIN_LANES };

/* At the lower and right edge, where there are less pixels: a tile of them and zeros. */
static void make_edge(float *to, const struct making *m, size_t rows, size_t columns)
{
    for (size_t c = 0; c < KELVIN_LANES; c += WIDE) {
        const struct slope slope = slope_load(m->scale + c, m->pull + c, m->beta + c, m->tau + c);
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < columns; j++)
                wide_store(to + i * TILE_ROW + j * KELVIN_LANES + c,
                           slope_at(&slope, wide_load(m->da + i * m->da_row + j * KELVIN_LANES + c),
                                    wide_load(m->x + i * m->x_row + j * KELVIN_LANES + c)));
    }
}

static void copy_edge(float *to, const float *from, size_t row, size_t rows, size_t columns)
{
    for (size_t i = 0; i < rows; i++)
        memcpy(to + i * TILE_ROW, from + i * row, columns * KELVIN_LANES * sizeof *to);
}

static void block_to_points_back(float *g, const struct d_out *d, struct tile tile, size_t block)
{
    const struct map *map = d->map;
    const size_t rows = smaller(TILE, map->height - tile.y), columns = smaller(TILE, map->width - tile.x);
    const bool whole = rows == TILE && columns == TILE;
    float edge[TILE * TILE_ROW];
    if (!whole) memset(edge, 0, sizeof edge);
    if (d->slope) {
        const struct making making = making_of(d->slope, tile, block);
        if (whole)
            slope_to_points_back(g, &making);
        else
            make_edge(edge, &making, rows, columns);
    } else {
        const float *from = d->at + tile.image * map->size + map_at(map, block * KELVIN_LANES, tile.y, tile.x);
        if (whole)
            tile_to_points_back(g, from, map->row);
        else
            copy_edge(edge, from, map->row, rows, columns);
    }
    if (!whole) tile_to_points_back(g, edge, TILE_ROW);
}

/* g (blocks, points, tiles, 16) = A dout A' */
static void part_to_points_back(float *g, const struct d_out *d, const struct part *part)
{
    for (size_t t = 0; t < part->n; t++)
        for (size_t b = 0; b < d->map->blocks; b++)
            block_to_points_back(g + b * BLOCK_STEP + t * KELVIN_LANES, d, part->tile[t], b);
}

/* ---- to the data ---- */

static void clear(float *row, size_t pixels)
{
    for (size_t i = 0; i < pixels * KELVIN_LANES; i += WIDE) wide_store(row + i, (wide){0});
}

/* Tiles reach one pixel farther than the pixels that they stand on, which may be more than there are: what they left in
 * the frame. */
static void clear_frame(float *d_in, const struct map *map, size_t n)
{
    const size_t reach_y = (map->height + TILE - 1) / TILE * TILE + 2;
    const size_t reach_x = (map->width + TILE - 1) / TILE * TILE + 2;
    float *row = d_in + map->origin - map->row - KELVIN_LANES;
    for (size_t i = 0; i < n * map->blocks; i++, row += map->block - reach_y * map->row)
        for (size_t y = 0; y < reach_y; y++, row += map->row) {
            const bool outside = y == 0 || y > map->height;
            clear(row, outside ? reach_x : 1);
            if (!outside) clear(row + (map->width + 1) * KELVIN_LANES, reach_x - map->width - 1);
        }
}

/* One block of channels of d_in, from m (points, tiles, 16). */
static void add_block_back(float *d_in, bool add, const float *m, const struct map *map, size_t block,
                           const struct part *part)
{
    for (size_t t = 0; t < part->n; t++) {
        const struct tile tile = part->tile[t];
        float *at = d_in + tile.image * map->size + map_at(map, block * KELVIN_LANES, tile.y, tile.x);
        add_tile_for(tile, add)(at - map->row - KELVIN_LANES, map->row, m + t * KELVIN_LANES);
    }
}

/* d_in = (or, if `add`, +=) B [ products of g ] B' for the tiles of a part; m has room for the products */
static void part_back(float *d_in, bool add, const float *g, const float *packed, float *m, const struct conv *conv,
                      const struct part *part, struct fetch *fetch)
{
    const struct map *map = &conv->in;
    const size_t channels = conv->out.channels;
    for (size_t block = 0, some; block < map->blocks; block += some) {
        some = some_blocks(map->blocks - block);
        multiply_points(m, g, packed + block * packed_step(channels), part->n, channels, some, fetch);
        for (size_t b = 0; b < some; b++) add_block_back(d_in, add, m + b * BLOCK_STEP, map, block + b, part);
    }
}

/* ---- to the weights ---- */

/* d (channels, 16) = (or, if `add`, +=) sum over tiles of v (tiles, 16) times g (tiles, 16), for some channels of one
 * block, and one or more blocks of output channels: d from `next` to `next`, g from BLOCK_STEP to BLOCK_STEP. */
INLINE void add_rows(float *d, const float *v, const float *g, size_t tiles, int rows, int blocks, size_t next,
                     bool add)
{
    wide sum[PRODUCT_ROWS][PRODUCT_VECTORS];
    struct product p = {
        .a = v, .b = g, .n = tiles, .step_a = KELVIN_LANES, .row_a = 1, .step_b = KELVIN_LANES, .next_b = BLOCK_STEP};
    if (add)
        product_load(sum, d, rows, blocks, next);
    else
        product_first(sum, rows, blocks, &p);
    product_add(sum, rows, blocks, &p);
    product_store(d, sum, rows, blocks, next);
}

/* d (channels, 16) at one point, v (blocks, tiles, 16) */
INLINE void add_channels(float *d, const float *v, const float *g, size_t tiles, int blocks, size_t channels,
                         size_t next, bool add)
{
    for (size_t c = 0, rows; c < channels; c += rows) {
        const size_t here = c % KELVIN_LANES;
        rows = product_rows(smaller(KELVIN_LANES - here, channels - c));
#define CALL(constant)                                                                                                 \
    add_rows(d + c * KELVIN_LANES, v + c / KELVIN_LANES * BLOCK_STEP + here, g, tiles, constant, blocks, next, add)
        WITH_CONSTANT_ROWS(rows, CALL)
#undef CALL
    }
}

static NOINLINE void add_products(float *d, const float *v, const float *g, size_t tiles, size_t channels, bool add)
{
    add_channels(d, v, g, tiles, 1, channels, 0, add);
}

static NOINLINE void add_products_abreast(float *d, const float *v, const float *g, size_t tiles, size_t channels,
                                          bool add)
{
    add_channels(d, v, g, tiles, PRODUCT_BLOCKS, channels, packed_step(channels), add);
}

static void part_gradient(float *d_packed, const float *v, const float *g, const struct conv *conv, size_t tiles,
                          bool add, struct fetch *fetch)
{
    const size_t channels = conv->in.channels;
    for (size_t p = 0; p < ALL_POINTS; p++, v += STEP, g += STEP, d_packed += weight_step(channels))
        for (size_t block = 0, some; block < conv->out.blocks; block += some) {
            float *d = d_packed + block * packed_step(channels);
            some = some_blocks(conv->out.blocks - block);
            for (size_t b = 0; b < some; b++) fetch_some(fetch);
            if (PRODUCT_BLOCKS == 1 || some == 1)
                add_products(d, v, g + block * BLOCK_STEP, tiles, channels, add);
            else
                add_products_abreast(d, v, g + block * BLOCK_STEP, tiles, channels, add);
        }
}

/* ---- the method ---- */

/* Either way, or both: d_in and d_packed may be NULL. */
static void ways_back(float *d_in, bool add_in, float *d_packed, bool add_packed, const float *in,
                      const struct d_out *d_out, const float *packed, const struct conv *conv, size_t n,
                      const struct work *work)
{
    float *v = work->scratch, *g = v + conv->in.blocks * BLOCK_STEP; /* v makes place for the products on their way */
    struct fetch fetch = fetch_make(work, (d_in ? turns(&conv->in, n, TILES) : 0) +
                                              (d_packed ? turns(&conv->out, n, TILES) : 0));
    struct walk walk = walk_make(&conv->out, n);
    struct part part;
    for (walk_on(&walk, &part, TILES); part.n > 0; walk_on(&walk, &part, TILES)) {
        part_to_points_back(g, d_out, &part);
        if (d_packed) {
            part_to_points(v, in, &conv->in, &part);
            part_gradient(d_packed, v, g, conv, part.n, add_packed, &fetch);
            add_packed = true;
        }
        if (d_in) part_back(d_in, add_in, g, packed, v, conv, &part, &fetch);
    }
    if (d_in) clear_frame(d_in, &conv->in, n);
}

void NAMED(backward)(float *d_in, const float *d_out, const float *packed, const struct conv *conv, size_t n, bool add,
                     const struct work *work)
{
    const struct d_out d = {.at = d_out, .map = &conv->out};
    ways_back(d_in, add, NULL, false, NULL, &d, packed, conv, n, work);
}

void NAMED(gradient)(float *d_packed, const float *in, const float *d_out, const struct conv *conv, size_t n, bool add,
                     const struct work *work)
{
    const struct d_out d = {.at = d_out, .map = &conv->out};
    ways_back(NULL, false, d_packed, add, in, &d, NULL, conv, n, work);
}

void NAMED(both)(float *d_in, bool add_in, float *d_packed, bool add_packed, const float *in,
                 const struct frn_slope *slope, const float *packed, const struct conv *conv, size_t n,
                 const struct work *work)
{
    const struct d_out d = {.map = &conv->out, .slope = slope};
    ways_back(d_in, add_in, d_packed, add_packed, in, &d, packed, conv, n, work);
}
