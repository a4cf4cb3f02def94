/* What the columns of a table are, by its training part, and what is said of it. */
#include "data/csv_table.h"
#include "data/features.h"

#include "base/texts.h"

#include <stdio.h>
#include <string.h>

/* ---- fitting ---- */

static kelvin_status refuse(const struct csv_table *t, enum feature_refusal refusal, size_t row, size_t j)
{
    const struct csv_place place = kelvin_csv_cell_place(t, row, j);
    const char *text = kelvin_csv_cell(t, row, j);
    switch (refusal) {
    case FEATURE_IS_DATE:
        return kelvin_csv_no_input(&place, text, "a date or a time");
    case FEATURE_IS_PROSE:
        return kelvin_csv_no_input(&place, text, "free text");
    case FEATURE_TOO_MANY:
        return kelvin_csv_no_input(&place, text, "one of too many different values");
    default:
        return kelvin_csv_no_number(&place, text);
    }
}

static kelvin_status fit_column(const struct csv_table *t, size_t j)
{
    enum feature_refusal refusal;
    size_t row;
    for (size_t k = 0; k < t->train; k++) t->aside[k] = kelvin_csv_cell(t, t->order[k], j);
    KELVIN_TRY(kelvin_feature_fit(&t->feature[j], &refusal, &row,
                                  &(struct feature_texts){t->aside, t->train, t->keep[j]}, t->loader->arena));
    return refusal ? refuse(t, refusal, t->order[row], j) : KELVIN_OK;
}

kelvin_status kelvin_csv_fit(struct csv_table *t)
{
    size_t inputs = 0;
    for (size_t j = 0; j < t->columns; j++) {
        if (t->feature[j].kind == KELVIN_FEATURE_NUMBER) KELVIN_TRY(fit_column(t, j));
        t->feature[j].first = t->feature[j].inputs > 0 ? inputs : 0;
        inputs += t->feature[j].inputs;
    }
    t->loader->data->inputs = inputs;
    return KELVIN_OK;
}

static kelvin_status name_inputs(struct csv_table *t)
{
    kelvin_data *data = t->loader->data;
    if (!t->named) return KELVIN_OK;
    data->column_names = kelvin_feature_input_names(data, t->loader->arena);
    data->label_name = t->feature[t->label].name;
    return data->column_names ? KELVIN_OK : KELVIN_ENOMEM;
}

/* ---- notes ---- */

enum { NOTE = 1024, NOTES = 8 };

/* One more column in a list, with what there is to say of it in brackets. */
static void add(char note[NOTE], const struct csv_table *t, size_t j, const char *about)
{
    const bool first = !*note;
    if (strlen(note) + 2 * KELVIN_SHOWN > NOTE) {
        if (strcmp(note + strlen(note) - 3, "...") != 0) kelvin_append(note, NOTE, ", ...");
        return;
    }
    kelvin_append(note, NOTE, "%s%s (%s)", first ? "" : ", ", kelvin_csv_called(t->feature[j].name, j).text, about);
}

static void list_left_out(char list[NOTE], const struct csv_table *t)
{
    for (size_t j = 0; j < t->columns; j++) {
        const kelvin_feature *f = &t->feature[j];
        if (f->kind == KELVIN_FEATURE_LEFT_OUT && strcmp(f->why, "dropped") != 0) add(list, t, j, f->why);
    }
}

/* Shares of rows in which values are missing, or too rare to have an input. */
static void list_shares(char list[NOTE], const struct csv_table *t, bool missing)
{
    char share[32];
    for (size_t j = 0; j < t->columns; j++) {
        const kelvin_feature *f = &t->feature[j];
        snprintf(share, sizeof share, "%.3g %% of the rows", 100 * (missing ? f->missing : f->rare));
        if (missing ? f->indicated : f->rare > 0) add(list, t, j, share);
    }
}

static void list_found(char list[NOTE], const struct csv_table *t, bool unseen)
{
    char rows[48];
    for (size_t j = 0; j < t->columns; j++) {
        const size_t n = unseen ? t->found[j].unseen : t->found[j].missing;
        snprintf(rows, sizeof rows, "%zu row%s", n, n == 1 ? "" : "s");
        if (n > 0) add(list, t, j, rows);
    }
}

