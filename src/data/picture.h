/* Pictures in files: PNG and JPEG to bytes, bytes to PNG. */
#ifndef DATA_PICTURE_H
#define DATA_PICTURE_H

#include "data/dataset.h"

struct picture {
    size_t height, width, channels; /* channels: 1 (grey) or 3 (red, green, blue) */
    uint8_t *pixels;                /* (height, width, channels) */
};

/* The picture in `bytes` bytes of a file; `path` is for sentences. KELVIN_EFORMAT if it is neither PNG nor JPEG, or is
 * broken or cut off. Of PNG: 1, 2 and 4 bits are stretched to 0 .. 255, of 16 bits the high byte is taken, paletted
 * ones are colour, transparency is dropped. Of JPEG: grey and YCbCr or RGB, sequential or progressive. */
KELVIN_MUST_CHECK kelvin_status kelvin_picture_decode(struct picture *picture, const void *file, size_t bytes,
                                                      const char *path);
void kelvin_picture_free(struct picture *picture);

/* The bytes of a PNG, to be freed with kelvin_free; `path` is for sentences. */
KELVIN_MUST_CHECK kelvin_status kelvin_picture_encode_png(void **png, size_t *bytes, const struct picture *picture,
                                                          const char *path);
KELVIN_MUST_CHECK kelvin_status kelvin_picture_write_png(const struct picture *picture, const char *path);

/* That in a file. */
KELVIN_MUST_CHECK kelvin_status kelvin_picture_read(struct picture *picture, const char *path);

/* Makes it as large and as colourful as images of `like`: to (channels, height, width). */
KELVIN_MUST_CHECK kelvin_status kelvin_picture_fit(uint8_t *to, const kelvin_data *like, const struct picture *picture);

/* Makes one plane of bytes (height, width) out of another: a triangle filter, as wide as a pixel of the coarser of the
 * two is far from the next, along rows and then along columns. In whole numbers: the same on every machine; a plane of
 * one grey stays so, and one of the right size stays as it is. No size is 0; none is above 65535. */
KELVIN_MUST_CHECK kelvin_status kelvin_resize_plane(uint8_t *to, size_t to_height, size_t to_width, const uint8_t *from,
                                                    size_t from_height, size_t from_width);

/* One channel of n pixels. */
void kelvin_picture_plane(uint8_t *to, const uint8_t *pixels, size_t n, size_t channels, size_t channel);

/* ---- the formats, for picture.c ---- */

bool kelvin_png_is(const void *file, size_t bytes);
KELVIN_MUST_CHECK kelvin_status kelvin_png_decode(struct picture *picture, const void *file, size_t bytes,
                                                  const char *path);

bool kelvin_jpeg_is(const void *file, size_t bytes);
KELVIN_MUST_CHECK kelvin_status kelvin_jpeg_decode(struct picture *picture, const void *file, size_t bytes,
                                                   const char *path);

/* Memory for the pixels. KELVIN_EFORMAT if a file of `bytes` bytes cannot hold so many, where `least` are needed
 * however well they compress, or if they are more than any picture here should have. */
KELVIN_MUST_CHECK kelvin_status kelvin_picture_alloc(struct picture *picture, size_t least, size_t bytes,
                                                     const char *path);

#endif
