/* kelvin sample: draws a posterior into a folder of its own. What is sampled is said in three layers: the sampler's
 * defaults, a configuration file, the command line. Everything that can be wrong is checked, and the folder made,
 * before the first step. */
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/sample_options.h"
#include "cli/words.h"
#include "run/fields.h"
#include "run/room.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* ---- three layers ---- */

static kelvin_status set_defaults(struct sample_settings *settings, const char *sampler)
{
    settings->how.checkpoint = RUN_CHECKPOINT;
    return kelvin_run_defaults(&settings->config, sampler);
}

static void defaults(void *settings)
{
    const kelvin_status known = set_defaults(settings, kelvin_sampler_info(0)->member.name);
    (void)known; /* it is */
}

/* On the command line, or else in the file, or else the first there is. The settings become those of its defaults. */
static kelvin_status choose_sampler(const kelvin_sampler_type **type, struct sample_settings *settings,
                                    const struct arguments *arguments)
{
    const bool said = option_given(arguments, sample_options(), "sampler");
    kelvin_run_config trial = {.sampler = said ? settings->config.sampler : kelvin_sampler_info(0)->member.name};
    kelvin_status status = check_member("samplers", trial.sampler);
    void *owner = NULL;
    if (!status && settings->file) status = kelvin_run_config_read(&trial, &owner, settings->file);
    if (!status && said && strcmp(trial.sampler, settings->config.sampler) != 0)
        status = kelvin_fail(KELVIN_EUSAGE, "%s is for the sampler %s, but --sampler is %s", settings->file,
                             trial.sampler, settings->config.sampler);
    if (!status) status = kelvin_sampler_find(type, trial.sampler);
    kelvin_run_config_free(owner);
    return status ? status : set_defaults(settings, (*type)->member.name);
}

/* What was said on the command line, of the options that count for a sampler. */
struct said {
    const struct option_table *table;
    struct arguments arguments;
};

static bool is_said(const void *context, const char *field)
{
    const struct said *said = context;
    char name[OPTION_NAME];
    option_name(name, field);
    return option_given(&said->arguments, said->table, name + strlen("--"));
}

/* `owner` holds the texts of the file. */
static kelvin_status configure(struct sample_settings *settings, void **owner, const struct arguments *arguments)
{
    const kelvin_sampler_type *type;
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    struct said said;
    *owner = NULL;
    KELVIN_TRY(choose_sampler(&type, settings, arguments));
    KELVIN_TRY(sample_options_check(arguments, type));
    if (settings->file) KELVIN_TRY(kelvin_run_config_read(&settings->config, owner, settings->file));
    said.table = sample_options_of(type);
    said.arguments = (struct arguments){0};
    for (size_t i = 0; i < said.table->n; i++)
        said.arguments.text[i] = arguments->text[option_find(sample_options(), said.table->options[i].name)];
    KELVIN_TRY(options_apply(&said.arguments, settings, said.table));
    for (size_t i = 0, n = kelvin_config_fields_of(fields, type); i < n; i++)
        if (is_said(&said, fields[i].name)) kelvin_config_overrule(&settings->config, fields[i].name, true);
    kelvin_config_follow(&settings->config, is_said, &said);
    return KELVIN_OK;
}

/* ---- checks ---- */

static const struct {
    const char *field, *family;
} named[] = {
    {"data", "data_sets"},        {"model", "models"},       {"density", "densities"},
    {"prior", "priors"},          {"schedule", "schedules"}, {"temperature_schedule", "schedules"},
    {"augment", "augmentations"},
};

/* Names that are nearly right are corrected here; whether the rest is right is seen by the run. */
static kelvin_status check_names(kelvin_run_config *config)
{
    const kelvin_sampler_type *type;
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    KELVIN_TRY(kelvin_sampler_find(&type, config->sampler));
    const size_t n = kelvin_config_fields_of(fields, type);
    for (size_t k = 0; k < sizeof named / sizeof *named; k++)
        for (size_t i = 0; i < n; i++)
            if (strcmp(fields[i].name, named[k].field) == 0)
                KELVIN_TRY(kelvin_config_blame(config, named[k].field,
                                               check_member(named[k].family, *kelvin_config_text(config, &fields[i]))));
    return KELVIN_OK;
}

