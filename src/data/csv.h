/* Tables in text files: CSV (RFC 4180) and its relatives.
 *
 * Lines end with LF or CRLF, the last one with either or neither; blank lines are skipped; a UTF-8 byte order mark is
 * skipped. Fields are separated by whichever of comma, semicolon and tab occurs most often in the first line that is
 * not blank, the comma last; if none does, there is one column. Space around fields is skipped. A field in quotes may
 * hold separators, line ends and (doubled) quotes. */
#ifndef DATA_CSV_H
#define DATA_CSV_H

#include "data/data.h"

/* ---- text to fields: csv_text.c ---- */

struct csv_reader {
    const char *path; /* for sentences */
    char *at, *end;   /* the rest of the text; *end is 0 */
    char delimiter;   /* known from the first row on; 0: there is none */
    bool stops[256];  /* what a field without quotes ends at */
    size_t line;      /* at `at`, from 1 */

    /* The row that was read last. Fields end with 0 and lie in the text, over what was there before. */
    char **fields;
    size_t n_fields;
    size_t room; /* for fields: as many as the first row has; of a longer row, the others are only counted */
    size_t row_line, first_line; /* where that row and the first row begin */
};

/* Gives text to a reader, which begins as {.path = PATH, .line = 1}. text[bytes] must be there and 0. The text is
 * changed, and must live as long as its fields are used. A text may come in pieces that end where a row does: the next
 * one when all rows of the last were read. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_feed(struct csv_reader *reader, char *text, size_t bytes);
void kelvin_csv_end(struct csv_reader *reader);

/* The next row that is not blank; *more is false if there is none. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_row(struct csv_reader *reader, bool *more);

/* ---- which columns there are: csv_columns.c, csv_hints.c ---- */

struct csv_columns {
    size_t n;
    size_t label;             /* the column that holds labels, from 0 */
    const char *const *names; /* (n): those of features, then that of labels; NULL: columns have no names */
    bool known;               /* what each of them is was found out elsewhere: sentences do not guess at it */
};

/* What the first row is. Names whose fields but the label are numbers, as pandas writes them (0,1,2,target), are known
 * from the other rows alone: if all of these have numbers for labels. */
enum csv_header { CSV_ROW, CSV_NAMES, CSV_ROW_OR_NAMES };

/* Whether the first row, which the reader is at, names the columns: as header= says; else if label= is no number and
 * stands there, or if no field is a number, or (of the test file) if it is that of the training file. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_is_header(enum csv_header *header, const struct csv_columns *columns,
                                                     const struct csv_reader *first, const struct data_spec *spec);

/* The columns of the training file from its first row; *names: what they are called if that row is a header. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_find_columns(struct csv_columns *columns, const char *const **names,
                                                        const struct csv_reader *first, enum csv_header header,
                                                        struct data_loader *loader);
/* The column of labels by its name or number; the last if `label` is NULL. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_find_label(size_t *at, const struct csv_reader *first, bool header,
                                                      const char *label);
KELVIN_MUST_CHECK kelvin_status kelvin_csv_keep_names(const char *const **kept, const struct csv_columns *columns,
                                                      const struct csv_reader *first, kelvin_arena *arena);
/* Takes the names over. KELVIN_EFORMAT if two are the same: columns of new inputs are found by their names. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_name_columns(struct csv_columns *columns, const char *const *names,
                                                        const struct csv_reader *file, kelvin_data *data);

/* KELVIN_EFORMAT if the test file has other columns. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_same_columns(const struct csv_columns *columns,
                                                        const struct csv_reader *first, bool header);

/* How many fields of the row are `name`; *at gets the last of them. */
size_t kelvin_csv_find_name(size_t *at, const struct csv_reader *row, const char *name);

/* Where in csv_columns.names a column of the file is. */
size_t kelvin_csv_place(const struct csv_columns *columns, size_t column);

/* KELVIN_EFORMAT: what is wrong with a field that should be a number. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_no_number(const struct csv_columns *columns, const struct csv_reader *row,
                                                     size_t column, const struct data_spec *spec);

/* ---- text in pieces: csv_window.c ---- */

/* What of a file is in memory: whole rows, and the beginning of the next one. It grows only for a row that is longer.
 */
struct csv_window {
    struct csv_reader reader;
    int fd;
    bool ended;
    char *buffer; /* room + 1 bytes */
    size_t room, filled;
    size_t rows; /* bytes of whole rows: the piece that was given out */
    char kept;   /* what was in the place of the 0 after them */
};

/* "-": standard input. Pipes will do. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_window_open(struct csv_window *window, const char *path);
void kelvin_csv_window_close(struct csv_window *window);
/* Waits for the first bytes, a line or some more, which window->buffer has then, as far as window->filled. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_window_peek(struct csv_window *window);

/* The same as kelvin_csv_row for the text in a window: a row lives until the next one is read. `patient`: wait for it;
 * otherwise *more is also false if it is not there yet. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_window_row(struct csv_window *window, bool *more, bool patient);

/* ---- fields to rows: csv.c ---- */

/* The rows of the training file and of the test file, by the options of loader->spec. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_load(struct data_loader *loader, const struct data_file files[2]);

#endif
