/* A diagnosis as a screen of at most 79 columns: convergence, agreement, what the sampler says of itself, advice. */
#include "cli/eval_table.h"
#include "cli/lines.h"

#include <inttypes.h>
#include <math.h>

enum { MATRIX = 12 }; /* a matrix of more chains does not fit */

/* A number in so many letters; "-" where there is none. */
static void cell(FILE *out, double x, int width, int digits, const char *unit)
{
    char text[CELL] = "-";
    if (!isnan(x)) cell_number(text, x, unit, digits, width - 1);
    fprintf(out, "%*s", width, text);
}

/* ---- convergence ---- */

static void print_row(FILE *out, const char *name, const kelvin_convergence *c)
{
    fprintf(out, "%-12s", name);
    cell(out, c->rhat_mean, 9, 3, "");
    cell(out, c->rhat_max, 9, 3, "");
    cell(out, c->rank_rhat_median, 11, 3, "");
    cell(out, c->rank_rhat_max, 9, 3, "");
    cell(out, c->ess_bulk_median, 11, 0, "");
    cell(out, c->ess_bulk_min, 8, 0, "");
    cell(out, c->ess_tail_min, 10, 0, "");
    fputc('\n', out);
}

static const char *side_name(const kelvin_diagnosis *d)
{
    return kelvin_diagnosis_side(d) == KELVIN_TEST ? "test" : "training";
}

void diagnose_print_convergence(FILE *out, const kelvin_diagnosis *d, const kelvin_samples *samples)
{
    const kelvin_convergence *p = kelvin_diagnosis_convergence(d, KELVIN_PREDICTIONS);
    const size_t all = kelvin_diagnosis_agreement(d)->observations, some = kelvin_diagnosis_observations(d);
    const size_t classes = kelvin_data_classes(kelvin_run_data(kelvin_samples_run(samples)));
    char which[64] = "";
    if (p->draws < 2) return;
    fprintf(out, "%30s%20s%19s%10s\n", "R-hat of the paper", "rank-normalised", "bulk ESS", "tail ESS");
    fprintf(out, "%21s%9s%11s%9s%11s%8s%10s\n", "mean", "max", "median", "max", "median", "min", "min");
    print_row(out, "parameters", kelvin_diagnosis_convergence(d, KELVIN_PARAMETERS));
    print_row(out, "predictions", p);
    if (some < all) snprintf(which, sizeof which, "%zu of ", some);
    print_lines(out, 0,
                "Of %zu chain%s with %zu samples each. Predictions: the probabilit%s at %s%zu %s observations. ESS: so "
                "many independent samples would tell as much.",
                p->chains, plural(p->chains), p->draws, classes == 2 ? "y of the first class" : "ies of all classes",
                which, all, side_name(d));
}

/* ---- agreement ---- */

/* Which two chains are farthest apart. */
static void farthest(char out[CELL], const kelvin_agreement *a, const double *matrix)
{
    size_t best = 0;
    for (size_t i = 0; i < a->chains * a->chains; i++)
        if (matrix[i] > matrix[best]) best = i;
    if (matrix[best] > 0)
        snprintf(out, CELL, "%" PRIu32 " and %" PRIu32, a->number[best / a->chains], a->number[best % a->chains]);
    else
        snprintf(out, CELL, "-");
}

static void print_gap(FILE *out, const char *name, const kelvin_agreement *a, const double *matrix, double mean,
                      double max, double within)
{
    char pair[CELL];
    farthest(pair, a, matrix);
    fprintf(out, "%-28s", name);
    cell(out, 100 * mean, 12, 2, " %");
    cell(out, 100 * max, 12, 2, " %");
    fprintf(out, "%13s", pair);
    cell(out, 100 * within, 14, 2, " %");
    fputc('\n', out);
}

static void print_matrix(FILE *out, const kelvin_agreement *a)
{
    fprintf(out, "\n%% of observations with another most likely class, chain by chain\n%6s", "");
    for (size_t j = 0; j + 1 < a->chains; j++) fprintf(out, "%6" PRIu32, a->number[j]);
    fputc('\n', out);
    for (size_t i = 1; i < a->chains; i++) {
        fprintf(out, "%6" PRIu32, a->number[i]);
        for (size_t j = 0; j < i; j++) cell(out, 100 * a->disagreement[i * a->chains + j], 6, 1, "");
        fputc('\n', out);
    }
}

static size_t chains_with_samples(const kelvin_samples *samples)
{
    size_t n = 0;
    for (size_t i = 0; i < kelvin_samples_count(samples); i++)
        n += i == 0 || kelvin_samples_chain(samples, i) != kelvin_samples_chain(samples, i - 1);
    return n;
}

static void print_agreement(FILE *out, const kelvin_diagnosis *d, const kelvin_samples *samples)
{
    const kelvin_agreement *a = kelvin_diagnosis_agreement(d);
    const size_t all = chains_with_samples(samples);
    if (a->chains < 2) return;
    if (kelvin_diagnosis_convergence(d, KELVIN_PREDICTIONS)->draws > 1) fputc('\n', out);
    fprintf(out, "%-28s%12s%12s%13s%14s\n", "two chains differ by", "on average", "at most", "of chains", "within one");
    print_gap(out, "another most likely class", a, a->disagreement, a->disagreement_mean, a->disagreement_max,
              a->within_disagreement);
    print_gap(out, "total variation", a, a->variation, a->variation_mean, a->variation_max, a->within_variation);
    char which[64] = "";
    if (a->chains < all) snprintf(which, sizeof which, " %zu of %zu chains,", a->chains, all);
    print_lines(out, 0, "The ensemble of each chain at %zu %s observations,%s%s", a->observations, side_name(d), which,
                isnan(a->within_variation)
                    ? " by pairs."
                    : " by pairs; within: samples of one chain, half of it apart. Where chains mix, "
                      "their ensembles differ far less than that.");
    if (a->chains > 2 && a->chains <= MATRIX) print_matrix(out, a);
}