kelvin_status kelvin_csv_check_inputs(struct csv_table *t)
{
    char list[NOTE] = "";
    struct data_loader *l = t->loader;
    const bool like = l->like;
    if (like) l->data->inputs = l->like->inputs;
    if (l->data->inputs == 0) {
        list_left_out(list, t);
        return kelvin_fail(KELVIN_EFORMAT, "%s: no column is left to learn from%s%s; expected at least one%s",
                           t->cells[0].path, *list ? ": left out: " : "", list,
                           *list ? " (keep=COLUMN keeps one)" : "");
    }
    const struct csv_known known = {
        t->feature, t->columns, t->named, like ? "the network" : "the training part", like ? "takes" : "has", l->arena};
    for (size_t i = 0; i < 2; i++) {
        const struct csv_cells *c = &t->cells[i];
        const struct csv_line first = {c->path, c->rows ? c->line[0] : 0, c->columns, c->text};
        if (c->rows > 0) KELVIN_TRY(kelvin_csv_check_there(c->at, &known, &first));
    }
    l->data->features = t->columns;
    l->data->feature = t->feature;
    return like ? KELVIN_OK : name_inputs(t);
}

static kelvin_status keep_note(struct csv_table *t, const char **notes, const char *before, const char *list,
                               const char *after)
{
    char note[NOTE + 256];
    kelvin_data *data = t->loader->data;
    if (!*list) return KELVIN_OK;
    snprintf(note, sizeof note, "%s%s%s", before, list, after);
    notes[data->notes] = kelvin_arena_text(t->loader->arena, note, strlen(note));
    return notes[data->notes++] ? KELVIN_OK : KELVIN_ENOMEM;
}

/* Which column has the labels, where that was guessed. */
static void say_label(char note[NOTE], const struct csv_table *t)
{
    const char *name = t->feature[t->label].name;
    const bool last = t->label + 1 == t->columns;
    if (t->label_said || (last && !t->first_has_classes)) return;
    kelvin_append(note, NOTE, "the labels are those of %s, %s; label=%s names another",
                  kelvin_csv_called(name, t->label).text, last ? "the last column" : "by its name",
                  last ? kelvin_csv_spelled(t->feature[0].name, 0).text : "COLUMN");
}

kelvin_status kelvin_csv_note(struct csv_table *t)
{
    char label[NOTE] = "", left_out[NOTE] = "", missing[NOTE] = "", rare[NOTE] = "", unseen[NOTE] = "",
         absent[NOTE] = "";
    const char **notes = kelvin_arena_alloc(t->loader->arena, NOTES, sizeof *notes);
    if (!notes) return KELVIN_ENOMEM;
    t->loader->data->note = notes;
    if (!t->loader->like) {
        say_label(label, t);
        list_left_out(left_out, t);
        list_shares(missing, t, true);
        list_shares(rare, t, false);
    }
    list_found(unseen, t, true);
    list_found(absent, t, false);
    KELVIN_TRY(keep_note(t, notes, "", label, ""));
    KELVIN_TRY(keep_note(t, notes, "left out: ", left_out, "; keep=COLUMN keeps one"));
    KELVIN_TRY(keep_note(t, notes, "missing values: ", missing,
                         ": the mean of the others stands in, and an input more says where"));
    KELVIN_TRY(keep_note(t, notes, "rare values, which have no input: ", rare, ""));
    KELVIN_TRY(keep_note(t, notes, "values that the training part does not have: ", unseen, ": their inputs are 0"));
    return keep_note(t, notes, "values that are missing, as none is in the training part: ", absent,
                     ": the mean stands in");
}

/* ---- names of rows ---- */

/* A test file need not have them. */
static const char *id_of(const struct csv_table *t, size_t row)
{
    const char *text = kelvin_csv_cell(t, row, t->id);
    return text ? text : "";
}

kelvin_status kelvin_csv_take_ids(struct csv_table *t)
{
    size_t bytes = 0;
    if (t->id == CSV_NOWHERE) return KELVIN_OK;
    for (size_t i = 0; i < t->rows; i++) bytes += strlen(id_of(t, i)) + 1;
    char *text = kelvin_arena_alloc(t->loader->arena, bytes, 1);
    t->ids = kelvin_arena_alloc(t->loader->arena, t->rows, sizeof *t->ids);
    if (!text || !t->ids) return KELVIN_ENOMEM;
    for (size_t i = 0; i < t->rows; i++) {
        t->ids[i] = strcpy(text, id_of(t, i));
        text += strlen(text) + 1;
    }
    return KELVIN_OK;
}
