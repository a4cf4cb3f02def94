/* What is true of every picture that could be decoded, and of every one that could not. Included once per target. */
#ifndef FUZZ_PICTURE_H
#define FUZZ_PICTURE_H

#include "data/picture.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>

static volatile uint32_t fuzz_sink;

static inline void fuzz_picture(const uint8_t *bytes, size_t size)
{
    struct picture picture;
    if (kelvin_picture_decode(&picture, bytes, size, "fuzz")) {
        if (picture.pixels || !*kelvin_error()) abort();
        return;
    }
    const size_t n = picture.height * picture.width * picture.channels;
    if (n == 0 || (picture.channels != 1 && picture.channels != 3)) abort();
    for (size_t i = 0; i < n; i++) fuzz_sink += picture.pixels[i];
    kelvin_picture_free(&picture);
}

#endif
