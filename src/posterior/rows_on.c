/* The rows that answers are about. */
#include "posterior/rows_on.h"

#include "run/room.h"

#include <string.h>

kelvin_status kelvin_rows_on(kelvin_inputs **inputs, kelvin_run **own, const kelvin_samples *samples, const char *on)
{
    const bool test = strcmp(on, "test") == 0;
    *inputs = NULL;
    *own = NULL;
    if (!test && strcmp(on, "train") != 0) return kelvin_inputs_open(inputs, on, samples->run->data, true);
    const bool has_rows =
        kelvin_data_labels(samples->run->data, KELVIN_TRAIN); /* as one that was not read from a folder */
    if (!has_rows) KELVIN_TRY(kelvin_run_load(own, samples->folder, false, NULL));
    const kelvin_data *data = *own ? (*own)->data : samples->run->data;
    return kelvin_inputs_of(inputs, data, test ? &data->test : &data->train);
}
