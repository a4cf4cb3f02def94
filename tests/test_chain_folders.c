/* Folders of runs: who may work there, which are refused, what is left of a start that was killed. Nobody else writes
 * there in the meantime, and no failure of memory spoils a run. */
#include "chains_helpers.h"

#include "base/memory.h"

#include <dirent.h>
#include <signal.h>

/* What the others must be like: the table, and a run that nothing disturbed. */
static int make_plain(void **state)
{
    if (make_table(state)) return -1;
    const kelvin_run_config config = tiny();
    whole_run(&config, "plain", 1, 1e9);
    return 0;
}

/* ---- one at a time ---- */

static int open_from_outside(const char *name)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        kelvin_run *run;
        const kelvin_status status = kelvin_run_open(&run, in_base(name));
        const bool said = strstr(kelvin_error(), "another process") && strstr(kelvin_error(), in_base(name));
        _exit(status == KELVIN_OK ? 0 : status == KELVIN_EUSAGE && said && !run ? 1 : 2);
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
    kelvin_run *ours = started(&config, "locked"), *theirs;
    char number[32];
    snprintf(number, sizeof number, "(pid %ld)", (long)getpid());
    fails(kelvin_run_open(&theirs, in_base("locked")), KELVIN_EUSAGE, in_base("locked"), number);
    assert_null(theirs);
    assert_int_equal(open_from_outside("locked"), 1);
    fails(kelvin_run_begin(&theirs, &config, in_base("locked")), KELVIN_EUSAGE, "locked", "resuming");
    assert_null(theirs);
    kelvin_run_close(ours);
    assert_int_equal(open_from_outside("locked"), 0);
    kelvin_run_close(opened("locked"));
    remove_tree(in_base("locked"));
}

static void killed_while_holding(const kelvin_run_config *config)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        kelvin_run *run;
        if (kelvin_run_begin(&run, config, in_base("held")) || write(ready[1], "x", 1) != 1) _exit(1);
        alarm(900); /* should the test fail before it kills it */
        for (;;) pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    kelvin_run *run;
    char number[32];
    snprintf(number, sizeof number, "(pid %ld)", (long)child);
    fails(kelvin_run_open(&run, in_base("held")), KELVIN_EUSAGE, in_base("held"), number);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(ready[0]);
    close(ready[1]);
    resumed("held", 2);
    whole_run(config, "whole", 1, 1e9);
    same_runs("held", "whole");
    remove_tree(in_base("held"));
    remove_tree(in_base("whole"));
}

static void a_killed_holder_lets_go(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_run_config config = tiny_by(kelvin_sampler_info(s));
        killed_while_holding(&config);
    }
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
    kelvin_run *run;
    fails(kelvin_run_begin(&run, &config, in_base("gone/run")), KELVIN_EUSAGE, "gone/run", "cannot be made");
    assert_null(run);
    fails(kelvin_run_open(&run, in_base("gone")), KELVIN_EIO, "gone", "cannot be read");
    assert_null(run);
    assert_false(exists(in_base("gone")));
    assert_int_equal(symlink("nowhere", in_base("link")), 0);
    fails(kelvin_run_begin(&run, &config, in_base("link")), KELVIN_EUSAGE, "link", "already exists");
    kelvin_path longest;
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 100] = '\0';
    fails(kelvin_run_begin(&run, &config, longest), KELVIN_EUSAGE, "xxx", "too long");
    assert_null(run);
    assert_false(beside("gone") || beside("link"));
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
    kelvin_run_close(started(&config, "left"));
    assert_int_equal(rename(in_base("left"), in_base(".fresh.kelvin-4711-0")), 0);
    assert_int_equal(mkdir(in_base(".fresh.kelvin-4711-1"), 0777), 0);
    config = tiny();
    /* these are at work, or are not ours */
    kelvin_run *other = started(&config, "other");
    assert_int_equal(rename(in_base("other"), in_base(".fresh.kelvin-4712-0")), 0);
    assert_int_equal(mkdir(in_base(".fresh.kelvin-notes"), 0777), 0);
    assert_int_equal(beside("fresh"), 4);
    whole_run(&config, "fresh", 2, 0);
    same_runs("fresh", "plain");
    assert_false(exists(in_base("fresh/chain-003")));
    assert_int_equal(beside("fresh"), 2);
    assert_true(exists(in_base(".fresh.kelvin-4712-0/run.json")) && exists(in_base(".fresh.kelvin-notes")));
    kelvin_run_close(other);
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
                     3 + 8); /* of its chain; run.json, data.json, manifest, logits, labels, baseline */
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
        kelvin_run *run;
        char byte;
        close(gate[1]);
        if (read(gate[0], &byte, 1) != 0) _exit(3); /* until it is closed */
        const kelvin_status status = kelvin_run_begin(&run, &config, in_base("wanted"));
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
    kelvin_run *run = NULL;
    kelvin_status status = kelvin_run_begin(&run, config, in_base("poor"));
    assert_true((status == KELVIN_OK) == (run != NULL));
    if (!status) status = sample(run, 2, 0);
    kelvin_run_close(run);
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
    kelvin_run *run = NULL;
    kelvin_status status = kelvin_run_open(&run, in_base("begun"));
    assert_true((status == KELVIN_OK) == (run != NULL));
    if (!status) status = sample(run, 1, 0);
    kelvin_run_close(run);
    return status;
}

static void may_fail_anywhere(const kelvin_run_config *config)
{
    whole_run(config, "rich", 1, 0);
    assert_true(without_memory(start_and_run, (void *)config) > 100);
    kelvin_run_close(started(config, "begun"));
    assert_true(without_memory(open_and_run, NULL) > 50);
    same_runs("begun", "rich");
    remove_tree(in_base("begun"));
    remove_tree(in_base("rich"));
}

/* By every sampler, from samples of a run by SGHMC. */
static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    kelvin_path init;
    assert_ok(kelvin_path_join(init, base, "plain"));
    for (size_t s = 0; s < samplers(); s++) {
        kelvin_run_config config = tiny_by(kelvin_sampler_info(s));
        config.chains = config.samples = 2;
        config.epochs = config.iterations = 2;
        config.warmup = 1;
        config.init = init;
        may_fail_anywhere(&config);
    }
}

/* Among files of draws, too: those that could not be written are not passed over. */
static void memory_may_fail_among_draws(void **state)
{
    (void)state;
    kelvin_run_config config = bundled_by(sampler_named("hmc"));
    config.chains = 1;
    config.iterations = BUNDLE + 1;
    config.warmup = 1;
    may_fail_anywhere(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_one_works_there),
        cmocka_unit_test(a_killed_holder_lets_go),
        cmocka_unit_test(a_path_may_end_in_a_slash),
        cmocka_unit_test(folders_that_are_refused),
        cmocka_unit_test(nothing_is_left_of_an_unfinished_start),
        cmocka_unit_test(folders_of_others_are_left_alone),
        cmocka_unit_test(one_start_wins),
        cmocka_unit_test(memory_may_fail_anywhere),
        cmocka_unit_test(memory_may_fail_among_draws),
    };
    return cmocka_run_group_tests(tests, make_plain, remove_base);
}
