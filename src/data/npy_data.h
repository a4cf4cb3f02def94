/* Data sets from arrays. */
#ifndef DATA_NPY_DATA_H
#define DATA_NPY_DATA_H

#include "data/data.h"

struct npy_file {
    char *bytes; /* NULL: there is no such file */
    size_t size;
    const char *path;
};

enum { NPY_X, NPY_Y, NPY_TEST_X, NPY_TEST_Y, NPY_FILES };

/* Rows and labels of the training part and, if there are files for it, of the test part. */
KELVIN_MUST_CHECK kelvin_status npy_load(struct data_loader *loader, const struct npy_file files[NPY_FILES]);

#endif
