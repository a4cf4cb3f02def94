/* kelvin eval: how good the posterior of a run is, on its own data or on others. */
#include "cli/command.h"
#include "cli/eval_table.h"
#include "cli/json.h"
#include "cli/lines.h"
#include "cli/output_file.h"
#include "cli/words.h"

#include <kelvin/ranks.h>

#include <kelvin/report.h>

#include <string.h>

struct settings {
    const char *on, *ood, *plot;
    size_t bins, threads;
    bool sizes, importance, json, csv;
};

static const struct option options[] = {
    {"on", 0, "test|train|DATA", OPTION_STRING, AT(on),
     "a part of its own data, or a data set with labels: as for kelvin sample --data",
     "test; train if there is no test part"},
    {"ood", 0, "DATA", OPTION_STRING, AT(ood), "also tell this data set from the first: AUROC", NULL},
    {"bins", 0, "N", OPTION_SIZE, AT(bins), "of calibration errors", NULL},
    {"sizes", 0, NULL, OPTION_FLAG, AT(sizes), "with --json or --csv: also the curve over posterior sizes", NULL},
    {"importance", 0, NULL, OPTION_FLAG, AT(importance),
     "also which columns of a table matter; with --json: and how, by partial dependence", NULL},
    {"plot", 0, "DIR", OPTION_STRING, AT(plot),
     "also draw reliability, confidence and posterior size into this folder: CSV, PNG, SVG, PDF", NULL},
    {"threads", 0, "N", OPTION_SIZE, AT(threads), "threads; the numbers do not depend on it", "one per CPU"},
    {"json", 0, NULL, OPTION_FLAG, AT(json), "print JSON instead of a table", NULL},
    {"csv", 0, NULL, OPTION_FLAG, AT(csv), "print CSV instead: run,on,ood,metric,kind,value,low,high,error", NULL},
};

/* ---- what tells two data sets apart ---- */

/* The numbers of a data set's observations; they grow with it. */
struct doubts {
    size_t n, room;
    double *value[AUROCS];
};

static kelvin_status grow(struct doubts *doubts)
{
    const size_t room = doubts->room ? 2 * doubts->room : 1024;
    for (size_t i = 0; i < AUROCS; i++) {
        double *value = kelvin_alloc(room, sizeof *value);
        if (!value) return KELVIN_ENOMEM;
        if (doubts->n > 0) memcpy(value, doubts->value[i], doubts->n * sizeof *value);
        kelvin_free(doubts->value[i]);
        doubts->value[i] = value;
    }
    doubts->room = room;
    return KELVIN_OK;
}

static kelvin_status note_doubt(void *context, const kelvin_verdict *verdict)
{
    struct doubts *doubts = context;
    const double doubt[AUROCS] = {verdict->entropy, 1 - verdict->confidence, verdict->epistemic};
    if (doubts->n == doubts->room) KELVIN_TRY(grow(doubts));
    for (size_t i = 0; i < AUROCS; i++) doubts->value[i][doubts->n] = doubt[i];
    doubts->n++;
    return KELVIN_OK;
}

static void forget(struct doubts *doubts)
{
    for (size_t i = 0; i < AUROCS; i++) kelvin_free(doubts->value[i]);
}

/* ---- one run ---- */

/* What each observation is for. */
struct looks {
    struct doubts *doubts;       /* or NULL */
    kelvin_confusion *confusion; /* or NULL */
};

static kelvin_status look(void *context, const kelvin_verdict *verdict)
{
    const struct looks *looks = context;
    if (looks->doubts) KELVIN_TRY(note_doubt(looks->doubts, verdict));
    return looks->confusion ? kelvin_confusion_add(looks->confusion, verdict) : KELVIN_OK;
}

