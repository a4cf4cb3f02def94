/* The table of data sets. */
#include "data/data.h"

#include <string.h>

static const struct data_type *const types[] = {&data_toy};
enum { TYPES = sizeof types / sizeof *types };

bool kelvin_data_info(size_t i, const char **name, const char **about)
{
    if (i >= TYPES) return false;
    *name = types[i]->name;
    *about = types[i]->about;
    return true;
}

kelvin_status kelvin_data_open(kelvin_data **out, const char *name)
{
    *out = NULL;
    for (size_t i = 0; i < TYPES; i++) {
        if (strcmp(types[i]->name, name) != 0) continue;
        kelvin_data *data = kelvin_alloc(1, sizeof *data);
        if (!data) return KELVIN_ENOMEM;
        data->name = types[i]->name;
        const kelvin_status st = types[i]->open(data);
        if (st) {
            kelvin_free(data);
            return st;
        }
        *out = data;
        return KELVIN_OK;
    }
    return kelvin_fail(KELVIN_EUSAGE, "data set '%s' is not known; kelvin info lists those that are", name);
}

void kelvin_data_close(kelvin_data *data)
{
    kelvin_free(data);
}
