/* Small networks, lanes are observations: a chain of layers, each a panel (units, observations) of one block.
 *
 * Packed observations are panels too, one per block: (rows, 8 wide), then (rows, 2) where the shape has a rest.
 * theta and the gradient are flat, layer by layer: weight (out, in) or (out, in, kernel, kernel), then bias (out).
 * A network of dense layers is one kernel, whose panels may have a rest. Where there are convolutions, all layers are
 * convolutions (dense ones of one pixel), one kernel each, on panels without a rest. */
#include "nn/build.h"
#include "nn/net_type.h"

#include <string.h>

struct panels {
    kelvin_net net;
    struct dense *layer;     /* (n_layers) */
    struct conv *conv;       /* (n_layers), or NULL where all layers are dense */
    struct panel *act;       /* (n_layers + 1); act[0] is set to the block's input */
    struct panel *slope;     /* (n_layers + 1): gradient in the sums of each layer */
    struct panel_shape ones; /* for which the ones are in place; {0}: for none */
};

static bool has_convs(const kelvin_model *model)
{
    for (size_t l = 1; l <= model->n_layers; l++)
        if (model->layer[l].kind == KELVIN_LAYER_CONV) return true;
    return false;
}

static struct panel_shape shape_of(bool convs, size_t n)
{
    return convs ? (struct panel_shape){.wide = (n + 7) / 8} : kelvin_panel_shape(n);
}

/* ---- packed observations ---- */

static size_t packed(const kelvin_model *model, size_t n)
{
    const size_t rows = panel_rows(model->inputs), left = n % KELVIN_BLOCK;
    const struct panel_shape shape = left ? shape_of(has_convs(model), left) : (struct panel_shape){0};
    return rows * (n - left + 8 * shape.wide + (shape.rest ? 2 : 0));
}

/* The panel of a packed block. Kernels take panels that can be written to; this one is only read by them. */
static struct panel panel_of(const float *x, struct panel_shape shape, size_t units)
{
    float *wide = (float *)x;
    return (struct panel){wide, wide + panel_rows(units) * 8 * shape.wide};
}

/* The unit after the last, whose weight is the bias. */
static void set_ones(struct panel panel, struct panel_shape shape, size_t units)
{
    const size_t row = 8 * shape.wide;
    for (size_t i = 0; i < row; i++) panel.wide[units * row + i] = 1.0f;
    if (shape.rest) panel.rest[2 * units] = panel.rest[2 * units + 1] = 1.0f;
}

/* From x (n, units). Rows beyond the last unit are zero, but for the ones. */
static void fill_panel(struct panel panel, const struct kelvin_kernels *kernels, const float *x, size_t n,
                       struct panel_shape shape, size_t units)
{
    const size_t row = 8 * shape.wide, beyond = panel_rows(units) - units;
    kernels->panel_pack(panel.wide, x, n < row ? n : row, units, shape.wide);
    memset(panel.wide + units * row, 0, beyond * row * sizeof *panel.wide);
    if (shape.rest) {
        memset(panel.rest, 0, 2 * panel_rows(units) * sizeof *panel.rest);
        for (size_t i = row; i < n; i++)
            for (size_t j = 0; j < units; j++) panel.rest[2 * j + (i - row)] = x[i * units + j];
    }
    set_ones(panel, shape, units);
}

static void pack(const kelvin_model *model, const struct kelvin_kernels *kernels, float *out, const float *x, size_t n)
{
    const size_t inputs = model->inputs;
    const bool convs = has_convs(model);
    for (size_t first = 0; first < n; first += KELVIN_BLOCK, x += KELVIN_BLOCK * inputs) {
        const kelvin_block block = kelvin_model_block(model, out, n, first);
        const struct panel_shape shape = shape_of(convs, block.n);
        fill_panel(panel_of(block.x, shape, inputs), kernels, x, block.n, shape, inputs);
    }
}

/* ---- the network ---- */

/* Room for the largest block. */
static bool make_panel(kelvin_arena *arena, struct panel *panel, size_t count)
{
    const size_t rows = panel_rows(count);
    panel->wide = kelvin_arena_alloc(arena, rows * KELVIN_BLOCK, sizeof *panel->wide);
    panel->rest = kelvin_arena_alloc(arena, rows * 2, sizeof *panel->rest);
    return panel->wide && panel->rest;
}

static struct map units_of(size_t channels, size_t height, size_t width)
{
    return kelvin_map_make(channels, height, width, (struct frame){0, 0});
}

static struct conv conv_of(const kelvin_layer *layer)
{
    const kelvin_shape from = layer->from, to = layer->to;
    if (layer->kind == KELVIN_LAYER_DENSE)
        return (struct conv){.in = units_of(kelvin_shape_size(from), 1, 1),
                             .out = units_of(kelvin_shape_size(to), 1, 1),
                             .kernel = 1,
                             .stride = 1};
    struct conv conv = {.in = units_of(from.channels, from.height, from.width),
                        .out = units_of(to.channels, to.height, to.width),
                        .kernel = layer->kernel,
                        .stride = layer->stride};
    struct frame ignored;
    kelvin_conv_same(&conv.pad_y, &ignored, from.height, layer->kernel, layer->stride);
    kelvin_conv_same(&conv.pad_x, &ignored, from.width, layer->kernel, layer->stride);
    return conv;
}

static kelvin_status make_convs(struct panels *p)
{
    const kelvin_model *model = p->net.model;
    p->conv = kelvin_arena_alloc(p->net.arena, model->n_layers, sizeof *p->conv);
    if (!p->conv) return KELVIN_ENOMEM;
    for (size_t l = 1; l <= model->n_layers; l++) p->conv[l - 1] = conv_of(&model->layer[l]);
    return KELVIN_OK;
}

