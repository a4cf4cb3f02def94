/* Convolutions where lanes are observations: gradients of the weights.
 *
 *     dw[o][i][tap] = sum over pixels q and observations of dy[o][q] x[i][stride q + tap - pad]      db[o] = sum of
 * dy[o]
 *
 * Weights are a matrix (out channels; in channels, kernel, kernel). A part of it at a time is summed over pixels and
 * vectors, a few rows by a few columns of it in registers; then over eight lanes by one fixed tree. Taps that fall
 * beside the image are never looked at. The order of sums is the same under every instruction set, and so are the bits.
 */
#include "kernels/local.h"
#include "kernels/panel_taps.h"

/* Weights that are summed at a time; how many rows and columns of them, and how many in all, are in registers. */
enum { TOTALS = 512, MOST_UNITS = 4, MOST_TAPS = 5, MOST_SUMS = 12 };

/* A run of outputs that see the same taps of a row of the kernel. */
struct run {
    size_t tap, taps; /* the first one, and how many */
    size_t q, n;
};

/* For each tile of taps, where they begin and where they end changes at most MOST_TAPS times each. */
enum { MOST_RUNS = (2 * MOST_TAPS + 1) * ((PANEL_KERNEL + MOST_TAPS - 1) / MOST_TAPS) };

struct runs {
    size_t n, longest; /* longest: the most taps of a run */
    struct run run[MOST_RUNS];
};

/* Runs for taps t .. t + taps - 1. */
static void add_runs(struct runs *runs, size_t t, size_t taps, const struct conv *conv)
{
    struct run *last = NULL;
    for (size_t q = 0; q < conv->out.width; q++) {
        const struct range inside = taps_of(q, conv->pad_x, conv->in.width, conv);
        const size_t from = inside.from > t ? inside.from : t, to = least(inside.to, t + taps);
        if (from >= to) continue;
        if (last && last->tap == from && last->taps == to - from) {
            last->n++;
            continue;
        }
        last = &runs->run[runs->n++];
        *last = (struct run){from, to - from, q, 1};
        if (last->taps > runs->longest) runs->longest = last->taps;
    }
}

static void find_runs(struct runs *runs, const struct conv *conv)
{
    const struct tiling tiling = tiling_of(conv->kernel, MOST_TAPS);
    runs->n = runs->longest = 0;
    for (size_t i = 0, t = 0; i < tiling.n; t += tile_size(&tiling, i++))
        add_runs(runs, t, tile_size(&tiling, i), conv);
}

/* Pixels (rows, n) of dy and x, for a number of channels of x: where they start, floats from each to the next, and how
 * far the totals are apart. */
struct pixels {
    const float *d, *x;
    size_t channels, channel_x, channel_total;
    size_t rows, row_d, row_x;
    size_t n, step_x;
    size_t unit_d, unit_total;
};

/* gcc would rather load again than keep a vector in a register, and the load units have enough to do. */
INLINE v8 keep(v8 a)
{
#if defined(__AVX2__)
    __asm__("" : "+x"(a));
#endif
    return a;
}

/* sum[u][t] += products of channel u of dy with tap t of x: O channels, T taps, W vectors. */
INLINE void add_products(int O, int T, int W, v8 sum[][MOST_TAPS], const float *x_0, const struct pixels *p)
{
    const size_t unit_d = p->unit_d, step_x = p->step_x;
    const float *d_0 = p->d;
    size_t rows = p->rows;
    do {
        const float *d = d_0, *x = x_0;
        size_t n = p->n;
        do {
            for (int v = 0; v < W; v++) {
                v8 in[MOST_UNITS];
                for (int u = 0; u < O; u++) in[u] = keep(v8_load(d + (size_t)u * unit_d + 8 * v));
                for (int t = 0; t < T; t++) {
                    const v8 a = keep(v8_load(x + 8 * (W * t + v)));
                    for (int u = 0; u < O; u++) sum[u][t] = v8_fma(in[u], a, sum[u][t]);
                }
            }
            d += 8 * W;
            x += step_x;
        } while (--n);
        d_0 += p->row_d;
        x_0 += p->row_x;
    } while (--rows);
}

/* The same into totals, for each channel of x. */
INLINE void products(int O, int T, int W, v8 *total, const struct pixels *p)
{
    const float *x = p->x;
    size_t channels = p->channels;
    do {
        v8 sum[MOST_UNITS][MOST_TAPS];
        for (int u = 0; u < O; u++)
            for (int t = 0; t < T; t++) sum[u][t] = total[(size_t)u * p->unit_total + (size_t)t];
        add_products(O, T, W, sum, x, p);
        for (int u = 0; u < O; u++)
            for (int t = 0; t < T; t++) total[(size_t)u * p->unit_total + (size_t)t] = sum[u][t];
        total += p->channel_total;
        x += p->channel_x;
    } while (--channels);
}

typedef void products_copy(v8 *total, const struct pixels *p);
#define COPY(W, T, O)                                                                                                  \
    static void products_##W##T##O(v8 *total, const struct pixels *p)                                                  \
    {                                                                                                                  \
        products(O, T, W, total, p);                                                                                   \
    }
#define COPY_2(W, T) COPY(W, T, 1) COPY(W, T, 2)
#define COPY_3(W, T) COPY_2(W, T) COPY(W, T, 3)
#define COPY_4(W, T) COPY_3(W, T) COPY(W, T, 4)
#define COPIES(W)    COPY_4(W, 1) COPY_4(W, 2) COPY_4(W, 3) COPY_3(W, 4) COPY_2(W, 5)
COPIES(1)
COPIES(2)
COPIES(3)

