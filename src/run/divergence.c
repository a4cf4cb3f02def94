/* Where a chain diverges: the layer, and beforehand the settings of which it is known that they lead away. */
#include "run/chain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double root_mean_square(const float *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)x[i] * (double)x[i];
    return sqrt(sum / (double)n);
}

const char *kelvin_diverging_layer(const kelvin_model *model, const float *theta, const float *before)
{
    double most = -INFINITY;
    size_t worst = 0;
    for (size_t t = 0; t < model->n_tensors; t++) {
        const kelvin_tensor *tensor = &model->tensor[t];
        const size_t n = kelvin_tensor_size(tensor);
        const double now = root_mean_square(theta + tensor->offset, n);
        if (!isfinite(now)) return tensor->name;
        const double growth = now - root_mean_square(before + tensor->offset, n);
        if (growth > most) {
            most = growth;
            worst = t;
        }
    }
    return model->tensor[worst].name;
}

const char *kelvin_run_warning(const kelvin_run *run)
{
    struct kelvin_run_owned *inside = kelvin_run_inside(run);
    double critical;
    if (!kelvin_density_misleads(&inside->density, &critical, run->data->classes)) return NULL;
    if (strcmp(run->config.init, "none") != 0) return NULL;
    snprintf(
        inside->warning, sizeof inside->warning,
        "density %s is below the critical alpha (K - 2) / K = %.3g of %zu classes: where a prediction is wrong, its "
        "gradient makes the true class less probable still, so chains from random starts end at wrong labels. Start "
        "from a network that knows them: --init RUN, after a run with --density categorical",
        run->config.density, critical, run->data->classes);
    return inside->warning;
}
