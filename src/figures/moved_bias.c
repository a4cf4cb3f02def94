/* The network itself is asked, once for each bias: that it does no more than to add it to a logit is left to it. */
#include "figures/moved_bias.h"
#include "density/density.h"

#include <stdio.h>
#include <string.h>

struct densities {
    kelvin_density prior, posterior, likelihood;
};

static kelvin_status parse(struct densities *densities, double alpha)
{
    char text[40];
    snprintf(text, sizeof text, "dirichlet:%.17g", alpha);
    KELVIN_TRY(kelvin_density_parse(&densities->posterior, text));
    densities->prior = densities->posterior;
    kelvin_density_prior_only(&densities->prior);
    return kelvin_density_parse(&densities->likelihood, "categorical");
}

/* Where the bias of class 0 stands among the parameters: the last layer's second tensor. */
static size_t bias_of_first(const kelvin_model *model)
{
    return model->tensor[model->layer[model->n_layers].tensor + 1].offset;
}

static void evaluate(struct moved_bias *of, struct viewer *viewer, const struct densities *densities)
{
    const kelvin_model *model = viewer->images->model;
    const size_t K = model->classes, y = (size_t)viewer->images->y[0];
    viewer->theta[bias_of_first(model)] = (float)of->bias;
    kelvin_viewer_look(viewer);
    const double *z = kelvin_viewer_logits(viewer, 0);
    of->prior = kelvin_density_eval(&densities->prior, NULL, z, K, y);
    of->posterior = kelvin_density_eval(&densities->posterior, NULL, z, K, y);
    of->likelihood = kelvin_density_eval(&densities->likelihood, NULL, z, K, y);
}

kelvin_status kelvin_move_bias(struct moved_bias *of, size_t n, const struct looked_at *images, const float *theta,
                               double alpha)
{
    struct densities densities;
    struct viewer viewer = {0};
    KELVIN_TRY(parse(&densities, alpha));
    const kelvin_status status = kelvin_viewer_create(&viewer, images);
    if (!status) memcpy(viewer.theta, theta, images->model->n_params * sizeof *theta);
    for (size_t i = 0; i < n && !status; i++) evaluate(&of[i], &viewer, &densities);
    kelvin_viewer_destroy(&viewer);
    return status;
}
