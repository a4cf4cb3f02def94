/* Data sets from arrays. */
#ifndef DATA_NPY_DATA_H
#define DATA_NPY_DATA_H

#include "data/data.h"
#include "data/npy.h"

struct npy_file {
    char *bytes; /* NULL: there is no such file */
    size_t size;
    const char *path;
};

enum { NPY_X, NPY_Y, NPY_TEST_X, NPY_TEST_Y, NPY_FILES };

/* ---- images: npy_images.c ---- */

/* How the numbers of images are bytes. */
struct npy_range {
    bool (*holds)(double value);
    double scale; /* a byte is round(scale * value) */
    const char *text;
};

/* Brings the axes of images to (n, channels, height, width). */
KELVIN_MUST_CHECK kelvin_status npy_arrange_images(struct npy *x, const char *path);

/* The range of all numbers of x, whose axes are still those of the file: by its type, of floats by all of them. `aside`
 * has room for one image. KELVIN_EFORMAT with the first number that is in none; */
KELVIN_MUST_CHECK kelvin_status npy_find_range(const struct npy_range **range, const struct npy *x, double *aside,
                                               const char *path);
/* or that is not in the range of the training part. */
KELVIN_MUST_CHECK kelvin_status npy_check_range(const struct npy_range *range, const struct npy *x, double *aside,
                                                const char *path);

/* All images, of that range and with their axes arranged. */
void npy_image_bytes(uint8_t *out, const struct npy *x, const struct npy_range *range, double *aside);

/* ---- data sets: npy_data.c ---- */

/* Rows and labels of the training part and, if there are files for it, of the test part. */
KELVIN_MUST_CHECK kelvin_status npy_load(struct data_loader *loader, const struct npy_file files[NPY_FILES]);

#endif
