/* kelvin resume: goes on with a run that was stopped or killed. */
#include "cli/command.h"
#include "cli/runs.h"

static const struct option options[] = {
    {"threads", 0, "N", OPTION_SIZE, offsetof(struct run_settings, threads), "threads; the samples do not depend on it",
     "one per CPU"},
    {"checkpoint", 0, "S", OPTION_DOUBLE, offsetof(struct run_settings, checkpoint), RUN_CHECKPOINT_HELP, NULL},
    {"ranks-per-chain", 0, "N", OPTION_SIZE, offsetof(struct run_settings, ranks_per_chain), RUN_RANKS_HELP, RUN_RANKS},
    {"json", 0, NULL, OPTION_FLAG, offsetof(struct run_settings, json), "print the report as JSON", NULL},
};

static kelvin_status run(void *settings, const struct arguments *arguments)
{
    if (!arguments->operand) return kelvin_fail(KELVIN_EUSAGE, "which run? (see kelvin resume --help)");
    return run_resume(arguments->operand, settings);
}

static const struct example examples[] = {
    {"kelvin resume run", "Go on with a run that was stopped or killed, by any sampler; it ends in the same bits."},
    {NULL, NULL},
};

const struct command resume_command = {
    .name = "resume",
    .synopsis = "RUN [OPTION]...",
    .about = "Go on with a run that was stopped or killed",
    .details = "RUN is a folder that kelvin sample made. Each chain goes on from the state that it wrote last, and "
               "ends in the same bits as if nothing had happened. Files that are missing or damaged and follow from "
               "others are made again. A run that has ended prints its summary again.",
    .ranks = true,
    .operands = 1,
    .runs = 1,
    .options = {options, sizeof options / sizeof *options, NULL},
    .settings_size = sizeof(struct run_settings),
    .usual = &(const struct run_settings){.checkpoint = RUN_CHECKPOINT},
    .examples = examples,
    .run = run,
};
