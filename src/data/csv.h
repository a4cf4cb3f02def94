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

/* KELVIN_EFORMAT if a row has another number of fields than the first one has. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_check_width(const struct csv_reader *reader, size_t columns);

/* ---- which columns there are: csv_columns.c, csv_match.c, csv_hints.c ---- */

/* A line of a file. */
struct csv_line {
    const char *path;
    size_t line, n;
    const char *const *field; /* (n) */
};

struct csv_line kelvin_csv_line(const struct csv_reader *reader);

/* What the first row is, as far as it tells: where a field of it is a number, the other rows must be looked at. */
enum csv_header { CSV_ROW, CSV_NAMES, CSV_ROW_OR_NAMES };

/* As header= says; else by whether it has numbers in it, and label=. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_is_header(enum csv_header *header, const struct csv_reader *first,
                                                     const struct data_spec *spec);

/* How many fields of the line are `name`; *at gets the last of them. */
size_t kelvin_csv_find_name(size_t *at, const struct csv_line *line, const char *name);

/* The column that a key's value is, by its name, if the first line names them, or its number. KELVIN_EUSAGE if there is
 * none. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_find_column(size_t *at, const struct csv_line *first, bool header,
                                                       const char *key, const char *value);

/* The column of labels where nobody said which: the only one that is called as labels are ("target", "class"), else the
 * last. */
size_t kelvin_csv_guess_label(bool *by_name, const struct csv_line *first, bool header);

/* KELVIN_EFORMAT if two columns are called the same: those of other files are found by their names. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_check_names(const struct csv_line *first);

/* ---- the columns of another file: csv_match.c ---- */

#define CSV_NOWHERE SIZE_MAX

/* Columns that are known, and how another file is asked for them. */
struct csv_known {
    const kelvin_feature *feature; /* (n), in any order */
    size_t n;
    bool named;              /* they have names */
    const char *who, *takes; /* for sentences: "the network", "takes" */
    kelvin_arena *arena;     /* for sentences, too */
};

/* at[i]: where the i-th of them is in a file, or CSV_NOWHERE: by names, where both have names; else by places, all of
 * them, all but the label, or those that are inputs. label: of that file, CSV_NOWHERE: it was not said. `said`: that
 * its first line names columns; where it was not, and those that are known have no names, the order of the file cannot
 * be known: KELVIN_EFORMAT. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_match(size_t *at, const struct csv_known *known,
                                                 const struct csv_line *first, bool header, bool said, size_t label);

/* KELVIN_EFORMAT if one that has inputs is nowhere. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_check_there(const size_t *at, const struct csv_known *known,
                                                       const struct csv_line *first);

/* ---- what is wrong with a field ---- */

struct csv_place {
    const char *path, *name; /* name: of the column; NULL or "": it has none */
    size_t line, column;     /* from 1, and from 0 */
    bool first;              /* the line may be one of names, which nobody said */
};

/* KELVIN_EFORMAT: a field that should be a number, and what may have been meant. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_no_number(const struct csv_place *place, const char *text);
/* KELVIN_EFORMAT: a field that should be yes or no. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_no_answer(const struct csv_place *place, const char *text);
/* KELVIN_EFORMAT, for columns that cannot be inputs, with the way out: "LINE, COLUMN: 'TEXT' is WHAT; ...". */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_no_input(const struct csv_place *place, const char *text, const char *what);

/* A column as it is called in sentences: 'NAME', or its number. */
struct csv_called {
    char text[KELVIN_SHOWN + 24];
};
struct csv_called kelvin_csv_called(const char *name, size_t column);
/* The same as it is written behind a key: label=NAME. */
struct csv_called kelvin_csv_spelled(const char *name, size_t column);

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

/* ---- fields to rows: csv_cells.c, csv.c ---- */

/* All rows of a file, as texts. */
struct csv_cells {
    const char *path;
    size_t columns, rows;
    const char **text; /* (rows, columns); they lie in the file */
    size_t *line;      /* (rows) */
    bool header;       /* the first of them names the columns */
    bool said;         /* which was said */
    bool numbered;     /* names that are numbers: columns are said by their places all the same */
    size_t *at;        /* where each column of the training file is in this one, or CSV_NOWHERE */
};

/* Memory is from kelvin_alloc; kelvin_csv_cells_free. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_cells_read(struct csv_cells *cells, const struct data_file *file,
                                                      const struct data_spec *spec);
void kelvin_csv_cells_free(struct csv_cells *cells);

/* The rows of the training file and of the test file, by the options of loader->spec: split, and as often as they
 * count. */
KELVIN_MUST_CHECK kelvin_status kelvin_csv_load(struct data_loader *loader, const struct data_file files[2]);

#endif
