/* build: how a family makes a model, layer by layer.
 *
 *     struct builder b = {model, 2.0};
 *     size_t l = kelvin_layer_add(&b, "stem", (kelvin_layer){.kind = KELVIN_LAYER_CONV, .in = 0, .kernel = 3, .stride =
 * 1, .to.channels = 16, .frn = true});
 *
 * A file per family, a row per family in the table of model.c. */
#ifndef NN_BUILD_H
#define NN_BUILD_H

#include <kelvin/nn.h>

enum { MAX_LAYERS = 128, MAX_LAYER_TENSORS = 5 };

struct family {
    const char *name, *usage, *about;
    /* Adds the layers. `rest` is what follows the name in model->spec; input and classes are set. */
    kelvin_status (*build)(kelvin_model *model, const char *rest);
};

extern const struct family kelvin_family_mlp, kelvin_family_cnn, kelvin_family_resnet;

struct builder {
    kelvin_model *model;
    double gain; /* weights start with variance gain / fan-in */
};

/* Appends a layer and its tensors, NAME.weight and so on, and returns its number. The caller says all but shapes and
 * tensors; of `to` the channels (MEAN: nothing). At most MAX_LAYERS may be added. */
size_t kelvin_layer_add(struct builder *builder, const char *name, kelvin_layer layer);

/* The last layer of all families: dense, without an activation. */
void kelvin_layer_add_head(struct builder *builder, const char *name, size_t in);

/* How many values. */
size_t kelvin_shape_size(kelvin_shape shape);

/* KELVIN_EUSAGE unless the input is of images. */
kelvin_status kelvin_must_be_images(const kelvin_model *model);

#endif
