/* threads: a pool of them.
 *
 *     kelvin_pool *pool;
 *     KELVIN_TRY(kelvin_pool_create(&pool, 0));                            // 0: one thread per CPU
 *     kelvin_status status = kelvin_pool_run(pool, task, context, n);      // the first failure, if any
 *     kelvin_pool_destroy(pool);
 */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include <kelvin/base.h>

typedef struct kelvin_pool kelvin_pool;
typedef kelvin_status kelvin_task(void *context, size_t task);

KELVIN_MUST_CHECK kelvin_status kelvin_pool_create(kelvin_pool **pool, size_t threads);
size_t kelvin_pool_threads(const kelvin_pool *pool);

/* Runs task 0 .. n-1, each once, on the pool's threads (the caller's is one of them); returns when all have ended.
 * If some fail, the status and sentence of the lowest-numbered failure. One run at a time. */
KELVIN_MUST_CHECK kelvin_status kelvin_pool_run(kelvin_pool *pool, kelvin_task *task, void *context, size_t n);
void kelvin_pool_destroy(kelvin_pool *pool);

#endif
