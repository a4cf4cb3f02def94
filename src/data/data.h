/* Inside of the data room: the family of data sets, one struct per member, one table in data.c.
 *
 * A loader fills a struct data_loader with rows as its files hold them, those of the training part first. What all data
 * sets need comes after, in data.c: a test part is split off, tables are standardised, images get their means. */
#ifndef DATA_DATA_H
#define DATA_DATA_H

#include "base/family.h"
#include "data/dataset.h"
#include "data/spec.h"
#include "files/files.h"

enum { DATA_MAX_CLASSES = 10000 };

extern const kelvin_family kelvin_data_family, kelvin_augment_family;

struct data_loader {
    const struct data_spec *spec;
    kelvin_data *data;           /* to be filled: shape, classes, names; mean and deviation only where they are fixed */
    kelvin_arena *arena;         /* for what `data` points to; it lives as long */
    const kelvin_arrays *arrays; /* what kelvin_data_from_arrays was given; or NULL */
    const kelvin_data *like; /* inputs of a network that was trained on these: their shape and normalisation; or NULL */

    /* All rows: those of the training part, then those of the test part. From kelvin_alloc; freed by the caller. */
    size_t n, n_train; /* n_train = n: nothing has said which rows are for testing */
    uint8_t *bytes;    /* images: (n, channels, height, width); or */
    double *values;    /* a table: (n, inputs); NaN: missing */
    int32_t *y;        /* (n) */
    float *weight;     /* (n); NULL: all 1 */
    const char **id;   /* (n), in the arena; NULL: rows have no names */
    bool parted;       /* the loader has split off what is to be */
};

struct data_type {
    kelvin_member member;              /* its usage: "csv:FILE[,label=COLUMN]" */
    const char *files[DATA_FILES + 1]; /* what must follow the colon, by name */
    size_t optional;                   /* so many of them, the last, may be missing */
    const char *keys[DATA_KEYS + 1];   /* what may follow as key=value; split and seed: where no test part is given */
    const char *lists[DATA_KEYS + 1];  /* those of them that may have several values */
    kelvin_status (*open)(struct data_loader *loader);
    const struct inputs_type *inputs; /* how new inputs of this format come in pieces; NULL: they are read as a whole */
};

extern const struct data_type kelvin_data_toy, kelvin_data_digits, kelvin_data_cifar10, kelvin_data_mnist,
    kelvin_data_csv, kelvin_data_npy, kelvin_data_images, kelvin_data_idx, kelvin_data_cifar;

/* Not in the table: it has no name to be opened by. */
extern const struct data_type kelvin_data_arrays;

/* Memory for n rows, of images or of a table by the shape in loader->data, and for their labels. */
KELVIN_MUST_CHECK kelvin_status kelvin_data_alloc_rows(struct data_loader *loader, size_t n);

/* A file in memory. */
struct data_file {
    const char *path;
    char *bytes; /* bytes[size] is 0; NULL: there is no such file */
    size_t size;
};

/* Reads up to DATA_FILES files and as many of a test part (NULL: there is none), has rows or names made of them, and
 * frees them. */
KELVIN_MUST_CHECK kelvin_status kelvin_data_load_files(struct data_loader *loader, const char *const *paths, size_t n,
                                                       kelvin_status (*load)(struct data_loader *,
                                                                             const struct data_file *));

/* The name with whole paths, from any folder; kept in the arena. */
KELVIN_MUST_CHECK kelvin_status kelvin_data_absolute(const char **name, kelvin_arena *arena,
                                                     const struct data_spec *spec, const char *text);

/* Whether a share of the rows becomes the test part. Of new inputs all are wanted, unless it is asked for. */
bool kelvin_data_is_split(const struct data_loader *loader);

/* Which of the loader's n rows, by their classes, become the test part: test (n), false so far. As kelvin_data_split.
 */
KELVIN_MUST_CHECK kelvin_status kelvin_data_mark_test(bool *test, const struct data_loader *loader);

/* Puts spec->split of each class behind the rest: the test part. KELVIN_EFORMAT if a class has only one member. */
KELVIN_MUST_CHECK kelvin_status kelvin_data_split(struct data_loader *loader);

/* Sets data->mean and ->deviation from the training rows where they are not fixed, and makes floats of a table's rows.
 */
KELVIN_MUST_CHECK kelvin_status kelvin_data_normalise(struct data_loader *loader, float **x);

/* One row of a table as a network that was trained on `like` sees it; the values are changed. KELVIN_EFORMAT if no
 * float can hold a number; `unit` ("row" or "line") and its number say where in `path` that is. */
KELVIN_MUST_CHECK kelvin_status kelvin_data_standardise(float *x, double *values, const kelvin_data *like,
                                                        const char *path, const char *unit, size_t row);

/* The type that a data set's name begins with; NULL, and a sentence about it, if there is none. */
const struct data_type *kelvin_data_find_type(const char *spec);

/* The name of a data set in full: that of a table's file alone, with options or without, is csv:FILE, that of a
 * folder images:FOLDER. kelvin_free it. */
KELVIN_MUST_CHECK kelvin_status kelvin_data_spell(char **text, const char *spec);

/* KELVIN_EUSAGE if it is not the name of a data set. */
KELVIN_MUST_CHECK kelvin_status kelvin_data_check_name(const char *spec);

/* The same as kelvin_data_open for inputs of a network that was trained on `like`: normalised as these were, and split
 * only if that is asked for. KELVIN_EFORMAT if they have another shape. */
KELVIN_MUST_CHECK kelvin_status kelvin_data_open_like(kelvin_data **data, const char *spec, const kelvin_data *like);

/* Asks memory for the first few of `count` observations that will be gathered soon. */
void kelvin_data_announce(const kelvin_data *data, const kelvin_part *part, const uint32_t *index, size_t count);

/* What data->owned points to. */
struct data_owned {
    const struct kelvin_kernels *kernels;
    kelvin_arena *arena;
    const float *scale, *offset; /* per channel: an input is byte * scale + offset */
    uint8_t *bytes;
    float *x;
    int32_t *y;
    float *weight;
};

/* A data set with an arena and kernels, to be filled in; in the end, what could not be is closed, and *data NULL. */
KELVIN_MUST_CHECK kelvin_status kelvin_data_create(kelvin_data **data);
KELVIN_MUST_CHECK kelvin_status kelvin_data_finish(kelvin_data **data, kelvin_status status);

/* Texts become copies in the arena; NULL stays NULL. False if memory is short. */
bool kelvin_data_copy_text(const char **text, kelvin_arena *arena);
bool kelvin_data_copy_texts(const char *const **texts, kelvin_arena *arena, size_t n);

/* Two of n names that are the same, and not empty: the numbers of the first such pair; *found is false if
 * there is none. */
KELVIN_MUST_CHECK kelvin_status kelvin_data_same_names(bool *found, size_t pair[2], const char *const *names, size_t n);

/* Fills in factor and summand that normalise a byte, from mean and deviation. */
KELVIN_MUST_CHECK kelvin_status kelvin_data_set_scale(const kelvin_data *data);

/* Training images of noise, for benchmarks; labels go round. No test part, and no names of classes. */
KELVIN_MUST_CHECK kelvin_status kelvin_data_noise(kelvin_data **data, size_t n, size_t channels, size_t height,
                                                  size_t width, size_t classes);

#endif
