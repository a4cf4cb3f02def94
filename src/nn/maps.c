/* Residual networks, lanes are channels: a few images at a time go through consecutive layers, so that what one layer
 * wrote is in the cache when the next one reads it.
 *
 * Of each layer two things are kept for the way back: x, what its convolution gave, and a, its output after FRN, ReLU
 * and the sum, unless that is soon made again from x. Gradients of weights are summed in the form that the
 * convolution's method likes, and brought back once, after the last block. */
#include "nn/maps_plan.h"

#include <string.h>

enum { LANES = KELVIN_LANES };

/* ---- weights ---- */

struct maps_weights {
    kelvin_weights weights;
    struct plan plan;
    float *packed, *vectors;
    bool backward; /* gradients will be asked for */
};

static kelvin_status weights_create(kelvin_weights *weights)
{
    struct maps_weights *w = (struct maps_weights *)weights;
    KELVIN_TRY(kelvin_plan_make(&w->plan, weights->arena, weights->model, weights->kernels));
    w->packed = kelvin_arena_alloc(weights->arena, w->plan.packed, sizeof *w->packed);
    w->vectors = kelvin_arena_alloc(weights->arena, w->plan.vectors, sizeof *w->vectors);
    return w->packed && w->vectors ? KELVIN_OK : KELVIN_ENOMEM;
}

/* Tensor number i of a layer: weight, bias, gamma, beta, tau. */
static size_t offset(const kelvin_model *model, const kelvin_layer *layer, size_t i)
{
    return model->tensor[layer->tensor + i].offset;
}

static void weights_set(kelvin_weights *weights, const float *theta, bool backward, size_t part, size_t parts)
{
    struct maps_weights *w = (struct maps_weights *)weights;
    const kelvin_model *model = weights->model;
    if (part == 0) w->backward = backward;
    for (size_t l = 1; l <= model->n_layers; l++) {
        const kelvin_layer *layer = &model->layer[l];
        const struct step *s = &w->plan.step[l];
        if (layer->kind != KELVIN_LAYER_CONV || l % parts != part) continue;
        const float *from = theta + offset(model, layer, 0);
        s->method[PASS_FORWARD]->pack(w->packed + s->packed[PASS_FORWARD], from, &s->forward, false);
        if (backward && layer->in > 0)
            s->method[PASS_BACKWARD]->pack(w->packed + s->packed[PASS_BACKWARD], from, &s->back, true);
        for (size_t v = 0; v < VECTORS; v++)
            memcpy(w->vectors + s->vectors + v * s->map.blocks * LANES, theta + offset(model, layer, 1 + v),
                   layer->to.channels * sizeof(float));
    }
}

static const float *vector(const struct maps_weights *w, const struct step *s, size_t v)
{
    return w->vectors + s->vectors + v * s->map.blocks * LANES;
}

static struct frn frn_of(const struct maps_weights *w, const struct step *s)
{
    return (struct frn){vector(w, s, VECTOR_GAMMA), vector(w, s, VECTOR_BETA), vector(w, s, VECTOR_TAU)};
}

/* ---- observations: as they are ---- */

static size_t packed(const kelvin_model *model, size_t n)
{
    return model->inputs * n;
}

static void pack(const kelvin_model *model, const struct kelvin_kernels *kernels, float *out, const float *x, size_t n)
{
    (void)kernels;
    if (out != x) memcpy(out, x, model->inputs * n * sizeof *out);
}

/* ---- the network ---- */

struct maps {
    kelvin_net net;
    struct plan plan;
    bool keeps;           /* what the way back needs */
    bool adds;            /* to gradients of blocks before */
    float **x, **a;       /* (n_layers + 1) each: (MAPS_BLOCK, bare.size), (MAPS_BLOCK, map.size) */
    float **squares, **r; /* (n_layers + 1) each: (MAPS_BLOCK, 16 blocks) */
    float **passing, **d; /* memory that layers use in turn, of outputs and of gradients: (MAPS_BLOCK, map.size) */
    float *d_packed;      /* gradients of weights, */
    float *d_vectors;
    float *d_mean; /* and of what goes into the dense layer, as a of MEAN */
    float *scale, *pull; /* of FRN's gradient: (MAPS_BLOCK, 16 x the most blocks) */
    float *scratch;
};