static kelvin_status check(struct sample_settings *settings)
{
    if (settings->output && !*settings->output)
        return kelvin_fail(KELVIN_EUSAGE, "-o is empty; expected the name of a folder to make");
    KELVIN_TRY(run_check(&settings->how));
    return check_names(&settings->config);
}

/* ---- the folder ---- */

enum { FOLDER = 32 };

/* kelvin-run, or the first kelvin-run-N that is not there. */
static kelvin_status free_folder(char folder[FOLDER])
{
    struct stat about;
    for (unsigned i = 1; i; i++) {
        snprintf(folder, FOLDER, i == 1 ? "kelvin-run" : "kelvin-run-%u", i);
        if (lstat(folder, &about) == 0) continue;
        if (errno == ENOENT) return KELVIN_OK;
        return kelvin_fail(KELVIN_EIO, "%s: whether it is there cannot be seen: %s; give another place with -o RUN",
                           folder, strerror(errno));
    }
    return kelvin_fail(KELVIN_EUSAGE, "no name is left for the folder: give -o RUN");
}

/* A name that nobody gave may be another process's by now: then it is the next. */
static kelvin_status start(kelvin_run **run, const struct sample_settings *settings)
{
    char folder[FOLDER];
    struct stat about;
    kelvin_status status;
    if (settings->output) return kelvin_run_start(run, &settings->config, settings->output);
    do {
        KELVIN_TRY(free_folder(folder));
        status = kelvin_run_start(run, &settings->config, folder);
    } while (status == KELVIN_EUSAGE && lstat(folder, &about) == 0);
    if (!status) fprintf(stderr, "the run is kept in %s\n", folder);
    return status;
}

/* ---- the command ---- */

static kelvin_status sample(const struct sample_settings *settings)
{
    kelvin_run *new;
    if (settings->how.dry_run) return run_dry(&settings->config, &settings->how);
    progress_catch_signals();
    KELVIN_TRY(start(&new, settings));
    return run_new(new, &settings->how);
}

static kelvin_status run(void *data, const struct arguments *arguments)
{
    struct sample_settings *settings = data;
    kelvin_path inside;
    void *owner;
    if (settings->file && kelvin_is_folder(settings->file)) { /* a run's */
        KELVIN_TRY(kelvin_path_join(inside, settings->file, KELVIN_CONFIG_NAME));
        settings->file = inside;
    }
    kelvin_status status = configure(settings, &owner, arguments);
    if (!status) status = check(settings);
    if (!status) status = sample(settings);
    kelvin_run_config_free(owner);
    return status;
}

/* With a sampler: its options and its defaults. */
static kelvin_status help(FILE *out, const void *data, const struct arguments *arguments)
{
    const kelvin_sampler_type *type;
    struct sample_settings settings = *(const struct sample_settings *)data;
    settings.file = NULL;
    KELVIN_TRY(choose_sampler(&type, &settings, arguments));
    const bool said = option_given(arguments, sample_options(), "sampler");
    command_help(out, &sample_command, said ? sample_options_of(type) : sample_options(), &settings);
    return KELVIN_OK;
}

static const struct example examples[] = {
    {"kelvin sample -o run", "Draw a posterior of a small network on the built-in digits."},
    {"kelvin sample --model cnn --data mnist --temperature 0.1 --epochs 100 --lr 1e-3 -o run",
     "Another network, other data, a cold posterior."},
    {"kelvin sample --config run/run.json --seed 1 -o again", "The same with another seed."},
    {"kelvin sample --sampler hmc --density dirclip:0.6,-50 --step-size 5e-5 -o run",
     "Draw a posterior as in figure 1 of the paper."},
    {"kelvin sample --sampler mclmc --data csv:table.csv,label=species --model mlp:20 -o run",
     "Draw a posterior of a table of one's own, with steps that are tuned in warm-up."},
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
               "killed goes on with kelvin resume RUN. With no options at all it samples a small network on the "
               "built-in digits, as in the paper.\n"
               "kelvin info lists samplers, schedules, models, densities, priors and data sets; kelvin sample "
               "--sampler NAME --help shows what counts for that sampler, and its defaults.",
    .build = sample_options,
    .settings_size = sizeof(struct sample_settings),
    .defaults = defaults,
    .examples = examples,
    .run = run,
    .help = help,
};
