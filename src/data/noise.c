/* Images of noise, for benchmarks: as many and as large as those of a data set that may not be here. What they cost
 * does not depend on what they show. */
#include "data/data.h"

#include <string.h>

/* One channel is as good as another. */
static const double mean[] = {0.5, 0.5, 0.5}, deviation[] = {0.25, 0.25, 0.25};
enum { MOST_CHANNELS = sizeof mean / sizeof *mean };

/* Xorshift (Marsaglia 2003): hundreds of megabytes in a moment, and nobody draws conclusions from them. */
static void fill(uint8_t *bytes, size_t n)
{
    uint64_t x = 88172645463325252u;
    for (size_t i = 0; i < n; i += sizeof x) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        memcpy(bytes + i, &x, n - i < sizeof x ? n - i : sizeof x);
    }
}

static kelvin_status add_rows(kelvin_data *data, size_t n)
{
    struct data_owned *owned = data->owned;
    owned->bytes = kelvin_alloc(n, data->inputs);
    owned->y = kelvin_alloc(n, sizeof *owned->y);
    if (!owned->bytes || !owned->y) return KELVIN_ENOMEM;
    fill(owned->bytes, n * data->inputs);
    for (size_t i = 0; i < n; i++) owned->y[i] = (int32_t)(i % data->classes);
    data->train = (kelvin_part){.n = n, .bytes = owned->bytes, .y = owned->y};
    return KELVIN_OK;
}

kelvin_status kelvin_data_noise(kelvin_data **data, size_t n, size_t channels, size_t height, size_t width,
                                size_t classes)
{
    const kelvin_data like = {.name = "noise",
                              .inputs = channels * height * width,
                              .classes = classes,
                              .channels = channels,
                              .height = height,
                              .width = width,
                              .mean = mean,
                              .deviation = deviation,
                              .white = 255};
    *data = NULL;
    if (channels > MOST_CHANNELS)
        return kelvin_fail(KELVIN_EUSAGE, "noise of %zu channels; expected at most %d", channels, MOST_CHANNELS);
    KELVIN_TRY(kelvin_data_describe(data, &like));
    return kelvin_data_finish(data, add_rows(*data, n));
}
