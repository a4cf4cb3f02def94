/* data: labelled data sets, of rows of numbers or of images.
 *
 *     kelvin_data *data;
 *     kelvin_status st = kelvin_data_open(&data, "digits");           // or "csv:table.csv,label=species", ...
 *     if (st) { fprintf(stderr, "%s\n", kelvin_error()); return 1; }
 *     printf("%zu rows for training\n", kelvin_data_rows(data, KELVIN_TRAIN));
 *     kelvin_data_slice(data, KELVIN_TRAIN, x, 0, 10);                 // the first ten, as a network sees them
 *     kelvin_data_close(data);
 *
 * An open data set is read-only: any number of threads may use it at once.
 */
#ifndef KELVIN_DATA_H
#define KELVIN_DATA_H

#include <kelvin/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kelvin_data kelvin_data;

/* Its two parts; the second may have no rows. */
typedef enum kelvin_side { KELVIN_TRAIN, KELVIN_TEST } kelvin_side;

/* By name ("digits"), or by format and place ("images:FOLDER"). */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_data_open(kelvin_data **data, const char *spec);
KELVIN_API void kelvin_data_close(kelvin_data *data);

/* Data in memory; what is zero is not given. */
typedef struct kelvin_arrays {
    size_t rows;                     /* of x or bytes, labels and weights */
    size_t columns;                  /* of a table; or */
    size_t channels, height, width;  /* of images */
    const float *x;                  /* a table (rows, columns), as measured: it is standardised here; or */
    const double *doubles;           /* the same in double precision; or */
    const uint8_t *bytes;            /* images (rows, channels, height, width), where white is 255 */
    const int32_t *labels;           /* (rows), each 0 .. classes - 1 */
    size_t classes;                  /* 0: the largest label of the rows for training, and one more */
    const char *const *class_names;  /* (classes); NULL: "0", "1", ... */
    const char *const *column_names; /* (columns), of a table; NULL: they have none */
    const char *label_name;          /* what the labels say; NULL: they have no name */
    const double *weights;           /* (rows), from 0 on; NULL: all 1 */
    size_t test_rows;                /* a test part of its own: of these */
    const float *test_x;             /* (test_rows, columns) or */
    const double *test_doubles;      /* the same; or */
    const uint8_t *test_bytes;       /* (test_rows, channels, height, width) */
    const int32_t *test_labels;      /* (test_rows) */
    double split;                    /* else a share of each class is split off: 0: 0.2, as "csv:" does; < 0: none */
    uint64_t split_seed;             /* by which they are drawn */
    bool keep_tails;                 /* columns with long tails (kelvin_feature) are not drawn in */
    const char *name;                /* what to call the data; NULL: "arrays" */
} kelvin_arrays;

/* A data set of copies of these arrays. The same numbers and labels by "csv:FILE" or "npy:X,Y" give the same bits, from
 * the split to the last draw: files are read in double precision, as `doubles` are, so that a CSV file must have 17
 * digits ("%.17g") to hold the numbers of any float. There classes are in the order of their numbers, 9 before 10, or
 * of their texts, byte by byte, and those that do not occur are none; here they are in the order of `class_names`.
 *
 * Weights count like repetition. A row of weight w is there ceil(w) times, one behind the other, and each of them
 * counts w / ceil(w), which is 1 for whole numbers; a row of weight 0 is left out. So a weight of 2 is to the bit the
 * row given twice, by every sampler, batches and split included. Log-posterior, gradient, mean and deviation multiply
 * each by what it counts; what is counted in rows (kelvin_data_rows, accuracies and other metrics, batches) counts each
 * of them once.
 *
 * As with rows that are there twice, a split may put copies of one row on both sides, so that a test knows some of its
 * answers: with weights, hand in a test part, or split below 0.
 *
 * KELVIN_EUSAGE, with the row and the column, if a number is not finite, a label is no class, or a weight is negative
 * or not finite; if there are no rows, or all of one class. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_data_from_arrays(kelvin_data **data, const kelvin_arrays *arrays);

/* ---- what it is like ---- */

