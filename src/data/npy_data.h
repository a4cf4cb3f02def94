/* Data sets from arrays. */
#ifndef DATA_NPY_DATA_H
#define DATA_NPY_DATA_H

#include "data/data.h"
#include "files/npy.h"

enum { NPY_X, NPY_Y, NPY_TEST_X, NPY_TEST_Y, NPY_FILES };

/* ---- images: npy_images.c ---- */

/* Are these images, or is it a table? */
bool kelvin_npy_is_images(const struct npy *x);

/* Brings the axes of images to (n, channels, height, width). */
KELVIN_MUST_CHECK kelvin_status kelvin_npy_arrange(struct npy *x, const char *path);

/* The shape of a row, of axes that are arranged. */
void kelvin_npy_take_shape(kelvin_data *data, const struct npy *x);

/* How the numbers of images are bytes. */
struct npy_range {
    double scale; /* a byte is round(scale * value) */
    const char *text;
};

/* A number that is not in a range. */
struct npy_fault {
    bool found;
    size_t row, column; /* of the array as rows and what is in each */
    double value;
};

/* What was seen of numbers: the first that is not in each of both ranges, and the largest, or 0. */
struct npy_seen {
    struct npy_fault no_share, no_byte;
    double largest;
};

/* Looks at all numbers of x, after `before` rows that were looked at; the axes are still those of the file. `aside` has
 * room for one image. */
void kelvin_npy_look(struct npy_seen *seen, const struct npy *x, size_t before, double *aside);
/* Whether more must be known of them than their type. `range` is that of the training part, `like` what new images are
 * for; each may be NULL. */
bool kelvin_npy_must_look(const struct npy *x, const struct npy_range *range, const kelvin_data *like);

/* The range of all numbers that were looked at, by their type, of floats by all of them. KELVIN_EFORMAT with the first
 * number that is in none; */
KELVIN_MUST_CHECK kelvin_status kelvin_npy_find_range(const struct npy_range **range, const struct npy_seen *seen,
                                                      const struct npy *x, const char *path);
/* or that is not in the range of the training part. */
KELVIN_MUST_CHECK kelvin_status kelvin_npy_check_range(const struct npy_range *range, const struct npy_seen *seen,
                                                       const struct npy *x, const char *path);

/* Whether whole numbers are on a scale of `like` where white is less than 255 (digits: 16): none of them is larger.
 * `like` may be NULL. */
bool kelvin_npy_is_like(const struct npy_range *range, double largest, const kelvin_data *like);

/* All images, of that range and with their axes arranged. */
void kelvin_npy_image_bytes(uint8_t *out, const struct npy *x, const struct npy_range *range, double *aside);

/* ---- data sets: npy_data.c ---- */

/* KELVIN_EFORMAT if y is not n labels, or if what kelvin_npy_parse said of it (`status`) can be said better. */
KELVIN_MUST_CHECK kelvin_status kelvin_npy_check_labels(kelvin_status status, const struct npy *y, size_t n,
                                                        const char *path, const char *x_path);

/* All numbers of a table, or all labels, after `before` rows of their file. KELVIN_EFORMAT if one is not finite, or
 * negative. */
KELVIN_MUST_CHECK kelvin_status kelvin_npy_values(double *values, const struct npy *x, size_t before, const char *path);
KELVIN_MUST_CHECK kelvin_status kelvin_npy_labels(int32_t *out, const struct npy *y, size_t before, const char *path);

/* Rows and labels of the training part and, if there are files for it, of the test part. */
KELVIN_MUST_CHECK kelvin_status kelvin_npy_load(struct data_loader *loader, const struct data_file files[NPY_FILES]);

#endif
