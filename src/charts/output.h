/* output: the files of a chart or a figure. Each is written under a temporary name and renamed when complete.
 *
 *     struct output_file table;
 *     KELVIN_TRY(kelvin_output_open(&table, folder, name, ".csv"));
 *     fprintf(table.file, "%.10g,%.10g\n", x, density);
 *     return kelvin_output_close(&table, KELVIN_OK);
 */
#ifndef CHARTS_OUTPUT_H
#define CHARTS_OUTPUT_H

#include "files/files.h"

#include <stdio.h>

struct output_file {
    FILE *file;
    kelvin_path path, temporary;
};

/* KELVIN_EUSAGE if the folder cannot be written, or not be made where it is missing. Makes nothing. */
KELVIN_MUST_CHECK kelvin_status kelvin_output_check_folder(const char *folder);

/* Makes the folder unless it is there and opens FOLDER/NAME + suffix. */
KELVIN_MUST_CHECK kelvin_status kelvin_output_open(struct output_file *output, const char *folder, const char *name,
                                                   const char *suffix);

/* Gives the file its name if `status` is KELVIN_OK and everything arrived, else removes it. Returns the first failure.
 */
KELVIN_MUST_CHECK kelvin_status kelvin_output_close(struct output_file *output, kelvin_status status);

/* What all scripts begin with (prelude.gp). */
void kelvin_output_prelude(FILE *script);

/* Lets gnuplot draw FOLDER/NAME.png, .svg, .pdf (and .gif if it moves) by FOLDER/NAME.gp: all of them, or none.
 * KELVIN_ESTOP if `stopped` (NULL: never) says that someone asked to stop. */
KELVIN_MUST_CHECK kelvin_status kelvin_output_draw(const char *folder, const char *name, bool moves,
                                                   bool (*stopped)(void *context), void *context);

/* The files that there are then, a line each: tables (".csv", ..., NULL), the script, and pictures if they are drawn.
 */
void kelvin_output_print_files(FILE *out, const char *folder, const char *name, const char *const *tables, bool drawn,
                               bool moves);

#endif
