/* Networks with filter response normalisation, lanes are channels. In the making: nothing runs yet. */
#include "nn/net_type.h"

static kelvin_status refuse(const kelvin_model *model)
{
    return kelvin_fail(KELVIN_EUSAGE, "model '%s' cannot be run yet", model->spec);
}

static kelvin_status weights_create(kelvin_weights *weights)
{
    return refuse(weights->model);
}

static kelvin_status net_create(kelvin_net *net)
{
    return refuse(net->model);
}

static size_t packed(const kelvin_model *model, size_t n)
{
    return model->inputs * n;
}

static void pack(const kelvin_model *model, const struct kelvin_kernels *kernels, float *out, const float *x, size_t n)
{
    (void)kernels;
    for (size_t i = 0; i < model->inputs * n; i++) out[i] = x[i];
}

const struct net_type net_maps = {
    .block = KELVIN_BLOCK,
    .weights_size = sizeof(kelvin_weights),
    .net_size = sizeof(kelvin_net),
    .weights_create = weights_create,
    .net_create = net_create,
    .packed = packed,
    .pack = pack,
};
