/* The scales of a run: one number for each tensor of its network, in the order of its parameters. */
#include "base/texts.h"
#include "base/words.h"
#include "run/fields.h"
#include "run/room.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static kelvin_status wrong(const kelvin_run *run, size_t tensor, const char *what)
{
    return kelvin_config_blame(&run->config, "scale",
                               kelvin_fail(KELVIN_EUSAGE,
                                           "scale: number %zu (of %s) is %s; expected none, or a number above 0 for "
                                           "each of the %zu tensors of %s, with commas between",
                                           tensor + 1, run->model->tensor[tensor].name, what, run->model->n_tensors,
                                           run->config.model));
}

/* One number; *text moves to what is behind its comma, or to the end. */
static kelvin_status read_one(double *value, const char **text, const kelvin_run *run, size_t tensor)
{
    char number[64];
    const size_t length = strcspn(*text, ",");
    const bool last = tensor + 1 == run->model->n_tensors;
    snprintf(number, sizeof number, "%.*s", length < sizeof number ? (int)length : 0, *text);
    if (!*number) return wrong(run, tensor, "missing");
    if (kelvin_parse_real(value, "scale", number)) return wrong(run, tensor, "not a number");
    if (!(*value >= (double)FLT_MIN && *value <= (double)FLT_MAX)) return wrong(run, tensor, "out of range");
    *text += length + ((*text)[length] == ',');
    return last && **text ? wrong(run, tensor, "not the last one") : KELVIN_OK;
}

kelvin_status kelvin_scales_read(kelvin_run *run)
{
    const kelvin_model *model = run->model;
    const char *text = run->config.scale;
    if (!text || strcmp(text, "none") == 0) return KELVIN_OK;
    float *scale = kelvin_arena_alloc(kelvin_run_inside(run)->arena, model->n_params, sizeof *scale);
    if (!scale) return KELVIN_ENOMEM;
    for (size_t t = 0; t < model->n_tensors; t++) {
        double value;
        KELVIN_TRY(read_one(&value, &text, run, t));
        float *of = scale + model->tensor[t].offset;
        for (size_t i = 0; i < kelvin_tensor_size(&model->tensor[t]); i++) of[i] = (float)value;
    }
    kelvin_run_inside(run)->scale = scale;
    return KELVIN_OK;
}
