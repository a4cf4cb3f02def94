/* One chain of SGHMC over the epochs of its data. A step is: put a batch together, take its gradient, move, and look
 * whether all is well. */
#include "run/chain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- history ---- */

enum { DIGITS = 9 }; /* for people; a checkpoint has all of them */

const struct kelvin_column kelvin_epoch_columns[KELVIN_EPOCH_COLUMNS] = {
    [EPOCH] = {"epoch", 0, UINT32_MAX, true, 0},
    [RATE] = {"lr", 0, INFINITY, false, DIGITS},
    [TEMPERATURE] = {"temperature", 0, INFINITY, false, DIGITS},
    [ACCURACY] = {"training_accuracy", 0, 1, false, DIGITS},
    [CONFIDENCE] = {"confidence", 0, 1, false, DIGITS},
    [LOG_POSTERIOR] = {"log_posterior", -INFINITY, INFINITY, false, DIGITS},
    [LOGIT_RANGE] = {"logit_range", -INFINITY, INFINITY, false, DIGITS},
    [GRADIENT_NORM] = {"gradient_norm", -INFINITY, INFINITY, false, DIGITS},
    [KINETIC] = {"kinetic_temperature", -INFINITY, INFINITY, false, DIGITS},
    [CONFIGURATIONAL] = {"configurational_temperature", -INFINITY, INFINITY, false, DIGITS},
};

static double rate_of(const struct kelvin_chain *chain, uint32_t epoch)
{
    const kelvin_run_config *c = &chain->run->config;
    const kelvin_schedule *schedule = kelvin_run_inside(chain->run)->schedule;
    return c->lr * schedule->rate(kelvin_schedule_progress(schedule, epoch, c->epochs, kelvin_cycles(c)));
}

static double temperature_of(const struct kelvin_chain *chain, uint32_t epoch)
{
    const kelvin_run_config *c = &chain->run->config;
    const kelvin_schedule *schedule = kelvin_run_inside(chain->run)->temperature_schedule;
    return c->temperature *
           schedule->temperature(kelvin_schedule_progress(schedule, epoch, c->epochs, kelvin_cycles(c)));
}

void kelvin_epoch_row(double row[KELVIN_EPOCH_COLUMNS], const struct kelvin_chain *chain, uint32_t epoch)
{
    const struct kelvin_epoch_sums *s = &chain->sums;
    row[EPOCH] = epoch;
    row[RATE] = rate_of(chain, epoch);
    row[TEMPERATURE] = temperature_of(chain, epoch);
    row[ACCURACY] = s->hits / s->n;
    row[CONFIDENCE] = s->confidence / s->n;
    row[LOG_POSTERIOR] = s->logp / s->steps;
    row[LOGIT_RANGE] = s->range;
    row[GRADIENT_NORM] = s->gradient / s->steps;
    row[KINETIC] = s->kinetic / s->steps;
    row[CONFIGURATIONAL] = s->configurational / s->steps;
}

kelvin_status kelvin_chain_history(const struct kelvin_chain *chain, const char *folder, uint32_t step)
{
    kelvin_path path;
    KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_HISTORY_FILE, chain->number));
    return kelvin_table_write(path, kelvin_epoch_columns, KELVIN_EPOCH_COLUMNS, chain->history,
                              step / chain->steps_per_epoch);
}

/* ---- making one ---- */

kelvin_status kelvin_snapshot_create(struct kelvin_snapshot *snapshot, size_t n)
{
    *snapshot = (struct kelvin_snapshot){0};
    snapshot->theta = kelvin_alloc(n, sizeof *snapshot->theta);
    snapshot->v = kelvin_alloc(n, sizeof *snapshot->v);
    return snapshot->theta && snapshot->v ? KELVIN_OK : KELVIN_ENOMEM;
}

void kelvin_snapshot_free(struct kelvin_snapshot *snapshot)
{
    kelvin_free(snapshot->theta);
    kelvin_free(snapshot->v);
    *snapshot = (struct kelvin_snapshot){0};
}

