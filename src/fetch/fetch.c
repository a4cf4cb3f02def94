/* What is public: looks whether there is anything to do, keeps others out, goes through the sources, cleans up. */
#include "base/needs.h"
#include "base/threads.h"
#include "base/words.h"
#include "fetch/room.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static _Thread_local char source[FETCH_SENTENCE];

const char *kelvin_fetch_source(void)
{
    return source;
}

static const struct fetch_set *find(const char *name)
{
    static const struct fetch_set *const sets[] = {&kelvin_fetch_cifar10, &kelvin_fetch_mnist};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (sets[i]->canonical == kelvin_canonical_find(name)) return sets[i];
    kelvin_fail(KELVIN_EUSAGE, "data set '%.64s' cannot be fetched; expected cifar10 or mnist", name);
    return NULL;
}

/* ---- a job ---- */

static kelvin_status start(struct fetch_job **out, const struct fetch_set *set, size_t threads,
                           kelvin_fetch_progress *progress, void *context)
{
    struct fetch_job *job = *out = kelvin_alloc(1, sizeof *job);
    if (!job) return KELVIN_ENOMEM;
    job->set = set;
    job->n = kelvin_canonical_count(set->canonical);
    job->progress = progress;
    job->context = context;
    pthread_mutex_init(&job->telling, NULL);
    KELVIN_TRY(kelvin_cache_folder(job->cache));
    KELVIN_TRY(kelvin_path_join(job->folder, job->cache, "%s", set->canonical->name));
    KELVIN_TRY(kelvin_path_join(job->work, job->cache, "%s.fetch", set->canonical->name));
    KELVIN_TRY(kelvin_path_join(job->downloads, job->work, "download"));
    return kelvin_pool_create(&job->pool, threads);
}

static void end(struct fetch_job *job)
{
    if (!job) return;
    kelvin_pool_destroy(job->pool);
    pthread_mutex_destroy(&job->telling);
    kelvin_free(job);
}

/* A failure to write into the cache, and what can be done about it. */
static kelvin_status advise(kelvin_status status)
{
    if (status != KELVIN_EIO) return status;
    return kelvin_fail(status, KELVIN_SAID "; set KELVIN_DATA to a folder that can be written", kelvin_error_raw());
}

static kelvin_status fetch_missing(struct fetch_job *job, const char *from)
{
    char damaged[FETCH_NAMES];
    const size_t n_damaged = kelvin_fetch_name_wrong(damaged, job, true);
    KELVIN_TRY(advise(kelvin_folder_make(job->folder)));
    KELVIN_TRY(advise(kelvin_folder_make(job->downloads)));
    if (from) snprintf(source, sizeof source, "%s", from);
    const kelvin_status status = from ? kelvin_sources_from(job, from) : kelvin_sources_in_turn(job, source);
    const size_t used = strlen(source);
    if (status)
        *source = '\0';
    else if (n_damaged > 0)
        snprintf(source + used, sizeof source - used, " (%s %s damaged)", damaged, n_damaged > 1 ? "were" : "was");
    return job->broken ? advise(status) : status;
}

/* Holding the lock. Someone else may have done it while we waited. */
static kelvin_status fetch_alone(struct fetch_job *job, const char *from)
{
    kelvin_status status = kelvin_fetch_check_files(job);
    if (!status && !kelvin_fetch_is_complete(job)) status = fetch_missing(job, from);
    if (!status) kelvin_folder_remove(job->work);
    rmdir(job->downloads); /* unless there is something in it that the next attempt can use */
    rmdir(job->work);
    return status;
}

static kelvin_status fetch(struct fetch_job *job, const char *from)
{
    kelvin_path path;
    int lock = -1;
    KELVIN_TRY(kelvin_path_join(path, job->cache, "%s.lock", job->set->canonical->name));
    KELVIN_TRY(kelvin_fetch_check_files(job));
    const bool complete = kelvin_fetch_is_complete(job);
    if (complete && access(job->work, F_OK) && access(path, F_OK)) return KELVIN_OK;
    kelvin_status status = kelvin_folder_make(job->cache);
    if (!status) status = kelvin_folder_lock(&lock, path, job);
    status = advise(status);
    if (!status) status = fetch_alone(job, from);
    kelvin_folder_unlock(lock, path);
    return complete ? KELVIN_OK : status; /* then it was only about what someone left who was cut short */
}

kelvin_status kelvin_fetch_verify_set(bool *complete, const struct fetch_set *set, size_t threads,
                                      kelvin_fetch_progress *progress, void *context)
{
    struct fetch_job *job;
    *complete = false;
    if (!set) return KELVIN_EUSAGE;
    kelvin_status status = start(&job, set, threads, progress, context);
    if (!status) status = kelvin_fetch_check_files(job);
    if (!status) *complete = kelvin_fetch_is_complete(job);
    end(job);
    return status;
}

kelvin_status kelvin_fetch_set_run(const struct fetch_set *set, const char *from, size_t threads,
                                   kelvin_fetch_progress *progress, void *context)
{
    struct fetch_job *job;
    *source = '\0';
    if (!set) return KELVIN_EUSAGE;
    if (from) KELVIN_TRY(kelvin_sources_check(from));
    kelvin_status status = start(&job, set, threads, progress, context);
    if (!status) status = fetch(job, from);
    end(job);
    return status;
}

kelvin_status kelvin_fetch_verify(bool *complete, const char *name, size_t threads, kelvin_fetch_progress *progress,
                                  void *context)
{
    return kelvin_fetch_verify_set(complete, find(name), threads, progress, context);
}

kelvin_status kelvin_fetch(const char *name, const char *from, size_t threads, kelvin_fetch_progress *progress,
                           void *context)
{
    KELVIN_NEEDS(name);
    return kelvin_fetch_set_run(find(name), from, threads, progress, context);
}
