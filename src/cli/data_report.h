/* data_report: what is in a data set, and which there are, for people or as JSON. */
#ifndef CLI_DATA_REPORT_H
#define CLI_DATA_REPORT_H

#include <kelvin/data.h>

#include <stdio.h>

KELVIN_MUST_CHECK kelvin_status data_report_list(FILE *out, bool json);

/* Of one that is fetched: after kelvin_fetch. */
KELVIN_MUST_CHECK kelvin_status data_report_print(FILE *out, const kelvin_data *data, bool json);

#endif
