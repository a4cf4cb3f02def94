/* What was said of columns: which has the labels, which is to be left out or kept, which names rows or weighs them. */
#include "data/csv_table.h"
#include "data/features.h"

#include <string.h>

static struct csv_line first_line(const struct csv_table *t)
{
    const struct csv_cells *c = &t->cells[0];
    return (struct csv_line){c->path, c->line[0], c->columns, c->text};
}

/* ---- of a training file ---- */

static bool by_name(const struct csv_table *t)
{
    return t->named && !t->cells[0].numbered;
}

static kelvin_status find_label(struct csv_table *t)
{
    const struct csv_line first = first_line(t);
    const char *label = kelvin_data_spec_value(t->loader->spec, "label");
    t->label_said = label;
    if (label) return kelvin_csv_find_column(&t->label, &first, by_name(t), "label", label);
    t->label = kelvin_csv_guess_label(&t->label_named, &first, t->named);
    return KELVIN_OK;
}

/* A column has one part to play. */
static kelvin_status set_kind(struct csv_table *t, size_t j, kelvin_feature_kind kind, const char *key)
{
    kelvin_feature *f = &t->feature[j];
    if (f->kind == kind) return KELVIN_OK;
    if (f->kind != KELVIN_FEATURE_NUMBER)
        return kelvin_fail(KELVIN_EUSAGE, "data '%s': %s is %s, which %s; expected another column",
                           t->loader->spec->name, key, kelvin_csv_called(f->name, j).text,
                           f->kind == KELVIN_FEATURE_LABEL      ? "has the labels"
                           : f->kind == KELVIN_FEATURE_LEFT_OUT ? "is dropped"
                                                                : "is said to be something else");
    f->kind = kind;
    return KELVIN_OK;
}

static kelvin_status find_one(size_t *at, struct csv_table *t, const char *key, kelvin_feature_kind kind)
{
    const struct csv_line first = first_line(t);
    const char *value = kelvin_data_spec_value(t->loader->spec, key);
    if (!value) return KELVIN_OK;
    KELVIN_TRY(kelvin_csv_find_column(at, &first, by_name(t), key, value));
    return set_kind(t, *at, kind, key);
}

static kelvin_status find_dropped(struct csv_table *t)
{
    const struct csv_line first = first_line(t);
    const char *value;
    for (size_t i = 0, j; (value = kelvin_data_spec_next(t->loader->spec, "drop", &i));) {
        KELVIN_TRY(kelvin_csv_find_column(&j, &first, by_name(t), "drop", value));
        KELVIN_TRY(set_kind(t, j, KELVIN_FEATURE_LEFT_OUT, "drop"));
        t->feature[j].why = "dropped";
    }
    return KELVIN_OK;
}

static kelvin_status find_kept(struct csv_table *t)
{
    const struct csv_line first = first_line(t);
    const char *value;
    for (size_t i = 0, j; (value = kelvin_data_spec_next(t->loader->spec, "keep", &i));) {
        for (j = 0; strcmp(value, "*") == 0 && j < t->columns; j++) t->keep[j] = true;
        if (strcmp(value, "*") == 0) continue;
        KELVIN_TRY(kelvin_csv_find_column(&j, &first, by_name(t), "keep", value));
        KELVIN_TRY(set_kind(t, j, KELVIN_FEATURE_NUMBER, "keep"));
        t->keep[j] = true;
    }
    return KELVIN_OK;
}

static kelvin_status describe_file(struct csv_table *t)
{
    const struct csv_line first = first_line(t);
    t->columns = first.n;
    t->named = t->cells[0].header;
    t->feature = kelvin_arena_alloc(t->loader->arena, t->columns, sizeof *t->feature);
    t->keep = kelvin_arena_alloc(t->loader->arena, t->columns, sizeof *t->keep);
    t->cells[0].at = kelvin_alloc(t->columns, sizeof *t->cells[0].at);
    if (!t->feature || !t->keep || !t->cells[0].at) return KELVIN_ENOMEM;
    for (size_t j = 0; j < t->columns; j++) {
        t->feature[j] = (kelvin_feature){.name = t->named ? first.field[j] : NULL, .place = j};
        if (!kelvin_data_copy_text(&t->feature[j].name, t->loader->arena)) return KELVIN_ENOMEM;
        t->cells[0].at[j] = j;
    }
    KELVIN_TRY(find_label(t));
    if (t->named) KELVIN_TRY(kelvin_csv_check_names(&first));
    t->feature[t->label].kind = KELVIN_FEATURE_LABEL;
    KELVIN_TRY(find_one(&t->id, t, "id", KELVIN_FEATURE_ID));
    KELVIN_TRY(find_one(&t->weight, t, "weight", KELVIN_FEATURE_WEIGHT));
    KELVIN_TRY(find_dropped(t));
    return find_kept(t);
}

/* ---- of a network ---- */

static kelvin_status describe_like(struct csv_table *t)
{
    kelvin_data known = *t->loader->like;
    if (!known.feature) KELVIN_TRY(kelvin_features_plain(&known, t->loader->arena));
    t->columns = known.features;
    t->named = known.column_names;
    t->feature = kelvin_arena_alloc(t->loader->arena, t->columns, sizeof *t->feature);
    if (!t->feature) return KELVIN_ENOMEM;
    memcpy(t->feature, known.feature, t->columns * sizeof *t->feature);
    for (size_t j = 0; j < t->columns; j++)
        if (t->feature[j].kind == KELVIN_FEATURE_LABEL) t->label = j;
    t->label_said = true;
    return KELVIN_OK;
}

kelvin_status kelvin_csv_describe(struct csv_table *t)
{
    KELVIN_TRY(t->loader->like ? describe_like(t) : describe_file(t));
    t->found = kelvin_arena_alloc(t->loader->arena, t->columns, sizeof *t->found);
    return t->found ? KELVIN_OK : KELVIN_ENOMEM;
}
