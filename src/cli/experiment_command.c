/* kelvin experiment: a table of cells, each a run, sampled as one piece of work; one table of what they say. */
#include "cli/cells_progress.h"
#include "cli/command.h"
#include "cli/output_file.h"
#include "cli/runs.h"

#include <kelvin/ranks.h>

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct settings {
    const char *output, *cache, *part;
    size_t threads, ranks_per_chain, ranks_per_cell;
    double checkpoint;
    bool dry_run, list, force;
};

static const struct option options[] = {
    {"output", 'o', "FILE", OPTION_STRING, AT(output), "the table of metrics; an earlier one is replaced",
     "FILE with .csv instead of .json"},
    {"force", 0, NULL, OPTION_FLAG, AT(force), "replace it also where it is no such table", NULL},
    {"cache", 0, "DIR", OPTION_STRING, AT(cache), "where the runs of all experiments are", "runs in kelvin's cache"},
    {"checkpoint", 0, "S", OPTION_DOUBLE, AT(checkpoint), RUN_CHECKPOINT_HELP, NULL},
    {"threads", 0, "N", OPTION_SIZE, AT(threads), "threads; the numbers do not depend on it", "one per CPU"},
    {"ranks-per-cell", 0, "N", OPTION_SIZE, AT(ranks_per_cell),
     "ranks that take each cell together, under mpirun or srun, and deal its chains",
     "1, or more if there are fewer cells than ranks"},
    {"ranks-per-chain", 0, "N", OPTION_SIZE, AT(ranks_per_chain), RUN_RANKS_HELP, RUN_RANKS},
    {"part", 0, "I/N", OPTION_STRING, AT(part),
     "sample the I-th of N parts of the cells alone, as one of N processes that know nothing of each other", NULL},
    {"dry-run", 0, NULL, OPTION_FLAG, AT(dry_run), "say what it would cost, from some steps, and make nothing", NULL},
    {"list", 0, NULL, OPTION_FLAG, AT(list), "list the cells, their runs, and which have ended, and exit", NULL},
};

/* FILE.csv of FILE.json. */
static kelvin_status name_output(char *out, size_t size, const char *file)
{
    static const char json[] = ".json";
    const size_t n = strlen(file), tail = sizeof json - 1;
    const size_t stem = n > tail && strcmp(file + n - tail, json) == 0 ? n - tail : n;
    if ((size_t)snprintf(out, size, "%.*s.csv", (int)stem, file) < size) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "the name of the file is too long: give -o FILE");
}

static void list(const kelvin_experiment *experiment)
{
    for (size_t i = 0; i < kelvin_experiment_cells(experiment); i++)
        printf("%-8s %s   %s\n", kelvin_experiment_done(experiment, i) ? "ended" : "-",
               kelvin_experiment_folder(experiment, i), kelvin_experiment_name(experiment, i));
}

/* Cells that have ended, and of which chains have diverged: all of them, so that they have nothing to say, or some. */
static kelvin_status tell_diverged(const kelvin_experiment *experiment)
{
    const size_t cells = kelvin_experiment_cells(experiment);
    size_t empty = 0, partly = 0;
    for (size_t i = 0; i < cells; i++) {
        kelvin_samples *samples;
        uint32_t diverged = 0;
        if (!kelvin_experiment_done(experiment, i)) continue;
        KELVIN_TRY(kelvin_samples_find(&samples, kelvin_experiment_folder(experiment, i)));
        const size_t n = kelvin_samples_count(samples);
        const uint32_t chains = kelvin_run_chains(kelvin_samples_run(samples));
        for (uint32_t c = 0; c < chains; c++) diverged += kelvin_samples_diverged(samples, c) != NULL;
        if (diverged)
            fprintf(stderr, "%s: %" PRIu32 " of %" PRIu32 " chains diverged\n", kelvin_experiment_name(experiment, i),
                    diverged, chains);
        empty += n == 0;
        partly += n > 0 && diverged > 0;
        kelvin_samples_close(samples);
    }
    if (empty)
        return kelvin_fail(KELVIN_EDIVERGED, "%zu of %zu cells have no samples: all their chains have diverged", empty,
                           cells);
    if (partly)
        return kelvin_fail(KELVIN_EPARTLY, "of %zu of %zu cells chains have diverged; the table is of the others",
                           partly, cells);
    return KELVIN_OK;
}

