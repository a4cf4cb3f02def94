/* Where a chain diverges: the layer, and beforehand the settings of which it is known that they lead away. */
#include "base/words.h"
#include "run/chain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool belongs(const kelvin_tensor *tensor, const kelvin_layer *layer)
{
    const size_t n = strlen(layer->name);
    return strncmp(tensor->name, layer->name, n) == 0 && tensor->name[n] == '.';
}

/* Sum of a layer's squares over what it is when networks start. */
static double growth(const kelvin_model *model, const kelvin_layer *layer, const float *theta)
{
    double now = 0, start = 0;
    for (size_t t = layer->tensor; t < model->n_tensors && belongs(&model->tensor[t], layer); t++) {
        const kelvin_tensor *tensor = &model->tensor[t];
        const size_t n = kelvin_tensor_size(tensor);
        for (const float *x = theta + tensor->offset; x < theta + tensor->offset + n; x++)
            now += (double)*x * (double)*x;
        start += (double)n * (tensor->deviation * tensor->deviation + tensor->start * tensor->start);
    }
    return now / start;
}

const char *kelvin_diverging_layer(const kelvin_model *model, const float *theta)
{
    double most = -1;
    const char *worst = "";
    for (const kelvin_layer *layer = model->layer + 1; layer <= model->layer + model->n_layers; layer++) {
        if (layer->kind == KELVIN_LAYER_MEAN) continue;
        const double grown = growth(model, layer, theta);
        if (!isfinite(grown)) return layer->name;
        if (grown > most) {
            most = grown;
            worst = layer->name;
        }
    }
    return worst;
}

const char *kelvin_run_warning(const kelvin_run *run)
{
    struct kelvin_run_owned *inside = kelvin_run_inside(run);
    double critical;
    if (!kelvin_density_misleads(&inside->density, &critical, run->data->classes)) return NULL;
    if (!run->sampler->batches || strcmp(run->config.init, "none") != 0) return NULL;
    kelvin_compose(
        inside->warning_raw, sizeof inside->warning_raw,
        "density %s is below the critical alpha (K - 2) / K = %.3g of %zu classes: where a prediction is wrong, its "
        "gradient makes the true class less probable still, so chains from random starts end at wrong labels. Start "
        "from a network that knows them: " KELVIN_REFER(SETTING, "init=RUN") ", after a run with " KELVIN_REFER(
            SETTING, "density=categorical"),
        run->config.density, critical, run->data->classes);
    kelvin_words_say(inside->warning, sizeof inside->warning, inside->warning_raw, NULL, NULL);
    return inside->warning;
}

bool kelvin_run_warning_say(const kelvin_run *run, char *out, size_t size, kelvin_words *words, void *context)
{
    if (!kelvin_run_warning(run)) return false;
    kelvin_words_say(out, size, kelvin_run_inside(run)->warning_raw, words, context);
    return true;
}

/* Of a sampler that can be told the size itself, 0 is that it finds it. */
bool kelvin_run_step_is_given(const kelvin_run *run)
{
    return kelvin_run_number(run, "step_size") > 0;
}

/* What steps are tuned by has no effect where their size is given. */
const char *kelvin_run_step_setting(const kelvin_run *run)
{
    return kelvin_run_step_is_given(run) ? "step_size" : run->sampler->step_setting;
}

void kelvin_advise_stable(char out[KELVIN_NOTE], const kelvin_run *run)
{
    static const char unbounded[] = "dirichlet:";
    const kelvin_run_config *config = &run->config;
    kelvin_run_config usual;
    const bool strict = !kelvin_run_defaults(&usual, config->sampler) && config->logit_limit < usual.logit_limit;
    const char *step = kelvin_run_step_setting(run);
    if (strncmp(config->density, unbounded, strlen(unbounded)) == 0)
        kelvin_compose(out, KELVIN_NOTE,
                       "use " KELVIN_REFER(
                           SETTING, "density=dirclip:%.40s,-50") ", for dirichlet has no bound; or make " KELVIN_FIELD
                                                                 " smaller",
                       config->density + strlen(unbounded), step);
    else if (strict)
        kelvin_compose(out, KELVIN_NOTE, "leave " KELVIN_FIELD " as it is by default, or make " KELVIN_FIELD " smaller",
                       "logit_limit", step);
    else
        kelvin_compose(out, KELVIN_NOTE, "make " KELVIN_FIELD " smaller", step);
}
