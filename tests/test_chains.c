/* Chains by every sampler to their end: the same bytes on any number of threads, at any period of checkpoints, and
 * however often they were stopped or killed on the way. */
#include "chains_helpers.h"

#include <signal.h>

/* ---- undisturbed ---- */

static void same_on(const kelvin_run_config *config, size_t threads, double checkpoint)
{
    whole_run(config, "other", threads, checkpoint);
    same_runs("other", "plain");
    remove_tree(in_base("other"));
}

static void threads_and_checkpoints_do_not_count(void **state)
{
    (void)state;
    const struct {
        size_t threads;
        double checkpoint; /* 1e-9: in the middle of epochs too, whenever the last one is on disk */
    } table[] = {{1, 1e9}, {1, 0}, {1, 1e-9}, {2, 0}, {2, 1e-9}, {3, 1e-9}, {3, 1e9}, {7, 0.001}, {0, 5}};
    for (size_t s = 0; s < samplers(); s++) {
        kelvin_run_config config = tiny_by(kelvin_sampler_info(s));
        whole_run(&config, "plain", 1, 1e9);
        /* run.json, data.json, the manifest, baselines, logits and labels of two parts; draws, state and history of a chain */
        assert_int_equal(compare(in_base("plain"), in_base("plain")), 8 + 3 * 3);
        for (size_t i = 0; i < sizeof table / sizeof *table; i++)
            same_on(&config, table[i].threads, table[i].checkpoint);
        remove_tree(in_base("plain"));

        config = bundled_by(kelvin_sampler_info(s));
        whole_run(&config, "plain", 1, 1e9);
        assert_int_equal(compare(in_base("plain"), in_base("plain")), 8 + 2 * 5);
        same_on(&config, 2, 0);
        same_on(&config, 3, 1e-9);
        remove_tree(in_base("plain"));
    }
}

/* Chains, and draws of one chain, differ; another seed gives others. */
static void draws_differ(const kelvin_run_config *given)
{
    kelvin_run_config config = *given;
    whole_run(&config, "ours", 2, 0);
    config.seed++;
    whole_run(&config, "theirs", 2, 0);
    kelvin_run *run = run_of("ours");
    const size_t bytes = run->model->n_params * sizeof(float);
    float *theta[9];
    for (uint32_t i = 0; i < 6; i++) theta[i] = draw_of(run, "ours", i / 3, i % 3);
    kelvin_run_close(run);
    run = run_of("theirs");
    for (uint32_t i = 0; i < 3; i++) theta[6 + i] = draw_of(run, "theirs", 0, i);
    for (size_t i = 0; i < 9; i++)
        for (size_t k = 0; k < i; k++) assert_memory_not_equal(theta[i], theta[k], bytes);
    for (size_t i = 0; i < 9; i++) kelvin_free(theta[i]);
    kelvin_run_close(run);
    remove_tree(in_base("ours"));
    remove_tree(in_base("theirs"));
}

static void samples_are_different(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_sampler_type *type = kelvin_sampler_info(s);
        kelvin_run_config config = tiny_by(type);
        config.chains = 2;
        config.samples = 6;
        config.schedule = config.temperature_schedule = "cyclical";
        config.iterations = 3;
        config.warmup = 0;
        if (type->accepts) set(&config, "step_size", 1e-3); /* a rejected draw is the one before it */
        draws_differ(&config);
    }
}

/* ---- stopped ---- */

struct stopper {
    uint32_t calls, last;     /* says stop at call number `last`, after so many seconds in which other chains go on; */
    double wait;              /* but at the end of a row they wait for the watch */
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
    size_t all, in_row, in_bundle, at_logits;
};

/* How many chains stand in the middle of an epoch, and how many have draws that are not in a file yet. */
static void count_amid(struct stops *stops, const char *name, const kelvin_run *run)
{
    for (uint32_t i = 0; i < run->config.chains; i++) {
        kelvin_path path;
        assert_ok(kelvin_path_join(path, in_base(name), KELVIN_STATE_FILE, i));
        if (!exists(path)) continue;
        struct kelvin_chain chain = state_of(run, name, i);
        stops->in_row += chain.now.step % chain.row_steps != 0;
        stops->in_bundle += chain.bundle.draws > 0;
        kelvin_chain_destroy(&chain);
    }
}

static bool twice_a_chain(void *context, const kelvin_run *run, const kelvin_chain_news *news)
{
    return news->phase == KELVIN_CHAIN_LOGITS || stop_at(context, run, news);
}

