/* PNG pictures: as they are, and with their checksums mended, without which chance does not get past the first chunk.
 */
#include "files/formats.h"
#include "fuzz/fuzz_picture.h"

#include <string.h>

static void store(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void mend(uint8_t *png, size_t size)
{
    for (size_t at = 8, length; size > at && size - at >= 12; at += 12 + length) {
        length = (size_t)png[at] << 24 | (size_t)png[at + 1] << 16 | (size_t)png[at + 2] << 8 | png[at + 3];
        if (length > size - at - 12) return;
        store(png + at + 8 + length, kelvin_crc32(png + at + 4, length + 4));
    }
}

static void run(const uint8_t *bytes, size_t size)
{
    fuzz_picture(bytes, size);
    uint8_t *mended = malloc(size + 1);
    if (!mended) return;
    if (size > 0) memcpy(mended, bytes, size);
    mend(mended, size);
    fuzz_picture(mended, size);
    free(mended);
}

/* One byte of deflate is at most 1032 bytes of picture, eight times as many pixels where a pixel is a bit, three times
 * where it has a colour. A row or three more, the window of zlib (40 kB) and the tables of libspng; all of it twice. */
const struct fuzz_target fuzz_target = {run, 1 << 17, 2 * (3 * 8 + 4) * 1032};
