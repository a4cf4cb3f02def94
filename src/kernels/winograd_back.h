/* Winograd's minimal filtering: the ways back, to the data and to the weights, for winograd.h, which includes this.
 *
 * The gradient in `out` is brought to the points once, tile by tile, as A dout A'. Tiles do not overlap there, so what
 * FRN makes of the gradient in its output can be made on the way, pixel by pixel, and is never written. */
#include "kernels/slope.h"

/* ---- transforms of single tiles: one vector of channels ---- */

/* out[p STEP] = A in A', for some points along x */
INLINE void some_to_points_back(float *out, const float *in, size_t row, int first, int count)
{
    wide half[2][TILE];
    UNROLLED(y, TILE) {
        wide d[TILE], v[POINTS];
        UNROLLED(x, TILE) d[x] = wide_load(in + (size_t)y * row + x * KELVIN_LANES);
        to_points_back(v, d);
        UNROLLED(i, count) half[i][y] = v[first + i];
    }
    UNROLLED(i, count) {
        wide v[POINTS];
        to_points_back(v, half[i]);
        UNROLLED(y, POINTS) wide_store(out + (y * POINTS + first + i) * STEP, v[y]);
    }
    APART();
}

static NOINLINE void tile_to_points_back(float *out, const float *in, size_t row)
{
#define TO_POINTS(first, count) some_to_points_back(out + c, in + c, row, first, count);
    for (size_t c = 0; c < KELVIN_LANES; c += WIDE) { POINT_GROUPS(TO_POINTS) }
#undef TO_POINTS
}

INLINE void add_row(float *out, const wide half[POINTS])
{
    wide v[POINTS];
    points_back(v, half);
    UNROLLED(x, POINTS) wide_store(out + x * KELVIN_LANES, wide_load(out + x * KELVIN_LANES) + v[x]);
}

/* Adds rows `one` and `two` of B m B', m at m[p STEP] */
INLINE void add_rows_back(float *out, size_t row, const float *m, int one, int two)
{
    wide half[POINTS][POINTS];
    UNROLLED(x, POINTS) {
        wide d[POINTS], v[POINTS];
        UNROLLED(y, POINTS) d[y] = wide_load(m + (y * POINTS + x) * STEP);
        points_back(v, d);
        half[one][x] = v[one];
        half[two][x] = v[two];
    }
    add_row(out + (size_t)one * row, half[one]);
    add_row(out + (size_t)two * row, half[two]);
    APART();
}

static NOINLINE void add_tile_back(float *out, size_t row, const float *m)
{
#define ADD_ROWS(one, two) add_rows_back(out + c, row, m + c, one, two);
    for (size_t c = 0; c < KELVIN_LANES; c += WIDE) { BACK_GROUPS(ADD_ROWS) }
#undef ADD_ROWS
}

/* ---- the gradient in `out` ---- */

/* As it is; or, if there is a slope, in the making. */
struct d_out {
    const float *at;
    const struct map *map;
    const struct frn_slope *slope;
};

enum { TILE_ROW = TILE * KELVIN_LANES };

/* to (TILE, TILE, 16) = the pixels of a tile, zeros beyond `rows` and `columns` */
static void copy_tile(float *to, const float *from, size_t row, size_t rows, size_t columns)
{
    memset(to, 0, TILE * TILE_ROW * sizeof *to);
    for (size_t y = 0; y < rows; y++)
        memcpy(to + y * TILE_ROW, from + y * row, columns * KELVIN_LANES * sizeof *to);
}

INLINE void make_tile(float *to, const struct frn_slope *s, struct tile tile, size_t block, size_t rows, size_t columns)
{
    const size_t lanes = block * KELVIN_LANES, of_image = tile.image * s->x_map->blocks * KELVIN_LANES + lanes;
    const float *da = s->da + tile.image * s->da_map->size + map_at(s->da_map, lanes, tile.y, tile.x);
    const float *x = s->x + tile.image * s->x_map->size + map_at(s->x_map, lanes, tile.y, tile.x);
    struct slope slope[PER_BLOCK];
    UNROLLED(v, PER_BLOCK)
        slope[v] = slope_load(s->scale + of_image + v * WIDE, s->pull + of_image + v * WIDE, s->beta + lanes + v * WIDE,
                              s->tau + lanes + v * WIDE);
    for (size_t i = 0; i < rows; i++, da += s->da_map->row, x += s->x_map->row)
        for (size_t j = 0; j < columns; j++)
            UNROLLED(v, PER_BLOCK) {
                const size_t at = j * KELVIN_LANES + (size_t)v * WIDE;
                wide_store(to + i * TILE_ROW + at, slope_at(&slope[v], wide_load(da + at), wide_load(x + at)));
            }
}

static NOINLINE void make_whole_tile(float *to, const struct frn_slope *s, struct tile tile, size_t block)
{
    make_tile(to, s, tile, block, TILE, TILE);
}

static void make_some_tile(float *to, const struct frn_slope *s, struct tile tile, size_t block, size_t rows,
                           size_t columns)
{
    memset(to, 0, TILE * TILE_ROW * sizeof *to);
    make_tile(to, s, tile, block, rows, columns);
}

