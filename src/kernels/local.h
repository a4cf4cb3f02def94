/* The kernels' names: each carries the instruction set that it was compiled for. */
#ifndef KERNELS_LOCAL_H
#define KERNELS_LOCAL_H

#include "kernels/kernels.h"

#define NAME_3(name, isa) kelvin_##name##_##isa
#define NAME_2(name, isa) NAME_3(name, isa)
#define NAME(name)        NAME_2(name, ISA)

void NAME(axpy)(float *y, float a, const float *x, size_t n);
void NAME(kick_drift)(float *theta, float *v, const float *g, float e, float h, size_t n);
void NAME(multiply)(float *y, const float *x, size_t n);
void NAME(axpy_by)(float *y, float a, const float *x, const float *by, size_t n);
void NAME(lanes_axpy)(float *y, const float *a, const float *x, size_t n);
void NAME(lanes_kick_drift)(float *theta, float *v, const float *g, const float *e, const float *h, size_t n);
void NAME(lanes_axpy_by)(float *y, const float *a, const float *x, const float *by, size_t n);
void NAME(lanes_push)(float *theta, float *v, const float *g, float pull, const float *e, const float *h, size_t n);
double NAME(dot)(const float *a, const float *b, size_t n);
void NAME(dots)(double *ab, double *bb, const float *a, const float *b, size_t n);
void NAME(random_bits)(uint32_t bits[KELVIN_BITS], uint64_t first, kelvin_random where);
double NAME(fma_peak)(size_t rounds);
void NAME(normals)(float *out, size_t n, kelvin_random where);
void NAME(softmax)(float *l, float *p, float *q, const float *z, size_t K, size_t lanes);
void NAME(softmax_backward)(float *dz, const float *g, const float *p, const float *q, size_t K, size_t lanes);
void NAME(categorical)(float *dz, float *value, struct outputs *out, const float *z, const int32_t *label, size_t K,
                       size_t lanes);
void NAME(outputs)(struct outputs *out, const float *z, size_t K);
void NAME(softmax_double)(double *p, double *log_sum, double *entropy, const float *z, size_t n, size_t classes);
void NAME(add_rows)(double *sum, const double *rows, const uint32_t *which, size_t count, size_t row);
void NAME(appraise)(struct appraisal *out, const double *sum, size_t m, const double *label, size_t classes);
void NAME(mlp_forward)(const struct dense *layers, size_t n, struct panel_shape shape, const struct panel *act,
                       const float *theta);
void NAME(mlp_backward)(const struct dense *layers, size_t n, struct panel_shape shape, const struct panel *slope,
                        const struct panel *act, float *grad, const float *theta, bool add);
void NAME(rows_forward)(float *y, const float *const *x, const float *w, size_t n, size_t units, float leak,
                        size_t rows);
void NAME(rows_logits)(float *z, const float *h, const float *w, const float *b, size_t classes, size_t units,
                       size_t rows);
void NAME(rows_backward)(float *d, const float *h, const float *const *a, const float *w, size_t n, size_t units,
                         float leak, size_t rows);
void NAME(rows_end)(float *d, float *g, float *bias, const float *dz, size_t classes, const float *h, const float *w,
                    size_t units, float leak, size_t rows, bool add);
void NAME(rows_gradient)(float *g, const float *const *x, size_t n, const float *d, size_t units, size_t rows,
                         bool add);
void NAME(turn)(float *to, size_t to_row, const float *from, size_t from_row, size_t rows, size_t columns, float scale);
void NAME(panel_pack)(float *panel, const float *x, size_t n, size_t inputs, size_t wide);
void NAME(panel_conv_forward)(float *y, const float *x, const float *theta, const struct conv *conv, float leak,
                              size_t wide);
void NAME(panel_conv_backward)(float *dx, const float *dy, const float *x, const float *theta, const struct conv *conv,
                               float leak, size_t wide);
