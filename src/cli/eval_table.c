/* The tables of kelvin eval. */
#include "cli/eval_table.h"

#include "cli/lines.h"
#include "cli/options.h"
#include "cli/words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- cells: logits as large as floats can be have likelihoods of 39 digits ---- */

void cell_number(char out[CELL], double x, const char *unit, int digits, int room)
{
    int used = CELL;
    for (; used > room && digits >= 0; digits--) used = snprintf(out, CELL, "%.*f%s", digits, x, unit);
    for (int precision = 5; used > room && precision > 0; precision--)
        used = snprintf(out, CELL, "%.*g%s", precision, x, unit);
}

static void cell_pair(char out[CELL], double a, const char *between, double b, const char *unit, int digits, int room)
{
    int used = CELL;
    for (; used > room && digits >= 0; digits--)
        used = snprintf(out, CELL, "%.*f%s%.*f%s", digits, a, between, digits, b, unit);
    for (int precision = 5; used > room && precision > 0; precision--)
        used = snprintf(out, CELL, "%.*g%s%.*g%s", precision, a, between, precision, b, unit);
}

void cell_average(char out[CELL], const kelvin_average *x, double scale, const char *unit, int digits, int room)
{
    if (isnan(x->error))
        cell_number(out, scale * x->mean, unit, digits, room);
    else
        cell_pair(out, scale * x->mean, " +- ", scale * x->error, unit, digits, room);
}

void metric_cell(char out[CELL], const kelvin_metrics *m, size_t metric, enum metric_kind kind, bool percent, int room)
{
    const kelvin_metric_info *about = kelvin_metric_at(metric);
    const kelvin_average alone = kelvin_metrics_single(m, metric);
    const kelvin_percentiles spread = kelvin_metrics_spread(m, metric);
    const double number[KINDS] = {[ENSEMBLE] = kelvin_metrics_ensemble(m, metric),
                                  [LOW] = spread.low,
                                  [MEDIAN] = spread.median,
                                  [HIGH] = spread.high};
    const double scale = about->scale;
    const char *unit = percent && strcmp(about->unit, "%") == 0 ? " %" : "";
    if (kind == SINGLE)
        cell_average(out, &alone, scale, unit, about->digits, room);
    else if (kind != ENSEMBLE && kelvin_metrics_subsets(m) == 0)
        snprintf(out, CELL, "-");
    else if (kind == RANGE)
        cell_pair(out, scale * spread.low, percent ? " .. " : "..", scale * spread.high, unit, about->digits, room);
    else
        cell_number(out, scale * number[kind], unit, about->digits, room);
}

/* ---- tables ---- */

const struct auroc_about auroc_about[AUROCS] = {
    {"auroc_entropy", "AUROC, entropy"},
    {"auroc_confidence", "AUROC, 1 - confidence"},
    {"auroc_epistemic", "AUROC, epistemic"},
};

enum { NAME = 30, RUN = 16, RUNS = (LINE - NAME) / RUN };

/* Of one run: a row has the metric in these columns. */
static const struct {
    enum metric_kind kind;
    const char *head;
    int width;
} columns[] = {
    {SINGLE, "single samples", 16}, {ENSEMBLE, "ensemble", 9}, {LOW, "10 %", 8},
    {MEDIAN, "median", 8},          {HIGH, "90 %", 8},
};
enum { COLUMNS = sizeof columns / sizeof *columns, FEW_COLUMNS = 2 };

static void print_name(FILE *out, const kelvin_metric_info *about)
{
    char name[CELL];
    snprintf(name, sizeof name, "%s%s%s", about->title, *about->unit ? ", " : "", about->unit);
    fprintf(out, "%-*s", NAME, name);
}

/* ---- one run ---- */

static void print_one(FILE *out, const struct evaluated *e)
{
    const size_t shown = kelvin_metrics_subsets(e->metrics) > 0 ? COLUMNS : FEW_COLUMNS;
    char cell[CELL];
    if (shown == COLUMNS) fprintf(out, "%*s%*s\n", NAME + 25, "", 24, "ensembles of 8");
    fprintf(out, "%*s", NAME, "");
    for (size_t i = 0; i < shown; i++) fprintf(out, "%*s", columns[i].width, columns[i].head);
    fputc('\n', out);
    for (size_t metric = 0; metric < kelvin_metrics_count(); metric++) {
        print_name(out, kelvin_metric_at(metric));
        for (size_t i = 0; i < shown; i++) {
            metric_cell(cell, e->metrics, metric, columns[i].kind, false, columns[i].width - 1);
            fprintf(out, "%*s", columns[i].width, cell);
        }
        fputc('\n', out);
    }
    for (size_t i = 0; i < AUROCS && e->ood; i++)
        fprintf(out, "%-*s%*.4f\n", NAME, auroc_about[i].title, columns[0].width + columns[1].width, e->auroc[i]);
}

