/* Which format a picture has, and how much memory its file justifies. */
#include "data/picture.h"

enum { MAX_PIXELS = 1 << 27, MAX_SIDE = 65535 };

static const struct {
    bool (*is)(const void *file, size_t bytes);
    kelvin_status (*decode)(struct picture *picture, const void *file, size_t bytes, const char *path);
} formats[] = {{kelvin_png_is, kelvin_png_decode}, {kelvin_jpeg_is, kelvin_jpeg_decode}};

kelvin_status kelvin_picture_decode(struct picture *picture, const void *file, size_t bytes, const char *path)
{
    *picture = (struct picture){0};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!formats[i].is(file, bytes)) continue;
        const kelvin_status status = formats[i].decode(picture, file, bytes, path);
        if (status) kelvin_picture_free(picture);
        return status;
    }
    return kelvin_fail(KELVIN_EFORMAT, "%s: byte 0: is neither a PNG nor a JPEG file", path);
}

void kelvin_picture_free(struct picture *picture)
{
    kelvin_free(picture->pixels);
    picture->pixels = NULL;
}

kelvin_status kelvin_picture_alloc(struct picture *picture, size_t least, size_t bytes, const char *path)
{
    const size_t height = picture->height, width = picture->width;
    if (least > bytes)
        return kelvin_fail(KELVIN_EFORMAT, "%s: says that it has %zu x %zu pixels, more than %zu bytes can hold", path,
                           width, height, bytes);
    if (height > MAX_SIDE || width > MAX_SIDE || height * width > MAX_PIXELS)
        return kelvin_fail(KELVIN_EFORMAT, "%s: has %zu x %zu pixels; expected at most %d, and %d along a side", path,
                           width, height, MAX_PIXELS, MAX_SIDE);
    picture->pixels = kelvin_alloc(height * width, picture->channels);
    return picture->pixels ? KELVIN_OK : KELVIN_ENOMEM;
}

void kelvin_picture_plane(uint8_t *to, const uint8_t *pixels, size_t n, size_t channels, size_t channel)
{
    for (size_t i = 0; i < n; i++) to[i] = pixels[i * channels + channel];
}
