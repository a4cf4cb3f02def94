/* plain_net: any model of nn in double by plain layers, one observation at a time, in planes (channels, height, width).
 *
 *     struct plain_net *net = plain_net_create(model);
 *     const double *z = plain_net_forward(net, theta, x);
 *     ... dz = weights of a scalar sum_k dz_k z_k ...
 *     plain_net_backward(net, grad, theta, dz);                 // added to grad
 *
 * Where units have kinks (ReLU, the maximum with tau) it tells how near to one the observation came: there numbers that
 * differ by a rounding have gradients that do not. */
#ifndef TESTS_PLAIN_NET_H
#define TESTS_PLAIN_NET_H

#include "nn/nn.h"

struct plain_net {
    const kelvin_model *model;
    double **x; /* (n_layers + 1) each: what a layer's linear map gave, */
    double **a; /* its output, */
    double **d; /* and the gradient in that; a[0] is what goes in */
    double *u, *v;

    /* Of the last observation: */
    double largest;   /* the largest number that went into a sum */
    double margin;    /* how near a unit is to its kink, relative to the largest of its layer: the nearest of all */
    uint64_t pattern; /* a number that stands for: which units are beyond theirs */
};

/* NULL without memory. */
struct plain_net *plain_net_create(const kelvin_model *model);
void plain_net_destroy(struct plain_net *net);

/* The logits, which stay until the next call. */
const double *plain_net_forward(struct plain_net *net, const double *theta, const float *x);

/* Of the observation that forward saw last; added to grad (n_params). */
void plain_net_backward(struct plain_net *net, double *grad, const double *theta, const double *dz);

#endif
