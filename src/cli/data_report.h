/* data_report: what is in a data set, and which there are, for people or as JSON. */
#ifndef CLI_DATA_REPORT_H
#define CLI_DATA_REPORT_H

#include "data/dataset.h"

#include <stdio.h>

KELVIN_MUST_CHECK kelvin_status data_report_list(FILE *out, bool json);

/* Of one that is fetched: after kelvin_fetch. */
KELVIN_MUST_CHECK kelvin_status data_report_print(FILE *out, const kelvin_data *data, bool json);

/* ---- contact_sheet.c: images of a data set as one picture, to see what the network sees: a row per class, its name in
 * front ---- */

/* Whether a sheet may be written there, before there is one. KELVIN_EUSAGE if the name does not end in .png, or is that
 * of something that is no regular file. */
KELVIN_MUST_CHECK kelvin_status contact_sheet_check(const char *path);

/* Writes a PNG; a link is followed. Of how many classes, the first ones, is left in *shown: a sheet has room for 40.
 * Which images are shown is drawn by epoch->seed. Without augmentation: as many of each class as a row holds, at most
 * 10; with it: one of each class, plain and as the epochs from epoch->epoch on show it. KELVIN_EUSAGE for tables. */
KELVIN_MUST_CHECK kelvin_status contact_sheet_write(size_t *shown, const char *path, const kelvin_data *data,
                                                    const kelvin_part *part, const kelvin_epoch *epoch);

#endif