/* Of a part of the cells: whether the others are there, too. The last part that ends writes the table. */
static bool all_done(const kelvin_experiment *experiment)
{
    const size_t cells = kelvin_experiment_cells(experiment);
    size_t done = 0;
    for (size_t i = 0; i < cells; i++) done += kelvin_experiment_done(experiment, i);
    if (done < cells)
        fprintf(stderr, "%zu of %zu cells are there; the table is written by the part that ends last\n", done, cells);
    return done == cells;
}

static kelvin_status sample(kelvin_experiment *experiment, const struct settings *settings, const char *output)
{
    const kelvin_run_options how = {.threads = settings->threads,
                                    .checkpoint = settings->checkpoint,
                                    .ranks_per_chain = settings->ranks_per_chain,
                                    .ranks_per_cell = settings->ranks_per_cell};
    const kelvin_status status = cells_sample(experiment, &how);
    if ((status && status != KELVIN_EDIVERGED) || kelvin_rank() > 0) return status;
    if (settings->part && !all_done(experiment)) return status;
    char sentence[1024];
    snprintf(sentence, sizeof sentence, "%s", kelvin_error());
    KELVIN_TRY(kelvin_experiment_write(experiment, output, settings->threads));
    printf("%s\n", output);
    const kelvin_status diverged = tell_diverged(experiment);
    return status ? kelvin_fail(status, "%s", sentence) : diverged;
}

/* Whether there is a table of an experiment, which may be replaced. */
static bool is_table(const char *path)
{
    static const char head[] = "name,folder,from";
    char found[sizeof head] = "";
    struct stat about;
    if (lstat(path, &about) || !S_ISREG(about.st_mode)) return false;
    FILE *file = fopen(path, "r");
    if (file && fread(found, 1, sizeof head - 1, file) < sizeof head - 1) *found = '\0';
    if (file) fclose(file);
    return strcmp(found, head) == 0;
}

static kelvin_status check_folder(const char *path)
{
    char copy[4096];
    snprintf(copy, sizeof copy, "%s", path);
    const char *folder = dirname(copy);
    if (access(folder, W_OK) == 0) return KELVIN_OK;
    return kelvin_fail(KELVIN_EIO, "%s: the folder that it is to be in cannot be written: %s", path, strerror(errno));
}

/* Before anything is sampled: neither the file nor any data are replaced. */
static kelvin_status check_output(const kelvin_experiment *experiment, const char *output, const char *file, bool force)
{
    KELVIN_TRY(output_check(output, force || is_table(output), &(struct output_reads){{file}, NULL, 0}));
    KELVIN_TRY(check_folder(output));
    for (size_t i = 0; i < kelvin_experiment_cells(experiment); i++) {
        char data[4096];
        kelvin_experiment_get(experiment, i, "data", data, sizeof data);
        KELVIN_TRY(output_check_read(output, &(struct output_reads){{data}, NULL, 0}));
    }
    return KELVIN_OK;
}

/* "3/16" */
static kelvin_status choose_part(kelvin_experiment *experiment, const char *text)
{
    char first[24];
    uint64_t i, n;
    const char *slash = strchr(text, '/');
    if (!slash || slash == text || (size_t)(slash - text) >= sizeof first)
        return kelvin_fail(KELVIN_EUSAGE, "--part is '%s'; expected I/N, as 3/16", text);
    snprintf(first, sizeof first, "%.*s", (int)(slash - text), text);
    KELVIN_TRY(kelvin_parse_whole(&i, "--part", first, SIZE_MAX));
    KELVIN_TRY(kelvin_parse_whole(&n, "--part", slash + 1, SIZE_MAX));
    return kelvin_experiment_part(experiment, (size_t)i, (size_t)n);
}

