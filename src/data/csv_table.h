/* Inside of csv:, a table while it is read. Its rows are those of the training file, then those of the test file,
 * without the lines of names. */
#ifndef DATA_CSV_TABLE_H
#define DATA_CSV_TABLE_H

#include "data/csv.h"
#include "data/labels.h"
#include "files/text.h"

struct csv_table {
    struct data_loader *loader;
    struct csv_cells cells[2]; /* of both files */

    size_t columns;               /* of the training file, or those that the network knows */
    kelvin_feature *feature;      /* (columns) */
    bool named;                   /* they have names */
    bool *keep;                   /* (columns): it must be kept */
    size_t label, id, weight;     /* columns; CSV_NOWHERE: there is none */
    bool label_said, label_named; /* it was said which, or it is called as labels are */
    struct csv_found {
        size_t missing, unseen; /* rows in which it is so, and was not in training */
    } * found;                  /* (columns) */

    size_t rows, train;   /* all, and those for training */
    const char **aside;   /* (rows), for whoever looks at one column */
    struct label *labels; /* (rows) */
    size_t *order;        /* (rows): those for training, then the others */
    const char **ids;     /* (rows), in the arena; NULL: rows have no names */
    double *weights;      /* (rows), in this order */
    size_t total;         /* rows as often as they count */
    bool fractions;
    bool first_has_classes; /* a column that was not taken for the label looks like one */
};

/* The file that a row is of; *row becomes its number there. */
const struct csv_cells *kelvin_csv_cells_of(const struct csv_table *table, size_t *row);
/* NULL: its file has no such column. */
const char *kelvin_csv_cell(const struct csv_table *table, size_t row, size_t column);
struct csv_place kelvin_csv_cell_place(const struct csv_table *table, size_t row, size_t column);

/* csv_roles.c: what was said of the columns of the first file, or what a network knows of them. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_describe(struct csv_table *table);

/* csv_labels.c: loader->y, and the classes. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_take_labels(struct csv_table *table);

/* csv_fit.c: what the columns are, by the training part; whether a network can look at something; what is to be said of
 * it. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_fit(struct csv_table *table);
KELVIN_MUST_CHECK kelvin_status kelvin_csv_check_inputs(struct csv_table *table);
KELVIN_MUST_CHECK kelvin_status kelvin_csv_note(struct csv_table *table);
KELVIN_MUST_CHECK kelvin_status kelvin_csv_take_ids(struct csv_table *table);

#endif
