/* dataset: what is inside of a data set, for the rooms that work on its rows, and the batches in which a network sees
 * them.
 *
 *     kelvin_epoch epoch = {.seed = 1, .epoch = 0, .augment = KELVIN_AUGMENT_PAPER};
 *     kelvin_data_order(order, data->train.n, &epoch);
 *     kelvin_data_gather(data, &data->train, x, y, order, 125, &epoch);  // the first 125 of this epoch
 *
 * Images stay bytes; they are normalised and augmented when a batch is put together. Nothing here has a state: what an
 * epoch does to an image is a pure function of (seed, chain, epoch, index), so any thread may put any piece together.
 */
#ifndef DATA_DATASET_H
#define DATA_DATASET_H

#include <kelvin/data.h>

typedef struct kelvin_part {
    size_t n;
    const uint8_t *bytes;  /* of images, (n, channels, height, width); NULL for tables */
    const float *x;        /* of tables, (n, inputs), standardised; NULL for images */
    const int32_t *y;      /* (n), each 0 .. classes - 1 */
    const float *weight;   /* (n), above 0 and at most 1: how much each counts; NULL: all 1 */
    const char *const *id; /* (n), what each row is called; NULL: they have no names */
} kelvin_part;

struct kelvin_data {
    const char *name; /* as it was asked for, but with whole paths: it means the same in any folder */
    size_t inputs, classes;
    size_t channels, height, width;  /* of images: inputs is their product; all 0 for tables */
    const char *const *class_names;  /* (classes) */
    const char *const *column_names; /* (inputs), "age", "sex=male"; NULL where columns have no names */
    const char *label_name;          /* of the column of labels; NULL where it has none */
    const double *mean, *deviation;  /* per channel or column; an input is (value - mean) / deviation, */
    float white;                     /* where the value of a byte is byte / white */
    size_t features;                 /* columns of a table, as its file has them; 0 for images */
    const kelvin_feature *feature;   /* (features): those with inputs in the order of their inputs */
    size_t notes;                    /* what is to be said of the columns */
    const char *const *note;         /* (notes) */
    kelvin_part train, test;         /* test.n may be 0 */
    void *owned;
};

static inline const kelvin_part *kelvin_data_part(const kelvin_data *data, kelvin_side side)
{
    return side == KELVIN_TEST ? &data->test : &data->train;
}

/* Means and standard deviations of a part, per channel (of byte / white) or column. */
void kelvin_part_statistics(const kelvin_data *data, const kelvin_part *part, double *mean, double *deviation);

/* How many observations the rows of a part count for: the sum of their weights. */
double kelvin_part_total(const kelvin_part *part);

/* ---- toy: the points of figure 1, for pictures of them ---- */

enum { KELVIN_TOY_POINTS = 18 };
extern const float kelvin_toy_points[KELVIN_TOY_POINTS][2];
static inline int32_t kelvin_toy_label(size_t i)
{
    return i >= KELVIN_TOY_POINTS / 2;
}

/* ---- batches ---- */

typedef enum kelvin_augment {
    KELVIN_AUGMENT_NONE,
    KELVIN_AUGMENT_PAPER,     /* each image: flipped or not; padded by 4, cropped at an offset in 0 .. 8 */
    KELVIN_AUGMENT_REFERENCE, /* as the authors' program: one offset in 0 .. 6 per epoch for all images */
    KELVIN_AUGMENT_COUNT,
} kelvin_augment;

KELVIN_MUST_CHECK kelvin_status kelvin_augment_parse(kelvin_augment *augment, const char *name);

typedef struct kelvin_epoch {
    uint64_t seed;
    uint32_t chain, epoch;
    kelvin_augment augment;
} kelvin_epoch;

/* What an epoch makes of an image: pixel (y, x) is pixel (y + dy, x + dx) of the image, or of its mirror image; 0,
 * after normalising, where that is outside. */
typedef struct kelvin_view {
    bool flip;
    int dy, dx; /* -4 .. 4 */
} kelvin_view;

kelvin_view kelvin_epoch_view(const kelvin_epoch *epoch, size_t index);

/* The order in which n observations come in an epoch. */
void kelvin_data_order(uint32_t *order, size_t n, const kelvin_epoch *epoch);

/* The observations index[0 .. count) of a part as the network sees them in an epoch: x (count, inputs), y (count), each
 * NULL if it is not wanted. Tables are not augmented. `epoch` NULL: as they are. */
void kelvin_data_gather(const kelvin_data *data, const kelvin_part *part, float *x, int32_t *y, const uint32_t *index,
                        size_t count, const kelvin_epoch *epoch);

/* The same for `count` observations from `first` on, as they are. */
void kelvin_part_slice(const kelvin_data *data, const kelvin_part *part, float *x, size_t first, size_t count);

/* ---- data sets without rows: what a network that was trained on one must know of new inputs ---- */

/* A copy of everything but the rows: shape, names, normalisation. The parts have their n, and no rows (pointers are
 * NULL); images that are put into a part of one's own are normalised as they were there. `like` may be filled in by
 * hand: what it owns is not looked at. */
KELVIN_MUST_CHECK kelvin_status kelvin_data_describe(kelvin_data **data, const kelvin_data *like);

/* The rows of a part of data that are open, and stay open, as inputs. */
KELVIN_MUST_CHECK kelvin_status kelvin_inputs_of(kelvin_inputs **inputs, const kelvin_data *data,
                                                 const kelvin_part *part);

#endif
