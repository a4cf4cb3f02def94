/* JPEG, by libjpeg-turbo. It fills what is cut off or broken with grey and warns; here a warning is a failure. */
#include "data/picture.h"

#include <string.h>
#include <turbojpeg.h>

bool kelvin_jpeg_is(const void *file, size_t bytes)
{
    return bytes >= 3 && memcmp(file, "\xff\xd8\xff", 3) == 0;
}

static kelvin_status broken(tjhandle handle, const char *path)
{
    const char *reason = tjGetErrorStr2(handle);
    if (strstr(reason, "Insufficient memory"))
        return kelvin_fail(KELVIN_ENOMEM, "%s: out of memory while decoding", path);
    return kelvin_fail(KELVIN_EFORMAT, "%s: is a broken JPEG file: %s", path, reason);
}

/* ---- the frame: the header that says how the picture is coded ---- */

/* ff, kind, bytes that follow (2), bits per sample, height (2), width (2), colours */
enum { FRAME_BYTES = 10 };

static kelvin_status check_frame(const uint8_t *frame, size_t at, const char *path)
{
    const unsigned kind = frame[1] & 15u;
    const char *found = NULL;
    if (kind > 8) found = "arithmetic coding";
    if (kind == 3 || (kind > 4 && kind < 8)) found = "lossless or hierarchical coding";
    if (!found && frame[4] != 8) found = "other than 8 bits per sample";
    if (!found && frame[9] == 4) found = "four colours (CMYK)";
    if (!found) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: byte %zu: has %s; expected 8 bits, grey or RGB, with Huffman coding", path,
                       at, found);
}

/* Goes over the segments (ff, kind, bytes that follow (2), data) to the first frame header, of kind c0 .. cf; of these,
 * c4, c8 and cc are something else. */
static kelvin_status find_frame(const uint8_t *file, size_t bytes, const char *path)
{
    size_t at = 2;
    while (bytes - at >= 4 && file[at] == 0xff) {
        const unsigned kind = file[at + 1];
        if (kind == 0xff) { /* padding */
            at++;
            continue;
        }
        const bool frame = (kind & 0xf0) == 0xc0 && kind != 0xc4 && kind != 0xc8 && kind != 0xcc;
        const size_t length = 2 + ((size_t)file[at + 2] << 8 | file[at + 3]);
        if (length > bytes - at || (frame && length < FRAME_BYTES)) break;
        if (frame) return check_frame(file + at, at, path);
        at += length;
    }
    return kelvin_fail(KELVIN_EFORMAT, "%s: byte %zu: is a broken JPEG file; expected a segment, and then a frame",
                       path, at);
}

/* ---- decoding ---- */

static kelvin_status decode(struct picture *picture, tjhandle handle, const void *file, size_t bytes, const char *path)
{
    int width, height, subsampling, colours;
    if (tjDecompressHeader3(handle, file, bytes, &width, &height, &subsampling, &colours)) return broken(handle, path);
    const bool grey = colours == TJCS_GRAY;
    picture->width = (size_t)width;
    picture->height = (size_t)height;
    picture->channels = grey ? 1 : 3;
    const size_t blocks = (picture->width + 7) / 8 * ((picture->height + 7) / 8); /* each takes a bit or more */
    KELVIN_TRY(kelvin_picture_alloc(picture, blocks / 8, bytes, path));
    if (tjDecompress2(handle, file, bytes, picture->pixels, width, 0, height, grey ? TJPF_GRAY : TJPF_RGB,
                      TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS))
        return broken(handle, path);
    return KELVIN_OK;
}

kelvin_status kelvin_jpeg_decode(struct picture *picture, const void *file, size_t bytes, const char *path)
{
    KELVIN_TRY(find_frame(file, bytes, path));
    tjhandle handle = tjInitDecompress();
    if (!handle) return kelvin_fail(KELVIN_ENOMEM, "%s: out of memory while decoding", path);
    const kelvin_status status = decode(picture, handle, file, bytes, path);
    tjDestroy(handle);
    return status;
}
