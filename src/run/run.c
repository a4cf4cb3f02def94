/* Runs: the chains of all of them as tasks of one pool, from wherever each one stands to the end, then the logits of
 * their samples. Who runs when and on how many threads changes nothing in what is drawn. */
#include "base/needs.h"
#include "base/threads.h"
#include "base/words.h"
#include "run/choose.h"
#include "run/crew.h"
#include "run/folder.h"
#include "run/job.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- who does what ---- */

size_t kelvin_job_share(struct kelvin_job *job, const kelvin_run *run, uint32_t chain)
{
    size_t at_work = 0, before = 0, waiting = 0;
    bool passed = false;
    pthread_mutex_lock(&job->mutex);
    for (size_t r = 0; r < job->n; r++) {
        const struct kelvin_place *place = kelvin_run_inside(job->runs[r])->place;
        for (uint32_t i = 0; i < job->runs[r]->config.chains; i++) {
            const bool self = job->runs[r] == run && i == chain;
            const bool works = self || place[i].phase == KELVIN_CHAIN_SAMPLING;
            waiting += !works && place[i].phase == KELVIN_CHAIN_WAITING;
            at_work += works;
            passed |= self;
            before += works && !passed;
        }
    }
    pthread_mutex_unlock(&job->mutex);
    const size_t threads = job->options.threads;
    if (job->team.size > 1) waiting = !job->all_dealt; /* others may begin what waits */
    if (job->group.size > 1) return threads;           /* ranks in lockstep have one chain at a time */
    if (waiting > 0 || at_work >= threads) return 1;
    return threads / at_work + (before < threads % at_work);
}

bool kelvin_job_tell(struct kelvin_job *job, const kelvin_run *run, const kelvin_chain_news *news)
{
    pthread_mutex_lock(&job->mutex);
    if (job->watch && !job->asked && !job->watch(job->context, run, news)) {
        job->asked = true;
        atomic_store(&job->stop, true);
    }
    pthread_mutex_unlock(&job->mutex);
    if (job->team.size > 1 && kelvin_ranks_failed_elsewhere()) atomic_store(&job->stop, true);
    kelvin_crew_tell(job, run, news);
    if (atomic_load(&job->stop)) kelvin_crew_stop(job);
    return !atomic_load(&job->stop);
}

static kelvin_status run_task(void *context, size_t task)
{
    struct kelvin_job *job = context;
    if (atomic_load(&job->stop) && job->group.size < 2)
        return KELVIN_OK; /* ranks in lockstep agree on it in the chain */
    const kelvin_status status = kelvin_job_do(job, &job->lot[task]);
    if (status) {
        atomic_store(&job->stop, true);
        kelvin_crew_stop(job);
    }
    return status;
}

/* One thread of one rank of several: chains until none is left. */
static kelvin_status run_dealt(void *context, size_t worker)
{
    struct kelvin_job *job = context;
    size_t task;
    bool there;
    (void)worker;
    for (;;) {
        KELVIN_TRY(kelvin_crew_next(job, &task, &there));
        if (!there) return KELVIN_OK;
        /* whoever shares the chain asks for the next one, too, or nobody does */
        KELVIN_TRY(kelvin_group_agree(&job->group, run_task(job, task)));
    }
}

/* Chains of all runs, over all threads; over ranks, too, if there are several. */
static kelvin_status run_on(kelvin_pool *pool, struct kelvin_job *job)
{
    const size_t workers = job->group.size > 1 ? 1 : kelvin_pool_threads(pool);
    return job->team.size > 1 ? kelvin_pool_run(pool, run_dealt, job, workers)
                              : kelvin_pool_run(pool, run_task, job, job->lots);
}

static kelvin_status run_chains(struct kelvin_job *job)
{
    kelvin_pool *pool = NULL;
    KELVIN_TRY(kelvin_lots_make(job));
    kelvin_status status = kelvin_keeper_start(&job->keeper);
    const bool kept = !status;
    if (kept) status = kelvin_pool_create(&pool, job->options.threads < job->lots ? job->options.threads : job->lots);
    if (!status) status = run_on(pool, job);
    kelvin_pool_destroy(pool);
    if (kept) kelvin_keeper_stop(job->keeper);
    kelvin_free(job->lot);
    return status;
}

/* So that a watch knows from the beginning what was done before. */
static void tell_all(struct kelvin_job *job)
{
    for (size_t r = 0; r < job->n; r++) {
        const kelvin_run *run = job->runs[r];
        const struct kelvin_place *place = kelvin_run_inside(run)->place;
        for (uint32_t i = 0; i < run->config.chains; i++) {
            const kelvin_chain_news news = {.phase = place[i].phase,
                                            .chain = i,
                                            .row = place[i].step / kelvin_run_row_steps(run),
                                            .rows = kelvin_run_rows(run),
                                            .step = place[i].step,
                                            .steps = kelvin_run_steps(run)};
            kelvin_job_tell(job, run, &news);
        }
    }
}

/* What comes when all chains have ended: the logits of all samples at all training and test data, where they are not
 * there yet, with the baselines, and the manifest. */