kelvin_status kelvin_chain_create(struct kelvin_chain *chain, const kelvin_run *run, uint32_t number)
{
    const kelvin_run_config *config = &run->config;
    const size_t n = run->data->train.n;
    *chain = (struct kelvin_chain){.run = run, .number = number};
    chain->steps_per_epoch = kelvin_steps_per_epoch(run);
    chain->steps = chain->steps_per_epoch * config->epochs;
    chain->history = kelvin_alloc((size_t)config->epochs * KELVIN_EPOCH_COLUMNS, sizeof *chain->history);
    chain->order = kelvin_alloc(n, sizeof *chain->order);
    if (!chain->history || !chain->order) return KELVIN_ENOMEM;
    return kelvin_snapshot_create(&chain->good, run->model->n_params);
}

void kelvin_chain_destroy(struct kelvin_chain *chain)
{
    kelvin_sghmc_destroy(chain->sampler);
    kelvin_posterior_destroy(chain->posterior);
    kelvin_snapshot_free(&chain->good);
    kelvin_free(chain->history);
    kelvin_free(chain->order);
    *chain = (struct kelvin_chain){0};
}

kelvin_status kelvin_chain_threads(struct kelvin_chain *chain, size_t threads)
{
    if (threads == chain->threads) return KELVIN_OK;
    const kelvin_run *run = chain->run;
    const struct kelvin_run_owned *inside = kelvin_run_inside(run);
    const kelvin_posterior_options options = {.batch = run->config.batch, .threads = threads, .outputs = true};
    kelvin_posterior *posterior;
    KELVIN_TRY(kelvin_posterior_create(&posterior, run->model, &inside->density,
                                       inside->has_prior ? &inside->prior : NULL, run->data, &options));
    kelvin_posterior_destroy(chain->posterior);
    chain->posterior = posterior;
    chain->threads = threads;
    const kelvin_target target = kelvin_posterior_target(posterior);
    if (chain->sampler) {
        kelvin_sghmc_retarget(chain->sampler, &target);
        return KELVIN_OK;
    }
    const kelvin_sghmc_options sampler = {.momentum = run->config.momentum, .observations = (double)run->data->train.n};
    return kelvin_sghmc_create(&chain->sampler, &target, &sampler, run->config.seed, chain->number);
}

/* ---- where it starts ---- */

kelvin_status kelvin_chain_begin(struct kelvin_chain *chain)
{
    const kelvin_run *run = chain->run;
    KELVIN_TRY(kelvin_start(chain->good.theta, run, chain->number));
    kelvin_sghmc_init(chain->sampler, chain->good.theta, NULL);
    kelvin_chain_keep(chain);
    return KELVIN_OK;
}

void kelvin_chain_take_up(struct kelvin_chain *chain)
{
    chain->step = chain->good.step;
    chain->sums = chain->good.sums;
    kelvin_sghmc_init(chain->sampler, chain->good.theta, chain->good.v);
}

/* ---- steps ---- */

void kelvin_chain_now(struct kelvin_snapshot *state, const struct kelvin_chain *chain)
{
    const size_t bytes = chain->run->model->n_params * sizeof(float);
    state->step = chain->step;
    state->sums = chain->sums;
    state->diverged[0] = '\0';
    memcpy(state->theta, kelvin_sghmc_theta(chain->sampler), bytes);
    memcpy(state->v, kelvin_sghmc_momentum(chain->sampler), bytes);
}

void kelvin_chain_keep(struct kelvin_chain *chain)
{
    kelvin_chain_now(&chain->good, chain);
}

static kelvin_status next_batch(struct kelvin_chain *chain, uint32_t epoch)
{
    const kelvin_run *run = chain->run;
    const size_t batch = run->config.batch, first = (chain->step - epoch * chain->steps_per_epoch) * batch;
    const kelvin_epoch about = {
        .seed = run->config.seed, .chain = chain->number, .epoch = epoch, .augment = kelvin_run_inside(run)->augment};
    if (chain->ordered != epoch + 1) kelvin_data_order(chain->order, run->data->train.n, &about);
    chain->ordered = epoch + 1;
    return kelvin_posterior_set_part(chain->posterior, run->data, &run->data->train, chain->order + first, batch,
                                     &about);
}

static void add_to(struct kelvin_epoch_sums *s, const kelvin_sghmc_info *info, const kelvin_outputs *outputs)
{
    s->steps += 1;
    s->n += (double)outputs->n;
    s->hits += (double)outputs->hits;
    s->confidence += outputs->confidence;
    s->range = fmax(s->range, outputs->range);
    s->logp += info->logp;
    s->gradient += info->gradient;
    s->kinetic += info->kinetic;
    s->configurational += info->configurational;
}