/* To the end with a stop now and then, on 1 to 3 threads. */
static void bumpy_run(struct stops *stops, const kelvin_run_config *config, const char *name, uint32_t *roll)
{
    kelvin_run *run = started(config, name);
    for (;;) {
        const kelvin_run_options options = {.threads = 1 + dice(++*roll, 3),
                                            .checkpoint = (double[]){0, 1e-9, 1e9}[dice(++*roll, 3)]};
        /* a whole run hears of each chain thrice, of each sample twice: some rounds are not stopped */
        const bool early = dice(++*roll, 2);
        const uint32_t calls = 4 * config->chains + (early ? 0 : 2 * samples_of(config));
        struct stopper stopper = {.last = dice(++*roll, calls), .wait = 1e-6 * dice(++*roll, 200)};
        const kelvin_status status = kelvin_run_sample(&run, 1, &options, early ? twice_a_chain : stop_at, &stopper);
        if (!status) break;
        fails(status, KELVIN_ESTOP, "stopped", "request");
        stops->all++;
        count_amid(stops, name, run);
        stops->at_logits += stopper.phase == KELVIN_CHAIN_LOGITS;
        assert_false(kelvin_run_finished(run));
        if (dice(++*roll, 2)) continue; /* with the same one */
        kelvin_run_close(run);
        run = opened(name);
        assert_false(kelvin_run_finished(run));
    }
    assert_true(kelvin_run_finished(run));
    kelvin_run_close(run);
}

static void bumpy_runs(struct stops *stops, const kelvin_run_config *config, int rounds, uint32_t *roll)
{
    whole_run(config, "smooth", 2, 0);
    for (int round = 0; round < rounds; round++) {
        bumpy_run(stops, config, "bumpy", roll);
        same_runs("bumpy", "smooth");
        remove_tree(in_base("bumpy"));
    }
    remove_tree(in_base("smooth"));
}

static void print_stops(const char *whose, const struct stops *stops)
{
    print_message("%s: %zu stops, %zu chains stood in the middle of an epoch, %zu had draws that were in no file; %zu "
                  "stops among the logits\n",
                  whose, stops->all, stops->in_row, stops->in_bundle, stops->at_logits);
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
    struct stops stops = {0};
    uint32_t roll = 0;
    for (size_t i = 0; i < 3; i++) {
        table[i].batch = 1;
        table[i].epochs = 15;
        bumpy_runs(&stops, &table[i], 12, &roll);
    }
    print_stops("sghmc", &stops);
    assert_true(stops.all > 50 && stops.at_logits > 5);
}

/* By every sampler, with one file of draws and with several. */
static void stopped_among_draws(void **state)
{
    (void)state;
    uint32_t roll = 1000;
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_sampler_type *type = kelvin_sampler_info(s);
        kelvin_run_config config = tiny_by(type);
        struct stops stops = {0};
        config.epochs = config.iterations = 15;
        config.warmup = 5;
        bumpy_runs(&stops, &config, 12, &roll);
        config = bundled_by(type);
        bumpy_runs(&stops, &config, 3, &roll);
        print_stops(type->member.name, &stops);
        assert_true(stops.all > 15 && stops.at_logits > 2);
    }
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
    const kelvin_run_options options = {.threads = 1, .checkpoint = 0};
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_run_config config = tiny_by(kelvin_sampler_info(s));
        kelvin_run *run = started(&config, "stopped");
        /* three news before the start, one when chain 0 begins, one when it is done: chain 1 is stopped when it begins;
         * or the last of three that begin together */
        struct stopper stopper = {.last = 5};
        fails(kelvin_run_sample(&run, 1, &options, stop_at, &stopper), KELVIN_ESTOP, "stopped", "request");
        struct first_news first = {0};
        assert_ok(kelvin_run_sample(&run, 1, &options, listen, &first));
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(first.news[i].chain, i);
            const bool done = i == 0 && !kelvin_band_suits(run, 3);
            assert_int_equal(first.news[i].phase, done ? KELVIN_CHAIN_DONE : KELVIN_CHAIN_WAITING);
            assert_int_equal(first.news[i].step, done ? first.news[i].steps : 0);
            assert_int_equal(first.news[i].row, done ? 50 : 0);
            assert_int_equal(first.news[i].rows, 50);
        }
        kelvin_run_close(run);
        whole_run(&config, "plain", 2, 1e9);
        same_runs("stopped", "plain");
        remove_tree(in_base("stopped"));
        remove_tree(in_base("plain"));
    }
}

/* At the first news from the midst of the work, which come after a tenth of a second. */
static bool stop_at_work(void *context, const kelvin_run *run, const kelvin_chain_news *news)
{
    (void)context, (void)run;
    return news->phase != KELVIN_CHAIN_SAMPLING || news->steps_per_s == 0;
}