/* Classes by their names, if they are not too many. */
static kelvin_status begin_confusion(struct evaluated *e, const kelvin_data *data)
{
    const size_t classes = kelvin_data_classes(data);
    if (classes > KELVIN_CONFUSION_CLASSES) return KELVIN_OK;
    if (!(e->class_names = json_array())) return KELVIN_ENOMEM;
    for (size_t k = 0; k < classes; k++)
        json_array_append_new(e->class_names, json_text(kelvin_data_class_name(data, k)));
    return kelvin_confusion_create(&e->confusion, classes);
}

static void say_notes(struct notes *notes, const kelvin_logits *logits)
{
    for (size_t i = 0; kelvin_logits_note(logits, i); i++) notes_say(notes, kelvin_logits_note(logits, i));
}

/* Closes the logits. `how` NULL: they are of --ood, of which only the doubts count. */
static kelvin_status measure(struct evaluated *e, kelvin_logits *logits, const kelvin_evaluate_options *how,
                             struct doubts *doubts, struct notes *notes)
{
    say_notes(notes, logits);
    const kelvin_status status =
        how ? kelvin_evaluate(&e->metrics, logits, how) : kelvin_judge(logits, note_doubt, doubts);
    say_notes(notes, logits); /* and what rows had in them */
    e->network += kelvin_logits_seconds(logits);
    kelvin_logits_close(logits);
    return status;
}

static kelvin_status evaluate(struct evaluated *e, kelvin_samples *samples, const struct settings *settings,
                              struct notes *notes)
{
    struct doubts in = {0}, out = {0};
    const kelvin_data *data = kelvin_run_data(kelvin_samples_run(samples));
    if (settings->json) KELVIN_TRY(begin_confusion(e, data));
    struct looks looks = {settings->ood ? &in : NULL, e->confusion};
    const kelvin_evaluate_options how = {.bins = settings->bins,
                                         .threads = settings->threads,
                                         .sizes = settings->sizes || settings->plot,
                                         .watch = looks.doubts || looks.confusion ? look : NULL,
                                         .context = &looks};
    kelvin_logits *logits;
    e->no_test = !settings->on && kelvin_data_rows(data, KELVIN_TEST) == 0;
    KELVIN_TRY(kelvin_logits_on(&logits, &e->on, samples, settings->on, settings->threads));
    kelvin_status status = measure(e, logits, &how, &in, notes);
    if (!status && e->confusion) status = kelvin_confusion_conclude(e->confusion);
    if (!status) status = baselines_measure(&e->baselines, samples, e->on, settings->bins, settings->threads);
    if (!status && settings->importance) status = kelvin_effects_find(&e->effects, samples, e->on, settings->threads);
    if (!status && settings->ood) {
        status = kelvin_logits_of_data(&logits, samples, settings->ood, false, settings->threads);
        if (!status) status = measure(e, logits, NULL, &out, notes);
        e->ood = settings->ood;
        e->ood_n = out.n;
        for (size_t i = 0; i < AUROCS; i++) e->auroc[i] = kelvin_auroc(in.value[i], in.n, out.value[i], out.n);
    }
    forget(&in);
    forget(&out);
    return status;
}

/* Metrics do not say whether to believe them. That nothing can be said, as where a history cannot be read, does not
 * make them wrong either; but what is damaged is not passed over. */
static kelvin_status look_briefly(struct evaluated *e, kelvin_samples *samples, size_t threads)
{
    const kelvin_status status = kelvin_diagnose_briefly(&e->found, samples, threads);
    if (status) snprintf(e->unknown, sizeof e->unknown, "%s", command_error());
    return status == KELVIN_ENOMEM || status == KELVIN_EFORMAT ? status : KELVIN_OK;
}

