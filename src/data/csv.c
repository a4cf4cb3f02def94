/* Tables of one's own, in text files: csv.h says what such a file looks like. Rows are read as texts. What the columns
 * are is found out from the training part alone, after a test part was split off; then texts become numbers. */
#include "data/csv.h"

#include "data/csv_table.h"
#include "data/features.h"
#include "data/inputs.h"

#include <math.h>
#include <string.h>

/* ---- cells ---- */

const struct csv_cells *kelvin_csv_cells_of(const struct csv_table *t, size_t *row)
{
    const size_t first = t->cells[0].rows - t->cells[0].header;
    const bool second = *row >= first;
    const struct csv_cells *c = &t->cells[second];
    *row = *row - (second ? first : 0) + c->header;
    return c;
}

const char *kelvin_csv_cell(const struct csv_table *t, size_t row, size_t j)
{
    const struct csv_cells *c = kelvin_csv_cells_of(t, &row);
    return c->at[j] == CSV_NOWHERE ? NULL : c->text[row * c->columns + c->at[j]];
}

struct csv_place kelvin_csv_cell_place(const struct csv_table *t, size_t row, size_t j)
{
    const struct csv_cells *c = kelvin_csv_cells_of(t, &row);
    return (struct csv_place){c->path, t->feature[j].name, c->line[row], c->at[j], row == 0 && !c->said};
}

/* ---- files ---- */

static kelvin_status match_file(struct csv_table *t, struct csv_cells *c, const struct csv_known *known)
{
    const struct csv_line first = {c->path, c->line[0], c->columns, c->text};
    const char *label = t->loader->like ? kelvin_data_spec_value(t->loader->spec, "label") : NULL;
    size_t label_at = CSV_NOWHERE;
    if (!(c->at = kelvin_alloc(known->n, sizeof *c->at))) return KELVIN_ENOMEM;
    if (label) KELVIN_TRY(kelvin_csv_find_column(&label_at, &first, c->header, "label", label));
    if (!t->loader->like && (!c->header || !known->named) && c->columns != known->n)
        return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu: %zu fields; expected %zu as in the training part", c->path,
                           c->line[0], c->columns, known->n);
    KELVIN_TRY(kelvin_csv_match(c->at, known, &first, c->header, c->said, label_at));
    if (c->at[t->label] != CSV_NOWHERE) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu: no column is called '%s', which has the labels of %s", c->path,
                       c->line[0], known->feature[t->label].name ? known->feature[t->label].name : "", known->who);
}

/* A first row that the training part would take for one of numbers may have its names. */
static void see_names(struct csv_cells *c, const struct csv_table *t)
{
    if (c->said || c->header || !t->named) return;
    for (size_t j = 0; j < t->columns; j++) {
        size_t at = 0;
        while (at < c->columns && strcmp(c->text[at], t->feature[j].name) != 0) at++;
        if (at == c->columns) return;
    }
    c->header = true;
}

static kelvin_status read_files(struct csv_table *t, const struct data_file files[2])
{
    const struct data_spec *spec = t->loader->spec;
    KELVIN_TRY(kelvin_csv_cells_read(&t->cells[0], &files[0], spec));
    KELVIN_TRY(kelvin_csv_describe(t));
    const bool like = t->loader->like;
    const struct csv_known known = {
        t->feature,      t->columns, t->named, like ? "the network" : "the training part", like ? "takes" : "has",
        t->loader->arena};
    if (like) see_names(&t->cells[0], t);
    if (like) KELVIN_TRY(match_file(t, &t->cells[0], &known));
    t->rows = t->train = t->cells[0].rows - t->cells[0].header;
    if (!files[1].bytes) return KELVIN_OK;
    KELVIN_TRY(kelvin_csv_cells_read(&t->cells[1], &files[1], spec));
    see_names(&t->cells[1], t);
    KELVIN_TRY(match_file(t, &t->cells[1], &known));
    if (t->cells[1].rows == t->cells[1].header)
        return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu names columns and no rows follow; expected some",
                           files[1].path, t->cells[1].line[0]);
    t->rows += t->cells[1].rows - t->cells[1].header;
    return KELVIN_OK;
}

/* ---- which rows are for training ---- */

