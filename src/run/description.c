/* RUN/data.json: what the run's data are like, without them. A network needs it to look at new inputs: their shape, how
 * they were normalised, what classes and columns are called. */
#include "base/words.h"
#include "data/features.h"
#include "files/record.h"
#include "run/folder.h"

#include <jansson.h>

#include <math.h>
#include <string.h>

/* ---- writing ---- */

/* Of texts or of numbers; null if there are neither. NULL if memory is short: a shorter list would be wrong. */
static json_t *list_json(const char *const *text, const double *x, size_t n)
{
    if (!text && !x) return json_null();
    json_t *list = json_array();
    bool failed = false;
    for (size_t i = 0; i < n; i++)
        failed |= json_array_append_new(list, text ? kelvin_json_text(text[i]) : json_real(x[i])) != 0;
    if (!failed) return list;
    json_decref(list);
    return NULL;
}

static json_t *image_json(const kelvin_data *data)
{
    if (data->channels == 0) return json_null();
    return json_pack("{s:I, s:I, s:I, s:f}", "channels", (json_int_t)data->channels, "height", (json_int_t)data->height,
                     "width", (json_int_t)data->width, "white", (double)data->white);
}

static size_t statistics(const kelvin_data *data)
{
    return data->channels ? data->channels : data->inputs;
}

static const char *const kinds[] = {
    [KELVIN_FEATURE_NUMBER] = "number",    [KELVIN_FEATURE_YES_NO] = "yes/no", [KELVIN_FEATURE_CATEGORY] = "category",
    [KELVIN_FEATURE_LABEL] = "label",      [KELVIN_FEATURE_ID] = "id",         [KELVIN_FEATURE_WEIGHT] = "weight",
    [KELVIN_FEATURE_LEFT_OUT] = "left out"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static json_t *tails_json(const kelvin_feature *f)
{
    return json_pack("{s:f, s:f}", "centre", f->centre, "width", f->width);
}

static json_t *feature_json(const kelvin_feature *f)
{
    json_t *column = json_pack("{s:o, s:I, s:s, s:I, s:b, s:f, s:f, s:o, s:o}", "name", kelvin_json_text(f->name),
                               "place", (json_int_t)f->place, "kind", kinds[f->kind], "inputs", (json_int_t)f->inputs,
                               "indicated", f->indicated, "missing", f->missing, "rare", f->rare, "values",
                               list_json(f->values, NULL, f->n_values), "why", kelvin_json_text(f->why));
    if (f->width == 0 || !json_object_set_new(column, "tails", tails_json(f))) return column;
    json_decref(column);
    return NULL;
}

/* What columns were before they became inputs. */
static json_t *table_json(const kelvin_data *data)
{
    json_t *list = json_array();
    bool failed = false;
    for (size_t i = 0; i < data->features; i++)
        failed |= json_array_append_new(list, feature_json(&data->feature[i])) != 0;
    if (!failed) return list;
    json_decref(list);
    return NULL;
}

kelvin_status kelvin_description_write(const kelvin_data *data, const char *folder)
{
    kelvin_path path;
    bool plain;
    KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_DESCRIPTION_NAME));
    KELVIN_TRY(kelvin_features_are_plain(&plain, data));
    json_t *root = json_pack(
        "{s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "data", data->name, "train", (json_int_t)data->train.n,
        "test", (json_int_t)data->test.n, "inputs", (json_int_t)data->inputs, "image", image_json(data), "classes",
        list_json(data->class_names, NULL, data->classes), "columns", list_json(data->column_names, NULL, data->inputs),
        "mean", list_json(NULL, data->mean, statistics(data)), "deviation",
        list_json(NULL, data->deviation, statistics(data)), "label", kelvin_json_text(data->label_name));
    if (!plain && json_object_set_new(root, "table", table_json(data)) != 0) {
        json_decref(root);
        root = NULL;
    }
    return kelvin_json_write(path, root);
}

/* ---- reading ---- */

struct reader {
    const char *path;
    const json_t *root;
    kelvin_arena *arena; /* for what `data` points to, besides the JSON */
    kelvin_data data;
};

static kelvin_status wrong(const struct reader *r, const char *field, const char *expected)
{
    return kelvin_fail(KELVIN_EFORMAT, "%s: field \"%s\": expected %s", r->path, field, expected);
}

