/* Sizes and places of maps, of SAME padding, and of the frames that make both need no tests at the edges. */
#include "kernels/maps.h"

struct map kelvin_map_make(size_t channels, size_t height, size_t width, struct frame frame)
{
    const size_t around = frame.before + frame.after;
    struct map map = {.channels = channels, .height = height, .width = width, .frame = frame};
    map.blocks = (channels + KELVIN_LANES - 1) / KELVIN_LANES;
    map.row = (width + around) * KELVIN_LANES;
    map.block = (height + around) * map.row;
    map.size = map.blocks * map.block;
    map.origin = frame.before * map.row + frame.before * KELVIN_LANES;
    return map;
}

/* Winograd's tiles (3x3, stride 1) stand on a grid of 4 x 4 pixels: what the last one lacks is frame. */
static size_t overhang(size_t size, size_t kernel, size_t stride)
{
    return kernel == 3 && stride == 1 ? (4 - size % 4) % 4 : 0;
}

size_t kelvin_conv_same(size_t *before, struct frame *frame, size_t size, size_t kernel, size_t stride)
{
    const size_t out = (size + stride - 1) / stride, reach = (out - 1) * stride + kernel;
    const size_t total = reach > size ? reach - size : 0;
    *before = total / 2;
    *frame = (struct frame){total / 2, total - total / 2 + overhang(size, kernel, stride)};
    return out;
}

/* Input pixel y hears from output pixel (y + pad - j) / stride for those taps j that make it whole: from y = 0, the
 * last tap on one side to y = size - 1, the first one on the other. */
struct frame kelvin_conv_back_frame(size_t size, size_t kernel, size_t stride)
{
    size_t pad;
    struct frame frame;
    const size_t out = kelvin_conv_same(&pad, &frame, size, kernel, stride);
    return (struct frame){(kernel - 1 - pad) / stride,
                          (size - 1 + pad) / stride - (out - 1) + overhang(size, kernel, stride)};
}

size_t kelvin_conv_weights(const struct conv *conv)
{
    return conv->out.blocks * conv->kernel * conv->kernel * conv->in.channels * KELVIN_LANES;
}
