/* One chain. A step is: say which data to look at, let the sampler move, and look whether all is well. */
#include "run/chain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- making one ---- */

kelvin_status kelvin_snapshot_create(struct kelvin_snapshot *s, const kelvin_run *run)
{
    *s = (struct kelvin_snapshot){0};
    s->vectors = kelvin_alloc(kelvin_sampler_vectors(run->sampler) * run->model->n_params, sizeof *s->vectors);
    return s->vectors ? KELVIN_OK : KELVIN_ENOMEM;
}

void kelvin_snapshot_copy(struct kelvin_snapshot *to, const struct kelvin_snapshot *from, const kelvin_run *run)
{
    float *vectors = to->vectors;
    memcpy(vectors, from->vectors, kelvin_sampler_vectors(run->sampler) * run->model->n_params * sizeof *vectors);
    *to = *from;
    to->vectors = vectors;
}

void kelvin_snapshot_free(struct kelvin_snapshot *s)
{
    kelvin_free(s->vectors);
    *s = (struct kelvin_snapshot){0};
}

kelvin_status kelvin_chain_create(struct kelvin_chain *chain, const kelvin_run *run, uint32_t number)
{
    *chain = (struct kelvin_chain){.run = run, .number = number};
    chain->row_steps = kelvin_run_row_steps(run);
    chain->steps = kelvin_run_steps(run);
    chain->columns = kelvin_run_width(run);
    if (run->sampler->batches && !(chain->order = kelvin_alloc(run->data->train.n, sizeof *chain->order)))
        return KELVIN_ENOMEM;
    KELVIN_TRY(kelvin_bundle_create(&chain->bundle, run));
    return kelvin_snapshot_create(&chain->good, run);
}

void kelvin_chain_destroy(struct kelvin_chain *chain)
{
    kelvin_sampler_destroy(chain->sampler);
    kelvin_posterior_destroy(chain->posterior);
    kelvin_snapshot_free(&chain->good);
    kelvin_snapshot_free(&chain->now);
    kelvin_bundle_free(&chain->bundle);
    kelvin_free(chain->order);
    *chain = (struct kelvin_chain){0};
}

kelvin_status kelvin_chain_threads(struct kelvin_chain *chain, size_t threads)
{
    if (threads == chain->threads) return KELVIN_OK;
    const kelvin_run *run = chain->run;
    const struct kelvin_run_owned *inside = kelvin_run_inside(run);
    const bool batches = run->sampler->batches;
    const kelvin_posterior_options options = {.batch = batches ? run->config.batch : 0,
                                              .threads = threads,
                                              .outputs = batches,
                                              .rows = batches,
                                              .group = chain->group};
    kelvin_posterior *posterior;
    KELVIN_TRY(kelvin_posterior_make(&posterior, run->model, &inside->density,
                                     inside->has_prior ? &inside->prior : NULL, run->data, &options));
    kelvin_posterior_destroy(chain->posterior);
    chain->posterior = posterior;
    chain->threads = threads;
    const kelvin_target target = kelvin_posterior_target(posterior);
    if (chain->sampler) {
        kelvin_sampler_retarget(chain->sampler, &target);
        return KELVIN_OK;
    }
    const kelvin_sampler_options sampler = {.setting = run->config.setting,
                                            .observations = kelvin_part_total(&run->data->train),
                                            .seed = run->config.seed,
                                            .chain = chain->number,
                                            .scale = inside->scale};
    return kelvin_sampler_make(&chain->sampler, run->sampler, &target, &sampler);
}

/* ---- where it starts ---- */

kelvin_status kelvin_chain_begin(struct kelvin_chain *chain)
{
    struct kelvin_group *group = chain->group;
    kelvin_status status = KELVIN_OK;
    if (!group || group->me == 0) status = kelvin_start(chain->good.vectors, chain->run, chain->number);
    if (group) status = kelvin_group_agree(group, status);
    if (!status && group)
        status = kelvin_group_spread(group, chain->good.vectors, chain->run->model->n_params * sizeof(float));
    if (status) return status;
    kelvin_sampler_start(chain->sampler, chain->good.vectors);
    kelvin_chain_now(&chain->good, chain);
    return KELVIN_OK;
}

void kelvin_chain_take_up(struct kelvin_chain *chain, const struct kelvin_snapshot *state)
{
    chain->step = state->step;
    chain->sums = state->sums;
    kelvin_sampler_load(chain->sampler, state->vectors, state->numbers);
}

void kelvin_chain_now(struct kelvin_snapshot *state, const struct kelvin_chain *chain)
{
    state->step = chain->step;
    state->sums = chain->sums;
    state->diverged[0] = '\0';
    kelvin_sampler_save(chain->sampler, state->vectors, state->numbers);
}

