/* The work on a chain: it is taken up where it stands, goes on to its end, and writes what it has as it goes. Several
 * of one lot advance together; each keeps its own files and tells its own news. */
#include "run/branch.h"
#include "run/crew.h"
#include "run/folder.h"
#include "run/job.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct work {
    struct kelvin_job *job;
    kelvin_run *run;
    struct kelvin_chain chain;
    struct kelvin_slot slot;
    uint64_t history_bytes;
    double checked, told; /* kelvin_now() of the last checkpoint and news */
    uint32_t told_step;
    bool going;    /* it has been taken up, and not put down */
    bool together; /* other chains are on its thread */
};

/* Of ranks that share a chain the first writes and tells of it; the others compute. */
static bool is_follower(const struct work *work)
{
    return work->chain.group && work->chain.group->me > 0;
}

static void tell(struct work *work, kelvin_chain_phase phase, double now)
{
    const struct kelvin_chain *chain = &work->chain;
    const double seconds = now - work->told;
    double row[KELVIN_COLUMNS];
    const kelvin_chain_news news = {
        .phase = phase,
        .chain = chain->number,
        .row = chain->step / chain->row_steps,
        .rows = kelvin_run_rows(chain->run),
        .step = chain->step,
        .steps = chain->steps,
        .steps_per_s = work->told > 0 && seconds > 0 ? (double)(chain->step - work->told_step) / seconds : 0,
        .values = kelvin_chain_row(row, chain) ? row : NULL,
    };
    kelvin_job_tell(work->job, work->run, &news);
    work->told = now;
    work->told_step = chain->step;
}

static void set_phase(struct work *work, kelvin_chain_phase phase)
{
    const struct kelvin_chain *chain = &work->chain;
    struct kelvin_run_owned *inside = kelvin_run_inside(work->run);
    struct kelvin_place *place = &inside->place[chain->number];
    pthread_mutex_lock(&work->job->mutex);
    place->phase = phase;
    place->step = chain->good.diverged[0] ? chain->good.step : chain->step;
    if (phase == KELVIN_CHAIN_WAITING && !work->run->folder) place->step = 0; /* it begins anew */
    memcpy(place->diverged, chain->good.diverged, sizeof place->diverged);
    if (inside->started == 0) inside->started = kelvin_now();
    work->run->seconds = kelvin_now() - inside->started;
    pthread_mutex_unlock(&work->job->mutex);
}

/* ---- where it stands ---- */

/* A folder that was removed, so that the chain is sampled anew. */
static kelvin_status make_folder(const struct work *work)
{
    kelvin_path path;
    KELVIN_TRY(kelvin_path_join(path, work->run->folder, KELVIN_CHAIN_FOLDER, work->chain.number));
    if (kelvin_is_folder(path)) return KELVIN_OK;
    if (mkdir(path, 0777)) return kelvin_fail(KELVIN_EIO, "%s: the folder cannot be made: %s", path, strerror(errno));
    return kelvin_folder_sync(work->run->folder);
}

/* history.csv up to what the chain has collected; of one that has ended only if the survey found none. */
static kelvin_status make_history(struct work *work)
{
    const struct kelvin_chain *chain = &work->chain;
    const bool ended = kelvin_chain_ended(chain);
    kelvin_path path;
    bool there;
    KELVIN_TRY(kelvin_find_file(path, &there, work->run->folder, KELVIN_HISTORY_FILE, chain->number));
    if (ended && there) return KELVIN_OK;
    return kelvin_history_rebuild(work->run, chain->number, kelvin_bundle_files(work->run, chain->step, ended),
                                  &work->history_bytes);
}

/* Without a state to read: chains by earlier versions have ended, as the survey saw, and one in memory has ended or is
 * to begin. */
static void stay(struct kelvin_chain *chain)
{
    const struct kelvin_place *place = &kelvin_run_inside(chain->run)->place[chain->number];
    chain->step = chain->good.step = place->step;
    memcpy(chain->good.diverged, place->diverged, sizeof chain->good.diverged);
}

