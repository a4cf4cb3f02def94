/* data: labelled data sets.
 *
 *     kelvin_data *data;
 *     kelvin_status st = kelvin_data_open(&data, "toy");
 *     for (size_t i = 0; i < data->n; i++) use(data->x + i * data->inputs, data->y[i]);
 *     kelvin_data_close(data);
 */
#ifndef KELVIN_DATA_H
#define KELVIN_DATA_H

#include <kelvin/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kelvin_data {
    const char *name;
    size_t n, inputs, classes;
    const float *x;   /* (n, inputs) */
    const int32_t *y; /* (n) */
} kelvin_data;

/* The i-th data set's name and one line about it; false after the last. */
bool kelvin_data_info(size_t i, const char **name, const char **about);

KELVIN_MUST_CHECK kelvin_status kelvin_data_open(kelvin_data **data, const char *name);
void kelvin_data_close(kelvin_data *data);

#ifdef __cplusplus
}
#endif
#endif