/* To the end, stopped at every second news. */
static struct stops stopped_run(const kelvin_run_config *config)
{
    kelvin_run *run = started(config, "bumpy");
    struct stops stops = {0};
    for (;; stops.all++) {
        const kelvin_run_options options = {.threads = 1 + stops.all % 3, .checkpoint = 1e9};
        const kelvin_status status = kelvin_run_sample(&run, 1, &options, stop_at_work, NULL);
        if (!status) break;
        fails(status, KELVIN_ESTOP, "stopped", "request");
        count_amid(&stops, "bumpy", run);
        kelvin_run_close(run);
        run = opened("bumpy");
    }
    kelvin_run_close(run);
    print_stops(config->sampler, &stops);
    return stops;
}

/* No checkpoints but those of the stops, each after a step that is like any other. News come ten times a second: on a
 * fast machine it takes more epochs or iterations until there is a second one. */
static void stopped_in_the_middle(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_sampler_type *type = kelvin_sampler_info(s);
        kelvin_run_config config = tiny_by(type);
        struct stops stops = {0};
        config.data = "digits";
        config.chains = config.samples = 2;
        config.batch = 1;
        if (type->batches) set(&config, "lr", 1e-3);
        for (uint32_t rows = 20; rows < 20000 && (type->batches ? stops.in_row : stops.in_bundle) == 0; rows *= 4) {
            config.epochs = config.iterations = rows;
            stops = stopped_run(&config);
            whole_run(&config, "smooth", 1, 1e9);
            same_runs("bumpy", "smooth");
            remove_tree(in_base("bumpy"));
            remove_tree(in_base("smooth"));
        }
        assert_true((type->batches ? stops.in_row : stops.in_bundle) >= 1);
    }
}

/* ---- killed ---- */

/* A process that works on the run until it ends or is killed after some microseconds. */
static bool work_until_killed(const char *name, size_t threads, useconds_t patience)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        kelvin_run *run;
        if (kelvin_run_open(&run, in_base(name))) _exit(3);
        _exit(sample(run, threads, 1e-9) ? 4 : 0);
    }
    int result;
    usleep(patience);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &result, 0), child);
    if (WIFEXITED(result) && WEXITSTATUS(result)) fail_msg("the worker ended with %d", WEXITSTATUS(result));
    return WIFSIGNALED(result);
}

/* Checkpoints at every step, so that most kills fall into one. What a killed process leaves is always a run. Some of
 * them must be in the middle of an epoch, or else of a bundle. */
static void kill_often(const kelvin_run_config *config, size_t kills, bool in_rows, uint32_t *roll)
{
    struct stops stops = {0};
    const size_t *amid = in_rows ? &stops.in_row : &stops.in_bundle;
    const double began = kelvin_now();
    whole_run(config, "smooth", 2, 1e-9);
    uint32_t patience = 1000 + (uint32_t)(5e5 * (kelvin_now() - began)); /* microseconds: half of the run */
    kelvin_run_close(started(config, "killed"));
    for (size_t round = 0; stops.all < kills || (*amid == 0 && round < 40 * kills); round++) {
        const size_t threads = 1 + dice(++*roll, 3);
        const bool killed = work_until_killed("killed", threads, 1000 + dice(++*roll, patience));
        stops.all += killed;
        /* how long a process takes to begin and to end depends on what else the machine does: it is found out here */
        patience = killed ? patience + patience / 16 : patience - patience / 4;
        kelvin_run *run = opened("killed");
        count_amid(&stops, "killed", run);
        const bool finished = kelvin_run_finished(run);
        kelvin_run_close(run);
        if (!finished) continue;
        same_runs("killed", "smooth");
        remove_tree(in_base("killed"));
        kelvin_run_close(started(config, "killed"));
    }
    resumed("killed", 3);
    same_runs("killed", "smooth");
    remove_tree(in_base("killed"));
    remove_tree(in_base("smooth"));
    print_message("%s: %zu kills, %zu states in the middle of an epoch, %zu with draws that were in no file\n",
                  config->sampler, stops.all, stops.in_row, stops.in_bundle);
    assert_true(*amid > 0);
}

static void killed_again_and_again(void **state)
{
    (void)state;
    uint32_t roll = 0;
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_sampler_type *type = kelvin_sampler_info(s);
        kelvin_run_config config = tiny_by(type);
        config.samples = 9;
        config.schedule = config.temperature_schedule = "cyclical";
        config.iterations = 1000;
        kill_often(&config, 20, type->batches, &roll);
        config = bundled_by(type);
        kill_often(&config, 10, false, &roll);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_checkpoints_do_not_count),
        cmocka_unit_test(samples_are_different),
        cmocka_unit_test(stopped_again_and_again),
        cmocka_unit_test(stopped_among_draws),
        cmocka_unit_test(a_stopped_run_knows_where_it_is),
        cmocka_unit_test(stopped_in_the_middle),
        cmocka_unit_test(killed_again_and_again),
    };
    return cmocka_run_group_tests(tests, make_table, remove_base);
}
