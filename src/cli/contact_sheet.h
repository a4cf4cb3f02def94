/* contact_sheet: images of a data set as one picture, to see what the network sees: a row per class, its name in front.
 */
#ifndef CLI_CONTACT_SHEET_H
#define CLI_CONTACT_SHEET_H

#include <kelvin/data.h>

/* Writes a PNG. Which images are shown is drawn by epoch->seed. Without augmentation: as many of each class as a row
 * holds; with it: one of each class, plain and as the epochs from epoch->epoch on show it. KELVIN_EUSAGE for tables. */
KELVIN_MUST_CHECK kelvin_status contact_sheet_write(const char *path, const kelvin_data *data, const kelvin_part *part,
                                                    const kelvin_epoch *epoch);

#endif
