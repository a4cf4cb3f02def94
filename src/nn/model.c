/* Models: from a text such as "mlp:10,10,10" to a shape and named views on one flat parameter vector. */
#include <kelvin/nn.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LAYERS = 64, MAX_WIDTH = 1 << 16 };

static const struct {
    const char *name, *about;
} families[] = {{"mlp:W,W,...[,leak=S]", "dense layers of W units with ReLU, or leaky ReLU of slope S"}};

bool kelvin_model_info(size_t i, const char **name, const char **about)
{
    if (i >= sizeof families / sizeof *families) return false;
    *name = families[i].name;
    *about = families[i].about;
    return true;
}

/* One item between commas: a width, or leak=S. */
static kelvin_status parse_item(kelvin_model *model, const char *item, const char *spec)
{
    char *end;
    errno = 0;
    if (strncmp(item, "leak=", 5) == 0) {
        const double leak = strtod(item + 5, &end);
        if (end == item + 5 || *end || !(leak >= 0 && leak < 1))
            return kelvin_fail(KELVIN_EUSAGE, "model '%s': leak must be a number in [0, 1), not '%s'", spec, item + 5);
        model->leak = (float)leak;
        return KELVIN_OK;
    }
    const long width = strtol(item, &end, 10);
    if (end == item || *end || errno || width < 1 || width > MAX_WIDTH)
        return kelvin_fail(KELVIN_EUSAGE, "model '%s': a layer's width must be a whole number from 1 to %d, not '%s'",
                           spec, MAX_WIDTH, item);
    if (model->n_layers + 1 >= MAX_LAYERS)
        return kelvin_fail(KELVIN_EUSAGE, "model '%s': at most %d layers", spec, MAX_LAYERS);
    model->width[++model->n_layers] = (size_t)width;
    return KELVIN_OK;
}

static kelvin_status parse(kelvin_model *model, const char *spec)
{
    char text[sizeof model->spec];
    if (strlen(spec) >= sizeof text) return kelvin_fail(KELVIN_EUSAGE, "model '%.40s...': the text is too long", spec);
    strcpy(model->spec, spec);
    strcpy(text, spec);
    if (strncmp(text, "mlp", 3) != 0 || (text[3] && text[3] != ':'))
        return kelvin_fail(KELVIN_EUSAGE, "model '%s' is not known; expected mlp:W,W,... such as mlp:10,10,10", spec);
    for (char *item = text[3] ? text + 4 : NULL; item;) {
        char *comma = strchr(item, ',');
        if (comma) *comma = '\0';
        KELVIN_TRY(parse_item(model, item, spec));
        item = comma ? comma + 1 : NULL;
    }
    return KELVIN_OK;
}

static void add_tensor(kelvin_model *model, size_t layer, const char *what, size_t rows, size_t columns)
{
    kelvin_tensor *t = &model->tensor[model->n_tensors++];
    snprintf(t->name, sizeof t->name, "layers.%zu.%s", layer, what);
    t->offset = model->n_params;
    t->ndim = columns ? 2 : 1;
    t->shape[0] = rows;
    t->shape[1] = columns;
    model->n_params += rows * (columns ? columns : 1);
}

kelvin_status kelvin_model_create(kelvin_model **out, const char *spec, size_t inputs, size_t classes)
{
    *out = NULL;
    if (inputs == 0 || classes < 2)
        return kelvin_fail(KELVIN_EUSAGE, "a model needs at least one input and two classes, not %zu and %zu", inputs,
                           classes);
    kelvin_model *model = kelvin_alloc(1, sizeof *model);
    if (!model) return KELVIN_ENOMEM;
    kelvin_status st = KELVIN_ENOMEM;
    model->width = kelvin_alloc(MAX_LAYERS + 1, sizeof *model->width);
    model->tensor = kelvin_alloc((size_t)2 * MAX_LAYERS, sizeof *model->tensor);
    if (!model->width || !model->tensor) goto fail;
    st = parse(model, spec);
    if (st) goto fail;
    model->inputs = model->width[0] = inputs;
    model->classes = model->width[++model->n_layers] = classes;
    for (size_t l = 0; l < model->n_layers; l++) {
        add_tensor(model, l, "weight", model->width[l + 1], model->width[l]);
        add_tensor(model, l, "bias", model->width[l + 1], 0);
    }
    *out = model;
    return KELVIN_OK;
fail:
    kelvin_model_destroy(model);
    return st;
}

void kelvin_model_destroy(kelvin_model *model)
{
    if (!model) return;
    kelvin_free(model->width);
    kelvin_free(model->tensor);
    kelvin_free(model);
}
