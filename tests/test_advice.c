/* Advice on runs, and notes: of a run with which all is well there is none; of each trouble it is the right one. */
#include "check.h"

#include "posterior/advice.h"

#include <stdio.h>

struct case_of {
    kelvin_run run;
    struct kelvin_run_owned inside;
    kelvin_data data;
    kelvin_diagnosis found;
    struct kelvin_facts facts;
    struct kelvin_advice_list said;
};

/* A run with which all is well. */
static struct case_of *healthy(const char *sampler)
{
    static struct case_of c;
    memset(&c, 0, sizeof c);
    assert_ok(kelvin_run_defaults(&c.run.config, sampler));
    assert_ok(kelvin_sampler_find(&c.run.sampler, sampler));
    c.run.config.chains = 4;
    c.run.config.samples = 80;
    c.run.config.schedule = c.run.config.temperature_schedule = "cyclical";
    c.run.owned = &c.inside;
    assert_ok(kelvin_schedule_parse(&c.inside.schedule, "cyclical"));
    c.inside.temperature_schedule = c.inside.schedule;
    c.data.classes = 10;
    c.data.train.n = 144;
    c.run.data = &c.data;
    c.found = kelvin_nothing_found();
    c.found.predictions = c.found.parameters = (kelvin_convergence){.quantities = 10,
                                                                    .chains = 4,
                                                                    .draws = 20,
                                                                    .rhat_mean = 1.01,
                                                                    .rhat_max = 1.05,
                                                                    .rank_rhat_median = 1.002,
                                                                    .rank_rhat_max = 1.005,
                                                                    .ess_bulk_median = 4000,
                                                                    .ess_bulk_min = 2000,
                                                                    .ess_tail_min = 1000};
    c.found.agreement.variation_mean = 0.05;
    c.found.agreement.disagreement_mean = 0.12;
    c.found.training_accuracy = 0.9;
    c.found.training_log_likelihood = -0.5;
    c.found.training_confidence = 0.7;
    c.found.temperatures = (kelvin_temperatures){10, 4, 1, {1.02, 0.01}, {0.97, 0.02}};
    c.found.acceptance = c.run.sampler->accepts ? 0.65 : (double)NAN;
    c.facts = (struct kelvin_facts){.run = &c.run, .found = &c.found, .samples = 80};
    return &c;
}

/* Every code that comes up is one of the table, and the table has it once. */
static void check_codes(const struct kelvin_advice_list *said)
{
    for (size_t i = 0; i < said->n; i++) {
        size_t found = 0;
        for (size_t k = 0; kelvin_advice_about(k); k++)
            found += strcmp(said->code[i], kelvin_advice_about(k)->code) == 0;
        assert_int_equal(found, 1);
    }
}

/* The i-th piece, in the library's own words. */
static const char *piece(const struct case_of *c, size_t i)
{
    static char text[KELVIN_RAW];
    kelvin_words_say(text, sizeof text, c->said.raw[i], NULL, NULL);
    return text;
}

static void advised(struct case_of *c, size_t n, const char *sentence)
{
    kelvin_advise(&c->said, &c->facts);
    check_codes(&c->said);
    const size_t found = c->said.n;
    for (size_t i = 0; i < found && found == n; i++)
        if (strstr(piece(c, i), sentence)) return;
    if (found != n || n > 0)
        fail_msg("%zu pieces of advice, the first \"%s\"; expected %zu, \"%s\"", found, found ? piece(c, 0) : "", n,
                 sentence);
}

static void noted(struct case_of *c, size_t n, const char *sentence)
{
    kelvin_annotate(&c->said, &c->facts);
    check_codes(&c->said);
    const size_t found = c->said.n;
    for (size_t i = 0; i < found && found == n; i++)
        if (strstr(piece(c, i), sentence)) return;
    if (found != n || n > 0)
        fail_msg("%zu notes, the first \"%s\"; expected %zu, \"%s\"", found, found ? piece(c, 0) : "", n, sentence);
}

/* The last that was said of the case: codes in their order, of which programs may depend on each. */
static void coded(const struct case_of *c, const char *codes)
{
    char said[256] = "";
    for (size_t i = 0; i < c->said.n; i++)
        snprintf(said + strlen(said), sizeof said - strlen(said), "%s%s", i ? " " : "", c->said.code[i]);
    assert_string_equal(said, codes);
}

