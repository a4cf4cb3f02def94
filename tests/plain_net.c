/* Networks in double by plain layers: see plain_net.h. */
#include "plain_net.h"

#include "plain_layers.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static size_t values(kelvin_shape shape)
{
    return shape.channels * shape.height * shape.width;
}

static bool make(struct plain_net *net)
{
    const kelvin_model *model = net->model;
    size_t most = 0;
    net->x = kelvin_alloc(model->n_layers + 1, sizeof *net->x);
    net->a = kelvin_alloc(model->n_layers + 1, sizeof *net->a);
    net->d = kelvin_alloc(model->n_layers + 1, sizeof *net->d);
    if (!net->x || !net->a || !net->d) return false;
    for (size_t l = 0; l <= model->n_layers; l++) {
        const size_t n = values(model->layer[l].to);
        net->x[l] = kelvin_alloc(n, sizeof **net->x);
        net->a[l] = kelvin_alloc(n, sizeof **net->a);
        net->d[l] = kelvin_alloc(n, sizeof **net->d);
        if (!net->x[l] || !net->a[l] || !net->d[l]) return false;
        if (n > most) most = n;
    }
    net->u = kelvin_alloc(most, sizeof *net->u);
    net->v = kelvin_alloc(most, sizeof *net->v);
    return net->u && net->v;
}

struct plain_net *plain_net_create(const kelvin_model *model)
{
    struct plain_net *net = kelvin_alloc(1, sizeof *net);
    if (!net) return NULL;
    net->model = model;
    if (make(net)) return net;
    plain_net_destroy(net);
    return NULL;
}

static void free_all(double **arrays, size_t n)
{
    for (size_t i = 0; arrays && i < n; i++) kelvin_free(arrays[i]);
    kelvin_free(arrays);
}

void plain_net_destroy(struct plain_net *net)
{
    if (!net) return;
    free_all(net->x, net->model->n_layers + 1);
    free_all(net->a, net->model->n_layers + 1);
    free_all(net->d, net->model->n_layers + 1);
    kelvin_free(net->u);
    kelvin_free(net->v);
    kelvin_free(net);
}

/* ---- layers ---- */

/* Tensor number i of a layer (weight, bias, gamma, beta, tau) in something like theta. */
static double *part(const kelvin_model *model, const kelvin_layer *layer, double *theta, size_t i)
{
    return theta + model->tensor[layer->tensor + i].offset;
}

static const double *part_of(const kelvin_model *model, const kelvin_layer *layer, const double *theta, size_t i)
{
    return theta + model->tensor[layer->tensor + i].offset;
}

static struct plain_conv conv_of(const kelvin_layer *l)
{
    return (struct plain_conv){1,         l->from.channels, l->to.channels, l->from.height, l->from.width,
                               l->kernel, l->stride};
}

static struct plain_frn frn_of(const kelvin_model *model, const kelvin_layer *layer, const double *theta)
{
    assert(layer->leak == 0); /* plain_frn has the ReLU in it */
    return (struct plain_frn){.n = 1,
                              .channels = layer->to.channels,
                              .pixels = layer->to.height * layer->to.width,
                              .gamma = part_of(model, layer, theta, 2),
                              .beta = part_of(model, layer, theta, 3),
                              .tau = part_of(model, layer, theta, 4)};
}

static void linear_forward(double *y, const double *x, const kelvin_model *model, const kelvin_layer *layer,
                           const double *theta)
{
    const double *w = part_of(model, layer, theta, 0);
    if (layer->kind == KELVIN_LAYER_MEAN) {
        plain_mean_forward(y, x, layer->from.channels, layer->from.height * layer->from.width);
    } else if (layer->kind == KELVIN_LAYER_DENSE) {
        plain_dense_forward(y, x, w, part_of(model, layer, theta, 1), 1, values(layer->from), values(layer->to));
    } else {
        const struct plain_conv conv = conv_of(layer);
        plain_conv_forward(y, x, w, part_of(model, layer, theta, 1), &conv);
    }
}

static void linear_backward(double *dx, double *grad, const double *dy, const double *x, const kelvin_model *model,
                            const kelvin_layer *layer, const double *theta)
{
    const double *w = part_of(model, layer, theta, 0);
    double *dw = part(model, layer, grad, 0), *db = part(model, layer, grad, 1);
    if (layer->kind == KELVIN_LAYER_MEAN) {
        plain_mean_backward(dx, dy, layer->from.channels, layer->from.height * layer->from.width);
    } else if (layer->kind == KELVIN_LAYER_DENSE) {
        plain_dense_backward(dx, dw, db, dy, x, w, 1, values(layer->from), values(layer->to));
    } else {
        const struct plain_conv conv = conv_of(layer);
        plain_conv_backward(dx, dw, db, dy, x, w, &conv);
    }
}

