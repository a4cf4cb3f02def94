/* Which format a picture has, and how much memory its file justifies. */
#include "data/picture.h"

enum { BEST_RATIO = 1032 };

static const struct {
    bool (*is)(const void *file, size_t bytes);
    kelvin_status (*decode)(struct picture *picture, const void *file, size_t bytes, const char *path);
} formats[] = {{png_is, png_decode}};

kelvin_status picture_decode(struct picture *picture, const void *file, size_t bytes, const char *path)
{
    *picture = (struct picture){0};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!formats[i].is(file, bytes)) continue;
        const kelvin_status status = formats[i].decode(picture, file, bytes, path);
        if (status) picture_free(picture);
        return status;
    }
    return kelvin_fail(KELVIN_EFORMAT, "%s: is neither a PNG nor a JPEG file", path);
}

void picture_free(struct picture *picture)
{
    kelvin_free(picture->pixels);
    picture->pixels = NULL;
}

kelvin_status picture_alloc(struct picture *picture, size_t packed, size_t bytes, const char *path)
{
    if (packed / BEST_RATIO > bytes)
        return kelvin_fail(KELVIN_EFORMAT, "%s: says that it has %zu x %zu pixels, more than %zu bytes can hold", path,
                           picture->width, picture->height, bytes);
    picture->pixels = kelvin_alloc(picture->height * picture->width, picture->channels);
    return picture->pixels ? KELVIN_OK : KELVIN_ENOMEM;
}
