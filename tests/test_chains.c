/* Chains to their end: the same bytes on any number of threads, at any period of checkpoints, and however often they
 * were stopped or killed on the way. */
#include "chains_helpers.h"

#include <signal.h>

/* ---- undisturbed ---- */

static void threads_and_checkpoints_do_not_count(void **state)
{
    (void)state;
    const kelvin_run_config config = tiny();
    whole_run(&config, "plain", 1, 1e9);
    assert_int_equal(compare(in_base("plain"), in_base("plain")), 6 + 3 * 3);
    const struct {
        size_t threads;
        double checkpoint; /* 1e-9: in the middle of epochs too, whenever the last one is on disk */
    } table[] = {{1, 1e9}, {1, 0}, {1, 1e-9}, {2, 0}, {2, 1e-9}, {3, 1e-9}, {3, 1e9}, {7, 0.001}, {0, 5}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        whole_run(&config, "other", table[i].threads, table[i].checkpoint);
        same_runs("other", "plain");
        remove_tree(in_base("other"));
    }
}

/* Chains, and samples of one chain, differ; another seed gives others. */
static void samples_are_different(void **state)
{
    (void)state;
    kelvin_run_config config = tiny();
    config.chains = 2;
    config.samples = 6;
    config.schedule = config.temperature_schedule = "cyclical";
    whole_run(&config, "ours", 2, 0);
    config.seed++;
    whole_run(&config, "theirs", 2, 0);
    kelvin_run *run = run_of("ours");
    const size_t bytes = run->model->n_params * sizeof(float);
    float *theta[9];
    for (uint32_t i = 0; i < 6; i++) theta[i] = sample_of(run, "ours", i / 3, i % 3);
    for (uint32_t i = 0; i < 3; i++) theta[6 + i] = sample_of(run, "theirs", 0, i);
    for (size_t i = 0; i < 9; i++)
        for (size_t k = 0; k < i; k++) assert_memory_not_equal(theta[i], theta[k], bytes);
    for (size_t i = 0; i < 9; i++) kelvin_free(theta[i]);
    kelvin_run_close(run);
    remove_tree(in_base("ours"));
    remove_tree(in_base("theirs"));
}

/* ---- stopped ---- */

struct stopper {
    uint32_t calls, last;     /* says stop at call number `last`, after so many seconds in which other chains go on; */
    double wait;              /* but at the end of an epoch they wait for the watch */
    kelvin_chain_phase phase; /* when it said so */
};

static bool stop_at(void *context, const kelvin_run *run, const kelvin_chain_news *news)
{
    struct stopper *stopper = context;
    assert_true(news->chain < run->config.chains);
    assert_true(news->step <= news->steps);
    if (stopper->calls++ < stopper->last) return true;
    stopper->phase = news->phase;
    for (const double start = kelvin_now(); kelvin_now() - start < stopper->wait;) continue;
    return false;
}

struct stops {
    size_t all, in_epoch, at_logits;
};

/* How many chains stand in the middle of an epoch? */
static size_t amid_epochs(const char *name, const kelvin_run *run)
{
    size_t n = 0;
    for (uint32_t i = 0; i < run->config.chains; i++) {
        kelvin_path path;
        uint32_t step;
        char diverged[KELVIN_NOTE];
        assert_ok(kelvin_path_join(path, in_base(name), KELVIN_STATE_FILE, i));
        if (!exists(path)) continue;
        assert_ok(kelvin_state_peek(&step, diverged, path, run, i, UINT32_MAX));
        n += step % kelvin_steps_per_epoch(run) != 0;
    }
    return n;
}

