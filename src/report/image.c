/* Images of a data set inside the page: PNG as a data URI. */
#include "data/picture.h"
#include "report/page.h"

#include <math.h>

enum { LARGEST = 96 }; /* pixels along the longer side */

/* RFC 4648. */
static void put_base64(struct markup *out, const unsigned char *bytes, size_t n)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        const size_t left = n - i;
        const unsigned a = bytes[i], b = left > 1 ? bytes[i + 1] : 0, c = left > 2 ? bytes[i + 2] : 0;
        const char four[] = {letters[a >> 2], letters[(a & 3) << 4 | b >> 4],
                             left > 1 ? letters[(b & 15) << 2 | c >> 6] : '=', left > 2 ? letters[c & 63] : '='};
        markup_bytes(out, four, sizeof four);
    }
}

static void put_png(struct page *page, const struct picture *picture, const void *png, size_t bytes, const char *about)
{
    markup_put(&page->out, "<img width=\"%zu\" height=\"%zu\" alt=\"", picture->width, picture->height);
    markup_text(&page->out, about);
    markup_put(&page->out, "\" src=\"data:image/png;base64,");
    put_base64(&page->out, png, bytes);
    markup_put(&page->out, "\">");
}

/* Normalised planes to pixels, 0 .. 255; large images become smaller. Halves go up, whatever the last bit of a float.
 */
static kelvin_status fill(struct picture *picture, const kelvin_data *data, const float *x)
{
    const size_t size = data->height * data->width, pixels = picture->height * picture->width;
    uint8_t *plane = kelvin_alloc(size, 1), *small = kelvin_alloc(pixels, 1);
    kelvin_status status = plane && small ? KELVIN_OK : KELVIN_ENOMEM;
    for (size_t c = 0; c < data->channels && !status; c++) {
        for (size_t i = 0; i < size; i++) {
            const double value = 255 * ((double)x[c * size + i] * data->deviation[c] + data->mean[c]);
            plane[i] = (uint8_t)fmin(255, fmax(0, floor(value + 0.501)));
        }
        status = resize_plane(small, picture->height, picture->width, plane, data->height, data->width);
        for (size_t i = 0; i < pixels && !status; i++) picture->pixels[i * data->channels + c] = small[i];
    }
    kelvin_free(plane);
    kelvin_free(small);
    return status;
}

kelvin_status put_image(struct page *page, const kelvin_data *data, const float *x, const char *about)
{
    const size_t longer = data->height > data->width ? data->height : data->width;
    const size_t by = longer > LARGEST ? longer : LARGEST;
    struct picture picture = {.height = (data->height * LARGEST + by - 1) / by,
                              .width = (data->width * LARGEST + by - 1) / by,
                              .channels = data->channels};
    void *png = NULL;
    size_t bytes = 0;
    picture.pixels = kelvin_alloc(picture.height * picture.width, picture.channels);
    kelvin_status status = picture.pixels ? fill(&picture, data, x) : KELVIN_ENOMEM;
    if (!status) status = picture_encode_png(&png, &bytes, &picture, "image");
    if (!status) put_png(page, &picture, png, bytes, about);
    kelvin_free(png);
    picture_free(&picture);
    return status;
}