/* ---- steps ---- */

/* Of all data nothing is scheduled: every iteration is at the temperature of the run. */
kelvin_moment kelvin_chain_moment(const struct kelvin_chain *chain)
{
    const kelvin_run_config *c = &chain->run->config;
    const struct kelvin_run_owned *inside = kelvin_run_inside(chain->run);
    kelvin_moment moment = {
        .step = chain->step, .warmup = kelvin_run_warmup(chain->run), .rate = 1, .temperature = c->temperature};
    if (!chain->run->sampler->batches) return moment;
    const uint32_t epoch = chain->step / chain->row_steps, cycles = kelvin_run_draws(chain->run);
    const kelvin_schedule *rate = inside->schedule, *temperature = inside->temperature_schedule;
    moment.rate = rate->rate(kelvin_schedule_progress(rate, epoch, c->epochs, cycles));
    moment.temperature *= temperature->temperature(kelvin_schedule_progress(temperature, epoch, c->epochs, cycles));
    return moment;
}

static kelvin_status next_batch(struct kelvin_chain *chain)
{
    const kelvin_run *run = chain->run;
    const uint32_t epoch = chain->step / chain->row_steps;
    const size_t batch = run->config.batch, first = (chain->step - epoch * chain->row_steps) * batch;
    const kelvin_epoch about = {
        .seed = run->config.seed, .chain = chain->number, .epoch = epoch, .augment = kelvin_run_inside(run)->augment};
    if (chain->ordered != epoch + 1) kelvin_data_order(chain->order, run->data->train.n, &about);
    chain->ordered = epoch + 1;
    return kelvin_posterior_set_part(chain->posterior, run->data, &run->data->train, chain->order + first, batch,
                                     &about);
}

static kelvin_status move(struct kelvin_chain *chain, kelvin_step_info *info)
{
    const kelvin_moment moment = kelvin_chain_moment(chain);
    if (chain->run->sampler->batches) KELVIN_TRY(next_batch(chain));
    *info = kelvin_sampler_advance(chain->sampler, &moment);
    return chain->group && chain->group->broken ? kelvin_ranks_trouble() : KELVIN_OK;
}

/* What the network said: of a batch as it was met, of all data where the step has ended. */
static kelvin_outputs look(struct kelvin_chain *chain)
{
    return chain->run->sampler->batches ? kelvin_posterior_outputs(chain->posterior)
                                        : kelvin_posterior_look(chain->posterior, kelvin_sampler_theta(chain->sampler));
}

static void add_to(struct kelvin_row_sums *s, const kelvin_step_info *info, const kelvin_outputs *outputs,
                   const kelvin_sampler_type *type)
{
    s->steps += 1;
    s->n += (double)outputs->n;
    s->hits += (double)outputs->hits;
    s->confidence += outputs->confidence;
    s->range = fmax(s->range, outputs->range);
    s->logp += info->logp;
    for (size_t i = 0; i < kelvin_count_statistics(type); i++)
        s->value[i] = type->statistic[i].last ? info->value[i] : s->value[i] + info->value[i];
}

/* What is wrong with a step; NULL if nothing is. */
static const char *what_diverged(const struct kelvin_chain *chain, const kelvin_step_info *info,
                                 const kelvin_outputs *outputs)
{
    const kelvin_sampler_type *type = chain->run->sampler;
    if (!isfinite(info->logp)) return "its log-posterior is not finite";
    for (size_t i = 0; i < kelvin_count_statistics(type); i++)
        if (type->statistic[i].infinite && !isfinite(info->value[i])) return type->statistic[i].infinite;
    if (!(outputs->range <= chain->run->config.logit_limit)) return "its logits ran away";
    return NULL;
}

/* From the last good state again to where the bad step began: there the parameters are still numbers, before a gradient
 * that is none has gone into all of them. */
static kelvin_status go_back(struct kelvin_chain *chain)
{
    const uint32_t bad = chain->step;
    const struct kelvin_row_sums sums = chain->sums;
    kelvin_step_info info;
    for (kelvin_chain_take_up(chain, &chain->good); chain->step < bad; chain->step++) KELVIN_TRY(move(chain, &info));
    chain->sums = sums;
    return KELVIN_OK;
}

static kelvin_status tell_divergence(struct kelvin_chain *chain, uint32_t row, const char *what)
{
    const char *unit = kelvin_run_row_name(chain->run);
    const uint32_t kept = chain->good.step / chain->row_steps;
    KELVIN_TRY(go_back(chain));
    snprintf(chain->good.diverged, sizeof chain->good.diverged,
             "chain %u diverged at step %u (%s %u): %s; what has grown most is layer %s; its state after %u %s%s is "
             "kept",
             chain->number, chain->step, unit, row, what,
             kelvin_diverging_layer(chain->run->model, kelvin_sampler_theta(chain->sampler)), kept, unit,
             kept == 1 ? "" : "s");
    return KELVIN_OK;
}

