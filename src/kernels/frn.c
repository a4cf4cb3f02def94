/* Filter response normalisation and ReLU, per image and channel (lanes are channels; P pixels):
 *
 *     u = gamma r x + beta      a = max(u, tau, 0)      r = 1 / sqrt(sum of x^2 / P + 1e-6)
 *
 * and back, with du = da where u > max(tau, 0), else 0:
 *
 *     dx = gamma r (du - x r^2 S / P)      S = sum of du x      dgamma = r S      dbeta = sum of du
 *     dtau = sum of da where u <= tau, if tau > 0      dbias = sum of dx
 *
 * So dx = scale du + pull x, with scale = gamma r and pull = -scale r^2 S / P: two numbers per image and channel. The
 * sum of du x goes over even and odd pixels of the rows apart: one chain of additions would be waited for. */
#include "kernels/local.h"
#include "kernels/slope.h"

enum { LANES = KELVIN_LANES };

/* a (+ added) of one block of one image; scale = gamma r. */
INLINE void normalise(bool ADD, float *out, const struct map *out_map, const float *x, const struct map *x_map,
                      const float *added, size_t added_row, const wide *scale, const wide *beta, const wide *least)
{
    for (size_t h = 0; h < x_map->height; h++, out += out_map->row, x += x_map->row, added += ADD ? added_row : 0)
        for (size_t i = 0; i < x_map->width * LANES; i += LANES)
            UNROLLED(v, PER_BLOCK) {
                const size_t at = i + (size_t)v * WIDE;
                /* in this order a NaN stays one */
                const wide a = wide_max(least[v], wide_fma(scale[v], wide_load(x + at), beta[v]));
                wide_store(out + at, ADD ? a + wide_load(added + at) : a);
            }
}

void NAME(frn_forward)(float *out, const struct map *out_map, float *r, const float *x, const struct map *x_map,
                       const float *squares, const float *added, const struct map *added_map, const struct frn *frn,
                       size_t n)
{
    const wide zero = wide_set(0), one = wide_set(1), pixels = wide_set((float)(x_map->height * x_map->width));
    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; b < x_map->blocks; b++, r += LANES, squares += LANES) {
            wide scale[PER_BLOCK], beta[PER_BLOCK], least[PER_BLOCK];
            for (size_t v = 0; v < PER_BLOCK; v++) {
                const size_t at = b * LANES + v * WIDE;
                const wide mean = wide_load(squares + v * WIDE) / pixels + wide_set(1e-6f);
                const wide inverse = one / wide_sqrt(mean);
                wide_store(r + v * WIDE, inverse);
                scale[v] = wide_load(frn->gamma + at) * inverse;
                const wide tau = wide_load(frn->tau + at);
                beta[v] = wide_load(frn->beta + at) + wide_where(tau != tau, tau); /* a maximum would lose a NaN */
                least[v] = wide_max(tau, zero);
            }
            float *to = out + i * out_map->size + b * out_map->block + out_map->origin;
            const float *from = x + i * x_map->size + b * x_map->block + x_map->origin;
            if (added)
                normalise(true, to, out_map, from, x_map,
                          added + i * added_map->size + b * added_map->block + added_map->origin, added_map->row, scale,
                          beta, least);
            else
                normalise(false, to, out_map, from, x_map, NULL, 0, scale, beta, least);
        }
}

/* One block of one image on the way back: where its first pixels are, and from one row to the next. */
struct backward {
    const float *da, *x;
    size_t da_row, x_row, height, width;
};

static struct backward backward_make(const float *da, const struct map *da_map, const float *x, const struct map *x_map,
                                     size_t image, size_t block)
{
    return (struct backward){.da = da + image * da_map->size + block * da_map->block + da_map->origin,
                             .x = x + image * x_map->size + block * x_map->block + x_map->origin,
                             .da_row = da_map->row,
                             .x_row = x_map->row,
                             .height = x_map->height,
                             .width = x_map->width};
}

/* Over the pixels: of du x, of du, of the da that are cut off, and of x. */
struct sums {
    wide product[PER_BLOCK], du[PER_BLOCK], cut[PER_BLOCK], x[PER_BLOCK];
};

INLINE void add_pixel(wide *product, struct sums *sums, const float *da, const float *x, const struct slope *slope)
{
    UNROLLED(v, PER_BLOCK) {
        const wide here = wide_load(x + v * WIDE), d = wide_load(da + v * WIDE);
        const wide_mask pass = slope_passes(&slope[v], here);
        const wide kept = wide_where(pass, d);
        product[v] = wide_fma(kept, here, product[v]);
        sums->du[v] += kept;
        sums->cut[v] += wide_where(~pass, d);
        sums->x[v] += here;
    }
}

