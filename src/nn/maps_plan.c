/* Plans for residual networks. */
#include "nn/maps_plan.h"

#include <string.h>

/* Convolutions of 3x3 are Winograd's, by tiles of 4x4, in all three passes: in every layer of the residual networks, the
 * fastest method whose error stays below 2e-6 of the largest output (docs/performance.md; kelvin-bench resnet20
 * --methods). With few channels its transforms cost more than the products that they save. */
static const struct conv_method *choose(const struct kelvin_kernels *kernels, const struct conv *conv)
{
    const bool narrow = conv->in.channels < KELVIN_LANES || conv->out.channels < KELVIN_LANES;
    if (!narrow && kernels->winograd_4.fits(conv)) return &kernels->winograd_4;
    if (!narrow && kernels->winograd_s2.fits(conv)) return &kernels->winograd_s2;
    return &kernels->direct;
}

static struct frame frame_max(struct frame a, struct frame b)
{
    return (struct frame){a.before > b.before ? a.before : b.before, a.after > b.after ? a.after : b.after};
}

/* The frame that the output of layer l needs: what its readers reach for, and its own convolution on the way back. */
static struct frame frame_of(const kelvin_model *model, size_t l)
{
    const kelvin_layer *own = &model->layer[l];
    struct frame frame = {0, 0}, y, x;
    size_t before;
    for (size_t r = l + 1; r <= model->n_layers; r++) {
        const kelvin_layer *reader = &model->layer[r];
        if (reader->in != l || reader->kind != KELVIN_LAYER_CONV) continue;
        kelvin_conv_same(&before, &y, own->to.height, reader->kernel, reader->stride);
        kelvin_conv_same(&before, &x, own->to.width, reader->kernel, reader->stride);
        frame = frame_max(frame, frame_max(y, x));
    }
    if (l == 0 || own->kind != KELVIN_LAYER_CONV) return frame;
    y = kelvin_conv_back_frame(own->from.height, own->kernel, own->stride);
    x = kelvin_conv_back_frame(own->from.width, own->kernel, own->stride);
    return frame_max(frame, frame_max(y, x));
}

/* Layers that are added to each other share one memory for their gradients, so they have one frame. */
static void share_frame(struct frame *frame, const kelvin_model *model, size_t l)
{
    const size_t add = model->layer[l].add;
    if (add) frame[l] = frame[add] = frame_max(frame[l], frame[add]);
}

