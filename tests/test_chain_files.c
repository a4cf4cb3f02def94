/* Files of chains: they belong together, come back where they were lost, and are written in the order in which they
 * were offered. */
#include "chains_helpers.h"

#include "run/keeper.h"

#include <errno.h>

/* ---- in the way, or lost ---- */

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

/* In place of the system's: a disk that is slow, and then fails, once, while `disk` is set. */
static int disk[2] = {-1, -1};
int fsync(int fd)
{
    char byte;
    (void)fd;
    if (disk[0] < 0) return 0;
    while (read(disk[0], &byte, 1) < 0) continue;
    disk[0] = -1;
    errno = EIO;
    return -1;
}

/* While the first state waits for its disk, two others are offered. They are of the middle of an epoch: the last good
 * states stay those of the start. */
static void who_comes_first_is_written_first(void **state)
{
    (void)state;
    const kelvin_run_config config = tiny();
    struct kelvin_chain chain[3];
    struct kelvin_slot slot[3];
    struct kelvin_keeper *keeper;
    kelvin_path folder;
    assert_ok(kelvin_path_join(folder, base, "queue"));
    kelvin_chains *chains = started(&config, "queue");
    assert_int_equal(pipe(disk), 0);
    const int slow = disk[0];
    assert_ok(kelvin_keeper_start(&keeper, folder));
    for (uint32_t i = 0; i < 3; i++) {
        assert_ok(kelvin_chain_create(&chain[i], kelvin_chains_about(chains), i));
        assert_ok(kelvin_chain_threads(&chain[i], 1));
        assert_ok(kelvin_chain_begin(&chain[i]));
        assert_ok(kelvin_chain_step(&chain[i]));
        assert_ok(kelvin_slot_open(&slot[i], keeper, &chain[i]));
    }
    for (uint32_t i = 0; i < 3; i++) kelvin_slot_offer(&slot[i]);
    close(disk[1]);
    fails(kelvin_slot_close(&slot[0]), KELVIN_EIO, "chain-000/history.csv", "could not be written");
    for (uint32_t i = 1; i < 3; i++) assert_ok(kelvin_slot_close(&slot[i]));
    assert_true(first_noted("queue", "1,1,")); /* chain 1, step 1 */
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(chain[i].good.step, 0);
        kelvin_chain_destroy(&chain[i]);
    }
    kelvin_keeper_stop(keeper);
    kelvin_chains_close(chains);
    close(slow);
    remove_tree(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_a_chain_belong_together),
        cmocka_unit_test(a_failure_stops_the_others),
        cmocka_unit_test(lost_parts_come_back),
        cmocka_unit_test(lost_for_good),
        cmocka_unit_test(unfinished_files_go),
        cmocka_unit_test(who_comes_first_is_written_first),
    };
    return cmocka_run_group_tests(tests, make_table, remove_base);
}
