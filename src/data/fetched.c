/* Data sets that are fetched once and kept in the cache: CIFAR-10 and MNIST, with the normalisation that networks for
 * them are trained with: that of the paper's program, and that of PyTorch's examples. */
#include "data/cache.h"
#include "data/cifar.h"
#include "data/idx.h"
#include "files/text.h"

#include <math.h>
#include <string.h>

/* ---- fewer of them ---- */

/* Of the training part the first=N images: posteriors of fewer come to rest sooner. They come in no order of classes, so
 * that some hundreds have all of these. */
static kelvin_status keep_first(struct data_loader *loader)
{
    const char *said = kelvin_data_spec_value(loader->spec, "first"), *name = loader->spec->name;
    const size_t train = loader->n_train, test = loader->n - train, inputs = loader->data->inputs;
    double n;
    if (!said) return KELVIN_OK;
    if (kelvin_text_number(&n, said) != TEXT_NUMBER || n < 1 || n != floor(n))
        return kelvin_fail(KELVIN_EUSAGE, "data '%s': first is '%s'; expected a whole number of images, 1 or more", name, said);
    if (loader->like) return KELVIN_OK; /* new inputs are those of the test part */
    if (n > (double)train)
        return kelvin_fail(KELVIN_EUSAGE, "data '%s': first is %s; expected at most %zu, its training images", name,
                           said, train);
    const size_t kept = (size_t)n;
    memmove(loader->bytes + kept * inputs, loader->bytes + train * inputs, test * inputs);
    memmove(loader->y + kept, loader->y + train, test * sizeof *loader->y);
    loader->n_train = kept;
    loader->n = kept + test;
    for (size_t k = 0, i; k < loader->data->classes; k++) {
        for (i = 0; i < kept && (size_t)loader->y[i] != k; i++) continue;
        if (i == kept)
            return kelvin_fail(KELVIN_EUSAGE, "data '%s': none of the first %zu images is of the class '%s'", name, kept,
                               loader->data->class_names[k]);
    }
    return KELVIN_OK;
}

/* ---- CIFAR-10 ---- */

static kelvin_status open_cifar10(struct data_loader *loader)
{
    static const double mean[] = {.49, .48, .44}, deviation[] = {.2, .2, .2};
    enum { FILES = 6, TRAIN = 5 };
    struct cifar_file files[FILES];
    for (size_t i = 0; i < FILES; i++) KELVIN_TRY(kelvin_cache_file(files[i].path, &kelvin_canonical_cifar10, i));
    loader->data->mean = mean;
    loader->data->deviation = deviation;
    KELVIN_TRY(kelvin_cifar_load(loader, files, FILES, TRAIN));
    return keep_first(loader);
}

const struct data_type kelvin_data_cifar10 = {
    .member = KELVIN_MEMBER("cifar10", "cifar10[:first=N]",
                            "CIFAR-10: 60,000 colour pictures of 32x32 pixels, 10 classes; fetched once, and kept. "
                            "first: N of the 50,000 that are for training"),
    .keys = {"first"},
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
    KELVIN_TRY(kelvin_idx_load(loader, (struct idx_pair[]){{paths[0], paths[1]}, {paths[2], paths[3]}}, true));
    return keep_first(loader);
}

const struct data_type kelvin_data_mnist = {
    .member = KELVIN_MEMBER("mnist", "mnist[:first=N]",
                            "MNIST: 70,000 handwritten digits of 28x28 pixels, 10 classes; fetched once, and kept. "
                            "first: N of the 60,000 that are for training"),
    .keys = {"first"},
    .open = open_mnist,
};
