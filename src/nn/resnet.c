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
#include <stdlib.h>
#include <string.h>

enum { SHALLOWEST = 8, DEEPEST = 110, STACKS = 3 };

static kelvin_status parse(size_t *blocks, const char *rest, const char *spec)
{
    const size_t digits = strspn(rest, "0123456789");
    const long depth = digits > 0 && digits < 5 ? strtol(rest, NULL, 10) : 0;
    if (rest[digits] || depth < SHALLOWEST || depth > DEEPEST || depth % 6 != 2)
        return kelvin_fail(
            KELVIN_EUSAGE,
            "model '%s' is not known; the depth of a resnet is 6n + 2, from %d to %d: resnet8, resnet14, "
            "resnet20, ...",
            spec, SHALLOWEST, DEEPEST);
    *blocks = (size_t)(depth - 2) / 6;
    return KELVIN_OK;
}

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
    char name[24];
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

static kelvin_status build(kelvin_model *model, const char *rest)
{
    struct builder b = {model, 2.0};
    size_t blocks = 0;
    KELVIN_TRY(parse(&blocks, rest, model->spec));
    KELVIN_TRY(kelvin_must_be_images(model));
    size_t last = kelvin_layer_add(&b, "stem", conv(0, 3, 1, 16));
    for (size_t stack = 1; stack <= STACKS; stack++)
        for (size_t block = 1; block <= blocks; block++) last = add_block(&b, last, stack, block);
    last = kelvin_layer_add(&b, "mean", (kelvin_layer){.kind = KELVIN_LAYER_MEAN, .in = last, .leak = 1});
    kelvin_layer_add_head(&b, "head", last);
    return KELVIN_OK;
}

const struct family kelvin_family_resnet = {
    "resnet", "resnetN", "for images: residual network of N = 6n + 2 layers with FRN, as the paper's resnet20", build};