/* What was sampled. */
static kelvin_status describe(struct evaluated *e, kelvin_arena *arena, const kelvin_run *run)
{
    static const char *const fields[] = {"sampler", "data", "model", "density", "prior", "temperature", NULL};
    const char *const format = "%s on %s, density %s, temperature %g";
    const char *model = kelvin_run_text(run, "model"), *data = kelvin_run_text(run, "data");
    const char *density = kelvin_run_text(run, "density");
    const double temperature = kelvin_run_number(run, "temperature");
    const int length = snprintf(NULL, 0, format, model, data, density, temperature);
    char *subject = kelvin_arena_alloc(arena, (size_t)length + 1, 1);
    if (!subject || !(e->config = json_config(run, fields))) return KELVIN_ENOMEM;
    snprintf(subject, (size_t)length + 1, format, model, data, density, temperature);
    e->subject = subject;
    e->run_chains = kelvin_run_chains(run);
    return KELVIN_OK;
}

/* Samples are let go as soon as they have been looked at: those of many runs would be many. */
static kelvin_status evaluate_run(struct evaluated *e, kelvin_arena *arena, const struct settings *settings,
                                  struct notes *notes)
{
    const double begin = kelvin_now();
    kelvin_samples *samples;
    KELVIN_TRY(open_samples(&samples, e->folder, true));
    kelvin_status status = describe(e, arena, kelvin_samples_run(samples));
    if (!status) status = evaluate(e, samples, settings, notes);
    if (!status) status = look_briefly(e, samples, settings->threads);
    kelvin_samples_close(samples);
    e->seconds = kelvin_now() - begin;
    return status;
}

/* ---- all of them ---- */

/* One run has a line for its name, several have columns. */
static kelvin_status name_runs(struct evaluated *runs, kelvin_arena *arena, const char *const *folders, size_t n)
{
    const char **names = kelvin_arena_alloc(arena, n, sizeof *names);
    if (!names) return KELVIN_ENOMEM;
    KELVIN_TRY(kelvin_short_names(names, arena, folders, n, n == 1 ? 60 : 15));
    for (size_t i = 0; i < n; i++) runs[i].folder = folders[i], runs[i].name = names[i];
    return KELVIN_OK;
}

static kelvin_status print(const struct evaluated *runs, size_t n, const struct settings *settings)
{
    if (settings->json) return print_json(stdout, eval_json(runs, n), ALL_DIGITS);
    if (settings->csv)
        eval_csv(stdout, runs, n);
    else
        eval_print(stdout, runs, n);
    eval_warn(settings->csv ? stderr : stdout, settings->csv ? "kelvin eval: " : "", runs, n);
    return KELVIN_OK;
}

static kelvin_status check(const struct settings *settings, const struct arguments *arguments)
{
    if (!arguments->operand) return kelvin_fail(KELVIN_EUSAGE, "which run? (see kelvin eval --help)");
    if (settings->json && settings->csv) return kelvin_fail(KELVIN_EUSAGE, "--json and --csv: expected one of them");
    if (settings->bins < 1 || settings->bins > KELVIN_MOST_BINS)
        return kelvin_fail(KELVIN_EUSAGE, "--bins %zu: expected 1 .. %d", settings->bins, (int)KELVIN_MOST_BINS);
    if (settings->importance && settings->csv)
        return kelvin_fail(KELVIN_EUSAGE, "--importance: expected --json with it, or a table");
    if (settings->sizes && !settings->json && !settings->csv)
        return kelvin_fail(KELVIN_EUSAGE, "--sizes: expected --json or --csv with it");
    return KELVIN_OK;
}

static kelvin_status check_plot(const struct settings *settings, const struct arguments *arguments)
{
    const struct output_reads reads = {{settings->on, settings->ood}, arguments->operands, arguments->n_operands};
    if (!settings->plot) return KELVIN_OK;
    if (!*settings->plot) return kelvin_fail(KELVIN_EUSAGE, "--plot: the name of the folder is empty");
    return eval_plot_check(settings->plot, &reads);
}

