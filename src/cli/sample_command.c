/* kelvin sample: draws a posterior into a folder of its own. What is sampled is said in three layers, which the library
 * keeps apart: the sampler's defaults, a configuration file, the command line. Everything that can be wrong is checked,
 * and the folder made, before the first step. */
#include "cli/command.h"
#include "cli/lines.h"
#include "cli/progress.h"
#include "cli/sample_options.h"

#include <kelvin/ranks.h>

#include <string.h>
#include <sys/stat.h>

/* ---- what is to be sampled ---- */

static kelvin_status configure(kelvin_config *config, const struct sample_settings *settings,
                               const struct arguments *arguments)
{
    for (size_t i = 0; i < sample_options()->n; i++)
        if (sample_option_field(i) && arguments->text[i])
            KELVIN_TRY(kelvin_config_set(config, sample_option_field(i)->name, arguments->text[i]));
    if (settings->file) KELVIN_TRY(kelvin_config_read(config, settings->file));
    if (settings->output && !*settings->output)
        return kelvin_fail(KELVIN_EUSAGE, "-o is empty; expected the name of a folder to make");
    return run_check(&settings->how);
}

/* ---- what nobody has said ---- */

/* A folder that is there already is found by whoever makes it: nothing is chosen for it. */
static kelvin_status choose(kelvin_config *config, const struct sample_settings *settings)
{
    struct stat about;
    struct progress progress;
    const char *output = settings->how.dry_run ? NULL : settings->output;
    if (!kelvin_config_is_open(config) || (output && lstat(output, &about) == 0)) return KELVIN_OK;
    progress_start(&progress, "choosing settings", 0);
    const kelvin_status status = kelvin_config_choose(config, NULL, settings->how.threads, progress_goes_on, &progress);
    progress_end(&progress);
    if (status == KELVIN_ESTOP) return kelvin_fail(status, "stopped while settings were chosen; nothing was made");
    if (!status) print_lines(stderr, 2, "settings from the data: %s.", kelvin_config_chosen(config));
    return status;
}

/* ---- the folder ---- */

static kelvin_status start(kelvin_run **run, const kelvin_config *config, const struct sample_settings *settings)
{
    if (settings->output) return kelvin_run_start(run, config, settings->output);
    KELVIN_TRY(kelvin_run_start_free(run, config, "kelvin-run"));
    fprintf(stderr, "the run is kept in %s\n", kelvin_run_folder(*run));
    return KELVIN_OK;
}

/* ---- the command ---- */

static kelvin_status sample(kelvin_config *config, const struct sample_settings *settings)
{
    kelvin_run *new;
    if (kelvin_rank() > 0) { /* rank 0 chooses what to sample, and where; before, a signal here ends the job */
        if (settings->how.dry_run) return KELVIN_OK;
        KELVIN_TRY(kelvin_run_start(&new, config, "."));
        progress_catch_signals();
        return run_new(new, &settings->how);
    }
    progress_catch_signals();
    KELVIN_TRY(choose(config, settings));
    if (settings->how.dry_run) {
        progress_release_signals();
        return run_dry(config, &settings->how);
    }
    KELVIN_TRY(start(&new, config, settings));
    return run_new(new, &settings->how);
}

static kelvin_status run(void *settings, const struct arguments *arguments)
{
    kelvin_config *config;
    KELVIN_TRY(kelvin_config_create(&config));
    kelvin_status status = configure(config, settings, arguments);
    if (!status) status = sample(config, settings);
    kelvin_config_destroy(config);
    return status;
}

/* With a sampler, or a preset: its options and its defaults. */
static kelvin_status help(FILE *out, const void *settings, const struct arguments *arguments)
{
    const struct option_table *table = sample_options();
    const char *sampler = arguments->text[option_find(table, "sampler")];
    const char *preset = arguments->text[option_find(table, "preset")];
    if (sampler || preset) KELVIN_TRY(sample_options_of(&table, sampler, preset));
    command_help(out, &sample_command, table, settings);
    return KELVIN_OK;
}

static const struct example examples[] = {
    {"kelvin sample --data table.csv -o run", "Draw a posterior of a table of one's own: all else is chosen."},
    {"kelvin sample --preset paper -o run", "Draw a posterior of the built-in digits, as in the paper."},
    {"kelvin sample --preset paper --model cnn --data mnist --temperature 0.1 --epochs 100 --lr 1e-3 -o run",
     "Another network, other data, a cold posterior."},
    {"kelvin sample --config run/run.json --seed 1 -o again", "The same with another seed."},
    {"kelvin sample --preset paper --sampler hmc --density dirclip:0.6,-50 --step-size 5e-5 -o run",
     "Draw a posterior as in figure 1 of the paper."},
    {"kelvin sample --sampler mclmc --data csv:table.csv,label=species -o run",
     "The same by another sampler, with steps that are tuned before."},
    {"kelvin sample --data mnist --model cnn --dry-run", "Say what it would cost, and make nothing."},
    {NULL, NULL},
};

const struct command sample_command = {
    .name = "sample",
    .synopsis = "[OPTION]... [-o RUN]",
    .about = "Draw a posterior, keep it in a folder, and print its summary",
    .details = "RUN is made, and must not exist. It holds run.json (the configuration: enough to repeat the run), "
               "one folder per chain with its samples and its history, the logits of the data, and a checksum of "
               "each file. The samples depend on the configuration and the seed alone. A run that was stopped or "
               "killed goes on with kelvin resume RUN.\n"
               "Settings that nobody gives, or that are given as auto, are chosen from the data: the network by "
               "their shape; prior and density by prediction of training rows that short runs have not seen; "
               "the size of steps, and how long the run is, by the temperatures of these. The test part is never "
               "looked at. What was chosen is said at the start, and run.json has it. --preset paper: the "
               "settings of the paper instead, with fewer epochs.\n"
               "kelvin info lists samplers, schedules, models, densities, priors and data sets; kelvin sample "
               "--sampler NAME --help shows what counts for that sampler, and --preset paper --help the paper's "
               "settings.",
    .ranks = true,
    .build = sample_options,
    .settings_size = sizeof(struct sample_settings),
    .usual = &(const struct sample_settings){.how.checkpoint = RUN_CHECKPOINT},
    .examples = examples,
    .run = run,
    .help = help,
};
