/* Plans for residual networks. */
#include "nn/maps_plan.h"

#include <string.h>

/* Convolutions of 3x3 and stride 1 are Winograd's, by tiles of 4x4, in all three passes: in every layer of the residual
 * networks, the fastest method whose error stays below 1e-5 of the largest output (docs/performance.md; kelvin bench
 * resnet20 --methods). With few channels its transforms cost more than the products that they save. */
static const struct conv_method *choose(const struct kelvin_kernels *kernels, const struct conv *conv)
{
    const bool narrow = conv->in.channels < KELVIN_LANES || conv->out.channels < KELVIN_LANES;
    return !narrow && kernels->winograd_4.fits(conv) ? &kernels->winograd_4 : &kernels->direct;
}

static struct frame frame_max(struct frame a, struct frame b)
{
    return (struct frame){a.before > b.before ? a.before : b.before, a.after > b.after ? a.after : b.after};
}

/* The frame around the output of layer l: what its readers reach for, and what its own convolution does on the way
 * back. */
static struct frame frame_of(const kelvin_model *model, size_t l)
{
    const kelvin_layer *own = &model->layer[l];
    struct frame frame = {0, 0}, y, x;
    size_t before;
    for (size_t r = l + 1; r <= model->n_layers; r++) {
        const kelvin_layer *reader = &model->layer[r];
        if (reader->in != l || reader->kind != KELVIN_LAYER_CONV) continue;
        conv_same(&before, &y, own->to.height, reader->kernel, reader->stride);
        conv_same(&before, &x, own->to.width, reader->kernel, reader->stride);
        frame = frame_max(frame, frame_max(y, x));
    }
    if (l == 0 || own->kind != KELVIN_LAYER_CONV) return frame;
    y = conv_back_frame(own->from.height, own->kernel, own->stride);
    x = conv_back_frame(own->from.width, own->kernel, own->stride);
    return frame_max(frame, frame_max(y, x));
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void plan_conv(struct plan *plan, size_t l, const kelvin_layer *layer, const struct kelvin_kernels *kernels)
{
    struct step *s = &plan->step[l];
    struct frame unused;
    s->conv =
        (struct conv){.in = plan->step[layer->in].map, .out = s->map, .kernel = layer->kernel, .stride = layer->stride};
    conv_same(&s->conv.pad_y, &unused, layer->from.height, layer->kernel, layer->stride);
    conv_same(&s->conv.pad_x, &unused, layer->from.width, layer->kernel, layer->stride);
    for (int pass = 0; pass < PASSES; pass++) {
        const struct conv_method *method = choose(kernels, &s->conv);
        size_t *total = pass == PASS_GRADIENT ? &plan->gradient : &plan->packed;
        s->method[pass] = method;
        s->packed[pass] = *total;
        *total += method->weights(&s->conv);
        plan->scratch = larger(plan->scratch, method->scratch(&s->conv));
    }
    s->vectors = plan->vectors;
    plan->vectors += VECTORS * KELVIN_LANES * s->map.blocks;
}

/* ---- memory of gradients ----
 * Going back, the gradient in a layer's output is there from the last layer that reads it to the layer itself. */

static const size_t NONE = (size_t)-1;

struct pool {
    struct plan *plan;
    bool *busy;
};

static size_t buffer_take(struct pool *pool, const struct map *map)
{
    struct plan *plan = pool->plan;
    size_t i = 0;
    while (i < plan->n_buffers && (pool->busy[i] || memcmp(&plan->buffer[i], map, sizeof *map) != 0)) i++;
    if (i == plan->n_buffers) plan->buffer[plan->n_buffers++] = *map;
    pool->busy[i] = true;
    return i;
}

static void plan_back(struct pool *pool, const kelvin_model *model, size_t l)
{
    const kelvin_layer *layer = &model->layer[l];
    struct step *step = pool->plan->step, *s = &step[l], *in = &step[layer->in];
    s->d_conv = s->d_out;
    if (layer->add) {
        step[layer->add].d_out = s->d_out;
        s->d_conv = buffer_take(pool, &s->map);
    }
    s->add_back = in->d_out != NONE;
    if (layer->in > 0 && !s->add_back) in->d_out = buffer_take(pool, &in->map);
    pool->busy[s->d_conv] = false;
}

static kelvin_status plan_buffers(struct plan *plan, kelvin_arena *arena, const kelvin_model *model)
{
    const size_t layers = model->n_layers;
    struct pool pool = {plan, kelvin_arena_alloc(arena, 2 * layers, sizeof *pool.busy)};
    plan->buffer = kelvin_arena_alloc(arena, 2 * layers, sizeof *plan->buffer);
    if (!pool.busy || !plan->buffer) return KELVIN_ENOMEM;
    for (size_t l = 0; l <= layers; l++) plan->step[l].d_out = NONE;
    for (size_t l = layers; l > 0; l--) {
        const kelvin_layer *layer = &model->layer[l];
        if (layer->kind == KELVIN_LAYER_MEAN)
            plan->step[layer->in].d_out = buffer_take(&pool, &plan->step[layer->in].map);
        if (layer->kind == KELVIN_LAYER_CONV) plan_back(&pool, model, l);
    }
    return KELVIN_OK;
}

/* ---- */

/* How many images to take through a layer at a time: a few whose maps, and the values at Winograd's points, fit into L2
 * together; where maps are small, all, since weights are large there, and are read once for all of them. */
static size_t images_of(const struct map *map)
{
    const size_t bytes = map->size * sizeof(float);
    return bytes > 60000 ? 1 : bytes > 30000 ? 4 : MAPS_BLOCK;
}

kelvin_status plan_make(struct plan *plan, kelvin_arena *arena, const kelvin_model *model,
                        const struct kelvin_kernels *kernels)
{
    *plan = (struct plan){.step = kelvin_arena_alloc(arena, model->n_layers + 1, sizeof *plan->step)};
    if (!plan->step) return KELVIN_ENOMEM;
    for (size_t l = 0; l <= model->n_layers; l++) {
        const kelvin_layer *layer = &model->layer[l];
        const kelvin_shape to = layer->to;
        struct step *s = &plan->step[l];
        s->map = map_make(to.channels, to.height, to.width, frame_of(model, l));
        s->images = images_of(&s->map);
        if (l > 0 && layer->kind == KELVIN_LAYER_CONV) plan_conv(plan, l, layer, kernels);
    }
    return plan_buffers(plan, arena, model);
}
