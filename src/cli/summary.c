/* The summary of a run, by any sampler. Training metrics are of one clean pass over the plain training set with the
 * samples' own parameters; test metrics and log-likelihoods of ensembles are the numbers that the paper reports. */
#include "cli/eval_table.h"
#include "cli/json.h"
#include "cli/lines.h"
#include "cli/runs.h"

#include <math.h>
#include <string.h>

/* ---- what there is to say ---- */

struct facts {
    const kelvin_run *run;
    kelvin_samples *samples;
    kelvin_metrics *train, *test; /* test: NULL if there is nothing to test with; both are if there are no samples */
    struct baselines on_train, on_test;
    kelvin_diagnosis *found; /* NULL if there are no samples */
};

static kelvin_status evaluate(kelvin_metrics **out, const struct facts *f, kelvin_side side)
{
    kelvin_logits *logits;
    KELVIN_TRY(kelvin_logits_saved(&logits, f->samples, side));
    const kelvin_status status = kelvin_evaluate(out, logits, NULL);
    kelvin_logits_close(logits);
    return status;
}

/* Convergence can be told where every iteration is a draw; where samples are few and large, looking for it would take
 * long and find nothing. */
static kelvin_status gather(struct facts *f)
{
    KELVIN_TRY(kelvin_samples_find(&f->samples, kelvin_run_folder(f->run)));
    if (kelvin_samples_count(f->samples) == 0) return KELVIN_OK;
    note_samples(f->samples);
    KELVIN_TRY(evaluate(&f->train, f, KELVIN_TRAIN));
    KELVIN_TRY(baselines_measure(&f->on_train, f->samples, "train", 0, 0));
    if (kelvin_data_rows(kelvin_run_data(f->run), KELVIN_TEST) > 0) {
        KELVIN_TRY(evaluate(&f->test, f, KELVIN_TEST));
        KELVIN_TRY(baselines_measure(&f->on_test, f->samples, "test", 0, 0));
    }
    if (!kelvin_run_looks_at_batches(f->run)) return kelvin_diagnose(&f->found, f->samples, 0);
    return kelvin_diagnose_briefly(&f->found, f->samples, 0);
}

/* ---- for people ---- */

/* 79 letters: name, cell, cell, with two spaces between them that no number takes. */
enum { ROOM = 22, NAME_WIDTH = 31, WIDTH = 24 };

/* What is told of a metric, of those that are shown here, in this order. A word that is shorter, where there is one. */
static const struct {
    enum kelvin_shown shown;
    enum metric_kind kind;
    const char *name, *shorter;
} kinds[] = {
    {KELVIN_SHOWN_SINGLE, SINGLE, "single samples", "single"},
    {KELVIN_SHOWN_ENSEMBLE, ENSEMBLE, "ensemble", NULL},
    {KELVIN_SHOWN_SUBSETS, MEDIAN, "ensembles of 8", NULL},
};

/* "log-likelihood, mean" of single samples is "log-likelihood, single, mean", so far as there is room. */
static void name_row(char out[NAME_WIDTH], const char *title, size_t kind)
{
    const int head = (int)strcspn(title, ",");
    const char *name = kinds[kind].name, *shorter = kinds[kind].shorter, *tail = title + head;
    if (snprintf(out, NAME_WIDTH, "%.*s, %s%s", head, title, name, tail) < NAME_WIDTH) return;
    if (shorter && snprintf(out, NAME_WIDTH, "%.*s, %s%s", head, title, shorter, tail) < NAME_WIDTH) return;
    snprintf(out, NAME_WIDTH, "%.*s, %s", head, title, name);
}

static void print_metric(FILE *out, const struct facts *f, const char *name, size_t metric, enum metric_kind kind)
{
    char train[CELL], test[CELL] = "";
    metric_cell(train, f->train, metric, kind, true, ROOM);
    if (f->test) metric_cell(test, f->test, metric, kind, true, ROOM);
    fprintf(out, "%-*s%*s%*s\n", NAME_WIDTH, name, WIDTH, train, f->test ? WIDTH : 0, test);
}

