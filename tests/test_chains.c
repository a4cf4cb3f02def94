/* Chains to their end: the same bytes on any number of threads, at any period of checkpoints, and however often they
 * were stopped or killed on the way. Nobody else writes there in the meantime, and no failure of memory spoils a run.
 */
#include "chains_helpers.h"

#include "run/keeper.h"

#include <dirent.h>
#include <fcntl.h>
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

/* A file that cannot be written: none is final without the others, and what is missing comes with the resume. */
static void files_of_a_chain_belong_together(void **state)
{
    (void)state;
    const char *const names[] = {"chain-001/history.csv", "chain-001/state.safetensors",
                                 "chain-001/sample-000.safetensors", "chain-001/sample-002.safetensors"};
    kelvin_run_config config = tiny();
    config.samples = 9;
    config.schedule = config.temperature_schedule = "cyclical";
    whole_run(&config, "smooth", 2, 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        kelvin_path blocked;
        kelvin_chains *chains = started(&config, "blocked");
        assert_ok(kelvin_path_join(blocked, in_base("blocked"), "%s.tmp", names[i]));
        assert_int_equal(mkdir(blocked, 0777), 0);
        fails(kelvin_chains_run(chains, &(kelvin_chains_options){.threads = 2, .checkpoint = 1e9}, NULL, NULL),
              KELVIN_EIO, names[i], "Is a directory");
        assert_false(kelvin_chains_finished(chains));
        kelvin_chains_close(chains);
        assert_int_equal(rmdir(blocked), 0);
        resumed("blocked", 2);
        same_runs("blocked", "smooth");
        remove_tree(in_base("blocked"));
    }
    remove_tree(in_base("smooth"));
}

/* Who waits for a run of days wants to know at once. */
static void a_failure_stops_the_others(void **state)
{
    (void)state;
    const kelvin_run_config config = tiny();
    kelvin_chains *chains = started(&config, "failed");
    assert_int_equal(mkdir(in_base("failed/chain-000/state.safetensors.tmp"), 0777), 0);
    fails(kelvin_chains_run(chains, &(kelvin_chains_options){.threads = 1, .checkpoint = 0}, NULL, NULL), KELVIN_EIO,
          "chain-000/state.safetensors", "Is a directory");
    assert_false(exists(in_base("failed/chain-001/history.csv")) || exists(in_base("failed/chain-002/history.csv")));
    kelvin_chains_close(chains);
    remove_tree(in_base("failed"));
}

/* Of a run that has ended parts are lost. What the states have comes back; a chain that is lost is sampled anew. */
static void lost_parts_come_back(void **state)
{
    (void)state;
    const char *const names[] = {"chain-001/sample-002.safetensors", "chain-002/history.csv", "chain-000",
                                 "chain-001/state.safetensors", "logits_test.npy"};
    kelvin_run_config config = tiny();
    config.samples = 9;
    config.schedule = config.temperature_schedule = "cyclical";
    whole_run(&config, "smooth", 2, 0);
    whole_run(&config, "lossy", 2, 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        kelvin_path path;
        assert_ok(kelvin_path_join(path, in_base("lossy"), "%s", names[i]));
        remove_tree(path);
        assert_false(exists(path));
        kelvin_chains *chains = opened("lossy");
        assert_false(kelvin_chains_finished(chains));
        kelvin_chains_close(chains);
        resumed("lossy", 2);
        same_runs("lossy", "smooth");
    }
    /* a history that has lost its end is none */
    size_t bytes;
    char *text = slurp(in_base("lossy/chain-002/history.csv"), &bytes);
    spill(in_base("lossy/chain-002/history.csv"), text, bytes - 1);
    kelvin_free(text);
    resumed("lossy", 2);
    same_runs("lossy", "smooth");
    /* what the run's data are like needs no chain */
    assert_int_equal(remove(in_base("lossy/data.json")), 0);
    kelvin_chains *chains = opened("lossy");
    assert_true(kelvin_chains_finished(chains));
    kelvin_chains_close(chains);
    same_runs("lossy", "smooth");
    remove_tree(in_base("lossy"));
    remove_tree(in_base("smooth"));
}

