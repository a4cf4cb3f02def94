/* The table of kelvin's commands. */
#include "cli/command.h"

const struct command *const commands[] = {
    &sample_command,
    &resume_command,
    &eval_command,
    &diagnose_command,
    &predict_command,
    &report_command,
    &export_command,
    &figure_command,
    &data_command,
    &info_command,
    NULL,
};
