/* IDX files, taken for images and for labels. */
#include "data/idx.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

/* A head that was accepted speaks of all bytes of the file and of no others. */
static void check(const struct idx_head *head, size_t size)
{
    size_t product = 1;
    for (size_t i = 0; i < IDX_AXES; i++) {
        if (head->size[i] == 0 || head->size[i] > size) abort();
        product *= head->size[i];
    }
    if (product != head->bytes || head->start != 4 + 4 * head->axes || head->start + product != size) abort();
}

static void run(const uint8_t *bytes, size_t size)
{
    struct idx_head head;
    uint8_t start[IDX_HEAD]; /* a reader has no more than these */
    uint8_t *given = kelvin_alloc(size < sizeof start ? size : sizeof start, 1);
    if (!given) abort();
    memcpy(given, bytes, size < sizeof start ? size : sizeof start);
    if (!kelvin_idx_parse_head(&head, given, size, false, "fuzz.labels")) check(&head, size);
    if (!kelvin_idx_parse_head(&head, given, size, true, "fuzz.images")) {
        const size_t pixels = head.size[1] * head.size[2], channels = head.size[3];
        check(&head, size);
        if (channels != 1 && channels != 3) abort();
        uint8_t *images = kelvin_alloc(head.bytes, 1), *aside = kelvin_alloc(pixels * channels, 1);
        if (!images || !aside) abort();
        memcpy(images, bytes + head.start, head.bytes);
        kelvin_idx_planes(images, head.size[0], pixels, channels, aside);
        for (size_t i = 0; i < head.bytes; i++) { /* where each of them must be now */
            const size_t image = i / (pixels * channels), p = i / channels % pixels, c = i % channels;
            if (images[(image * channels + c) * pixels + p] != bytes[head.start + i]) abort();
        }
        kelvin_free(images);
        kelvin_free(aside);
    } else if (!*kelvin_error()) {
        abort();
    }
    kelvin_free(given);
}

/* All pixels once, and one image aside. */
const struct fuzz_target fuzz_target = {run, 256, 2};
