/* A pool of threads that share numbered tasks. Which thread runs a task is chance; nothing may depend on it. */
#include "base/words.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

struct kelvin_pool {
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
    kelvin_pool *pool = *out = kelvin_alloc(1, sizeof *pool);
    if (!pool) return KELVIN_ENOMEM;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
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

void kelvin_pool_destroy(kelvin_pool *pool)
{
    if (!pool) return;
    pthread_mutex_lock(&pool->mutex);
    pool->quit = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (size_t i = 0; i < pool->started; i++) pthread_join(pool->thread[i], NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    kelvin_free(pool->thread);
    kelvin_free(pool);
}

double kelvin_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
