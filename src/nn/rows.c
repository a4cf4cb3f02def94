/* Networks of dense layers on rows of a table, lanes are units: rows are read where they lie, so that a batch is never
 * put together.
 *
 * Weights but the last are turned, (1 + inputs, units) with the bias first, and all are in rows of whole vectors, with
 * zeros beyond the last unit; gradients are summed in the same form, and brought back once. Those of all layers but the
 * last are taken of some blocks together, so that their sums stay in registers for longer: each sum goes over the rows
 * in their order, so the bits do not depend on how many these are. */
#include "nn/build.h"
#include "nn/net_type.h"

#include <string.h>

struct layer_weights {
    float *turned; /* (1 + inputs, row); NULL for the last layer */
    float *plain;  /* (outputs, row of the layer before); NULL for the first */
};

struct row_weights {
    kelvin_weights weights;
    struct layer_weights *layer; /* (n_layers) */
};

struct row_layer {
    size_t n_in, n_out;
    size_t row; /* floats of its units, or, of the last layer, of those that it reads */
    float leak;
    float *gradient;                    /* (1 + n_in, row), or of the last layer (n_out, row) */
    float *act, *slope;                 /* (most, row), but of the last layer */
    const float **act_row, **slope_row; /* (most) */
};

struct rows {
    kelvin_net net;
    struct row_layer *layer; /* (n_layers) */
    float *bias;             /* (classes, 8): lanes of the sums of the last layer's */
    size_t most;             /* rows that can be held, a multiple of KELVIN_BLOCK */
    size_t held;
    const float *const *x; /* (held) */
    bool begun, let_go;    /* the last layer's gradient, and those of the others, have something in them */
};

static size_t units_of(const kelvin_layer *layer)
{
    return kelvin_shape_size(layer->to);
}

/* A table has columns, no pixels. Without a hidden layer there are hardly any units. */
bool kelvin_model_takes_rows(const kelvin_model *model)
{
    for (size_t l = 1; l <= model->n_layers; l++)
        if (model->layer[l].kind != KELVIN_LAYER_DENSE) return false;
    return model->n_layers > 1 && model->input.height == 1 && model->input.width == 1;
}

/* ---- weights ---- */

static kelvin_status weights_create(kelvin_weights *weights)
{
    struct row_weights *w = (struct row_weights *)weights;
    const kelvin_model *model = weights->model;
    w->layer = kelvin_arena_alloc(weights->arena, model->n_layers, sizeof *w->layer);
    if (!w->layer) return KELVIN_ENOMEM;
    for (size_t l = 0; l < model->n_layers; l++) {
        const size_t n_in = units_of(&model->layer[l]), n_out = units_of(&model->layer[l + 1]);
        struct layer_weights *layer = &w->layer[l];
        const bool last = l + 1 == model->n_layers;
        if (!last) layer->turned = kelvin_arena_alloc(weights->arena, (1 + n_in) * kelvin_row(n_out), sizeof(float));
        if (l > 0) layer->plain = kelvin_arena_alloc(weights->arena, n_out * kelvin_row(n_in), sizeof(float));
        if ((!last && !layer->turned) || (l > 0 && !layer->plain)) return KELVIN_ENOMEM;
    }
    return KELVIN_OK;
}

/* Lanes beyond the last unit stay 0, as the memory was when it was made. */
static void weights_set(kelvin_weights *weights, const float *theta, bool backward, size_t part, size_t parts)
{
    struct row_weights *w = (struct row_weights *)weights;
    const kelvin_model *model = weights->model;
    (void)parts;
    if (part > 0) return; /* they are few */
    for (size_t l = 0; l < model->n_layers; l++) {
        const size_t n_in = units_of(&model->layer[l]), n_out = units_of(&model->layer[l + 1]);
        const size_t out_row = kelvin_row(n_out), in_row = kelvin_row(n_in);
        const struct layer_weights *layer = &w->layer[l];
        const float *bias = theta + n_in * n_out;
        const bool last = l + 1 == model->n_layers;
        if (!last) {
            memcpy(layer->turned, bias, n_out * sizeof *bias);
            weights->kernels->turn(layer->turned + out_row, out_row, theta, n_in, n_out, n_in, 1);
        }
        if (l > 0 && (last || backward))
            for (size_t j = 0; j < n_out; j++)
                memcpy(layer->plain + j * in_row, theta + j * n_in, n_in * sizeof *theta);
        theta = bias + n_out;
    }
}

/* ---- a network ---- */

/* Rows whose activations and slopes, with what they came from, stay in the nearest cache. */
static size_t rows_held(const kelvin_model *model)
{
    enum { FLOATS = 12288, MOST = 6 * KELVIN_BLOCK };
    size_t floats = model->inputs;
    for (size_t l = 1; l < model->n_layers; l++) floats += 2 * kelvin_row(units_of(&model->layer[l]));
    const size_t blocks = FLOATS / floats / KELVIN_BLOCK;
    return blocks == 0 ? KELVIN_BLOCK : blocks * KELVIN_BLOCK < MOST ? blocks * KELVIN_BLOCK : MOST;
}

static bool make_rows(kelvin_arena *arena, float **numbers, const float ***row, size_t rows, size_t size)
{
    *numbers = kelvin_arena_alloc(arena, rows * size, sizeof **numbers);
    *row = kelvin_arena_alloc(arena, rows, sizeof **row);
    for (size_t r = 0; *numbers && *row && r < rows; r++) (*row)[r] = *numbers + r * size;
    return *numbers && *row;
}

