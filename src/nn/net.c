/* What all networks share: packed observations, block by block through whatever runs the model. */
#include "nn/net_type.h"

#include "base/needs.h"
size_t kelvin_model_packed(const kelvin_model *model, size_t n)
{
    return model->type->packed(model, n);
}

void kelvin_model_pack(const kelvin_model *model, float *packed, const float *x, size_t n)
{
    model->type->pack(model, model->kernels, packed, x, n);
}

kelvin_block kelvin_model_block(const kelvin_model *model, const float *packed, size_t n, size_t first)
{
    const size_t left = n - first;
    return (kelvin_block){.x = first == 0 ? packed : packed + model->type->packed(model, first),
                          .n = left < model->block ? left : model->block,
                          .first = first == 0,
                          .last = left <= model->block};
}

static kelvin_status make_weights(kelvin_weights **out, const kelvin_model *model, const struct net_type *type)
{
    *out = NULL;
    kelvin_arena *arena;
    KELVIN_TRY(kelvin_arena_create(&arena));
    kelvin_weights *weights = kelvin_arena_alloc(arena, 1, type->weights_size);
    kelvin_status status = KELVIN_ENOMEM;
    if (weights) {
        *weights = (kelvin_weights){.arena = arena, .model = model, .type = type, .kernels = model->kernels};
        status = type->weights_create ? type->weights_create(weights) : KELVIN_OK;
    }
    if (status)
        kelvin_arena_destroy(arena);
    else
        *out = weights;
    return status;
}

kelvin_status kelvin_weights_create(kelvin_weights **out, const kelvin_model *model)
{
    return make_weights(out, model, model->type);
}

kelvin_status kelvin_weights_create_rows(kelvin_weights **out, const kelvin_model *model)
{
    return make_weights(out, model, &kelvin_net_rows);
}

bool kelvin_model_prepares(const kelvin_model *model)
{
    return model->type->weights_set != NULL;
}

void kelvin_weights_share(kelvin_weights *weights, const float *theta, bool backward, size_t part, size_t parts)
{
    const struct net_type *type = weights->type;
    if (part == 0) weights->theta = theta;
    if (type->weights_set) type->weights_set(weights, theta, backward, part, parts);
}

void kelvin_weights_set(kelvin_weights *weights, const float *theta, bool backward)
{
    kelvin_weights_share(weights, theta, backward, 0, 1);
}

size_t kelvin_weights_bytes(const kelvin_weights *weights)
{
    return kelvin_arena_bytes(weights->arena);
}

void kelvin_weights_destroy(kelvin_weights *weights)
{
    if (weights) kelvin_arena_destroy(weights->arena);
}

static kelvin_status make_net(kelvin_net **out, const kelvin_model *model, const struct net_type *type)
{
    *out = NULL;
    kelvin_arena *arena;
    KELVIN_TRY(kelvin_arena_create(&arena));
    kelvin_net *net = kelvin_arena_alloc(arena, 1, type->net_size);
    float *z = kelvin_arena_alloc(arena, model->classes * KELVIN_BLOCK, sizeof *z);
    kelvin_status status = KELVIN_ENOMEM;
    if (net && z) {
        *net = (kelvin_net){.arena = arena, .model = model, .type = type, .kernels = model->kernels, .z = z};
        status = type->net_create(net);
    }
    if (status)
        kelvin_arena_destroy(arena);
    else
        *out = net;
    return status;
}

kelvin_status kelvin_net_create(kelvin_net **out, const kelvin_model *model)
{
    return make_net(out, model, model->type);
}

kelvin_status kelvin_net_create_rows(kelvin_net **out, const kelvin_model *model)
{
    return make_net(out, model, &kelvin_net_rows);
}

size_t kelvin_net_bytes(const kelvin_net *net)
{
    return kelvin_arena_bytes(net->arena);
}

void kelvin_net_destroy(kelvin_net *net)
{
    if (net) kelvin_arena_destroy(net->arena);
}

void kelvin_net_forward(kelvin_net *net, float *z, const kelvin_weights *weights, const kelvin_block *block)
{
    net->type->forward(net, z, weights, block);
}

void kelvin_net_backward(kelvin_net *net, float *grad, const kelvin_weights *weights, const float *dz,
                         const kelvin_block *block)
{
    net->type->backward(net, grad, weights, dz, block);
}

void kelvin_block_logits(float *logits, const float *z, size_t classes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < classes; k++) logits[i * classes + k] = z[k * KELVIN_BLOCK + i];
}

void kelvin_net_logits(kelvin_net *net, float *logits, const kelvin_weights *weights, const float *packed, size_t n)
{
    const kelvin_model *model = net->model;
    for (size_t first = 0; first < n; first += model->block) {
        const kelvin_block block = kelvin_model_block(model, packed, n, first);
        kelvin_net_forward(net, net->z, weights, &block);
        kelvin_block_logits(logits + first * model->classes, net->z, model->classes, block.n);
    }
}

kelvin_status kelvin_model_logits(const kelvin_model *model, float *logits, const float *theta, const float *x,
                                  size_t n)
{
    KELVIN_NEEDS(model);
    KELVIN_NEEDS(logits);
    KELVIN_NEEDS(theta);
    KELVIN_NEEDS(x);
    kelvin_weights *weights = NULL;
    kelvin_net *net = NULL;
    float *packed = kelvin_alloc(kelvin_model_packed(model, n), sizeof *packed);
    kelvin_status status = packed ? kelvin_weights_create(&weights, model) : KELVIN_ENOMEM;
    if (!status) status = kelvin_net_create(&net, model);
    if (!status) {
        kelvin_model_pack(model, packed, x, n);
        kelvin_weights_set(weights, theta, false);
        kelvin_net_logits(net, logits, weights, packed, n);
    }
    kelvin_net_destroy(net);
    kelvin_weights_destroy(weights);
    kelvin_free(packed);
    return status;
}
