/* PNG pictures. */
#include "data/picture.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>

static void run(const uint8_t *bytes, size_t size)
{
    static volatile uint32_t sink;
    struct picture picture;
    if (picture_decode(&picture, bytes, size, "fuzz.png")) {
        if (picture.pixels || !*kelvin_error()) abort();
        return;
    }
    const size_t n = picture.height * picture.width * picture.channels;
    if (n == 0 || (picture.channels != 1 && picture.channels != 3)) abort();
    for (size_t i = 0; i < n; i++) sink += picture.pixels[i];
    picture_free(&picture);
}

/* One byte of deflate is at most 1032 bytes of picture, eight times as many pixels where a pixel is a bit. libspng has
 * rows and windows of its own. */
const struct fuzz_target fuzz_target = {run, 1 << 20, 3 * 8 * 1032};