/* To the end with a stop now and then, on 1 to 3 threads. */
static struct stops bumpy_run(const kelvin_run_config *config, const char *name, uint32_t *roll)
{
    struct stops stops = {0};
    kelvin_chains *chains = started(config, name);
    for (;;) {
        const kelvin_chains_options options = {.threads = 1 + dice(++*roll, 3),
                                               .checkpoint = (double[]){0, 1e-9, 1e9}[dice(++*roll, 3)]};
        /* a whole run hears of each chain thrice, of each sample twice: some rounds are not stopped */
        struct stopper stopper = {.last = dice(++*roll, 4 * config->chains + 2 * config->samples),
                                  .wait = 1e-6 * dice(++*roll, 200)};
        const kelvin_status status = kelvin_chains_run(chains, &options, stop_at, &stopper);
        if (!status) break;
        fails(status, KELVIN_ESTOP, "stopped", "request");
        stops.all++;
        stops.in_epoch += amid_epochs(name, kelvin_chains_about(chains));
        stops.at_logits += stopper.phase == KELVIN_CHAIN_LOGITS;
        assert_false(kelvin_chains_finished(chains));
        if (dice(++*roll, 2)) continue; /* with the same one */
        kelvin_chains_close(chains);
        chains = opened(name);
        assert_false(kelvin_chains_finished(chains));
    }
    assert_true(kelvin_chains_finished(chains));
    kelvin_chains_close(chains);
    return stops;
}

static void stopped_again_and_again(void **state)
{
    (void)state;
    kelvin_run_config table[] = {tiny(), tiny(), tiny()};
    table[1].chains = 2;
    table[1].samples = 8; /* cycles of three epochs and of four */
    table[1].schedule = table[1].temperature_schedule = "cyclical";
    table[2].samples = 9;
    table[2].schedule = table[2].temperature_schedule = "constant";
    struct stops sum = {0};
    uint32_t roll = 0;
    for (size_t i = 0; i < 3; i++) {
        table[i].batch = 1;
        table[i].epochs = 15;
        whole_run(&table[i], "smooth", 2, 0);
        for (int round = 0; round < 12; round++) {
            const struct stops stops = bumpy_run(&table[i], "bumpy", &roll);
            sum.all += stops.all;
            sum.in_epoch += stops.in_epoch;
            sum.at_logits += stops.at_logits;
            same_runs("bumpy", "smooth");
            remove_tree(in_base("bumpy"));
        }
        remove_tree(in_base("smooth"));
    }
    print_message("%zu stops, %zu chains stood in the middle of an epoch, %zu stops among the logits\n", sum.all,
                  sum.in_epoch, sum.at_logits);
    assert_true(sum.all > 50 && sum.at_logits > 5);
}

struct first_news {
    uint32_t heard;
    kelvin_chain_news news[3];
};

static bool listen(void *context, const kelvin_run *run, const kelvin_chain_news *news)
{
    struct first_news *first = context;
    if (first->heard < run->config.chains) first->news[first->heard++] = *news;
    return true;
}

/* Whoever goes on with a run that was stopped is told where its chains are, be it opened again or not. */
static void a_stopped_run_knows_where_it_is(void **state)
{
    (void)state;
    const kelvin_run_config config = tiny();
    const kelvin_chains_options options = {.threads = 1, .checkpoint = 0};
    kelvin_chains *chains = started(&config, "stopped");
    /* three news before the start, one when chain 0 begins, one when it is done: chain 1 is stopped when it begins */
    struct stopper stopper = {.last = 5};
    fails(kelvin_chains_run(chains, &options, stop_at, &stopper), KELVIN_ESTOP, "stopped", "request");
    struct first_news first = {0};
    assert_ok(kelvin_chains_run(chains, &options, listen, &first));
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(first.news[i].chain, i);
        assert_int_equal(first.news[i].phase, i == 0 ? KELVIN_CHAIN_DONE : KELVIN_CHAIN_WAITING);
        assert_int_equal(first.news[i].step, i == 0 ? first.news[i].steps : 0);
    }
    kelvin_chains_close(chains);
    same_runs("stopped", "plain");
    remove_tree(in_base("stopped"));
}

/* At the first news from the midst of the work, which come after a tenth of a second. */
static bool stop_at_work(void *context, const kelvin_run *run, const kelvin_chain_news *news)
{
    (void)context, (void)run;
    return news->phase != KELVIN_CHAIN_SAMPLING || news->images_per_s == 0;
}

