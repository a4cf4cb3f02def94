/* What a data set tells of itself to those who do not see its fields. */
#include "data/dataset.h"

const char *kelvin_data_name(const kelvin_data *data)
{
    return data->name;
}

size_t kelvin_data_rows(const kelvin_data *data, kelvin_side side)
{
    return kelvin_data_part(data, side)->n;
}

size_t kelvin_data_inputs(const kelvin_data *data)
{
    return data->inputs;
}

size_t kelvin_data_classes(const kelvin_data *data)
{
    return data->classes;
}

bool kelvin_data_is_images(const kelvin_data *data)
{
    return data->channels > 0;
}

kelvin_shape kelvin_data_shape(const kelvin_data *data)
{
    if (data->channels > 0) return (kelvin_shape){data->channels, data->height, data->width};
    return (kelvin_shape){data->inputs, 1, 1};
}

const char *kelvin_data_class_name(const kelvin_data *data, size_t i)
{
    return data->class_names ? data->class_names[i] : NULL;
}

const char *kelvin_data_column_name(const kelvin_data *data, size_t i)
{
    return data->column_names ? data->column_names[i] : NULL;
}

const char *kelvin_data_label_name(const kelvin_data *data)
{
    return data->label_name;
}

double kelvin_data_mean(const kelvin_data *data, size_t i)
{
    return data->mean[i];
}

double kelvin_data_deviation(const kelvin_data *data, size_t i)
{
    return data->deviation[i];
}

const kelvin_feature *kelvin_data_feature(const kelvin_data *data, size_t i)
{
    return i < data->features ? &data->feature[i] : NULL;
}

const char *kelvin_data_note(const kelvin_data *data, size_t i)
{
    return i < data->notes ? data->note[i] : NULL;
}

void kelvin_data_statistics(const kelvin_data *data, kelvin_side side, double *mean, double *deviation)
{
    kelvin_part_statistics(data, kelvin_data_part(data, side), mean, deviation);
}

const int32_t *kelvin_data_labels(const kelvin_data *data, kelvin_side side)
{
    return kelvin_data_part(data, side)->y;
}

const float *kelvin_data_weights(const kelvin_data *data, kelvin_side side)
{
    return kelvin_data_part(data, side)->weight;
}

void kelvin_data_slice(const kelvin_data *data, kelvin_side side, float *x, size_t first, size_t count)
{
    kelvin_part_slice(data, kelvin_data_part(data, side), x, first, count);
}
