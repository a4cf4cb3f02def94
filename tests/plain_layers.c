/* Layers in double by plain loops: see plain_layers.h. */
#include "plain_layers.h"

#include <math.h>

size_t plain_same(size_t *before, size_t size, size_t kernel, size_t stride)
{
    const size_t out = (size_t)ceil((double)size / (double)stride);
    const double total = fmax((double)(out - 1) * (double)stride + (double)kernel - (double)size, 0);
    *before = (size_t)floor(total / 2);
    return out;
}

/* ---- convolution ---- */

/* One product of a convolution: where its three factors (or sums) are. */
struct term {
    size_t y, x, w, channel;
};

/* Calls visit(context, term) for every output, every tap and every input channel inside the image, in order. */
static void visit_terms(const struct plain_conv *conv, void (*visit)(void *context, struct term term), void *context)
{
    size_t top, left, y = 0;
    const size_t k = conv->kernel, s = conv->stride;
    const size_t out_height = plain_same(&top, conv->height, k, s), out_width = plain_same(&left, conv->width, k, s);
    for (size_t n = 0; n < conv->n; n++)
        for (size_t out = 0; out < conv->out; out++)
            for (size_t row = 0; row < out_height; row++)
                for (size_t column = 0; column < out_width; column++, y++)
                    for (size_t in = 0; in < conv->in; in++)
                        for (size_t j = 0; j < k; j++)
                            for (size_t i = 0; i < k; i++) {
                                /* positions in the padded image */
                                const size_t down = row * s + j, across = column * s + i;
                                if (down < top || down - top >= conv->height) continue;
                                if (across < left || across - left >= conv->width) continue;
                                const size_t plane = n * conv->in + in;
                                visit(context, (struct term){
                                                   y, (plane * conv->height + down - top) * conv->width + across - left,
                                                   ((out * conv->in + in) * k + j) * k + i, out});
                            }
}

struct forward {
    double *y;
    const double *x, *w;
};

static void forward_term(void *context, struct term t)
{
    const struct forward *f = context;
    f->y[t.y] += f->w[t.w] * f->x[t.x];
}

void plain_conv_forward(double *y, const double *x, const double *w, const double *b, const struct plain_conv *conv)
{
    size_t ignored, at = 0;
    const size_t pixels = plain_same(&ignored, conv->height, conv->kernel, conv->stride) *
                          plain_same(&ignored, conv->width, conv->kernel, conv->stride);
    for (size_t n = 0; n < conv->n; n++)
        for (size_t out = 0; out < conv->out; out++)
            for (size_t i = 0; i < pixels; i++) y[at++] = b[out];
    visit_terms(conv, forward_term, &(struct forward){y, x, w});
}

struct backward {
    double *dx, *dw;
    const double *dy, *x, *w;
};

static void backward_term(void *context, struct term t)
{
    const struct backward *b = context;
    b->dx[t.x] += b->w[t.w] * b->dy[t.y];
    b->dw[t.w] += b->x[t.x] * b->dy[t.y];
}

void plain_conv_backward(double *dx, double *dw, double *db, const double *dy, const double *x, const double *w,
                         const struct plain_conv *conv)
{
    size_t ignored, at = 0;
    const size_t pixels = plain_same(&ignored, conv->height, conv->kernel, conv->stride) *
                          plain_same(&ignored, conv->width, conv->kernel, conv->stride);
    visit_terms(conv, backward_term, &(struct backward){dx, dw, dy, x, w});
    for (size_t n = 0; n < conv->n; n++)
        for (size_t out = 0; out < conv->out; out++)
            for (size_t i = 0; i < pixels; i++) db[out] += dy[at++];
}

/* ---- filter response normalisation and ReLU ---- */

/* mean of x^2, plus 1e-6 */
static double mean_square(const double *x, size_t pixels)
{
    double sum = 0;
    for (size_t i = 0; i < pixels; i++) sum += x[i] * x[i];
    return sum / (double)pixels + 1e-6;
}