static bool make_images(kelvin_arena *arena, float **images, size_t floats)
{
    *images = kelvin_arena_alloc(arena, MAPS_BLOCK * floats, sizeof **images);
    return *images != NULL;
}

static bool make_layer(struct maps *m, size_t l)
{
    kelvin_arena *arena = m->net.arena;
    const kelvin_layer *layer = &m->net.model->layer[l];
    const struct step *s = &m->plan.step[l];
    if (l > 0 && layer->kind == KELVIN_LAYER_DENSE) return true;
    if (!s->passing && !make_images(arena, &m->a[l], s->map.size)) return false;
    if (l == 0 || layer->kind == KELVIN_LAYER_MEAN) return true;
    return make_images(arena, &m->x[l], s->bare.size) && make_images(arena, &m->r[l], s->map.blocks * LANES) &&
           make_images(arena, &m->squares[l], s->map.blocks * LANES);
}

static bool make_buffers(kelvin_arena *arena, float ***memory, const struct buffers *buffers)
{
    *memory = kelvin_arena_alloc(arena, buffers->n + 1, sizeof **memory);
    for (size_t i = 0; *memory && i < buffers->n; i++)
        if (!make_images(arena, &(*memory)[i], buffers->buffer[i].map.size)) return false;
    return *memory != NULL;
}

static kelvin_status net_create(kelvin_net *net)
{
    struct maps *m = (struct maps *)net;
    kelvin_arena *arena = net->arena;
    const size_t layers = net->model->n_layers;
    float ***lists[] = {&m->x, &m->a, &m->r, &m->squares};
    KELVIN_TRY(kelvin_plan_make(&m->plan, arena, net->model, net->kernels));
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        *lists[i] = kelvin_arena_alloc(arena, layers + 1, sizeof **lists[i]);
        if (!*lists[i]) return KELVIN_ENOMEM;
    }
    for (size_t l = 0; l <= layers; l++)
        if (!make_layer(m, l)) return KELVIN_ENOMEM;
    if (!make_buffers(arena, &m->passing, &m->plan.a) || !make_buffers(arena, &m->d, &m->plan.d)) return KELVIN_ENOMEM;
    m->d_packed = kelvin_arena_alloc(arena, m->plan.gradient, sizeof *m->d_packed);
    m->d_vectors = kelvin_arena_alloc(arena, m->plan.vectors, sizeof *m->d_vectors);
    m->scratch = kelvin_arena_alloc(arena, m->plan.scratch, sizeof *m->scratch);
    if (!make_images(arena, &m->d_mean, m->plan.step[layers - 1].map.size)) return KELVIN_ENOMEM;
    if (!make_images(arena, &m->scale, m->plan.lanes) || !make_images(arena, &m->pull, m->plan.lanes))
        return KELVIN_ENOMEM;
    return m->d_packed && m->d_vectors && m->scratch ? KELVIN_OK : KELVIN_ENOMEM;
}

/* Some images that go through consecutive layers together. */
struct group {
    size_t first, n;
};

/* Those of a layer's output. Of what is not kept there is only this group, and where no gradient will be asked for, of
 * all but what leaves a group's consecutive layers. */
static float *outputs(const struct maps *m, size_t l, struct group group)
{
    const struct step *s = &m->plan.step[l];
    if (s->passing) return m->passing[s->place];
    return m->a[l] + (m->keeps || !s->inside ? group.first * s->map.size : 0);
}

/* Those of what its convolution gave. */
static float *sums(const struct maps *m, size_t l, struct group group)
{
    return m->x[l] + (m->keeps ? group.first * m->plan.step[l].bare.size : 0);
}

static float *gradients(const struct maps *m, size_t buffer, struct group group)
{
    const struct buffer *b = &m->plan.d.buffer[buffer];
    return m->d[buffer] + (b->whole ? group.first * b->map.size : 0);
}