/* ---- several, side by side ---- */

static void print_kind(FILE *out, const struct evaluated *runs, size_t n, size_t metric, enum metric_kind kind)
{
    for (size_t i = 0; i < n; i++) {
        char cell[CELL];
        metric_cell(cell, runs[i].metrics, metric, kind, false, RUN - 1);
        fprintf(out, "%*s", RUN, cell);
    }
    fputc('\n', out);
}

/* Under the ensemble of all samples: a range belongs to its median. */
static const struct {
    enum metric_kind kind;
    const char *name;
} spread[] = {{MEDIAN, "    ensembles of 8, median"}, {RANGE, "    10 % .. 90 % of them"}};

/* What could be had without the run; "-" where the data are gone. */
static void print_baseline(FILE *out, const struct evaluated *runs, size_t n, size_t metric, size_t baseline)
{
    fprintf(out, "    %-*s", NAME - 4, kelvin_baseline_at(baseline)->title);
    for (size_t i = 0; i < n; i++) {
        char cell[CELL] = "-";
        const kelvin_metrics *m = runs[i].baselines.of[baseline];
        if (m) metric_cell(cell, m, metric, ENSEMBLE, false, RUN - 1);
        fprintf(out, "%*s", RUN, cell);
    }
    fputc('\n', out);
}

static void print_several(FILE *out, const struct evaluated *runs, size_t n)
{
    size_t subsets = 0;
    for (size_t i = 0; i < n; i++) subsets += kelvin_metrics_subsets(runs[i].metrics);
    fprintf(out, "%*s", NAME, "");
    for (size_t i = 0; i < n; i++) fprintf(out, "%*s", field_width(runs[i].name, RUN), runs[i].name);
    fputc('\n', out);
    for (size_t metric = 0; metric < kelvin_metrics_count(); metric++) {
        print_name(out, kelvin_metric_at(metric));
        print_kind(out, runs, n, metric, ENSEMBLE);
        for (size_t i = 0; i < sizeof spread / sizeof *spread && subsets > 0; i++) {
            fprintf(out, "%-*s", NAME, spread[i].name);
            print_kind(out, runs, n, metric, spread[i].kind);
        }
        for (size_t i = BASELINES; i-- > 0 && kelvin_metric_at(metric)->better;)
            print_baseline(out, runs, n, metric, i);
    }
    for (size_t a = 0; a < AUROCS && runs[0].ood; a++) {
        fprintf(out, "%-*s", NAME, auroc_about[a].title);
        for (size_t i = 0; i < n; i++) fprintf(out, "%*.4f", RUN, runs[i].auroc[a]);
        fputc('\n', out);
    }
}

/* ---- around them ---- */

static void print_subject_of(FILE *out, const struct evaluated *e)
{
    const kelvin_metrics *m = e->metrics;
    const size_t samples = kelvin_metrics_samples(m), chains = kelvin_metrics_chains(m);
    const size_t observations = kelvin_metrics_observations(m);
    print_lines(out, 2, "%s: %s; %zu sample%s of %zu chain%s, %s: %zu observation%s%s", e->name, e->subject, samples,
                plural(samples), chains, plural(chains), e->on, observations, plural(observations),
                e->no_test ? " (the run has no test part)" : "");
    if (e->found) print_lines(out, 4, "  verdict: %s", kelvin_diagnosis_verdict(e->found));
}