/* Its last state, if there is one. */
static kelvin_status find_state(struct work *work, bool *begun)
{
    struct kelvin_chain *chain = &work->chain;
    kelvin_path path;
    if (!work->run->folder || kelvin_run_is_old(work->run)) {
        stay(chain);
        return KELVIN_OK;
    }
    KELVIN_TRY(make_folder(work));
    KELVIN_TRY(kelvin_find_file(path, begun, work->run->folder, KELVIN_STATE_FILE, chain->number));
    kelvin_writer_forget(path); /* what a process that was killed has left */
    if (*begun) KELVIN_TRY(kelvin_remedy_chain(kelvin_state_read(chain, path), work->run, chain->number));
    if (!*begun) KELVIN_TRY(kelvin_branch_take(chain, begun));
    chain->step = chain->now.step;
    return make_history(work);
}

/* A state from the first rank of a group to the others. */
static kelvin_status spread_state(struct work *work, struct kelvin_snapshot *state)
{
    struct kelvin_group *group = &work->job->group;
    float *vectors = state->vectors;
    const size_t n = kelvin_sampler_vectors(work->run->sampler) * work->run->model->n_params;
    KELVIN_TRY(kelvin_group_spread(group, state, sizeof *state));
    state->vectors = vectors;
    return kelvin_group_spread(group, vectors, n * sizeof *vectors);
}

/* What the first rank of a group has found, at the others: where the row began, and where the chain is. */
static kelvin_status spread_place(struct work *work, bool *begun)
{
    struct kelvin_chain *chain = &work->chain;
    struct kelvin_group *group = &work->job->group;
    KELVIN_TRY(kelvin_group_spread(group, begun, sizeof *begun));
    KELVIN_TRY(spread_state(work, &chain->good));
    kelvin_status status = KELVIN_OK;
    if (*begun && !chain->now.vectors) status = kelvin_snapshot_create(&chain->now, work->run);
    KELVIN_TRY(kelvin_group_agree(group, status));
    if (*begun) KELVIN_TRY(spread_state(work, &chain->now));
    return kelvin_group_spread(group, &chain->step, sizeof chain->step);
}

/* Its threads: those that have nothing else to do may help. */
static kelvin_status set_threads(struct work *work)
{
    struct kelvin_chain *chain = &work->chain;
    return kelvin_chain_threads(chain, work->together ? 1 : kelvin_job_share(work->job, work->run, chain->number));
}

/* From its last state, or from its start. */
static kelvin_status take_place(struct work *work)
{
    struct kelvin_chain *chain = &work->chain;
    bool begun = false;
    kelvin_status status = is_follower(work) ? KELVIN_OK : find_state(work, &begun);
    if (chain->group) status = kelvin_group_agree(chain->group, status);
    if (!status && chain->group) status = spread_place(work, &begun);
    if (status || kelvin_chain_ended(chain)) return status;
    status = set_threads(work);
    if (chain->group) status = kelvin_group_agree(chain->group, status);
    if (status) return status;
    if (!begun) return kelvin_chain_begin(chain);
    kelvin_chain_take_up(chain, &chain->now);
    kelvin_snapshot_free(&chain->now);
    return KELVIN_OK;
}

/* ---- going on ---- */

/* By time, at the end of a row; in the middle of a long one when it has been due for as long again. */
static void checkpoint(struct work *work, double now)
{
    const double period = work->job->options.checkpoint, waited = now - work->checked;
    const bool ended = kelvin_chain_row_ended(&work->chain);
    if (!work->run->folder || !(ended ? waited >= period : period > 0 && waited >= 2 * period)) return;
    if (kelvin_slot_offer(&work->slot)) work->checked = now;
}

/* What was collected goes to where it stays: when there is enough of it, and at the end. */
static kelvin_status collect(struct work *work)
{
    struct kelvin_chain *chain = &work->chain;
    if (!kelvin_bundle_full(&chain->bundle, work->run) && !kelvin_chain_ended(chain)) return KELVIN_OK;
    return work->run->folder ? kelvin_slot_collect(&work->slot, chain)
                             : kelvin_bundle_write(&chain->bundle, work->run, chain->number);
}

