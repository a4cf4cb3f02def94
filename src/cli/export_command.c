/* kelvin export: a run as one file, for other programs. */
#include <kelvin/export.h>

#include "cli/amounts.h"
#include "cli/command.h"
#include "cli/lines.h"
#include "cli/output_file.h"
#include "cli/texts.h"

#include <kelvin/family.h>

#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct settings {
    const char *format, *output, *what;
    bool force;
    size_t threads;
};

static const struct option options[] = {
    {"format", 'f', "FORMAT", OPTION_STRING, AT(format), "what kind of file (kelvin info)", NULL},
    {"output", 'o', "FILE", OPTION_STRING, AT(output), "where to write it",
     "the name of RUN's folder, here, with the format's ending"},
    {"what", 0, "PARTS", OPTION_STRING, AT(what), "parts, with commas between them: see above", "all"},
    {"force", 0, NULL, OPTION_FLAG, AT(force), OUTPUT_FORCE, NULL},
    {"threads", 0, "N", OPTION_SIZE, AT(threads), "threads, where logits must be computed again", "one per CPU"},
};

/* "runs/first/" becomes "first.npz"; so does "." in that folder. */
static kelvin_status default_output(char path[PATH_MAX], const char *folder, const char *format)
{
    char *whole = realpath(folder, NULL);
    if (!whole) return kelvin_fail(KELVIN_EIO, "%s: cannot be found", folder);
    const int n = snprintf(path, PATH_MAX, "%s%s", basename(whole), kelvin_export_suffix(format));
    free(whole);
    return n > 0 && n < PATH_MAX ? KELVIN_OK : kelvin_fail(KELVIN_EUSAGE, "%s: the name is too long", folder);
}

static size_t draws_of(const kelvin_samples *samples, uint32_t chain)
{
    size_t n = 0;
    for (size_t i = 0; i < kelvin_samples_count(samples); i++) n += kelvin_samples_chain(samples, i) == chain;
    return n;
}

static void print_left_out(const kelvin_exported *done, const kelvin_samples *samples)
{
    const bool one = done->left_out == 1;
    const uint32_t chains = kelvin_run_chains(kelvin_samples_run(samples));
    if (done->left_out == 0) return;
    fprintf(stderr, "kelvin export: %zu of %u chains %s fewer draws than the longest and %s left out:", done->left_out,
            chains, one ? "has" : "have", one ? "is" : "are");
    for (uint32_t i = 0, shown = 0; i < chains; i++)
        if (draws_of(samples, i) < done->draws) fprintf(stderr, "%s chain %u", shown++ ? "," : "", i);
    fputc('\n', stderr);
}

static kelvin_status which_format(void)
{
    const kelvin_member *format;
    char names[256] = "";
    for (size_t i = 0; (format = kelvin_family_member(kelvin_family_of("formats"), i)); i++)
        text_append(names, sizeof names, "%s %s", i ? "," : "", format->name);
    return kelvin_fail(KELVIN_EUSAGE, "which format? --format, one of:%s (see kelvin export --help)", names);
}

static kelvin_status run(void *data, const struct arguments *arguments)
{
    const struct settings *settings = data;
    if (!arguments->operand) return kelvin_fail(KELVIN_EUSAGE, "which run? (see kelvin export --help)");
    if (!settings->format) return which_format();
    const kelvin_export_options wanted = {settings->format, settings->what, settings->force, settings->threads};
    KELVIN_TRY(kelvin_export_check(&wanted));
    kelvin_samples *samples;
    kelvin_exported done;
    char path[PATH_MAX];
    KELVIN_TRY(open_samples(&samples, arguments->operand, false));
    kelvin_status status = settings->output ? KELVIN_OK : default_output(path, arguments->operand, settings->format);
    const char *to = settings->output ? settings->output : path;
    const struct output_reads reads = {.runs = arguments->operands, .n_runs = 1};
    if (!status) status = output_check(to, settings->force, &reads);
    if (!status) status = kelvin_export(&done, samples, to, &wanted);
    if (!status) {
        char size[AMOUNT];
        print_left_out(&done, samples);
        amount_bytes(size, (double)done.bytes);
        printf("%s: %zu chain%s of %zu draw%s, %s\n", to, done.chains, plural(done.chains), done.draws,
               plural(done.draws), size);
    }
    kelvin_samples_close(samples);
    return status;
}

static const struct example examples[] = {
    {"kelvin export run --format netcdf", "Write run.nc for ArviZ and xarray."},
    {"kelvin export run --format npz --what posterior -o samples.npz", "The parameters alone, for NumPy."},
    {NULL, NULL},
};

const struct command export_command = {
    .name = "export",
    .synopsis = "RUN --format FORMAT [-o FILE] [--what PARTS]",
    .about = "Write a run as one file for other programs: npz (NumPy), safetensors, netcdf (ArviZ, xarray)",
    .details = "RUN is a folder that kelvin sample made. Arrays of samples are (chain, draw, ...), warm-up left out; "
               "chains with fewer draws than the longest, which diverged, are left out, and the others keep their "
               "numbers. PARTS are some of these:\n"
               "posterior: parameters, under the names of a state dict (which have a dot in them);\n"
               "sample_stats: lp, the log-posterior; temperature; epoch or iteration; and what else the sampler "
               "tells of its steps, such as lr and kinetic_temperature, or acceptance_rate and energy_error, under "
               "ArviZ's names;\n"
               "log_likelihood: that of each training label, (chain, draw, obs), and labels_train;\n"
               "posterior_predictive: logits_train, (chain, draw, obs, class), and labels_train;\n"
               "predictions: logits_test, (chain, draw, obs, class), and labels_test.\n"
               "These are the names in npz and safetensors. Beside them are chain, draw, class_names, "
               "inference_library, inference_library_version and kelvin_run, the text of run.json; texts are "
               "metadata in safetensors.\n"
               "In netcdf the parts are groups, as in ArviZ's schema, with variables y and logits; labels are in the "
               "groups observed_data and predictions_constant_data, texts are attributes.",
    .operands = 1,
    .runs = 1,
    .options = {options, sizeof options / sizeof *options, NULL},
    .settings_size = sizeof(struct settings),
    .examples = examples,
    .run = run,
};
