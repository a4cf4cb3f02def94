/* Several threads at once, and children after fork: the same draws as one after the other. */
#include "folder_helpers.h"

#include "fit_helpers.h"

#include "base/threads.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4 };

static const char *const *const samplers[THREADS] = {fit_sghmc, fit_hmc, fit_sghmc, fit_hmc};

/* One thread's fit, to a table of its own. */
struct job {
    const char *const *fields;
    uint32_t seed;
    kelvin_status status;
    char sentence[256];
    float *draws;
    size_t n;
};

static void *fit(void *context)
{
    struct job *job = context;
    struct fit_table table;
    fit_fill(&table, job->seed);
    const kelvin_arrays arrays = fit_arrays(&table);
    job->status = fit_memory(&job->draws, &job->n, job->fields, &arrays, 2);
    snprintf(job->sentence, sizeof job->sentence, "%s", kelvin_error());
    return NULL;
}

static void make_jobs(struct job jobs[THREADS])
{
    for (uint32_t i = 0; i < THREADS; i++) jobs[i] = (struct job){.fields = samplers[i], .seed = i};
}

static void free_jobs(struct job jobs[THREADS])
{
    for (size_t i = 0; i < THREADS; i++) kelvin_free(jobs[i].draws);
}

static void assert_same(const struct job *a, const struct job *b)
{
    if (a->status) fail_msg("%s", a->sentence);
    if (b->status) fail_msg("%s", b->sentence);
    assert_int_equal(a->n, b->n);
    assert_true(a->n > 1000);
    assert_memory_equal(a->draws, b->draws, a->n * sizeof *a->draws);
}

static struct job expected[THREADS];

static int fit_one_by_one(void **state)
{
    make_jobs(expected);
    for (size_t i = 0; i < THREADS; i++) fit(&expected[i]);
    return make_base(state);
}

static int forget(void **state)
{
    free_jobs(expected);
    return remove_base(state);
}

static void fits_at_once(void **state)
{
    (void)state;
    struct job jobs[THREADS];
    pthread_t threads[THREADS];
    make_jobs(jobs);
    for (size_t i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, fit, &jobs[i]), 0);
    for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (size_t i = 0; i < THREADS; i++) assert_same(&jobs[i], &expected[i]);
    assert_false(jobs[0].n == jobs[1].n && memcmp(jobs[0].draws, jobs[1].draws, jobs[0].n * sizeof(float)) == 0);
    free_jobs(jobs);
}

static pthread_barrier_t begin;

/* Each thread has the sentence of its own last failure. */
static void *fail_often(void *context)
{
    const int number = *(const int *)context;
    char own[16];
    snprintf(own, sizeof own, "thread %d", number);
    pthread_barrier_wait(&begin);
    for (int i = 0; i < 20000; i++) {
        kelvin_data *data;
        const kelvin_arrays none = {.name = own};
        if (kelvin_data_from_arrays(&data, &none) != KELVIN_EUSAGE || !strstr(kelvin_error(), own)) return NULL;
    }
    return context;
}

static void sentences_are_of_threads(void **state)
{
    (void)state;
    int numbers[THREADS] = {1, 2, 3, 4};
    pthread_t threads[THREADS];
    assert_int_equal(pthread_barrier_init(&begin, NULL, THREADS), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, fail_often, &numbers[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *good;
        pthread_join(threads[i], &good);
        assert_non_null(good);
    }
    pthread_barrier_destroy(&begin);
}

/* ---- children ---- */

/* A child does the first two jobs; its exit code says how they went. It must not hang: SIGALRM ends it. */
static int child(void)
{
    struct job jobs[THREADS];
    alarm(600);
    make_jobs(jobs);
    for (size_t i = 0; i < 2; i++) {
        fit(&jobs[i]);
        if (jobs[i].status) return 2;
        if (jobs[i].n != expected[i].n || memcmp(jobs[i].draws, expected[i].draws, jobs[i].n * sizeof(float)) != 0)
            return 3;
    }
    free_jobs(jobs);
    return 0;
}

static void assert_child_is_well(void)
{
    int ended;
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) _exit(child());
    assert_int_equal(waitpid(pid, &ended, 0), pid);
    if (ended != 0) fail_msg("the child ended with %#x", (unsigned)ended);
}

static void children_fit(void **state)
{
    (void)state;
    assert_child_is_well();
}