INLINE void sum_pixels(struct sums *sums, const struct backward *p, const struct slope *slope)
{
    wide odd[PER_BLOCK] = {0};
    const float *da = p->da, *x = p->x;
    for (size_t h = 0; h < p->height; h++, da += p->da_row, x += p->x_row) {
        size_t i = 0;
        for (; i + 1 < p->width; i += 2) {
            add_pixel(sums->product, sums, da + i * LANES, x + i * LANES, slope);
            add_pixel(odd, sums, da + (i + 1) * LANES, x + (i + 1) * LANES, slope);
        }
        if (i < p->width) add_pixel(sums->product, sums, da + i * LANES, x + i * LANES, slope);
    }
    UNROLLED(v, PER_BLOCK) sums->product[v] += odd[v];
}

INLINE void accumulate(float *total, wide more)
{
    wide_store(total, wide_load(total) + more);
}

/* The slope of one block of one image; r, frn and total: at their block. */
INLINE void slope_make(struct slope *slope, const struct backward *p, const struct frn_gradient *total, const float *r,
                       const struct frn *frn)
{
    const wide zero = wide_set(0), pixels = wide_set((float)(p->height * p->width));
    struct sums sums = {{{0}}, {{0}}, {{0}}, {{0}}};
    UNROLLED(v, PER_BLOCK) {
        const int at = v * WIDE;
        slope[v].scale = wide_load(frn->gamma + at) * wide_load(r + at);
        slope[v].beta = wide_load(frn->beta + at);
        slope[v].least = wide_max(wide_load(frn->tau + at), zero);
    }
    sum_pixels(&sums, p, slope);
    UNROLLED(v, PER_BLOCK) {
        const int at = v * WIDE;
        const wide inverse = wide_load(r + at), scale = slope[v].scale;
        const wide pull = zero - scale * (inverse * inverse) * (sums.product[v] / pixels);
        slope[v].pull = pull;
        accumulate(total->gamma + at, inverse * sums.product[v]);
        accumulate(total->beta + at, sums.du[v]);
        accumulate(total->tau + at, wide_where(slope[v].least > zero, sums.cut[v]));
        accumulate(total->bias + at, wide_fma(pull, sums.x[v], scale * sums.du[v]));
    }
}

static struct frn frn_at(const struct frn *frn, size_t block)
{
    const size_t at = block * LANES;
    return (struct frn){frn->gamma + at, frn->beta + at, frn->tau + at};
}

static struct frn_gradient gradient_at(const struct frn_gradient *g, size_t block)
{
    const size_t at = block * LANES;
    return (struct frn_gradient){g->gamma + at, g->beta + at, g->tau + at, g->bias + at};
}

void NAME(frn_slopes)(float *scale, float *pull, const struct frn_gradient *gradient, const float *da,
                      const struct map *da_map, const float *x, const struct map *x_map, const float *r,
                      const struct frn *frn, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; b < x_map->blocks; b++, r += LANES, scale += LANES, pull += LANES) {
            const struct backward p = backward_make(da, da_map, x, x_map, i, b);
            const struct frn here = frn_at(frn, b);
            const struct frn_gradient total = gradient_at(gradient, b);
            struct slope slope[PER_BLOCK];
            slope_make(slope, &p, &total, r, &here);
            UNROLLED(v, PER_BLOCK) {
                wide_store(scale + v * WIDE, slope[v].scale);
                wide_store(pull + v * WIDE, slope[v].pull);
            }
        }
}

static void put_pixels(float *dx, size_t dx_row, const struct backward *p, const struct slope *slope)
{
    const float *da = p->da, *x = p->x;
    for (size_t h = 0; h < p->height; h++, dx += dx_row, da += p->da_row, x += p->x_row)
        for (size_t i = 0; i < p->width * LANES; i += LANES)
            UNROLLED(v, PER_BLOCK) {
                const size_t at = i + (size_t)v * WIDE;
                wide_store(dx + at, slope_at(&slope[v], wide_load(da + at), wide_load(x + at)));
            }
}

void NAME(frn_backward)(float *dx, const struct map *dx_map, const struct frn_gradient *gradient, const float *da,
                        const struct map *da_map, const float *x, const struct map *x_map, const float *r,
                        const struct frn *frn, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; b < x_map->blocks; b++, r += LANES) {
            const struct backward p = backward_make(da, da_map, x, x_map, i, b);
            const struct frn here = frn_at(frn, b);
            const struct frn_gradient total = gradient_at(gradient, b);
            struct slope slope[PER_BLOCK];
            slope_make(slope, &p, &total, r, &here);
            put_pixels(dx + i * dx_map->size + b * dx_map->block + dx_map->origin, dx_map->row, &p, slope);
        }
}