static void print_metrics(FILE *out, const struct facts *f)
{
    const bool tested = f->test, subsets = kelvin_metrics_subsets(f->train) > 0;
    fprintf(out, "%*s%*s\n", NAME_WIDTH + WIDTH, "training", tested ? WIDTH : 0, tested ? "test" : "");
    for (size_t i = 0; i < kelvin_metrics_count(); i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            const kelvin_metric_info *about = kelvin_metric_at(i);
            char name[NAME_WIDTH];
            if (!(about->shown & kinds[k].shown) || (kinds[k].kind == MEDIAN && !subsets)) continue;
            name_row(name, about->title, k);
            print_metric(out, f, name, i, kinds[k].kind);
            if (kinds[k].kind == MEDIAN) print_metric(out, f, "    10 % .. 90 % of them", i, RANGE);
        }
}

/* A note may follow the cell. */
static void print_row(FILE *out, const char *name, const char *cell, const char *note)
{
    fprintf(out, "%-*s%*s%s\n", NAME_WIDTH, name, WIDTH, cell, note);
}

static void print_number(FILE *out, const char *name, double x, const char *unit, int digits)
{
    char cell[CELL];
    if (isnan(x)) return;
    cell_number(cell, x, unit, digits, ROOM);
    print_row(out, name, cell, "");
}

static void print_temperature(FILE *out, const char *name, const kelvin_average *is, const kelvin_temperatures *t)
{
    char cell[CELL], set[CELL];
    if (t->chains == 0 || isnan(is->mean)) return;
    cell_average(cell, is, 1, "", 4, ROOM);
    snprintf(set, sizeof set, "     set: %.4g", t->set);
    print_row(out, name, cell, set);
}

/* What the size of steps was tuned to, if it was. */
static void print_energy_variance(FILE *out, const struct facts *f)
{
    char cell[CELL], set[64] = "";
    const double variance = kelvin_diagnosis_number(f->found, "energy_variance");
    if (isnan(variance)) return;
    snprintf(cell, sizeof cell, "%.2e", variance);
    if (!kelvin_run_step_is_given(f->run))
        snprintf(set, sizeof set, "     set: %g", kelvin_run_number(f->run, "energy_variance"));
    print_row(out, "energy variance, median", cell, set);
}

/* What its sampler has to say; not all have the same. */
static void print_sampler(FILE *out, const struct facts *f)
{
    const kelvin_temperatures *t = kelvin_diagnosis_temperatures(f->found);
    print_temperature(out, "kinetic temperature", &t->kinetic, t);
    print_temperature(out, "configurational temperature", &t->configurational, t);
    print_number(out, "acceptance", 100 * kelvin_diagnosis_number(f->found, "acceptance"), " %", 1);
    print_number(out, "energy error, median", kelvin_diagnosis_number(f->found, "energy_error"), "", 4);
    print_energy_variance(out, f);
    if (kelvin_run_seconds(f->run) > 0) print_number(out, "seconds", kelvin_run_seconds(f->run), "", 1);
    if (kelvin_diagnosis_convergence(f->found, KELVIN_PREDICTIONS)->draws > 1) fputc('\n', out);
    diagnose_print_convergence(out, f->found, f->samples);
}

static void print_legend(FILE *out, const struct facts *f)
{
    const size_t chains = kelvin_metrics_chains(f->train), subsets = kelvin_metrics_subsets(f->train);
    const size_t samples = kelvin_samples_count(f->samples);
    fputc('\n', out);
    if (kelvin_run_looks_at_batches(f->run))
        print_lines(out, 0,
                    "Training: one clean pass at the end over the data as they are (the paper: augmented images, "
                    "as they were met during the last epoch).");
    if (samples > chains)
        print_lines(out, 0,
                    chains > 1
                        ? "+-: standard error over chains; samples of one chain are not independent."
                        : "One chain has no standard errors: its samples are not independent. Use more --chains.");
    else if (samples > 1)
        print_lines(out, 0, "+-: standard error over samples; of temperatures: over chains.");
    if (samples > chains && kelvin_diagnosis_starts_cold(f->found))
        print_lines(out, 0, "Schedule %s: samples are from the beginning on. Give a warm start with --init.",
                    kelvin_run_text(f->run, "schedule"));
    if (subsets > 0)
        print_lines(
            out, 0,
            "Ensembles of %zu: the median of %zu random ones, and what four in five of them are within, as in the "
            "paper.",
            kelvin_metrics_subset(f->train), subsets);
    else
        print_lines(out, 0, "Error bars of ensembles need more than 8 samples; the paper has 24.");
    print_temperatures_legend(out, kelvin_diagnosis_temperatures(f->found), f->run);
}