/* Killed in a last write that changes nothing: what is left of it goes, though the chain has no more to do. */
static void unfinished_files_go(void **state)
{
    (void)state;
    const char *const names[] = {"chain-000/history.csv.tmp", "chain-002/state.safetensors.tmp"};
    const kelvin_run_config config = tiny();
    whole_run(&config, "smooth", 2, 0);
    whole_run(&config, "littered", 2, 0);
    for (size_t i = 0; i < 2; i++) {
        kelvin_path path;
        assert_ok(kelvin_path_join(path, in_base("littered"), "%s", names[i]));
        spill(path, "half", 4);
    }
    assert_int_equal(remove(in_base("littered/logits_test.npy")), 0); /* so that there is something to do */
    resumed("littered", 2);
    same_runs("littered", "smooth");
    remove_tree(in_base("littered"));
    remove_tree(in_base("smooth"));
}

/* A sample that no state has: which it is, and what can be done. */
static void lost_for_good(void **state)
{
    (void)state;
    kelvin_run_config config = tiny();
    config.samples = 9;
    config.schedule = config.temperature_schedule = "cyclical";
    whole_run(&config, "smooth", 2, 0);
    whole_run(&config, "lossy", 2, 0);
    kelvin_chains *chains;
    assert_int_equal(remove(in_base("lossy/chain-001/sample-001.safetensors")), 0);
    fails(kelvin_chains_open(&chains, in_base("lossy")), KELVIN_EFORMAT,
          "lossy/chain-001/sample-001.safetensors is missing", "lossy/chain-001 to sample it anew");
    assert_null(chains);
    remove_tree(in_base("lossy/chain-001"));
    resumed("lossy", 2);
    same_runs("lossy", "smooth");
    remove_tree(in_base("lossy"));
    remove_tree(in_base("smooth"));
}

/* ---- whose turn it is ---- */

/* Does the first row of times.csv begin so? */
static bool first_noted(const char *name, const char *begins)
{
    kelvin_path path;
    size_t n;
    char *text;
    assert_ok(kelvin_path_join(path, in_base(name), "times.csv"));
    assert_ok(kelvin_file_read(&text, &n, path));
    const char *row = strchr(text, '\n');
    const bool does = row && strncmp(row + 1, begins, strlen(begins)) == 0;
    kelvin_free(text);
    return does;
}

/* While the first state waits for its disk (here a pipe, which cannot be synced), two others are offered. They are of
 * the middle of an epoch: the last good states stay those of the start. */
static void who_comes_first_is_written_first(void **state)
{
    (void)state;
    const kelvin_run_config config = tiny();
    struct kelvin_chain chain[3];
    struct kelvin_slot slot[3];
    struct kelvin_keeper *keeper;
    kelvin_path pipe_path, folder;
    char buffer[4096];
    assert_ok(kelvin_path_join(folder, base, "queue"));
    kelvin_chains *chains = started(&config, "queue");
    assert_ok(kelvin_path_join(pipe_path, folder, KELVIN_HISTORY_FILE ".tmp", 0));
    assert_int_equal(mkfifo(pipe_path, 0666), 0);
    assert_ok(kelvin_keeper_start(&keeper, folder));
    for (uint32_t i = 0; i < 3; i++) {
        assert_ok(kelvin_chain_create(&chain[i], kelvin_chains_about(chains), i));
        assert_ok(kelvin_chain_threads(&chain[i], 1));
        assert_ok(kelvin_chain_begin(&chain[i]));
        assert_ok(kelvin_chain_step(&chain[i]));
        assert_ok(kelvin_slot_open(&slot[i], keeper, &chain[i]));
    }
    for (uint32_t i = 0; i < 3; i++) kelvin_slot_offer(&slot[i]);
    const int fd = open(pipe_path, O_RDONLY);
    assert_true(fd >= 0);
    while (read(fd, buffer, sizeof buffer) > 0) continue;
    close(fd);
    fails(kelvin_slot_close(&slot[0]), KELVIN_EIO, "chain-000/history.csv", "could not be written");
    for (uint32_t i = 1; i < 3; i++) assert_ok(kelvin_slot_close(&slot[i]));
    assert_true(first_noted("queue", "1,1,")); /* chain 1, step 1 */
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(chain[i].good.step, 0);
        kelvin_chain_destroy(&chain[i]);
    }
    kelvin_keeper_stop(keeper);
    kelvin_chains_close(chains);
    remove_tree(folder);
}

