/* "resnetN", N = 6 n + 2: residual networks as the paper's for CIFAR-10, resnet20.
 *
 *     stem; three stacks of n blocks with 16, 32, 64 channels; mean over pixels; dense
 *     block(x) = relu(layer2(layer1(x)) + x),      layer(x) = relu(FRN(conv3x3(x)))
 *
 * The first block of stacks 2 and 3 has stride 2, and x becomes shortcut(x) there, a layer with a 1x1 convolution of
 * stride 2. A block's last ReLU does nothing, and is left out: what a layer puts out is >= 0, what goes into a block is
 * such an output or a sum of them, and so both terms of its sum are >= 0. */
#include "nn/build.h"

#include <stdio.h>

enum { SHALLOWEST = 8, DEEPEST = 110, STACKS = 3 };

static kelvin_layer conv(size_t in, size_t kernel, size_t stride, size_t channels)
{
    return (kelvin_layer){
        .kind = KELVIN_LAYER_CONV, .in = in, .frn = true, .kernel = kernel, .stride = stride, .to.channels = channels};
}

/* Block `block` of stack `stack`, both from 1, on layer `in`; returns its last layer. */
static size_t add_block(struct builder *b, size_t in, size_t stack, size_t block)
{
    const size_t channels = (size_t)8 << stack;
    const bool shrinks = stack > 1 && block == 1;
    char name[64];
    size_t shortcut = in;
    if (shrinks) { /* before layer1: on the way back it then adds to a quarter of the pixels, after layer1 set them */
        snprintf(name, sizeof name, "stack%zu.block%zu.shortcut", stack, block);
        shortcut = kelvin_layer_add(b, name, conv(in, 1, 2, channels));
    }
    snprintf(name, sizeof name, "stack%zu.block%zu.layer1", stack, block);
    const size_t first = kelvin_layer_add(b, name, conv(in, 3, shrinks ? 2 : 1, channels));
    snprintf(name, sizeof name, "stack%zu.block%zu.layer2", stack, block);
    kelvin_layer second = conv(first, 3, 1, channels);
    second.add = shortcut;
    return kelvin_layer_add(b, name, second);
}

static kelvin_status build(kelvin_model *model, const struct kelvin_values *values)
{
    struct builder b = {model, 2.0};
    const size_t depth = (size_t)values->value[0], blocks = (depth - 2) / 6;
    if (depth % 6 != 2)
        return kelvin_fail(
            KELVIN_EUSAGE,
            "model '%s': the depth of a resnet is 6n + 2, from %d to %d: resnet8, resnet14, resnet20, ...", model->spec,
            SHALLOWEST, DEEPEST);
    KELVIN_TRY(kelvin_must_be_images(model));
    size_t last = kelvin_layer_add(&b, "stem", conv(0, 3, 1, 16));
    for (size_t stack = 1; stack <= STACKS; stack++)
        for (size_t block = 1; block <= blocks; block++) last = add_block(&b, last, stack, block);
    last = kelvin_layer_add(&b, "mean", (kelvin_layer){.kind = KELVIN_LAYER_MEAN, .in = last, .leak = 1});
    kelvin_layer_add_head(&b, "head", last);
    return KELVIN_OK;
}

const struct kelvin_model_type kelvin_model_resnet = {
    .member = {"resnetN", "resnetN",
               "for images: residual network of N = 6n + 2 layers with FRN, as the paper's resnet20",
               KELVIN_PARAMETERS({"N", SHALLOWEST, DEEPEST, .whole = true})},
    .build = build,
};
