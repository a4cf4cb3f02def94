/* sample_options: the options of kelvin sample: those of every run, and those that samplers have, which follow from the
 * table of samplers. Two samplers may have a setting of one name; what it is to be is read when it is known which
 * sampler is meant:
 *
 *     options_parse(&arguments, &settings, sample_options(), 0, argc, argv);          // finds --sampler
 *     options_parse(&arguments, &settings, sample_options_of(type), 0, argc, argv);   // reads what counts for it
 */
#ifndef CLI_SAMPLE_OPTIONS_H
#define CLI_SAMPLE_OPTIONS_H

#include "cli/options.h"
#include "cli/runs.h"

#include <kelvin/run.h>

struct sample_settings {
    kelvin_run_config config;
    struct run_settings how;
    const char *output, *file;
    const char *unread; /* what a setting of a sampler is to be, while it is not known of which */
};

/* All of them; for help and manual, each with what is usual for its sampler. */
const struct option_table *sample_options(void);

/* Those that count for one sampler. */
const struct option_table *sample_options_of(const kelvin_sampler_type *type);

/* KELVIN_EUSAGE if an option was given (see sample_options) that is for other samplers. */
KELVIN_MUST_CHECK kelvin_status sample_options_check(const struct arguments *arguments,
                                                     const kelvin_sampler_type *type);

#endif
