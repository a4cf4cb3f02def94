/* A data set described in the base, and read again from there: for without_memory(). */
#ifndef DESCRIPTION_HELPERS_H
#define DESCRIPTION_HELPERS_H

#include "run/folder.h"

static inline kelvin_status describe_once(void *context)
{
    kelvin_data *read;
    KELVIN_TRY(kelvin_description_write(context, base));
    KELVIN_TRY(kelvin_description_read(&read, NULL, base));
    kelvin_data_close(read);
    return KELVIN_OK;
}

#endif
