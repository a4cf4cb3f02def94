/* kelvin report: one page about runs. */
#include "cli/command.h"
#include "cli/lines.h"
#include "cli/output_file.h"
#include "cli/words.h"

#include <kelvin/report.h>

struct settings {
    const char *output, *on;
    bool force;
    size_t threads;
};

static const struct option options[] = {
    {"output", 'o', "FILE", OPTION_STRING, AT(output), "the page, FILE.html (required)", NULL},
    {"force", 0, NULL, OPTION_FLAG, AT(force), OUTPUT_FORCE, NULL},
    {"on", 0, "test|train|DATA", OPTION_STRING, AT(on),
     "a part of its own data, or a data set with labels: as for kelvin sample --data",
     "test; train if there is no test part"},
    {"threads", 0, "N", OPTION_SIZE, AT(threads), "threads; the page does not depend on it", "one per CPU"},
};

static kelvin_status run(void *data, const struct arguments *arguments)
{
    const struct settings *settings = data;
    if (!arguments->operand)
        return kelvin_fail(KELVIN_EUSAGE, "which run? Give its folder: kelvin report RUN -o report.html");
    if (!settings->output) return kelvin_fail(KELVIN_EUSAGE, "no output file: give -o report.html");
    const struct output_reads reads = {{settings->on}, arguments->operands, arguments->n_operands};
    KELVIN_TRY(output_check(settings->output, settings->force, &reads));
    struct notes notes = {.command = "report"};
    /* The page has notes too, but who makes it may not be the one who reads it. */
    const kelvin_report_options how = {.on = settings->on,
                                       .threads = settings->threads,
                                       .note = notes_say,
                                       .context = &notes,
                                       .opened = note_samples,
                                       .words = command_words};
    KELVIN_TRY(kelvin_report_write(settings->output, arguments->operands, arguments->n_operands, &how));
    printf("%s\n", settings->output);
    return KELVIN_OK;
}

static const struct example examples[] = {
    {"kelvin report warm cold -o page.html", "One page about two runs."},
    {NULL, NULL},
};

const struct command report_command = {
    .name = "report",
    .synopsis = "RUN... [OPTION]... -o FILE",
    .about = "Write one page about runs: HTML with everything in it",
    .details = "RUN is a folder that kelvin sample made; several stand side by side.\n"
               "The page has metrics with error bars; what is taken for what, recall, precision and ROC curves; "
               "which columns of a table matter, and how; the inputs that are most worth a look: confident mistakes, "
               "and those of which the ensemble is least "
               "certain; calibration, uncertainty, the diagnosis with its advice, learning curves, posterior size, the "
               "configuration and the command that repeats it.\n"
               "Of a run that has not ended it is about the chains that have, and says so.\n"
               "It needs no other file, no network and no script; it is light, dark or printed as its reader likes.\n"
               "The same runs give the same bytes.",
    .operands = OPERANDS,
    .runs = OPERANDS,
    .options = {options, sizeof options / sizeof *options, NULL},
    .settings_size = sizeof(struct settings),
    .examples = examples,
    .run = run,
};
