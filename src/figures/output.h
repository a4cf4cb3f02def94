/* output: the files of a figure. Each is written under a temporary name and renamed when complete.
 *
 *     struct figure_file table;
 *     KELVIN_TRY(output_open(&table, folder, name, ".csv"));
 *     fprintf(table.file, "%.10g,%.10g\n", x, density);
 *     return output_close(&table, KELVIN_OK);
 */
#ifndef FIGURES_OUTPUT_H
#define FIGURES_OUTPUT_H

#include "files/files.h"

#include <stdio.h>

struct figure_file {
    FILE *file;
    kelvin_path path, temporary;
};

/* KELVIN_EUSAGE if the folder cannot be written, or not be made where it is missing. Makes nothing. */
KELVIN_MUST_CHECK kelvin_status output_check_folder(const char *folder);

/* Makes the folder unless it is there and opens FOLDER/NAME + suffix. */
KELVIN_MUST_CHECK kelvin_status output_open(struct figure_file *output, const char *folder, const char *name,
                                            const char *suffix);

/* Gives the file its name if `status` is KELVIN_OK and everything arrived, else removes it. Returns the first failure.
 */
KELVIN_MUST_CHECK kelvin_status output_close(struct figure_file *output, kelvin_status status);

/* What all scripts begin with (prelude.gp). */
void output_prelude(FILE *script);

/* Lets gnuplot draw FOLDER/NAME.png, .svg, .pdf (and .gif if it moves) by FOLDER/NAME.gp: all of them, or none. */
struct figure_watch;
KELVIN_MUST_CHECK kelvin_status output_draw(const char *folder, const char *name, bool moves,
                                            const struct figure_watch *watch);

/* The files that there are then, a line each: tables (".csv", ..., NULL), the script, and pictures if they are drawn.
 */
void output_print_files(FILE *out, const char *folder, const char *name, const char *const *tables, bool drawn,
                        bool moves);

#endif
