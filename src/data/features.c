/* Features that say nothing new, copies of features, and what fields become by them. */
#include "data/features.h"

#include "base/texts.h"
#include "data/values.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Where labels are, if that was said by a number; else they are last. SIZE_MAX: memory is short. */
static size_t label_place(const kelvin_data *data)
{
    struct data_spec spec = {0};
    size_t at = data->inputs;
    const bool csv = data->name && kelvin_data_find_type(data->name) == &kelvin_data_csv;
    const kelvin_status status = csv ? kelvin_data_spec_parse(&spec, &kelvin_data_csv, data->name) : KELVIN_OK;
    if (status == KELVIN_ENOMEM) at = SIZE_MAX;
    if (csv && !status) {
        const char *label = kelvin_data_spec_value(&spec, "label");
        const unsigned long long number = label && !label[strspn(label, "0123456789")] ? strtoull(label, NULL, 10) : 0;
        if (number >= 1 && number <= data->inputs) at = (size_t)number - 1;
    }
    kelvin_data_spec_free(&spec);
    return at;
}

static kelvin_feature plain(const kelvin_data *data, size_t i, size_t label)
{
    if (i == data->inputs)
        return (kelvin_feature){.name = data->label_name, .place = label, .kind = KELVIN_FEATURE_LABEL};
    return (kelvin_feature){
        .name = data->column_names ? data->column_names[i] : NULL, .place = i + (i >= label), .first = i, .inputs = 1};
}

kelvin_status kelvin_features_plain(kelvin_data *data, kelvin_arena *arena)
{
    const size_t label = label_place(data);
    kelvin_feature *feature = kelvin_arena_alloc(arena, data->inputs + 1, sizeof *feature);
    if (!feature || label == SIZE_MAX) return KELVIN_ENOMEM;
    for (size_t i = 0; i <= data->inputs; i++) feature[i] = plain(data, i, label);
    data->features = data->inputs + 1;
    data->feature = feature;
    return KELVIN_OK;
}

kelvin_status kelvin_features_are_plain(bool *plainly, const kelvin_data *data)
{
    bool same = data->features == 0 || data->features == data->inputs + 1;
    const size_t label = same ? label_place(data) : 0;
    if (label == SIZE_MAX) return KELVIN_ENOMEM;
    for (size_t i = 0; same && i < data->features; i++) {
        const kelvin_feature *f = &data->feature[i], expected = plain(data, i, label);
        same = f->place == expected.place && f->kind == expected.kind && f->first == expected.first &&
               f->inputs == expected.inputs && f->width == 0;
    }
    *plainly = same;
    return KELVIN_OK;
}

bool kelvin_features_copy(kelvin_data *data, kelvin_arena *arena)
{
    if (!kelvin_data_copy_texts(&data->note, arena, data->notes)) return false;
    if (!data->feature) return true;
    kelvin_feature *copy = kelvin_arena_alloc(arena, data->features, sizeof *copy);
    bool good = copy;
    if (copy) memcpy(copy, data->feature, data->features * sizeof *copy);
    for (size_t i = 0; i < data->features && good; i++)
        good = kelvin_data_copy_text(&copy[i].name, arena) && kelvin_data_copy_text(&copy[i].why, arena) &&
               kelvin_data_copy_texts(&copy[i].values, arena, copy[i].n_values);
    data->feature = copy;
    return good;
}

/* ---- fields to inputs ---- */

static bool find_value(size_t *at, const kelvin_feature *f, const char *text)
{
    size_t low = 0, high = f->n_values;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (strcmp(f->values[middle], text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *at = low;
    return low < f->n_values && strcmp(f->values[low], text) == 0;
}

static enum feature_finding encode_category(double *inputs, const kelvin_feature *f, const char *text, bool missing)
{
    size_t at;
    for (size_t i = 0; i < f->n_values; i++) inputs[i] = 0;
    if (missing) return f->indicated ? FEATURE_FOUND : FEATURE_NEW_MISSING;
    if (!find_value(&at, f, text)) return FEATURE_UNSEEN;
    inputs[at] = 1;
    return FEATURE_FOUND;
}

static enum feature_finding encode_number(double *input, const kelvin_feature *f, double value, enum value_kind kind)
{
    if (kind == VALUE_MISSING) {
        *input = (double)NAN;
        return f->indicated ? FEATURE_FOUND : FEATURE_NEW_MISSING;
    }
    const bool bit = kind == VALUE_NUMBER && (value == 0 || value == 1);
    if (f->kind == KELVIN_FEATURE_NUMBER ? kind != VALUE_NUMBER : kind != VALUE_YES_NO && !bit) return FEATURE_WRONG;
    *input = value;
    return FEATURE_FOUND;
}

enum feature_finding kelvin_feature_encode(double *values, const kelvin_feature *f, const char *text)
{
    double value = 0;
    double *inputs = values + f->first;
    const enum value_kind kind = kelvin_value_look(&value, text);
    if (f->indicated) inputs[f->inputs - 1] = kind == VALUE_MISSING;
    if (f->kind == KELVIN_FEATURE_CATEGORY) return encode_category(inputs, f, text, kind == VALUE_MISSING);
    return encode_number(inputs, f, value, kind);
}

bool kelvin_feature_is_plain_input(const kelvin_feature *f, size_t input)
{
    return f->kind == KELVIN_FEATURE_CATEGORY || (f->indicated && input + 1 == f->first + f->inputs);
}

/* ---- names of inputs ---- */

static KELVIN_PRINTF(2, 3) char *print(kelvin_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = kelvin_arena_print(arena, format, args);
    va_end(args);
    return text;
}

static const char *input_name(const kelvin_feature *f, size_t i, kelvin_arena *arena)
{
    if (f->indicated && i + 1 == f->inputs) return print(arena, "%s is missing", f->name);
    return f->kind == KELVIN_FEATURE_CATEGORY ? print(arena, "%s=%s", f->name, f->values[i]) : f->name;
}

const char *const *kelvin_feature_input_names(const kelvin_data *data, kelvin_arena *arena)
{
    const char **names = kelvin_arena_alloc(arena, data->inputs, sizeof *names);
    for (size_t j = 0; names && j < data->features; j++) {
        const kelvin_feature *f = &data->feature[j];
        for (size_t i = 0; i < f->inputs; i++)
            if (!(names[f->first + i] = input_name(f, i, arena))) return NULL;
    }
    return names;
}
