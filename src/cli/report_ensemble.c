/* The summary of a run by SGHMC. Training metrics are of one clean pass over the plain training set with the samples'
 * own parameters; test metrics and log-likelihoods of ensembles are the numbers that the paper reports. */
#include "cli/report_ensemble.h"

#include "base/files.h"
#include "cli/eval_table.h"
#include "cli/options.h"
#include "cli/report.h"
#include "posterior/advice.h"
#include "posterior/diagnosis.h"
#include "posterior/logits.h"
#include "run/chains.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* ---- what there is to say ---- */

/* Of a chain that diverged: a sentence; "" of the others. */
struct chain_facts {
    uint32_t samples;
    char diverged[KELVIN_NOTE];
};

struct facts {
    const kelvin_run *run;
    struct chain_facts *chains; /* (chains) */
    uint32_t diverged;          /* so many of them */
    size_t samples;
    uint32_t *sample_chain;     /* (samples): which chain each is of */
    kelvin_metrics train, test; /* test.n is 0 if there is nothing to test with; both are if there are no samples */
    kelvin_diagnosis *found;    /* temperatures and advice; NULL if there are no samples */
};

/* Logits are what a run writes last. */
static kelvin_status evaluate(kelvin_metrics *out, const struct facts *f, const char *folder,
                              const struct kelvin_logits_file *file)
{
    kelvin_logits *logits;
    kelvin_path z, y;
    if (file->part->n == 0) return KELVIN_OK;
    KELVIN_TRY(kelvin_path_join(z, folder, "%s", file->name));
    KELVIN_TRY(kelvin_path_join(y, folder, "%s", file->labels));
    if (access(z, F_OK))
        return kelvin_fail(KELVIN_EFORMAT,
                           "%s: has no %s: the run has not ended, or no chain came to its end; kelvin resume %s goes "
                           "on with it, or says why not",
                           folder, file->name, folder);
    const struct kelvin_logits_form form = {.logits = z,
                                            .labels = y,
                                            .chain = f->sample_chain,
                                            .samples = f->samples,
                                            .n = file->part->n,
                                            .classes = f->run->data->classes};
    KELVIN_TRY(kelvin_logits_from_files(&logits, &form));
    const kelvin_status status = kelvin_evaluate(out, logits, NULL);
    kelvin_logits_close(logits);
    return status;
}

/* A chain that has fewer samples than it should: did it diverge? If not, all of them are in the logits, wherever the
 * files are now. */
static kelvin_status look_at(struct facts *f, uint32_t chain, const char *folder)
{
    const kelvin_run *run = f->run;
    const uint32_t steps = kelvin_steps_per_epoch(run) * run->config.epochs;
    kelvin_path path;
    uint32_t step;
    KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_STATE_FILE, chain));
    if (access(path, F_OK) == 0)
        KELVIN_TRY(kelvin_state_peek(&step, f->chains[chain].diverged, path, run, chain, steps));
    if (f->chains[chain].diverged[0])
        f->diverged++;
    else
        f->chains[chain].samples = kelvin_cycles(&run->config);
    return KELVIN_OK;
}

static kelvin_status look_at_chains(struct facts *f, const char *folder)
{
    const kelvin_run_config *c = &f->run->config;
    struct kelvin_sample_place place = {0};
    kelvin_path path;
    while (kelvin_sample_next(path, &place, folder) && place.chain < c->chains) f->chains[place.chain].samples++;
    for (uint32_t i = 0; i < c->chains; i++) {
        if (f->chains[i].samples < kelvin_cycles(c)) KELVIN_TRY(look_at(f, i, folder));
        for (uint32_t k = 0; k < f->chains[i].samples && f->samples < c->samples; k++)
            f->sample_chain[f->samples++] = i;
    }
    return KELVIN_OK;
}

static kelvin_status find_advice(struct facts *f, const char *folder)
{
    kelvin_samples *samples;
    KELVIN_TRY(kelvin_samples_open(&samples, folder));
    const kelvin_status status = kelvin_diagnose_briefly(&f->found, samples, f->train.single[KELVIN_ACCURACY].mean);
    kelvin_samples_close(samples);
    return status;
}

