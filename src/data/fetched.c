/* Data sets that are fetched once and kept in the cache: CIFAR-10 and MNIST, with the normalisation that networks for
 * them are trained with: that of the paper's program, and that of PyTorch's examples. */
#include "data/cache.h"
#include "data/cifar.h"
#include "data/idx.h"

/* ---- CIFAR-10 ---- */

static kelvin_status open_cifar10(struct data_loader *loader)
{
    static const double mean[] = {.49, .48, .44}, deviation[] = {.2, .2, .2};
    enum { FILES = 6, TRAIN = 5 };
    struct cifar_file files[FILES];
    for (size_t i = 0; i < FILES; i++) KELVIN_TRY(kelvin_cache_file(files[i].path, &kelvin_canonical_cifar10, i));
    loader->data->mean = mean;
    loader->data->deviation = deviation;
    return kelvin_cifar_load(loader, files, FILES, TRAIN);
}

const struct data_type kelvin_data_cifar10 = {
    .member = KELVIN_PLAIN_MEMBER(
        "cifar10", "CIFAR-10: 60,000 colour pictures of 32x32 pixels, 10 classes; fetched once, and kept"),
    .open = open_cifar10,
};

/* ---- MNIST ---- */

static kelvin_status open_mnist(struct data_loader *loader)
{
    static const double mean = .1307, deviation = .3081;
    enum { FILES = 4 };
    kelvin_path paths[FILES];
    for (size_t i = 0; i < FILES; i++) KELVIN_TRY(kelvin_cache_file(paths[i], &kelvin_canonical_mnist, i));
    loader->data->mean = &mean;
    loader->data->deviation = &deviation;
    return kelvin_idx_load(loader, (struct idx_pair[]){{paths[0], paths[1]}, {paths[2], paths[3]}}, true);
}

const struct data_type kelvin_data_mnist = {
    .member = KELVIN_PLAIN_MEMBER(
        "mnist", "MNIST: 70,000 handwritten digits of 28x28 pixels, 10 classes; fetched once, and kept"),
    .open = open_mnist,
};
