/* scales: what a posterior of a figure is at each scale: data, network, how long, how many samples, and the grids of
 * what is varied. The paper's are those of its text; the others are cut so that they end in a minute on the data inside
 * (smoke), in an hour on MNIST (laptop), and over a weekend on CIFAR-10 (weekend), on two cores each. */
#ifndef FIGURES_SCALES_H
#define FIGURES_SCALES_H

#include "figures/figure.h"

struct figure_list {
    const double *x;
    size_t n;
};

struct figure_setting {
    const char *data, *model, *augment;
    double prior;            /* deviation of the normal prior */
    size_t samples, many;    /* of a posterior; of those whose size matters */
    size_t epochs;           /* from a random start */
    double lr, confident_lr; /* the same: of the categorical likelihood, and of densities that have larger gradients */
    size_t tuned_epochs[2];  /* from trained networks, at a constant rate: where DirClip clips at -50; elsewhere */
    double tuned_lr[2];
    /* |alpha - 1| of DirClip up to which these rates hold, from random starts and fine-tuned: for steeper ones they are
     * as much smaller, so that steps are as long; and a flat one is fine-tuned with `lr`. 0: they hold for all. */
    double slope, tuned_slope[2];
    struct figure_list temperatures;               /* of the categorical posterior */
    struct figure_list random, tuned_50, tuned_20; /* alphas of DirClip; those of -10 are those of -20 */
    struct figure_list ndg, ndg_prior;             /* alphas of NDG: of its prior alone, and of the others */
    struct {                                       /* the grid of prior scales and temperatures, geometric, and T = 0 */
        double least;                              /* scale */
        size_t scales, temperatures, samples, epochs;
        struct figure_list lr; /* by scale; one: of all */
    } grid;
};

extern const struct figure_setting kelvin_figure_settings[]; /* by enum figure_scale */

static inline const struct figure_setting *kelvin_figure_setting(const struct figure_options *options)
{
    return &kelvin_figure_settings[options->scale];
}

/* The i-th of n numbers from `first` to `last`, each as many times the one before it. */
double kelvin_geometric(double first, double last, size_t n, size_t i);

#endif
