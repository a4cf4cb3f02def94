/* The posterior of a network: sum over the data of log-density(network(x), y), plus the log-prior of the parameters. */
#include "density/block.h"
#include "kernels/kernels.h"

#include <kelvin/target.h>

#include <string.h>

struct kelvin_posterior {
    const struct kelvin_kernels *kernels;
    const kelvin_model *model;
    kelvin_weights *weights;
    kelvin_net *net;
    size_t n;
    float *x;   /* packed */
    int32_t *y; /* (n) */
    kelvin_density density;
    kelvin_prior prior;
    bool has_prior;
    float *z, *dz, *scratch; /* (classes, KELVIN_BLOCK) each, and the density's */
};

static void eval(void *context, double *logp, float *grad, const float *theta)
{
    kelvin_posterior *p = context;
    double sum = 0;
    kelvin_weights_set(p->weights, theta, grad != NULL);
    for (size_t first = 0; first < p->n; first += p->model->block) {
        const kelvin_block block = kelvin_model_block(p->model, p->x, p->n, first);
        double part;
        kelvin_net_forward(p->net, p->z, p->weights, &block);
        kelvin_density_block(p->kernels, &p->density, logp ? &part : NULL, p->dz, p->z, p->y + first, p->model->classes,
                             block.n, p->scratch);
        if (logp) sum += part;
        if (grad) kelvin_net_backward(p->net, grad, p->weights, p->dz, &block);
    }
    if (p->has_prior) {
        double part;
        kelvin_prior_add(p->kernels, &p->prior, logp ? &part : NULL, grad, theta, p->model->n_params);
        if (logp) sum += part;
    }
    if (logp) *logp = sum;
}

/* The observations as the network takes them. */
static kelvin_status pack(kelvin_posterior *p, const kelvin_data *data)
{
    float *x = kelvin_alloc(p->n, data->inputs * sizeof *x);
    p->x = kelvin_alloc(kelvin_model_packed(p->model, p->n), sizeof *p->x);
    p->y = kelvin_alloc(p->n, sizeof *p->y);
    const bool fits = x && p->x && p->y;
    if (fits) {
        kelvin_data_slice(data, &data->train, x, 0, p->n);
        kelvin_model_pack(p->model, p->x, x, p->n);
        memcpy(p->y, data->train.y, p->n * sizeof *p->y);
    }
    kelvin_free(x);
    return fits ? KELVIN_OK : KELVIN_ENOMEM;
}

static kelvin_status make(kelvin_posterior *p, const kelvin_data *data)
{
    const size_t outputs = p->model->classes * KELVIN_BLOCK;
    KELVIN_TRY(kelvin_kernels_get(&p->kernels));
    KELVIN_TRY(kelvin_weights_create(&p->weights, p->model));
    KELVIN_TRY(kelvin_net_create(&p->net, p->model));
    KELVIN_TRY(pack(p, data));
    p->z = kelvin_alloc(outputs, sizeof *p->z);
    p->dz = kelvin_alloc(outputs, sizeof *p->dz);
    p->scratch = kelvin_alloc(kelvin_density_scratch(p->model->classes), sizeof *p->scratch);
    return p->z && p->dz && p->scratch ? KELVIN_OK : KELVIN_ENOMEM;
}

kelvin_status kelvin_posterior_create(kelvin_posterior **out, const kelvin_model *model, const kelvin_density *density,
                                      const kelvin_prior *prior, const kelvin_data *data)
{
    *out = NULL;
    if (model->inputs != data->inputs || model->classes != data->classes)
        return kelvin_fail(KELVIN_EUSAGE, "the model takes %zu inputs and %zu classes, the data have %zu and %zu",
                           model->inputs, model->classes, data->inputs, data->classes);
    if (data->train.n == 0) return kelvin_fail(KELVIN_EUSAGE, "a posterior needs at least one observation");
    kelvin_posterior *p = kelvin_alloc(1, sizeof *p);
    if (!p) return KELVIN_ENOMEM;
    p->model = model;
    p->n = data->train.n;
    p->density = *density;
    p->has_prior = prior != NULL;
    if (prior) p->prior = *prior;
    const kelvin_status status = make(p, data);
    if (status)
        kelvin_posterior_destroy(p);
    else
        *out = p;
    return status;
}

kelvin_target kelvin_posterior_target(kelvin_posterior *posterior)
{
    return (kelvin_target){.n = posterior->model->n_params, .eval = eval, .context = posterior};
}

void kelvin_posterior_logits(kelvin_posterior *posterior, float *logits, const float *theta)
{
    kelvin_weights_set(posterior->weights, theta, false);
    kelvin_net_logits(posterior->net, logits, posterior->weights, posterior->x, posterior->n);
}

void kelvin_posterior_destroy(kelvin_posterior *posterior)
{
    if (!posterior) return;
    kelvin_net_destroy(posterior->net);
    kelvin_weights_destroy(posterior->weights);
    kelvin_free(posterior->x);
    kelvin_free(posterior->y);
    kelvin_free(posterior->z);
    kelvin_free(posterior->dz);
    kelvin_free(posterior->scratch);
    kelvin_free(posterior);
}
