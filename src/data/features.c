/* Features that say nothing new, and copies of features. */
#include "data/features.h"

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

bool kelvin_features_are_plain(const kelvin_data *data)
{
    bool same = data->features == 0 || data->features == data->inputs + 1;
    const size_t label = same ? label_place(data) : 0;
    for (size_t i = 0; same && i < data->features; i++) {
        const kelvin_feature *f = &data->feature[i], expected = plain(data, i, label);
        same = f->place == expected.place && f->kind == expected.kind && f->first == expected.first &&
               f->inputs == expected.inputs;
    }
    return same;
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
