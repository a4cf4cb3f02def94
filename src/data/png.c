/* PNG, by libspng. */
#include "base/files.h"
#include "data/picture.h"

#include <spng.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

bool png_is(const void *file, size_t bytes)
{
    return bytes >= sizeof signature && memcmp(file, signature, sizeof signature) == 0;
}

/* ---- reading ---- */

static kelvin_status broken(int error, const char *path)
{
    if (error == SPNG_EMEM) return kelvin_fail(KELVIN_ENOMEM, "%s: out of memory while decoding", path);
    return kelvin_fail(KELVIN_EFORMAT, "%s: is a broken PNG file: %s", path, spng_strerror(error));
}

/* Bytes before compression: each row, and one byte that says how it is filtered. */
static size_t packed_size(const struct spng_ihdr *head)
{
    static const unsigned samples[] = {[SPNG_COLOR_TYPE_GRAYSCALE] = 1,
                                       [SPNG_COLOR_TYPE_TRUECOLOR] = 3,
                                       [SPNG_COLOR_TYPE_INDEXED] = 1,
                                       [SPNG_COLOR_TYPE_GRAYSCALE_ALPHA] = 2,
                                       [SPNG_COLOR_TYPE_TRUECOLOR_ALPHA] = 4};
    const uint64_t row = ((uint64_t)head->width * samples[head->color_type] * head->bit_depth + 7) / 8;
    return (size_t)((row + 1) * head->height);
}

static kelvin_status decode(struct picture *picture, spng_ctx *ctx, const void *file, size_t bytes, const char *path)
{
    struct spng_ihdr head;
    int error = spng_set_png_buffer(ctx, file, bytes);
    if (!error) error = spng_get_ihdr(ctx, &head); /* checks widths, heights, types and depths */
    if (error) return broken(error, path);
    const bool grey = head.color_type == SPNG_COLOR_TYPE_GRAYSCALE && head.bit_depth <= 8;
    const bool grey_as_colour = !grey && (head.color_type & SPNG_COLOR_TYPE_TRUECOLOR) == 0;
    picture->width = head.width;
    picture->height = head.height;
    picture->channels = grey ? 1 : 3;
    KELVIN_TRY(picture_alloc(picture, packed_size(&head), bytes, path));
    const size_t size = picture->height * picture->width * picture->channels;
    if ((error = spng_decode_image(ctx, picture->pixels, size, grey ? SPNG_FMT_G8 : SPNG_FMT_RGB8, 0)))
        return broken(error, path);
    if (grey_as_colour) { /* 16 bits, or with alpha: three times the same */
        picture->channels = 1;
        for (size_t i = 0; i < size / 3; i++) picture->pixels[i] = picture->pixels[3 * i];
    }
    return KELVIN_OK;
}

kelvin_status png_decode(struct picture *picture, const void *file, size_t bytes, const char *path)
{
    spng_ctx *ctx = spng_ctx_new(0);
    if (!ctx) return kelvin_fail(KELVIN_ENOMEM, "%s: out of memory while decoding", path);
    const kelvin_status status = decode(picture, ctx, file, bytes, path);
    spng_ctx_free(ctx);
    return status;
}

/* ---- writing ---- */

static kelvin_status encode(void **png, size_t *bytes, spng_ctx *ctx, const struct picture *picture, const char *path)
{
    struct spng_ihdr head = {
        .width = (uint32_t)picture->width,
        .height = (uint32_t)picture->height,
        .bit_depth = 8,
        .color_type = picture->channels == 1 ? SPNG_COLOR_TYPE_GRAYSCALE : SPNG_COLOR_TYPE_TRUECOLOR,
    };
    const size_t size = picture->height * picture->width * picture->channels;
    int error = spng_set_option(ctx, SPNG_ENCODE_TO_BUFFER, 1);
    if (!error) error = spng_set_ihdr(ctx, &head);
    if (!error) error = spng_encode_image(ctx, picture->pixels, size, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE);
    if (!error) *png = spng_get_png_buffer(ctx, bytes, &error);
    return error ? kelvin_fail(KELVIN_ENOMEM, "%s: could not be made: %s", path, spng_strerror(error)) : KELVIN_OK;
}

kelvin_status picture_write_png(const struct picture *picture, const char *path)
{
    void *png = NULL;
    size_t bytes = 0;
    spng_ctx *ctx = spng_ctx_new(SPNG_CTX_ENCODER);
    if (!ctx) return kelvin_fail(KELVIN_ENOMEM, "%s: out of memory while encoding", path);
    kelvin_status status = encode(&png, &bytes, ctx, picture, path);
    spng_ctx_free(ctx);
    if (!status) {
        struct kelvin_writer file;
        status = kelvin_writer_open(&file, path);
        if (!status) status = kelvin_writer_put(&file, png, bytes);
        status = kelvin_writer_close(&file, status);
    }
    free(png); /* from libspng's malloc */
    return status;
}