/* g (blocks, points, tiles, 16) = A dout A' */
static void part_to_points_back(float *g, const struct d_out *d, const struct part *part)
{
    const struct map *map = d->map;
    _Alignas(64) float copy[TILE * TILE_ROW];
    for (size_t t = 0; t < part->n; t++) {
        const struct tile tile = part->tile[t];
        const size_t rows = smaller(TILE, map->height - tile.y), columns = smaller(TILE, map->width - tile.x);
        const bool whole = rows == TILE && columns == TILE;
        for (size_t b = 0; b < map->blocks; b++) {
            const float *from = copy;
            size_t row = TILE_ROW;
            if (d->slope && whole)
                make_whole_tile(copy, d->slope, tile, b);
            else if (d->slope)
                make_some_tile(copy, d->slope, tile, b, rows, columns);
            else {
                from = d->at + tile.image * map->size + map_at(map, b * KELVIN_LANES, tile.y, tile.x);
                row = map->row;
                if (!whole) {
                    copy_tile(copy, from, row, rows, columns);
                    from = copy, row = TILE_ROW;
                }
            }
            tile_to_points_back(g + b * BLOCK_STEP + t * KELVIN_LANES, from, row);
        }
    }
}

/* ---- to the data ---- */

/* Rows and columns of pixels that tiles write to: one around those that they stand on, which may be more than there
 * are. */
static size_t covered(size_t size)
{
    return (size + TILE - 1) / TILE * TILE + 2;
}

/* Sets what tiles will be added to to zero: all of it, or only the frame. */
static void clear(float *d_in, const struct map *map, size_t n, bool all)
{
    const size_t rows = covered(map->height), columns = covered(map->width);
    float *block = d_in + map->origin - map->row - KELVIN_LANES;
    for (size_t i = 0; i < n * map->blocks; i++, block += map->block)
        for (size_t y = 0; y < rows; y++) {
            float *row = block + y * map->row;
            if (all || y == 0 || y > map->height)
                memset(row, 0, columns * KELVIN_LANES * sizeof *row);
            else {
                memset(row, 0, KELVIN_LANES * sizeof *row);
                memset(row + (map->width + 1) * KELVIN_LANES, 0,
                       (columns - map->width - 1) * KELVIN_LANES * sizeof *row);
            }
        }
}

/* d_in += B [ products of g ] B' for the tiles of a part; m: (points, tiles, 16) to work in */
static void part_back(float *d_in, const float *g, const float *packed, float *m, const struct conv *conv,
                      const struct part *part, struct fetch *fetch)
{
    const struct map *map = &conv->in;
    const size_t channels = conv->out.channels;
    for (size_t block = 0; block < map->blocks; block++) {
        multiply_points(m, g, packed + block * ALL_POINTS * weight_step(channels), part->n, channels, fetch);
        for (size_t t = 0; t < part->n; t++) {
            const struct tile tile = part->tile[t];
            float *at = d_in + tile.image * map->size + map_at(map, block * KELVIN_LANES, tile.y, tile.x);
            add_tile_back(at - map->row - KELVIN_LANES, map->row, m + t * KELVIN_LANES);
        }
    }
}

/* ---- to the weights ---- */

/* d (channels, 16) = (or, if `add`, +=) sum over tiles of v (tiles, 16) times g (tiles, 16), for some channels of one
 * block */
INLINE void add_rows(float *d, const float *v, const float *g, size_t tiles, int rows, bool add)
{
    wide sum[PRODUCT_ROWS][PER_BLOCK];
    struct product p = {.a = v, .b = g, .n = tiles, .step_a = KELVIN_LANES, .row_a = 1, .step_b = KELVIN_LANES};
    if (add)
        product_load(sum, d, rows);
    else
        product_first(sum, rows, &p);
    product_add(sum, rows, &p);
    product_store(d, sum, rows);
}

/* d (channels, 16) at one point and for one block of output channels, v (blocks, tiles, 16) */
static NOINLINE void add_products(float *d, const float *v, const float *g, size_t tiles, size_t channels, bool add)
{
    for (size_t c = 0, rows; c < channels; c += rows) {
        const size_t here = c % KELVIN_LANES;
        rows = product_rows(smaller(KELVIN_LANES - here, channels - c));
#define CALL(constant) add_rows(d + c * KELVIN_LANES, v + c / KELVIN_LANES * BLOCK_STEP + here, g, tiles, constant, add)
        WITH_CONSTANT_ROWS(rows, CALL)
#undef CALL
    }
}

static void part_gradient(float *d_packed, const float *v, const float *g, const struct conv *conv, size_t tiles,
                          bool add, struct fetch *fetch)
{
    const size_t channels = conv->in.channels;
    for (size_t p = 0; p < ALL_POINTS; p++)
        for (size_t block = 0; block < conv->out.blocks; block++) {
            fetch_some(fetch);
            add_products(d_packed + (block * ALL_POINTS + p) * weight_step(channels), v + p * STEP,
                         g + block * BLOCK_STEP + p * STEP, tiles, channels, add);
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
    if (d_in) clear(d_in, &conv->in, n, !add_in);
    for (walk_on(&walk, &part, TILES); part.n > 0; walk_on(&walk, &part, TILES)) {
        part_to_points_back(g, d_out, &part);
        if (d_packed) {
            part_to_points(v, in, &conv->in, &part);
            part_gradient(d_packed, v, g, conv, part.n, add_packed, &fetch);
            add_packed = true;
        }
        if (d_in) part_back(d_in, g, packed, v, conv, &part, &fetch);
    }
    if (d_in) clear(d_in, &conv->in, n, false);
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
