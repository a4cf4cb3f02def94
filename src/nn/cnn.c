/* "cnn[:C,C,...][,kernel=K][,stride=S]": convolutions KxK of stride S to C channels with ReLU, then a dense layer. The
 * paper's for MNIST is cnn:10,10,5,kernel=5,stride=5, which is what is usual: 28x28 pixels become 6x6, 2x2, 1x1. A
 * kernel that is larger than its stride looks at every pixel from several sides, which costs more and learns more. */
#include "nn/build.h"

#include "kernels/kernels.h"

#include <stdio.h>

enum { CHANNELS, KERNEL, STRIDE }; /* parameters */

static kelvin_status build(kelvin_model *model, const struct kelvin_values *values)
{
    static const double usual[] = {10, 10, 5};
    const size_t given = (size_t)values->value[CHANNELS], convs = given ? given : sizeof usual / sizeof *usual;
    const double *channels = given ? values->list : usual;
    struct builder b = {model, 2.0};
    KELVIN_TRY(kelvin_must_be_images(model));
    for (size_t l = 0; l < convs; l++) {
        char name[64];
        snprintf(name, sizeof name, "conv%zu", l + 1);
        kelvin_layer_add(&b, name,
                         (kelvin_layer){.kind = KELVIN_LAYER_CONV,
                                        .in = l,
                                        .kernel = (size_t)values->value[KERNEL],
                                        .stride = (size_t)values->value[STRIDE],
                                        .to.channels = (size_t)channels[l]});
    }
    kelvin_layer_add_head(&b, "head", convs);
    return KELVIN_OK;
}

const struct kelvin_model_type kelvin_model_cnn = {
    .member = {"cnn", "cnn[:C,C,...][,kernel=K][,stride=S]",
               "for images: KxK convolutions of stride S to C channels with ReLU; alone the paper's for MNIST, "
               "10,10,5,kernel=5,stride=5",
               KELVIN_PARAMETERS([CHANNELS] = {"C", 1, 1024, .whole = true, .list = true},
                                 [KERNEL] = {"kernel", 1, PANEL_KERNEL, .whole = true, .optional = true, .usual = 5},
                                 [STRIDE] = {"stride", 1, PANEL_KERNEL, .whole = true, .optional = true, .usual = 5})},
    .build = build,
};