/* ---- one at a time ---- */

static int open_from_outside(const char *name)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        kelvin_chains *chains;
        const kelvin_status status = kelvin_chains_open(&chains, in_base(name));
        const bool said = strstr(kelvin_error(), "another process") && strstr(kelvin_error(), in_base(name));
        _exit(status == KELVIN_OK ? 0 : status == KELVIN_EUSAGE && said && !chains ? 1 : 2);
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    return WEXITSTATUS(result);
}

static void only_one_works_there(void **state)
{
    (void)state;
    const kelvin_run_config config = tiny();
    kelvin_chains *ours = started(&config, "locked"), *theirs;
    char number[32];
    snprintf(number, sizeof number, "(pid %ld)", (long)getpid());
    fails(kelvin_chains_open(&theirs, in_base("locked")), KELVIN_EUSAGE, in_base("locked"), number);
    assert_null(theirs);
    assert_int_equal(open_from_outside("locked"), 1);
    fails(kelvin_chains_start(&theirs, &config, in_base("locked")), KELVIN_EUSAGE, "locked", "kelvin resume");
    assert_null(theirs);
    kelvin_chains_close(ours);
    assert_int_equal(open_from_outside("locked"), 0);
    kelvin_chains_close(opened("locked"));
    remove_tree(in_base("locked"));
}

static void a_killed_holder_lets_go(void **state)
{
    (void)state;
    const kelvin_run_config config = tiny();
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        kelvin_chains *chains;
        if (kelvin_chains_start(&chains, &config, in_base("held")) || write(ready[1], "x", 1) != 1) _exit(1);
        alarm(60); /* should the test fail before it kills it */
        for (;;) pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    kelvin_chains *chains;
    char number[32];
    snprintf(number, sizeof number, "(pid %ld)", (long)child);
    fails(kelvin_chains_open(&chains, in_base("held")), KELVIN_EUSAGE, in_base("held"), number);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(ready[0]);
    close(ready[1]);
    resumed("held", 2);
    same_runs("held", "plain");
    remove_tree(in_base("held"));
}

/* ---- folders ---- */

/* Unfinished folders beside a run. */
static size_t beside(const char *name)
{
    char mark[64];
    size_t n = 0;
    DIR *folder = opendir(base);
    assert_non_null(folder);
    snprintf(mark, sizeof mark, ".%s.kelvin-", name);
    for (const struct dirent *entry; (entry = readdir(folder));) n += strncmp(entry->d_name, mark, strlen(mark)) == 0;
    closedir(folder);
    return n;
}

static void a_path_may_end_in_a_slash(void **state)
{
    (void)state;
    const kelvin_run_config config = tiny();
    whole_run(&config, "slash/", 2, 0);
    same_runs("slash", "plain");
    assert_int_equal(beside("slash"), 0);
    resumed("slash/", 1);
    remove_tree(in_base("slash"));
}