/* t->order: the rows of the training part, then those of the test part, each in the order of the files. */
static kelvin_status part_rows(struct csv_table *t)
{
    struct data_loader *l = t->loader;
    bool *test = kelvin_alloc(t->rows, sizeof *test);
    t->order = kelvin_alloc(t->rows, sizeof *t->order);
    kelvin_status status = test && t->order ? KELVIN_OK : KELVIN_ENOMEM;
    if (!status && kelvin_data_is_split(l)) status = kelvin_data_mark_test(test, l);
    size_t n = 0;
    for (size_t i = 0; !status && i < t->rows; i++)
        if (i < l->n_train && !test[i]) t->order[n++] = i;
    t->train = n;
    for (size_t i = 0; !status && i < t->rows; i++)
        if (i >= l->n_train || test[i]) t->order[n++] = i;
    l->parted = true;
    kelvin_free(test);
    return status;
}

/* ---- how often rows are there ---- */

static kelvin_status take_weight(double *weight, const struct csv_table *t, size_t row)
{
    *weight = 1;
    if (t->weight == CSV_NOWHERE) return KELVIN_OK;
    const char *text = kelvin_csv_cell(t, row, t->weight);
    if (!text) return KELVIN_OK; /* a test file need not have it */
    const struct csv_place place = kelvin_csv_cell_place(t, row, t->weight);
    double value;
    if (kelvin_text_number(&value, text) != TEXT_NUMBER || value < 0)
        return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu, column %zu: the weight is '%s'; expected a number from 0 on",
                           place.path, place.line, place.column + 1, kelvin_text_shown(text).text);
    *weight = value;
    return KELVIN_OK;
}

/* Rows of the training part count like repetition (kelvin/data.h); those of the test part are there once, unless they
 * do not count at all. */
static kelvin_status weigh_rows(struct csv_table *t)
{
    enum { MOST_TIMES = 100 };
    double total = 0;
    if (!(t->weights = kelvin_alloc(t->rows, sizeof *t->weights))) return KELVIN_ENOMEM;
    for (size_t k = 0; k < t->rows; k++) {
        double *w = &t->weights[k];
        KELVIN_TRY(take_weight(w, t, t->order[k]));
        if (k >= t->train) *w = *w > 0;
        t->fractions |= *w != floor(*w);
        total += ceil(*w);
        if (k + 1 == t->train && total == 0)
            return kelvin_fail(KELVIN_EFORMAT, "%s: all weights are 0; expected rows that count", t->cells[0].path);
    }
    if (total > MOST_TIMES * (double)t->rows)
        return kelvin_fail(
            KELVIN_EFORMAT,
            "%s: weights make %.0f rows of %zu; expected at most %d times as many (divide the weights by "
            "their mean, and each row counts about once)",
            t->cells[0].path, total, t->rows, MOST_TIMES);
    t->total = (size_t)total;
    return KELVIN_OK;
}

/* ---- texts to numbers ---- */

static kelvin_status encode_row(struct csv_table *t, double *values, size_t k)
{
    const size_t row = t->order[k];
    for (size_t j = 0; j < t->columns; j++) {
        if (t->feature[j].inputs == 0) continue;
        const char *text = kelvin_csv_cell(t, row, j);
        const struct csv_place place = kelvin_csv_cell_place(t, row, j);
        switch (kelvin_feature_encode(values, &t->feature[j], text)) {
        case FEATURE_FOUND:
            break;
        case FEATURE_NEW_MISSING:
            t->found[j].missing++;
            break;
        case FEATURE_UNSEEN:
            t->found[j].unseen += k >= t->train || t->loader->like;
            break;
        case FEATURE_WRONG:
            if (t->feature[j].kind == KELVIN_FEATURE_YES_NO) return kelvin_csv_no_answer(&place, text);
            return kelvin_csv_no_number(&place, text);
        }
    }
    return KELVIN_OK;
}

/* A row again, behind itself. */
static void repeat_row(struct data_loader *l, size_t to)
{
    const size_t inputs = l->data->inputs;
    memcpy(l->values + to * inputs, l->values + (to - 1) * inputs, inputs * sizeof *l->values);
    l->y[to] = l->y[to - 1];
    if (l->weight) l->weight[to] = l->weight[to - 1];
    if (l->id) l->id[to] = l->id[to - 1];
}

