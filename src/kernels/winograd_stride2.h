/* Transforms of winograd_stride2.c, which includes this: along one axis, and of single tiles.
 *
 * Along one axis a tile of four outputs reads nine pixels. The first and the last tap meet the even ones of them, 0, 2
 * .. 8: two taps at neighbours, as in a convolution of stride 1, which takes a product at each of five points instead
 * of eight. The middle tap meets the odd ones, 1, 3, 5, 7: a product each, plainly. So there are nine values per axis,
 * five at points and four plain ones, and six weights, the last of which all plain values share.
 *
 * On the way back four even and four odd pixels of `in` hear from five of `out`: an even one through the last and the
 * first tap from two neighbours, an odd one through the middle tap from the second of these. That is the same
 * transform, of pixels that are not two apart, but one.
 *
 * Points: 0, +-7/8, +-7/4. Of sets that are their own mirror images, which cost least, this one loses the fewest
 * digits: a third of what 0, +-1, 2, infinity lose. Its squares are exact. The factors that make the transforms fit
 * each other are all in the weights'. */
#ifndef KERNELS_WINOGRAD_STRIDE2_H
#define KERNELS_WINOGRAD_STRIDE2_H

#include "kernels/wide.h"

enum {
    LANES = KELVIN_LANES,
    TILE = 4,
    REAL = TILE + 1,    /* points */
    AXIS = REAL + TILE, /* values; and pixels of `in` that a tile reads */
    POINTS = REAL + 1,  /* weights, as if the plain values were one more point */
    ALL_POINTS = POINTS * POINTS,
    TILES = 32,         /* at a time, at most: their values stay in L2 */
    FORWARD_TILES = 16, /* gradients take more: each of their sums is loaded and stored once in that time */
};

/* ---- one axis ---- */

#define POINT_A 0.875f
#define POINT_B 1.75f
static const float point_a = POINT_A, point_b = POINT_B;

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

/* The outer taps' polynomial at each point, over the product of the distances to the other points; the middle tap. */
static const float at_0 = 1 / (POINT_A * POINT_A * POINT_B * POINT_B),
                   at_a = 0.5f / (POINT_A * POINT_A * (POINT_A * POINT_A - POINT_B * POINT_B)),
                   at_b = 0.5f / (POINT_B * POINT_B * (POINT_B * POINT_B - POINT_A * POINT_A));

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

/* Values of tiles are (blocks, points, tiles, plain values down, across, 16): a tile has one row of 16, four or sixteen
 * at a point, all of which have the same weights. */
INLINE size_t rows_at(size_t point)
{
    return (point / POINTS < REAL ? 1u : TILE) * (point % POINTS < REAL ? 1u : TILE);
}

/* Where the values at a point begin. Between two points is one line more than they fill, or all of them would fall into
 * one set of the cache. */
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

/* ---- transforms of single tiles: one vector of channels ---- */

/* Functions that are not to be inlined: in a loop over tiles the compiler would keep the addresses of all 81 values on
 * the stack, and loading them takes as long as the transform. */
#define APART static __attribute__((noinline))

/* The second half of a transform: along y, from column x of `half` to column `to` of the values. */
#define ALONG_Y(transform, n, v, t, half, x, to)                                                                       \
    {                                                                                                                  \
        wide d[n], p[REAL];                                                                                            \
        UNROLLED(y, n) d[y] = half[y][x];                                                                              \
        transform(p, d);                                                                                               \
        UNROLLED(y, REAL) wide_store((v) + value_at(t, (size_t)y, (size_t)(to)), p[y]);                                \
    }

/* Even pixels are `step` pixels apart, and each odd one is the neighbour of an even one. */
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

/* The adjoint of the way from values to outputs, for gradients of weights. */
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

/* ---- from values to outputs, and to pixels of d_in ---- */

/* From values to pixels along y, of column x of the values. */
INLINE void along_y(wide out[TILE], const float *m, size_t t, int x)
{
    wide d[REAL];
    UNROLLED(y, REAL) d[y] = wide_load(m + value_at(t, (size_t)y, (size_t)x));
    from_points(out, d);
}

/* The plain value number y of column x. */
INLINE wide plain(const float *m, size_t t, int y, int x)
{
    return wide_load(m + value_at(t, (size_t)(REAL + y), (size_t)x));
}

/* A tile of outputs, to which all values add; those beyond `rows` and `columns` are not there. */
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

#endif
