/* output_file: which files -o may name. One rule for all commands that write one file. */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

#include <kelvin/base.h>

#define OUTPUT_FORCE "replace FILE where it is there already"

/* Before the work is done: a file that is there is replaced with --force alone. What the command reads (`input`, as for
 * kelvin_inputs_open; NULL: nothing), what a run has in its folder, and what is no file never are. KELVIN_EIO with a
 * sentence. `path` NULL: standard output. */
KELVIN_MUST_CHECK kelvin_status output_check(const char *path, bool force, const char *input);

#endif
