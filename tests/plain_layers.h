/* Layers in double by plain loops over planes (n, channels, height, width): slow, and meant to be seen to be right.
 * What goes forward is set; gradients are added to what is there. */
#ifndef TESTS_PLAIN_LAYERS_H
#define TESTS_PLAIN_LAYERS_H

#include <stddef.h>

/* TensorFlow's SAME padding along one axis: the size of the output; `before` gets what is padded before. */
size_t plain_same(size_t *before, size_t size, size_t kernel, size_t stride);

/* n images (in, height, width); w (out, in, kernel, kernel), b (out). */
struct plain_conv {
    size_t n, in, out, height, width, kernel, stride;
};

void plain_conv_forward(double *y, const double *x, const double *w, const double *b, const struct plain_conv *conv);
void plain_conv_backward(double *dx, double *dw, double *db, const double *dy, const double *x, const double *w,
                         const struct plain_conv *conv);

/* y = max(gamma x / sqrt(mean over pixels of x^2 + 1e-6) + beta, tau, 0); x (n, channels, pixels). */
struct plain_frn {
    size_t n, channels, pixels;
    const double *gamma, *beta, *tau;
};

void plain_frn_forward(double *y, const double *x, const struct plain_frn *frn);
void plain_frn_backward(double *dx, double *dgamma, double *dbeta, double *dtau, const double *dy, const double *x,
                        const struct plain_frn *frn);

/* y = x where x > 0, else leak x */
void plain_leaky_forward(double *y, const double *x, double leak, size_t n);
void plain_leaky_backward(double *dx, const double *dy, const double *x, double leak, size_t n);

/* y = a + b */
void plain_sum_forward(double *y, const double *a, const double *b, size_t n);
void plain_sum_backward(double *da, double *db, const double *dy, size_t n);

/* y (n): means of the rows of x (n, pixels), where n counts images x channels */
void plain_mean_forward(double *y, const double *x, size_t n, size_t pixels);
void plain_mean_backward(double *dx, const double *dy, size_t n, size_t pixels);

/* y (n, out) = w x + b; x (n, in), w (out, in), b (out) */
void plain_dense_forward(double *y, const double *x, const double *w, const double *b, size_t n, size_t in, size_t out);
void plain_dense_backward(double *dx, double *dw, double *db, const double *dy, const double *x, const double *w,
                          size_t n, size_t in, size_t out);

#endif
