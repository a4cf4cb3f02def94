/* "cnn": the paper's network for MNIST. Convolutions 5x5 of stride 5 to 10, 10 and 5 channels with ReLU, then a dense
 * layer: 28x28 pixels become 6x6, 2x2, 1x1. */
#include "nn/build.h"

#include <stdio.h>

static kelvin_status build(kelvin_model *model, const struct kelvin_values *values)
{
    static const size_t channels[] = {10, 10, 5};
    enum { CONVS = sizeof channels / sizeof *channels };
    struct builder b = {model, 2.0};
    (void)values;
    KELVIN_TRY(kelvin_must_be_images(model));
    for (size_t l = 0; l < CONVS; l++) {
        char name[64];
        snprintf(name, sizeof name, "conv%zu", l + 1);
        kelvin_layer_add(
            &b, name,
            (kelvin_layer){.kind = KELVIN_LAYER_CONV, .in = l, .kernel = 5, .stride = 5, .to.channels = channels[l]});
    }
    kelvin_layer_add_head(&b, "head", CONVS);
    return KELVIN_OK;
}

const struct kelvin_model_type kelvin_model_cnn = {
    .member =
        KELVIN_PLAIN_MEMBER("cnn", "for images: 5x5 convolutions of stride 5 with ReLU, as the paper's for MNIST"),
    .build = build,
};
