/* Layers and their tensors, one after the other. Shapes follow from what a layer reads: a convolution with SAME padding
 * and stride s makes ceil(size / s) pixels of `size`. */
#include "nn/build.h"

#include <math.h>
#include <stdio.h>

size_t kelvin_shape_size(kelvin_shape shape)
{
    return shape.channels * shape.height * shape.width;
}

size_t kelvin_tensor_size(const kelvin_tensor *tensor)
{
    size_t n = 1;
    for (size_t i = 0; i < tensor->ndim; i++) n *= tensor->shape[i];
    return n;
}

size_t kelvin_tensor_inputs(const kelvin_tensor *tensor)
{
    size_t n = 1;
    for (size_t i = 1; i < tensor->ndim; i++) n *= tensor->shape[i];
    return n;
}

/* Names and offsets; all else is in `tensor` already. */
static void tensor_add(kelvin_model *model, const char *layer, const char *what, kelvin_tensor tensor)
{
    snprintf(tensor.name, sizeof tensor.name, "%s.%s", layer, what);
    tensor.offset = model->n_params;
    model->n_params += kelvin_tensor_size(&tensor);
    model->tensor[model->n_tensors++] = tensor;
}

static void vector_add(kelvin_model *model, const kelvin_layer *layer, const char *what, double start)
{
    tensor_add(model, layer->name, what, (kelvin_tensor){.ndim = 1, .shape = {layer->to.channels}, .start = start});
}

static void tensors_add(struct builder *builder, const kelvin_layer *layer)
{
    kelvin_model *model = builder->model;
    const bool dense = layer->kind == KELVIN_LAYER_DENSE;
    const size_t k = layer->kernel;
    kelvin_tensor weight = {.ndim = dense ? 2 : 4,
                            .shape = {layer->to.channels, dense ? kelvin_shape_size(layer->from) : layer->from.channels,
                                      dense ? 0 : k, dense ? 0 : k},
                            .cut = true};
    weight.deviation = sqrt(builder->gain / (double)kelvin_tensor_inputs(&weight));
    tensor_add(model, layer->name, "weight", weight);
    vector_add(model, layer, "bias", 0);
    if (!layer->frn) return;
    vector_add(model, layer, "gamma", 1);
    vector_add(model, layer, "beta", 0);
    vector_add(model, layer, "tau", 0);
}

size_t kelvin_layer_add(struct builder *builder, const char *name, kelvin_layer layer)
{
    kelvin_model *model = builder->model;
    snprintf(layer.name, sizeof layer.name, "%s", name);
    layer.from = model->layer[layer.in].to;
    layer.tensor = model->n_tensors;
    layer.to.height = layer.to.width = 1;
    if (layer.kind == KELVIN_LAYER_CONV) {
        layer.to.height = (layer.from.height + layer.stride - 1) / layer.stride;
        layer.to.width = (layer.from.width + layer.stride - 1) / layer.stride;
    }
    if (layer.kind == KELVIN_LAYER_MEAN)
        layer.to.channels = layer.from.channels;
    else
        tensors_add(builder, &layer);
    model->layer[++model->n_layers] = layer;
    return model->n_layers;
}

void kelvin_layer_add_head(struct builder *builder, const char *name, size_t in)
{
    kelvin_layer_add(
        builder, name,
        (kelvin_layer){.kind = KELVIN_LAYER_DENSE, .in = in, .leak = 1, .to.channels = builder->model->classes});
}

kelvin_status kelvin_must_be_images(const kelvin_model *model)
{
    const kelvin_shape in = model->input;
    if (in.height > 1 || in.width > 1) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "model '%s' looks at images, but the data are a table of %zu column%s; use mlp",
                       model->spec, in.channels, in.channels == 1 ? "" : "s");
}

double kelvin_layer_flops(const kelvin_layer *layer)
{
    const double out = (double)kelvin_shape_size(layer->to);
    if (layer->kind == KELVIN_LAYER_MEAN) return 0;
    if (layer->kind == KELVIN_LAYER_DENSE) return 2 * out * (double)kelvin_shape_size(layer->from);
    return 2 * out * (double)(layer->kernel * layer->kernel * layer->from.channels);
}
