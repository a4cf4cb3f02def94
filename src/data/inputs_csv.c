/* Tables as inputs, row after row through a window on their text. Columns are found by their names where the file and
 * the network have names, in any order and among others; else there are as many as the network has inputs, and perhaps
 * one more, of labels. */
#include "data/inputs.h"

#include "data/csv.h"
#include "files/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NO_LABEL = -1 };

struct state {
    struct csv_window window;
    const struct csv_reader *reader; /* the window's */
    struct csv_columns columns;      /* for sentences */
    size_t *column;                  /* (inputs): where each of them is */
    ptrdiff_t label;                 /* where the labels are, or NO_LABEL */
    double *values;                  /* (inputs), one row */
    bool waiting;                    /* the row that was read last has not been given out */
};

/* ---- columns by their names ---- */

/* How often a name is among the first n of the network's columns. */
static size_t count_name(const kelvin_data *like, const char *name, size_t n)
{
    size_t count = 0;
    for (size_t j = 0; j < n; j++) count += strcmp(like->column_names[j], name) == 0;
    return count;
}

static kelvin_status no_column(const kelvin_inputs *in, const struct csv_reader *first, const char *name)
{
    const kelvin_data *like = in->like;
    const char *const *fields = (const char *const *)first->fields;
    const char **missing = kelvin_arena_alloc(in->arena, like->inputs, sizeof *missing);
    char hint[KELVIN_SUGGESTION], has[INPUTS_LIST], takes[INPUTS_LIST];
    const struct text_shown shown = kelvin_text_shown(name);
    size_t n = 0, at;
    if (!missing) return KELVIN_ENOMEM;
    if (kelvin_inputs_near(hint, shown.text, fields, first->n_fields))
        return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu: no column is called '%s', which the network takes; %s",
                           first->path, first->row_line, shown.text, hint);
    for (size_t j = 0; j < like->inputs; j++)
        if (kelvin_csv_find_name(&at, first, like->column_names[j]) == 0) missing[n++] = like->column_names[j];
    kelvin_inputs_list(has, fields, first->n_fields);
    kelvin_inputs_list(takes, missing, n);
    return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu: the file has %s; the network also takes %s", first->path,
                       first->row_line, has, takes);
}

/* The column of the j-th input. Where the network has a name more than once, they come in the same order. */
static kelvin_status find_column(size_t *at, const kelvin_inputs *in, const struct csv_reader *first, size_t j)
{
    const kelvin_data *like = in->like;
    const char *name = like->column_names[j];
    const size_t there = kelvin_csv_find_name(at, first, name);
    if (there == 1) return KELVIN_OK;
    if (there == 0) return no_column(in, first, name);
    const size_t wanted =
        count_name(like, name, like->inputs) + (like->label_name && strcmp(like->label_name, name) == 0);
    if (there != wanted)
        return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu: %zu columns are called '%s'; expected %zu", first->path,
                           first->row_line, there, kelvin_text_shown(name).text, wanted);
    size_t before = count_name(like, name, j);
    for (*at = 0; strcmp(first->fields[*at], name) != 0 || before-- > 0;) ++*at;
    return KELVIN_OK;
}

static bool all_there(const kelvin_data *like, const struct csv_reader *first)
{
    size_t at;
    for (size_t j = 0; like->column_names && j < like->inputs; j++)
        if (kelvin_csv_find_name(&at, first, like->column_names[j]) == 0) return false;
    return like->column_names;
}

static kelvin_status find_by_name(kelvin_inputs *in, struct state *s, const char *label)
{
    const kelvin_data *like = in->like;
    size_t at;
    for (size_t j = 0; j < like->inputs; j++) KELVIN_TRY(find_column(&s->column[j], in, s->reader, j));
    if (label) KELVIN_TRY(kelvin_csv_find_label(&at, s->reader, true, label));
    if (label || (like->label_name && kelvin_csv_find_name(&at, s->reader, like->label_name) > 0))
        s->label = (ptrdiff_t)at;
    return KELVIN_OK;
}

/* ---- columns by their places ---- */

/* Where labels were in training, if that is known by a number; else they are last. */
static size_t trained_label(const kelvin_data *like)
{
    struct data_spec spec = {0};
    size_t at = like->inputs;
    if (like->name && kelvin_data_find_type(like->name) == &kelvin_data_csv &&
        !kelvin_data_spec_parse(&spec, &kelvin_data_csv, like->name)) {
        const char *label = kelvin_data_spec_value(&spec, "label");
        const unsigned long long number = label && !label[strspn(label, "0123456789")] ? strtoull(label, NULL, 10) : 0;
        if (number >= 1 && number <= like->inputs) at = (size_t)number - 1;
    }
    kelvin_data_spec_free(&spec);
    return at;
}