static void advice_on_sghmc(void **state)
{
    (void)state;
    struct case_of *c = healthy("sghmc");
    advised(c, 0, "");
    noted(c, 0, "");
    c->found.predictions.rhat_mean = 1.2;
    advised(c, 1, "R-hat 1.20 on average; chains that mix have 1)");
    coded(c, "chains-disagree");
    advised(c, 1, "at 12.0 % of the observations. Give each cycle more epochs; until");
    c->found.predictions.draws = 4;
    advised(c, 1, "R-hat 1.20");
    c->found.predictions.draws = 3; /* too few to say so */
    advised(c, 0, "");
    c->found.predictions.draws = 20;
    c->run.config.schedule = "constant";
    advised(c, 1, "Give them more epochs, and a warm start with init");
    c->run.config.init = "RUN";
    advised(c, 1, "Give them more epochs; until");
    c->found.agreement.variation_mean = 1e-5; /* apart, but nobody would notice */
    advised(c, 0, "");
    c->found.agreement.variation_mean = 0.05;
    c->run.config.temperature = 0; /* a deep ensemble: apart, as it should be */
    c->found.temperatures.set = 0;
    advised(c, 0, "");
    noted(c, 1, "At temperature 0 chains are trained, not sampled");
    coded(c, "trained-not-sampled");

    c = healthy("sghmc");
    c->found.predictions.ess_bulk_median = 15;
    advised(c, 1, "The 80 samples are worth about 15 independent ones");
    c->found.temperatures.kinetic.mean = 2.29; /* problems that do not follow from each other, the gravest first */
    c->found.temperatures.configurational.mean = 2.2;
    advised(c, 2, "The kinetic temperature is 2.29 where 1 was set: steps are too large");
    assert_non_null(strstr(piece(c, 0), "kinetic"));
    coded(c, "kinetic-temperature-high samples-alike");
    advised(c, 2, "The 80 samples are worth about 15 independent ones");
    c->found.predictions.rhat_mean = 1.34; /* of which few effective samples are a consequence */
    c->found.agreement.disagreement_mean = 0.12;
    advised(c, 2,
            "(R-hat 1.34 on average; chains that mix have 1). Two of them have another most likely class at "
            "12.0 % of");
    c->found.temperatures.kinetic.mean = 1;
    advised(c, 2, "The configurational temperature is 2.2 where 1 was set");
    coded(c, "configurational-temperature-off chains-disagree");
    c->run.config.schedule = c->run.config.temperature_schedule = "paper"; /* cut short: no temperature can be right */
    c->run.config.epochs = 2;
    advised(c, 2, "The schedule reached temperature");
    coded(c, "schedule-cut-short chains-disagree");

    c = healthy("sghmc");
    c->found.temperatures.kinetic.mean = 1.3;
    c->found.temperatures.kinetic.error = 0.11; /* less than three of its errors: it may be chance */
    advised(c, 0, "");
    c->found.temperatures.kinetic.error = 0.09;
    advised(c, 1, "The kinetic temperature is 1.3");
    c->found.training_accuracy = 0.12;
    advised(
        c, 2,
        "are right (chance: 10.0 %). Chains that have not settled may be the reason: make lr smaller, or lr = auto.");
    coded(c, "nothing-learnt kinetic-temperature-high"); /* the gravest first */
    c->found.temperatures.kinetic.mean = 1;
    c->run.config.density = "dirclip:0.5,-50";
    advised(c, 1, "It may be the density (dirclip:0.5,-50) or the temperature (1) that leads away from the labels;");
    c->run.config.density = "categorical";
    c->found.temperatures.kinetic.mean = 1.3;
    c->data.classes = 2; /* of two classes 0.6 is more than chance, 0.54 hardly */
    c->found.training_accuracy = 0.6;
    advised(c, 1, "kinetic");
    c->found.training_accuracy = 0.54;
    advised(c, 2, "hardly better than chance");

    c = healthy("sghmc");
    c->run.config.chains = 1;
    advised(c, 1, "One chain has nothing to be compared with");
    coded(c, "one-chain");
    c = healthy("sghmc");
    c->found.temperatures.kinetic.mean = 0.5;
    advised(c, 1, "the momenta have not warmed up");
    coded(c, "kinetic-temperature-low");
}

