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
 * elements are unsigned bytes, as many as the file has. Of images, or of labels. */
KELVIN_MUST_CHECK kelvin_status kelvin_idx_parse_head(struct idx_head *head, const void *file, size_t size, bool images,
                                                      const char *path);

/* n images of (pixels, channels) become (channels, pixels), in place; `aside` has room for one. */
void kelvin_idx_planes(uint8_t *images, size_t n, size_t pixels, size_t channels, uint8_t *aside);

struct idx_pair {
    const char *images, *labels; /* files */
};

/* Rows, shape and classes from the files of the training part and, with `test`, of the test part behind it. */
KELVIN_MUST_CHECK kelvin_status kelvin_idx_load(struct data_loader *loader, const struct idx_pair *files, bool test);

#endif
