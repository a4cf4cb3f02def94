/* Filter response normalisation and ReLU, per image and channel (lanes are channels; P pixels):
 *
 *     u = gamma r x + beta      a = max(u, tau, 0)      r = 1 / sqrt(sum of x^2 / P + 1e-6)
 *
 * and back, with du = da where u > max(tau, 0), else 0:
 *
 *     dx = gamma r (du - x r^2 S / P)      S = sum of du x      dgamma = r S      dbeta = sum of du
 *     dtau = sum of da where u <= tau, if tau > 0      dbias = sum of dx
 *
 * The sums of du x and of dx go over even and odd pixels of the rows apart: one chain of additions would be waited for.
 */
#include "kernels/local.h"
#include "kernels/wide.h"

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
    float *dx;
    const float *da, *x;
    size_t dx_row, da_row, x_row, height, width;
};

/* u > max(tau, 0) in vector v of the pixel at x. */
INLINE wide_mask passes(const float *x, const wide *scale, const wide *beta, const wide *least, int v)
{
    return wide_fma(scale[v], wide_load(x + v * WIDE), beta[v]) > least[v];
}

/* One pixel into the sums of du x, of du, and of the da that are cut off. */
INLINE void add_pixel(wide *s, wide *du, wide *cut, const float *da, const float *x, const wide *scale,
                      const wide *beta, const wide *least)
{
    UNROLLED(v, PER_BLOCK) {
        const wide_mask pass = passes(x, scale, beta, least, v);
        const wide d = wide_load(da + v * WIDE), kept = wide_where(pass, d);
        s[v] = wide_fma(kept, wide_load(x + v * WIDE), s[v]);
        du[v] += kept;
        cut[v] += wide_where(~pass, d);
    }
}

INLINE void sum_pixels(wide *s, wide *du, wide *cut, const struct backward *p, const wide *scale, const wide *beta,
                       const wide *least)
{
    wide odd[PER_BLOCK] = {0};
    const float *da = p->da, *x = p->x;
    for (size_t h = 0; h < p->height; h++, da += p->da_row, x += p->x_row) {
        size_t i = 0;
        for (; i + 1 < p->width; i += 2) {
            add_pixel(s, du, cut, da + i * LANES, x + i * LANES, scale, beta, least);
            add_pixel(odd, du, cut, da + (i + 1) * LANES, x + (i + 1) * LANES, scale, beta, least);
        }
        if (i < p->width) add_pixel(s, du, cut, da + i * LANES, x + i * LANES, scale, beta, least);
    }
    UNROLLED(v, PER_BLOCK) s[v] += odd[v];
}

/* dx = scale du + pull x; into their sum. */
INLINE void put_pixel(wide *sum, float *dx, const float *da, const float *x, const wide *scale, const wide *beta,
                      const wide *least, const wide *pull)
{
    UNROLLED(v, PER_BLOCK) {
        const wide du = wide_where(passes(x, scale, beta, least, v), wide_load(da + v * WIDE));
        const wide d = wide_fma(pull[v], wide_load(x + v * WIDE), scale[v] * du);
        wide_store(dx + v * WIDE, d);
        sum[v] += d;
    }
}

INLINE void put_pixels(wide *sum, const struct backward *p, const wide *scale, const wide *beta, const wide *least,
                       const wide *pull)
{
    wide odd[PER_BLOCK] = {0};
    float *dx = p->dx;
    const float *da = p->da, *x = p->x;
    for (size_t h = 0; h < p->height; h++, dx += p->dx_row, da += p->da_row, x += p->x_row) {
        size_t i = 0;
        for (; i + 1 < p->width; i += 2) {
            const size_t one = i * LANES, two = one + LANES;
            put_pixel(sum, dx + one, da + one, x + one, scale, beta, least, pull);
            put_pixel(odd, dx + two, da + two, x + two, scale, beta, least, pull);
        }
        if (i < p->width) put_pixel(sum, dx + i * LANES, da + i * LANES, x + i * LANES, scale, beta, least, pull);
    }
    UNROLLED(v, PER_BLOCK) sum[v] += odd[v];
}

INLINE void accumulate(float *total, wide more)
{
    wide_store(total, wide_load(total) + more);
}

/* r, frn and total: at their block. */
static void backward_block(const struct backward *p, const struct frn_gradient *total, const float *r,
                           const struct frn *frn)
{
    const wide zero = wide_set(0), pixels = wide_set((float)(p->height * p->width));
    wide scale[PER_BLOCK], beta[PER_BLOCK], least[PER_BLOCK], pull[PER_BLOCK];
    wide s[PER_BLOCK] = {0}, du[PER_BLOCK] = {0}, cut[PER_BLOCK] = {0}, sum[PER_BLOCK] = {0};
    UNROLLED(v, PER_BLOCK) {
        scale[v] = wide_load(frn->gamma + v * WIDE) * wide_load(r + v * WIDE);
        beta[v] = wide_load(frn->beta + v * WIDE);
        least[v] = wide_max(wide_load(frn->tau + v * WIDE), zero);
    }
    sum_pixels(s, du, cut, p, scale, beta, least);
    UNROLLED(v, PER_BLOCK) {
        const wide inverse = wide_load(r + v * WIDE);
        accumulate(total->gamma + v * WIDE, inverse * s[v]);
        accumulate(total->beta + v * WIDE, du[v]);
        accumulate(total->tau + v * WIDE, wide_where(least[v] > zero, cut[v]));
        pull[v] = zero - scale[v] * (inverse * inverse) * (s[v] / pixels);
    }
    put_pixels(sum, p, scale, beta, least, pull);
    UNROLLED(v, PER_BLOCK) accumulate(total->bias + v * WIDE, sum[v]);
}

void NAME(frn_backward)(float *dx, const struct map *dx_map, const struct frn_gradient *gradient, const float *da,
                        const struct map *da_map, const float *x, const struct map *x_map, const float *r,
                        const struct frn *frn, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; b < x_map->blocks; b++) {
            const size_t at = b * LANES;
            const struct backward p = {.dx = dx + i * dx_map->size + b * dx_map->block + dx_map->origin,
                                       .da = da + i * da_map->size + b * da_map->block + da_map->origin,
                                       .x = x + i * x_map->size + b * x_map->block + x_map->origin,
                                       .dx_row = dx_map->row,
                                       .da_row = da_map->row,
                                       .x_row = x_map->row,
                                       .height = x_map->height,
                                       .width = x_map->width};
            const struct frn here = {frn->gamma + at, frn->beta + at, frn->tau + at};
            const struct frn_gradient total = {gradient->gamma + at, gradient->beta + at, gradient->tau + at,
                                               gradient->bias + at};
            backward_block(&p, &total, r + (i * x_map->blocks + b) * LANES, &here);
        }
}