static void advice_on_divergence(void **state)
{
    (void)state;
    struct case_of *c = healthy("sghmc");
    const char *diverged[4] = {NULL, "chain 1 diverged", "chain 2 diverged", NULL};
    c->found.diverged = 2;
    c->facts.diverged = diverged;
    c->found.temperatures.kinetic.mean = 1.3;
    advised(c, 2, "The kinetic temperature is 1.3 where 1 was set");
    c->found.temperatures.kinetic.mean = 1;
    advised(c, 1, "Chains 1, 2 diverged, and are left out of the report: make lr smaller.");
    c->found.kept = 5;
    advised(c, 1, "of their samples the 5 from before are in the report: make lr smaller.");
    c->run.config.density = "dirichlet:0.9";
    advised(c, 1, "use density = dirclip:0.9,-50, for dirichlet has no bound");
    c->run.config.density = "categorical";
    c->found.diverged = 1;
    diverged[2] = NULL;
    advised(c, 1, "Chain 1 diverged; of its samples the 5 from before are in the report: make lr smaller.");
    c->found.kept = 1;
    advised(c, 1, "of its samples the 1 from before is in the report");
    coded(c, "chains-diverged");
    c->facts.samples = 85;
    noted(c, 1, "are of the 4 chains with 20 samples; the others have fewer");
    coded(c, "chains-unequal");
}

static void advice_on_hmc(void **state)
{
    (void)state;
    struct case_of *c = healthy("hmc");
    advised(c, 0, "");
    c->found.acceptance = 0.017;
    advised(c, 1, "1.7 % of the proposals were accepted, fewer than 60 %: make step_size smaller");
    coded(c, "acceptance-low");
    c->found.acceptance = 0.999;
    advised(c, 1, "a larger step_size");
    coded(c, "acceptance-high");
    c->found.diverged = 1; /* of which the opposite follows */
    c->facts.diverged = (const char *const[4]){NULL, "chain 1 diverged", NULL, NULL};
    advised(c, 1, "Chain 1 diverged, and is left out of the report: make step_size smaller.");
    c->found.diverged = 0;
    /* A sampler without an energy is content with less. */
    const kelvin_sampler_type walk = {.member.name = "walk", .accepts = true, .step_setting = "step_size"};
    c->run.sampler = &walk;
    advised(c, 1, "99.9 % of the proposals were accepted, more than 70 %: a larger step_size");
    c->found.acceptance = 0.25;
    advised(c, 0, "");
    c->found.acceptance = 0.017;
    advised(c, 1, "1.7 % of the proposals were accepted, fewer than 10 %: make step_size smaller");
    c = healthy("hmc");
    c->found.predictions.rank_rhat_max = 1.02;
    c->found.predictions.ess_tail_min = 399;
    advised(c, 2, "Fewer than 100 effective draws per chain in function space (399 of 400)");
    advised(c, 2, "R-hat up to 1.020;");
    coded(c, "chains-disagree effective-draws-few");
    c->found.predictions.chains = 3;
    c->found.predictions.ess_tail_min = 301;
    advised(c, 2, "fewer than four chains");
    c->found.predictions.rank_rhat_max = NAN;
    advised(c, 2, "at least four draws after the warm-up");
    coded(c, "draws-few chains-few");
    c->found = kelvin_nothing_found(); /* nobody has looked */
    advised(c, 0, "");
}