/* At its end, or as far as was asked for. */
static bool is_far_enough(const struct work *work)
{
    const struct kelvin_chain *chain = &work->chain;
    const uint32_t rows = work->job->options.rows;
    return kelvin_chain_ended(chain) || (rows > 0 && chain->step >= (uint64_t)rows * chain->row_steps);
}

/* What comes after a step: files, news. */
static kelvin_status keep(struct work *work)
{
    struct kelvin_chain *chain = &work->chain;
    KELVIN_TRY(collect(work));
    if (chain->good.diverged[0]) return KELVIN_OK;
    KELVIN_TRY(kelvin_branch_leave(chain));
    const double now = kelvin_now();
    checkpoint(work, now);
    if (now - work->told < work->job->tell_seconds) return KELVIN_OK;
    KELVIN_TRY(set_threads(work));
    tell(work, KELVIN_CHAIN_SAMPLING, now);
    return KELVIN_OK;
}

/* Someone asked for it, or what was to be written could not be: closing the slot says why. Ranks that share a chain
 * stop after the same step. */
static kelvin_status is_to_stop(struct work *work, bool *stop)
{
    const bool writes = work->run->folder && !is_follower(work);
    *stop |= atomic_load(&work->job->stop) || (writes && work->slot.status);
    return work->chain.group ? kelvin_group_any(work->chain.group, stop) : KELVIN_OK;
}

static kelvin_status go_on(struct work *work)
{
    struct kelvin_chain *chain = &work->chain;
    kelvin_status status = KELVIN_OK;
    while (!is_far_enough(work)) {
        bool stop = status != KELVIN_OK;
        char sentence[KELVIN_RAW];
        if (status) snprintf(sentence, sizeof sentence, "%s", kelvin_error_raw());
        const kelvin_status agreed = is_to_stop(work, &stop);
        if (status) return kelvin_fail(status, KELVIN_SAID, sentence);
        if (agreed || stop) return agreed;
        status = kelvin_chain_step(chain);
        if (!status && !is_follower(work)) status = keep(work);
        if (is_follower(work)) chain->bundle.rows = chain->bundle.draws = 0; /* it is the first rank's to keep */
    }
    return status;
}

/* A slot to write what it does; whoever opens one closes it. */
static kelvin_status open_slot(struct work *work)
{
    if (!work->run->folder) return KELVIN_OK;
    kelvin_status status = kelvin_slot_open(&work->slot, work->job->keeper, &work->chain, work->history_bytes);
    const bool opened = !status;
    if (work->chain.group) status = kelvin_group_agree(work->chain.group, status);
    if (!status || !opened) return status;
    kelvin_slot_give_up(&work->slot, status);
    return kelvin_slot_close(&work->slot);
}

/* What was done is written however it went. */
static kelvin_status close_slot(struct work *work, kelvin_status went)
{
    if (!work->run->folder) return went;
    char sentence[sizeof work->slot.sentence];
    snprintf(sentence, sizeof sentence, "%s", kelvin_error_raw());
    if (work->chain.group && work->chain.group->broken) kelvin_slot_give_up(&work->slot, went);
    const kelvin_status written = kelvin_slot_close(&work->slot);
    return went ? kelvin_fail(went, KELVIN_SAID, sentence) : written;
}

/* ---- from its place to its end ---- */

static kelvin_status put_down(struct work *work, kelvin_status status)
{
    const struct kelvin_chain *chain = &work->chain;
    const kelvin_chain_phase phase = status || !kelvin_chain_ended(chain) ? KELVIN_CHAIN_WAITING
                                     : chain->good.diverged[0]            ? KELVIN_CHAIN_DIVERGED
                                                                          : KELVIN_CHAIN_DONE;
    work->going = false;
    set_phase(work, phase);
    kelvin_crew_place(work->job, work->run, chain->number);
    if (phase != KELVIN_CHAIN_WAITING) tell(work, phase, kelvin_now());
    return status;
}