/* ---- forward ---- */

/* FRN, ReLU and the sum: from x to the output. */
static void normalise(struct maps *m, const struct maps_weights *w, size_t l, struct group group)
{
    const struct step *s = &m->plan.step[l];
    const size_t add = m->net.model->layer[l].add, at = group.first * s->map.blocks * LANES;
    const struct frn frn = frn_of(w, s);
    m->net.kernels->frn_forward(outputs(m, l, group), &s->map, m->r[l] + at, sums(m, l, group), &s->bare,
                                m->squares[l] + at, add ? outputs(m, add, group) : NULL, &m->plan.step[add].map, &frn,
                                group.n);
}

/* A layer and the images that it is to be done for; layer 0: nothing. */
struct turn {
    size_t l;
    struct group group;
};

static void conv_forward(struct maps *m, const struct maps_weights *w, size_t l, struct group group, struct turn next)
{
    const struct step *s = &m->plan.step[l];
    struct work work = {.scratch = m->scratch};
    if (m->keeps && !s->passing) {
        work.soon[0] = outputs(m, l, group);
        work.floats[0] = group.n * s->map.size;
    }
    if (m->keeps && next.l) {
        work.soon[1] = sums(m, next.l, next.group);
        work.floats[1] = next.group.n * m->plan.step[next.l].bare.size;
    }
    s->method[PASS_FORWARD]->forward(sums(m, l, group), m->squares[l] + group.first * s->map.blocks * LANES,
                                     outputs(m, m->net.model->layer[l].in, group), w->packed + s->packed[PASS_FORWARD],
                                     vector(w, s, VECTOR_BIAS), &s->forward, group.n, &work);
    normalise(m, w, l, group);
}

static struct group group_at(size_t first, size_t n, size_t at_a_time)
{
    return (struct group){first, n - first < at_a_time ? n - first : at_a_time};
}

/* Runs consecutive layers which take as many images at a time, from layer l on; returns the first one that does not. */
static size_t segment_forward(struct maps *m, const struct maps_weights *w, size_t l, size_t n)
{
    const kelvin_model *model = m->net.model;
    const size_t at_a_time = m->plan.step[l].images;
    size_t end = l;
    while (model->layer[end].kind == KELVIN_LAYER_CONV && m->plan.step[end].images == at_a_time) end++;
    for (size_t first = 0; first < n; first += at_a_time)
        for (size_t i = l; i < end; i++) {
            const size_t after = first + at_a_time;
            const struct group group = group_at(first, n, at_a_time);
            const struct turn next = i + 1 < end ? (struct turn){i + 1, group}
                                     : after < n ? (struct turn){l, group_at(after, n, at_a_time)}
                                                 : (struct turn){0};
            conv_forward(m, w, i, group, next);
        }
    return end;
}

/* z (classes, KELVIN_BLOCK) = w features + b, features (n, width) */
static void dense_forward(float *z, const float *features, size_t width, const float *w, const float *b, size_t from,
                          size_t classes, size_t n)
{
    for (size_t k = 0; k < classes; k++)
        for (size_t i = 0; i < KELVIN_BLOCK; i++) {
            float sum = b[k];
            for (size_t c = 0; c < from && i < n; c++) sum += w[k * from + c] * features[i * width + c];
            z[k * KELVIN_BLOCK + i] = sum;
        }
}

static void forward(kelvin_net *net, float *z, const kelvin_weights *weights, const kelvin_block *block)
{
    struct maps *m = (struct maps *)net;
    const struct maps_weights *w = (const struct maps_weights *)weights;
    const kelvin_model *model = net->model;
    size_t l = 1;
    m->keeps = w->backward;
    net->kernels->map_from_planes(m->a[0], block->x, &m->plan.step[0].map, block->n);
    while (model->layer[l].kind == KELVIN_LAYER_CONV) l = segment_forward(m, w, l, block->n);
    const struct map *last = &m->plan.step[l - 1].map;
    net->kernels->mean_forward(m->a[l], m->a[l - 1], last, block->n);
    const kelvin_layer *head = &model->layer[l + 1];
    dense_forward(z, m->a[l], last->blocks * LANES, weights->theta + offset(model, head, 0),
                  weights->theta + offset(model, head, 1), head->from.channels, model->classes, block->n);
}

