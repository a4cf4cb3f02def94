/* Images of noise, for benchmarks: as many and as large as those of a data set that may not be here. What they cost
 * does not depend on what they show. */
#include "data/data.h"
#include "kernels/kernels.h"

#include <string.h>

/* One channel is as good as another. */
static const double mean[] = {0.5, 0.5, 0.5}, deviation[] = {0.25, 0.25, 0.25};
static const float scale[] = {4.0f / 255, 4.0f / 255, 4.0f / 255}, offset[] = {-2, -2, -2};
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

static kelvin_status make(kelvin_data *data, size_t n)
{
    struct data_owned *owned = data->owned = kelvin_alloc(1, sizeof *owned);
    if (!owned) return KELVIN_ENOMEM;
    KELVIN_TRY(kelvin_kernels_get(&owned->kernels));
    owned->scale = scale;
    owned->offset = offset;
    owned->bytes = kelvin_alloc(n, data->inputs);
    owned->y = kelvin_alloc(n, sizeof *owned->y);
    if (!owned->bytes || !owned->y) return KELVIN_ENOMEM;
    fill(owned->bytes, n * data->inputs);
    for (size_t i = 0; i < n; i++) owned->y[i] = (int32_t)(i % data->classes);
    data->train = (kelvin_part){.n = n, .bytes = owned->bytes, .y = owned->y};
    return KELVIN_OK;
}

kelvin_status data_noise(kelvin_data **out, size_t n, size_t channels, size_t height, size_t width, size_t classes)
{
    *out = NULL;
    if (channels > MOST_CHANNELS)
        return kelvin_fail(KELVIN_EUSAGE, "noise of %zu channels; expected at most %d", channels, MOST_CHANNELS);
    kelvin_data *data = kelvin_alloc(1, sizeof *data);
    if (!data) return KELVIN_ENOMEM;
    data->name = "noise";
    data->channels = channels;
    data->height = height;
    data->width = width;
    data->inputs = channels * height * width;
    data->classes = classes;
    data->mean = mean;
    data->deviation = deviation;
    data->white = 255;
    const kelvin_status status = make(data, n);
    if (status)
        kelvin_data_close(data);
    else
        *out = data;
    return status;
}