static kelvin_status finish(struct kelvin_job *job, kelvin_run *run)
{
    if (!kelvin_crew_leads(job)) return kelvin_logits_help(job, run);
    KELVIN_TRY(kelvin_logits_write(job, run));
    if (!kelvin_run_is_old(run)) KELVIN_TRY(kelvin_vouch_end(run));
    run->seconds = kelvin_now() - kelvin_run_inside(run)->started;
    return KELVIN_OK;
}

static kelvin_status do_chains(struct kelvin_job *job)
{
    if (job->team.size > 1) kelvin_crew_begin(job);
    tell_all(job);
    const kelvin_status status = run_chains(job);
    return job->team.size > 1 ? kelvin_crew_end(job, status) : status;
}

static kelvin_status do_job(struct kelvin_job *job)
{
    KELVIN_TRY(do_chains(job));
    for (size_t r = 0; r < job->n && !job->asked; r++)
        if (job->runs[r]->folder && kelvin_run_chains_ended(job->runs[r])) KELVIN_TRY(finish(job, job->runs[r]));
    return job->asked ? kelvin_fail(KELVIN_ESTOP, "stopped on request") : KELVIN_OK;
}

kelvin_status kelvin_run_sample(kelvin_run **runs, size_t n, const kelvin_run_options *options, kelvin_run_watch *watch,
                                void *context)
{
    KELVIN_NEEDS(runs);
    static const kelvin_run_options usual = {.threads = 0, .checkpoint = 60};
    struct kelvin_job job = {
        .runs = runs, .n = n, .options = options ? *options : usual, .watch = watch, .context = context};
    if (job.options.threads == 0) job.options.threads = kelvin_cpu_count();
    for (size_t r = 0; r < n; r++) KELVIN_NEEDS(runs[r]);
    for (size_t r = 0; r < n; r++) KELVIN_TRY(kelvin_run_expect_open(runs[r]));
    for (size_t r = 0; r < n; r++) kelvin_run_inside(runs[r])->started = 0;
    KELVIN_TRY(kelvin_crew_make(&job));
    pthread_mutex_init(&job.mutex, NULL);
    pthread_mutex_init(&job.asking, NULL);
    const kelvin_status status = do_job(&job);
    pthread_mutex_destroy(&job.asking);
    pthread_mutex_destroy(&job.mutex);
    return kelvin_crew_conclude(&job, status);
}

/* ---- starting and opening ---- */

static kelvin_status keep_folder(kelvin_run *run, const char *folder)
{
    size_t length = strlen(folder);
    if (length >= KELVIN_PATH_MAX - KELVIN_NOTE)
        return kelvin_fail(KELVIN_EUSAGE, "%.200s...: the path is too long", folder);
    while (length > 1 && folder[length - 1] == '/') length--; /* its name is extended */
    run->folder = kelvin_arena_text(kelvin_run_inside(run)->arena, folder, length);
    return run->folder ? KELVIN_OK : KELVIN_ENOMEM;
}

kelvin_status kelvin_run_get_ready(kelvin_run *run, const char *folder)
{
    struct kelvin_run_owned *inside = kelvin_run_inside(run);
    if (!(inside->place = kelvin_arena_alloc(inside->arena, run->config.chains, sizeof *inside->place)))
        return KELVIN_ENOMEM;
    if (folder) return keep_folder(run, folder);
    inside->kept = kelvin_arena_alloc(inside->arena, run->config.chains, sizeof *inside->kept);
    return inside->kept ? KELVIN_OK : KELVIN_ENOMEM;
}

static kelvin_status keep_if(kelvin_status status, kelvin_run **run)
{
    if (status) {
        kelvin_run_close(*run);
        *run = NULL;
    }
    return status;
}

static kelvin_status begin(kelvin_run **run, const kelvin_run_config *config, kelvin_data *own, const kelvin_data *lent,
                           const char *folder)
{
    KELVIN_TRY(kelvin_run_prepare(run, config, own, lent));
    kelvin_status status = kelvin_run_get_ready(*run, folder);
    if (!status && folder) status = kelvin_folder_begin(*run);
    return keep_if(status, run);
}

kelvin_status kelvin_run_begin(kelvin_run **run, const kelvin_run_config *config, const char *folder)
{
    return begin(run, config, NULL, NULL, folder);
}

kelvin_status kelvin_run_begin_with(kelvin_run **run, const kelvin_run_config *config, const kelvin_data *data,
                                    const char *folder)
{
    return begin(run, config, NULL, data, folder);
}

/* Of several ranks the first opens a run with a folder, and the others when it has. */
static bool leads(void)
{
    const struct kelvin_team team = kelvin_team_now();
    return kelvin_team_leads(&team);
}

/* data NULL: those of the configuration. */
static kelvin_status start_alone(kelvin_run **run, const kelvin_config *config, const kelvin_data *data,
                                 const char *folder)
{
    struct kelvin_choice choice;
    kelvin_data *own;
    if (folder) KELVIN_TRY(kelvin_folder_expect_none(folder)); /* before anything takes its time */
    KELVIN_TRY(kelvin_config_complete(&choice, &own, config, data, 0, NULL, NULL));
    return begin(run, &choice.config, own, data, folder);
}

