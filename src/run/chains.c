/* A run by SGHMC: its chains as tasks of a pool, from wherever each one stands to the end, then the logits of their
 * samples. Who runs when and on how many threads changes nothing in the files. */
#include "run/chains.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double tell_seconds = 0.1;

/* ---- who does what ---- */

size_t kelvin_chains_share(struct kelvin_chains *chains, uint32_t number)
{
    size_t at_work = 0, before = 0, waiting = 0;
    pthread_mutex_lock(&chains->mutex);
    for (uint32_t i = 0; i < chains->run->config.chains; i++) {
        const bool works = i == number || chains->place[i].phase == KELVIN_CHAIN_SAMPLING;
        waiting += !works && chains->place[i].phase == KELVIN_CHAIN_WAITING;
        at_work += works;
        before += works && i < number;
    }
    pthread_mutex_unlock(&chains->mutex);
    const size_t threads = chains->options.threads;
    if (waiting > 0 || at_work >= threads) return 1;
    return threads / at_work + (before < threads % at_work);
}

static void set_phase(struct kelvin_chains *chains, const struct kelvin_chain *chain, kelvin_chain_phase phase)
{
    struct kelvin_place *place = &chains->place[chain->number];
    pthread_mutex_lock(&chains->mutex);
    place->phase = phase;
    place->step = chain->good.step;
    snprintf(place->diverged, sizeof place->diverged, "%s", chain->good.diverged);
    pthread_mutex_unlock(&chains->mutex);
}

bool kelvin_chains_tell(struct kelvin_chains *chains, const kelvin_chain_news *news)
{
    pthread_mutex_lock(&chains->mutex);
    if (chains->watch && !chains->asked && !chains->watch(chains->context, chains->run, news)) {
        chains->asked = true;
        atomic_store(&chains->stop, true);
    }
    pthread_mutex_unlock(&chains->mutex);
    return !atomic_load(&chains->stop);
}

/* ---- one chain ---- */

struct work {
    struct kelvin_chains *chains;
    struct kelvin_chain chain;
    struct kelvin_slot slot;
    double checked, told; /* kelvin_now() of the last checkpoint and news */
    uint32_t told_step;
};

static void tell(struct work *work, kelvin_chain_phase phase, double now)
{
    const struct kelvin_chain *chain = &work->chain;
    const uint32_t epoch = chain->step / chain->steps_per_epoch;
    const double seconds = now - work->told;
    double row[KELVIN_EPOCH_COLUMNS];
    if (chain->sums.steps > 0 || epoch == 0)
        kelvin_epoch_row(row, chain, epoch);
    else
        memcpy(row, chain->history + (size_t)(epoch - 1) * KELVIN_EPOCH_COLUMNS, sizeof row);
    const kelvin_chain_news news = {
        .phase = phase,
        .chain = chain->number,
        .epoch = epoch,
        .epochs = chain->run->config.epochs,
        .step = chain->step,
        .steps = chain->steps,
        .images_per_s = work->told > 0 && seconds > 0
                            ? (double)(chain->step - work->told_step) * chain->run->config.batch / seconds
                            : 0,
        .accuracy = row[ACCURACY],
        .confidence = row[CONFIDENCE],
        .log_posterior = row[LOG_POSTERIOR],
        .range = row[LOGIT_RANGE],
    };
    kelvin_chains_tell(work->chains, &news);
    work->told = now;
    work->told_step = chain->step;
}

/* At the end of a cycle, which may have been reached before a sample could be written. */
static kelvin_status collect(struct work *work)
{
    const struct kelvin_chain *chain = &work->chain;
    uint32_t cycle;
    kelvin_path path;
    if (!kelvin_chain_ends_cycle(chain, &cycle) || chain->good.diverged[0]) return KELVIN_OK;
    KELVIN_TRY(kelvin_path_join(path, work->chains->folder, KELVIN_SAMPLE_FILE, chain->number, cycle));
    return access(path, F_OK) == 0 ? KELVIN_OK
                                   : kelvin_sample_write(path, chain->run, chain->number, cycle, chain->good.theta);
}

/* A folder that was removed, so that the chain is sampled anew. */
static kelvin_status make_folder(const struct work *work)
{
    kelvin_path path;
    KELVIN_TRY(kelvin_path_join(path, work->chains->folder, KELVIN_CHAIN_FOLDER, work->chain.number));
    if (kelvin_is_folder(path)) return KELVIN_OK;
    if (mkdir(path, 0777)) return kelvin_fail(KELVIN_EIO, "%s: the folder cannot be made: %s", path, strerror(errno));
    return kelvin_folder_sync(work->chains->folder);
}

/* What is missing of a chain that has ended, as far as its state has it. */
static kelvin_status restore(struct work *work)
{
    KELVIN_TRY(kelvin_chains_restore(work->chains, &work->chain));
    return collect(work);
}

