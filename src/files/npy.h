/* NumPy's array file: magic, version, the header's length, the header (a Python literal), the numbers.
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 *
 *     struct npy array;
 *     KELVIN_TRY(kelvin_npy_parse(&array, file, bytes, path));      // nothing is copied
 *     kelvin_npy_doubles(out, &array);                              // array.count of them, in C order
 */
#ifndef FILES_NPY_H
#define FILES_NPY_H

#include <kelvin/base.h>

enum { NPY_AXES = 8 };

struct npy {
    int version;                  /* 1, 2 or 3 */
    char kind;                    /* 'b' bool, 'i', 'u', 'f'; after a failure also another letter of NumPy's, or 0 */
    size_t item;                  /* bytes of a number: 1, 2, 4, 8 */
    bool big_endian, fortran;     /* how they are stored */
    size_t axes, shape[NPY_AXES]; /* at least one axis, none of size 0 */
    size_t stride[NPY_AXES];      /* how many numbers apart neighbours along an axis are */
    size_t count;                 /* of numbers */
    const unsigned char *data;    /* count * item bytes: the rest of the file */
};

/* KELVIN_EFORMAT if it is no such file, is broken, or does not hold numbers. `path` is for sentences. */
KELVIN_MUST_CHECK kelvin_status kelvin_npy_parse(struct npy *array, const void *file, size_t bytes, const char *path);

/* The same from the first `bytes` bytes of a file of `file_bytes`: array->data stays NULL, the numbers start at byte
 * *data_at of the file. */
KELVIN_MUST_CHECK kelvin_status kelvin_npy_parse_head(struct npy *array, size_t *data_at, const void *head,
                                                      size_t bytes, size_t file_bytes, const char *path);

/* All numbers in C order of shape, whatever the order of the file. Axes may be exchanged beforehand:
 * kelvin_npy_move_axis. */
void kelvin_npy_doubles(double *out, const struct npy *array);
void kelvin_npy_bytes(uint8_t *out, const struct npy *array); /* of one byte each */

/* What is in one place of the first axis: of size 1 there. */
struct npy kelvin_npy_row(const struct npy *array, size_t row);

/* Axis `from` becomes axis `to`; those between make room. */
void kelvin_npy_move_axis(struct npy *array, size_t from, size_t to);

/* The rest of a struct npy from the text of its header, which starts at byte `start` of the file: npy_header.c. */
KELVIN_MUST_CHECK kelvin_status kelvin_npy_read_header(struct npy *array, const char *text, size_t bytes, size_t start,
                                                       const char *path);

/* As Python writes a tuple: (5, 2, 3), (5,) and (). */
struct npy_shape_text {
    char text[NPY_AXES * 22 + 4];
};
struct npy_shape_text kelvin_npy_shape_text(const struct npy *array);

#endif