/* A name that is free may be another process's by the time it is taken: then it is the next. */
static kelvin_status start_free(kelvin_run **run, const kelvin_config *config, const kelvin_data *data,
                                const char *name)
{
    kelvin_path folder;
    struct stat about;
    for (unsigned i = 1; i; i++) {
        snprintf(folder, sizeof folder, i == 1 ? "%s" : "%s-%u", name, i);
        if (lstat(folder, &about) != 0) {
            if (errno != ENOENT)
                return kelvin_fail(
                    KELVIN_EIO,
                    "%s: whether it is there cannot be seen: %s; name another place: " KELVIN_REFER(OUTPUT, "RUN"),
                    folder, strerror(errno));
            const kelvin_status status = start_alone(run, config, data, folder);
            if (status != KELVIN_EUSAGE || lstat(folder, &about) != 0) return status;
        }
    }
    return kelvin_fail(KELVIN_EUSAGE, "no name is left for the folder; name a place: " KELVIN_REFER(OUTPUT, "RUN"));
}

typedef kelvin_status starter(kelvin_run **run, const kelvin_config *config, const kelvin_data *data,
                              const char *folder);

static kelvin_status start(kelvin_run **run, const kelvin_config *config, const kelvin_data *data, const char *folder,
                           starter *begin_it)
{
    KELVIN_NEEDS(run);
    *run = NULL;
    if (!folder) return start_alone(run, config, data, NULL);
    if (!leads()) return keep_if(kelvin_crew_follow(run, data), run);
    const kelvin_status status = begin_it(run, config, data, folder);
    return keep_if(kelvin_crew_lead(*run, status), run);
}

kelvin_status kelvin_run_start_with(kelvin_run **run, const kelvin_config *config, const kelvin_data *data,
                                    const char *folder)
{
    KELVIN_NEEDS(config);
    KELVIN_NEEDS(data);
    return start(run, config, data, folder, start_alone);
}

kelvin_status kelvin_run_start(kelvin_run **run, const kelvin_config *config, const char *folder)
{
    KELVIN_NEEDS(config);
    return start(run, config, NULL, folder, start_alone);
}

kelvin_status kelvin_run_start_free(kelvin_run **run, const kelvin_config *config, const char *name)
{
    KELVIN_NEEDS(config);
    KELVIN_NEEDS(name);
    return start(run, config, NULL, name, start_free);
}

static kelvin_status go_on_alone(kelvin_run **run, const char *folder, const kelvin_data *data)
{
    KELVIN_TRY(kelvin_run_load(run, folder, false, data));
    kelvin_status status = kelvin_run_get_ready(*run, folder);
    if (!status) status = kelvin_lock_take(&kelvin_run_inside(*run)->lock, (*run)->folder);
    if (!status) status = kelvin_folder_survey(*run);
    return keep_if(status, run);
}

static kelvin_status go_on(kelvin_run **run, const char *folder, const kelvin_data *data)
{
    KELVIN_NEEDS(run);
    *run = NULL;
    if (!leads()) return keep_if(kelvin_crew_follow(run, data), run);
    const kelvin_status status = go_on_alone(run, folder, data);
    return keep_if(kelvin_crew_lead(*run, status), run);
}

kelvin_status kelvin_run_open_with(kelvin_run **run, const char *folder, const kelvin_data *data)
{
    KELVIN_NEEDS(folder);
    KELVIN_NEEDS(data);
    return go_on(run, folder, data);
}

kelvin_status kelvin_run_open(kelvin_run **run, const char *folder)
{
    KELVIN_NEEDS(folder);
    return go_on(run, folder, NULL);
}

kelvin_status kelvin_run_read(kelvin_run **run, const char *folder)
{
    KELVIN_TRY(kelvin_run_load(run, folder, true, NULL));
    return keep_if(keep_folder(*run, folder), run);
}

/* What was only read has no places: nobody has looked for its chains. */
kelvin_status kelvin_run_expect_open(const kelvin_run *run)
{
    if (kelvin_run_inside(run)->place) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "%s: was read to be looked at, and not opened to go on with it", run->folder);
}

bool kelvin_run_chains_ended(const kelvin_run *run)
{
    const struct kelvin_place *place = kelvin_run_inside(run)->place;
    if (!place) return false;
    for (uint32_t i = 0; i < run->config.chains; i++)
        if (place[i].phase != KELVIN_CHAIN_DONE && place[i].phase != KELVIN_CHAIN_DIVERGED) return false;
    return true;
}

const char *kelvin_run_diverged(const kelvin_run *run, uint32_t chain)
{
    const struct kelvin_place *place = kelvin_run_inside(run)->place;
    const bool diverged = place && chain < run->config.chains && place[chain].phase == KELVIN_CHAIN_DIVERGED;
    return diverged ? place[chain].diverged : NULL;
}
