/* kelvin sample: draws a posterior into a folder of its own. What is sampled is said in three layers: the sampler's
 * defaults, a configuration file, the command line. Everything that can be wrong is checked, and the folder made,
 * before the first step. */
#include "cli/command.h"
#include "cli/families.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/sghmc.h"
#include "run/fields.h"
#include "run/room.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

struct settings {
    kelvin_run_config config;
    struct sghmc_settings how;
    const char *output, *file;
};

#define AT(field) offsetof(struct settings, field)

/* A name with _ for - is a field of the configuration. */
static const struct option options[] = {
    {"output", 'o', "RUN", OPTION_STRING, AT(output), "folder to make for the run",
     "kelvin-run, or the first of kelvin-run-2, ... that is not there"},
    {"sampler", 0, "NAME", OPTION_STRING, AT(config.sampler), "sghmc or hmc", NULL},
    {"config", 0, "FILE", OPTION_STRING, AT(file),
     "take what FILE says, in JSON; any run, or its run.json, will do. Options count for more", NULL},
    {"data", 0, "DATA", OPTION_STRING, AT(config.data),
     "data set: a name, or csv:FILE and the like (kelvin data --list)", NULL},
    {"model", 0, "MODEL", OPTION_STRING, AT(config.model), "network: mlp:UNITS,UNITS, or for images cnn, resnet20",
     NULL},
    {"density", 0, "DENSITY", OPTION_STRING, AT(config.density), "log-density of predictions, as name:value,value",
     NULL},
    {"prior", 0, "PRIOR", OPTION_STRING, AT(config.prior), "prior of parameters, as name:value, or none", NULL},
    {"temperature", 0, "T", OPTION_DOUBLE, AT(config.temperature), "sample exp(log-posterior / T)", NULL},
    {"chains", 0, "N", OPTION_UINT32, AT(config.chains), "number of chains", NULL},
    {"seed", 0, "N", OPTION_UINT64, AT(config.seed), "seed: same seed, same bits", NULL},
    {"threads", 0, "N", OPTION_SIZE, AT(how.threads), "threads; the draws do not depend on it", "one per CPU"},
    {"json", 0, NULL, OPTION_FLAG, AT(how.json), "print the report as JSON", NULL},

    {"samples", 0, "N", OPTION_UINT32, AT(config.samples),
     "samples of all chains together; --samples or --chains alone says both", NULL},
    {"epochs", 0, "N", OPTION_UINT32, AT(config.epochs), "how often a chain sees all the data", NULL},
    {"batch", 0, "N", OPTION_UINT32, AT(config.batch), "observations per step", "125, or all if there are fewer"},
    {"lr", 0, "L", OPTION_DOUBLE, AT(config.lr), "learning rate: steps are sqrt(L / observations) long", NULL},
    {"momentum", 0, "M", OPTION_DOUBLE, AT(config.momentum), "share of the momentum that a step leaves", NULL},
    {"schedule", 0, "NAME", OPTION_STRING, AT(config.schedule),
     "how learning rate and temperature change (kelvin info)", NULL},
    {"temperature-schedule", 0, "NAME", OPTION_STRING, AT(config.temperature_schedule),
     "another one for the temperature", "that of --schedule"},
    {"augment", 0, "NAME", OPTION_STRING, AT(config.augment), "what an epoch does to images (kelvin info)", NULL},
    {"init", 0, "RUN[/I]", OPTION_STRING, AT(config.init),
     "start from the samples of a run, or all chains from its I-th", NULL},
    {"logit-limit", 0, "R", OPTION_DOUBLE, AT(config.logit_limit),
     "a chain has diverged when the logits of one observation are farther apart", NULL},
    {"checkpoint", 0, "S", OPTION_DOUBLE, AT(how.checkpoint),
     "seconds after which a chain's state is written again; 0: after each epoch", NULL},
    {"dry-run", 0, NULL, OPTION_FLAG, AT(how.dry_run), "say what it would cost, from some steps, and make nothing",
     NULL},

    {"iterations", 0, "N", OPTION_UINT32, AT(config.iterations), "iterations per chain", NULL},
    {"warmup", 0, "N", OPTION_UINT32, AT(config.warmup), "iterations left out of summaries", "30 % of the iterations"},
    {"steps", 0, "N", OPTION_UINT32, AT(config.steps), "leapfrog steps per iteration", NULL},
    {"step-size", 0, "H", OPTION_FLOAT, AT(config.step_size), "size of a leapfrog step", NULL},
};

enum { N_OPTIONS = sizeof options / sizeof *options };

static const struct option_group groups[] = {
    {"samples", "--sampler sghmc"}, {"iterations", "--sampler hmc"}, {NULL, NULL}};

