/* p(class 0 | x, theta) = softmax(f(x; theta))_0 at every point x, and the entropy -sum_k p_k log p_k. */
#include "figures/points.h"

#include <kelvin/base.h>

kelvin_status kelvin_points_create(struct points *points, const kelvin_model *model, const float *x, size_t n)
{
    *points = (struct points){.model = model, .n = n};
    kelvin_status status = kelvin_kernels_get(&points->kernels);
    if (!status) status = kelvin_weights_create(&points->weights, model);
    if (!status) status = kelvin_net_create(&points->net, model);
    if (!status) {
        points->packed = kelvin_alloc(kelvin_model_packed(model, n), sizeof *points->packed);
        points->scratch = kelvin_alloc(4 * model->classes * KELVIN_BLOCK, sizeof *points->scratch);
        if (!points->packed || !points->scratch) status = KELVIN_ENOMEM;
    }
    if (status)
        kelvin_points_destroy(points);
    else
        kelvin_model_pack(model, points->packed, x, n);
    return status;
}

void kelvin_points_destroy(struct points *points)
{
    kelvin_free(points->scratch);
    kelvin_free(points->packed);
    kelvin_net_destroy(points->net);
    kelvin_weights_destroy(points->weights);
    *points = (struct points){0};
}

static double entropy_of(const float *log_prob, const float *prob, size_t classes)
{
    double sum = 0;
    for (size_t k = 0; k < classes; k++)
        if (prob[k * KELVIN_BLOCK] > 0) sum -= (double)prob[k * KELVIN_BLOCK] * (double)log_prob[k * KELVIN_BLOCK];
    return sum;
}

void kelvin_points_add(struct points *points, double *p, double *entropy, const float *theta)
{
    const kelvin_model *model = points->model;
    const size_t size = model->classes * KELVIN_BLOCK;
    float *z = points->scratch, *log_prob = z + size, *prob = log_prob + size, *rest = prob + size;
    kelvin_weights_set(points->weights, theta, false);
    for (size_t first = 0; first < points->n; first += model->block) {
        const kelvin_block block = kelvin_model_block(model, points->packed, points->n, first);
        kelvin_net_forward(points->net, z, points->weights, &block);
        points->kernels->softmax(log_prob, prob, rest, z, model->classes, KELVIN_BLOCK);
        for (size_t i = 0; i < block.n; i++) p[first + i] += (double)prob[i];
        for (size_t i = 0; entropy && i < block.n; i++)
            entropy[first + i] += entropy_of(log_prob + i, prob + i, model->classes);
    }
}
