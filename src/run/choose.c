/* Settings from the data: a plan, a search, and what follows from them. */
#include "run/choose.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* Chains come before samples, and whatever decides the posterior before how it is sampled. */
static const char *const choosable[] = {
    "model", "density", "prior",     "chains", "samples", "epochs", "batch", "schedule",   "temperature_schedule",
    "lr",    "augment", "step_size", "steps",  "jitter",  "length", "scale", "iterations", "warmup",
};

const char *kelvin_choosable(size_t i)
{
    return i < sizeof choosable / sizeof *choosable ? choosable[i] : NULL;
}

bool kelvin_is_choosable(const char *field)
{
    for (size_t i = 0; kelvin_choosable(i); i++)
        if (strcmp(kelvin_choosable(i), field) == 0) return true;
    return false;
}

/* ---- texts ---- */

/* How far a confident prior pushes: until the K - 1 wrong classes have 0.007 together, and not, as the paper's -50, so
 * far that one wrong prediction costs more than hundreds of right ones gain. alpha is 1 - 1 / K. */
static double clip_of(double alpha)
{
    return -5 - log(alpha / (1 - alpha));
}

void kelvin_candidate_texts(char density[KELVIN_PLAN_TEXT], char prior[KELVIN_PLAN_TEXT],
                            const struct kelvin_candidate *candidate)
{
    *density = *prior = '\0';
    if (candidate->alpha == 1)
        snprintf(density, KELVIN_PLAN_TEXT, "categorical");
    else if (!isnan(candidate->alpha))
        snprintf(density, KELVIN_PLAN_TEXT, "dirclip:%.3g,%.3g", candidate->alpha, clip_of(candidate->alpha));
    if (isnan(candidate->scale)) return;
    if (candidate->narrow > 0)
        snprintf(prior, KELVIN_PLAN_TEXT, "sparse:%g,%g", candidate->scale, candidate->narrow);
    else
        snprintf(prior, KELVIN_PLAN_TEXT, "fan-in:%g", candidate->scale);
}

__attribute__((format(printf, 2, 3))) static void say(char *said, const char *format, ...)
{
    const size_t used = strlen(said);
    va_list list;
    va_start(list, format);
    vsnprintf(said + used, KELVIN_CHOSEN - used, format, list);
    va_end(list);
}

/* ---- the work ---- */

struct work {
    struct kelvin_choice *choice;
    const struct kelvin_chooser *how;
    struct kelvin_plan plan;
    struct kelvin_found found;
    const kelvin_sampler_type *type;
};

static bool is_open(const struct work *w, const char *field)
{
    return !w->how->said(w->how->whose, field);
}

/* What was said leaves fewer candidates. */
static void narrow(struct work *w)
{
    struct kelvin_plan *plan = &w->plan;
    size_t n = 0;
    for (size_t i = 0; i < plan->candidates; i++) {
        struct kelvin_candidate c = plan->candidate[i];
        bool new = true;
        if (!is_open(w, "density")) c.alpha = NAN;
        if (!is_open(w, "prior")) c.scale = NAN;
        for (size_t k = 0; k < n; k++) {
            const struct kelvin_candidate *o = &plan->candidate[k];
            new &= !((o->alpha == c.alpha || isnan(c.alpha)) &&
                     ((o->scale == c.scale && o->narrow == c.narrow) || isnan(c.scale)));
        }
        if (new) plan->candidate[n++] = c;
    }
    plan->candidates = n;
}

static kelvin_status make_plan(struct work *w)
{
    const kelvin_data *data = w->how->data;
    if (data->channels > 0)
        KELVIN_TRY(kelvin_plan_pictures(&w->plan, data, w->type->batches));
    else
        kelvin_plan_table(&w->plan, data, w->type->batches);
    narrow(w);
    if (is_open(w, "model")) {
        memcpy(w->choice->model, w->plan.model, sizeof w->choice->model);
        w->choice->config.model = w->choice->model;
    }
    return KELVIN_OK;
}

/* Short runs are by the sampler that looks at batches, whichever one the run itself is by: what is searched for is a
 * posterior. */
static kelvin_status set_trials(struct kelvin_search *search, const struct work *w)
{
    const kelvin_run_config *c = &w->choice->config;
    const struct kelvin_plan *plan = &w->plan;
    kelvin_run_config *t = &search->config;
    enum { CHAINS = 2, DRAWS = 16 };
    KELVIN_TRY(kelvin_run_defaults(t, kelvin_sampler_info(0)->member.name));
    t->model = c->model;
    t->density = c->density;
    t->prior = c->prior;
    t->seed = c->seed;
    t->temperature = c->temperature > 0 ? c->temperature : 1;
    t->chains = CHAINS;
    t->epochs = plan->trial;
    t->samples = CHAINS * (plan->trial / 2 < DRAWS ? 1 : DRAWS);
    t->batch = w->type->batches && !is_open(w, "batch") ? kelvin_batch_of(c->batch, w->how->data) : plan->batch;
    t->schedule = t->temperature_schedule = "steady";
    t->augment = w->type->batches && !is_open(w, "augment") ? c->augment : plan->augment;
    search->lr_is_said = w->type->batches && !is_open(w, "lr");
    if (search->lr_is_said) t->setting[0] = c->setting[0];
    return KELVIN_OK;
}

