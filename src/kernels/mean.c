/* Means over pixels, and planes into maps. Means are summed over pixels 0, 4, 8, ..., 1, 5, 9, ... of the rows apart,
 * so that no addition waits for the one before. */
#include "kernels/local.h"
#include "kernels/wide.h"

enum { LANES = KELVIN_LANES };

/* `WIDE` channels of one image. */
static wide sum_pixels(const float *in, const struct map *map)
{
    wide sum[4] = {wide_set(0), wide_set(0), wide_set(0), wide_set(0)};
    for (size_t h = 0; h < map->height; h++, in += map->row) {
        size_t i = 0;
        for (; i + 4 <= map->width; i += 4)
            UNROLLED(k, 4) sum[k] += wide_load(in + (i + (size_t)k) * LANES);
        for (; i < map->width; i++) sum[0] += wide_load(in + i * LANES);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void NAME(mean_forward)(float *out, const float *in, const struct map *map, size_t n)
{
    const wide pixels = wide_set((float)(map->height * map->width));
    for (size_t i = 0; i < n; i++)
        for (size_t at = 0; at < map->blocks * LANES; at += WIDE, out += WIDE) {
            const float *from = in + i * map->size + at / LANES * map->block + map->origin + at % LANES;
            wide_store(out, sum_pixels(from, map) / pixels);
        }
}

void NAME(mean_backward)(float *d_in, const float *d_out, const struct map *map, size_t n)
{
    const wide pixels = wide_set((float)(map->height * map->width));
    for (size_t i = 0; i < n; i++)
        for (size_t at = 0; at < map->blocks * LANES; at += WIDE, d_out += WIDE) {
            const wide share = wide_load(d_out) / pixels;
            float *to = d_in + i * map->size + at / LANES * map->block + map->origin + at % LANES;
            for (size_t h = 0; h < map->height; h++, to += map->row)
                for (size_t w = 0; w < map->width; w++) wide_store(to + w * LANES, share);
        }
}

void NAME(map_from_planes)(float *out, const float *planes, const struct map *map, size_t n)
{
    for (size_t i = 0; i < n; i++, out += map->size)
        for (size_t c = 0; c < map->channels; c++)
            for (size_t h = 0; h < map->height; h++) {
                float *to = out + map_at(map, c, h, 0);
                for (size_t w = 0; w < map->width; w++) to[w * LANES] = *planes++;
            }
}
