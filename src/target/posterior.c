/* The posterior of a network: sum over the data of log-density(network(x), y), plus the log-prior of the parameters. */
#include "density/block.h"
#include "kernels/kernels.h"

#include <kelvin/target.h>

struct kelvin_posterior {
    const struct kelvin_kernels *kernels;
    kelvin_net *net;
    size_t n_params, classes;
    kelvin_density density;
    kelvin_prior prior;
    bool has_prior;
    int32_t *y;              /* (blocks, KELVIN_BLOCK) */
    float *z, *dz, *scratch; /* (classes, KELVIN_BLOCK) each, and the density's */
};

static void eval(void *context, double *logp, float *grad, const float *theta)
{
    kelvin_posterior *p = context;
    double sum = 0;
    for (size_t b = 0; b < kelvin_net_blocks(p->net); b++) {
        double part;
        kelvin_net_forward(p->net, p->z, theta, b);
        kelvin_density_block(p->kernels, &p->density, logp ? &part : NULL, p->dz, p->z, p->y + b * KELVIN_BLOCK,
                             p->classes, kelvin_net_count(p->net, b), p->scratch);
        if (logp) sum += part;
        if (grad) kelvin_net_backward(p->net, grad, theta, p->dz, b);
    }
    if (p->has_prior) {
        double part;
        kelvin_prior_add(p->kernels, &p->prior, logp ? &part : NULL, grad, theta, p->n_params);
        if (logp) sum += part;
    }
    if (logp) *logp = sum;
}

/* The network keeps its own copy of the inputs, in panels. */
static kelvin_status create_net(kelvin_net **net, const kelvin_model *model, const kelvin_data *data)
{
    float *x = kelvin_alloc(data->train.n, data->inputs * sizeof *x);
    if (!x) return KELVIN_ENOMEM;
    kelvin_data_slice(data, &data->train, x, 0, data->train.n);
    const kelvin_status status = kelvin_net_create(net, model, x, data->train.n);
    kelvin_free(x);
    return status;
}

kelvin_status kelvin_posterior_create(kelvin_posterior **out, const kelvin_model *model, const kelvin_density *density,
                                      const kelvin_prior *prior, const kelvin_data *data)
{
    *out = NULL;
    if (model->inputs != data->inputs || model->classes != data->classes)
        return kelvin_fail(KELVIN_EUSAGE, "the model takes %zu inputs and %zu classes, the data have %zu and %zu",
                           model->inputs, model->classes, data->inputs, data->classes);
    kelvin_posterior *p = kelvin_alloc(1, sizeof *p);
    if (!p) return KELVIN_ENOMEM;
    p->n_params = model->n_params;
    p->classes = model->classes;
    p->density = *density;
    p->has_prior = prior != NULL;
    if (prior) p->prior = *prior;
    kelvin_status st = kelvin_kernels_get(&p->kernels);
    if (!st) st = create_net(&p->net, model, data);
    if (!st) {
        p->y = kelvin_alloc(kelvin_net_blocks(p->net) * KELVIN_BLOCK, sizeof *p->y);
        p->z = kelvin_alloc(p->classes * KELVIN_BLOCK, sizeof *p->z);
        p->dz = kelvin_alloc(p->classes * KELVIN_BLOCK, sizeof *p->dz);
        p->scratch = kelvin_alloc(kelvin_density_scratch(p->classes), sizeof *p->scratch);
        if (!p->y || !p->z || !p->dz || !p->scratch) st = KELVIN_ENOMEM;
    }
    if (st) {
        kelvin_posterior_destroy(p);
        return st;
    }
    for (size_t i = 0; i < data->train.n; i++) p->y[i] = data->train.y[i];
    *out = p;
    return KELVIN_OK;
}

kelvin_target kelvin_posterior_target(kelvin_posterior *posterior)
{
    return (kelvin_target){.n = posterior->n_params, .eval = eval, .context = posterior};
}

void kelvin_posterior_logits(kelvin_posterior *posterior, float *logits, const float *theta)
{
    kelvin_net_logits(posterior->net, logits, theta);
}

void kelvin_posterior_destroy(kelvin_posterior *posterior)
{
    if (!posterior) return;
    kelvin_net_destroy(posterior->net);
    kelvin_free(posterior->y);
    kelvin_free(posterior->z);
    kelvin_free(posterior->dz);
    kelvin_free(posterior->scratch);
    kelvin_free(posterior);
}