/* Neither accepts nor rejects, and has one temperature alone. */
static void advice_on_mclmc(void **state)
{
    (void)state;
    struct case_of *c = healthy("mclmc");
    c->found.temperatures.kinetic = (kelvin_average){NAN, NAN};
    advised(c, 0, "");
    noted(c, 0, "");
    c->found.temperatures.configurational.mean = 1.3;
    advised(c, 1,
            "The configurational temperature is 1.3 where 1 was set: the parameters have not quite settled, or steps "
            "are too "
            "large; give them more iterations, or make energy_variance smaller.");
    c->found.energy_variance = 4.9e-3; /* of 5e-4 */
    advised(c, 1, "The configurational temperature is 1.3");
    c->found.energy_variance = 5.1e-3; /* of which the temperature may follow */
    advised(c, 1,
            "The energy variance is 0.0051, far above the 0.0005 of energy_variance: steps are too large, and as "
            "none is rejected the draws are biased. Steps are tuned in warm-up: give it a longer warmup.");
    assert_ok(kelvin_run_set(&c->run.config, "step_size", 0.5));
    advised(c, 1, "the draws are biased. Make step_size smaller.");
    coded(c, "energy-variance-high");
    c->found.energy_variance = 1e-5; /* outliers may make any mean of it */
    c->found.energy_variance_mean = 0.1;
    advised(c, 1, "give them more iterations, or make step_size smaller.");
    c->found.diverged = 1;
    c->facts.diverged = (const char *const[4]){NULL, "chain 1 diverged", NULL, NULL};
    advised(c, 2, "Chain 1 diverged, and is left out of the report: make step_size smaller.");
    c->found.diverged = 0;
    c->found.temperatures.configurational.error = 0.11; /* less than three of its errors: it may be chance */
    advised(c, 0, "");
    c->found.predictions.rank_rhat_max = 1.02;
    c->found.predictions.ess_tail_min = 399;
    advised(c, 2, "Fewer than 100 effective draws per chain in function space (399 of 400)");
    advised(c, 2, "R-hat up to 1.020; 1.01 is fine): run them longer, with more iterations.");
}

/* All that can be said of a run by any sampler: nothing of one with which all is well, or that nobody has looked at. */
static void advice_on_every_sampler(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    for (size_t i = 0; (type = kelvin_sampler_info(i)); i++) {
        struct case_of *c = healthy(type->member.name);
        advised(c, 0, "");
        noted(c, 0, "");
        c->found = kelvin_nothing_found();
        advised(c, 0, "");
        c->found.diverged = 1;
        c->facts.diverged = (const char *const[4]){NULL, "chain 1 diverged", NULL, NULL};
        char smaller[64];
        snprintf(smaller, sizeof smaller, "make %s smaller.", type->step_setting);
        advised(c, 1, smaller);
        advised(c, 1, "Chain 1 diverged, and is left out of the report: ");
        c = healthy(type->member.name);
        c->run.config.chains = 1;
        advised(c, 1, "One chain has nothing to be compared with");
        c = healthy(type->member.name);
        c->found.training_accuracy = 0.12;
        advised(c, 1, "are right (chance: 10.0 %)");
    }
}

/* Three classes: guessing has a log-likelihood of -1.0986, a confidence of 1/3 and disagrees at 2/3. */
static void advice_on_learning(void **state)
{
    (void)state;
    struct case_of *c = healthy("sghmc");
    c->data.classes = 3;
    c->found.training_accuracy = 0.54;
    c->found.training_confidence = 0.368;
    c->found.training_log_likelihood = -1.05;
    advised(c, 1,
            "learnt next to nothing: on their own training data single samples have a mean log-likelihood of "
            "-1.050 (guessing: -1.099) and a confidence of 36.8 % (guessing: 33.3 %). It is most likely the "
            "prior, normal:0.1, that is too narrow for this model and 144 rows: use prior = auto and lr = auto.");
    c->run.config.prior = "normal:2";
    advised(c, 1, "normal:2, that is too narrow for this model and 144 rows: use prior = auto and lr = auto.");
    c->run.config.prior = "none"; /* than which none is wider */
    advised(c, 1, "Have the network and its prior chosen from the data: model = auto, prior = auto.");
    c->found.training.baseline[KELVIN_FREQUENCIES] = -1.09; /* nor can others tell more */
    c->found.training.baseline[KELVIN_LINEAR] = -1.08;
    advised(c, 1, "perhaps there is nothing to learn from these inputs.");
    c->found.training = kelvin_quality_unknown();
    c->run.config.prior = "normal:0.1";
    c->found.training_log_likelihood = -0.98; /* 0.9 log 3 = 0.989 */
    advised(c, 0, "");
    c->found.training_log_likelihood = -1.4; /* sure, wrong at times, and right more often */
    c->found.training_confidence = 0.8;
    advised(c, 0, "");
    c->found.training_log_likelihood = -0.6;
    c->found.agreement.disagreement_mean = 0.33;
    advised(c, 0, "");
    c->found.agreement.disagreement_mean = 0.34;
    advised(c, 1, "another most likely class at 34.0 % of the observations, on average; guessing would have 66.7 %.");
    coded(c, "chains-scattered");
    c->found.predictions.rhat_mean = 1.3; /* which says it already */
    advised(c, 1, "R-hat 1.30 on average");

    /* HMC under DirClip at the 18 points of the toy: the paper's figure 1, and as it should be. */
    c = healthy("hmc");
    c->data.classes = 2;
    c->data.train.n = 18;
    c->found.training_accuracy = 0.69;
    c->found.training_confidence = 0.61;
    c->found.training_log_likelihood = -0.58;
    advised(c, 0, "");
    c->found.training_log_likelihood = -0.68;
    advised(c, 1, "It may be the density (");
}