/* What is wrong with a step; NULL if nothing is. */
static const char *what_diverged(const struct kelvin_chain *chain, const kelvin_sghmc_info *info,
                                 const kelvin_outputs *outputs)
{
    if (!isfinite(info->logp)) return "its log-posterior is not finite";
    if (!isfinite(info->gradient)) return "its gradient is not finite";
    if (!isfinite(info->kinetic)) return "its momentum is not finite";
    if (!(outputs->range <= chain->run->config.logit_limit)) return "its logits ran away";
    return NULL;
}

static kelvin_status move(struct kelvin_chain *chain, kelvin_sghmc_info *info)
{
    const uint32_t epoch = chain->step / chain->steps_per_epoch;
    KELVIN_TRY(next_batch(chain, epoch));
    *info = kelvin_sghmc_step(chain->sampler, rate_of(chain, epoch), temperature_of(chain, epoch), chain->step);
    return KELVIN_OK;
}

/* From the last good state again to where the bad step began: there the parameters are still numbers, before a gradient
 * that is none has gone into all of them. */
static kelvin_status go_back(struct kelvin_chain *chain)
{
    const uint32_t bad = chain->step;
    const struct kelvin_epoch_sums sums = chain->sums;
    kelvin_sghmc_info info;
    for (kelvin_chain_take_up(chain); chain->step < bad; chain->step++) KELVIN_TRY(move(chain, &info));
    chain->sums = sums;
    return KELVIN_OK;
}

static kelvin_status tell_divergence(struct kelvin_chain *chain, uint32_t epoch, const char *what)
{
    const uint32_t kept = chain->good.step / chain->steps_per_epoch;
    KELVIN_TRY(go_back(chain));
    snprintf(chain->good.diverged, sizeof chain->good.diverged,
             "chain %u diverged at step %u (epoch %u): %s; what has grown most is layer %s; its state after %u epoch%s "
             "is kept",
             chain->number, chain->step, epoch, what,
             kelvin_diverging_layer(chain->run->model, kelvin_sghmc_theta(chain->sampler)), kept, kept == 1 ? "" : "s");
    return KELVIN_OK;
}

/* A state is good if the network is one there: a step tells that only of the state that it comes from. */
static const char *what_is_wrong_now(struct kelvin_chain *chain, const kelvin_sghmc_info *last)
{
    const kelvin_target target = kelvin_posterior_target(chain->posterior);
    kelvin_sghmc_info info = *last;
    target.eval(target.context, &info.logp, NULL, kelvin_sghmc_theta(chain->sampler));
    const kelvin_outputs outputs = kelvin_posterior_outputs(chain->posterior);
    return what_diverged(chain, &info, &outputs);
}

kelvin_status kelvin_chain_step(struct kelvin_chain *chain)
{
    const uint32_t epoch = chain->step / chain->steps_per_epoch;
    kelvin_sghmc_info info;
    KELVIN_TRY(move(chain, &info));
    const kelvin_outputs outputs = kelvin_posterior_outputs(chain->posterior);
    const char *wrong = what_diverged(chain, &info, &outputs);
    if (wrong) return tell_divergence(chain, epoch, wrong);
    add_to(&chain->sums, &info, &outputs);
    chain->step++;
    if (chain->step % chain->steps_per_epoch != 0) return KELVIN_OK;
    wrong = what_is_wrong_now(chain, &info);
    if (wrong) return tell_divergence(chain, epoch, wrong);
    kelvin_epoch_row(chain->history + (size_t)epoch * KELVIN_EPOCH_COLUMNS, chain, epoch);
    chain->sums = (struct kelvin_epoch_sums){0};
    kelvin_chain_keep(chain);
    return KELVIN_OK;
}

bool kelvin_chain_ends_cycle(const struct kelvin_chain *chain, uint32_t *cycle)
{
    const kelvin_run_config *c = &chain->run->config;
    const uint32_t cycles = kelvin_cycles(c), epoch = chain->step / chain->steps_per_epoch;
    if (chain->step % chain->steps_per_epoch != 0 || epoch == 0) return false;
    /* the first cycle that begins here or later; before it one has ended */
    const uint32_t next = (uint32_t)(((uint64_t)epoch * cycles + c->epochs - 1) / c->epochs);
    *cycle = next - 1;
    return kelvin_cycle_begin(next, cycles, c->epochs) == epoch;
}