struct busy {
    atomic_bool stop;
    atomic_uint rounds;
};

/* Fits, and reads and writes what else the library has a state for, without a pause. */
static void *stay_busy(void *context)
{
    struct busy *busy = context;
    while (!atomic_load(&busy->stop)) {
        struct job job = {.fields = fit_hmc, .seed = 1};
        fit(&job);
        kelvin_free(job.draws);
        atomic_fetch_add(&busy->rounds, 1);
    }
    return NULL;
}

/* Forked wherever another thread's fit happens to be: some children begin in the middle of an allocation, of a pool's
 * work, of a checksum. */
static void children_fit_whatever_others_do(void **state)
{
    (void)state;
    enum { CHILDREN = 40 };
#ifdef __SANITIZE_ADDRESS__
    skip(); /* gcc's sanitizer has locks of its own around its allocator, which a child may find held for ever */
#endif
    static struct busy busy; /* a thread looks at it even after this test has failed */
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, stay_busy, &busy), 0);
    for (size_t i = 0; i < CHILDREN; i++) {
        usleep((useconds_t)(350 * i));
        assert_child_is_well();
    }
    while (atomic_load(&busy.rounds) == 0) usleep(1000);
    atomic_store(&busy.stop, true);
    pthread_join(thread, NULL);
}

/* Whoever closes a run lets go of its folder, though children have its lock open still; and a child that closes its
 * copy of the run lets go of nothing. */
static void locks_are_of_processes(void **state)
{
    (void)state;
    kelvin_data *data;
    kelvin_run *run, *again;
    struct fit_table table;
    int ended;
    fit_fill(&table, 1);
    const kelvin_arrays arrays = fit_arrays(&table);
    assert_ok(kelvin_data_from_arrays(&data, &arrays));
    assert_ok(fit_run(&run, fit_hmc, data, NULL, in_base("run"), 1));
    const pid_t closes = fork();
    if (closes == 0) _exit((kelvin_run_close(run), 0));
    assert_int_equal(waitpid(closes, &ended, 0), closes);
    fails(kelvin_run_open_with(&again, in_base("run"), data), KELVIN_EUSAGE, "run", "is working here");
    const pid_t lives = fork();
    if (lives == 0) _exit((alarm(60), pause())); /* not forever, should this test fail */
    kelvin_run_close(run);
    assert_ok(kelvin_run_open_with(&again, in_base("run"), data));
    kelvin_run_close(again);
    kill(lives, SIGKILL);
    assert_int_equal(waitpid(lives, &ended, 0), lives);
    kelvin_data_close(data);
}

/* ---- pools ---- */

static kelvin_status count(void *context, size_t task)
{
    atomic_uint *counts = context;
    atomic_fetch_add(&counts[task], 1);
    return task == 2 || task == 4 ? kelvin_fail(KELVIN_EIO, "task %zu", task) : KELVIN_OK;
}

enum { TASKS = 6 };

static bool pool_works(kelvin_pool *pool)
{
    atomic_uint counts[TASKS] = {0};
    if (kelvin_pool_run(pool, count, counts, TASKS) != KELVIN_EIO) return false;
    bool all = strcmp(kelvin_error(), "task 2") == 0;
    for (size_t i = 0; i < TASKS; i++) all &= atomic_load(&counts[i]) == 1;
    return all;
}

/* A pool that was made before: its threads stayed behind, perhaps while one of them held its mutex. */
static void pools_survive_forks(void **state)
{
    (void)state;
    kelvin_pool *pool;
    assert_ok(kelvin_pool_create(&pool, 3));
    for (size_t i = 0; i < 50; i++) {
        int ended;
        assert_true(pool_works(pool)); /* its threads may be on their way back to sleep */
        const pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            alarm(60);
            const bool good = pool_works(pool) && pool_works(pool);
            kelvin_pool_destroy(pool);
            _exit(good ? 0 : 1);
        }
        assert_int_equal(waitpid(pid, &ended, 0), pid);
        assert_int_equal(ended, 0);
    }
    kelvin_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_at_once),        cmocka_unit_test(sentences_are_of_threads),
        cmocka_unit_test(children_fit),        cmocka_unit_test(children_fit_whatever_others_do),
        cmocka_unit_test(pools_survive_forks), cmocka_unit_test(locks_are_of_processes),
    };
    return cmocka_run_group_tests(tests, fit_one_by_one, forget);
}
