/* The table of scales.
 *
 * smoke: digits. 1,438 images hold a network less than the paper's 50,000, so its prior is wider; under the paper's
 * narrowest ones nothing is learnt.
 *
 * laptop: MNIST, with the paper's network for it. Of its training images there are 10,000: how many epochs a posterior
 * takes until both thermometers read T does not depend on their number (the noise of batches heats in proportion to it,
 * and the rate has to fall as much), so that with all 60,000 confident posteriors would take six times as long.
 *
 * weekend: the paper's network and data. Of 10,000 epochs 50 are left, so the rate is 50 times as large (4 times where
 * gradients are larger), and the whole way (rate x epochs) a quarter of the paper's; larger steps from trained networks
 * lead away from them. Grids have the points at which the paper's curves turn; 3 samples make one ensemble, without
 * error bars. What is kept is what its claims are about: networks, augmentation, all densities, both kinds of start.
 *
 * paper: its appendix on experiments. */
#include "figures/scales.h"

#include <math.h>

#define LIST(...)                                                                                                      \
    {                                                                                                                  \
        (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double)                          \
    }

const struct figure_setting kelvin_figure_settings[] = {
    [FIGURE_SMOKE] = {.data = "digits",
                      .model = "mlp:20,20,20,leak=0.01",
                      .augment = "none",
                      .prior = 0.3,
                      .samples = 12,
                      .many = 24,
                      .epochs = 480,
                      .lr = 3e-3,
                      .confident_lr = 3e-3,
                      .tuned_epochs = {480, 480},
                      .tuned_lr = {1e-3, 1.5e-3},
                      .slope = 0.25,
                      .tuned_slope = {0.25, 0.4},
                      .temperatures = LIST(0, 1e-3, 1e-2, 0.1, 0.3, 1),
                      .random = LIST(0.2, 0.4, 0.6, 0.75, 0.8, 0.85, 0.9, 0.97, 1),
                      .tuned_50 = LIST(-0.5, 0.2, 0.6, 0.85, 1),
                      .tuned_20 = LIST(-0.5, 0.4, 0.85, 1),
                      .ndg = LIST(1e-5, 1e-4, 1e-3, 1e-2, 0.1),
                      .ndg_prior = LIST(1e-3, 3.2e-3, 1e-2, 4.6e-2, 0.1),
                      .grid = {0.15, 7, 8, 4, 240, LIST(3e-3)}},
    [FIGURE_LAPTOP] = {.data = "mnist:first=10000",
                       .model = "cnn",
                       .augment = "none",
                       .prior = 0.1,
                       .samples = 12,
                       .many = 36,
                       .epochs = 1000,
                       .lr = 1e-3,
                       .confident_lr = 2.5e-4,
                       .tuned_epochs = {2000, 1000},
                       .tuned_lr = {5e-5, 1.5e-4},
                       .slope = 0.15,
                       .tuned_slope = {0.25, 0.5},
                       .temperatures = LIST(0, 1e-3, 1e-2, 0.1, 0.3, 1),
                       .random = LIST(0.2, 0.5, 0.7, 0.8, 0.85, 0.9, 0.97, 1),
                       .tuned_50 = LIST(-0.5, 0.5, 0.85, 1),
                       .tuned_20 = LIST(-0.5, 0.85, 1),
                       .ndg = LIST(1e-5, 1e-3, 0.1),
                       .ndg_prior = LIST(3.2e-3, 1e-2, 4.6e-2, 0.1),
                       .grid = {0.05, 8, 9, 4, 300, LIST(1e-3, 1e-3, 1e-3, 3e-3, 1e-2, 1e-2, 1e-2, 1e-2)}},
    [FIGURE_WEEKEND] = {.data = "cifar10",
                        .model = "resnet20",
                        .augment = "paper",
                        .prior = 0.1,
                        .samples = 3,
                        .many = 6,
                        .epochs = 50,
                        .lr = 5e-3,
                        .confident_lr = 4e-4,
                        .tuned_epochs = {15, 15},
                        .tuned_lr = {1e-6, 1e-6},
                        .slope = 0.1,
                        .temperatures = LIST(0, 1e-2, 0.1, 1),
                        .random = LIST(0.7, 0.78, 0.8, 0.82, 0.85, 0.9, 0.97, 1),
                        .tuned_50 = LIST(0.4, 0.7, 0.85, 1),
                        .tuned_20 = LIST(-0.5, 0.85, 1),
                        .ndg = LIST(1e-4, 1e-2, 0.1),
                        .ndg_prior = LIST(3.2e-3, 1e-2, 4.6e-2, 0.1),
                        .grid = {0.05, 5, 6, 1, 40, LIST(5e-3)}},
    [FIGURE_PAPER] = {.data = "cifar10",
                      .model = "resnet20",
                      .augment = "paper",
                      .prior = 0.1,
                      .samples = 24,
                      .many = 200,
                      .epochs = 10000,
                      .lr = 1e-4,
                      .confident_lr = 1e-4,
                      .tuned_epochs = {10000, 50000},
                      .tuned_lr = {1e-7, 3e-8},
                      .temperatures = LIST(0, 1e-4, 1e-3, 1e-2, 0.1, 0.3, 1),
                      .random = LIST(0.75, 0.76, 0.77, 0.78, 0.79, 0.8, 0.81, 0.82, 0.84, 0.86, 0.88, 0.91, 0.94, 0.97,
                                     0.98, 0.99, 1),
                      .tuned_50 = LIST(-0.5, 0.4, 0.85, 1),
                      .tuned_20 = LIST(-0.5, 0.4, 0.85, 1),
                      .ndg = LIST(1e-6, 1e-5, 1e-4, 1e-3, 1.8e-3, 3.2e-3, 5.6e-3, 1e-2, 2.2e-2, 4.6e-2, 0.1),
                      .ndg_prior = LIST(1e-6, 1e-5, 1e-4, 1e-3, 1.8e-3, 3.2e-3, 5.6e-3, 1e-2, 2.2e-2, 4.6e-2, 0.1),
                      .grid = {0.05, 15, 16, 16, 1000,
                               LIST(2e-4, 2e-4, 2e-4, 4e-4, 7e-4, 7e-4, 7e-4, 5.4e-3, 1.04e-2, 1.04e-2, 1.04e-2,
                                    1.04e-2, 1.04e-2, 1.04e-2, 1.04e-2)}},
};

double kelvin_geometric(double first, double last, size_t n, size_t i)
{
    return n < 2 ? first : first * pow(last / first, (double)i / (double)(n - 1));
}
