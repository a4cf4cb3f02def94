/* output: the files of a figure. Each is written under a temporary name and renamed when complete. */
#ifndef FIGURES_OUTPUT_H
#define FIGURES_OUTPUT_H

#include <kelvin/base.h>

#include <stdio.h>

enum { OUTPUT_PATH = 4096 };

struct output {
    FILE *file;
    char path[OUTPUT_PATH], temporary[OUTPUT_PATH];
};

/* Makes the folder unless it is there; KELVIN_EUSAGE if it cannot be made or written. */
KELVIN_MUST_CHECK kelvin_status output_folder(const char *folder);

/* FOLDER/FIGURE + suffix. */
KELVIN_MUST_CHECK kelvin_status output_path(char path[OUTPUT_PATH], const char *folder, const char *figure,
                                            const char *suffix);

KELVIN_MUST_CHECK kelvin_status output_open(struct output *output, const char *folder, const char *figure,
                                            const char *suffix);
/* Gives the file its name if `status` is KELVIN_OK and everything arrived, else removes it. Returns the first failure.
 */
KELVIN_MUST_CHECK kelvin_status output_close(struct output *output, kelvin_status status);

/* Writes the script to FOLDER/FIGURE.gp and lets gnuplot draw FOLDER/FIGURE.png, .svg and .pdf by it.
 * KELVIN_EIO with a sentence on how to get the picture if gnuplot is missing or fails. */
KELVIN_MUST_CHECK kelvin_status output_script(const char *folder, const char *figure, const char *const *lines);
KELVIN_MUST_CHECK kelvin_status output_draw(const char *folder, const char *figure);

#endif