/* A chain that got nowhere has left for nowhere: no layer is to blame. */
static kelvin_status tell_standstill(struct kelvin_chain *chain, uint32_t row, const char *what)
{
    snprintf(chain->good.diverged, sizeof chain->good.diverged, "chain %u ended at %s %u: %s", chain->number,
             kelvin_run_row_name(chain->run), row, what);
    return KELVIN_OK;
}

/* Whether the row that has just ended ends with a draw. */
static bool is_drawn(const struct kelvin_chain *chain)
{
    const uint32_t rows = chain->step / chain->row_steps;
    return kelvin_run_draws_by(chain->run, rows) > kelvin_run_draws_by(chain->run, rows - 1);
}

/* A state is good if the network is one there: a step on a batch tells that only of the state that it comes from. All
 * of the batch is asked about a draw; others are states to go back to, of which a few observations tell: in a small
 * table rows end often. */
static const char *what_is_wrong_now(struct kelvin_chain *chain, const kelvin_step_info *last)
{
    if (!chain->run->sampler->batches) return NULL; /* it was looked at */
    if (!is_drawn(chain)) kelvin_posterior_narrow(chain->posterior, KELVIN_BLOCK);
    const kelvin_target target = kelvin_posterior_target(chain->posterior);
    kelvin_step_info info = *last;
    target.eval(target.context, &info.logp, NULL, kelvin_sampler_theta(chain->sampler));
    const kelvin_outputs outputs = kelvin_posterior_outputs(chain->posterior);
    return what_diverged(chain, &info, &outputs);
}

/* The row of an epoch or iteration from its sums. */
static void make_row(double row[KELVIN_COLUMNS], const struct kelvin_chain *chain, uint32_t number, double temperature)
{
    const struct kelvin_row_sums *s = &chain->sums;
    const kelvin_sampler_type *type = chain->run->sampler;
    size_t n = 0;
    row[n++] = number;
    if (!type->batches) row[n++] = number < kelvin_run_warmup(chain->run);
    row[n++] = temperature;
    row[n++] = s->hits / s->n;
    row[n++] = s->confidence / s->n;
    row[n++] = s->logp / s->steps;
    row[n++] = s->range;
    for (size_t i = 0; i < kelvin_count_statistics(type); i++)
        row[n++] = type->statistic[i].last ? s->value[i] : s->value[i] / s->steps;
}

bool kelvin_chain_row(double row[KELVIN_COLUMNS], const struct kelvin_chain *chain)
{
    if (chain->sums.steps > 0)
        make_row(row, chain, chain->step / chain->row_steps, kelvin_chain_moment(chain).temperature);
    else if (chain->last)
        memcpy(row, chain->last, chain->columns * sizeof *row);
    return chain->sums.steps > 0 || chain->last;
}

/* A row has ended, and its state is good. */
static void collect(struct kelvin_chain *chain, double temperature)
{
    make_row(chain->row, chain, chain->step / chain->row_steps - 1, temperature);
    chain->last = chain->row;
    kelvin_bundle_add(&chain->bundle, chain->run, chain->row, kelvin_sampler_theta(chain->sampler));
    chain->sums = (struct kelvin_row_sums){0};
    kelvin_chain_now(&chain->good, chain);
}

kelvin_status kelvin_chain_settle(struct kelvin_chain *chain, const kelvin_step_info *info)
{
    const uint32_t row = chain->step / chain->row_steps;
    const double temperature = kelvin_chain_moment(chain).temperature;
    const kelvin_outputs outputs = look(chain);
    if (chain->group && chain->group->broken) return kelvin_ranks_trouble();
    const char *wrong = what_diverged(chain, info, &outputs);
    if (wrong) return tell_divergence(chain, row, wrong);
    wrong = kelvin_sampler_wrong(chain->sampler);
    if (wrong) return tell_standstill(chain, row, wrong);
    add_to(&chain->sums, info, &outputs, chain->run->sampler);
    chain->step++;
    if (!kelvin_chain_row_ended(chain)) return KELVIN_OK;
    wrong = what_is_wrong_now(chain, info);
    if (chain->group && chain->group->broken) return kelvin_ranks_trouble();
    if (wrong) return tell_divergence(chain, row, wrong);
    collect(chain, temperature);
    return KELVIN_OK;
}

kelvin_status kelvin_chain_step(struct kelvin_chain *chain)
{
    kelvin_step_info info;
    KELVIN_TRY(move(chain, &info));
    return kelvin_chain_settle(chain, &info);
}