static void print_table(FILE *out, const struct facts *f)
{
    print_subject(out, f->run);
    print_sampling(out, f->run, kelvin_samples_count(f->samples));
    fputc('\n', out);
    print_verdict(out, f->found);
    fputc('\n', out);
    print_metrics(out, f);
    print_sampler(out, f);
    baselines_print(out, f->test ? &f->on_test : &f->on_train, f->test ? f->test : f->train,
                    f->test ? "test" : "train");
    print_legend(out, f);
    print_advice(out, "warnings", f->found, kelvin_diagnosis_advice, KELVIN_CARE);
}

/* ---- for programs ---- */

static json_t *convergence_json(const kelvin_convergence *c)
{
    return c->draws > 1 ? json_convergence(c) : json_null();
}

static void add_findings(json_t *object, const struct facts *f)
{
    static const char *const numbers[] = {"acceptance", "energy_error", "energy_variance", "energy_variance_mean"};
    const kelvin_diagnosis *d = f->found;
    json_object_set_new(object, "temperatures",
                        d ? json_temperatures(kelvin_diagnosis_temperatures(d), f->run) : json_null());
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(object, numbers[i], d ? json_number(kelvin_diagnosis_number(d, numbers[i])) : json_null());
    json_object_set_new(object, "parameters",
                        d ? convergence_json(kelvin_diagnosis_convergence(d, KELVIN_PARAMETERS)) : json_null());
    json_object_set_new(object, "predictions",
                        d ? convergence_json(kelvin_diagnosis_convergence(d, KELVIN_PREDICTIONS)) : json_null());
    json_object_set_new(object, "verdict", d ? json_verdict(d) : json_null());
    json_object_set_new(object, "warnings", d ? json_advice(d, kelvin_diagnosis_advice) : json_array());
}

/* "samples" of the configuration are those that were asked for; here they are those that there are. */
static json_t *facts_json(const struct facts *f)
{
    const double seconds = kelvin_run_seconds(f->run);
    json_t *object = json_config(f->run, NULL);
    if (!object) return NULL;
    json_object_set_new(object, "samples", json_integer((json_int_t)kelvin_samples_count(f->samples)));
    json_object_set_new(object, "samples_asked_for", json_integer((json_int_t)kelvin_run_samples_asked_for(f->run)));
    json_object_set_new(object, "sample_chain", json_sample_chain(f->samples));
    json_object_set_new(object, "diverged", json_diverged(f->samples));
    json_object_set_new(object, "training", metrics_json(f->train));
    json_object_set_new(object, "test", metrics_json(f->test));
    json_object_set_new(
        object, "baselines",
        json_pack("{s:o, s:o}", "training", baselines_json(&f->on_train), "test", baselines_json(&f->on_test)));
    json_object_set_new(object, "seconds", seconds > 0 ? json_number(seconds) : json_null());
    add_findings(object, f);
    return object;
}

static kelvin_status tell(FILE *out, const struct facts *f, bool json)
{
    if (json) KELVIN_TRY(print_json(out, facts_json(f), FEW_DIGITS));
    if (kelvin_samples_count(f->samples) == 0) return kelvin_samples_none(f->samples);
    if (!json) print_table(out, f);
    return KELVIN_OK;
}

kelvin_status run_summary(FILE *out, size_t *kept, const kelvin_run *run, bool json)
{
    struct facts facts = {.run = run};
    kelvin_status status = gather(&facts);
    if (!status) status = tell(out, &facts, json);
    *kept = facts.found ? kelvin_diagnosis_kept(facts.found) : 0;
    kelvin_diagnosis_free(facts.found);
    kelvin_metrics_free(facts.train);
    kelvin_metrics_free(facts.test);
    baselines_free(&facts.on_train);
    baselines_free(&facts.on_test);
    kelvin_samples_close(facts.samples);
    return status;
}
