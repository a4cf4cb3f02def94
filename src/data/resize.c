/* Resizing by a triangle filter. Pixel x of `out` has its centre at (x + 1/2) in / out of the `in` it is made of, and
 * takes those around it with weights that fall linearly to 0 at a distance of max(1, in / out). Times 2 out, all of
 * that is whole numbers:
 *
 *     w_j = max(0, 2 max(in, out) - |(2 j + 1) out - (2 x + 1) in|),     sum_j w_j p_j / sum_j w_j
 */
#include "data/picture.h"

#include <string.h>

/* One axis of a plane: how many pixels there are along it, and how far apart they and the lines beside them lie. */
struct axis {
    size_t n, step, line;
};

struct taps {
    size_t first, n;
    uint32_t *weight;
    uint64_t sum; /* at most 2 x 65535 x 65535 */
};

static void set_taps(struct taps *taps, size_t x, size_t in, size_t out)
{
    const int64_t reach = 2 * (int64_t)(in > out ? in : out), centre = (2 * (int64_t)x + 1) * (int64_t)in;
    taps->first = taps->n = taps->sum = 0;
    const int64_t lowest = (centre - reach) / (2 * (int64_t)out) - 1;
    for (size_t j = lowest > 0 ? (size_t)lowest : 0; j < in; j++) {
        const int64_t d = (2 * (int64_t)j + 1) * (int64_t)out - centre, weight = reach - (d < 0 ? -d : d);
        if (weight <= 0 && d > 0) break;
        if (weight <= 0) continue;
        if (taps->n == 0) taps->first = j;
        taps->weight[taps->n++] = (uint32_t)weight;
        taps->sum += (uint64_t)weight;
    }
}

static void resample(uint8_t *to, struct axis t, const uint8_t *from, struct axis f, size_t lines, struct taps *taps)
{
    for (size_t x = 0; x < t.n; x++) {
        set_taps(taps, x, f.n, t.n);
        for (size_t l = 0; l < lines; l++) {
            const uint8_t *at = from + l * f.line + taps->first * f.step;
            uint64_t sum = taps->sum / 2;
            for (size_t j = 0; j < taps->n; j++) sum += taps->weight[j] * (uint64_t)at[j * f.step];
            to[l * t.line + x * t.step] = (uint8_t)(sum / taps->sum);
        }
    }
}

kelvin_status kelvin_resize_plane(uint8_t *to, size_t to_height, size_t to_width, const uint8_t *from,
                                  size_t from_height, size_t from_width)
{
    if (to_height == from_height && to_width == from_width) {
        memcpy(to, from, to_height * to_width);
        return KELVIN_OK;
    }
    const size_t longest = from_height > from_width ? from_height : from_width;
    struct taps taps = {.weight = kelvin_alloc(longest, sizeof *taps.weight)};
    uint8_t *between = kelvin_alloc(from_height, to_width);
    const bool ready = taps.weight && between;
    if (ready) {
        resample(between, (struct axis){to_width, 1, to_width}, from, (struct axis){from_width, 1, from_width},
                 from_height, &taps);
        resample(to, (struct axis){to_height, to_width, 1}, between, (struct axis){from_height, to_width, 1}, to_width,
                 &taps);
    }
    kelvin_free(between);
    kelvin_free(taps.weight);
    return ready ? KELVIN_OK : KELVIN_ENOMEM;
}
