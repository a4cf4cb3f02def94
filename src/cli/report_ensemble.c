/* The summary of a run by SGHMC. Training metrics are of one clean pass over the plain training set with the samples'
 * own parameters; test metrics and log-likelihoods of ensembles are the numbers that the paper reports. */
#include "cli/report_ensemble.h"

#include "cli/eval_table.h"
#include "cli/report.h"
#include "posterior/diagnosis.h"
#include "run/room.h"

#include <string.h>

/* ---- what there is to say ---- */

struct facts {
    const kelvin_run *run;
    kelvin_samples *samples;
    kelvin_metrics train, test; /* test.n is 0 if there is nothing to test with; both are if there are no samples */
    kelvin_diagnosis *found;    /* temperatures and advice; NULL if there are no samples */
};

static kelvin_status evaluate(kelvin_metrics *out, const struct facts *f, kelvin_side side)
{
    kelvin_logits *logits;
    KELVIN_TRY(kelvin_logits_saved(&logits, f->samples, side));
    const kelvin_status status = kelvin_evaluate(out, logits, NULL);
    kelvin_logits_close(logits);
    return status;
}

static kelvin_status gather(struct facts *f, const char *folder)
{
    KELVIN_TRY(kelvin_samples_find(&f->samples, folder));
    if (f->samples->n == 0) return KELVIN_OK;
    KELVIN_TRY(evaluate(&f->train, f, KELVIN_TRAIN));
    if (f->run->data->test.n > 0) KELVIN_TRY(evaluate(&f->test, f, KELVIN_TEST));
    return kelvin_diagnose_briefly(&f->found, f->samples, &f->train);
}

/* ---- for people ---- */

/* 79 letters: name, cell, cell, with two spaces between them that no number takes. */
enum { ROOM = 22, NAME_WIDTH = 31, WIDTH = 24 };

#define RANGE_NAME "    10 % .. 90 % of them"

static const struct {
    const char *name;
    kelvin_metric metric;
    enum metric_kind kind;
} rows[] = {
    {"accuracy, single samples", KELVIN_ACCURACY, SINGLE},
    {"accuracy, ensemble", KELVIN_ACCURACY, ENSEMBLE},
    {"accuracy, ensembles of 8", KELVIN_ACCURACY, MEDIAN},
    {RANGE_NAME, KELVIN_ACCURACY, RANGE},
    {"confidence, single samples", KELVIN_CONFIDENCE, SINGLE},
    {"confidence, ensemble", KELVIN_CONFIDENCE, ENSEMBLE},
    {"calibration error, ensemble", KELVIN_ECE, ENSEMBLE},
    {"Brier score, ensemble", KELVIN_BRIER, ENSEMBLE},
    {"log-likelihood, single, mean", KELVIN_MEAN_LOG_LIKELIHOOD, SINGLE},
    {"log-likelihood, ensemble, mean", KELVIN_MEAN_LOG_LIKELIHOOD, ENSEMBLE},
    {"log-likelihood, ensemble, sum", KELVIN_LOG_LIKELIHOOD, ENSEMBLE},
    {"log-likelihood, ensembles of 8", KELVIN_LOG_LIKELIHOOD, MEDIAN},
    {RANGE_NAME, KELVIN_LOG_LIKELIHOOD, RANGE},
};

static void print_metrics(FILE *out, const struct facts *f)
{
    const bool tested = f->test.n > 0;
    fprintf(out, "%*s%*s\n", NAME_WIDTH + WIDTH, "training", tested ? WIDTH : 0, tested ? "test" : "");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].kind > ENSEMBLE && f->train.subsets == 0) continue;
        char train[CELL], test[CELL] = "";
        metric_cell(train, &f->train, rows[i].metric, rows[i].kind, true, ROOM);
        if (tested) metric_cell(test, &f->test, rows[i].metric, rows[i].kind, true, ROOM);
        fprintf(out, "%-*s%*s%*s\n", NAME_WIDTH, rows[i].name, WIDTH, train, tested ? WIDTH : 0, test);
    }
}

static void print_temperature(FILE *out, const char *name, const kelvin_average *is, const kelvin_temperatures *t)
{
    char cell[CELL];
    cell_average(cell, is, 1, "", 4, ROOM);
    fprintf(out, "%-*s%*s     set: %.4g\n", NAME_WIDTH, name, WIDTH, cell, t->set);
}