static kelvin_status search(struct work *w)
{
    struct kelvin_search s = {.data = w->how->data,
                              .plan = &w->plan,
                              .threads = w->how->threads,
                              .tell = w->how->tell,
                              .context = w->how->context};
    w->found = (struct kelvin_found){.lr = w->plan.lr, .configurational = 1, .epochs = w->plan.trial};
    if (w->plan.folds == 0) return KELVIN_OK;
    KELVIN_TRY(set_trials(&s, w));
    return kelvin_search_run(&w->found, &s);
}

static void take_posterior(struct work *w)
{
    struct kelvin_choice *choice = w->choice;
    char density[KELVIN_PLAN_TEXT], prior[KELVIN_PLAN_TEXT];
    kelvin_candidate_texts(density, prior, &w->plan.candidate[w->found.best]);
    if (*density) {
        memcpy(choice->density, density, sizeof density);
        choice->config.density = choice->density;
    }
    if (*prior) {
        memcpy(choice->prior, prior, sizeof prior);
        choice->config.prior = choice->prior;
    }
}

/* ---- how long ---- */

/* What short runs lack of their temperature falls off exponentially: how much longer until a few per cent are left. A
 * run needs that before its first sample, which comes after two fifths of it. */
static uint32_t choose_epochs(const struct work *w)
{
    const struct kelvin_plan *plan = &w->plan;
    const double left = 0.03, lacks = fabs(1 - w->found.configurational), settles = 0.4;
    const double longer = lacks <= left ? 0.5 : lacks < 1 ? log(left) / log(lacks) : INFINITY;
    const double epochs = fmax(plan->epochs, longer / settles * w->found.epochs);
    return epochs < plan->most_epochs ? (uint32_t)epochs : plan->most_epochs;
}

/* Chains by which the samples can be divided, at most as many as the plan has. */
static uint32_t divide(uint32_t samples, uint32_t most)
{
    uint32_t chains = samples < most ? samples : most;
    while (samples % chains) chains--;
    return chains;
}

static kelvin_status choose_batches(struct work *w)
{
    kelvin_run_config *c = &w->choice->config;
    const struct kelvin_plan *plan = &w->plan;
    const kelvin_schedule *schedule;
    if (is_open(w, "lr")) c->setting[0] = w->found.lr;
    if (is_open(w, "batch")) c->batch = plan->batch;
    if (is_open(w, "augment")) c->augment = plan->augment;
    if (is_open(w, "schedule")) c->schedule = plan->schedule;
    if (is_open(w, "temperature_schedule")) c->temperature_schedule = c->schedule;
    if (is_open(w, "epochs")) c->epochs = choose_epochs(w);
    KELVIN_TRY(kelvin_schedule_parse(&schedule, c->schedule));
    const uint32_t settling = kelvin_schedule_settling(schedule, c->epochs), room = c->epochs - settling;
    const uint32_t draws = !schedule->samples_on_the_way ? 1 : plan->draws < room ? plan->draws : room;
    if (is_open(w, "chains"))
        c->chains = !is_open(w, "samples") ? (draws > 1 ? divide(c->samples, plan->chains) : c->samples)
                                           : (draws > 1 ? plan->chains : 2 * plan->chains);
    if (is_open(w, "samples")) c->samples = c->chains * draws;
    return KELVIN_OK;
}

/* Samplers that look at all data are tuned on the posterior that was found. */
static kelvin_status choose_all_data(struct work *w)
{
    kelvin_run_config *c = &w->choice->config;
    const struct kelvin_tuner tuner = {w->how->data,    w->how->said, w->how->whose,
                                       w->how->threads, w->how->tell, w->how->context};
    if (is_open(w, "chains")) c->chains = w->plan.chains;
    return kelvin_run_tune(c, &w->choice->tuned, &tuner);
}

/* ---- in words ---- */

static void explain(struct work *w)
{
    const kelvin_run_config *c = &w->choice->config;
    char *said = w->choice->said;
    say(said, "%s", c->model);
    if (is_open(w, "model")) say(said, " %s", w->plan.why);
    say(said, "; density %s and prior %s", c->density, c->prior);
    if (w->plan.candidates > 1 && w->found.held > 0 && !isnan(w->found.nll[w->found.best]))
        say(said, ", one of %zu, by %zu predictions of training rows that were held out (%.3f nats each)",
            w->plan.candidates, w->found.held, w->found.nll[w->found.best]);
    else if (is_open(w, "density") && is_open(w, "prior"))
        say(said, ", as for all data of this kind");
    if (!w->type->batches) {
        say(said, "; steps are tuned; %u chains of %u iterations, of which %u warm up", c->chains, c->iterations,
            c->warmup);
        return;
    }
    say(said, "; learning rate %g", c->setting[0]);
    if (is_open(w, "lr") && w->plan.folds > 0) say(said, ", the largest at which temperatures are right");
    say(said, "; %u chain%s of %u epochs with %u sample%s", c->chains, c->chains == 1 ? "" : "s", c->epochs, c->samples,
        c->samples == 1 ? "" : "s");
}

kelvin_status kelvin_choose(struct kelvin_choice *choice, const kelvin_run_config *config,
                            const struct kelvin_chooser *how)
{
    struct work w = {.choice = choice, .how = how};
    *choice = (struct kelvin_choice){.config = *config};
    KELVIN_TRY(kelvin_sampler_find(&w.type, config->sampler));
    KELVIN_TRY(make_plan(&w));
    KELVIN_TRY(search(&w));
    take_posterior(&w);
    KELVIN_TRY(w.type->batches ? choose_batches(&w) : choose_all_data(&w));
    explain(&w);
    return KELVIN_OK;
}