static void notes(void **state)
{
    (void)state;
    struct case_of *c = healthy("sghmc");
    c->found.parameters.rhat_mean = 3.5;
    noted(c, 1, "The parameters have an R-hat of 3.50 while predictions agree. This is expected of networks");
    coded(c, "parameters-differ");
    advised(c, 0, "");
    c->found.predictions.rhat_mean = 1.3;
    noted(c, 0, "");
    for (size_t i = 0; i < 3; i++) { /* any other R-hat that says that they do not agree */
        c = healthy("sghmc");
        c->found.parameters.rhat_mean = 3.5;
        kelvin_convergence *p = &c->found.predictions;
        *(double *const[]){&p->rhat_max, &p->rank_rhat_median, &p->rank_rhat_max}[i] = 1.3;
        noted(c, 0, "");
        p->rhat_max = 1.05;
        p->rank_rhat_median = p->rank_rhat_max = NAN; /* too few draws */
        noted(c, 1, "while predictions agree");
    }
    c = healthy("hmc");
    c->found.parameters.rhat_mean = 3.5;
    noted(c, 1, "The parameters have an R-hat of 3.50 while predictions agree.");
    c->found.predictions.rank_rhat_max = 1.02; /* of which the advice says that they do not */
    noted(c, 0, "");
    c = healthy("sghmc");
    c->found.predictions.draws = c->found.parameters.draws = 1;
    c->facts.samples = 4;
    c->found.predictions.rhat_mean = NAN;
    noted(c, 2, "With one sample per chain, as in the paper, R-hat and effective sample sizes are not defined");
    noted(c, 2, "Error bars of ensembles need more than 8 samples; here are 4.");
    coded(c, "one-sample-per-chain no-error-bars");
    c->found.predictions.draws = 3;
    c->facts.samples = 12;
    noted(c, 1, "The rank-normalised R-hat needs at least four samples per chain; here are 3.");
    c->found.predictions.draws = 9;
    c->facts.samples = 36;
    noted(c, 1, "Effective sample sizes need at least ten samples per chain; here are 9.");
    coded(c, "samples-per-chain-few");
    c->found.predictions.draws = 10;
    c->facts.samples = 40;
    noted(c, 0, "");
    c->facts.lost = "RUN/chain-000/history.csv is lost";
    c->facts.n_lost = 1;
    c->facts.no_training = true;
    c->found.parameters.quantities = 0;
    noted(c, 3, "RUN/chain-000/history.csv is lost.");
    coded(c, "history-lost training-logits-missing sample-files-missing");
}

/* docs/answers.md has a row for each code. */
static void codes_are_documented(void **state)
{
    (void)state;
    static char page[1 << 16];
    FILE *file = fopen(SOURCE_ROOT "/docs/answers.md", "r");
    assert_non_null(file);
    const size_t n = fread(page, 1, sizeof page - 1, file);
    assert_true(n > 0 && n < sizeof page - 1);
    fclose(file);
    for (size_t i = 0; kelvin_advice_about(i); i++) {
        char row[128];
        snprintf(row, sizeof row, "| `%s` | %s |", kelvin_advice_about(i)->code, kelvin_advice_about(i)->about);
        if (!strstr(page, row)) fail_msg("docs/answers.md has no row %s", row);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(advice_on_sghmc),
        cmocka_unit_test(advice_on_divergence),
        cmocka_unit_test(advice_on_learning),
        cmocka_unit_test(advice_on_hmc),
        cmocka_unit_test(advice_on_mclmc),
        cmocka_unit_test(advice_on_every_sampler),
        cmocka_unit_test(notes),
        cmocka_unit_test(codes_are_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