void NAME(panel_conv_gradient)(float *grad, const float *dy, const float *x, const struct conv *conv, size_t wide,
                               bool add);
void NAME(image)(float *out, const uint8_t *in, const struct image *image);
void NAME(langevin)(float *theta, float *v, const float *g, size_t n, float decay, float kick, float noise, float drift,
                    kelvin_random where);

void NAME(frn_forward)(float *out, const struct map *out_map, float *r, const float *x, const struct map *x_map,
                       const float *squares, const float *added, const struct map *added_map, const struct frn *frn,
                       size_t n);
void NAME(frn_backward)(float *dx, const struct map *dx_map, const struct frn_gradient *gradient, const float *da,
                        const struct map *da_map, const float *x, const struct map *x_map, const float *r,
                        const struct frn *frn, size_t n);
void NAME(frn_slopes)(float *scale, float *pull, const struct frn_gradient *gradient, const float *da,
                      const struct map *da_map, const float *x, const struct map *x_map, const float *r,
                      const struct frn *frn, size_t n);
void NAME(mean_forward)(float *out, const float *in, const struct map *map, size_t n);
void NAME(mean_backward)(float *d_in, const float *d_out, const struct map *map, size_t n);
void NAME(map_from_planes)(float *out, const float *planes, const struct map *map, size_t n);

/* The functions of a method of convolution, METHOD_fits and so on, and its place in the table. */
#define CONV_METHOD_PROTOTYPES(METHOD)                                                                                 \
    bool NAME(METHOD##_fits)(const struct conv *conv);                                                                 \
    size_t NAME(METHOD##_weights)(const struct conv *conv);                                                            \
    size_t NAME(METHOD##_scratch)(const struct conv *conv);                                                            \
    void NAME(METHOD##_pack)(float *packed, const float *w, const struct conv *conv, bool back);                       \
    void NAME(METHOD##_forward)(float *out, float *squares, const float *in, const float *packed, const float *bias,   \
                                const struct conv *conv, size_t n, const struct work *work);                           \
    void NAME(METHOD##_backward)(float *d_in, const float *d_out, const float *packed, const struct conv *conv,        \
                                 size_t n, bool add, const struct work *work);                                         \
    void NAME(METHOD##_gradient)(float *d_packed, const float *in, const float *d_out, const struct conv *conv,        \
                                 size_t n, bool add, const struct work *work);                                         \
    void NAME(METHOD##_unpack)(float *w, const float *d_packed, const struct conv *conv)

/* Those that share work on both ways back. */
#define CONV_BOTH_PROTOTYPE(METHOD)                                                                                    \
    void NAME(METHOD##_both)(float *d_in, bool add_in, float *d_packed, bool add_packed, const float *in,              \
                             const struct frn_slope *slope, const float *packed, const struct conv *conv, size_t n,    \
                             const struct work *work)

#define CONV_METHOD(METHOD, BOTH)                                                                                      \
    {                                                                                                                  \
        .name = #METHOD, .fits = NAME(METHOD##_fits), .weights = NAME(METHOD##_weights),                               \
        .scratch = NAME(METHOD##_scratch), .pack = NAME(METHOD##_pack), .forward = NAME(METHOD##_forward),             \
        .backward = NAME(METHOD##_backward), .gradient = NAME(METHOD##_gradient), .both = BOTH,                        \
        .unpack = NAME(METHOD##_unpack)                                                                                \
    }

CONV_METHOD_PROTOTYPES(direct);
CONV_METHOD_PROTOTYPES(winograd_2);
CONV_METHOD_PROTOTYPES(winograd_4);
CONV_METHOD_PROTOTYPES(winograd_s2);
CONV_BOTH_PROTOTYPE(winograd_2);
CONV_BOTH_PROTOTYPE(winograd_4);

extern const struct chains_method NAME(chains_4), NAME(chains_8);

extern const struct kelvin_kernels NAME(kernels);

#endif
