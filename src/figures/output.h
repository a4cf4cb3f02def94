/* output: the files of a figure. Each is written under a temporary name and renamed when complete.
 *
 *     struct output table;
 *     KELVIN_TRY(output_table(&table, figure, options, ".csv", "x,density", ""));   // "# x,density", parameters
 *     fprintf(table.file, "%.10g,%.10g\n", x, density);
 *     return output_close(&table, KELVIN_OK);
 */
#ifndef FIGURES_OUTPUT_H
#define FIGURES_OUTPUT_H

#include "figures/figure.h"

enum { OUTPUT_PATH = 4096 };

struct output {
    FILE *file;
    char path[OUTPUT_PATH], temporary[OUTPUT_PATH];
};

/* KELVIN_EUSAGE if the folder cannot be written, or not be made where it is missing. Makes nothing. */
KELVIN_MUST_CHECK kelvin_status output_check_folder(const char *folder);

/* Makes the folder unless it is there and opens FOLDER/NAME + suffix. */
KELVIN_MUST_CHECK kelvin_status output_open(struct output *output, const char *folder, const char *name,
                                            const char *suffix);

/* The same for a table of a figure. Writes its head: the names of the columns in the first line, then the parameters,
 * all behind a '#', so that numpy.genfromtxt(names=True) and numpy.loadtxt read it as it is. `note`: more such lines.
 */
KELVIN_MUST_CHECK kelvin_status output_table(struct output *output, const struct figure *figure,
                                             const struct figure_options *options, const char *suffix,
                                             const char *columns, const char *note);

/* Gives the file its name if `status` is KELVIN_OK and everything arrived, else removes it. Returns the first failure.
 */
KELVIN_MUST_CHECK kelvin_status output_close(struct output *output, kelvin_status status);

/* Writes FOLDER/FIGURE.gp: what all scripts begin with (prelude.gp), the parameters, and the figure's own lines. */
KELVIN_MUST_CHECK kelvin_status output_script(const struct figure *figure, const struct figure_options *options);

/* What all scripts begin with. */
void output_prelude(FILE *script);

/* Lets gnuplot draw FOLDER/NAME.png, .svg, .pdf (and .gif if it moves) by FOLDER/NAME.gp: all of them, or none. */
KELVIN_MUST_CHECK kelvin_status output_draw(const char *folder, const char *name, bool moves,
                                            const struct figure_watch *watch);

/* The files that there are then, a line each: tables (".csv", ..., NULL), the script, and pictures if they are drawn.
 */
void output_print_files(FILE *out, const char *folder, const char *name, const char *const *tables, bool drawn,
                        bool moves);

#endif
