/* Convolutions where lanes are observations: which taps of the kernel and which pixels meet, along one axis; how a
 * number of rows is cut into tiles. */
#ifndef KERNELS_PANEL_TAPS_H
#define KERNELS_PANEL_TAPS_H

#include "kernels/maps.h"
#include "kernels/vec.h"

struct range {
    size_t from, to;
};

INLINE size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Taps of output q that are inside the input. */
INLINE struct range taps_of(size_t q, size_t pad, size_t in, const struct conv *conv)
{
    const size_t at = q * conv->stride;
    return (struct range){at < pad ? pad - at : 0, least(conv->kernel, in + pad - at)};
}

/* Outputs that have a tap on input p: tap p + pad - stride q. */
INLINE struct range outputs_of(size_t p, size_t pad, size_t out, const struct conv *conv)
{
    const size_t at = p + pad;
    const size_t from = at < conv->kernel ? 0 : (at - conv->kernel) / conv->stride + 1;
    const size_t to = least(out, at / conv->stride + 1);
    return (struct range){from, from < to ? to : from};
}

/* Outputs for which tap t is inside the input. */
INLINE struct range outputs_at(size_t t, size_t pad, size_t in, size_t out, const struct conv *conv)
{
    const size_t s = conv->stride, from = t < pad ? (pad - t + s - 1) / s : 0;
    const size_t to = in + pad > t ? least(out, (in + pad - t - 1) / s + 1) : 0;
    return (struct range){from, from < to ? to : from};
}

/* n in tiles of at most `most`, as even as possible, so that no short one is left over: the first `larger` of them
 * have one more than `size`. */
struct tiling {
    size_t n, size, larger;
};

INLINE struct tiling tiling_of(size_t n, size_t most)
{
    const size_t tiles = (n + most - 1) / most;
    return (struct tiling){tiles, n / tiles, n % tiles};
}

INLINE size_t tile_size(const struct tiling *tiling, size_t i)
{
    return tiling->size + (i < tiling->larger);
}

#endif