/* ---- backward ---- */

static struct frn_gradient frn_gradient_of(const struct maps *m, const struct step *s)
{
    const size_t length = s->map.blocks * LANES;
    float *d = m->d_vectors + s->vectors;
    return (struct frn_gradient){.gamma = d + VECTOR_GAMMA * length,
                                 .beta = d + VECTOR_BETA * length,
                                 .tau = d + VECTOR_TAU * length,
                                 .bias = d + VECTOR_BIAS * length};
}

/* What the layer after this one on the way back will read. */
static struct work work_before(const struct maps *m, struct turn next)
{
    struct work work = {.scratch = m->scratch};
    if (next.l == 0) return work;
    const struct step *step = m->plan.step, *s = &step[next.l];
    const size_t in = m->net.model->layer[next.l].in;
    work.soon[0] = sums(m, next.l, next.group);
    work.floats[0] = next.group.n * s->bare.size;
    work.soon[1] = step[in].passing ? sums(m, in, next.group) : outputs(m, in, next.group);
    work.floats[1] = next.group.n * (step[in].passing ? step[in].bare.size : step[in].map.size);
    return work;
}

/* FRN, and both ways back from it at once. */
static void both_back(struct maps *m, const struct maps_weights *w, size_t l, struct group group, struct turn next)
{
    const struct step *step = m->plan.step, *s = &step[l];
    const size_t in = m->net.model->layer[l].in, at = group.first * s->map.blocks * LANES;
    const struct frn frn = frn_of(w, s);
    const struct frn_gradient total = frn_gradient_of(m, s);
    const struct frn_slope slope = {.da = gradients(m, s->d_out, group),
                                    .x = sums(m, l, group),
                                    .da_map = &s->map,
                                    .x_map = &s->bare,
                                    .scale = m->scale,
                                    .pull = m->pull,
                                    .beta = frn.beta,
                                    .tau = frn.tau};
    const struct work work = work_before(m, next);
    m->net.kernels->frn_slopes(m->scale, m->pull, &total, slope.da, &s->map, slope.x, &s->bare, m->r[l] + at, &frn,
                               group.n);
    if (step[in].passing) normalise(m, w, in, group);
    s->method[PASS_GRADIENT]->both(gradients(m, step[in].d_out, group), s->add_back,
                                   m->d_packed + s->packed[PASS_GRADIENT], m->adds || group.first > 0,
                                   outputs(m, in, group), &slope, w->packed + s->packed[PASS_BACKWARD], &s->back,
                                   group.n, &work);
}

/* One after the other. */
static void each_back(struct maps *m, const struct maps_weights *w, size_t l, struct group group, struct turn next)
{
    const struct step *step = m->plan.step, *s = &step[l];
    const size_t in = m->net.model->layer[l].in;
    const struct frn frn = frn_of(w, s);
    const struct frn_gradient total = frn_gradient_of(m, s);
    float *d = gradients(m, s->d_conv, group);
    struct work work = work_before(m, next), other = work;
    work.soon[1] = other.soon[0] = NULL;
    m->net.kernels->frn_backward(d, &s->map, &total, gradients(m, s->d_out, group), &s->map, sums(m, l, group),
                                 &s->bare, m->r[l] + group.first * s->map.blocks * LANES, &frn, group.n);
    if (step[in].passing) normalise(m, w, in, group);
    s->method[PASS_GRADIENT]->gradient(m->d_packed + s->packed[PASS_GRADIENT], outputs(m, in, group), d, &s->back,
                                       group.n, m->adds || group.first > 0, &work);
    if (in == 0) return;
    s->method[PASS_BACKWARD]->backward(gradients(m, step[in].d_out, group), d, w->packed + s->packed[PASS_BACKWARD],
                                       &s->back, group.n, s->add_back, &other);
}