static kelvin_status take_size(const struct reader *r, const json_t *object, size_t *size, const char *field,
                               json_int_t least)
{
    const json_t *value = json_object_get(object, field);
    if (!json_is_integer(value) || json_integer_value(value) < least || json_integer_value(value) > UINT32_MAX)
        return wrong(r, field, least ? "a whole number from 1 on" : "a whole number from 0 on");
    *size = (size_t)json_integer_value(value);
    return KELVIN_OK;
}

static kelvin_status take_text(const struct reader *r, const json_t *object, const char **text, const char *field,
                               bool maybe)
{
    const json_t *value = json_object_get(object, field);
    *text = json_string_value(value);
    if (*text || (maybe && json_is_null(value))) return KELVIN_OK;
    return wrong(r, field, maybe ? "a string, or null" : "a string");
}

/* *n is 0: as many as there are. */
static kelvin_status take_texts(const struct reader *r, const json_t *object, const char *const **texts, size_t *n,
                                const char *field)
{
    const json_t *list = json_object_get(object, field);
    if (*n == 0) *n = json_array_size(list);
    if (!json_is_array(list) || json_array_size(list) != *n || *n == 0)
        return wrong(r, field, "a list of as many strings as there are");
    const char **out = kelvin_arena_alloc(r->arena, *n, sizeof *out);
    if (!out) return KELVIN_ENOMEM;
    for (size_t i = 0; i < *n; i++)
        if (!(out[i] = json_string_value(json_array_get(list, i)))) return wrong(r, field, "a list of strings");
    *texts = out;
    return KELVIN_OK;
}

static kelvin_status take_reals(const struct reader *r, const double **reals, const char *field, double above)
{
    const size_t n = statistics(&r->data);
    const json_t *list = json_object_get(r->root, field);
    if (!json_is_array(list) || json_array_size(list) != n)
        return wrong(r, field, "a list of numbers, one per channel or column");
    double *out = kelvin_arena_alloc(r->arena, n, sizeof *out);
    if (!out) return KELVIN_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(list, i);
        out[i] = json_number_value(value);
        if (!json_is_number(value) || !(out[i] > above))
            return wrong(r, field, isinf(above) ? "a list of numbers" : "a list of numbers above 0");
    }
    *reals = out;
    return KELVIN_OK;
}

/* Most columns have none. */
static kelvin_status take_tails(const struct reader *r, kelvin_feature *f, const json_t *tails)
{
    const json_t *centre = json_object_get(tails, "centre"), *width = json_object_get(tails, "width");
    if (!tails) return KELVIN_OK;
    f->centre = json_number_value(centre);
    f->width = json_number_value(width);
    if (f->kind == KELVIN_FEATURE_NUMBER && json_is_number(centre) && f->width > 0) return KELVIN_OK;
    return wrong(r, "tails", "centre, a number, and width, a number above 0, of a column of numbers");
}

static kelvin_status take_feature(const struct reader *r, kelvin_feature *f, const json_t *object, size_t first)
{
    const char *kind = json_string_value(json_object_get(object, "kind"));
    size_t k = 0;
    while (kind && k < KINDS && strcmp(kind, kinds[k]) != 0) k++;
    if (!kind || k == KINDS) return wrong(r, "table", "columns of a kind that is known");
    *f = (kelvin_feature){.kind = (kelvin_feature_kind)k, .first = first};
    KELVIN_TRY(take_text(r, object, &f->name, "name", true));
    KELVIN_TRY(take_text(r, object, &f->why, "why", true));
    KELVIN_TRY(take_size(r, object, &f->place, "place", 0));
    KELVIN_TRY(take_size(r, object, &f->inputs, "inputs", 0));
    if (f->inputs == 0) f->first = 0;
    if (!json_is_null(json_object_get(object, "values")))
        KELVIN_TRY(take_texts(r, object, &f->values, &f->n_values, "values"));
    KELVIN_TRY(take_tails(r, f, json_object_get(object, "tails")));
    f->indicated = json_is_true(json_object_get(object, "indicated"));
    f->missing = json_number_value(json_object_get(object, "missing"));
    f->rare = json_number_value(json_object_get(object, "rare"));
    const size_t own = k == KELVIN_FEATURE_CATEGORY ? f->n_values : k < KELVIN_FEATURE_CATEGORY;
    return f->inputs == own + f->indicated ? KELVIN_OK : wrong(r, "table", "as many inputs as a column has values");
}