static void print_legend(FILE *out, const struct facts *f)
{
    const kelvin_temperatures *t = &f->found->temperatures;
    fputc('\n', out);
    print_lines(
        out, "Training: one clean pass at the end over the data as they are (the paper: augmented images, as they were "
             "met during the last epoch).");
    if (f->samples->n > f->train.chains)
        print_lines(out, f->train.chains > 1
                             ? "+-: standard error over chains; samples of one chain are not independent."
                             : "One chain has no standard errors: its samples are not independent. Use more --chains.");
    else if (f->samples->n > 1)
        print_lines(out, "+-: standard error over samples; of temperatures: over chains.");
    if (f->samples->n > f->train.chains && strcmp(f->run->config.schedule, "constant") == 0 &&
        strcmp(f->run->config.init, "none") == 0)
        print_lines(out, "Schedule constant: samples are from the beginning on. Give a warm start with --init.");
    if (f->train.subsets > 0)
        print_lines(
            out,
            "Ensembles of %zu: the median of %zu random ones, and what four in five of them are within, as in the "
            "paper.",
            f->train.subset, f->train.subsets);
    else
        print_lines(out, "Error bars of ensembles need more than 8 samples; the paper has 24.");
    print_lines(out, "Temperatures: of the last %zu epoch%s of %zu chain%s.", t->epochs, t->epochs == 1 ? "" : "s",
                t->chains, t->chains == 1 ? "" : "s");
}

static void print_table(FILE *out, const struct facts *f)
{
    print_subject(out, f->run);
    print_sampling(out, f->run, f->samples->n);
    fputc('\n', out);
    print_metrics(out, f);
    print_temperature(out, "kinetic temperature", &f->found->temperatures.kinetic, &f->found->temperatures);
    print_temperature(out, "configurational temperature", &f->found->temperatures.configurational,
                      &f->found->temperatures);
    if (f->run->seconds > 0) fprintf(out, "%-*s%*.1f\n", NAME_WIDTH, "seconds", WIDTH, f->run->seconds);
    print_legend(out, f);
    print_list(out, "warnings", f->found->advice, f->found->n_advice);
}

/* ---- for programs ---- */

static json_t *config_json(const kelvin_run_config *c)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:f, s:I, s:I, s:I, s:f, s:f, s:s, s:s, s:s, s:s, s:o}", "sampler",
                     c->sampler, "data", c->data, "model", c->model, "density", c->density, "prior", c->prior,
                     "temperature", c->temperature, "chains", (json_int_t)c->chains, "epochs", (json_int_t)c->epochs,
                     "batch", (json_int_t)c->batch, "lr", c->lr, "momentum", c->momentum, "schedule", c->schedule,
                     "temperature_schedule", c->temperature_schedule, "augment", c->augment, "init", c->init, "seed",
                     json_seed(c->seed));
}

static json_t *facts_json(const struct facts *f)
{
    json_t *object = config_json(&f->run->config);
    json_object_set_new(object, "samples", json_integer((json_int_t)f->samples->n));
    json_object_set_new(object, "samples_asked_for", json_integer((json_int_t)f->run->config.samples));
    json_object_set_new(object, "sample_chain", json_numbers(f->samples->chain, f->samples->n));
    json_object_set_new(object, "diverged", json_diverged(f->samples));
    json_object_set_new(object, "training", metrics_json(&f->train));
    json_object_set_new(object, "test", metrics_json(&f->test));
    json_object_set_new(object, "temperatures", f->found ? json_temperatures(&f->found->temperatures) : json_null());
    json_object_set_new(object, "seconds", f->run->seconds > 0 ? json_number(f->run->seconds) : json_null());
    json_object_set_new(object, "warnings", f->found ? json_texts(f->found->advice, f->found->n_advice) : json_array());
    return object;
}

static kelvin_status tell(FILE *out, const struct facts *f, bool json)
{
    if (json) KELVIN_TRY(print_json(out, facts_json(f), FEW_DIGITS));
    if (f->samples->n == 0) return kelvin_samples_none(f->samples);
    if (!json) print_table(out, f);
    return KELVIN_OK;
}

kelvin_status report_ensemble(FILE *out, const kelvin_run *run, const char *folder, bool json)
{
    struct facts facts = {.run = run};
    kelvin_status status = gather(&facts, folder);
    if (!status) status = tell(out, &facts, json);
    kelvin_diagnosis_free(facts.found);
    kelvin_samples_close(facts.samples);
    return status;
}
