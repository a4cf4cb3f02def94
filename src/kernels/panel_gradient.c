/* Convolutions where lanes are observations: gradients of the weights.
 *
 *     dw[o][i][tap] = sum over pixels q and observations of dy[o][q] x[i][stride q + tap - pad]
 *     db[o] = sum over pixels q and observations of dy[o][q]
 *
 * Weights are a matrix (out channels; in channels, kernel, kernel). A part of it at a time is summed over pixels and
 * vectors, a few rows by a few columns of it in registers; then over eight lanes by one fixed tree. Taps that fall
 * beside the image are never looked at. The order of sums is the same under every instruction set, and so are the bits.
 */
#include "kernels/local.h"
#include "kernels/panel_taps.h"

/* Weights that are summed at a time; how many taps, and for those how many channels of dy, are in registers. */
enum { TOTALS = 512, MOST_TAPS = 5, MOST_UNITS = 10 };

/* Floats of dy that are looked at together: they stay in the first cache while all taps go by. */
enum { NEAR = 4608 };

static const size_t most_units[MOST_TAPS + 1] = {0, MOST_UNITS, 6, 4, 3, 2};

/* Neighbouring taps of a row of the kernel that the same outputs see. */
struct group {
    size_t tap, taps;
    struct range q;
};

struct groups {
    size_t n;
    struct group group[PANEL_KERNEL];
};

/* Taps that some output sees: all, but for kernels larger than the image. They are neighbours. */
static struct range seen_taps(size_t pad, size_t in, size_t out, const struct conv *conv)
{
    struct range seen = {conv->kernel, 0};
    for (size_t t = 0; t < conv->kernel; t++) {
        const struct range q = outputs_at(t, pad, in, out, conv);
        if (q.from == q.to) continue;
        seen = (struct range){least(seen.from, t), t + 1};
    }
    return seen;
}

static void find_groups(struct groups *groups, struct range seen, const struct conv *conv)
{
    groups->n = 0;
    for (size_t t = seen.from; t < seen.to; t++) {
        const struct range q = outputs_at(t, conv->pad_x, conv->in.width, conv->out.width, conv);
        struct group *last = groups->n ? &groups->group[groups->n - 1] : NULL;
        if (last && last->taps < MOST_TAPS && last->q.from == q.from && last->q.to == q.to)
            last->taps++;
        else
            groups->group[groups->n++] = (struct group){t, 1, q};
    }
}

/* Pixels (rows, n) of dy and x, for a number of channels of x: where they start, floats from each to the next, and how
 * far the totals are apart. */
struct pixels {
    const float *d, *x;
    size_t channels, channel_x, channel_total;
    size_t rows, row_d, row_x;
    size_t n, step_x;
    size_t unit_d, unit_total;
    bool more; /* totals are there already, and are added to */
};

/* ... and would keep a register for every address rather than add: there are too few of them. */
INLINE const float *hidden(const float *p)
{
    __asm__("" : "+r"(p));
    return p;
}

/* sum[u][t] += products of channel u of dy with tap t of x: O channels, T taps, W vectors. Channels are found from
 * every third one. */
