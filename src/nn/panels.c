/* Small networks, lanes are observations: a chain of layers, each a panel (units, observations) of one block.
 *
 * Packed observations are panels too, one per block: (rows, 8 wide), then (rows, 2) where the shape has a rest.
 * theta and the gradient are flat, layer by layer: weight (out, in), then bias (out). */
#include "nn/net_type.h"

#include <string.h>

struct panels {
    kelvin_net net;
    struct dense *layer;     /* (n_layers) */
    struct panel *act;       /* (n_layers + 1); act[0] is set to the block's input */
    struct panel *slope;     /* (n_layers + 1): gradient in the sums of each layer */
    struct panel_shape ones; /* for which the ones are in place */
};

/* ---- packed observations ---- */

static size_t packed(const kelvin_model *model, size_t n)
{
    const size_t rows = panel_rows(model->inputs), left = n % KELVIN_BLOCK;
    const struct panel_shape shape = left ? panel_shape(left) : (struct panel_shape){0};
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

/* Where observation i of a block stands in unit j of a panel. */
static float *panel_at(struct panel panel, struct panel_shape shape, size_t j, size_t i)
{
    const size_t row = 8 * shape.wide;
    return i < row ? panel.wide + j * row + i : panel.rest + 2 * j + (i - row);
}

static void pack(const kelvin_model *model, const struct kelvin_kernels *kernels, float *out, const float *x, size_t n)
{
    (void)kernels;
    const size_t inputs = model->inputs;
    memset(out, 0, packed(model, n) * sizeof *out);
    for (size_t first = 0; first < n; first += KELVIN_BLOCK) {
        const kelvin_block block = kelvin_model_block(model, out, n, first);
        const struct panel_shape shape = panel_shape(block.n);
        const struct panel panel = panel_of(block.x, shape, inputs);
        for (size_t i = 0; i < block.n; i++)
            for (size_t j = 0; j < inputs; j++) *panel_at(panel, shape, j, i) = x[(first + i) * inputs + j];
        set_ones(panel, shape, inputs);
    }
}

/* ---- weights: theta as it is ---- */

static kelvin_status must_be_dense(const kelvin_model *model)
{
    for (size_t l = 1; l <= model->n_layers; l++)
        if (model->layer[l].kind != KELVIN_LAYER_DENSE)
            return kelvin_fail(KELVIN_EUSAGE, "model '%s' cannot be run yet: it has convolutions", model->spec);
    return KELVIN_OK;
}

static kelvin_status weights_create(kelvin_weights *weights)
{
    return must_be_dense(weights->model);
}

static void weights_set(kelvin_weights *weights, bool backward)
{
    (void)weights, (void)backward;
}

/* ---- the network ---- */

static size_t units(kelvin_shape shape)
{
    return shape.channels * shape.height * shape.width;
}

/* Room for the largest block. */
static bool make_panel(kelvin_arena *arena, struct panel *panel, size_t count)
{
    const size_t rows = panel_rows(count);
    panel->wide = kelvin_arena_alloc(arena, rows * KELVIN_BLOCK, sizeof *panel->wide);
    panel->rest = kelvin_arena_alloc(arena, rows * 2, sizeof *panel->rest);
    return panel->wide && panel->rest;
}

static kelvin_status net_create(kelvin_net *net)
{
    struct panels *p = (struct panels *)net;
    const size_t L = net->model->n_layers;
    KELVIN_TRY(must_be_dense(net->model));
    p->layer = kelvin_arena_alloc(net->arena, L, sizeof *p->layer);
    p->act = kelvin_arena_alloc(net->arena, L + 1, sizeof *p->act);
    p->slope = kelvin_arena_alloc(net->arena, L + 1, sizeof *p->slope);
    if (!p->layer || !p->act || !p->slope) return KELVIN_ENOMEM;
    for (size_t l = 1; l <= L; l++) {
        const kelvin_layer *layer = &net->model->layer[l];
        const size_t n_in = units(layer->from), n_out = units(layer->to);
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

static void forward(kelvin_net *net, float *z, const kelvin_weights *weights, const kelvin_block *block)
{
    struct panels *p = (struct panels *)net;
    const size_t L = net->model->n_layers;
    const struct panel_shape shape = panel_shape(block->n);
    p->act[0] = panel_of(block->x, shape, net->model->inputs);
    net->kernels->mlp_forward(p->layer, L, shape, p->act, weights->theta);
    rows_out(z, p->act[L], shape, net->model->classes);
}

static void backward(kelvin_net *net, float *grad, const kelvin_weights *weights, const float *dz,
                     const kelvin_block *block)
{
    struct panels *p = (struct panels *)net;
    const size_t L = net->model->n_layers;
    const struct panel_shape shape = panel_shape(block->n);
    if (shape.wide != p->ones.wide || shape.rest != p->ones.rest) { /* rows move with the shape */
        for (size_t l = 1; l < L; l++) set_ones(p->act[l], shape, p->layer[l].n_in);
        p->ones = shape;
    }
    rows_in(p->slope[L], dz, shape, net->model->classes);
    net->kernels->mlp_backward(p->layer, L, shape, p->slope, p->act, grad, weights->theta, !block->first);
}

const struct net_type net_panels = {
    .block = KELVIN_BLOCK,
    .weights_size = sizeof(kelvin_weights),
    .net_size = sizeof(struct panels),
    .weights_create = weights_create,
    .net_create = net_create,
    .packed = packed,
    .pack = pack,
    .weights_set = weights_set,
    .forward = forward,
    .backward = backward,
};
