/* build: how a type of models makes one, layer by layer.
 *
 *     struct builder b = {model, 2.0};
 *     size_t l = kelvin_layer_add(&b, "stem", (kelvin_layer){.kind = KELVIN_LAYER_CONV, .in = 0, .kernel = 3, .stride =
 * 1, .to.channels = 16, .frn = true});
 *
 * A file per type, a row per type in the table of model.c. */
#ifndef NN_BUILD_H
#define NN_BUILD_H

#include "base/family.h"

#include "nn/nn.h"

enum { MAX_LAYERS = 128, MAX_LAYER_TENSORS = 5 };

struct kelvin_model_type {
    kelvin_member member;
    /* Adds the layers. `values` are those of the member's parameters; input, classes and spec are set. */
    kelvin_status (*build)(kelvin_model *model, const struct kelvin_values *values);
};

extern const kelvin_family kelvin_model_family;

struct builder {
    kelvin_model *model;
    double gain; /* weights start with variance gain / fan-in */
};

/* Appends a layer and its tensors, NAME.weight and so on, and returns its number. The caller says all but shapes and
 * tensors; of `to` the channels (MEAN: nothing). At most MAX_LAYERS may be added. */
size_t kelvin_layer_add(struct builder *builder, const char *name, kelvin_layer layer);

/* The last layer of all families: dense, without an activation. */
void kelvin_layer_add_head(struct builder *builder, const char *name, size_t in);

/* KELVIN_EUSAGE unless the input is of images. */
kelvin_status kelvin_must_be_images(const kelvin_model *model);

#endif
