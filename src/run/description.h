/* description: data.json in a run's folder, by which the run can be used without its data. */
#ifndef RUN_DESCRIPTION_H
#define RUN_DESCRIPTION_H

#include <kelvin/data.h>

KELVIN_MUST_CHECK kelvin_status kelvin_description_write(const kelvin_data *data, const char *folder);
/* Only if it is missing. */
KELVIN_MUST_CHECK kelvin_status kelvin_description_restore(const kelvin_data *data, const char *folder);

/* A data set without rows; NULL if there is no such file: earlier versions did not write it. */
KELVIN_MUST_CHECK kelvin_status kelvin_description_read(kelvin_data **data, const char *folder);

#endif
