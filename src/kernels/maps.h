/* maps: how images lie in memory where lanes are channels.
 *
 *     struct map map = kelvin_map_make(channels, height, width, frame);
 *     float *images = kelvin_alloc(n * map.size, sizeof *images);                  // (n, map.size), zeros
 *     images[i * map.size + map_at(&map, channel, y, x)]
 *
 * Channels are taken in blocks of KELVIN_LANES: pixel (y, x) of a block is 16 floats side by side. Around each block
 * lies a frame of zeros, as wide as the convolutions that read it reach: nobody leaves anything else there, so that
 * padding costs nothing. Lanes beyond the last channel are zero too. */
#ifndef KERNELS_MAPS_H
#define KERNELS_MAPS_H

#include <stdbool.h>
#include <stddef.h>

enum { KELVIN_LANES = 16 };

struct frame {
    size_t before, after; /* pixels above and to the left; below and to the right */
};

struct map {
    size_t channels, height, width;
    size_t blocks;           /* of channels */
    size_t row, block, size; /* floats from a row, a block, an image to the next */
    size_t origin;           /* of pixel (0, 0) of block 0 */
    struct frame frame;
};

struct map kelvin_map_make(size_t channels, size_t height, size_t width, struct frame frame);

static inline size_t map_at(const struct map *map, size_t channel, size_t y, size_t x)
{
    return map->origin + channel / KELVIN_LANES * map->block + y * map->row + x * KELVIN_LANES + channel % KELVIN_LANES;
}

/* A convolution: out (y, x) = bias + sum over (j, i) of w (j, i) in (stride y + j - pad_y, stride x + i - pad_x), with
 * TensorFlow's SAME padding: out = ceil(in / stride), the smaller half of the padding before, the larger after. */
struct conv {
    struct map in, out;
    size_t kernel, stride;
    size_t pad_y, pad_x; /* before */
};

/* The size of the output along one axis, what is padded before, and the frame that the axis needs. */
size_t kelvin_conv_same(size_t *before, struct frame *frame, size_t size, size_t kernel, size_t stride);

/* The frame that `out` needs where gradients go back through the convolution to its input: along one axis. */
struct frame kelvin_conv_back_frame(size_t size, size_t kernel, size_t stride);

/* Floats of the weights of a convolution where lanes are output channels: (out blocks, in blocks, kernel, kernel,
 * channels of the block, 16). */
size_t kelvin_conv_weights(const struct conv *conv);

#endif