static kelvin_status gather(struct facts *f, const char *folder)
{
    struct kelvin_logits_file files[KELVIN_PARTS];
    kelvin_metrics *metrics[KELVIN_PARTS] = {&f->train, &f->test};
    f->chains = kelvin_alloc(f->run->config.chains, sizeof *f->chains);
    f->sample_chain = kelvin_alloc(f->run->config.samples, sizeof *f->sample_chain);
    if (!f->chains || !f->sample_chain) return KELVIN_ENOMEM;
    KELVIN_TRY(look_at_chains(f, folder));
    kelvin_logits_files(files, f->run->data);
    for (size_t i = 0; i < KELVIN_PARTS && f->samples > 0; i++) KELVIN_TRY(evaluate(metrics[i], f, folder, &files[i]));
    return f->samples > 0 ? find_advice(f, folder) : KELVIN_OK;
}

static kelvin_status nothing_left(const struct facts *f)
{
    char advice[KELVIN_SENTENCES];
    kelvin_advise_stable(advice, &f->run->config);
    return kelvin_fail(KELVIN_EDIVERGED, "%s diverged: %s (%s)",
                       f->run->config.chains == 1 ? "the chain" : "all chains", advice, f->chains[0].diverged);
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
    if (f->samples > f->train.chains)
        print_lines(out, f->train.chains > 1
                             ? "+-: standard error over chains; samples of one chain are not independent."
                             : "One chain has no standard errors: its samples are not independent. Use more --chains.");
    else if (f->samples > 1)
        print_lines(out, "+-: standard error over samples; of temperatures: over chains.");
    if (f->samples > f->train.chains && strcmp(f->run->config.schedule, "constant") == 0 &&
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
    print_sampling(out, f->run, f->samples);
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

static json_t *warnings_json(const struct facts *f)
{
    json_t *list = json_array();
    for (size_t i = 0; f->found && i < f->found->n_advice; i++)
        json_array_append_new(list, json_string(f->found->advice[i]));
    return list;
}

static json_t *diverged_json(const struct facts *f)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < f->run->config.chains; i++)
        if (f->chains[i].diverged[0])
            json_array_append_new(list,
                                  json_pack("{s:I, s:s}", "chain", (json_int_t)i, "sentence", f->chains[i].diverged));
    return list;
}

static json_t *sample_chain_json(const struct facts *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->samples; i++) json_array_append_new(list, json_integer(f->sample_chain[i]));
    return list;
}

static json_t *facts_json(const struct facts *f)
{
    json_t *object = config_json(&f->run->config);
    json_object_set_new(object, "samples", json_integer((json_int_t)f->samples));
    json_object_set_new(object, "samples_asked_for", json_integer((json_int_t)f->run->config.samples));
    json_object_set_new(object, "sample_chain", sample_chain_json(f));
    json_object_set_new(object, "diverged", diverged_json(f));
    json_object_set_new(object, "training", metrics_json(&f->train));
    json_object_set_new(object, "test", metrics_json(&f->test));
    json_object_set_new(object, "temperatures", f->found ? json_temperatures(&f->found->temperatures) : json_null());
    json_object_set_new(object, "seconds", f->run->seconds > 0 ? json_number(f->run->seconds) : json_null());
    json_object_set_new(object, "warnings", warnings_json(f));
    return object;
}

static kelvin_status tell(FILE *out, const struct facts *f, bool json)
{
    if (json) KELVIN_TRY(print_json(out, facts_json(f), FEW_DIGITS));
    if (f->samples == 0) return nothing_left(f);
    if (!json) print_table(out, f);
    return KELVIN_OK;
}

kelvin_status report_ensemble(FILE *out, const kelvin_run *run, const char *folder, bool json)
{
    struct facts facts = {.run = run};
    kelvin_status status = gather(&facts, folder);
    if (!status) status = tell(out, &facts, json);
    kelvin_free(facts.chains);
    kelvin_free(facts.sample_chain);
    kelvin_diagnosis_free(facts.found);
    return status;
}
