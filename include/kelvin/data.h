/* data: labelled data sets, and the batches in which a network sees them.
 *
 *     kelvin_data *data;
 *     kelvin_status st = kelvin_data_open(&data, "digits");           // or "csv:table.csv,label=species", ...
 *     kelvin_epoch epoch = {.seed = 1, .epoch = 0, .augment = KELVIN_AUGMENT_PAPER};
 *     kelvin_data_order(order, data->train.n, &epoch);
 *     kelvin_data_gather(data, &data->train, x, y, order, 125, &epoch);  // the first 125 of this epoch
 *     kelvin_data_close(data);
 *
 * Images stay bytes; they are normalised and augmented when a batch is put together. Nothing here has a state: what an
 * epoch does to an image is a pure function of (seed, chain, epoch, index), so any thread may put any piece together.
 */
#ifndef KELVIN_DATA_H
#define KELVIN_DATA_H

#include <kelvin/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kelvin_part {
    size_t n;
    const uint8_t *bytes; /* of images, (n, channels, height, width); NULL for tables */
    const float *x;       /* of tables, (n, inputs), standardised; NULL for images */
    const int32_t *y;     /* (n), each 0 .. classes - 1 */
} kelvin_part;

typedef struct kelvin_data {
    const char *name; /* as it was asked for, but with whole paths: it means the same in any folder */
    size_t inputs, classes;
    size_t channels, height, width;  /* of images: inputs is their product; all 0 for tables */
    const char *const *class_names;  /* (classes) */
    const char *const *column_names; /* (inputs); NULL where columns have no names */
    const char *label_name;          /* of the column of labels; NULL where it has none */
    const double *mean, *deviation;  /* per channel or column; an input is (value - mean) / deviation, */
    float white;                     /* where the value of a byte is byte / white */
    kelvin_part train, test;         /* test.n may be 0 */
    void *owned;
} kelvin_data;

/* How the i-th kind of data set is written, "csv:FILE[,label=COLUMN]", and one line about it; false after the last. */
bool kelvin_data_info(size_t i, const char **usage, const char **about);

/* By name ("digits"), or by format and place ("images:FOLDER"). */
KELVIN_MUST_CHECK kelvin_status kelvin_data_open(kelvin_data **data, const char *spec);
void kelvin_data_close(kelvin_data *data);

/* Means and standard deviations of a part, per channel (of byte / white) or column. */
void kelvin_data_statistics(const kelvin_data *data, const kelvin_part *part, double *mean, double *deviation);

/* ---- batches ---- */

typedef enum kelvin_augment {
    KELVIN_AUGMENT_NONE,
    KELVIN_AUGMENT_PAPER,     /* each image: flipped or not; padded by 4, cropped at an offset in 0 .. 8 */
    KELVIN_AUGMENT_REFERENCE, /* as the authors' program: one offset in 0 .. 6 per epoch for all images */
    KELVIN_AUGMENT_COUNT,
} kelvin_augment;

/* Name of the i-th and one line about it; false after the last. */
bool kelvin_augment_info(size_t i, const char **name, const char **about);
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
void kelvin_data_slice(const kelvin_data *data, const kelvin_part *part, float *x, size_t first, size_t count);

/* ---- data sets without rows: what a network that was trained on one must know of new inputs ---- */

/* A copy of everything but the rows: shape, names, normalisation. The parts have their n, and no rows (pointers are
 * NULL); images that are put into a part of one's own are normalised as they were there. `like` may be filled in by
 * hand: what it owns is not looked at. */
KELVIN_MUST_CHECK kelvin_status kelvin_data_describe(kelvin_data **data, const kelvin_data *like);

/* New inputs as a network that was trained on `like` sees them, some at a time, in constant memory:
 *
 *     kelvin_inputs *inputs;
 *     kelvin_rows rows;
 *     kelvin_status st = kelvin_inputs_open(&inputs, "photo.png", like, false);
 *     while (!st && !(st = kelvin_inputs_next(inputs, &rows, 1000)) && rows.n > 0) ... rows.x ...
 *     kelvin_inputs_close(inputs);
 */
typedef struct kelvin_inputs kelvin_inputs;

typedef struct kelvin_rows {
    size_t n, first;         /* so many, and how many came before them */
    const float *x;          /* (n, inputs) */
    const int32_t *y;        /* (n), a class of `like`; -1: it has no label */
    const char *const *name; /* (n), of pictures: their paths; NULL where rows have no names */
} kelvin_rows;

/* `spec` as for kelvin_data_open, where labels may be missing (npy:X; csv:FILE without that column; images:FOLDER with
 * pictures and no folders in it); a picture, FILE.png or FILE.jpg; a table, FILE.csv; an array, FILE.npy; CSV on
 * standard input, "-". Of a set that comes with a test part, or is asked for one (split=), that part; otherwise all
 * rows. Columns are found by their names where both have names; pictures become as large and as colourful as those of
 * `like`. `labels`: each row must have one, and it must be a class of `like`, by its name. KELVIN_EFORMAT if the inputs
 * have another shape. `like` must outlive the inputs. */
KELVIN_MUST_CHECK kelvin_status kelvin_inputs_open(kelvin_inputs **inputs, const char *spec, const kelvin_data *like,
                                                   bool labels);
/* Whether inputs of that name are read from this file, or from a folder that it is in. */
bool kelvin_inputs_come_from(const char *spec, const char *path);
/* The rows of a part of data that are open, and stay open. */
KELVIN_MUST_CHECK kelvin_status kelvin_inputs_of(kelvin_inputs **inputs, const kelvin_data *data,
                                                 const kelvin_part *part);
/* Whether rows have labels; of single ones they may be missing, or be no class of `like`. */
bool kelvin_inputs_labelled(const kelvin_inputs *inputs);
/* At most `most` rows, as many as are there without waiting; they live until the next call. None after the last. */
KELVIN_MUST_CHECK kelvin_status kelvin_inputs_next(kelvin_inputs *inputs, kelvin_rows *rows, size_t most);
/* What was guessed of them, in sentences for who wants to know; NULL after the last. */
const char *kelvin_inputs_note(const kelvin_inputs *inputs, size_t i);

/* Columns of a table that are handed on as they are: names, or numbers from 1, with commas between them (in a name:
 * \,). One that is named twice is handed on once. To be called once, before the first row is asked for. KELVIN_EUSAGE
 * if there is no such column, or no table. */
KELVIN_MUST_CHECK kelvin_status kelvin_inputs_keep(kelvin_inputs *inputs, const char *columns);
/* The i-th of them, by its name if it has one, else its number; NULL after the last. */
const char *kelvin_inputs_kept_name(const kelvin_inputs *inputs, size_t i);
/* Its field in a row, which the last call gave out; rows are counted from 0, from the first of all. */
const char *kelvin_inputs_kept(const kelvin_inputs *inputs, size_t row, size_t i);

void kelvin_inputs_close(kelvin_inputs *inputs);

#ifdef __cplusplus
}
#endif
#endif
