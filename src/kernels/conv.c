/* Convolutions by the direct method, lanes are channels:
 *
 *     out(y, x) = bias + sum over blocks of input channels, taps (j, i), channels c of
 *                 w(j, i, c) in(s y + j, s x + i, c)
 *
 * A few pixels of one row are summed in registers at a time. Back to the data it is the same routine: input pixels
 * whose position has one remainder (the phase) modulo the stride hear from the same taps, and neighbours among them
 * hear from neighbours in `out`: each of the s x s phases is a convolution of stride 1, with taps in reverse.
 *
 * Weights forward: (out blocks, in blocks, kernel, kernel, channels of the block, 16 lanes of out channels).
 * Back: (in blocks, phases, out blocks, taps down, taps across, channels of the block, 16 lanes of in channels).
 * Gradients of weights have the form of the first. */
#include "kernels/fetch.h"
#include "kernels/local.h"
#include "kernels/product.h"

enum { LANES = KELVIN_LANES };

/* Channels of block b. */
INLINE size_t channels_of(const struct map *map, size_t b)
{
    const size_t left = map->channels - b * LANES;
    return left < LANES ? left : LANES;
}

/* ---- weights ---- */

/* The pixels of one phase along one axis: every stride-th from `first`; the taps that they hear from, as `count` pixels
 * of `out` side by side, the first of which lies `at` pixels after the position of the pixel among those of the phase.
 * Tap number i of them is tap `last` - i * stride of the kernel. */
struct phase {
    size_t first, count, last;
    ptrdiff_t at;
};

static struct phase phase_make(size_t first, size_t pad, size_t kernel, size_t stride)
{
    const size_t lowest = (first + pad) % stride;
    const size_t count = lowest < kernel ? (kernel - 1 - lowest) / stride + 1 : 0;
    const ptrdiff_t at = (ptrdiff_t)((first + pad) / stride) + 1 - (ptrdiff_t)count;
    return (struct phase){first, count, count ? lowest + (count - 1) * stride : 0, at};
}

bool NAME(direct_fits)(const struct conv *conv)
{
    return conv->kernel > 0;
}

size_t NAME(direct_weights)(const struct conv *conv)
{
    const size_t taps = conv->kernel * conv->kernel;
    const size_t forward = kelvin_conv_weights(conv), back = conv->in.blocks * taps * conv->out.channels * LANES;
    return forward > back ? forward : back;
}

size_t NAME(direct_scratch)(const struct conv *conv)
{
    (void)conv;
    return 0;
}

/* Where tap (j, i) from channel `in` to channel `out` is in the form for forward. */
static size_t place(const struct conv *conv, size_t out, size_t in, size_t j, size_t i)
{
    const size_t k = conv->kernel, b = in / LANES;
    const size_t row = (out / LANES * conv->in.channels + b * LANES) * k * k; /* of LANES floats */
    return (row + (j * k + i) * channels_of(&conv->in, b) + in % LANES) * LANES + out % LANES;
}

static void pack_forward(float *packed, const float *w, const struct conv *conv)
{
    const size_t k = conv->kernel;
    for (size_t out = 0; out < conv->out.channels; out++)
        for (size_t in = 0; in < conv->in.channels; in++)
            for (size_t j = 0; j < k; j++)
                for (size_t i = 0; i < k; i++) packed[place(conv, out, in, j, i)] = *w++;
}

/* One block of input channels, one phase: returns where the next one starts. */
static float *pack_phase(float *packed, const float *w, const struct conv *conv, size_t block, struct phase down,
                         struct phase across)
{
    const size_t k = conv->kernel, s = conv->stride, lanes = channels_of(&conv->in, block);
    for (size_t b = 0; b < conv->out.blocks; b++)
        for (size_t j = 0; j < down.count; j++)
            for (size_t i = 0; i < across.count; i++)
                for (size_t c = 0; c < channels_of(&conv->out, b); c++, packed += LANES) {
                    const size_t out = b * LANES + c, tap = (down.last - j * s) * k + across.last - i * s;
                    const float *from = w + (out * conv->in.channels + block * LANES) * k * k + tap;
                    for (size_t lane = 0; lane < lanes; lane++) packed[lane] = from[lane * k * k];
                }
    return packed;
}