/* ---- kinks ---- */

/* One unit: u beside its kink. */
static void look(struct plain_net *net, double u, double kink, double largest)
{
    net->margin = fmin(net->margin, fabs(u - kink) / largest);
    net->pattern = (net->pattern ^ (u > kink)) * 1099511628211u; /* FNV-1a */
}

static double largest_of(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* What the maximum is taken of, in net->u: u = relu(u) - relu(-u). */
static void before_maximum(struct plain_net *net, const double *x, const struct plain_frn *frn)
{
    double none[1024], gamma[1024], beta[1024];
    assert(frn->channels <= 1024);
    for (size_t c = 0; c < frn->channels; c++) {
        none[c] = -DBL_MAX;
        gamma[c] = -frn->gamma[c];
        beta[c] = -frn->beta[c];
    }
    struct plain_frn side = *frn;
    side.tau = none;
    plain_frn_forward(net->u, x, &side);
    side.gamma = gamma;
    side.beta = beta;
    plain_frn_forward(net->v, x, &side);
    for (size_t i = 0; i < frn->channels * frn->pixels; i++) net->u[i] -= net->v[i];
}

static void look_at(struct plain_net *net, const double *x, const kelvin_layer *layer, const double *theta)
{
    const size_t n = values(layer->to), pixels = layer->to.height * layer->to.width;
    if (layer->frn) {
        const struct plain_frn frn = frn_of(net->model, layer, theta);
        before_maximum(net, x, &frn);
        const double largest = largest_of(net->u, n);
        for (size_t i = 0; i < n; i++) look(net, net->u[i], fmax(frn.tau[i / pixels], 0), largest);
    } else if (layer->leak < 1) {
        const double largest = largest_of(x, n);
        for (size_t i = 0; i < n; i++) look(net, x[i], 0, largest);
    }
}

/* ---- the network ---- */

const double *plain_net_forward(struct plain_net *net, const double *theta, const float *input)
{
    const kelvin_model *model = net->model;
    for (size_t i = 0; i < model->inputs; i++) net->a[0][i] = (double)input[i];
    net->largest = largest_of(net->a[0], model->inputs);
    net->margin = DBL_MAX;
    net->pattern = 14695981039346656037u;
    for (size_t l = 1; l <= model->n_layers; l++) {
        const kelvin_layer *layer = &model->layer[l];
        const size_t n = values(layer->to);
        double *x = net->x[l], *a = net->a[l];
        linear_forward(x, net->a[layer->in], model, layer, theta);
        if (layer->frn) {
            const struct plain_frn frn = frn_of(model, layer, theta);
            plain_frn_forward(a, x, &frn);
        } else {
            plain_leaky_forward(a, x, (double)layer->leak, n);
        }
        look_at(net, x, layer, theta);
        if (layer->add) plain_sum_forward(a, a, net->a[layer->add], n);
        net->largest = fmax(net->largest, fmax(largest_of(x, n), largest_of(a, n)));
    }
    return net->a[model->n_layers];
}

void plain_net_backward(struct plain_net *net, double *grad, const double *theta, const double *dz)
{
    const kelvin_model *model = net->model;
    for (size_t l = 0; l <= model->n_layers; l++) memset(net->d[l], 0, values(model->layer[l].to) * sizeof **net->d);
    memcpy(net->d[model->n_layers], dz, model->classes * sizeof *dz);
    for (size_t l = model->n_layers; l > 0; l--) {
        const kelvin_layer *layer = &model->layer[l];
        const size_t n = values(layer->to);
        double *dy = net->u, *dx = net->v;
        memset(dy, 0, n * sizeof *dy);
        memset(dx, 0, n * sizeof *dx);
        if (layer->add)
            plain_sum_backward(dy, net->d[layer->add], net->d[l], n);
        else
            memcpy(dy, net->d[l], n * sizeof *dy);
        if (layer->frn) {
            const struct plain_frn frn = frn_of(model, layer, theta);
            plain_frn_backward(dx, part(model, layer, grad, 2), part(model, layer, grad, 3),
                               part(model, layer, grad, 4), dy, net->x[l], &frn);
        } else {
            plain_leaky_backward(dx, dy, net->x[l], (double)layer->leak, n);
        }
        linear_backward(net->d[layer->in], grad, dx, net->a[layer->in], model, layer, theta);
    }
}