void plain_frn_forward(double *y, const double *x, const struct plain_frn *frn)
{
    for (size_t n = 0; n < frn->n; n++)
        for (size_t c = 0; c < frn->channels; c++, x += frn->pixels, y += frn->pixels) {
            const double deviation = sqrt(mean_square(x, frn->pixels));
            for (size_t i = 0; i < frn->pixels; i++)
                y[i] = fmax(fmax(frn->gamma[c] * x[i] / deviation + frn->beta[c], frn->tau[c]), 0);
        }
}

/* One step of the chain at a time: u = gamma x r + beta, r = square^(-1/2), square = mean of x^2. */
void plain_frn_backward(double *dx, double *dgamma, double *dbeta, double *dtau, const double *dy, const double *x,
                        const struct plain_frn *frn)
{
    const size_t pixels = frn->pixels;
    for (size_t n = 0; n < frn->n; n++)
        for (size_t c = 0; c < frn->channels; c++, x += pixels, dx += pixels, dy += pixels) {
            const double square = mean_square(x, pixels), r = 1 / sqrt(square), gamma = frn->gamma[c];
            double dr = 0;
            for (size_t i = 0; i < pixels; i++) {
                const double u = gamma * x[i] * r + frn->beta[c];
                if (u > fmax(frn->tau[c], 0)) {
                    dgamma[c] += dy[i] * x[i] * r;
                    dbeta[c] += dy[i];
                    dx[i] += dy[i] * gamma * r;
                    dr += dy[i] * gamma * x[i];
                } else if (frn->tau[c] > 0) {
                    dtau[c] += dy[i];
                }
            }
            const double dsquare = dr * -0.5 * pow(square, -1.5);
            for (size_t i = 0; i < pixels; i++) dx[i] += dsquare * 2 * x[i] / (double)pixels;
        }
}

/* ---- the small ones ---- */

void plain_leaky_forward(double *y, const double *x, double leak, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = x[i] > 0 ? x[i] : leak * x[i];
}

void plain_leaky_backward(double *dx, const double *dy, const double *x, double leak, size_t n)
{
    for (size_t i = 0; i < n; i++) dx[i] += x[i] > 0 ? dy[i] : leak * dy[i];
}

void plain_sum_forward(double *y, const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = a[i] + b[i];
}

void plain_sum_backward(double *da, double *db, const double *dy, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        da[i] += dy[i];
        db[i] += dy[i];
    }
}

void plain_mean_forward(double *y, const double *x, size_t n, size_t pixels)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = 0;
        for (size_t p = 0; p < pixels; p++) y[i] += x[i * pixels + p] / (double)pixels;
    }
}

void plain_mean_backward(double *dx, const double *dy, size_t n, size_t pixels)
{
    for (size_t i = 0; i < n; i++)
        for (size_t p = 0; p < pixels; p++) dx[i * pixels + p] += dy[i] / (double)pixels;
}

void plain_dense_forward(double *y, const double *x, const double *w, const double *b, size_t n, size_t in, size_t out)
{
    for (size_t i = 0; i < n; i++)
        for (size_t o = 0; o < out; o++) {
            y[i * out + o] = b[o];
            for (size_t c = 0; c < in; c++) y[i * out + o] += w[o * in + c] * x[i * in + c];
        }
}

void plain_dense_backward(double *dx, double *dw, double *db, const double *dy, const double *x, const double *w,
                          size_t n, size_t in, size_t out)
{
    for (size_t i = 0; i < n; i++)
        for (size_t o = 0; o < out; o++) {
            const double d = dy[i * out + o];
            db[o] += d;
            for (size_t c = 0; c < in; c++) {
                dw[o * in + c] += d * x[i * in + c];
                dx[i * in + c] += d * w[o * in + c];
            }
        }
}