INLINE void add_products(int O, int T, int W, v8 sum[][MOST_TAPS], const float *x_0, const struct pixels *p)
{
    const size_t unit_d = p->unit_d, step_x = p->step_x;
    const float *d_0 = p->d;
    size_t rows = p->rows;
    do {
        const float *d[(MOST_UNITS + 2) / 3], *x = x_0;
        for (int u = 0; u < O; u += 3) d[u / 3] = d_0 + (size_t)u * unit_d;
        size_t n = p->n;
        do {
            UNROLLED(v, W) {
                v8 in[MOST_TAPS];
                UNROLLED(t, T) in[t] = keep(v8_load(x + 8 * (W * t + v)));
                UNROLLED(u, O) {
                    const v8 a = keep(v8_load(d[u / 3] + (size_t)(u % 3) * unit_d));
                    UNROLLED(t, T) sum[u][t] = v8_fma(a, in[t], sum[u][t]);
                }
                for (int u = 0; u < O; u += 3) d[u / 3] = hidden(d[u / 3] + 8);
            }
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
        static const v8 zeros[MOST_TAPS];
        const v8 *start = p->more ? total : zeros;
        const size_t step = p->more ? p->unit_total : 0;
        v8 sum[MOST_UNITS][MOST_TAPS];
        UNROLLED(u, O)
            UNROLLED(t, T) sum[u][t] = start[(size_t)u * step + (size_t)t];
        add_products(O, T, W, sum, x, p);
        UNROLLED(u, O)
            UNROLLED(t, T) total[(size_t)u * p->unit_total + (size_t)t] = sum[u][t];
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
#define COPY_6(W, T) COPY_4(W, T) COPY(W, T, 5) COPY(W, T, 6)
#define COPY_A(W, T) COPY_6(W, T) COPY(W, T, 7) COPY(W, T, 8) COPY(W, T, 9) COPY(W, T, 10)
#define COPIES(W)    COPY_A(W, 1) COPY_6(W, 2) COPY_4(W, 3) COPY_3(W, 4) COPY_2(W, 5)
COPIES(1)
COPIES(2)
COPIES(3)

/* By vectors, taps and units. */
#define ROW_2(W, T) NULL, products_##W##T##1, products_##W##T##2
#define ROW_3(W, T) ROW_2(W, T), products_##W##T##3
#define ROW_4(W, T) ROW_3(W, T), products_##W##T##4
#define ROW_6(W, T) ROW_4(W, T), products_##W##T##5, products_##W##T##6
#define ROW_A(W, T) ROW_6(W, T), products_##W##T##7, products_##W##T##8, products_##W##T##9, products_##W##T##10
#define TABLE(W)                                                                                                       \
    {                                                                                                                  \
        {NULL}, {ROW_A(W, 1)}, {ROW_6(W, 2)}, {ROW_4(W, 3)}, {ROW_3(W, 4)},                                            \
        {                                                                                                              \
            ROW_2(W, 5)                                                                                                \
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

/* A part of the weights: channels of dy by channels of x by taps that are seen, (down, right); which taps go together.
 */
struct part {
    size_t unit, units, channel, channels;
    struct range down, right;
    size_t taps; /* that are seen, of one channel */
    struct groups groups;
    struct tiling tiling[MOST_TAPS + 1]; /* of units, by taps */
};

/* Row j of the kernel, for rows `rows` of dy. */
static void kernel_row(v8 *total, size_t j, struct range rows, const struct part *part, const float *dy, const float *x,
                       const struct conv *conv, size_t wide)
{
    const struct map *in = &conv->in, *out = &conv->out;
    const size_t row = 8 * wide, s = conv->stride, across = part->right.to - part->right.from;
    const struct range all = outputs_at(j, conv->pad_y, in->height, out->height, conv);
    const struct range q = {all.from > rows.from ? all.from : rows.from, least(all.to, rows.to)};
    if (q.from >= q.to) return;
    struct pixels p = {.channels = part->channels,
                       .channel_x = in->height * in->width * row,
                       .channel_total = part->taps,
                       .rows = q.to - q.from,
                       .row_d = out->width * row,
                       .row_x = s * in->width * row,
                       .step_x = s * row,
                       .unit_d = out->height * out->width * row,
                       .unit_total = part->channels * part->taps,
                       .more = q.from > all.from};
    const size_t py = part->channel * in->height + q.from * s + j - conv->pad_y;
    for (const struct group *group = part->groups.group; group < part->groups.group + part->groups.n; group++) {
        v8 *to = total + (j - part->down.from) * across + group->tap - part->right.from;
        p.n = group->q.to - group->q.from;
        const struct tiling *tiling = &part->tiling[group->taps];
        p.d = dy + part->unit * p.unit_d + (q.from * out->width + group->q.from) * row;
        p.x = x + (py * in->width + group->q.from * s + group->tap - conv->pad_x) * row;
        for (size_t i = 0; i < tiling->n; i++) {
            const size_t units = tile_size(tiling, i);
            products_of[wide][group->taps][units](to, &p);
            to += units * p.unit_total;
            p.d += units * p.unit_d;
        }
    }
}

static void sum_part(v8 *total, const struct part *part, const float *dy, const float *x, const struct conv *conv,
                     size_t wide)
{
    const size_t height = conv->out.height, near = NEAR / (part->units * conv->out.width * 8 * wide);
    const size_t step = near ? near : 1;
    for (size_t from = 0; from < height; from += step)
        for (size_t j = part->down.from; j < part->down.to; j++)
            kernel_row(total, j, (struct range){from, least(from + step, height)}, part, dy, x, conv, wide);
}

/* Totals of one channel of dy to `grad`. Where not all taps are seen, the others get 0. */
static void put_unit(float *grad, const v8 *total, const struct part *part, size_t k, bool add)
{
    const size_t n = part->channels * part->taps;
    if (part->taps == k * k) {
        put(grad, total, n, add);
        return;
    }
    float sums[TOTALS], *sum = sums;
    put(sums, total, n, false);
    if (!add) memset(grad, 0, part->channels * k * k * sizeof *grad);
    for (size_t c = 0; c < part->channels; c++, grad += k * k)
        for (size_t j = part->down.from; j < part->down.to; j++)
            for (size_t t = part->right.from; t < part->right.to; t++) grad[j * k + t] += *sum++;
}

static void gradient_weights(float *grad, const float *dy, const float *x, const struct conv *conv, size_t wide,
                             bool add)
{
    const size_t k = conv->kernel, units = conv->out.channels, channels = conv->in.channels;
    struct part part = {.down = seen_taps(conv->pad_y, conv->in.height, conv->out.height, conv),
                        .right = seen_taps(conv->pad_x, conv->in.width, conv->out.width, conv)};
    part.taps = (part.down.to - part.down.from) * (part.right.to - part.right.from);
    find_groups(&part.groups, part.right, conv);
    const size_t part_units = least(units, TOTALS / part.taps);
    const size_t part_channels = least(channels, TOTALS / (part.taps * part_units));
    v8 total[TOTALS + 7];
    for (; part.unit < units; part.unit += part.units) {
        part.units = least(part_units, units - part.unit);
        for (size_t t = 1; t <= MOST_TAPS; t++) part.tiling[t] = tiling_of(part.units, most_units[t]);
        for (part.channel = 0; part.channel < channels; part.channel += part.channels) {
            part.channels = least(part_channels, channels - part.channel);
            const size_t columns = part.channels * part.taps;
            memset(total + part.units * columns, 0, 7 * sizeof *total); /* read with the last ones */
            sum_part(total, &part, dy, x, conv, wide);
            for (size_t u = 0; u < part.units; u++)
                put_unit(grad + ((part.unit + u) * channels + part.channel) * k * k, total + u * columns, &part, k,
                         add);
        }
    }
}

/* Sums over all pixels and observations, of eight channels at a time; where there are fewer, one of them again. */
static void gradient_bias(float *grad, const float *dy, const struct conv *conv, size_t wide, bool add)
{
    const size_t n = conv->out.channels, channel = conv->out.height * conv->out.width * 8 * wide;
    for (size_t c = 0; c < n; c += 8) {
        const float *from[8];
        v8 total[8];
        for (size_t u = 0; u < 8; u++) {
            from[u] = dy + least(c + u, n - 1) * channel;
            total[u] = v8_set(0.0f);
        }
        for (size_t i = 0; i < channel; i += 8)
            for (size_t u = 0; u < 8; u++) total[u] = v8_add(total[u], v8_load(from[u] + i));
        put(grad + c, total, least(8, n - c), add);
    }
}

void NAME(panel_conv_gradient)(float *grad, const float *dy, const float *x, const struct conv *conv, size_t wide,
                               bool add)
{
    gradient_weights(grad, dy, x, conv, wide, add);
    gradient_bias(grad + conv->out.channels * conv->in.channels * conv->kernel * conv->kernel, dy, conv, wide, add);
}