static kelvin_status take_table(struct reader *r)
{
    const json_t *list = json_object_get(r->root, "table");
    kelvin_data *data = &r->data;
    size_t inputs = 0;
    if (!list || json_is_null(list)) return KELVIN_OK;
    if (!json_is_array(list)) return wrong(r, "table", "a list of columns");
    kelvin_feature *feature = kelvin_arena_alloc(r->arena, json_array_size(list), sizeof *feature);
    if (!feature) return KELVIN_ENOMEM;
    for (size_t i = 0; i < json_array_size(list); i++, inputs += feature[i - 1].inputs)
        KELVIN_TRY(take_feature(r, &feature[i], json_array_get(list, i), inputs));
    if (inputs != data->inputs || data->channels) return wrong(r, "table", "columns with as many inputs as there are");
    data->features = json_array_size(list);
    data->feature = feature;
    return KELVIN_OK;
}

static kelvin_status take_image(struct reader *r)
{
    kelvin_data *data = &r->data;
    const json_t *image = json_object_get(r->root, "image");
    if (json_is_null(image)) return KELVIN_OK;
    if (!json_is_object(image)) return wrong(r, "image", "channels, height, width and white, or null");
    KELVIN_TRY(take_size(r, image, &data->channels, "channels", 1));
    KELVIN_TRY(take_size(r, image, &data->height, "height", 1));
    KELVIN_TRY(take_size(r, image, &data->width, "width", 1));
    const double white = json_number_value(json_object_get(image, "white"));
    if (!(white > 0)) return wrong(r, "white", "a number above 0");
    data->white = (float)white;
    size_t inputs;
    if (__builtin_mul_overflow(data->channels, data->height, &inputs) ||
        __builtin_mul_overflow(inputs, data->width, &inputs) || inputs != data->inputs)
        return wrong(r, "image", "channels x height x width = inputs");
    return KELVIN_OK;
}

static kelvin_status take(struct reader *r)
{
    kelvin_data *data = &r->data;
    KELVIN_TRY(take_text(r, r->root, &data->name, "data", false));
    KELVIN_TRY(take_size(r, r->root, &data->train.n, "train", 1));
    KELVIN_TRY(take_size(r, r->root, &data->test.n, "test", 0));
    KELVIN_TRY(take_size(r, r->root, &data->inputs, "inputs", 1));
    KELVIN_TRY(take_image(r));
    KELVIN_TRY(take_texts(r, r->root, &data->class_names, &data->classes, "classes"));
    if (!json_is_null(json_object_get(r->root, "columns")))
        KELVIN_TRY(take_texts(r, r->root, &data->column_names, &data->inputs, "columns"));
    KELVIN_TRY(take_reals(r, &data->mean, "mean", -INFINITY));
    KELVIN_TRY(take_reals(r, &data->deviation, "deviation", 0));
    KELVIN_TRY(take_text(r, r->root, &data->label_name, "label", true));
    return take_table(r);
}

static kelvin_status read_path(kelvin_data **data, const char *path)
{
    void *root;
    KELVIN_TRY(kelvin_record_open(&root, path));
    struct reader r = {.path = path, .root = root};
    kelvin_status status = kelvin_arena_create(&r.arena);
    if (!status) status = take(&r);
    if (!status) status = kelvin_data_describe(data, &r.data);
    kelvin_arena_destroy(r.arena);
    kelvin_record_free(root);
    return status;
}

kelvin_status kelvin_description_read(kelvin_data **data, struct kelvin_manifest *manifest, const char *folder)
{
    kelvin_path path;
    bool there;
    *data = NULL;
    KELVIN_TRY(kelvin_find_file(path, &there, folder, KELVIN_DESCRIPTION_NAME));
    if (!there) return KELVIN_OK;
    if (manifest) KELVIN_TRY(kelvin_remedy(kelvin_manifest_check(manifest, KELVIN_DESCRIPTION_NAME), folder));
    const kelvin_status status = read_path(data, path);
    if (status != KELVIN_EFORMAT && status != KELVIN_EIO) return status;
    return kelvin_fail(status, KELVIN_SAID "; remove it: without it the data set is read", kelvin_error_raw());
}