static void conv_backward(struct maps *m, const struct maps_weights *w, size_t l, struct group group, struct turn next)
{
    (m->plan.step[l].both ? both_back : each_back)(m, w, l, group, next);
}

/* Gradients of a layer's weights and vectors in the form of theta: right after the last of them were added, while they
 * are in the cache. */
static void bring_back(struct maps *m, float *grad, size_t l)
{
    const kelvin_model *model = m->net.model;
    const kelvin_layer *layer = &model->layer[l];
    const struct step *s = &m->plan.step[l];
    s->method[PASS_GRADIENT]->unpack(grad + offset(model, layer, 0), m->d_packed + s->packed[PASS_GRADIENT], &s->back);
    for (size_t v = 0; v < VECTORS; v++)
        memcpy(grad + offset(model, layer, 1 + v), m->d_vectors + s->vectors + v * s->map.blocks * LANES,
               layer->to.channels * sizeof *grad);
}

/* Consecutive layers down from l; returns the next one to do. grad gets their gradients, unless it is NULL. */
static size_t segment_backward(struct maps *m, float *grad, const struct maps_weights *w, size_t l, size_t n)
{
    const size_t at_a_time = m->plan.step[l].images;
    size_t end = l;
    while (end > 0 && m->plan.step[end].images == at_a_time) end--;
    for (size_t first = 0; first < n; first += at_a_time)
        for (size_t i = l; i > end; i--) {
            const size_t after = first + at_a_time;
            const struct group group = group_at(first, n, at_a_time);
            const struct turn next = i - 1 > end ? (struct turn){i - 1, group}
                                     : after < n ? (struct turn){l, group_at(after, n, at_a_time)}
                                                 : (struct turn){0};
            conv_backward(m, w, i, group, next);
            if (grad && after >= n) bring_back(m, grad, i);
        }
    return end;
}

/* Adds to dw (classes, from) and db (classes), and sets d (n, width). */
static void dense_backward(float *dw, float *db, float *d, const float *dz, const float *features, size_t width,
                           const float *w, size_t from, size_t classes, size_t n)
{
    memset(d, 0, n * width * sizeof *d);
    for (size_t k = 0; k < classes; k++)
        for (size_t i = 0; i < n; i++) {
            const float slope = dz[k * KELVIN_BLOCK + i];
            db[k] += slope;
            for (size_t c = 0; c < from; c++) {
                dw[k * from + c] += slope * features[i * width + c];
                d[i * width + c] += slope * w[k * from + c];
            }
        }
}

static void backward(kelvin_net *net, float *grad, const kelvin_weights *weights, const float *dz,
                     const kelvin_block *block)
{
    struct maps *m = (struct maps *)net;
    const kelvin_model *model = net->model;
    const kelvin_layer *head = &model->layer[model->n_layers];
    const size_t mean = model->n_layers - 1, last = mean - 1, width = m->plan.step[mean].map.blocks * LANES;
    float *dw = grad + offset(model, head, 0), *db = grad + offset(model, head, 1);
    m->adds = !block->first;
    if (block->first) {
        memset(m->d_vectors, 0, m->plan.vectors * sizeof *m->d_vectors);
        memset(dw, 0, head->from.channels * model->classes * sizeof *dw);
        memset(db, 0, model->classes * sizeof *db);
    }
    dense_backward(dw, db, m->d_mean, dz, m->a[mean], width, weights->theta + offset(model, head, 0),
                   head->from.channels, model->classes, block->n);
    net->kernels->mean_backward(m->d[m->plan.step[last].d_out], m->d_mean, &m->plan.step[last].map, block->n);
    for (size_t l = last; l > 0;)
        l = segment_backward(m, block->last ? grad : NULL, (const struct maps_weights *)weights, l, block->n);
}

const struct net_type kelvin_net_maps = {
    .block = MAPS_BLOCK,
    .weights_size = sizeof(struct maps_weights),
    .net_size = sizeof(struct maps),
    .weights_create = weights_create,
    .net_create = net_create,
    .packed = packed,
    .pack = pack,
    .weights_set = weights_set,
    .forward = forward,
    .backward = backward,
};
