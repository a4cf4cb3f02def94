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
    for (size_t i = 0;; i = i + 16 <= n ? i + 8 : n - 8) {
        v8_store(out + i, v8_add(v8_mul(load(mirrored ? in + n - 8 - i : in + i, mirrored), s), o));
        if (i + 8 == n) return;
    }
}

INLINE void plane(float *out, const uint8_t *in, const struct image *image, float scale, float offset, bool mirrored)
{
    const ptrdiff_t height = (ptrdiff_t)image->height, width = (ptrdiff_t)image->width, dx = image->dx;
    /* Columns first .. last-1 of the output are inside of the image. */
    const ptrdiff_t low = dx < 0 ? -dx : 0, high = dx > 0 ? width - dx : width;
    const ptrdiff_t first = low < width ? low : width, last = high > first ? high : first;
    const ptrdiff_t start = mirrored ? width - last - dx : first + dx;
    for (ptrdiff_t y = 0; y < height; y++, out += width) {
        const ptrdiff_t from = y + image->dy;
        if (from < 0 || from >= height) {
            memset(out, 0, (size_t)width * sizeof *out);
            continue;
        }
        memset(out, 0, (size_t)first * sizeof *out);
        row(out + first, in + from * width + start, (size_t)(last - first), scale, offset, mirrored);
        memset(out + last, 0, (size_t)(width - last) * sizeof *out);
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