static kelvin_status set_defaults(struct settings *settings, const char *sampler)
{
    settings->how.checkpoint = SGHMC_CHECKPOINT;
    return kelvin_run_defaults(&settings->config, sampler);
}

static void defaults(void *settings)
{
    const kelvin_status known = set_defaults(settings, "sghmc");
    (void)known; /* it is */
}

/* ---- three layers ---- */

/* On the command line, or else in the file, or else sghmc. */
static kelvin_status choose_sampler(struct settings *settings, const struct arguments *arguments)
{
    const bool said = option_given(arguments, options, N_OPTIONS, "sampler");
    kelvin_run_config trial = {.sampler = said ? settings->config.sampler : "sghmc"};
    kelvin_status status = family_check(SAMPLERS, trial.sampler);
    void *owner = NULL;
    if (!status && settings->file) status = kelvin_run_config_read(&trial, &owner, settings->file);
    if (!status && said && strcmp(trial.sampler, settings->config.sampler) != 0)
        status = kelvin_fail(KELVIN_EUSAGE, "%s is for the sampler %s, but --sampler is %s", settings->file,
                             trial.sampler, settings->config.sampler);
    if (!status) status = set_defaults(settings, trial.sampler);
    kelvin_run_config_free(owner);
    return status;
}

static bool said(const void *arguments, const char *field)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%s", field);
    for (char *at = name; (at = strchr(at, '_'));) *at = '-';
    return option_given(arguments, options, N_OPTIONS, name);
}

static kelvin_status refuse_others(const kelvin_run_config *config, const struct arguments *arguments)
{
    char ours[NAME_SIZE];
    snprintf(ours, sizeof ours, "--sampler %s", config->sampler);
    for (size_t i = 0; i < N_OPTIONS; i++) {
        const char *group = option_group(groups, options, i);
        if (arguments->given >> i & 1 && group && strcmp(group, ours) != 0)
            return kelvin_fail(KELVIN_EUSAGE, "--%s is for %s; this is %s", options[i].name, group, ours);
    }
    return KELVIN_OK;
}

/* `owner` holds the texts of the file. */
static kelvin_status configure(struct settings *settings, void **owner, const struct arguments *arguments)
{
    struct arguments again;
    const char *file = settings->file;
    *owner = NULL;
    KELVIN_TRY(choose_sampler(settings, arguments));
    KELVIN_TRY(refuse_others(&settings->config, arguments));
    if (file) KELVIN_TRY(kelvin_run_config_read(&settings->config, owner, file));
    KELVIN_TRY(options_parse(&again, settings, options, N_OPTIONS, 0, arguments->argc, arguments->argv));
    for (size_t i = 0; i < KELVIN_CONFIG_FIELDS; i++) {
        const char *name = kelvin_config_fields[i].field.name;
        if (said(arguments, name)) kelvin_config_overrule(&settings->config, name, true);
    }
    kelvin_config_follow(&settings->config, said, arguments);
    return KELVIN_OK;
}

