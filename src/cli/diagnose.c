/* kelvin diagnose: reads a run's folder and says whether to believe it. */
#include "cli/command.h"
#include "cli/report.h"
#include "cli/report_ensemble.h"

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
    const kelvin_status status = kept->draws ? report_run(stdout, kept, settings->json)
                                             : report_ensemble(stdout, kept, arguments->operand, settings->json);
    kelvin_run_close(kept);
    return status;
}

const struct command diagnose_command = {
    .name = "diagnose",
    .synopsis = "RUN [--json]",
    .about = "Say what a run found, and whether to believe it: accuracy, R-hat, temperatures, warnings",
    .details = "RUN is a folder that kelvin sample made.\n"
               "Of HMC: R-hat as in the paper (mean and largest, over all parameters and over the predictions at the\n"
               "training points) and in its rank-normalised form, and effective sample sizes.\n"
               "Of SGHMC: accuracy, confidence and log-likelihood of single samples and of their ensemble, with error\n"
               "bars; kinetic and configurational temperature against the one that was set.",
    .operands = 1,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .settings_size = sizeof(struct settings),
    .run = run,
};