/* Where it stands; with that it is done if it is far enough. */
static kelvin_status take_up(struct work *work)
{
    KELVIN_TRY(take_place(work));
    if (is_far_enough(work)) return is_follower(work) ? KELVIN_OK : put_down(work, KELVIN_OK);
    if (!is_follower(work)) {
        set_phase(work, KELVIN_CHAIN_SAMPLING);
        work->checked = kelvin_now();
        tell(work, KELVIN_CHAIN_SAMPLING, work->checked);
    }
    const kelvin_status status =
        is_follower(work) ? kelvin_group_agree(work->chain.group, KELVIN_OK) : open_slot(work);
    if (status) return is_follower(work) ? status : put_down(work, status);
    work->going = true;
    return KELVIN_OK;
}

static kelvin_status finish(struct work *work, kelvin_status went)
{
    if (is_follower(work)) return went;
    return put_down(work, close_slot(work, went));
}

/* ---- a lot ---- */

/* Those that go on; whoever is far enough is put down. */
static kelvin_status gather(struct work **going, size_t *count, struct work *works, size_t n)
{
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        if (!works[i].going) continue;
        if (is_far_enough(&works[i]))
            KELVIN_TRY(finish(&works[i], KELVIN_OK));
        else
            going[(*count)++] = &works[i];
    }
    return KELVIN_OK;
}

/* One step of each, as many as there are. */
static kelvin_status step_all(struct kelvin_band *band, struct work *const *going, size_t n)
{
    struct kelvin_chain *chains[KELVIN_BAND];
    for (size_t i = 0; i < n; i++) chains[i] = &going[i]->chain;
    KELVIN_TRY(kelvin_band_step(band, chains, n));
    for (size_t i = 0; i < n; i++) {
        going[i]->together = n > 1;
        KELVIN_TRY(keep(going[i]));
    }
    return KELVIN_OK;
}

/* All together, until all have ended or one of them is to stop. */
static kelvin_status go_on_together(struct kelvin_band *band, struct work *works, size_t n)
{
    struct work *going[KELVIN_BAND];
    size_t count;
    for (;;) {
        bool stop = false;
        KELVIN_TRY(gather(going, &count, works, n));
        for (size_t i = 0; i < count; i++) KELVIN_TRY(is_to_stop(going[i], &stop));
        if (stop || count == 0) return KELVIN_OK;
        KELVIN_TRY(step_all(band, going, count));
    }
}

static kelvin_status do_works(const kelvin_run *run, struct work *works, size_t n)
{
    struct kelvin_band band = {.run = run};
    kelvin_status status = KELVIN_OK;
    for (size_t i = 0; i < n && !status; i++) status = take_up(&works[i]);
    if (!status && n == 1 && works[0].going)
        status = go_on(&works[0]);
    else if (!status)
        status = go_on_together(&band, works, n);
    kelvin_band_free(&band);
    for (size_t i = 0; i < n; i++)
        if (works[i].going) status = finish(&works[i], status);
    return status;
}

static kelvin_status make_work(struct work *work, struct kelvin_job *job, const struct kelvin_lot *lot, size_t i)
{
    *work = (struct work){.job = job, .run = lot->run, .together = lot->n > 1};
    const kelvin_status status = kelvin_chain_create(&work->chain, lot->run, lot->chain[i]);
    if (job->group.size > 1) work->chain.group = &job->group;
    return work->chain.group ? kelvin_group_agree(work->chain.group, status) : status;
}

kelvin_status kelvin_job_do(struct kelvin_job *job, const struct kelvin_lot *lot)
{
    struct work works[KELVIN_BAND];
    size_t made = 0;
    kelvin_status status = KELVIN_OK;
    for (; made < lot->n && !status; made++) status = make_work(&works[made], job, lot, made);
    if (!status) status = do_works(lot->run, works, lot->n);
    while (made > 0) kelvin_chain_destroy(&works[--made].chain);
    return status;
}