/* What a process that was killed has left of the files that it wrote. */
static kelvin_status forget_unfinished(const struct work *work)
{
    kelvin_path path;
    KELVIN_TRY(kelvin_path_join(path, work->chains->folder, KELVIN_STATE_FILE, work->chain.number));
    kelvin_writer_forget(path);
    KELVIN_TRY(kelvin_path_join(path, work->chains->folder, KELVIN_HISTORY_FILE, work->chain.number));
    kelvin_writer_forget(path);
    return KELVIN_OK;
}

/* From its last state, or from its start. */
static kelvin_status take_place(struct work *work)
{
    struct kelvin_chain *chain = &work->chain;
    kelvin_path path;
    KELVIN_TRY(make_folder(work));
    KELVIN_TRY(kelvin_path_join(path, work->chains->folder, KELVIN_STATE_FILE, chain->number));
    const bool begun = access(path, F_OK) == 0;
    KELVIN_TRY(forget_unfinished(work));
    if (begun) KELVIN_TRY(kelvin_state_read(chain, path));
    chain->step = chain->good.step;
    if (kelvin_chain_ended(chain)) return restore(work);
    KELVIN_TRY(kelvin_chain_threads(chain, kelvin_chains_share(work->chains, chain->number)));
    if (!begun) return kelvin_chain_begin(chain);
    kelvin_chain_take_up(chain);
    return collect(work);
}

/* By time, at the end of an epoch; in the middle of a long one when it has been due for as long again. */
static void checkpoint(struct work *work, double now, bool epoch_ended)
{
    const double period = work->chains->options.checkpoint, waited = now - work->checked;
    if (!(epoch_ended ? waited >= period : period > 0 && waited >= 2 * period)) return;
    if (!kelvin_slot_idle(&work->slot)) return;
    kelvin_slot_offer(&work->slot);
    work->checked = now;
}

static kelvin_status go_on(struct work *work)
{
    struct kelvin_chain *chain = &work->chain;
    while (!kelvin_chain_ended(chain) && !atomic_load(&work->chains->stop)) {
        KELVIN_TRY(kelvin_chain_step(chain));
        const bool epoch_ended = chain->step % chain->steps_per_epoch == 0;
        const double now = kelvin_now();
        if (chain->good.diverged[0]) break;
        if (epoch_ended) KELVIN_TRY(collect(work));
        checkpoint(work, now, epoch_ended);
        if (kelvin_slot_failed(&work->slot)) return KELVIN_OK; /* closing the slot says why */
        if (epoch_ended) KELVIN_TRY(kelvin_chain_threads(chain, kelvin_chains_share(work->chains, chain->number)));
        if (now - work->told >= tell_seconds) tell(work, KELVIN_CHAIN_SAMPLING, now);
    }
    if (!chain->good.diverged[0]) kelvin_chain_keep(chain);
    return KELVIN_OK;
}

/* Steps, with a slot to write them; what was done is written whatever comes. */
static kelvin_status work_on(struct work *work)
{
    struct kelvin_chains *chains = work->chains;
    set_phase(chains, &work->chain, KELVIN_CHAIN_SAMPLING);
    work->checked = kelvin_now();
    tell(work, KELVIN_CHAIN_SAMPLING, work->checked);
    KELVIN_TRY(kelvin_slot_open(&work->slot, chains->keeper, &work->chain));
    const kelvin_status went = go_on(work);
    char sentence[sizeof work->slot.sentence];
    snprintf(sentence, sizeof sentence, "%s", kelvin_error());
    const kelvin_status written = kelvin_slot_close(&work->slot);
    return went ? kelvin_fail(went, "%s", sentence) : written;
}

static kelvin_status do_work(struct work *work, uint32_t number)
{
    struct kelvin_chains *chains = work->chains;
    struct kelvin_chain *chain = &work->chain;
    KELVIN_TRY(kelvin_chain_create(chain, chains->run, number));
    KELVIN_TRY(take_place(work));
    kelvin_status status = kelvin_chain_ended(chain) ? KELVIN_OK : work_on(work);
    const kelvin_chain_phase phase = status || !kelvin_chain_ended(chain) ? KELVIN_CHAIN_WAITING
                                     : chain->good.diverged[0]            ? KELVIN_CHAIN_DIVERGED
                                                                          : KELVIN_CHAIN_DONE;
    set_phase(chains, chain, phase);
    if (phase != KELVIN_CHAIN_WAITING) tell(work, phase, kelvin_now());
    return status;
}

static kelvin_status run_chain(void *context, size_t task)
{
    struct kelvin_chains *chains = context;
    if (atomic_load(&chains->stop)) return KELVIN_OK;
    struct work *work = kelvin_alloc(1, sizeof *work);
    kelvin_status status = KELVIN_ENOMEM;
    if (work) {
        work->chains = chains;
        status = do_work(work, (uint32_t)task);
        kelvin_chain_destroy(&work->chain);
        kelvin_free(work);
    }
    if (status) atomic_store(&chains->stop, true);
    return status;
}

/* ---- all of them ---- */

