/* eval_plot: what kelvin eval --plot draws. */
#ifndef CLI_EVAL_PLOT_H
#define CLI_EVAL_PLOT_H

#include "cli/eval_table.h"
#include "cli/output_file.h"

/* Reliability, confidence and posterior size as CSV, gnuplot script, PNG, SVG and PDF in a folder, which is made if it
 * is missing; their paths go to `list`. Without gnuplot the numbers are kept, and the status says so. */
KELVIN_MUST_CHECK kelvin_status eval_plot(FILE *list, const char *folder, const struct evaluated *runs, size_t n);

/* Before the work is done: KELVIN_EIO if one of those files is there and is read by the command. */
KELVIN_MUST_CHECK kelvin_status eval_plot_check(const char *folder, const struct output_reads *reads);

#endif
