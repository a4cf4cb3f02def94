/* "mlp:W,W,...[,leak=S]": dense layers of W units, y = max(s, S s) with s = W x + b, and a last one without. The
 * paper's for images is mlp:20,20,20,leak=0.01, its weights start with variance 1 / fan-in. */
#include "nn/build.h"

#include <stdio.h>

enum { WIDTHS, LEAK }; /* parameters */

_Static_assert(KELVIN_MAX_LIST + 1 <= MAX_LAYERS, "the layers of any text fit");

static kelvin_status build(kelvin_model *model, const struct kelvin_values *values)
{
    const size_t hidden = (size_t)values->value[WIDTHS];
    struct builder b = {model, 1.0};
    char name[64];
    for (size_t l = 0; l < hidden; l++) {
        snprintf(name, sizeof name, "layers.%zu", l);
        kelvin_layer_add(&b, name,
                         (kelvin_layer){.kind = KELVIN_LAYER_DENSE,
                                        .in = l,
                                        .leak = (float)values->value[LEAK],
                                        .to.channels = (size_t)values->list[l]});
    }
    snprintf(name, sizeof name, "layers.%zu", hidden);
    kelvin_layer_add_head(&b, name, hidden);
    return KELVIN_OK;
}

const struct kelvin_model_type kelvin_model_mlp = {
    .member = {"mlp", "mlp:W,W,...[,leak=S]", "dense layers of W units with ReLU, or leaky ReLU of slope S",
               KELVIN_PARAMETERS([WIDTHS] = {"W", 1, 65536, .whole = true, .list = true}, [LEAK] = {"leak", 0, 1,
                                                                                                    .below = true,
                                                                                                    .optional = true})},
    .build = build,
};
