/* Observations are gathered and packed once, and every thread reads the same ones: for a network of its own, which has
 * other parameters each time. */
#include "figures/looked_at.h"
#include "kernels/kernels.h"
#include "target/outputs.h"

kelvin_status kelvin_looked_at_open(struct looked_at *images, const char *data, const char *model)
{
    KELVIN_TRY(kelvin_data_open(&images->data, data));
    return kelvin_model_create(&images->model, model, kelvin_data_shape(images->data), images->data->classes);
}

void kelvin_looked_at_close(struct looked_at *images)
{
    kelvin_free(images->packed);
    kelvin_model_destroy(images->model);
    kelvin_data_close(images->data);
}

/* One block after the other: all of them as plain floats would take as much memory again. */
kelvin_status kelvin_looked_at_take(struct looked_at *images, size_t first, size_t n)
{
    const kelvin_model *model = images->model;
    const kelvin_part *train = &images->data->train;
    images->n = n < train->n - first ? n : train->n - first;
    images->y = train->y + first;
    images->packed = kelvin_alloc(kelvin_model_packed(model, images->n), sizeof *images->packed);
    float *x = kelvin_alloc(model->block * model->inputs, sizeof *x);
    const kelvin_status status = images->packed && x ? KELVIN_OK : KELVIN_ENOMEM;
    for (size_t at = 0, some; !status && at < images->n; at += some) {
        some = images->n - at < model->block ? images->n - at : model->block;
        kelvin_part_slice(images->data, train, x, first + at, some);
        kelvin_model_pack(model, images->packed + kelvin_model_packed(model, at), x, some);
    }
    kelvin_free(x);
    return status;
}

kelvin_status kelvin_viewer_create(struct viewer *viewer, const struct looked_at *images)
{
    const kelvin_model *model = images->model;
    viewer->images = images;
    KELVIN_TRY(kelvin_kernels_get(&viewer->kernels));
    KELVIN_TRY(kelvin_weights_create(&viewer->weights, model));
    KELVIN_TRY(kelvin_net_create(&viewer->net, model));
    viewer->theta = kelvin_alloc(model->n_params, sizeof *viewer->theta);
    viewer->logits = kelvin_alloc(images->n * model->classes, sizeof *viewer->logits);
    viewer->z = kelvin_alloc(model->classes * KELVIN_BLOCK, sizeof *viewer->z);
    viewer->of_one = kelvin_alloc(model->classes, sizeof *viewer->of_one);
    return viewer->theta && viewer->logits && viewer->z && viewer->of_one ? KELVIN_OK : KELVIN_ENOMEM;
}

void kelvin_viewer_destroy(struct viewer *viewer)
{
    kelvin_free(viewer->of_one);
    kelvin_free(viewer->z);
    kelvin_free(viewer->logits);
    kelvin_free(viewer->theta);
    kelvin_net_destroy(viewer->net);
    kelvin_weights_destroy(viewer->weights);
}

kelvin_outputs kelvin_viewer_look(struct viewer *viewer)
{
    const struct looked_at *images = viewer->images;
    const kelvin_model *model = images->model;
    kelvin_outputs outputs = {0};
    kelvin_weights_set(viewer->weights, viewer->theta, false);
    for (size_t first = 0; first < images->n; first += model->block) {
        const kelvin_block block = kelvin_model_block(model, images->packed, images->n, first);
        kelvin_net_forward(viewer->net, viewer->z, viewer->weights, &block);
        kelvin_outputs_block(&outputs, viewer->kernels, viewer->z, images->y + first, model->classes, block.n);
        kelvin_block_logits(viewer->logits + first * model->classes, viewer->z, model->classes, block.n);
    }
    return outputs;
}

const double *kelvin_viewer_logits(struct viewer *viewer, size_t i)
{
    const size_t K = viewer->images->model->classes;
    for (size_t k = 0; k < K; k++) viewer->of_one[k] = (double)viewer->logits[i * K + k];
    return viewer->of_one;
}