/* As it was asked for, but with whole paths: it means the same in any folder. */
KELVIN_API const char *kelvin_data_name(const kelvin_data *data);
KELVIN_API size_t kelvin_data_rows(const kelvin_data *data, kelvin_side side);
KELVIN_API size_t kelvin_data_inputs(const kelvin_data *data); /* numbers of a row: columns, or channels x pixels */
KELVIN_API size_t kelvin_data_classes(const kelvin_data *data);
KELVIN_API bool kelvin_data_is_images(const kelvin_data *data);

/* What a model must take to look at these data: (channels, height, width); of a table (columns, 1, 1). */
KELVIN_API kelvin_shape kelvin_data_shape(const kelvin_data *data);

KELVIN_API const char *kelvin_data_class_name(const kelvin_data *data, size_t i);
KELVIN_API const char *kelvin_data_column_name(const kelvin_data *data, size_t i); /* NULL: columns have no names */
KELVIN_API const char *kelvin_data_label_name(const kelvin_data *data);            /* NULL: it has none */

/* How the i-th column, or channel, is normalised: an input is (value - mean) / deviation, where white is 1, and a value
 * is the number itself, unless its column has long tails (kelvin_feature). They are those of the training part, unless
 * a data set has others of its own. */
KELVIN_API double kelvin_data_mean(const kelvin_data *data, size_t i);
KELVIN_API double kelvin_data_deviation(const kelvin_data *data, size_t i);

/* What a column of a table is. The first three are what a network looks at. */
typedef enum kelvin_feature_kind {
    KELVIN_FEATURE_NUMBER,   /* one input */
    KELVIN_FEATURE_YES_NO,   /* one input, of 0 (no) and 1 (yes) */
    KELVIN_FEATURE_CATEGORY, /* one input per value: 1 for that of the row, else 0 */
    KELVIN_FEATURE_LABEL,
    KELVIN_FEATURE_ID,     /* what rows are called */
    KELVIN_FEATURE_WEIGHT, /* how much rows count */
    KELVIN_FEATURE_LEFT_OUT,
} kelvin_feature_kind;

/* A column as its file has it, and the inputs that were made of it: all of them were fixed by the training part. Its
 * mean and deviation are those of its first input; the inputs of a category, and the one of what is missing, are
 * neither moved nor divided. A column of numbers with long tails is drawn in before: its value is
 * asinh((number - centre) / width), where centre is the median and width the distance of the quartiles / 1.35. */
typedef struct kelvin_feature {
    const char *name; /* NULL: columns have no names */
    size_t place;     /* in the file, from 0 */
    kelvin_feature_kind kind;
    size_t first, inputs;      /* its inputs, one after the other: so many from there on; 0: none */
    bool indicated;            /* the last of them is 1 where the value is missing, else 0 */
    size_t n_values;           /* of a category: how many have an input, */
    const char *const *values; /* and which, in the order of the inputs */
    double missing;            /* share of the training rows in which it is missing */
    double rare;               /* share of those whose value is too rare to have an input */
    const char *why;           /* of one that is left out */
    double centre, width;      /* of one with long tails; width 0: it has none */
} kelvin_feature;

/* The i-th column of a table; NULL after the last, and of images. */
KELVIN_API const kelvin_feature *kelvin_data_feature(const kelvin_data *data, size_t i);

/* What was done with the columns that is worth a word, in sentences; NULL after the last. */
KELVIN_API const char *kelvin_data_note(const kelvin_data *data, size_t i);

/* Means and standard deviations of all columns as they are normalised, or of all channels as they were before. */
KELVIN_API void kelvin_data_statistics(const kelvin_data *data, kelvin_side side, double *mean, double *deviation);

/* ---- what is in it ---- */

/* A class, 0 .. classes - 1, for each row; they live as long as the data. NULL of data without rows: of a run's folder
 * that was opened without them. */
KELVIN_API const int32_t *kelvin_data_labels(const kelvin_data *data, kelvin_side side);