/* Names that are nearly right are corrected here; whether the rest is right is seen by the run. */
static kelvin_status check_names(const kelvin_run_config *config)
{
    const struct {
        const char *field;
        enum family_id family;
        const char *text;
    } names[] = {
        {"data", DATA_SETS, config->data},          {"model", MODELS, config->model},
        {"density", DENSITIES, config->density},    {"prior", PRIORS, config->prior},
        {"schedule", SCHEDULES, config->schedule},  {"temperature_schedule", SCHEDULES, config->temperature_schedule},
        {"augment", AUGMENTATIONS, config->augment}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        KELVIN_TRY(kelvin_config_blame(config, names[i].field, family_check(names[i].family, names[i].text)));
    return KELVIN_OK;
}

static bool is_hmc(const struct settings *settings)
{
    return strcmp(settings->config.sampler, "hmc") == 0;
}

/* ---- the folder ---- */

struct folder {
    char name[32];
};

/* kelvin-run, or the first kelvin-run-N that is not there. */
static kelvin_status free_folder(struct folder *folder)
{
    struct stat about;
    for (unsigned i = 1; i; i++) {
        snprintf(folder->name, sizeof folder->name, i == 1 ? "kelvin-run" : "kelvin-run-%u", i);
        if (lstat(folder->name, &about) && errno == ENOENT) return KELVIN_OK;
    }
    return kelvin_fail(KELVIN_EUSAGE, "no name is left for the folder: give -o RUN");
}

/* Makes it: for hmc an empty one, for sghmc the run itself. */
static kelvin_status claim(const struct settings *settings, kelvin_chains **chains)
{
    if (is_hmc(settings)) return kelvin_run_claim(settings->output);
    return kelvin_chains_start(chains, &settings->config, settings->output);
}

/* A name that nobody gave may be another process's by now: then it is the next. */
static kelvin_status make_folder(struct settings *settings, struct folder *folder, kelvin_chains **chains)
{
    struct stat about;
    kelvin_status status;
    *chains = NULL;
    if (settings->output) return claim(settings, chains);
    do {
        KELVIN_TRY(free_folder(folder));
        settings->output = folder->name;
        status = claim(settings, chains);
    } while (status == KELVIN_EUSAGE && lstat(folder->name, &about) == 0);
    if (!status) fprintf(stderr, "the run is kept in %s\n", settings->output);
    return status;
}

/* ---- hmc ---- */

/* Samples into memory, then writes into the claimed folder. */
static kelvin_status sample_and_write(kelvin_run *run, const struct settings *settings)
{
    struct progress progress;
    progress_start(&progress, "sampling", (uint64_t)run->config.chains * run->config.iterations);
    const kelvin_status status = kelvin_run_sample(&run, 1, settings->how.threads, progress_iteration, &progress);
    progress_end(&progress);
    if (status == KELVIN_ESTOP) return kelvin_fail(status, "stopped by a signal");
    if (status) return status;
    return kelvin_run_write(run, settings->output);
}

/* A run that does not end leaves nothing behind. */
static kelvin_status hmc_sample(struct settings *settings)
{
    struct folder folder;
    kelvin_chains *none;
    kelvin_run *kept;
    KELVIN_TRY(kelvin_run_create(&kept, &settings->config));
    kelvin_status status = make_folder(settings, &folder, &none);
    if (status) goto done;
    progress_catch_signals();
    status = sample_and_write(kept, settings);
    if (status) {
        kelvin_run_abandon(settings->output);
        status = kelvin_fail(status, "%s; nothing was kept", kelvin_error());
        goto done;
    }
    status = report_run(stdout, kept, settings->how.json);
done:
    kelvin_run_close(kept);
    return status;
}

/* ---- the command ---- */

static kelvin_status check(const struct settings *settings)
{
    if (settings->output && !*settings->output)
        return kelvin_fail(KELVIN_EUSAGE, "-o is empty; expected the name of a folder to make");
    KELVIN_TRY(sghmc_check(&settings->how));
    return check_names(&settings->config);
}

static kelvin_status sghmc(struct settings *settings)
{
    struct folder folder;
    kelvin_chains *chains;
    if (settings->how.dry_run) return sghmc_dry_run(&settings->config, &settings->how);
    progress_catch_signals();
    KELVIN_TRY(make_folder(settings, &folder, &chains));
    return sghmc_sample(chains, settings->output, &settings->how);
}

static kelvin_status run(void *data, const struct arguments *arguments)
{
    struct settings *settings = data;
    kelvin_path inside;
    void *owner;
    if (settings->file && kelvin_is_folder(settings->file)) { /* a run's */
        KELVIN_TRY(kelvin_path_join(inside, settings->file, KELVIN_CONFIG_NAME));
        settings->file = inside;
    }
    kelvin_status status = configure(settings, &owner, arguments);
    if (!status) status = check(settings);
    if (!status) status = is_hmc(settings) ? hmc_sample(settings) : sghmc(settings);
    kelvin_run_config_free(owner);
    return status;
}

/* With the defaults of the sampler that is asked about. */
static kelvin_status help(FILE *out, const void *data, const struct arguments *arguments)
{
    struct settings settings = *(const struct settings *)data;
    settings.file = NULL;
    KELVIN_TRY(choose_sampler(&settings, arguments));
    command_help(out, &sample_command, &settings);
    return KELVIN_OK;
}

const struct command sample_command = {
    .name = "sample",
    .synopsis = "[OPTION]... [-o RUN]",
    .about = "Draw a posterior, keep it in a folder, and print its summary",
    .details =
        "RUN is made, and must not exist. It holds run.json (the configuration: enough to repeat the run), one folder "
        "per\n"
        "chain, the samples, and the logits of the data. The samples depend on the configuration and the seed alone.\n"
        "With no options at all it samples a small network on the built-in digits by SGHMC, as in the paper.\n"
        "A run by SGHMC that was stopped or killed goes on with kelvin resume RUN.\n"
        "kelvin info lists samplers, schedules, models, densities, priors and data sets; kelvin sample --sampler hmc "
        "--help\n"
        "shows the defaults of that sampler.",
    .options = options,
    .n_options = N_OPTIONS,
    .groups = groups,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
    .help = help,
};