static kelvin_status find_by_place(kelvin_inputs *in, struct state *s, bool header, const char *label)
{
    const size_t fields = s->reader->n_fields, inputs = in->like->inputs;
    if (fields != inputs + 1 && (fields != inputs || label))
        return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu: %zu field%s; the network takes %zu%s", s->reader->path,
                           s->reader->row_line, fields, fields == 1 ? "" : "s", label ? inputs + 1 : inputs,
                           label ? " with the label" : ", or one more with a label");
    size_t at = trained_label(in->like);
    if (label) KELVIN_TRY(kelvin_csv_find_label(&at, s->reader, header, label));
    if (fields > inputs) s->label = (ptrdiff_t)at;
    for (size_t j = 0; j < inputs; j++) s->column[j] = j + (fields > inputs && j >= at);
    return KELVIN_OK;
}

/* ---- opening ---- */

/* What was guessed. */
static kelvin_status note_guesses(kelvin_inputs *in, const struct state *s, bool header, const char *label)
{
    const kelvin_data *like = in->like;
    char names[INPUTS_LIST];
    if (!header && like->column_names) {
        kelvin_inputs_list(names, like->column_names, like->inputs);
        KELVIN_TRY(kelvin_inputs_add_note(
            in, "%s: has no names of columns: they are taken in the order of training, %s", s->reader->path, names));
    }
    if (s->label == NO_LABEL || label || (header && like->column_names)) return KELVIN_OK;
    return kelvin_inputs_add_note(in, "%s: has %zu columns, the network takes %zu: column %zu is taken for the label",
                                  s->reader->path, s->reader->n_fields, like->inputs, (size_t)s->label + 1);
}

static kelvin_status find_columns(kelvin_inputs *in, struct state *s)
{
    const char *label = kelvin_data_spec_value(&in->spec, "label");
    enum csv_header kind;
    KELVIN_TRY(kelvin_csv_is_header(&kind, &(struct csv_columns){0}, s->reader, &in->spec));
    const bool header = kind == CSV_NAMES || (kind == CSV_ROW_OR_NAMES && all_there(in->like, s->reader));
    s->label = NO_LABEL;
    KELVIN_TRY(header && in->like->column_names ? find_by_name(in, s, label) : find_by_place(in, s, header, label));
    KELVIN_TRY(note_guesses(in, s, header, label));
    s->waiting = !header;
    s->columns = (struct csv_columns){.n = s->reader->n_fields, .label = s->reader->n_fields - 1, .known = true};
    return header ? kelvin_csv_keep_names(&s->columns.names, &s->columns, s->reader, in->arena) : KELVIN_OK;
}

static kelvin_status check_labels(kelvin_inputs *in, const struct state *s)
{
    char expected[256] = "a column of them after the others, or label=COLUMN";
    in->labelled = s->label != NO_LABEL;
    if (!in->labels || in->labelled) return KELVIN_OK;
    if (in->like->label_name)
        snprintf(expected, sizeof expected, "a column called '%s', or label=COLUMN",
                 kelvin_text_shown(in->like->label_name).text);
    return kelvin_inputs_no_labels(s->reader->path, expected);
}

/* What is no table; or what is one, where the network takes images. */
static kelvin_status check_kind(const kelvin_inputs *in, struct state *s)
{
    const kelvin_data *like = in->like;
    const bool images = like->channels > 0;
    bool picture = false;
    const char *kind = NULL;
    if (!images || !isatty(s->window.fd)) { /* nobody should type what is refused anyway */
        KELVIN_TRY(kelvin_csv_window_peek(&s->window));
        kind = kelvin_inputs_kind(&picture, s->window.buffer, s->window.filled);
    }
    if (kind && images && s->window.fd == STDIN_FILENO)
        return kelvin_fail(KELVIN_EFORMAT, "%s: is %s; pictures are read from files: give the name of one",
                           s->reader->path, kind);
    if (kind)
        return kelvin_fail(KELVIN_EFORMAT, "%s: is %s; expected %s", s->reader->path, kind,
                           !images   ? "a table, as CSV"
                           : picture ? "PNG or JPEG"
                                     : "pictures as PNG or JPEG, or an array (.npy)");
    if (!images) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: is a table; the network takes images of %zu x %zu x %zu", s->reader->path,
                       like->channels, like->height, like->width);
}

