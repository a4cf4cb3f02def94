/* PNG, by libspng. */
#include "base/bytes.h"
#include "data/picture.h"
#include "files/files.h"

#include <spng.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

bool kelvin_png_is(const void *file, size_t bytes)
{
    return bytes >= sizeof signature && memcmp(file, signature, sizeof signature) == 0;
}

/* ---- reading ---- */

/* deflate makes at best this many bytes out of one */
enum { BEST_RATIO = 1032 };

/* libspng calls memory that could not be had by several names, one of them a broken stream. */
static _Thread_local bool refused;

static void *take_zeroed(size_t count, size_t size)
{
    void *p = kelvin_alloc(count, size);
    refused |= !p;
    return p;
}

static void *take(size_t size)
{
    return take_zeroed(1, size);
}

static struct spng_alloc memory = {take, realloc, take_zeroed, kelvin_free};

static kelvin_status broken(int error, const char *path)
{
    if (refused) return kelvin_fail(KELVIN_ENOMEM, "%s: out of memory while decoding", path);
    return kelvin_fail(KELVIN_EFORMAT, "%s: is a broken PNG file: %s", path, spng_strerror(error));
}

/* The signature and the chunks that a picture cannot do without, up to IEND; libspng would keep and inflate the others
 * (texts, colour profiles), whatever they claim to be. A chunk is: bytes of data (4), type (4), data, checksum (4). */
static kelvin_status keep_critical(uint8_t *kept, size_t *n_kept, const uint8_t *file, size_t bytes, const char *path)
{
    size_t at = sizeof signature;
    memcpy(kept, file, at);
    *n_kept = at;
    for (bool end = false; !end;) {
        const size_t length = bytes - at >= 12 ? (size_t)kelvin_big_endian_32(file + at) + 12 : 12;
        if (length > bytes - at)
            return kelvin_fail(KELVIN_EFORMAT,
                               "%s: byte %zu: the file is cut off; expected %zu more bytes, and IEND at the end", path,
                               bytes, length - (bytes - at));
        const uint8_t *type = file + at + 4;
        end = memcmp(type, "IEND", 4) == 0;
        if (!(type[0] & 0x20)) { /* a capital letter: critical */
            memcpy(kept + *n_kept, file + at, length);
            *n_kept += length;
        }
        at += length;
    }
    return KELVIN_OK;
}

/* The least that a file must have: each row, and a byte that says how it is filtered, as small as deflate can make it.
 * Interlacing makes rows more, never fewer. */
static size_t least_size(const struct spng_ihdr *head)
{
    static const unsigned samples[] = {[SPNG_COLOR_TYPE_GRAYSCALE] = 1,
                                       [SPNG_COLOR_TYPE_TRUECOLOR] = 3,
                                       [SPNG_COLOR_TYPE_INDEXED] = 1,
                                       [SPNG_COLOR_TYPE_GRAYSCALE_ALPHA] = 2,
                                       [SPNG_COLOR_TYPE_TRUECOLOR_ALPHA] = 4};
    const uint64_t row = ((uint64_t)head->width * samples[head->color_type] * head->bit_depth + 7) / 8;
    size_t packed;
    return __builtin_mul_overflow(row + 1, head->height, &packed) ? SIZE_MAX : packed / BEST_RATIO;
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
    KELVIN_TRY(kelvin_picture_alloc(picture, least_size(&head), bytes, path));
    const size_t size = picture->height * picture->width * picture->channels;
    error = spng_decode_image(ctx, picture->pixels, size, grey ? SPNG_FMT_G8 : SPNG_FMT_RGB8, 0);
    if (!error) error = spng_decode_chunks(ctx); /* only here the last checksums are looked at */
    if (error) return broken(error, path);
    if (grey_as_colour) { /* 16 bits, or with alpha: three times the same */
        picture->channels = 1;
        for (size_t i = 0; i < size / 3; i++) picture->pixels[i] = picture->pixels[3 * i];
    }
    return KELVIN_OK;
}

kelvin_status kelvin_png_decode(struct picture *picture, const void *file, size_t bytes, const char *path)
{
    size_t n_kept;
    uint8_t *kept = kelvin_alloc(bytes, 1);
    if (!kept) return KELVIN_ENOMEM;
    refused = false;
    kelvin_status status = keep_critical(kept, &n_kept, file, bytes, path);
    spng_ctx *ctx = status ? NULL : spng_ctx_new2(&memory, 0);
    if (ctx)
        status = decode(picture, ctx, kept, n_kept, path);
    else if (!status)
        status = broken(SPNG_EMEM, path);
    spng_ctx_free(ctx);
    kelvin_free(kept);
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

kelvin_status kelvin_picture_encode_png(void **png, size_t *bytes, const struct picture *picture, const char *path)
{
    *png = NULL;
    spng_ctx *ctx = spng_ctx_new2(&memory, SPNG_CTX_ENCODER);
    if (!ctx) return kelvin_fail(KELVIN_ENOMEM, "%s: out of memory while encoding", path);
    const kelvin_status status = encode(png, bytes, ctx, picture, path);
    spng_ctx_free(ctx);
    return status;
}

kelvin_status kelvin_picture_write_png(const struct picture *picture, const char *path)
{
    void *png;
    size_t bytes;
    struct kelvin_writer file;
    KELVIN_TRY(kelvin_picture_encode_png(&png, &bytes, picture, path));
    kelvin_status status = kelvin_writer_open(&file, path);
    if (!status) status = kelvin_writer_put(&file, png, bytes);
    status = kelvin_writer_close(&file, status);
    kelvin_free(png);
    return status;
}
