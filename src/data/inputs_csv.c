/* Tables as inputs, row after row through a window on their text. Columns are found by their names where the file and
 * the network have names, in any order and among others; else by their places (csv_match.c). */
#include "data/inputs.h"

#include "data/csv.h"
#include "data/features.h"
#include "files/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_TOLD = 12 };

struct state {
    struct csv_window window;
    const struct csv_reader *reader; /* the window's */
    const kelvin_feature *feature;   /* (features): what the network knows */
    size_t features;
    size_t columns;           /* of the file */
    const char *const *names; /* (columns); NULL: they have none */
    size_t *at;               /* (features): where each of them is, or CSV_NOWHERE */
    size_t label;             /* where the labels are, or CSV_NOWHERE */
    double *values;           /* (inputs), one row */
    bool waiting;             /* the row that was read last has not been given out */

    /* Values that the network has not seen: each is told once. */
    struct told {
        size_t feature;
        const char *text; /* "": it was missing */
    } told[MOST_TOLD];
    size_t n_told;
};

/* ---- columns ---- */

/* Whether the names of all inputs are there. */
static bool all_there(const struct csv_known *known, const struct csv_line *first)
{
    size_t at;
    for (size_t i = 0; known->named && i < known->n; i++)
        if (known->feature[i].inputs > 0 && kelvin_csv_find_name(&at, first, known->feature[i].name) == 0) return false;
    return known->named;
}

/* Whether a line without a number in it may be a row: of categories that are known, at their places. */
static bool may_be_row(struct state *s, const struct csv_known *known, const struct csv_line *first)
{
    if (all_there(known, first) || kelvin_csv_match(s->at, known, first, false, false, CSV_NOWHERE)) return false;
    for (size_t i = 0; i < known->n; i++)
        if (known->feature[i].inputs > 0 &&
            kelvin_feature_encode(s->values, &known->feature[i], first->field[s->at[i]]) > FEATURE_NEW_MISSING)
            return false;
    return true;
}

/* What was guessed. */
static kelvin_status note_guesses(kelvin_inputs *in, const struct state *s, bool header, bool label)
{
    const kelvin_data *like = in->like;
    const char **trained = kelvin_arena_alloc(in->arena, s->features, sizeof *trained);
    char names[INPUTS_LIST];
    size_t n = 0;
    if (!trained) return KELVIN_ENOMEM;
    for (size_t i = 0; i < s->features; i++)
        if (s->at[i] != CSV_NOWHERE && s->feature[i].kind != KELVIN_FEATURE_LABEL) trained[n++] = s->feature[i].name;
    if (!header && like->column_names) {
        kelvin_inputs_list(names, trained, n);
        KELVIN_TRY(kelvin_inputs_add_note(
            in, "%s: has no names of columns: they are taken in the order of training, %s", s->reader->path, names));
    }
    if (header && !like->column_names)
        KELVIN_TRY(kelvin_inputs_add_note(
            in, "%s: the network was trained without names of columns: they are taken in the order of training",
            s->reader->path));
    if (s->label == CSV_NOWHERE || label || (header && like->column_names)) return KELVIN_OK;
    return kelvin_inputs_add_note(in, "%s: has %zu columns, the network takes %zu: column %zu is taken for the label",
                                  s->reader->path, s->columns, n, s->label + 1);
}

static kelvin_status match(kelvin_inputs *in, struct state *s, const struct csv_known *known,
                           const struct csv_line *first, bool header)
{
    const char *label = kelvin_data_spec_value(&in->spec, "label");
    size_t label_at = CSV_NOWHERE;
    if (label) KELVIN_TRY(kelvin_csv_find_column(&label_at, first, header, "label", label));
    KELVIN_TRY(kelvin_csv_match(s->at, known, first, header, kelvin_data_spec_value(&in->spec, "header"), label_at));
    KELVIN_TRY(kelvin_csv_check_there(s->at, known, first));
    s->label = label_at;
    for (size_t i = 0; i < s->features; i++)
        if (s->feature[i].kind == KELVIN_FEATURE_LABEL) s->label = s->at[i];
    return note_guesses(in, s, header, label);
}

/* What rows are called is handed on, if the file has it. */
static kelvin_status keep_id(kelvin_inputs *in, const struct state *s)
{
    for (size_t i = 0; i < s->features; i++)
        if (s->feature[i].kind == KELVIN_FEATURE_ID && s->at[i] != CSV_NOWHERE)
            return kelvin_inputs_keep_id(in, s->at[i], s->feature[i].name ? s->feature[i].name : "id");
    return KELVIN_OK;
}

static kelvin_status find_columns(kelvin_inputs *in, struct state *s)
{
    const struct csv_line first = kelvin_csv_line(s->reader);
    const struct csv_known known = {s->feature, s->features, in->like->column_names, "the network", "takes", in->arena};
    enum csv_header kind;
    KELVIN_TRY(kelvin_csv_is_header(&kind, s->reader, &in->spec));
    const bool said = kelvin_data_spec_value(&in->spec, "header");
    const bool header = kind == CSV_NAMES          ? said || !may_be_row(s, &known, &first)
                        : kind == CSV_ROW_OR_NAMES ? all_there(&known, &first)
                                                   : false;
    s->columns = first.n;
    s->waiting = !header;
    KELVIN_TRY(match(in, s, &known, &first, header));
    if (header) s->names = first.field;
    if (!kelvin_data_copy_texts(&s->names, in->arena, s->columns)) return KELVIN_ENOMEM;
    return keep_id(in, s);
}