static kelvin_status open(kelvin_inputs *in)
{
    struct state *s = in->state;
    s->window.fd = -1;
    s->reader = &s->window.reader;
    s->column = kelvin_arena_alloc(in->arena, in->like->inputs, sizeof *s->column);
    s->values = kelvin_arena_alloc(in->arena, in->like->inputs, sizeof *s->values);
    if (!s->column || !s->values) return KELVIN_ENOMEM;
    const char *test = kelvin_data_spec_value(&in->spec, "test");
    bool more;
    KELVIN_TRY(kelvin_csv_window_open(&s->window, test ? test : in->spec.files[0]));
    KELVIN_TRY(check_kind(in, s));
    KELVIN_TRY(kelvin_csv_window_row(&s->window, &more, true));
    if (!more) return kelvin_fail(KELVIN_EFORMAT, "%s: is empty; expected rows of numbers", s->reader->path);
    KELVIN_TRY(find_columns(in, s));
    return check_labels(in, s);
}

/* ---- rows ---- */

static kelvin_status take_label(kelvin_inputs *in, const struct state *s)
{
    const char *text = s->reader->fields[s->label];
    char where[KELVIN_PATH_MAX + 64];
    if (*text) in->y[in->n] = kelvin_labels_find(in->classes, text);
    if (in->y[in->n] >= 0 || !in->labels) return KELVIN_OK;
    snprintf(where, sizeof where, "%s: line %zu, column %zu", s->reader->path, s->reader->row_line,
             (size_t)s->label + 1);
    if (*text) return kelvin_inputs_no_class(in, where, text);
    return kelvin_fail(KELVIN_EFORMAT, "%s: the label is empty; expected a class of the network", where);
}

static kelvin_status take_row(kelvin_inputs *in, struct state *s)
{
    const struct csv_reader *r = s->reader;
    if (r->n_fields != s->columns.n)
        return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu: %zu field%s; expected %zu as in line %zu", r->path,
                           r->row_line, r->n_fields, r->n_fields == 1 ? "" : "s", s->columns.n, r->first_line);
    for (size_t j = 0; j < in->like->inputs; j++)
        if (kelvin_text_number(&s->values[j], r->fields[s->column[j]]) != TEXT_NUMBER)
            return kelvin_csv_no_number(&s->columns, r, s->column[j], &in->spec);
    float *x = in->x + in->n * in->like->inputs;
    KELVIN_TRY(kelvin_data_standardise(x, s->values, in->like, r->path, "line", r->row_line));
    if (s->label != NO_LABEL) KELVIN_TRY(take_label(in, s));
    KELVIN_TRY(kelvin_inputs_keep_row(in, r->fields));
    in->n++;
    return KELVIN_OK;
}

static kelvin_status next(kelvin_inputs *in)
{
    struct state *s = in->state;
    for (in->n = 0; in->n < in->most;) {
        bool more = true;
        if (!s->waiting) KELVIN_TRY(kelvin_csv_window_row(&s->window, &more, in->n == 0));
        if (!more) break;
        s->waiting = false;
        KELVIN_TRY(take_row(in, s));
    }
    return KELVIN_OK;
}

static void close_csv(kelvin_inputs *in)
{
    struct state *s = in->state;
    kelvin_csv_window_close(&s->window);
}

/* ---- columns that are handed on ---- */

static kelvin_status find(const kelvin_inputs *in, size_t *at, const char **asked)
{
    const char *name = *asked;
    const struct state *s = in->state;
    const struct csv_columns *columns = &s->columns;
    char names[INPUTS_LIST];
    for (*at = 0; columns->names && *at < columns->n; ++*at)
        if (strcmp(columns->names[*at], name) == 0) return KELVIN_OK;
    const unsigned long long number = *name && !name[strspn(name, "0123456789")] ? strtoull(name, NULL, 10) : 0;
    *at = (size_t)number - 1;
    if (number >= 1 && number <= columns->n) {
        if (columns->names) *asked = columns->names[*at];
        return KELVIN_OK;
    }
    kelvin_inputs_list(names, columns->names, columns->names ? columns->n : 0);
    return kelvin_fail(KELVIN_EUSAGE, "%s: there is no column '%s' to keep; expected %s%s1 .. %zu", s->reader->path,
                       kelvin_text_shown(name).text, names, *names ? ", or " : "", columns->n);
}

const struct inputs_type kelvin_inputs_csv = {&kelvin_data_csv, sizeof(struct state), open, next, close_csv, find};
