/* IDX, the format of MNIST: 00 00 TYPE AXES, one big-endian 32-bit size per axis, then the elements. */
#ifndef DATA_IDX_H
#define DATA_IDX_H

#include "data/data.h"

enum { IDX_AXES = 4, IDX_HEAD = 4 + 4 * IDX_AXES /* bytes, at most */ };

struct idx_head {
    size_t axes, size[IDX_AXES]; /* (n), (n, height, width) or (n, height, width, channels); 1 where there is no axis */
    size_t start, bytes;         /* of the elements in the file */
};

/* The head of a file of `size` bytes, of which at least the first IDX_HEAD are at `file` (all, if it has fewer): its
 * elements are unsigned bytes, as many as the file has. */
KELVIN_MUST_CHECK kelvin_status idx_image_head(struct idx_head *head, const void *file, size_t size, const char *path);
KELVIN_MUST_CHECK kelvin_status idx_label_head(struct idx_head *head, const void *file, size_t size, const char *path);

/* n images of (pixels, channels) become (channels, pixels), in place; `aside` has room for one. */
void idx_planes(uint8_t *images, size_t n, size_t pixels, size_t channels, uint8_t *aside);

struct idx_pair {
    const char *images, *labels; /* files */
};

/* Rows, shape and classes from the files of the training part and, unless it is NULL, of the test part. */
KELVIN_MUST_CHECK kelvin_status idx_load(struct data_loader *loader, const struct idx_pair *train,
                                         const struct idx_pair *test);

#endif
