/* sample_options: the options of kelvin sample: its own, and one for each field of a configuration, which the library
 * lists. Two samplers may have a field of one name; it is one option, whose value goes to the one that is meant. */
#ifndef CLI_SAMPLE_OPTIONS_H
#define CLI_SAMPLE_OPTIONS_H

#include "cli/options.h"
#include "cli/runs.h"

struct sample_settings {
    struct run_settings how;
    const char *output, *file;
};

/* All of them; for help and manual, each with what is usual for its sampler. */
const struct option_table *sample_options(void);

/* Those that count for one sampler (NULL: the usual one), each with what is usual for it, or by the preset unless NULL;
 * for its help. KELVIN_EUSAGE if there is no such sampler. */
KELVIN_MUST_CHECK kelvin_status sample_options_of(const struct option_table **table, const char *sampler,
                                                  const char *preset);

/* The field of a configuration that the i-th of all options is for; NULL: it is one of the command's own. */
const kelvin_field_info *sample_option_field(size_t i);

#endif
