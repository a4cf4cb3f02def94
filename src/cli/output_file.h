/* output_file: which files -o may name. One rule for all commands that write one file. */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

#include <kelvin/base.h>

#define OUTPUT_FORCE "replace FILE where it is there already"

/* What a command reads: inputs, and runs, with the data sets that these were made from. */
struct output_reads {
    const char *inputs[2]; /* as for kelvin_inputs_open, or a part, "test" or "train"; NULL: nothing */
    const char *const *runs;
    size_t n_runs;
};

/* Before the work is done: a file that is there is replaced with --force alone. What the command reads, what a run has
 * in its folder, and what is no file never are. KELVIN_EIO with a sentence; KELVIN_EUSAGE if `path` names no file: "",
 * "-". NULL: standard output. */
KELVIN_MUST_CHECK kelvin_status output_check(const char *path, bool force, const struct output_reads *reads);

/* KELVIN_EIO if this file, which may be missing, is read by the command. */
KELVIN_MUST_CHECK kelvin_status output_check_read(const char *path, const struct output_reads *reads);

#endif