/* What each row counts, above 0 and at most 1; NULL: all 1. */
KELVIN_API const float *kelvin_data_weights(const kelvin_data *data, kelvin_side side);

/* x (count, inputs): rows from `first` on, normalised. */
KELVIN_API void kelvin_data_slice(const kelvin_data *data, kelvin_side side, float *x, size_t first, size_t count);

/* ---- images as one picture, to see what the network sees: a row per class, its name in front ---- */

typedef struct kelvin_sheet {
    kelvin_side side;
    const char *augment; /* NULL or "none": images as they are, as many of each class as a row holds, at most 10; */
    uint32_t epoch;      /* otherwise one of each class, plain and as the epochs from this one on show it */
    uint64_t seed;       /* by which images, flips and crops are drawn */
} kelvin_sheet;

/* Writes a PNG; a link is followed. *shown: of how many classes, the first ones; a sheet has room for 40. KELVIN_EUSAGE
 * for tables, and as kelvin_sheet_check. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_data_draw(const kelvin_data *data, size_t *shown, const char *path,
                                                            const kelvin_sheet *sheet);

/* Whether a sheet may be written there, before there is one. KELVIN_EUSAGE if the name does not end in .png, or is that
 * of something that is no regular file. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_sheet_check(const char *path);

/* ---- new inputs ---- */

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
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_inputs_open(kelvin_inputs **inputs, const char *spec,
                                                              const kelvin_data *like, bool labels);
/* Arrays in memory, as measured. Of x, doubles and bytes one is given. */
typedef struct kelvin_new_rows {
    size_t rows;
    const float *x;        /* (rows, columns), for a network that was trained on a table; or */
    const double *doubles; /* the same; or */
    const uint8_t *bytes;  /* (rows, channels, height, width), for one of images: white as in training (255; digits 16)
                            */
    const int32_t *labels; /* (rows), classes of the training data, -1: none; NULL: none at all */
} kelvin_new_rows;

/* The arrays are not copied, and must stay until the inputs are closed. A number that is not finite, or a label that is
 * no class, is found when its row is asked for: KELVIN_EUSAGE, with the row. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_inputs_from_rows(kelvin_inputs **inputs, const kelvin_new_rows *rows,
                                                                   const kelvin_data *like);
/* The same of x or bytes, the other one is NULL. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_inputs_from_array(kelvin_inputs **inputs, const float *x,
                                                                    const uint8_t *bytes, const int32_t *labels,
                                                                    size_t rows, const kelvin_data *like);
/* Whether inputs of that name are read from this file, or from a folder that it is in. */
KELVIN_API bool kelvin_inputs_come_from(const char *spec, const char *path);
/* Whether rows have labels; of single ones they may be missing, or be no class of `like`. */
KELVIN_API bool kelvin_inputs_labelled(const kelvin_inputs *inputs);
/* At most `most` rows, as many as are there without waiting; they live until the next call. None after the last. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_inputs_next(kelvin_inputs *inputs, kelvin_rows *rows, size_t most);
/* What was guessed of them, in sentences for who wants to know; NULL after the last. */
KELVIN_API const char *kelvin_inputs_note(const kelvin_inputs *inputs, size_t i);

/* Columns of a table that are handed on as they are: names, or numbers from 1, with commas between them (in a name:
 * \,). One that is named twice is handed on once. To be called once, before the first row is asked for. KELVIN_EUSAGE
 * if there is no such column, or no table. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_inputs_keep(kelvin_inputs *inputs, const char *columns);
/* The i-th of them, by its name if it has one, else its number; NULL after the last. */
KELVIN_API const char *kelvin_inputs_kept_name(const kelvin_inputs *inputs, size_t i);
/* Its field in a row, which the last call gave out; rows are counted from 0, from the first of all. */
KELVIN_API const char *kelvin_inputs_kept(const kelvin_inputs *inputs, size_t row, size_t i);

KELVIN_API void kelvin_inputs_close(kelvin_inputs *inputs);

#ifdef __cplusplus
}
#endif
#endif
