/* Stands in for the function of this name in data/spec.h, until that is there. */
#ifndef DATA_NO_SPLIT_H
#define DATA_NO_SPLIT_H

#include "data/spec.h"

static inline kelvin_status data_spec_no_split(const struct data_spec *spec, const char *because)
{
    const char *const keys[] = {"split", "seed"};
    for (size_t i = 0; i < 2; i++)
        if (data_spec_value(spec, keys[i]))
            return kelvin_fail(KELVIN_EUSAGE, "data '%s': %s= makes no sense: %s", spec->text, keys[i], because);
    return KELVIN_OK;
}

#endif