static kelvin_status encode_rows(struct csv_table *t, const int32_t *y)
{
    struct data_loader *l = t->loader;
    size_t to = 0;
    for (size_t k = 0; k < t->rows; k++) {
        const double times = ceil(t->weights[k]);
        const size_t first = to, end = to + (size_t)times;
        if (k == t->train) l->n_train = to;
        for (; to < end; to++) {
            if (to > first) {
                repeat_row(l, to);
                continue;
            }
            KELVIN_TRY(encode_row(t, l->values + to * l->data->inputs, k));
            l->y[to] = y[t->order[k]];
            if (l->weight) l->weight[to] = (float)(t->weights[k] / times);
            if (l->id) l->id[to] = t->ids[t->order[k]];
        }
    }
    if (t->train == t->rows) l->n_train = to;
    return KELVIN_OK;
}

/* All that the rows need; labels by file become labels by row. */
static kelvin_status fill(struct csv_table *t)
{
    struct data_loader *l = t->loader;
    int32_t *y = l->y;
    l->n = t->total;
    l->values = kelvin_alloc(l->n * l->data->inputs, sizeof *l->values);
    l->y = kelvin_alloc(l->n, sizeof *l->y);
    if (t->fractions) l->weight = kelvin_alloc(l->n, sizeof *l->weight);
    if (t->id != CSV_NOWHERE) l->id = kelvin_arena_alloc(l->arena, l->n, sizeof *l->id);
    const bool good = l->values && l->y && (!t->fractions || l->weight) && (t->id == CSV_NOWHERE || l->id);
    const kelvin_status status = good ? encode_rows(t, y) : KELVIN_ENOMEM;
    kelvin_free(y);
    return status;
}

/* ---- the whole ---- */

static kelvin_status load(struct csv_table *t, const struct data_file files[2])
{
    struct data_loader *l = t->loader;
    KELVIN_TRY(read_files(t, files));
    l->n = t->rows;
    l->n_train = t->train;
    KELVIN_TRY(kelvin_csv_take_labels(t));
    KELVIN_TRY(part_rows(t));
    KELVIN_TRY(weigh_rows(t));
    if (!l->like) KELVIN_TRY(kelvin_csv_fit(t));
    KELVIN_TRY(kelvin_csv_check_inputs(t));
    KELVIN_TRY(kelvin_csv_take_ids(t));
    KELVIN_TRY(fill(t));
    return kelvin_csv_note(t);
}

kelvin_status kelvin_csv_load(struct data_loader *loader, const struct data_file files[2])
{
    struct csv_table t = {.loader = loader, .label = CSV_NOWHERE, .id = CSV_NOWHERE, .weight = CSV_NOWHERE};
    const kelvin_status status = load(&t, files);
    for (size_t i = 0; i < 2; i++) kelvin_csv_cells_free(&t.cells[i]);
    kelvin_free(t.labels);
    kelvin_free(t.aside);
    kelvin_free(t.order);
    kelvin_free(t.weights);
    return status;
}

static kelvin_status open(struct data_loader *loader)
{
    const char *paths[] = {loader->spec->files[0], kelvin_data_spec_value(loader->spec, "test")};
    if (paths[1]) KELVIN_TRY(kelvin_data_spec_no_split(loader->spec, "test"));
    return kelvin_data_load_files(loader, paths, 2, kelvin_csv_load);
}

const struct data_type kelvin_data_csv = {
    .member = KELVIN_MEMBER("csv", "csv:FILE[,label=COLUMN][,drop=COLUMN]...[,test=FILE][,OPTION=VALUE]...",
                            "a table: numbers, categories, yes and no, missing values, and a label per row; also "
                            "FILE.csv alone. COLUMN: name or number; other options: keep, id, weight, tails, header, "
                            "split, seed"),
    .files = {"FILE"},
    .keys = {"label", "test", "header", "split", "seed", "drop", "keep", "id", "weight", "tails"},
    .lists = {"drop", "keep"},
    .open = open,
    .inputs = &kelvin_inputs_csv,
};
