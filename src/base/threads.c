/* A pool of threads that share numbered tasks. Which thread runs a task is chance; nothing may depend on it.
 *
 * After fork() a child has one thread, and a mutex that another thread held stays locked. So a pool that was made
 * before runs its tasks in the thread that asks, without a lock, and does not wait for threads that are not there. */
#include "base/threads.h"
#include "base/words.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static atomic_uint forks; /* that lie between this process and the first one */

static void count_fork(void)
{
    atomic_fetch_add(&forks, 1);
}

static pthread_once_t watching = PTHREAD_ONCE_INIT; /* since the first pool */

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, count_fork);
}

struct kelvin_pool {
    unsigned made_after;     /* so many forks */
    size_t threads, started; /* the caller counts as a thread; `started` are the others */
    pthread_t *thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake, done;
    bool quit;
    uint64_t round; /* grows by one with each run */

    kelvin_task *task;
    void *context;
    size_t n, next, busy;
    size_t failed_task; /* the lowest that failed, with its status and sentence */
    kelvin_status status;
    char sentence[KELVIN_RAW];
};

/* Takes tasks until none is left. Called and left with the mutex held. */
static void work(kelvin_pool *pool)
{
    pool->busy++;
    while (pool->next < pool->n) {
        const size_t task = pool->next++;
        pthread_mutex_unlock(&pool->mutex);
        const kelvin_status status = pool->task(pool->context, task);
        pthread_mutex_lock(&pool->mutex);
        if (status && (!pool->status || task < pool->failed_task)) {
            pool->status = status;
            pool->failed_task = task;
            snprintf(pool->sentence, sizeof pool->sentence, "%s", kelvin_error_raw());
        }
    }
    if (--pool->busy == 0) pthread_cond_signal(&pool->done);
}

/* Whether its threads stayed behind in the process that made it. */
static bool is_alone(const kelvin_pool *pool)
{
    return pool->made_after != atomic_load(&forks);
}

static kelvin_status run_alone(kelvin_task *task, void *context, size_t n)
{
    kelvin_status first = KELVIN_OK;
    char sentence[KELVIN_RAW];
    for (size_t i = 0; i < n; i++) { /* all of them, as if there were threads */
        const kelvin_status status = task(context, i);
        if (!status || first) continue;
        first = status;
        snprintf(sentence, sizeof sentence, "%s", kelvin_error_raw());
    }
    return first ? kelvin_fail(first, KELVIN_SAID, sentence) : KELVIN_OK;
}

static void *thread_main(void *argument)
{
    kelvin_pool *pool = argument;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (!pool->quit && pool->round == seen) pthread_cond_wait(&pool->wake, &pool->mutex);
        if (pool->quit) break;
        seen = pool->round;
        work(pool);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

kelvin_status kelvin_pool_create(kelvin_pool **out, size_t threads)
{
    if (threads == 0) threads = kelvin_cpu_count();
    pthread_once(&watching, watch_forks);
    kelvin_pool *pool = *out = kelvin_alloc(1, sizeof *pool);
    if (!pool) return KELVIN_ENOMEM;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->made_after = atomic_load(&forks);
    pool->threads = threads;
    pool->thread = kelvin_alloc(threads, sizeof *pool->thread);
    kelvin_status status = pool->thread ? KELVIN_OK : KELVIN_ENOMEM;
    while (pool->started + 1 < threads && !status) {
        if (pthread_create(&pool->thread[pool->started], NULL, thread_main, pool))
            status = kelvin_fail(KELVIN_ENOMEM, "only %zu of %zu threads could be started", pool->started + 1, threads);
        else
            pool->started++;
    }
    if (!status) return KELVIN_OK;
    kelvin_pool_destroy(pool);
    *out = NULL;
    return status;
}

size_t kelvin_pool_threads(const kelvin_pool *pool)
{
    return pool->threads;
}

kelvin_status kelvin_pool_run(kelvin_pool *pool, kelvin_task *task, void *context, size_t n)
{
    if (is_alone(pool)) return run_alone(task, context, n);
    pthread_mutex_lock(&pool->mutex);
    pool->task = task;
    pool->context = context;
    pool->n = n;
    pool->next = 0;
    pool->status = KELVIN_OK;
    pool->round++;
    pthread_cond_broadcast(&pool->wake);
    work(pool);
    while (pool->busy > 0) pthread_cond_wait(&pool->done, &pool->mutex);
    const kelvin_status status = pool->status;
    if (status) kelvin_fail(status, KELVIN_SAID, pool->sentence);
    pthread_mutex_unlock(&pool->mutex);
    return status;
}

static void end_threads(kelvin_pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    pool->quit = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (size_t i = 0; i < pool->started; i++) pthread_join(pool->thread[i], NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
}

void kelvin_pool_destroy(kelvin_pool *pool)
{
    if (!pool) return;
    if (!is_alone(pool)) end_threads(pool);
    kelvin_free(pool->thread);
    kelvin_free(pool);
}

double kelvin_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
