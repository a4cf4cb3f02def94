/* The binary layout of CIFAR-10: records of one label byte and the red, green and blue planes of 32x32 pixels. */
#ifndef DATA_CIFAR_H
#define DATA_CIFAR_H

#include "data/data.h"

enum {
    CIFAR_SIDE = 32,
    CIFAR_PIXELS = 3 * CIFAR_SIDE * CIFAR_SIDE,
    CIFAR_RECORD = 1 + CIFAR_PIXELS,
    CIFAR_CLASSES = 10
};

/* Images and labels of n records, the first of which is number `first` of its file. KELVIN_EFORMAT if a label is none.
 */
KELVIN_MUST_CHECK kelvin_status kelvin_cifar_records(uint8_t *images, int32_t *y, const uint8_t *records, size_t n,
                                                     size_t first, const char *path);

/* How many records a file of `size` bytes holds. */
KELVIN_MUST_CHECK kelvin_status kelvin_cifar_count(size_t *records, size_t size, const char *path);

struct cifar_file {
    kelvin_path path;
    size_t records; /* set by kelvin_cifar_load */
};

/* Rows, shape and classes from n files, the first n_train of which are for training. Class names are set unless they
 * are already. */
KELVIN_MUST_CHECK kelvin_status kelvin_cifar_load(struct data_loader *loader, struct cifar_file *files, size_t n,
                                                  size_t n_train);

/* Class names from a text of ten lines. */
KELVIN_MUST_CHECK kelvin_status kelvin_cifar_names(struct data_loader *loader, const struct data_file *file);

#endif