/* By vectors, taps and units. */
#define TABLE(W)                                                                                                       \
    {                                                                                                                  \
        {NULL}, {NULL, products_##W##11, products_##W##12, products_##W##13, products_##W##14},                        \
            {NULL, products_##W##21, products_##W##22, products_##W##23, products_##W##24},                            \
            {NULL, products_##W##31, products_##W##32, products_##W##33, products_##W##34},                            \
            {NULL, products_##W##41, products_##W##42, products_##W##43},                                              \
        {                                                                                                              \
            NULL, products_##W##51, products_##W##52                                                                   \
        }                                                                                                              \
    }
static products_copy *const products_of[4][MOST_TAPS + 1][MOST_UNITS + 1] = {{{NULL}}, TABLE(1), TABLE(2), TABLE(3)};

/* Sums over lanes of eight vectors. */
INLINE v8 fold(const v8 *a)
{
    const v8 low = v8_fold1(v8_fold2(a[0], a[1]), v8_fold2(a[2], a[3]));
    const v8 high = v8_fold1(v8_fold2(a[4], a[5]), v8_fold2(a[6], a[7]));
    return v8_fold4(low, high);
}

/* n totals to `grad`; up to seven more are read. */
static void put(float *grad, const v8 *total, size_t n, bool add)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const v8 sum = fold(total + i);
        v8_store(grad + i, add ? v8_add(v8_load(grad + i), sum) : sum);
    }
    if (i == n) return;
    float end[8];
    v8_store(end, fold(total + i));
    for (size_t j = 0; i < n; i++, j++) grad[i] = add ? grad[i] + end[j] : end[j];
}

/* A part of the weights: channels of dy by channels of x. */
struct part {
    size_t unit, units, channel, channels;
    struct tiling tiling; /* of units */
};

/* Row j of the kernel. */
static void kernel_row(v8 *total, size_t j, const struct part *part, const struct runs *runs, const float *dy,
                       const float *x, const struct conv *conv, size_t wide)
{
    const struct map *in = &conv->in, *out = &conv->out;
    const size_t row = 8 * wide, k = conv->kernel, s = conv->stride;
    const struct range q = outputs_at(j, conv->pad_y, in->height, out->height, conv);
    if (q.from == q.to) return;
    struct pixels p = {.channels = part->channels,
                       .channel_x = in->height * in->width * row,
                       .channel_total = k * k,
                       .rows = q.to - q.from,
                       .row_d = out->width * row,
                       .row_x = s * in->width * row,
                       .step_x = s * row,
                       .unit_d = out->height * out->width * row,
                       .unit_total = part->channels * k * k};
    const size_t py = part->channel * in->height + q.from * s + j - conv->pad_y;
    for (const struct run *run = runs->run; run < runs->run + runs->n; run++) {
        v8 *to = total + j * k + run->tap;
        p.n = run->n;
        p.d = dy + part->unit * p.unit_d + (q.from * out->width + run->q) * row;
        p.x = x + (py * in->width + run->q * s + run->tap - conv->pad_x) * row;
        for (size_t i = 0; i < part->tiling.n; i++) {
            const size_t units = tile_size(&part->tiling, i);
            products_of[wide][run->taps][units](to, &p);
            to += units * p.unit_total;
            p.d += units * p.unit_d;
        }
    }
}

static void gradient_weights(float *grad, const float *dy, const float *x, const struct conv *conv, size_t wide,
                             bool add)
{
    const size_t k = conv->kernel, units = conv->out.channels, channels = conv->in.channels;
    const size_t most_units = least(units, TOTALS / (k * k));
    const size_t most_channels = least(channels, TOTALS / (k * k * most_units));
    struct runs runs;
    find_runs(&runs, conv);
    v8 total[TOTALS + 7];
    for (struct part part = {0}; part.unit < units; part.unit += part.units) {
        part.units = least(most_units, units - part.unit);
        part.tiling = tiling_of(part.units, least(MOST_UNITS, MOST_SUMS / runs.longest));
        for (part.channel = 0; part.channel < channels; part.channel += part.channels) {
            part.channels = least(most_channels, channels - part.channel);
            const size_t columns = part.channels * k * k;
            memset(total, 0, (part.units * columns + 7) * sizeof *total);
            for (size_t j = 0; j < k; j++) kernel_row(total, j, &part, &runs, dy, x, conv, wide);
            for (size_t u = 0; u < part.units; u++)
                put(grad + ((part.unit + u) * channels + part.channel) * k * k, total + u * columns, columns, add);
        }
    }
}

/* Sums over all pixels and observations, of eight channels at a time. */
static void gradient_bias(float *grad, const float *dy, const struct conv *conv, size_t wide, bool add)
{
    const size_t n = conv->out.channels, vectors = conv->out.height * conv->out.width * wide;
    for (size_t c = 0; c < n; c += 8) {
        v8 total[8];
        for (size_t u = 0; u < 8; u++) {
            total[u] = v8_set(0.0f);
            if (c + u < n)
                for (size_t i = 0; i < vectors; i++) total[u] = v8_add(total[u], v8_load(dy + (u * vectors + i) * 8));
        }
        put(grad + c, total, least(8, n - c), add);
        dy += 64 * vectors;
    }
}

void NAME(panel_conv_gradient)(float *grad, const float *dy, const float *x, const struct conv *conv, size_t wide,
                               bool add)
{
    gradient_weights(grad, dy, x, conv, wide, add);
    gradient_bias(grad + conv->out.channels * conv->in.channels * conv->kernel * conv->kernel, dy, conv, wide, add);
}