/* To the end, stopped at every second news; how many chains stood in the middle of an epoch then. */
static size_t stopped_run(const kelvin_run_config *config)
{
    kelvin_chains *chains = started(config, "bumpy");
    size_t stops = 0, amid = 0;
    for (;; stops++) {
        const kelvin_chains_options options = {.threads = 1 + stops % 3, .checkpoint = 1e9};
        const kelvin_status status = kelvin_chains_run(chains, &options, stop_at_work, NULL);
        if (!status) break;
        fails(status, KELVIN_ESTOP, "stopped", "request");
        amid += amid_epochs("bumpy", kelvin_chains_about(chains));
        kelvin_chains_close(chains);
        chains = opened("bumpy");
    }
    kelvin_chains_close(chains);
    print_message("%zu stops, at which %zu chains stood in the middle of an epoch\n", stops, amid);
    return amid;
}

/* No checkpoints but those of the stops, each after a step that is like any other. News come ten times a second: on a
 * fast machine it takes more epochs until there is a second one. */
static void stopped_in_the_middle_of_epochs(void **state)
{
    (void)state;
    kelvin_run_config config = tiny();
    config.data = "digits";
    config.chains = config.samples = 2;
    config.batch = 1;
    config.lr = 1e-3;
    size_t amid = 0;
    for (config.epochs = 20; amid == 0 && config.epochs < 20000; config.epochs *= 4) {
        amid = stopped_run(&config);
        whole_run(&config, "smooth", 1, 1e9);
        same_runs("bumpy", "smooth");
        remove_tree(in_base("bumpy"));
        remove_tree(in_base("smooth"));
    }
    assert_true(amid >= 1);
}

/* ---- killed ---- */

/* A process that works on the run until it ends or is killed after some microseconds. */
static bool work_until_killed(const char *name, size_t threads, useconds_t patience)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        kelvin_chains *chains;
        const kelvin_chains_options options = {.threads = threads, .checkpoint = 1e-9};
        if (kelvin_chains_open(&chains, in_base(name))) _exit(3);
        _exit(kelvin_chains_run(chains, &options, NULL, NULL) ? 4 : 0);
    }
    int result;
    usleep(patience);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &result, 0), child);
    if (WIFEXITED(result) && WEXITSTATUS(result)) fail_msg("the worker ended with %d", WEXITSTATUS(result));
    return WIFSIGNALED(result);
}

/* Checkpoints at every step, so that most kills fall into one. What a killed process leaves is always a run. */
static void killed_again_and_again(void **state)
{
    (void)state;
    kelvin_run_config config = tiny();
    config.samples = 9;
    config.schedule = config.temperature_schedule = "cyclical";
    const double began = kelvin_now();
    whole_run(&config, "smooth", 2, 1e-9);
    const uint32_t patience = 1000 + (uint32_t)(5e5 * (kelvin_now() - began)); /* microseconds: half of the run */
    kelvin_chains_close(started(&config, "killed"));
    size_t kills = 0, amid = 0;
    kelvin_run *run = run_of("killed");
    for (uint32_t roll = 0; kills < 30;) {
        const size_t threads = 1 + dice(++roll, 3);
        kills += work_until_killed("killed", threads, 1000 + dice(++roll, patience));
        amid += amid_epochs("killed", run);
        kelvin_chains *chains = opened("killed");
        const bool finished = kelvin_chains_finished(chains);
        kelvin_chains_close(chains);
        if (finished) {
            same_runs("killed", "smooth");
            remove_tree(in_base("killed"));
            kelvin_chains_close(started(&config, "killed"));
        }
    }
    print_message("%zu kills, %zu states in the middle of an epoch\n", kills, amid);
    assert_true(amid > 0);
    resumed("killed", 3);
    same_runs("killed", "smooth");
    kelvin_run_close(run);
    remove_tree(in_base("killed"));
    remove_tree(in_base("smooth"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_checkpoints_do_not_count),
        cmocka_unit_test(samples_are_different),
        cmocka_unit_test(stopped_again_and_again),
        cmocka_unit_test(a_stopped_run_knows_where_it_is),
        cmocka_unit_test(stopped_in_the_middle_of_epochs),
        cmocka_unit_test(killed_again_and_again),
    };
    return cmocka_run_group_tests(tests, make_table, remove_base);
}