static kelvin_status check_labels(kelvin_inputs *in, const struct state *s)
{
    char expected[256] = "a column of them after the others, or label=COLUMN";
    in->labelled = s->label != CSV_NOWHERE;
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
    kelvin_data known = *in->like;
    if (!known.feature && known.channels == 0) KELVIN_TRY(kelvin_features_plain(&known, in->arena));
    s->feature = known.feature;
    s->features = known.features;
    s->at = kelvin_arena_alloc(in->arena, s->features, sizeof *s->at);
    s->values = kelvin_arena_alloc(in->arena, in->like->inputs, sizeof *s->values);
    if (!s->at || !s->values) return KELVIN_ENOMEM;
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
    snprintf(where, sizeof where, "%s: line %zu, column %zu", s->reader->path, s->reader->row_line, s->label + 1);
    if (*text) return kelvin_inputs_no_class(in, where, text);
    return kelvin_fail(KELVIN_EFORMAT, "%s: the label is empty; expected a class of the network", where);
}

/* A value that the network has not seen, or one that is missing, as none was in training. */
static kelvin_status tell(kelvin_inputs *in, struct state *s, size_t i, const char *text)
{
    const kelvin_feature *f = &s->feature[i];
    const struct csv_reader *r = s->reader;
    for (size_t k = 0; k < s->n_told; k++)
        if (s->told[k].feature == i && strcmp(s->told[k].text, text) == 0) return KELVIN_OK;
    if (s->n_told == MOST_TOLD)
        return kelvin_inputs_add_note(in, "%s: line %zu: more values that were not there in training are not told",
                                      r->path, r->row_line);
    s->told[s->n_told] = (struct told){i, kelvin_arena_text(in->arena, text, strlen(text))};
    if (!s->told[s->n_told++].text) return KELVIN_ENOMEM;
    const char *result = f->kind == KELVIN_FEATURE_CATEGORY ? "its inputs are 0" : "the mean stands in";
    const struct csv_called called = kelvin_csv_called(f->name, s->at[i]);
    if (!*text)
        return kelvin_inputs_add_note(in, "%s: line %zu: the value of %s is missing, as none was in training: %s",
                                      r->path, r->row_line, called.text, result);
    return kelvin_inputs_add_note(in, "%s: line %zu: the value of %s is '%s', which was not there in training: %s",
                                  r->path, r->row_line, called.text, kelvin_text_shown(text).text, result);
}

static kelvin_status take_field(kelvin_inputs *in, struct state *s, size_t i)
{
    const struct csv_reader *r = s->reader;
    const char *text = r->fields[s->at[i]];
    const struct csv_place place = {r->path, s->names ? s->names[s->at[i]] : NULL, r->row_line, s->at[i],
                                    r->row_line == r->first_line && !kelvin_data_spec_value(&in->spec, "header")};
    switch (kelvin_feature_encode(s->values, &s->feature[i], text)) {
    case FEATURE_FOUND:
        return KELVIN_OK;
    case FEATURE_NEW_MISSING:
        return tell(in, s, i, "");
    case FEATURE_UNSEEN:
        return tell(in, s, i, text);
    default:
        return s->feature[i].kind == KELVIN_FEATURE_YES_NO ? kelvin_csv_no_answer(&place, text)
                                                           : kelvin_csv_no_number(&place, text);
    }
}

static kelvin_status take_row(kelvin_inputs *in, struct state *s)
{
    const struct csv_reader *r = s->reader;
    KELVIN_TRY(kelvin_csv_check_width(r, s->columns));
    for (size_t i = 0; i < s->features; i++)
        if (s->feature[i].inputs > 0) KELVIN_TRY(take_field(in, s, i));
    float *x = in->x + in->n * in->like->inputs;
    KELVIN_TRY(kelvin_data_standardise(x, s->values, in->like, r->path, "line", r->row_line));
    if (s->label != CSV_NOWHERE) KELVIN_TRY(take_label(in, s));
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
    char names[INPUTS_LIST];
    for (*at = 0; s->names && *at < s->columns; ++*at)
        if (strcmp(s->names[*at], name) == 0) return KELVIN_OK;
    const unsigned long long number = *name && !name[strspn(name, "0123456789")] ? strtoull(name, NULL, 10) : 0;
    *at = (size_t)number - 1;
    if (number >= 1 && number <= s->columns) {
        if (s->names) *asked = s->names[*at];
        return KELVIN_OK;
    }
    kelvin_inputs_list(names, s->names, s->names ? s->columns : 0);
    return kelvin_fail(KELVIN_EUSAGE, "%s: there is no column '%s' to keep; expected %s%s1 .. %zu", s->reader->path,
                       kelvin_text_shown(name).text, names, *names ? ", or " : "", s->columns);
}

const struct inputs_type kelvin_inputs_csv = {&kelvin_data_csv, sizeof(struct state), open, next, close_csv, find};
