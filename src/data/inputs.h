/* Inside of kelvin_inputs_*: the family of inputs, one struct per member; inputs.c chooses among them. */
#ifndef DATA_INPUTS_H
#define DATA_INPUTS_H

#include "base/suggest.h"
#include "data/data.h"
#include "data/labels.h"

struct inputs_type {
    const struct data_type *spec; /* how such a data set is named, where labels may be missing */
    size_t state;                 /* bytes that inputs->state has */
    /* Looks at inputs->spec; sets ->rows if that can be known. */
    kelvin_status (*open)(kelvin_inputs *inputs);
    /* inputs->most rows into inputs->x (or ->shown) and ->y, and ->names. Where it was not known that there are so
     * many: how many there are, 0 after the last, into ->n. */
    kelvin_status (*next)(kelvin_inputs *inputs);
    void (*close)(kelvin_inputs *inputs); /* also after a failure to open */
    /* The column of that name, or number from 1, which gets the name that it has, if it has one. KELVIN_EUSAGE if there
     * is none. NULL: inputs have no columns. */
    kelvin_status (*find)(const kelvin_inputs *inputs, size_t *at, const char **name);
};

/* Columns that are handed on. */
struct inputs_kept {
    size_t n;
    const char **name; /* (n) */
    size_t *column;    /* (n) */
    size_t *at;        /* (room, n): where in `text` a field begins */
    char *text;        /* fields of a call's rows, each with its 0 */
    size_t used, room;
};

enum { INPUTS_NOTES = 20 };

extern const struct inputs_type kelvin_inputs_csv, kelvin_inputs_npy, kelvin_inputs_pictures, kelvin_inputs_part,
    kelvin_inputs_array;

/* The rows of a part of data that are open, for inputs of type kelvin_inputs_part. */
void kelvin_inputs_part_of(kelvin_inputs *inputs, const kelvin_data *data, const kelvin_part *part);

/* Arrays of the caller's, for inputs of type kelvin_inputs_array. */
KELVIN_MUST_CHECK kelvin_status kelvin_inputs_array_of(kelvin_inputs *inputs, const kelvin_new_rows *rows);

struct kelvin_inputs {
    const struct inputs_type *type;
    const kelvin_data *like;
    bool labels;      /* each row must have one */
    bool labelled;    /* rows have labels, but some may be missing */
    const char *text; /* what was asked for; kept in the arena */
    const char *file; /* the file, where it is named alone, which spec.files[0] is then; or NULL */
    struct data_spec spec;
    kelvin_arena *arena;
    struct labels_known *classes;
    kelvin_data *normaliser; /* normalise images as `like` does, but of bytes of which white is 255; NULL for tables */
    void *state;             /* of the type; zeroed, from `arena` */

    struct inputs_kept kept;
    const char *note[INPUTS_NOTES];
    size_t n_notes;

    size_t rows;        /* how many there are; SIZE_MAX: that is not known */
    size_t before;      /* of them were given out */
    size_t most, n;     /* of the call */
    size_t room;        /* rows for which there is memory: */
    float *x;           /* (room, inputs) */
    uint8_t *bytes;     /* (room, inputs), for images before they are normalised */
    int32_t *y;         /* (room), -1 unless a type says otherwise */
    const char **names; /* (room), or NULL */
    const float *shown; /* rows that are elsewhere than in x; NULL: in x */
};

/* What a file is that begins so, "a GIF picture", with what in it is no text; NULL: it may be text. */
const char *kelvin_inputs_kind(bool *picture, const void *head, size_t bytes);

/* Something that was guessed, for who wants to know. */
KELVIN_MUST_CHECK kelvin_status kelvin_inputs_add_note(kelvin_inputs *inputs, const char *format, ...)
    KELVIN_PRINTF(2, 3);

/* The column that names rows is handed on first, unasked. To be called when inputs are opened. */
KELVIN_MUST_CHECK kelvin_status kelvin_inputs_keep_id(kelvin_inputs *inputs, size_t column, const char *name);

/* The fields of the row that becomes number inputs->n of a call. */
KELVIN_MUST_CHECK kelvin_status kelvin_inputs_keep_row(kelvin_inputs *inputs, char *const *fields);

/* The images of a call, in inputs->bytes, to inputs->x. */
void kelvin_inputs_normalise(kelvin_inputs *inputs);

/* KELVIN_EFORMAT: what `own` has, what `like` takes. */
KELVIN_MUST_CHECK kelvin_status kelvin_inputs_check_shape(const char *path, const kelvin_data *own,
                                                          const kelvin_data *like);

/* Names (NULL: "0", "1", ...) in quotes, since they may have commas in them: "'Laenge, cm', 'weight'"; those that do
 * not fit are "...". */
enum { INPUTS_LIST = 360 };
void kelvin_inputs_list(char out[INPUTS_LIST], const char *const *names, size_t n);

/* "did you mean 'NAME'?" if one is near; else false. */
bool kelvin_inputs_near(char out[KELVIN_SUGGESTION], const char *word, const char *const *names, size_t n);

/* Says the classes that there are: `where` is the file and the place in it. */
KELVIN_MUST_CHECK kelvin_status kelvin_inputs_no_class(const kelvin_inputs *inputs, const char *where,
                                                       const char *label);
/* Rows must have labels and have none. */
KELVIN_MUST_CHECK kelvin_status kelvin_inputs_no_labels(const char *where, const char *expected);

#endif