static kelvin_status run_all(struct kelvin_chains *chains)
{
    const size_t n = chains->run->config.chains, threads = chains->options.threads;
    kelvin_pool *pool;
    KELVIN_TRY(kelvin_keeper_start(&chains->keeper, chains->folder));
    kelvin_status status = kelvin_pool_create(&pool, threads < n ? threads : n);
    if (!status) {
        status = kelvin_pool_run(pool, run_chain, chains, n);
        kelvin_pool_destroy(pool);
    }
    kelvin_keeper_stop(chains->keeper);
    chains->keeper = NULL;
    return status;
}

/* So that a watch knows from the beginning what was done before. */
static void tell_all(struct kelvin_chains *chains)
{
    const kelvin_run *run = chains->run;
    const uint32_t per_epoch = kelvin_steps_per_epoch(run);
    for (uint32_t i = 0; i < run->config.chains; i++) {
        const kelvin_chain_news news = {.phase = chains->place[i].phase,
                                        .chain = i,
                                        .epoch = chains->place[i].step / per_epoch,
                                        .epochs = run->config.epochs,
                                        .step = chains->place[i].step,
                                        .steps = (uint64_t)per_epoch * run->config.epochs};
        kelvin_chains_tell(chains, &news);
    }
}

kelvin_status kelvin_chains_run(struct kelvin_chains *chains, const kelvin_chains_options *options,
                                kelvin_chains_watch *watch, void *context)
{
    chains->options = *options;
    if (chains->options.threads == 0) chains->options.threads = kelvin_cpu_count();
    chains->watch = watch;
    chains->context = context;
    chains->asked = false;
    atomic_store(&chains->stop, false);
    const double started = kelvin_now();
    tell_all(chains);
    kelvin_status status = run_all(chains);
    if (!status && !chains->asked) status = kelvin_logits_write(chains);
    chains->run->seconds = kelvin_now() - started;
    if (!status && chains->asked) status = kelvin_fail(KELVIN_ESTOP, "stopped on request");
    return status;
}

static kelvin_status create(struct kelvin_chains **out, kelvin_run *run, const char *folder)
{
    struct kelvin_chains *chains = kelvin_alloc(1, sizeof *chains);
    *out = chains;
    if (!chains) {
        kelvin_run_close(run);
        return KELVIN_ENOMEM;
    }
    chains->run = run;
    chains->lock.fd = -1;
    pthread_mutex_init(&chains->mutex, NULL);
    chains->place = kelvin_alloc(run->config.chains, sizeof *chains->place);
    if (!chains->place) return KELVIN_ENOMEM;
    const int used = snprintf(chains->folder, sizeof chains->folder, "%s", folder);
    if (used < 0 || (size_t)used >= sizeof chains->folder - KELVIN_NOTE)
        return kelvin_fail(KELVIN_EUSAGE, "%.200s...: the path is too long", folder);
    for (int i = used - 1; i > 0 && chains->folder[i] == '/'; i--) chains->folder[i] = '\0'; /* its name is extended */
    return KELVIN_OK;
}

static kelvin_status give_up(struct kelvin_chains **chains, kelvin_status status)
{
    kelvin_chains_close(*chains);
    *chains = NULL;
    return status;
}

kelvin_status kelvin_chains_check(const kelvin_run *run)
{
    if (!kelvin_run_is_hmc(run)) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "sampler is %s; expected sghmc, for a run that lives in its folder",
                       run->config.sampler);
}

kelvin_status kelvin_chains_start(struct kelvin_chains **chains, const kelvin_run_config *config, const char *folder)
{
    kelvin_run *run;
    *chains = NULL;
    KELVIN_TRY(kelvin_run_create(&run, config));
    kelvin_status status = create(chains, run, folder);
    if (!status) status = kelvin_chains_check(run);
    if (!status) status = kelvin_config_mark(run);
    if (!status) status = kelvin_chains_folder(*chains);
    return status ? give_up(chains, status) : KELVIN_OK;
}

kelvin_status kelvin_chains_open(struct kelvin_chains **chains, const char *folder)
{
    kelvin_run *run;
    *chains = NULL;
    KELVIN_TRY(kelvin_config_read(&run, folder));
    kelvin_status status = create(chains, run, folder);
    if (!status && kelvin_run_is_hmc(run))
        status =
            kelvin_fail(KELVIN_EUSAGE, "%s: a run by %s is finished when it is there; there is nothing to go on with",
                        folder, run->config.sampler);
    if (!status) status = kelvin_lock_take(&(*chains)->lock, folder);
    if (!status) status = kelvin_chains_survey(*chains);
    return status ? give_up(chains, status) : KELVIN_OK;
}

void kelvin_chains_close(struct kelvin_chains *chains)
{
    if (!chains) return;
    kelvin_lock_release(&chains->lock);
    kelvin_run_close(chains->run);
    kelvin_free(chains->place);
    pthread_mutex_destroy(&chains->mutex);
    kelvin_free(chains);
}

const kelvin_run *kelvin_chains_about(const struct kelvin_chains *chains)
{
    return chains->run;
}

const char *kelvin_chains_diverged(const struct kelvin_chains *chains, uint32_t chain)
{
    const struct kelvin_place *place = &chains->place[chain];
    return place->phase == KELVIN_CHAIN_DIVERGED ? place->diverged : NULL;
}