static void pack_back(float *packed, const float *w, const struct conv *conv)
{
    const size_t k = conv->kernel, s = conv->stride;
    for (size_t block = 0; block < conv->in.blocks; block++)
        for (size_t y = 0; y < s; y++)
            for (size_t x = 0; x < s; x++)
                packed = pack_phase(packed, w, conv, block, phase_make(y, conv->pad_y, k, s),
                                    phase_make(x, conv->pad_x, k, s));
}

void NAME(direct_pack)(float *packed, const float *w, const struct conv *conv, bool back)
{
    memset(packed, 0, NAME(direct_weights)(conv) * sizeof *packed);
    (back ? pack_back : pack_forward)(packed, w, conv);
}

void NAME(direct_unpack)(float *w, const float *d_packed, const struct conv *conv)
{
    const size_t k = conv->kernel;
    for (size_t out = 0; out < conv->out.channels; out++)
        for (size_t in = 0; in < conv->in.channels; in++)
            for (size_t j = 0; j < k; j++)
                for (size_t i = 0; i < k; i++) *w++ = d_packed[place(conv, out, in, j, i)];
}

/* ---- forward, and back to the data ---- */

/* What one block of sums is made of: `down` x `across` pixels of each block of a map from where the reading starts;
 * neighbours among the sums read `step` floats apart, and are written `out_step` floats apart. */
struct reach {
    const struct map *map;
    size_t down, across, step, out_step;
};

/* Sums of `rows` pixels, from `start`, or if `add` from what is there, or from 0. The arguments in capitals are
 * constants in each copy of this code: CHANNELS is how many there are where these are less than a block, or 0 for any
 * number. */
INLINE void pixels(int ROWS, size_t CHANNELS, float *out, const float *in, const float *w, const struct reach *reach,
                   const float *start, bool add)
{
    wide sum[PRODUCT_ROWS][PRODUCT_VECTORS];
    UNROLLED(r, ROWS)
        UNROLLED(v, PER_BLOCK) {
            const float *from = add ? out + (size_t)r * reach->out_step : start;
            sum[r][v] = from ? wide_load(from + v * WIDE) : wide_set(0);
        }
    for (size_t b = 0; b < (CHANNELS ? 1 : reach->map->blocks); b++, in += reach->map->block) {
        const size_t channels = CHANNELS ? CHANNELS : channels_of(reach->map, b);
        /* Whole blocks: the pixels side by side are one long row of channels. */
        const bool whole = channels == LANES;
        const size_t parts = whole ? 1 : reach->across, n = whole ? LANES * reach->across : channels;
        for (size_t j = 0; j < reach->down; j++)
            for (size_t i = 0; i < parts; i++, w += n * LANES)
                product_add(sum, ROWS, 1,
                            &(struct product){.a = in + j * reach->map->row + i * LANES,
                                              .b = w,
                                              .n = n,
                                              .step_a = 1,
                                              .row_a = reach->step,
                                              .step_b = LANES});
    }
    UNROLLED(r, ROWS)
        UNROLLED(v, PER_BLOCK) wide_store(out + (size_t)r * reach->out_step + v * WIDE, sum[r][v]);
}

/* A row of `width` sums. */
typedef void row_copy(float *out, const float *in, const float *w, const struct reach *reach, const float *start,
                      bool add, size_t width);