static void print_legend(FILE *out, const struct evaluated *runs, size_t n)
{
    const kelvin_metrics *m = runs[0].metrics;
    for (size_t i = 1; i < n && kelvin_metrics_subsets(m) == 0; i++) m = runs[i].metrics;
    const size_t subsets = kelvin_metrics_subsets(m), subset = kelvin_metrics_subset(m);
    const size_t singles = kelvin_metrics_singles(m), samples = kelvin_metrics_samples(m);
    size_t bins;
    kelvin_metrics_bins(m, false, &bins);
    fputc('\n', out);
    if (n == 1 && kelvin_metrics_chains(m) > 1) print_lines(out, 0, "+-: standard error over chains.");
    if (singles < samples)
        print_lines(out, 0, "Single samples, and those in ensembles of %zu: %zu of %zu, at equal distances.", subset,
                    singles, samples);
    if (subsets > 0)
        print_lines(out, 0, "%sEnsembles of %zu: %zu random ones, as in the paper.",
                    n == 1 ? "" : "The first line is the ensemble of all samples. ", subset, subsets);
    else
        print_lines(out, 0, "Error bars of ensembles need more than 8 samples; the paper has 24.");
    print_lines(out, 0, "Calibration error: %zu bin%s of equal width; by mass: of equally many observations.", bins,
                plural(bins));
    if (runs[0].ood)
        print_lines(out, 0, "AUROC: how well that number tells %s (%zu rows) from what was evaluated; 0.5 is chance.",
                    runs[0].ood, runs[0].ood_n);
}

/* The most important column first. */
static void print_effects(FILE *out, const struct evaluated *e, bool named)
{
    enum { COLUMN = 45, NUMBER = 28 };
    const kelvin_effect *effect;
    const size_t rows = kelvin_effects_rows(e->effects), samples = kelvin_effects_samples(e->effects);
    const size_t permutations = kelvin_effects_permutations(e->effects);
    fputc('\n', out);
    print_lines(out, 0,
                "%s%sWhat is lost where a column is shuffled among %zu %s row%s, in nats per row +- standard "
                "error (%zu sample%s, %zu permutation%s):",
                named ? e->name : "", named ? ": " : "", rows, e->on, plural(rows), samples, plural(samples),
                permutations, plural(permutations));
    for (size_t i = 0; (effect = kelvin_effects_at(e->effects, i)); i++) {
        char cell[CELL];
        cell_average(cell, &effect->importance, 1, "", 4, NUMBER);
        fprintf(out, "%-*s%*s\n", field_width(effect->name, COLUMN), effect->name, NUMBER, cell);
    }
}

void eval_print(FILE *out, const struct evaluated *runs, size_t n)
{
    for (size_t i = 0; i < n; i++) print_subject_of(out, &runs[i]);
    for (size_t first = 0; first < n; first += RUNS) {
        fputc('\n', out);
        if (n == 1) {
            print_one(out, runs);
            baselines_print(out, &runs->baselines, runs->metrics, runs->on);
        }
        if (n > 1) print_several(out, runs + first, n - first < RUNS ? n - first : RUNS);
    }
    for (size_t i = 0; i < n; i++)
        if (runs[i].effects) print_effects(out, &runs[i], n > 1);
    print_legend(out, runs, n);
}

/* ---- what is off ---- */

static bool is_doubtful(const struct evaluated *e)
{
    return !e->found || kelvin_diagnosis_grade(e->found) > KELVIN_SOUND;
}

/* Of several pieces of advice the first, which is the gravest. */
static void warn(FILE *out, const char *before, const struct evaluated *e)
{
    char folder[4096], advice[2048];
    shell_word(folder, sizeof folder, e->folder);
    if (!e->found)
        print_lines(out, 2, "%s%s: it cannot be told whether to believe it: %s", before, e->name, e->unknown);
    else if (kelvin_diagnosis_diverged(e->found) > 0)
        print_lines(out, 2, "%s%s: %" PRIu32 " of %" PRIu32 " chains diverged; kelvin diagnose %s says more.", before,
                    e->name, kelvin_diagnosis_diverged(e->found), e->run_chains, folder);
    else {
        kelvin_advice_say(kelvin_diagnosis_advice(e->found, 0), advice, sizeof advice, command_words, NULL);
        print_lines(out, 2, "%s%s: %s (kelvin diagnose %s says more.)", before, e->name, advice, folder);
    }
}

void eval_warn(FILE *out, const char *before, const struct evaluated *runs, size_t n)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        if (!is_doubtful(&runs[i])) continue;
        if (!any && !*before) fputc('\n', out);
        any = true;
        warn(out, before, &runs[i]);
    }
}
