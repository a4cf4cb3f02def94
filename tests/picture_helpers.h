/* Pictures for tests: PNG files put together byte by byte, JPEG files by libjpeg-turbo. Included after run_helpers.h.
 */
#ifndef PICTURE_HELPERS_H
#define PICTURE_HELPERS_H

#include "data/picture.h"

#include <turbojpeg.h>

struct bytes {
    uint8_t data[4096];
    size_t n;
};

static inline void put_bytes(struct bytes *b, const void *data, size_t n)
{
    assert_true(n <= sizeof b->data - b->n);
    if (n > 0) memcpy(b->data + b->n, data, n);
    b->n += n;
}

static inline void put_u32(struct bytes *b, uint32_t v)
{
    put_bytes(b, (uint8_t[]){(uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v}, 4);
}

static inline void put_chunk(struct bytes *b, const char *type, const void *data, size_t n)
{
    put_u32(b, (uint32_t)n);
    const size_t start = b->n;
    put_bytes(b, type, 4);
    put_bytes(b, data, n);
    put_u32(b, kelvin_crc32(b->data + start, b->n - start));
}

struct png {
    uint32_t width, height;
    uint8_t depth, type, interlaced;
    const char *palette;
    size_t n_palette;
    const char *rows; /* each after the number of its filter */
    size_t n_rows;
};

static inline void put_head(struct bytes *b, const struct png *png)
{
    put_bytes(b, "\x89PNG\r\n\x1a\n", 8);
    struct bytes head = {.n = 0};
    put_u32(&head, png->width);
    put_u32(&head, png->height);
    put_bytes(&head, (uint8_t[]){png->depth, png->type, 0, 0, png->interlaced}, 5);
    put_chunk(b, "IHDR", head.data, head.n);
    if (png->palette) put_chunk(b, "PLTE", png->palette, png->n_palette);
}

/* The rows as zlib has them if it does not compress: a header, one block, Adler-32. */
static inline void put_rows(struct bytes *b, const char *rows, size_t n)
{
    struct bytes z = {.n = 0};
    put_bytes(&z, (uint8_t[]){0x78, 1, 1, (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)~n, (uint8_t)(~n >> 8)}, 7);
    put_bytes(&z, rows, n);
    uint32_t s = 1, t = 0;
    for (size_t i = 0; i < n; i++) {
        s = (s + (uint8_t)rows[i]) % 65521;
        t = (t + s) % 65521;
    }
    put_u32(&z, t << 16 | s);
    put_chunk(b, "IDAT", z.data, z.n);
}

static inline void make_png(struct bytes *b, const struct png *png)
{
    b->n = 0;
    put_head(b, png);
    put_rows(b, png->rows, png->n_rows);
    put_chunk(b, "IEND", NULL, 0);
}

/* Smooth: what JPEG keeps well. */
static inline uint8_t smooth(size_t x, size_t y, size_t c)
{
    return (uint8_t)(40 + 5 * x + 3 * y + (c == 1 ? 4 * y : 0) + (c == 2 ? 30 : 0));
}

static inline void make_jpeg(struct bytes *b, size_t width, size_t height, int format, int subsampling, int flags)
{
    static uint8_t pixels[32 * 32 * 4];
    const size_t channels = (size_t)tjPixelSize[format];
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            for (size_t c = 0; c < channels; c++) pixels[(y * width + x) * channels + c] = smooth(x, y, c);
    tjhandle handle = tjInitCompress();
    unsigned char *jpeg = NULL;
    unsigned long n = 0;
    assert_int_equal(tjCompress2(handle, pixels, (int)width, 0, (int)height, format, &jpeg, &n, subsampling, 98, flags),
                     0);
    b->n = 0;
    put_bytes(b, jpeg, n);
    tjFree(jpeg);
    tjDestroy(handle);
}

/* Where the segment of this kind begins. */
static inline size_t find_segment(const struct bytes *b, uint8_t kind)
{
    for (size_t i = 0; i + 1 < b->n; i++)
        if (b->data[i] == 0xff && b->data[i + 1] == kind) return i;
    fail_msg("no segment %02x", kind);
    return 0;
}

#endif