#define COPY_ROW(CHANNELS)                                                                                             \
    static void row_##CHANNELS(float *out, const float *in, const float *w, const struct reach *reach,                 \
                               const float *start, bool add, size_t width)                                             \
    {                                                                                                                  \
        for (size_t x = 0, rows; x < width; x += rows, out += rows * reach->out_step, in += rows * reach->step) {      \
            rows = product_rows(width - x);                                                                            \
            WITH_CONSTANT_ROWS(rows, PIXELS_##CHANNELS)                                                                \
        }                                                                                                              \
    }
#define PIXELS_0(ROWS) pixels(ROWS, 0, out, in, w, reach, start, add)
#define PIXELS_1(ROWS) pixels(ROWS, 1, out, in, w, reach, start, add)
#define PIXELS_3(ROWS) pixels(ROWS, 3, out, in, w, reach, start, add)
COPY_ROW(0)
COPY_ROW(1)
COPY_ROW(3)

static row_copy *row_for(size_t channels)
{
    static row_copy *const copy[] = {row_0, row_1, row_0, row_3};
    return channels < sizeof copy / sizeof *copy ? copy[channels] : row_0;
}

INLINE void add_square(wide *sum, const float *x)
{
    UNROLLED(v, PER_BLOCK) {
        const wide a = wide_load(x + v * WIDE);
        sum[v] = wide_fma(a, a, sum[v]);
    }
}

/* sums += squares of a row of pixels: of the even ones, and of the odd ones. */
static void add_squares(float *sums, const float *x, size_t width)
{
    wide even[PER_BLOCK] = {0}, odd[PER_BLOCK] = {0};
    size_t i = 0;
    for (; i + 1 < width; i += 2) {
        add_square(even, x + i * LANES);
        add_square(odd, x + (i + 1) * LANES);
    }
    if (i < width) add_square(even, x + i * LANES);
    UNROLLED(v, PER_BLOCK) wide_store(sums + v * WIDE, wide_load(sums + v * WIDE) + (even[v] + odd[v]));
}

void NAME(direct_forward)(float *out, float *squares, const float *in, const float *packed, const float *bias,
                          const struct conv *conv, size_t n, const struct work *work)
{
    const struct map *from = &conv->in, *to = &conv->out;
    const size_t k = conv->kernel, s = conv->stride, block = k * k * from->channels * LANES;
    const struct reach reach = {from, k, k, s * LANES, LANES};
    row_copy *const row = row_for(from->channels);
    struct fetch fetch = fetch_make(work, n * to->blocks * to->height);
    if (squares) memset(squares, 0, n * to->blocks * LANES * sizeof *squares);
    in += from->origin - conv->pad_y * from->row - conv->pad_x * LANES;
    out += to->origin;
    for (size_t image = 0; image < n; image++, in += from->size, out += to->size)
        for (size_t b = 0; b < to->blocks; b++)
            for (size_t y = 0; y < to->height; y++) {
                fetch_some(&fetch);
                float *line = out + b * to->block + y * to->row;
                row(line, in + y * s * from->row, packed + b * block, &reach, bias ? bias + b * LANES : NULL, false,
                    to->width);
                if (squares) add_squares(squares + (image * to->blocks + b) * LANES, line, to->width);
            }
}

/* One phase of one block of input channels of one image. */
static void back_phase(float *d_in, const float *d_out, const float *w, const struct conv *conv, struct phase down,
                       struct phase across, bool add)
{
    const size_t s = conv->stride;
    const struct map *to = &conv->in, *from = &conv->out;
    if (down.first >= to->height || across.first >= to->width) return;
    if (add && (!down.count || !across.count)) return;
    const struct reach reach = {from, down.count, across.count, LANES, s * LANES};
    row_copy *const row = row_for(from->channels);
    const size_t width = (to->width - across.first + s - 1) / s;
    for (size_t y = down.first; y < to->height; y += s) {
        const ptrdiff_t at = (ptrdiff_t)(from->origin + y / s * from->row);
        row(d_in + to->origin + y * to->row + across.first * LANES,
            d_out + at + down.at * (ptrdiff_t)from->row + across.at * LANES, w, &reach, NULL, add, width);
    }
}

void NAME(direct_backward)(float *d_in, const float *d_out, const float *packed, const struct conv *conv, size_t n,
                           bool add, const struct work *work)
{
    const size_t k = conv->kernel, s = conv->stride;
    struct fetch fetch = fetch_make(work, n * conv->in.blocks * s * s);
    for (size_t image = 0; image < n; image++, d_in += conv->in.size, d_out += conv->out.size) {
        const float *w = packed;
        for (size_t b = 0; b < conv->in.blocks; b++)
            for (size_t y = 0; y < s; y++)
                for (size_t x = 0; x < s; x++) {
                    const struct phase down = phase_make(y, conv->pad_y, k, s);
                    const struct phase across = phase_make(x, conv->pad_x, k, s);
                    fetch_some(&fetch);
                    back_phase(d_in + b * conv->in.block, d_out, w, conv, down, across, add);
                    w += down.count * across.count * conv->out.channels * LANES;
                }
    }
}

/* ---- gradients of the weights ---- */

/* Some rows of one block of one image: pixels of `in` from the first tap of the first pixel on, those of d_out. */
struct band {
    const float *in, *d_out;
    size_t height, width;
    size_t row;                      /* of `in` */
    size_t in_row, in_step, out_row; /* from a row, a pixel of the products to the next */
};

/* sum += the products of all pixels for `rows` pairs of tap and input channel, each of which reads from its own place
 * in the band. */
INLINE void gradient_rows(int rows, float *sum_at, const size_t *places, const struct band *band)
{
    wide sum[PRODUCT_ROWS][PER_BLOCK];
    const float *a[PRODUCT_ROWS];
    UNROLLED(r, rows) {
        a[r] = band->in + places[r];
        UNROLLED(v, PER_BLOCK) sum[r][v] = wide_load(sum_at + r * LANES + v * WIDE);
    }
    for (size_t y = 0; y < band->height; y++) {
        const float *d = band->d_out + y * band->out_row, *const end = d + band->width * LANES;
        for (size_t at = y * band->in_row; d < end; d += LANES, at += band->in_step) {
            wide b[PER_BLOCK];
            UNROLLED(v, PER_BLOCK) b[v] = wide_load(d + v * WIDE);
            UNROLLED(r, rows) {
                const wide x = wide_set(a[r][at]);
                UNROLLED(v, PER_BLOCK) sum[r][v] = wide_fma(x, b[v], sum[r][v]);
            }
        }
    }
    UNROLLED(r, rows)
        UNROLLED(v, PER_BLOCK) wide_store(sum_at + r * LANES + v * WIDE, sum[r][v]);
}

/* All taps, from one block of channels to one: they lie side by side in `sums`. */
static void gradient_band(float *sums, const struct band *band, size_t kernel, size_t channels)
{
    size_t j = 0, i = 0, c = 0; /* the next tap and channel */
    for (size_t left = kernel * kernel * channels, rows; left > 0; left -= rows, sums += rows * LANES) {
        size_t places[PRODUCT_ROWS];
        rows = product_rows(left);
        for (size_t r = 0; r < rows; r++) {
            places[r] = j * band->row + i * LANES + c;
            if (++c < channels) continue;
            c = 0;
            if (++i == kernel) i = 0, j++;
        }
#define GRADIENT(ROWS) gradient_rows(ROWS, sums, places, band)
        WITH_CONSTANT_ROWS(rows, GRADIENT)
#undef GRADIENT
    }
}

/* Rows of `out` whose pixels, with those that they read, stay in the first-level cache while all taps go over them. */
static size_t band_height(const struct conv *conv)
{
    enum { FLOATS = 6144 };
    const size_t row = conv->out.row + conv->stride * conv->in.row, height = FLOATS / row;
    return height ? height : 1;
}

void NAME(direct_gradient)(float *d_packed, const float *in, const float *d_out, const struct conv *conv, size_t n,
                           bool add, const struct work *work)
{
    const struct map *from = &conv->in, *to = &conv->out;
    const size_t k = conv->kernel, s = conv->stride, most = band_height(conv);
    if (!add) memset(d_packed, 0, kelvin_conv_weights(conv) * sizeof *d_packed);
    struct fetch fetch = fetch_make(work, n * ((to->height + most - 1) / most) * to->blocks * from->blocks);
    in += from->origin - conv->pad_y * from->row - conv->pad_x * LANES;
    d_out += to->origin;
    for (size_t image = 0; image < n; image++, in += from->size, d_out += to->size)
        for (size_t y = 0; y < to->height; y += most) {
            float *sums = d_packed;
            struct band band = {.height = to->height - y < most ? to->height - y : most,
                                .width = to->width,
                                .row = from->row,
                                .in_row = s * from->row,
                                .in_step = s * LANES,
                                .out_row = to->row};
            for (size_t b = 0; b < to->blocks; b++)
                for (size_t c = 0; c < from->blocks; c++) {
                    band.in = in + c * from->block + y * s * from->row;
                    band.d_out = d_out + b * to->block + y * to->row;
                    fetch_some(&fetch);
                    gradient_band(sums, &band, k, channels_of(from, c));
                    sums += k * k * channels_of(from, c) * LANES;
                }
        }
}
