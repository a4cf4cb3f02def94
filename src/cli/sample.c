/* kelvin sample: draws a posterior into a folder of its own. Everything that can be wrong with the settings is checked,
 * and the folder made, before the first step; a run that does not end leaves nothing behind. */
#include "cli/command.h"
#include "cli/families.h"
#include "cli/progress.h"
#include "cli/report.h"

struct settings {
    kelvin_run_config config;
    size_t threads;
    const char *output;
    bool json;
};

#define AT(field) offsetof(struct settings, field)

static const struct option options[] = {
    {"output", 'o', "RUN", OPTION_STRING, AT(output), "folder to make for the draws (required)", NULL},
    {"sampler", 0, "NAME", OPTION_STRING, AT(config.sampler), "sampler", NULL},
    {"data", 0, "DATA", OPTION_STRING, AT(config.data),
     "data set: a name, or csv:FILE and the like (kelvin data --list)", NULL},
    {"model", 0, "MODEL", OPTION_STRING, AT(config.model), "network: mlp:UNITS,UNITS, or for images cnn, resnet20",
     NULL},
    {"density", 0, "DENSITY", OPTION_STRING, AT(config.density), "log-density of predictions, as name:value,value",
     NULL},
    {"prior", 0, "PRIOR", OPTION_STRING, AT(config.prior), "prior of parameters, as name:value, or none", NULL},
    {"temperature", 0, "T", OPTION_DOUBLE, AT(config.temperature), "sample exp(log-posterior / T)", NULL},
    {"chains", 0, "N", OPTION_UINT32, AT(config.chains), "number of chains", NULL},
    {"iterations", 0, "N", OPTION_UINT32, AT(config.iterations), "iterations per chain", NULL},
    {"warmup", 0, "N", OPTION_UINT32, AT(config.warmup), "iterations left out of summaries", "30 % of the iterations"},
    {"steps", 0, "N", OPTION_UINT32, AT(config.steps), "leapfrog steps per iteration", NULL},
    {"step-size", 0, "H", OPTION_FLOAT, AT(config.step_size), "size of a leapfrog step", NULL},
    {"seed", 0, "N", OPTION_UINT64, AT(config.seed), "seed: same seed, same bits", NULL},
    {"threads", 0, "N", OPTION_SIZE, AT(threads), "threads; the draws do not depend on it", "one per CPU"},
    {"json", 0, NULL, OPTION_FLAG, AT(json), "print the summary as JSON", NULL},
};

enum { N_OPTIONS = sizeof options / sizeof *options };

static void defaults(void *settings)
{
    const kelvin_status known = kelvin_run_defaults(&((struct settings *)settings)->config, "hmc");
    (void)known; /* it is */
}

static kelvin_status check_names(const kelvin_run_config *config)
{
    KELVIN_TRY(family_check(SAMPLERS, config->sampler));
    KELVIN_TRY(family_check(DATA_SETS, config->data));
    KELVIN_TRY(family_check(MODELS, config->model));
    KELVIN_TRY(family_check(DENSITIES, config->density));
    return family_check(PRIORS, config->prior);
}

/* Samples into memory, then writes into the claimed folder. */
static kelvin_status sample_and_write(kelvin_run *run, const struct settings *settings)
{
    struct progress progress;
    progress_start(&progress, "sampling", (uint64_t)run->config.chains * run->config.iterations);
    const kelvin_status status = kelvin_run_sample(&run, 1, settings->threads, progress_iteration, &progress);
    progress_end(&progress);
    if (status == KELVIN_ESTOP) return kelvin_fail(status, "stopped by a signal");
    if (status) return status;
    return kelvin_run_write(run, settings->output);
}

static kelvin_status run(void *data, const struct arguments *arguments)
{
    struct settings *settings = data;
    if (!settings->output)
        return kelvin_fail(KELVIN_EUSAGE, "no output folder: give -o RUN (see kelvin sample --help)");
    if (!option_given(arguments, options, N_OPTIONS, "warmup"))
        settings->config.warmup = (uint32_t)((uint64_t)settings->config.iterations * 3 / 10);
    KELVIN_TRY(check_names(&settings->config));

    kelvin_run *kept;
    KELVIN_TRY(kelvin_run_create(&kept, &settings->config));
    kelvin_status status = kelvin_run_claim(settings->output);
    if (status) goto done;
    progress_catch_signals();
    status = sample_and_write(kept, settings);
    if (status) {
        kelvin_run_abandon(settings->output);
        status = kelvin_fail(status, "%s; nothing was kept", kelvin_error());
        goto done;
    }
    status = report_run(stdout, kept, settings->json);
done:
    kelvin_run_close(kept);
    return status;
}

const struct command sample_command = {
    .name = "sample",
    .synopsis = "[OPTION]... -o RUN",
    .about = "Draw a posterior, keep it in a folder, and print its summary",
    .details = "RUN is made, and must not exist. It holds run.json (the configuration), one folder of draws per chain, "
               "and the\n"
               "logits at the training points. The draws depend on the configuration and the seed alone.\n"
               "kelvin info lists the models, densities, priors and data sets.",
    .options = options,
    .n_options = N_OPTIONS,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
};
