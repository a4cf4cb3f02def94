/* kelvin diagnose: reads a run's folder and says whether to believe it. */
#include "cli/command.h"
#include "cli/diagnose_table.h"
#include "cli/notes.h"
#include "cli/report.h"

#include <stdio.h>

struct settings {
    bool json;
    size_t threads;
};

static const struct option options[] = {
    {"json", 0, NULL, OPTION_FLAG, offsetof(struct settings, json), "print JSON instead of a table", NULL},
    {"threads", 0, "N", OPTION_SIZE, offsetof(struct settings, threads), "on so many threads", "one per CPU"},
};

static kelvin_status tell(kelvin_samples *samples, const struct settings *settings)
{
    kelvin_diagnosis *found;
    KELVIN_TRY(kelvin_diagnose(&found, samples, settings->threads));
    kelvin_status status = KELVIN_OK;
    if (settings->json)
        status = print_json(stdout, diagnose_json(found, samples), ALL_DIGITS);
    else
        diagnose_print(stdout, found, samples);
    kelvin_diagnosis_free(found);
    return status;
}

static kelvin_status run(void *data, const struct arguments *arguments)
{
    const struct settings *settings = data;
    kelvin_samples *samples;
    if (!arguments->operand) return kelvin_fail(KELVIN_EUSAGE, "which run? (see kelvin diagnose --help)");
    KELVIN_TRY(open_samples(&samples, arguments->operand));
    const kelvin_status status = tell(samples, settings);
    kelvin_samples_close(samples);
    return status;
}

const struct command diagnose_command = {
    .name = "diagnose",
    .synopsis = "RUN [--json] [--threads N]",
    .about = "Say whether to believe a run: R-hat, effective samples, agreement, temperatures, advice",
    .details = "RUN is a folder that kelvin sample made.\n"
               "Convergence: R-hat as in the paper and rank-normalised (1 is what chains that mix have), and "
               "effective sample sizes, of all parameters and of the predicted probabilities. They need several "
               "samples per chain.\n"
               "Agreement: how often the ensembles of two chains have another most likely class, and their total "
               "variation, which is half of the sum over classes of |p - q|; samples within a chain are the "
               "yardstick.\n"
               "Also what the sampler says of itself: the kinetic and the configurational temperature at the end, "
               "which should be the one that was set, or the share of accepted proposals and their energy error. "
               "Predictions are those at the test data, or at the training data where there are no others; R-hat is "
               "of 1,000 of them at equal distances where there are more, of fewer where draws are very many.\n"
               "Accuracy, calibration and the like are kelvin eval's.",
    .operands = 1,
    .runs = 1,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .settings_size = sizeof(struct settings),
    .run = run,
};