static kelvin_status answer(void *data, const struct arguments *arguments)
{
    const struct settings *settings = data;
    const size_t n = arguments->n_operands;
    KELVIN_TRY(check(settings, arguments));
    KELVIN_TRY(check_plot(settings, arguments));
    kelvin_arena *arena;
    KELVIN_TRY(kelvin_arena_create(&arena));
    struct evaluated *runs = kelvin_arena_alloc(arena, n, sizeof *runs);
    struct notes notes = {.command = "eval"};
    kelvin_status status = runs ? name_runs(runs, arena, arguments->operands, n) : KELVIN_ENOMEM;
    for (size_t i = 0; i < n && !status; i++) status = evaluate_run(&runs[i], arena, settings, &notes);
    if (!status) status = print(runs, n, settings);
    if (!status && settings->plot) {
        FILE *list = settings->json || settings->csv ? stderr : stdout; /* programs read JSON and CSV */
        fputc('\n', list);
        status = eval_plot(list, settings->plot, runs, n);
    }
    for (size_t i = 0; i < n && runs; i++) {
        json_decref(runs[i].config);
        json_decref(runs[i].class_names);
        kelvin_confusion_free(runs[i].confusion);
        kelvin_effects_free(runs[i].effects);
        kelvin_diagnosis_free(runs[i].found);
        kelvin_metrics_free(runs[i].metrics);
        baselines_free(&runs[i].baselines);
    }
    kelvin_arena_destroy(arena);
    return status;
}

/* Of several ranks the first reads and writes, and the others compute for it. */
static kelvin_status run(void *data, const struct arguments *arguments)
{
    KELVIN_TRY(kelvin_logits_together(((const struct settings *)data)->threads));
    const kelvin_status status = kelvin_rank() == 0 ? answer(data, arguments) : KELVIN_OK;
    kelvin_logits_apart();
    return status;
}

static const struct example examples[] = {
    {"kelvin eval run", "Say how good it is at its test data."},
    {"kelvin eval warm cold --json", "Two runs side by side, as JSON."},
    {"kelvin eval run --ood csv:other.csv", "Tell other data from its own by the doubt of its predictions."},
    {NULL, NULL},
};

const struct command eval_command = {
    .name = "eval",
    .synopsis = "RUN... [--on DATA] [--ood DATA] [--importance] [--plot DIR] [--json] [--csv]",
    .about = "Say how good a posterior is: accuracy, likelihood, calibration, doubt",
    .details = "RUN is a folder that kelvin sample made; of several, the ensembles stand side by side.\n"
               "Metrics are of single samples (their mean, with its standard error over chains), of the ensemble of "
               "all samples, and, where there are more than 8, of 100 random ensembles of 8, as in the paper; of more "
               "than 1,000 samples, 1,000 at equal distances are those that stand alone and in ensembles of 8. The "
               "entropy of a prediction is split into what is in the data (aleatoric: the mean over samples of each "
               "one's entropy) and what is in the model (epistemic: the mutual information of prediction and "
               "sample).\n"
               "Training metrics are of the data as they are, without augmentation. Logits that the run has left are "
               "used; those of other data are computed.\n"
               "AUROC is the chance that the number (entropy, 1 - confidence, epistemic) of one observation of --ood "
               "is larger than that of one of --on.\n"
               "Importance of a column is by how much the log-likelihood of a row falls, in nats, where the values of "
               "that column are shuffled among the rows: the mean of some permutations, with its standard error over "
               "rows.\n"
               "Of a run that has not ended the chains that have are evaluated, and a line says so.\n"
               "Beside the ensemble are class frequencies and a linear model, fitted to the training part of the run.\n"
               "The verdict is on the run, whatever it is evaluated on: sound, usable with care, or not to be used. "
               "Where something is off, a line says what, and what helps; kelvin diagnose says more.",
    .ranks = true,
    .operands = OPERANDS,
    .runs = OPERANDS,
    .options = {options, sizeof options / sizeof *options, NULL},
    .settings_size = sizeof(struct settings),
    .usual = &(const struct settings){.bins = KELVIN_BINS},
    .examples = examples,
    .run = run,
};
