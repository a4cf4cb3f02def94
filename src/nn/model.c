/* Models: from a text such as "resnet20" to layers, and named views on one flat parameter vector. */
#include "base/needs.h"
#include "nn/build.h"
#include "nn/net_type.h"

#include <string.h>

/* One row each. */
#define MODELS(ROW)                                                                                                    \
    ROW(mlp)                                                                                                           \
    ROW(cnn)                                                                                                           \
    ROW(resnet)

#define DECLARE(id) extern const struct kelvin_model_type kelvin_model_##id;
#define ADDRESS(id) &kelvin_model_##id,

MODELS(DECLARE)
static const struct kelvin_model_type *const table[] = {MODELS(ADDRESS)};

static const kelvin_member *at(size_t i)
{
    return i < sizeof table / sizeof *table ? &table[i]->member : NULL;
}

const kelvin_family kelvin_model_family = {"models", "model", "models", NULL, at};

/* Networks without FRN are small, and go through `panels` with observations as lanes. */
static const struct net_type *type_of(const kelvin_model *model)
{
    for (size_t l = 1; l <= model->n_layers; l++)
        if (model->layer[l].frn) return &kelvin_net_maps;
    return &kelvin_net_panels;
}

static kelvin_status build(kelvin_model *model, const char *spec)
{
    const kelvin_member *member;
    struct kelvin_values values;
    if (strlen(spec) >= sizeof model->spec)
        return kelvin_fail(KELVIN_EUSAGE, "model '%.40s...': the text is too long", spec);
    strcpy(model->spec, spec);
    KELVIN_TRY(kelvin_family_read(&member, &values, &kelvin_model_family, spec));
    model->layer = kelvin_alloc(MAX_LAYERS + 1, sizeof *model->layer);
    model->tensor = kelvin_alloc((size_t)MAX_LAYER_TENSORS * MAX_LAYERS, sizeof *model->tensor);
    if (!model->layer || !model->tensor) return KELVIN_ENOMEM;
    model->layer[0].to = model->input;
    KELVIN_TRY(((const struct kelvin_model_type *)member)->build(model, &values));
    model->type = type_of(model);
    model->block = model->type->block;
    return kelvin_kernels_get(&model->kernels);
}

kelvin_status kelvin_model_create(kelvin_model **out, const char *spec, kelvin_shape input, size_t classes)
{
    KELVIN_NEEDS(out);
    *out = NULL;
    KELVIN_NEEDS(spec);
    const size_t most = (size_t)1 << 30; /* of inputs, and of classes: no size of any layer of any family overflows */
    size_t inputs;
    if (__builtin_mul_overflow(input.channels, input.height, &inputs) ||
        __builtin_mul_overflow(inputs, input.width, &inputs) || inputs > most || classes > most)
        return kelvin_fail(KELVIN_EUSAGE, "a model of %zu x %zu x %zu inputs and %zu classes; expected at most %zu",
                           input.channels, input.height, input.width, classes, most);
    if (inputs == 0 || classes < 2)
        return kelvin_fail(KELVIN_EUSAGE, "a model needs at least one input and two classes, not %zu and %zu", inputs,
                           classes);
    kelvin_model *model = kelvin_alloc(1, sizeof *model);
    if (!model) return KELVIN_ENOMEM;
    model->input = input;
    model->inputs = inputs;
    model->classes = classes;
    const kelvin_status status = build(model, spec);
    if (status)
        kelvin_model_destroy(model);
    else
        *out = model;
    return status;
}

void kelvin_model_destroy(kelvin_model *model)
{
    if (!model) return;
    kelvin_free(model->layer);
    kelvin_free(model->tensor);
    kelvin_free(model);
}

bool kelvin_model_alike(const kelvin_model *a, const kelvin_model *b)
{
    bool same = a->n_tensors == b->n_tensors;
    for (size_t t = 0; same && t < b->n_tensors; t++)
        same = strcmp(a->tensor[t].name, b->tensor[t].name) == 0 && a->tensor[t].ndim == b->tensor[t].ndim &&
               memcmp(a->tensor[t].shape, b->tensor[t].shape, b->tensor[t].ndim * sizeof *b->tensor[t].shape) == 0;
    return same;
}

bool kelvin_model_is_outer(const kelvin_model *model, size_t i)
{
    for (size_t l = 1; l <= model->n_layers; l++)
        if (model->layer[l].in == 0 && model->layer[l].kind != KELVIN_LAYER_MEAN && model->layer[l].tensor == i)
            return true;
    return false;
}

const char *kelvin_model_spec(const kelvin_model *model)
{
    return model->spec;
}

size_t kelvin_model_inputs(const kelvin_model *model)
{
    return model->inputs;
}

size_t kelvin_model_classes(const kelvin_model *model)
{
    return model->classes;
}

size_t kelvin_model_parameters(const kelvin_model *model)
{
    return model->n_params;
}

size_t kelvin_model_tensors(const kelvin_model *model)
{
    return model->n_tensors;
}

const kelvin_tensor *kelvin_model_tensor(const kelvin_model *model, size_t i)
{
    return i < model->n_tensors ? &model->tensor[i] : NULL;
}
