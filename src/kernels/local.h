/* The kernels' names: each carries the instruction set that it was compiled for. */
#ifndef KERNELS_LOCAL_H
#define KERNELS_LOCAL_H

#include "kernels/kernels.h"

#define NAME_3(name, isa) kelvin_##name##_##isa
#define NAME_2(name, isa) NAME_3(name, isa)
#define NAME(name)        NAME_2(name, ISA)

void NAME(axpy)(float *y, float a, const float *x, size_t n);
void NAME(kick_drift)(float *theta, float *v, const float *g, float e, float h, size_t n);
double NAME(fma_peak)(size_t rounds);
void NAME(normals)(float *out, size_t n, kelvin_random where);
void NAME(softmax)(float *l, float *p, float *q, const float *z, size_t K);
void NAME(softmax_backward)(float *dz, const float *g, const float *p, const float *q, size_t K);
void NAME(mlp_forward)(const struct dense *layers, size_t n, struct panel_shape shape, const struct panel *act,
                       const float *theta);
void NAME(mlp_backward)(const struct dense *layers, size_t n, struct panel_shape shape, const struct panel *slope,
                        const struct panel *act, float *grad, const float *theta, bool add);
void NAME(image)(float *out, const uint8_t *in, const struct image *image);

extern const struct kelvin_kernels NAME(kernels);

#endif