static kelvin_status do_experiment(kelvin_experiment *experiment, const struct settings *settings, const char *file)
{
    char named[4096];
    const char *output = settings->output ? settings->output : named;
    KELVIN_TRY(kelvin_experiment_read(experiment, file));
    if (settings->part) KELVIN_TRY(choose_part(experiment, settings->part));
    if (kelvin_rank() > 0 && (settings->list || settings->dry_run)) return KELVIN_OK;
    if (settings->list) {
        list(experiment);
        return KELVIN_OK;
    }
    if (settings->dry_run) return cells_print_plan(experiment, settings->threads);
    KELVIN_TRY(name_output(named, sizeof named, file));
    KELVIN_TRY(check_output(experiment, output, file, settings->force));
    return sample(experiment, settings, output);
}

static kelvin_status do_file(const struct settings *settings, const char *file)
{
    kelvin_experiment *experiment;
    KELVIN_TRY(kelvin_experiment_create(&experiment, settings->cache));
    const kelvin_status status = do_experiment(experiment, settings, file);
    kelvin_experiment_destroy(experiment);
    return status;
}

static kelvin_status run(void *data, const struct arguments *arguments)
{
    const struct settings *settings = data;
    if (!arguments->operand) return kelvin_fail(KELVIN_EUSAGE, "which file? (see kelvin experiment --help)");
    KELVIN_TRY(run_check(&(struct run_settings){.threads = settings->threads, .checkpoint = settings->checkpoint}));
    return do_file(settings, arguments->operand);
}

static const struct example examples[] = {
    {"kelvin experiment grid.json --dry-run", "Say how many cells there are, how long they take, and how much disk."},
    {"kelvin experiment grid.json -o grid.csv", "Sample all cells that are not there yet; write what they say."},
    {NULL, NULL},
};

const struct command experiment_command = {
    .name = "experiment",
    .synopsis = "FILE.json [OPTION]... [-o FILE.csv]",
    .about = "Sample a table of posteriors as one piece of work, and write what they say as one table",
    .details =
        "FILE.json has the fields that all cells have in common, as run.json has them, and under \"cells\" a "
        "list of objects with those of each; a field that is a list stands for a cell with each of its "
        "values:\n"
        "{\"data\": \"digits\", \"model\": \"mlp:20,20\", \"chains\": 8, \"epochs\": 300, \"cells\": ["
        "{\"name\": \"cold {seed}\", \"density\": \"categorical\", \"temperature\": 0, \"seed\": [0, 1]}, "
        "{\"name\": \"tuned {seed}\", \"from\": \"cold {seed}\", \"density\": \"dirclip:0.7,-50\", \"schedule\": "
        "\"constant\", \"lr\": 1e-5, \"seed\": [0, 1]}]}\n"
        "\"name\": what the table calls it, {FIELD} being the value of that field; \"from\": the cell whose "
        "samples it starts from. What nobody says is as in the paper, or chosen from the data with "
        "\"preset\": \"auto\".\n"
        "Cells are runs under one cache, called by their configuration: what was sampled once is not sampled "
        "again, whichever file asks for it, and what was stopped or killed goes on with the next call. Those "
        "that differ in their temperature alone share the part of the schedule in which it is 0.\n"
        "The table has a row for each cell: its name, its run, the fields in which cells differ, samples, chains "
        "that diverged, temperatures at the end, and each metric on the training and the test part: of all samples "
        "together, of single ones with its standard error, and of ensembles of 8 (10 %, 50 %, 90 %).",
    .ranks = true,
    .operands = 1,
    .others = "FILE",
    .options = {options, sizeof options / sizeof *options, NULL},
    .settings_size = sizeof(struct settings),
    .usual = &(const struct settings){.checkpoint = RUN_CHECKPOINT},
    .examples = examples,
    .run = run,
};