static void folders_that_are_refused(void **state)
{
    (void)state;
    kelvin_run_config config = tiny();
    kelvin_chains *chains;
    fails(kelvin_chains_start(&chains, &config, in_base("gone/run")), KELVIN_EUSAGE, "gone/run", "cannot be made");
    assert_null(chains);
    fails(kelvin_chains_open(&chains, in_base("gone")), KELVIN_EIO, "gone", "cannot be read");
    assert_null(chains);
    assert_false(exists(in_base("gone")));
    assert_int_equal(symlink("nowhere", in_base("link")), 0);
    fails(kelvin_chains_start(&chains, &config, in_base("link")), KELVIN_EUSAGE, "link", "already exists");
    kelvin_path longest;
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 100] = '\0';
    fails(kelvin_chains_start(&chains, &config, longest), KELVIN_EUSAGE, "xxx", "too long");
    assert_ok(kelvin_run_defaults(&config, "hmc"));
    fails(kelvin_chains_start(&chains, &config, in_base("hmc")), KELVIN_EUSAGE, "sampler is hmc", "sghmc");
    assert_null(chains);
    assert_false(exists(in_base("hmc")) || beside("hmc") || beside("gone") || beside("link"));
}

/* Processes were killed while they made a run of this name: one of them when its folder was empty, one at the end. */
static void nothing_is_left_of_an_unfinished_start(void **state)
{
    (void)state;
    kelvin_run_config config = tiny();
    config.chains = config.samples = 5;
    kelvin_path init;
    assert_ok(kelvin_path_join(init, base, "plain"));
    config.init = init;
    kelvin_chains_close(started(&config, "left"));
    assert_int_equal(rename(in_base("left"), in_base(".fresh.kelvin-4711-0")), 0);
    assert_int_equal(mkdir(in_base(".fresh.kelvin-4711-1"), 0777), 0);
    config = tiny();
    /* these are at work, or are not ours */
    kelvin_chains *other = started(&config, "other");
    assert_int_equal(rename(in_base("other"), in_base(".fresh.kelvin-4712-0")), 0);
    assert_int_equal(mkdir(in_base(".fresh.kelvin-notes"), 0777), 0);
    assert_int_equal(beside("fresh"), 4);
    whole_run(&config, "fresh", 2, 0);
    same_runs("fresh", "plain");
    assert_false(exists(in_base("fresh/chain-003")));
    assert_int_equal(beside("fresh"), 2);
    assert_true(exists(in_base(".fresh.kelvin-4712-0/run.json")) && exists(in_base(".fresh.kelvin-notes")));
    kelvin_chains_close(other);
    remove_tree(in_base(".fresh.kelvin-4712-0"));
    remove_tree(in_base(".fresh.kelvin-notes"));
    remove_tree(in_base("fresh"));
}

/* Whatever its name is like. */
static void folders_of_others_are_left_alone(void **state)
{
    (void)state;
    const kelvin_run_config config = tiny();
    kelvin_path theirs;
    assert_ok(kelvin_path_join(theirs, base, "mine.tmp"));
    whole_run(&config, "mine.tmp", 2, 0);
    const size_t files = compare(theirs, theirs);
    kelvin_run_config fewer = tiny();
    fewer.chains = fewer.samples = 1;
    whole_run(&fewer, "mine", 1, 0);
    assert_int_equal(compare(in_base("mine"), in_base("mine")),
                     3 + 6); /* of its chain; run.json, data.json, logits, labels */
    assert_int_equal(compare(theirs, theirs), files);
    same_runs("mine.tmp", "plain");
    remove_tree(theirs);
    remove_tree(in_base("mine"));
}

