/* Pictures in files: PNG and JPEG to bytes, bytes to PNG. */
#ifndef DATA_PICTURE_H
#define DATA_PICTURE_H

#include <kelvin/base.h>

struct picture {
    size_t height, width, channels; /* channels: 1 (grey) or 3 (red, green, blue) */
    uint8_t *pixels;                /* (height, width, channels) */
};

/* The picture in `bytes` bytes of a file; `path` is for sentences. KELVIN_EFORMAT if it is neither, or is broken.
 * 16-bit, paletted and transparent ones are converted: the high byte, the colour, no alpha. */
KELVIN_MUST_CHECK kelvin_status picture_decode(struct picture *picture, const void *file, size_t bytes,
                                               const char *path);
void picture_free(struct picture *picture);

KELVIN_MUST_CHECK kelvin_status picture_write_png(const struct picture *picture, const char *path);

/* ---- the formats, for picture.c ---- */

bool png_is(const void *file, size_t bytes);
KELVIN_MUST_CHECK kelvin_status png_decode(struct picture *picture, const void *file, size_t bytes, const char *path);

/* Memory for the pixels. KELVIN_EFORMAT if the file cannot hold so many: `packed` bytes before compression, which makes
 * at best 1032 out of one (deflate; JPEG needs at least a bit per block). */
KELVIN_MUST_CHECK kelvin_status picture_alloc(struct picture *picture, size_t packed, size_t bytes, const char *path);

#endif
