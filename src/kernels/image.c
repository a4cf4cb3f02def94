/* Images: bytes to normalised floats, moved and mirrored on the way. Rows are vectors; a row whose length is not a
 * multiple of eight ends with a vector that overlaps the one before. */
#include "kernels/local.h"
#include "kernels/vec.h"

/* Eight floats from eight bytes; in the order of memory, or in the other one. */
INLINE v8 load(const uint8_t *from, bool mirrored)
{
    uint64_t bits;
    memcpy(&bits, from, sizeof bits);
    return v8_from_bytes(mirrored ? __builtin_bswap64(bits) : bits);
}

/* out[i] = in[i] * scale + offset; from the end of `in` if mirrored. Not fused: the same bits with and without FMA. */
INLINE void row(float *out, const uint8_t *in, size_t n, float scale, float offset, bool mirrored)
{
    const v8 s = v8_set(scale), o = v8_set(offset);
    if (n < 8) {
        for (size_t i = 0; i < n; i++) out[i] = (float)in[mirrored ? n - 1 - i : i] * scale + offset;
        return;
    }
    size_t i = 0;
    for (; !mirrored && i + 32 <= n; i += 32) {
        UNROLLED(u, 4) {
            v8_store(out + i + 8 * u, v8_add(v8_mul(load(in + i + 8 * u, false), s), o));
        }
    }
    for (; i + 8 <= n; i += 8)
        v8_store(out + i, v8_add(v8_mul(load(mirrored ? in + n - 8 - i : in + i, mirrored), s), o));
    if (i < n) v8_store(out + n - 8, v8_add(v8_mul(load(mirrored ? in : in + n - 8, mirrored), s), o));
}

/* What of 0 .. size-1, moved by `shift`, is inside. */
struct range {
    size_t first, last;
};

INLINE struct range inside(size_t size, int shift)
{
    const size_t by = (size_t)(shift < 0 ? -(ptrdiff_t)shift : shift), kept = by < size ? size - by : 0;
    return shift < 0 ? (struct range){size - kept, size} : (struct range){0, kept};
}

/* Zeros before and after the columns. Those may get zeros too: a store of eight costs less than a call for four. */
INLINE void clear_edges(float *out, struct range columns, size_t width)
{
    const size_t before = columns.first, after = width - columns.last;
    if (width >= 8 && before <= 8 && after <= 8) {
        if (before > 0) v8_store(out, v8_set(0.0f));
        if (after > 0) v8_store(out + width - 8, v8_set(0.0f));
    } else {
        memset(out, 0, before * sizeof *out);
        memset(out + columns.last, 0, after * sizeof *out);
    }
}

INLINE void plane(float *out, const uint8_t *in, const struct image *image, float scale, float offset, bool mirrored)
{
    const size_t width = image->width;
    const struct range rows = inside(image->height, image->dy), columns = inside(width, image->dx);
    const size_t n = columns.last - columns.first;
    /* The first of these n pixels in memory: on the other side of its row if mirrored. */
    const size_t start = (image->dx > 0) != mirrored ? width - n : 0;
    memset(out, 0, rows.first * width * sizeof *out);
    memset(out + rows.last * width, 0, (image->height - rows.last) * width * sizeof *out);
    if (n == width && !mirrored) { /* whole rows, one behind the other, are one long one */
        row(out + rows.first * width, in + (size_t)((ptrdiff_t)rows.first + image->dy) * width,
            (rows.last - rows.first) * width, scale, offset, false);
        return;
    }
    for (size_t y = rows.first; y < rows.last; y++) {
        clear_edges(out + y * width, columns, width);
        row(out + y * width + columns.first, in + (size_t)((ptrdiff_t)y + image->dy) * width + start, n, scale, offset,
            mirrored);
    }
}

void NAME(image)(float *out, const uint8_t *in, const struct image *image)
{
    const size_t size = image->height * image->width;
    for (size_t c = 0; c < image->channels; c++)
        if (image->flip)
            plane(out + c * size, in + c * size, image, image->scale[c], image->offset[c], true);
        else
            plane(out + c * size, in + c * size, image, image->scale[c], image->offset[c], false);
}