static kelvin_status make_layer(struct row_layer *layer, const struct rows *p, size_t l)
{
    const kelvin_model *model = p->net.model;
    kelvin_arena *arena = p->net.arena;
    const bool last = l + 1 == model->n_layers;
    const size_t n_in = units_of(&model->layer[l]), n_out = units_of(&model->layer[l + 1]);
    const size_t rows = p->most + KELVIN_ROWS_BEYOND;
    *layer = (struct row_layer){
        .n_in = n_in, .n_out = n_out, .row = kelvin_row(last ? n_in : n_out), .leak = model->layer[l + 1].leak};
    layer->gradient = kelvin_arena_alloc(arena, (last ? n_out : 1 + n_in) * layer->row, sizeof(float));
    if (!layer->gradient) return KELVIN_ENOMEM;
    return last || (make_rows(arena, &layer->act, &layer->act_row, rows, layer->row) &&
                    make_rows(arena, &layer->slope, &layer->slope_row, rows, layer->row))
               ? KELVIN_OK
               : KELVIN_ENOMEM;
}

static kelvin_status net_create(kelvin_net *net)
{
    struct rows *p = (struct rows *)net;
    const size_t L = net->model->n_layers;
    p->most = rows_held(net->model);
    p->layer = kelvin_arena_alloc(net->arena, L, sizeof *p->layer);
    p->bias = kelvin_arena_alloc(net->arena, 8 * net->model->classes, sizeof *p->bias);
    if (!p->layer || !p->bias) return KELVIN_ENOMEM;
    for (size_t l = 0; l < L; l++) KELVIN_TRY(make_layer(&p->layer[l], p, l));
    return KELVIN_OK;
}

static float *at(const struct rows *p, const struct row_layer *layer, float *numbers)
{
    return numbers + p->held * layer->row;
}

static void forward(kelvin_net *net, float *z, const kelvin_weights *weights, const kelvin_block *block)
{
    struct rows *p = (struct rows *)net;
    const struct row_weights *w = (const struct row_weights *)weights;
    const struct kelvin_kernels *k = net->kernels;
    const size_t last = net->model->n_layers - 1;
    if (block->first) {
        p->held = 0;
        p->begun = p->let_go = false;
    }
    if (p->held == 0) p->x = block->row;
    const float *const *x = block->row;
    for (size_t l = 0; l < last; l++) {
        const struct row_layer *layer = &p->layer[l];
        k->rows_forward(at(p, layer, layer->act), x, w->layer[l].turned, layer->n_in, layer->n_out, layer->leak,
                        block->n);
        x = layer->act_row + p->held;
    }
    const struct row_layer *below = &p->layer[last - 1];
    k->rows_logits(z, at(p, below, below->act), w->layer[last].plain,
                   weights->theta + net->model->n_params - net->model->classes, net->model->classes, below->n_out,
                   block->n);
}

/* Slopes of all layers but the last, from the last on, and the last one's gradient. */
static void slopes(struct rows *p, const struct row_weights *w, const float *dz, size_t n)
{
    const struct kelvin_kernels *k = p->net.kernels;
    const size_t last = p->net.model->n_layers - 1;
    const struct row_layer *end = &p->layer[last], *layer = &p->layer[last - 1];
    k->rows_end(at(p, layer, layer->slope), end->gradient, p->bias, dz, end->n_out, at(p, layer, layer->act),
                w->layer[last].plain, layer->n_out, layer->leak, n, p->begun);
    p->begun = true;
    for (size_t l = last - 1; l > 0; l--) {
        const struct row_layer *above = &p->layer[l];
        layer = &p->layer[l - 1];
        k->rows_backward(at(p, layer, layer->slope), at(p, layer, layer->act), above->slope_row + p->held,
                         w->layer[l].plain, above->n_out, layer->n_out, layer->leak, n);
    }
}

/* Gradients of all layers but the last from the rows that are held. */
static void let_go(struct rows *p)
{
    const float *const *x = p->x;
    for (size_t l = 0; l + 1 < p->net.model->n_layers; l++) {
        const struct row_layer *layer = &p->layer[l];
        p->net.kernels->rows_gradient(layer->gradient, x, layer->n_in, layer->slope, layer->n_out, p->held,
                                      p->let_go);
        x = layer->act_row;
    }
    p->held = 0;
    p->let_go = true;
}

static float sum_of_lanes(const float *x)
{
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

static void put_gradient(const struct rows *p, float *grad, float scale)
{
    const size_t last = p->net.model->n_layers - 1;
    for (size_t l = 0; l < last; l++) {
        const struct row_layer *layer = &p->layer[l];
        const size_t n = layer->n_in, units = layer->n_out, row = layer->row;
        p->net.kernels->turn(grad, n, layer->gradient + row, row, n, units, scale);
        grad += n * units;
        for (size_t j = 0; j < units; j++) *grad++ = scale * layer->gradient[j];
    }
    const struct row_layer *layer = &p->layer[last];
    for (size_t k = 0; k < layer->n_out; k++)
        for (size_t j = 0; j < layer->n_in; j++) *grad++ = scale * layer->gradient[k * layer->row + j];
    for (size_t k = 0; k < layer->n_out; k++) *grad++ = scale * sum_of_lanes(p->bias + 8 * k);
}

static void backward(kelvin_net *net, float *grad, const kelvin_weights *weights, const float *dz,
                     const kelvin_block *block)
{
    struct rows *p = (struct rows *)net;
    slopes(p, (const struct row_weights *)weights, dz, block->n);
    p->held += block->n;
    if (block->last || p->held == p->most) let_go(p);
    if (block->last) put_gradient(p, grad, block->scale);
}

const struct net_type kelvin_net_rows = {
    .block = KELVIN_BLOCK,
    .weights_size = sizeof(struct row_weights),
    .net_size = sizeof(struct rows),
    .weights_create = weights_create,
    .net_create = net_create,
    .weights_set = weights_set,
    .forward = forward,
    .backward = backward,
};