/* Many processes start a run of one name: it is one's, and the others say so. */
static void one_start_wins(void **state)
{
    (void)state;
    enum { PROCESSES = 8 };
    const kelvin_run_config config = tiny();
    pid_t child[PROCESSES];
    int gate[2], wins = 0, result;
    assert_int_equal(pipe(gate), 0);
    for (int i = 0; i < PROCESSES; i++) {
        assert_true((child[i] = fork()) >= 0);
        if (child[i] > 0) continue;
        kelvin_chains *chains;
        char byte;
        close(gate[1]);
        if (read(gate[0], &byte, 1) != 0) _exit(3); /* until it is closed */
        const kelvin_status status = kelvin_chains_start(&chains, &config, in_base("wanted"));
        _exit(status == KELVIN_OK ? 0 : status == KELVIN_EUSAGE && strstr(kelvin_error(), "already exists") ? 1 : 2);
    }
    close(gate[0]);
    close(gate[1]);
    for (int i = 0; i < PROCESSES; i++) {
        assert_int_equal(waitpid(child[i], &result, 0), child[i]);
        assert_true(WIFEXITED(result) && WEXITSTATUS(result) < 2);
        wins += WEXITSTATUS(result) == 0;
    }
    assert_int_equal(wins, 1);
    assert_int_equal(beside("wanted"), 0);
    resumed("wanted", 2);
    same_runs("wanted", "plain");
    remove_tree(in_base("wanted"));
}

/* ---- without memory ---- */

static kelvin_status start_and_run(void *context)
{
    const kelvin_run_config *config = context;
    kelvin_chains *chains = NULL;
    kelvin_status status = kelvin_chains_start(&chains, config, in_base("poor"));
    assert_true((status == KELVIN_OK) == (chains != NULL));
    if (!status)
        status = kelvin_chains_run(chains, &(kelvin_chains_options){.threads = 2, .checkpoint = 0}, NULL, NULL);
    kelvin_chains_close(chains);
    kelvin_alloc_fail_at(0);
    char sentence[1024];
    snprintf(sentence, sizeof sentence, "%s", kelvin_error());
    assert_int_equal(beside("poor"), 0);
    if (exists(in_base("poor"))) {
        resumed("poor", 2);
        same_runs("poor", "rich");
        remove_tree(in_base("poor"));
    }
    return status ? kelvin_fail(status, "%s", sentence) : KELVIN_OK;
}

static kelvin_status open_and_run(void *context)
{
    (void)context;
    kelvin_chains *chains = NULL;
    kelvin_status status = kelvin_chains_open(&chains, in_base("begun"));
    assert_true((status == KELVIN_OK) == (chains != NULL));
    if (!status)
        status = kelvin_chains_run(chains, &(kelvin_chains_options){.threads = 1, .checkpoint = 0}, NULL, NULL);
    kelvin_chains_close(chains);
    return status;
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    kelvin_run_config config = tiny();
    config.chains = config.samples = 2;
    config.epochs = 2;
    kelvin_path init;
    assert_ok(kelvin_path_join(init, base, "plain"));
    config.init = init;
    whole_run(&config, "rich", 1, 0);
    assert_true(without_memory(start_and_run, &config) > 100);
    kelvin_chains_close(started(&config, "begun"));
    assert_true(without_memory(open_and_run, NULL) > 50);
    same_runs("begun", "rich");
    remove_tree(in_base("begun"));
    remove_tree(in_base("rich"));
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
        cmocka_unit_test(files_of_a_chain_belong_together),
        cmocka_unit_test(a_failure_stops_the_others),
        cmocka_unit_test(lost_parts_come_back),
        cmocka_unit_test(lost_for_good),
        cmocka_unit_test(unfinished_files_go),
        cmocka_unit_test(who_comes_first_is_written_first),
        cmocka_unit_test(only_one_works_there),
        cmocka_unit_test(a_killed_holder_lets_go),
        cmocka_unit_test(a_path_may_end_in_a_slash),
        cmocka_unit_test(folders_that_are_refused),
        cmocka_unit_test(nothing_is_left_of_an_unfinished_start),
        cmocka_unit_test(folders_of_others_are_left_alone),
        cmocka_unit_test(one_start_wins),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, make_table, remove_base);
}
