/* Numbers of a table turned: columns become rows, tile by tile. */
#include "kernels/local.h"
#include "kernels/vec.h"

/* Eight rows of four columns: four vectors become those of the columns. */
INLINE void tall_tile(float *to, size_t to_row, const float *from, size_t from_row, v8 scale)
{
    v8 r[4];
    UNROLLED(t, 4) r[t] = v8_mul(scale, v8_load_halves(from + (size_t)t * from_row, from + (size_t)(t + 4) * from_row));
    v8_turn(r);
    UNROLLED(t, 4) v8_store(to + (size_t)t * to_row, r[t]);
}

/* Four rows of eight columns. */
INLINE void wide_tile(float *to, size_t to_row, const float *from, size_t from_row, v8 scale)
{
    v8 r[4];
    UNROLLED(t, 4) r[t] = v8_mul(scale, v8_load(from + (size_t)t * from_row));
    v8_turn(r);
    UNROLLED(t, 4) v8_store_halves(to + (size_t)t * to_row, to + (size_t)(t + 4) * to_row, r[t]);
}

/* Where the tile after the one at `i` begins: tiles reach the end by overlapping. */
INLINE size_t next(size_t i, size_t tile, size_t n)
{
    return i + tile == n ? n : i + 2 * tile <= n ? i + tile : n - tile;
}

INLINE void plain(float *to, size_t to_row, const float *from, size_t from_row, size_t rows, size_t columns,
                  float scale)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++) to[c * to_row + r] = scale * from[r * from_row + c];
}

void NAME(turn)(float *to, size_t to_row, const float *from, size_t from_row, size_t rows, size_t columns, float scale)
{
    const v8 by = v8_set(scale);
    size_t r = 0;
    if (rows < 8 || columns < 8) {
        plain(to, to_row, from, from_row, rows, columns, scale);
        return;
    }
    for (; r < rows && rows - r > 4; r += 8) {
        if (rows - r < 8) r = rows - 8;
        for (size_t c = 0; c < columns; c = next(c, 4, columns))
            tall_tile(to + c * to_row + r, to_row, from + r * from_row + c, from_row, by);
    }
    if (r >= rows) return;
    r = rows - 4;
    for (size_t c = 0; c < columns; c = next(c, 8, columns))
        wide_tile(to + c * to_row + r, to_row, from + r * from_row + c, from_row, by);
}