static kelvin_status net_create(kelvin_net *net)
{
    struct panels *p = (struct panels *)net;
    const size_t L = net->model->n_layers;
    if (has_convs(net->model)) KELVIN_TRY(make_convs(p));
    p->layer = kelvin_arena_alloc(net->arena, L, sizeof *p->layer);
    p->act = kelvin_arena_alloc(net->arena, L + 1, sizeof *p->act);
    p->slope = kelvin_arena_alloc(net->arena, L + 1, sizeof *p->slope);
    if (!p->layer || !p->act || !p->slope) return KELVIN_ENOMEM;
    for (size_t l = 1; l <= L; l++) {
        const kelvin_layer *layer = &net->model->layer[l];
        const size_t n_in = kelvin_shape_size(layer->from), n_out = kelvin_shape_size(layer->to);
        p->layer[l - 1] = (struct dense){.n_in = n_in, .n_out = n_out, .leak = layer->leak};
        if (!make_panel(net->arena, &p->act[l], n_out) || !make_panel(net->arena, &p->slope[l], n_out))
            return KELVIN_ENOMEM;
    }
    return KELVIN_OK;
}

/* Copies K rows between a panel and (K, KELVIN_BLOCK). */
static void rows_out(float *z, struct panel panel, struct panel_shape shape, size_t K)
{
    const size_t row = 8 * shape.wide;
    for (size_t k = 0; k < K; k++, z += KELVIN_BLOCK) {
        for (size_t v = 0; v < shape.wide; v++) memcpy(z + 8 * v, panel.wide + k * row + 8 * v, 8 * sizeof *z);
        if (shape.rest) memcpy(z + row, panel.rest + 2 * k, 2 * sizeof *z);
    }
}

static void rows_in(struct panel panel, const float *z, struct panel_shape shape, size_t K)
{
    const size_t row = 8 * shape.wide;
    for (size_t k = 0; k < K; k++, z += KELVIN_BLOCK) {
        for (size_t v = 0; v < shape.wide; v++) memcpy(panel.wide + k * row + 8 * v, z + 8 * v, 8 * sizeof *z);
        if (shape.rest) memcpy(panel.rest + 2 * k, z + row, 2 * sizeof *z);
    }
}

/* Where the parameters of layer l are, numbered from 1. */
static size_t offset_of(const kelvin_model *model, size_t l)
{
    return model->tensor[model->layer[l].tensor].offset;
}

static bool same_shape(struct panel_shape a, struct panel_shape b)
{
    return a.wide == b.wide && a.rest == b.rest;
}

static void convs_forward(struct panels *p, size_t wide, const float *theta)
{
    const kelvin_model *model = p->net.model;
    for (size_t l = 1; l <= model->n_layers; l++)
        p->net.kernels->panel_conv_forward(p->act[l].wide, p->act[l - 1].wide, theta + offset_of(model, l),
                                           &p->conv[l - 1], model->layer[l].leak, wide);
}

static void convs_backward(struct panels *p, size_t wide, float *grad, const float *theta, bool add)
{
    const kelvin_model *model = p->net.model;
    for (size_t l = model->n_layers; l > 0; l--) {
        const size_t offset = offset_of(model, l);
        p->net.kernels->panel_conv_gradient(grad + offset, p->slope[l].wide, p->act[l - 1].wide, &p->conv[l - 1], wide,
                                            add);
        if (l > 1)
            p->net.kernels->panel_conv_backward(p->slope[l - 1].wide, p->slope[l].wide, p->act[l - 1].wide,
                                                theta + offset, &p->conv[l - 1], model->layer[l - 1].leak, wide);
    }
}

static void forward(kelvin_net *net, float *z, const kelvin_weights *weights, const kelvin_block *block)
{
    struct panels *p = (struct panels *)net;
    const size_t L = net->model->n_layers;
    const struct panel_shape shape = shape_of(p->conv, block->n);
    p->act[0] = panel_of(block->x, shape, net->model->inputs);
    if (!same_shape(shape, p->ones)) p->ones = (struct panel_shape){0}; /* they are written over */
    if (p->conv)
        convs_forward(p, shape.wide, weights->theta);
    else
        net->kernels->mlp_forward(p->layer, L, shape, p->act, weights->theta);
    rows_out(z, p->act[L], shape, net->model->classes);
}

static void dense_backward(struct panels *p, struct panel_shape shape, float *grad, const float *theta, bool add)
{
    const size_t L = p->net.model->n_layers;
    if (!same_shape(shape, p->ones)) { /* rows move with the shape */
        for (size_t l = 1; l < L; l++) set_ones(p->act[l], shape, p->layer[l].n_in);
        p->ones = shape;
    }
    p->net.kernels->mlp_backward(p->layer, L, shape, p->slope, p->act, grad, theta, add);
}

static void backward(kelvin_net *net, float *grad, const kelvin_weights *weights, const float *dz,
                     const kelvin_block *block)
{
    struct panels *p = (struct panels *)net;
    const struct panel_shape shape = shape_of(p->conv, block->n);
    rows_in(p->slope[net->model->n_layers], dz, shape, net->model->classes);
    if (p->conv)
        convs_backward(p, shape.wide, grad, weights->theta, !block->first);
    else
        dense_backward(p, shape, grad, weights->theta, !block->first);
}

const struct net_type kelvin_net_panels = {
    .block = KELVIN_BLOCK,
    .weights_size = sizeof(kelvin_weights),
    .net_size = sizeof(struct panels),
    .net_create = net_create,
    .packed = packed,
    .pack = pack,
    .forward = forward,
    .backward = backward,
};
