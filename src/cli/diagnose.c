/* kelvin diagnose: reads a run's folder and says whether to believe it. */
#include "cli/command.h"
#include "cli/report.h"

struct settings {
    bool json;
};

static const struct option options[] = {
    {"json", 0, NULL, OPTION_FLAG, offsetof(struct settings, json), "print JSON instead of a table", NULL},
};

static kelvin_status run(void *data, const struct arguments *arguments)
{
    const struct settings *settings = data;
    if (!arguments->operand) return kelvin_fail(KELVIN_EUSAGE, "which run? (see kelvin diagnose --help)");
    kelvin_run *kept;
    KELVIN_TRY(kelvin_run_read(&kept, arguments->operand));
    const kelvin_status status = report_run(stdout, kept, settings->json);
    kelvin_run_close(kept);
    return status;
}

const struct command diagnose_command = {
    .name = "diagnose",
    .synopsis = "RUN [--json]",
    .about = "Say whether to believe a run: acceptance, R-hat, effective sample size, warnings",
    .details = "RUN is a folder that kelvin sample made. R-hat is given as in the paper (mean and largest, over all "
               "parameters\n"
               "and over the predictions at the training points) and in its rank-normalised form.",
    .operand = "RUN",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .settings_size = sizeof(struct settings),
    .run = run,
};