/* ---- what the sampler says ---- */

static void print_temperature(FILE *out, const char *name, const kelvin_average *is, const kelvin_temperatures *t)
{
    if (t->chains == 0 || isnan(is->mean)) return;
    fprintf(out, "%-28s%12.4f", name, is->mean);
    if (!isnan(is->error)) fprintf(out, " +- %.4f", is->error);
    fprintf(out, "   set: %.4g\n", t->set);
}

static void print_energy(FILE *out, const kelvin_diagnosis *d, const kelvin_run *run)
{
    const double error = kelvin_diagnosis_number(d, "energy_error");
    const double variance = kelvin_diagnosis_number(d, "energy_variance");
    if (!isnan(error)) fprintf(out, "%-28s%12.4f\n", "energy error, median", error);
    if (isnan(variance)) return;
    fprintf(out, "%-28s%12.2e   mean: %.2e", "energy variance, median", variance,
            kelvin_diagnosis_number(d, "energy_variance_mean"));
    if (!kelvin_run_step_is_given(run)) fprintf(out, "; set: %g", kelvin_run_number(run, "energy_variance"));
    fputc('\n', out);
}

static void print_training(FILE *out, const kelvin_diagnosis *d, size_t classes)
{
    const double accuracy = kelvin_diagnosis_number(d, "training_accuracy");
    if (isnan(accuracy)) return;
    fprintf(out, "%-28s%10.1f %%   mean of single samples\n", "training accuracy", 100 * accuracy);
    fprintf(out, "%-28s%10.1f %%   guessing: %.1f %%\n", "training confidence",
            100 * kelvin_diagnosis_number(d, "training_confidence"), 100.0 / (double)classes);
    fprintf(out, "%-28s%12.4f   by observation; guessing: %.4f\n", "training log-likelihood",
            kelvin_diagnosis_number(d, "training_log_likelihood"), -log((double)classes));
}

/* The ensemble beside the baselines. */
static void print_comparison(FILE *out, const kelvin_diagnosis *d)
{
    static const char *const names[][3] = {
        {"beyond a linear model", "beyond_linear", "beyond_linear_error"},
        {"beyond class frequencies", "beyond_frequencies", "beyond_frequencies_error"},
    };
    if (isnan(kelvin_diagnosis_number(d, names[0][1]))) return;
    fprintf(out, "%-28s%12.4f   by %s row\n", "ensemble log-likelihood", kelvin_diagnosis_number(d, "log_likelihood"),
            side_name(d));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fprintf(out, "%-28s%12.4f +- %.4f\n", names[i][0], kelvin_diagnosis_number(d, names[i][1]),
                kelvin_diagnosis_number(d, names[i][2]));
    fprintf(out, "%-28s%10.1f %%   by chance: %.1f %%\n", "calibration error",
            100 * kelvin_diagnosis_number(d, "calibration_error"),
            100 * kelvin_diagnosis_number(d, "calibration_error_by_chance"));
}

static void print_sampler(FILE *out, const kelvin_diagnosis *d, const kelvin_run *run)
{
    const kelvin_temperatures *t = kelvin_diagnosis_temperatures(d);
    const double acceptance = kelvin_diagnosis_number(d, "acceptance");
    fputc('\n', out);
    if (!isnan(acceptance)) fprintf(out, "%-28s%10.1f %%\n", "acceptance", 100 * acceptance);
    print_energy(out, d, run);
    print_temperature(out, "kinetic temperature", &t->kinetic, t);
    print_temperature(out, "configurational temperature", &t->configurational, t);
    print_training(out, d, kelvin_data_classes(kelvin_run_data(run)));
    print_comparison(out, d);
    print_temperatures_legend(out, t, run);
}

static void print_all_diverged(FILE *out, const kelvin_diagnosis *d, const kelvin_samples *samples)
{
    const uint32_t chains = kelvin_run_chains(kelvin_samples_run(samples));
    char title[64];
    snprintf(title, sizeof title, "diverged: %" PRIu32 " of %" PRIu32 " chains", kelvin_diagnosis_diverged(d), chains);
    if (kelvin_diagnosis_diverged(d) > 0) print_diverged(out, title, samples);
}

void diagnose_print(FILE *out, const kelvin_diagnosis *d, const kelvin_samples *samples)
{
    print_subject(out, kelvin_samples_run(samples));
    print_sampling(out, kelvin_samples_run(samples), kelvin_samples_count(samples));
    fputc('\n', out);
    print_verdict(out, d);
    fputc('\n', out);
    diagnose_print_convergence(out, d, samples);
    print_agreement(out, d, samples);
    print_sampler(out, d, kelvin_samples_run(samples));
    print_all_diverged(out, d, samples);
    print_advice(out, "notes", d, kelvin_diagnosis_note, KELVIN_SOUND);
    print_advice(out, "advice", d, kelvin_diagnosis_advice, KELVIN_SOUND);
}
