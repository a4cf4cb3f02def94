/* Pictures as a network wants them: plane after plane, of one size, grey or in colour. */
#include "data/picture.h"
#include "files/files.h"

kelvin_status kelvin_picture_read(struct picture *picture, const char *path)
{
    char *bytes;
    size_t size;
    *picture = (struct picture){0};
    KELVIN_TRY(kelvin_file_read(&bytes, &size, path));
    const kelvin_status status = kelvin_picture_decode(picture, bytes, size, path);
    kelvin_free(bytes);
    return status;
}

/* One plane of a picture; Rec. 601 luma, in the whole numbers of PIL, where colour becomes grey. */
static void get_plane(uint8_t *to, const struct picture *picture, size_t channel, bool luma)
{
    const size_t n = picture->height * picture->width, step = picture->channels;
    const uint8_t *p = picture->pixels;
    if (luma)
        for (size_t i = 0; i < n; i++, p += step)
            to[i] = (uint8_t)((p[0] * 19595u + p[1] * 38470u + p[2] * 7471u + 0x8000u) >> 16);
    else
        kelvin_picture_plane(to, p, n, step, channel);
}

kelvin_status kelvin_picture_fit(uint8_t *to, const kelvin_data *like, const struct picture *picture)
{
    uint8_t *plane = kelvin_alloc(picture->height, picture->width);
    kelvin_status status = plane ? KELVIN_OK : KELVIN_ENOMEM;
    for (size_t c = 0; !status && c < like->channels; c++, to += like->height * like->width) {
        get_plane(plane, picture, picture->channels == 1 ? 0 : c, picture->channels > like->channels);
        status = kelvin_resize_plane(to, like->height, like->width, plane, picture->height, picture->width);
    }
    kelvin_free(plane);
    return status;
}
