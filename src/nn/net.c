/* A model bound to inputs: packs them into panels once, and owns the activations of one block.
 *
 * theta and the gradient are flat, layer by layer: weight (out, in), then bias (out). */
#include "kernels/kernels.h"

#include <kelvin/nn.h>

#include <string.h>

struct kelvin_net {
    kelvin_arena *arena;
    const kelvin_model *model;
    const struct kelvin_kernels *kernels;
    size_t n, blocks;
    struct dense *layer;     /* (n_layers) */
    struct panel *input;     /* (blocks) */
    struct panel *act;       /* (n_layers + 1); act[0] is set to the block's input */
    struct panel *slope;     /* (n_layers + 1): gradient in the sums of each layer */
    struct panel_shape ones; /* for which the ones are in place */
};

size_t kelvin_net_blocks(const kelvin_net *net)
{
    return net->blocks;
}

size_t kelvin_net_count(const kelvin_net *net, size_t block)
{
    const size_t left = net->n - block * KELVIN_BLOCK;
    return left < KELVIN_BLOCK ? left : KELVIN_BLOCK;
}

static struct panel_shape shape_of(const kelvin_net *net, size_t block)
{
    return panel_shape(kelvin_net_count(net, block));
}

/* Room for the largest block. */
static bool make_panel(kelvin_net *net, struct panel *panel, size_t units)
{
    const size_t rows = panel_rows(units);
    panel->wide = kelvin_arena_alloc(net->arena, rows * KELVIN_BLOCK, sizeof *panel->wide);
    panel->rest = kelvin_arena_alloc(net->arena, rows * 2, sizeof *panel->rest);
    return panel->wide && panel->rest;
}

/* The unit after the last, whose weight is the bias. */
static void set_ones(struct panel panel, struct panel_shape shape, size_t units)
{
    const size_t row = 8 * shape.wide;
    for (size_t i = 0; i < row; i++) panel.wide[units * row + i] = 1.0f;
    panel.rest[2 * units] = panel.rest[2 * units + 1] = 1.0f;
}

/* Where observation i of a block stands in unit j of a panel. */
static float *panel_at(struct panel panel, struct panel_shape shape, size_t j, size_t i)
{
    const size_t row = 8 * shape.wide;
    return i < row ? panel.wide + j * row + i : panel.rest + 2 * j + (i - row);
}

static void pack_inputs(kelvin_net *net, const float *x)
{
    const size_t inputs = net->model->inputs;
    for (size_t b = 0; b < net->blocks; b++) {
        const struct panel_shape shape = shape_of(net, b);
        for (size_t i = 0; i < kelvin_net_count(net, b); i++)
            for (size_t j = 0; j < inputs; j++)
                *panel_at(net->input[b], shape, j, i) = x[(b * KELVIN_BLOCK + i) * inputs + j];
        set_ones(net->input[b], shape, inputs);
    }
}

static bool make_layers(kelvin_net *net)
{
    const kelvin_model *model = net->model;
    const size_t L = model->n_layers;
    net->layer = kelvin_arena_alloc(net->arena, L, sizeof *net->layer);
    net->input = kelvin_arena_alloc(net->arena, net->blocks, sizeof *net->input);
    net->act = kelvin_arena_alloc(net->arena, L + 1, sizeof *net->act);
    net->slope = kelvin_arena_alloc(net->arena, L + 1, sizeof *net->slope);
    if (!net->layer || !net->input || !net->act || !net->slope) return false;
    for (size_t b = 0; b < net->blocks; b++)
        if (!make_panel(net, &net->input[b], model->inputs)) return false;
    for (size_t l = 0; l < L; l++) {
        net->layer[l] = (struct dense){
            .n_in = model->width[l], .n_out = model->width[l + 1], .leak = l + 1 < L ? model->leak : 1.0f};
        if (!make_panel(net, &net->act[l + 1], model->width[l + 1]) ||
            !make_panel(net, &net->slope[l + 1], model->width[l + 1]))
            return false;
    }
    return true;
}

kelvin_status kelvin_net_create(kelvin_net **out, const kelvin_model *model, const float *x, size_t n)
{
    *out = NULL;
    if (n == 0) return kelvin_fail(KELVIN_EUSAGE, "a network needs at least one input to look at");
    const struct kelvin_kernels *kernels;
    KELVIN_TRY(kelvin_kernels_get(&kernels));
    kelvin_arena *arena;
    KELVIN_TRY(kelvin_arena_create(&arena));
    kelvin_net *net = kelvin_arena_alloc(arena, 1, sizeof *net);
    if (net) {
        *net = (kelvin_net){.arena = arena,
                            .model = model,
                            .kernels = kernels,
                            .n = n,
                            .blocks = (n + KELVIN_BLOCK - 1) / KELVIN_BLOCK};
        if (make_layers(net)) {
            pack_inputs(net, x);
            *out = net;
            return KELVIN_OK;
        }
    }
    kelvin_arena_destroy(arena);
    return KELVIN_ENOMEM;
}

void kelvin_net_destroy(kelvin_net *net)
{
    if (net) kelvin_arena_destroy(net->arena);
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

static struct panel_shape forward(kelvin_net *net, const float *theta, size_t block)
{
    const struct panel_shape shape = shape_of(net, block);
    net->act[0] = net->input[block];
    net->kernels->mlp_forward(net->layer, net->model->n_layers, shape, net->act, theta);
    return shape;
}

void kelvin_net_forward(kelvin_net *net, float *z, const float *theta, size_t block)
{
    const struct panel_shape shape = forward(net, theta, block);
    rows_out(z, net->act[net->model->n_layers], shape, net->model->classes);
}

void kelvin_net_logits(kelvin_net *net, float *logits, const float *theta)
{
    const size_t L = net->model->n_layers, K = net->model->classes;
    for (size_t b = 0; b < net->blocks; b++) {
        const struct panel_shape shape = forward(net, theta, b);
        for (size_t i = 0; i < kelvin_net_count(net, b); i++)
            for (size_t k = 0; k < K; k++) *logits++ = *panel_at(net->act[L], shape, k, i);
    }
}

void kelvin_net_backward(kelvin_net *net, float *grad, const float *theta, const float *dz, size_t block)
{
    const size_t L = net->model->n_layers;
    const struct panel_shape shape = shape_of(net, block);
    if (shape.wide != net->ones.wide) { /* rows move with the shape */
        for (size_t l = 1; l < L; l++) set_ones(net->act[l], shape, net->layer[l].n_in);
        net->ones = shape;
    }
    rows_in(net->slope[L], dz, shape, net->model->classes);
    net->kernels->mlp_backward(net->layer, L, shape, net->slope, net->act, grad, theta, block > 0);
}
