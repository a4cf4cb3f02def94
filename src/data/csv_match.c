/* Where in another file the columns are that a table, or a network, knows: by their names where both have names, in any
 * order and among others; else by their places. What cannot be known is not guessed at. */
#include "data/csv.h"
#include "data/inputs.h"
#include "files/text.h"

#include <stdio.h>
#include <string.h>

/* ---- by names ---- */

/* How often a name is among the first n that are known. */
static size_t count_name(const struct csv_known *known, const char *name, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += known->feature[i].name && strcmp(known->feature[i].name, name) == 0;
    return count;
}

/* The column of the i-th. Where a name is known more than once (of runs of earlier versions), they come in the same
 * order, and as many. */
static kelvin_status find(size_t *at, const struct csv_known *known, const struct csv_line *first, size_t i)
{
    const char *name = known->feature[i].name;
    if (!name) return *at = CSV_NOWHERE, KELVIN_OK; /* the label of arrays, whose columns have names, but not it */
    const size_t there = kelvin_csv_find_name(at, first, name), wanted = count_name(known, name, known->n);
    if (there == 0) return *at = CSV_NOWHERE, KELVIN_OK;
    if (there == 1 && wanted == 1) return KELVIN_OK;
    if (there != wanted)
        return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu: %zu column%s called '%s'; expected %zu", first->path,
                           first->line, there, there == 1 ? " is" : "s are", kelvin_text_shown(name).text, wanted);
    size_t before = count_name(known, name, i);
    for (*at = 0; strcmp(first->field[*at], name) != 0 || before-- > 0;) ++*at;
    return KELVIN_OK;
}

static kelvin_status match_names(size_t *at, const struct csv_known *known, const struct csv_line *first, size_t label)
{
    for (size_t i = 0; i < known->n; i++) {
        KELVIN_TRY(find(&at[i], known, first, i));
        if (known->feature[i].kind == KELVIN_FEATURE_LABEL && label != CSV_NOWHERE) at[i] = label;
    }
    return KELVIN_OK;
}

static kelvin_status no_column(const struct csv_known *known, const struct csv_line *first, const size_t *at,
                               const char *name)
{
    const char **missing = kelvin_arena_alloc(known->arena, known->n, sizeof *missing);
    char hint[KELVIN_SUGGESTION], has[INPUTS_LIST], takes[INPUTS_LIST];
    const struct text_shown shown = kelvin_text_shown(name);
    size_t n = 0;
    if (!missing) return KELVIN_ENOMEM;
    if (kelvin_inputs_near(hint, shown.text, first->field, first->n))
        return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu: no column is called '%s', which %s %s; %s", first->path,
                           first->line, shown.text, known->who, known->takes, hint);
    for (size_t i = 0; i < known->n; i++)
        if (known->feature[i].inputs > 0 && at[i] == CSV_NOWHERE) missing[n++] = known->feature[i].name;
    kelvin_inputs_list(has, first->field, first->n);
    kelvin_inputs_list(takes, missing, n);
    return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu: the file has %s; %s also %s %s", first->path, first->line, has,
                       known->who, known->takes, takes);
}

kelvin_status kelvin_csv_check_there(const size_t *at, const struct csv_known *known, const struct csv_line *first)
{
    for (size_t i = 0; i < known->n; i++)
        if (known->feature[i].inputs > 0 && at[i] == CSV_NOWHERE)
            return no_column(known, first, at, known->feature[i].name);
    return KELVIN_OK;
}

/* ---- by places ---- */

/* What a file without names may have: all columns; all but the label; those that are inputs, with the label behind them
 * or not. */
struct widths {
    size_t all, inputs;
    size_t label; /* where it was; CSV_NOWHERE: it is not known to have been anywhere */
};

static struct widths find_widths(const struct csv_known *known)
{
    struct widths w = {known->n, 0, CSV_NOWHERE};
    for (size_t i = 0; i < known->n; i++) {
        w.inputs += known->feature[i].inputs > 0;
        if (known->feature[i].kind == KELVIN_FEATURE_LABEL) w.label = known->feature[i].place;
    }
    return w;
}

static kelvin_status wrong_width(const struct csv_line *first, const struct csv_known *known, const struct widths *w,
                                 bool labelled)
{
    char all[96] = "";
    if (w->all > w->inputs + 1) snprintf(all, sizeof all, ", or all %zu columns as in training", w->all);
    return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu: %zu field%s; %s %s %zu%s%s", first->path, first->line, first->n,
                       first->n == 1 ? "" : "s", known->who, known->takes, w->inputs + labelled,
                       labelled ? " with the label"
                       : *all   ? ""
                                : ", or one more with a label",
                       all);
}

/* The rank of a feature's place among those of the features that count. */
static size_t rank(const struct csv_known *known, size_t place, bool inputs_alone, bool label)
{
    size_t before = 0;
    for (size_t i = 0; i < known->n; i++) {
        const kelvin_feature *f = &known->feature[i];
        const bool counts = f->kind == KELVIN_FEATURE_LABEL ? label : !inputs_alone || f->inputs > 0;
        before += counts && f->place < place;
    }
    return before;
}

static kelvin_status match_places(size_t *at, const struct csv_known *known, const struct csv_line *first, size_t label)
{
    const struct widths w = find_widths(known);
    const bool said = label != CSV_NOWHERE;
    const bool whole = first->n == w.all, unlabelled = !said && first->n + 1 == w.all;
    const bool alone = !whole && !unlabelled && first->n == w.inputs + said;
    if (!whole && !unlabelled && !alone) return wrong_width(first, known, &w, said);
    const bool labelled = whole || said;
    const size_t label_at = said ? label : w.label;
    for (size_t i = 0; i < known->n; i++) {
        const kelvin_feature *f = &known->feature[i];
        const bool is_label = f->kind == KELVIN_FEATURE_LABEL;
        const size_t others = rank(known, f->place, alone, false);
        at[i] = others + (labelled && others >= label_at);
        if (is_label) at[i] = labelled ? label_at : CSV_NOWHERE;
        if (!is_label && alone && f->inputs == 0) at[i] = CSV_NOWHERE;
    }
    return KELVIN_OK;
}

/* ---- either ---- */

kelvin_status kelvin_csv_match(size_t *at, const struct csv_known *known, const struct csv_line *first, bool header,
                               bool said, size_t label)
{
    if (header && known->named) return match_names(at, known, first, label);
    if (header && !said)
        return kelvin_fail(KELVIN_EFORMAT,
                           "%s: line %zu names columns, and the training part had no names: which column is which "
                           "cannot be known; expected no names (header=yes says that the columns are in the order of "
                           "training)",
                           first->path, first->line);
    return match_places(at, known, first, label);
}