static void find_frames(struct frame *frame, const kelvin_model *model)
{
    for (size_t l = 0; l <= model->n_layers; l++) frame[l] = frame_of(model, l);
    for (size_t l = model->n_layers; l > 0; l--) share_frame(frame, model, l);  /* down the chain of sums, */
    for (size_t l = 1; l <= model->n_layers; l++) share_frame(frame, model, l); /* and up again */
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void plan_conv(struct plan *plan, size_t l, const kelvin_layer *layer, const struct kelvin_kernels *kernels)
{
    struct step *s = &plan->step[l];
    struct frame unused;
    struct conv *conv = &s->forward;
    *conv = (struct conv){
        .in = plan->step[layer->in].map, .out = s->bare, .kernel = layer->kernel, .stride = layer->stride};
    kelvin_conv_same(&conv->pad_y, &unused, layer->from.height, layer->kernel, layer->stride);
    kelvin_conv_same(&conv->pad_x, &unused, layer->from.width, layer->kernel, layer->stride);
    s->back = *conv;
    s->back.out = s->map;
    for (int pass = 0; pass < PASSES; pass++) {
        const struct conv_method *method = choose(kernels, conv);
        size_t *total = pass == PASS_GRADIENT ? &plan->gradient : &plan->packed;
        s->method[pass] = method;
        s->packed[pass] = *total;
        *total += method->weights(conv);
        plan->scratch = larger(plan->scratch, method->scratch(conv));
    }
    s->both = layer->in > 0 && s->method[PASS_BACKWARD]->both && s->method[PASS_BACKWARD] == s->method[PASS_GRADIENT];
    s->vectors = plan->vectors;
    plan->vectors += VECTORS * KELVIN_LANES * s->map.blocks;
    plan->lanes = larger(plan->lanes, KELVIN_LANES * s->map.blocks);
}

/* ---- memory that layers use in turn ---- */

static size_t buffer_take(struct buffers *buffers, const struct map *map, bool whole)
{
    size_t i = 0;
    for (; i < buffers->n; i++) {
        const struct buffer *b = &buffers->buffer[i];
        if (!b->busy && b->whole == whole && memcmp(&b->map, map, sizeof *map) == 0) break;
    }
    if (i == buffers->n) buffers->n++;
    buffers->buffer[i] = (struct buffer){*map, whole, true};
    return i;
}

/* Gradients: going back, that in a layer's output is there from the last layer that reads it to the layer itself. */

static const size_t NONE = (size_t)-1;

static void plan_back(struct plan *plan, const kelvin_model *model, size_t l)
{
    const kelvin_layer *layer = &model->layer[l];
    struct step *step = plan->step, *s = &step[l], *in = &step[layer->in];
    s->d_conv = s->d_out;
    if (layer->add) {
        step[layer->add].d_out = s->d_out;
        if (!s->both) s->d_conv = buffer_take(&plan->d, &s->map, false);
    }
    s->add_back = in->d_out != NONE;
    if (layer->in > 0 && !s->add_back) in->d_out = buffer_take(&plan->d, &in->map, in->images != s->images);
    if (!layer->add || !s->both) plan->d.buffer[s->d_conv].busy = false;
}

static void plan_gradients(struct plan *plan, const kelvin_model *model)
{
    for (size_t l = 0; l <= model->n_layers; l++) plan->step[l].d_out = NONE;
    for (size_t l = model->n_layers; l > 0; l--) {
        const kelvin_layer *layer = &model->layer[l];
        struct step *in = &plan->step[layer->in];
        if (layer->kind == KELVIN_LAYER_MEAN) in->d_out = buffer_take(&plan->d, &in->map, true);
        if (layer->kind == KELVIN_LAYER_CONV) plan_back(plan, model, l);
    }
}

/* Outputs that need not be kept: one reader, a neighbour. */

static size_t only_reader(const kelvin_model *model, size_t l)
{
    size_t readers = 0, last = 0;
    for (size_t r = l + 1; r <= model->n_layers; r++)
        if (model->layer[r].in == l || model->layer[r].add == l) readers++, last = r;
    return readers == 1 ? last : 0;
}

static bool read_inside(const struct plan *plan, const kelvin_model *model, size_t l)
{
    for (size_t r = l + 1; r <= model->n_layers; r++) {
        const kelvin_layer *reader = &model->layer[r];
        const bool here = reader->kind == KELVIN_LAYER_CONV && plan->step[r].images == plan->step[l].images;
        if ((reader->in == l || reader->add == l) && !here) return false;
    }
    return true;
}

static void plan_outputs(struct plan *plan, const kelvin_model *model)
{
    for (size_t l = 1; l <= model->n_layers; l++) {
        struct step *s = &plan->step[l];
        const kelvin_layer *layer = &model->layer[l];
        const size_t reader = only_reader(model, l);
        s->inside = read_inside(plan, model, l);
        s->passing = s->inside && reader && layer->kind == KELVIN_LAYER_CONV && !layer->add;
        if (s->passing) s->place = buffer_take(&plan->a, &s->map, false);
        for (size_t earlier = 1; earlier < l; earlier++)
            if (plan->step[earlier].passing && only_reader(model, earlier) == l)
                plan->a.buffer[plan->step[earlier].place].busy = false;
    }
}

/* ---- */

/* How many images to take through a layer at a time: few where maps are large, so that they stay in L2 with the values
 * at Winograd's points; all where they are small, since weights are large there, and are read once for all. */
static size_t images_of(const struct map *map)
{
    enum { LARGE = 60000, MIDDLE = 30000 }; /* bytes: of 16 channels at 32 x 32, of 32 at 16 x 16 and their frames */
    const size_t bytes = map->size * sizeof(float);
    return bytes > LARGE ? 1 : bytes > MIDDLE ? 4 : MAPS_BLOCK;
}

kelvin_status kelvin_plan_make(struct plan *plan, kelvin_arena *arena, const kelvin_model *model,
                               const struct kelvin_kernels *kernels)
{
    const size_t layers = model->n_layers;
    *plan = (struct plan){.step = kelvin_arena_alloc(arena, layers + 1, sizeof *plan->step)};
    plan->d.buffer = kelvin_arena_alloc(arena, 2 * layers, sizeof *plan->d.buffer);
    plan->a.buffer = kelvin_arena_alloc(arena, layers, sizeof *plan->a.buffer);
    struct frame *frame = kelvin_arena_alloc(arena, layers + 1, sizeof *frame);
    if (!plan->step || !plan->d.buffer || !plan->a.buffer || !frame) return KELVIN_ENOMEM;
    find_frames(frame, model);
    for (size_t l = 0; l <= layers; l++) {
        const kelvin_layer *layer = &model->layer[l];
        const kelvin_shape to = layer->to;
        struct step *s = &plan->step[l];
        s->map = kelvin_map_make(to.channels, to.height, to.width, frame[l]);
        s->bare = kelvin_map_make(to.channels, to.height, to.width, (struct frame){0, 0});
        s->images = images_of(&s->map);
        if (l > 0 && layer->kind == KELVIN_LAYER_CONV) plan_conv(plan, l, layer, kernels);
    }
    plan_gradients(plan, model);
    plan_outputs(plan, model);
    return KELVIN_OK;
}
