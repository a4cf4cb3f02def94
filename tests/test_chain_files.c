/* Files of chains: they belong together, come back where they were lost, and are written in the order in which they
 * were offered. */
#include "chains_helpers.h"

#include "run/folder.h"
#include "run/keeper.h"

#include <errno.h>

/* ---- in the way, or lost ---- */

/* A file that cannot be written: none is final without the others, and what is missing comes with the resume. The
 * history is written in its place, the others beside it. */
static void files_of_a_chain_belong_together(void **state)
{
    (void)state;
    const struct {
        const char *blocked, *name, *sentence;
    } table[] = {{"chain-001/history.csv", "chain-001/history.csv", "is a folder"},
                 {"chain-001/state.safetensors.tmp", "chain-001/state.safetensors", "Is a directory"},
                 {"chain-001/samples-000.safetensors.tmp", "chain-001/samples-000.safetensors", "Is a directory"},
                 {"chain-001/samples-002.safetensors.tmp", "chain-001/samples-002.safetensors", "Is a directory"}};
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_run_config config = bundled_by(kelvin_sampler_info(s));
        whole_run(&config, "smooth", 2, 0);
        for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
            kelvin_path blocked;
            kelvin_run *run = started(&config, "blocked");
            assert_ok(kelvin_path_join(blocked, in_base("blocked"), "%s", table[i].blocked));
            assert_int_equal(mkdir(blocked, 0777), 0);
            fails(sample(run, 2, 1e9), KELVIN_EIO, table[i].name, table[i].sentence);
            assert_false(kelvin_run_finished(run));
            kelvin_run_close(run);
            assert_int_equal(rmdir(blocked), 0);
            resumed("blocked", 2);
            same_runs("blocked", "smooth");
            remove_tree(in_base("blocked"));
        }
        remove_tree(in_base("smooth"));
    }
}

/* Who waits for a run of days wants to know at once. */
static void a_failure_stops_the_others(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_run_config config = tiny_by(kelvin_sampler_info(s));
        kelvin_run *run = started(&config, "failed");
        assert_int_equal(mkdir(in_base("failed/chain-000/state.safetensors.tmp"), 0777), 0);
        fails(sample(run, 1, 0), KELVIN_EIO, "chain-000/state.safetensors", "Is a directory");
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(kelvin_run_inside(run)->place[i].phase, KELVIN_CHAIN_WAITING);
        if (!kelvin_band_suits(run, 3)) { /* or they have begun together */
            assert_false(exists(in_base("failed/chain-001/history.csv")));
            assert_false(exists(in_base("failed/chain-002/history.csv")));
        }
        kelvin_run_close(run);
        remove_tree(in_base("failed"));
    }
}

/* What is lost of a run that has ended comes back: from the other files, or, of a chain, by sampling it anew. */
static void comes_back(const char *name)
{
    kelvin_path path;
    assert_ok(kelvin_path_join(path, in_base("lossy"), "%s", name));
    remove_tree(path);
    assert_false(exists(path));
    kelvin_run *run = opened("lossy");
    assert_false(kelvin_run_finished(run));
    kelvin_run_close(run);
    resumed("lossy", 2);
    same_runs("lossy", "smooth");
}

/* A bit in the middle has flipped, or the end is lost. */
static void spoil(const char *path, bool cut)
{
    size_t n;
    char *bytes = slurp(path, &n);
    if (!cut) bytes[n / 2] ^= 1;
    spill(path, bytes, cut ? n - 1 : n);
    kelvin_free(bytes);
}

/* What follows from other files is made again. */
static void comes_back_whole(const char *name, bool cut)
{
    kelvin_path path;
    assert_ok(kelvin_path_join(path, in_base("lossy"), "%s", name));
    spoil(path, cut);
    resumed("lossy", 2);
    same_runs("lossy", "smooth");
}

static void lost_parts_come_back(void **state)
{
    (void)state;
    static const char *const lost[] = {
        "chain-000/history.csv", "chain-000", "chain-001/state.safetensors", "logits_test.npy", "logits_train.npy",
        "labels_test.npy",       "manifest"};
    static const char *const damaged[] = {"chain-000/history.csv", "logits_test.npy", "logits_train.npy",
                                          "labels_test.npy", "labels_train.npy"};
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_run_config config = bundled_by(kelvin_sampler_info(s));
        whole_run(&config, "smooth", 2, 0);
        whole_run(&config, "lossy", 2, 0);
        for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) comes_back(lost[i]);
        for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) comes_back_whole(damaged[i], (s + i) % 2);
        /* what the run's data are like needs no chain */
        assert_int_equal(remove(in_base("lossy/data.json")), 0);
        kelvin_run *run = opened("lossy");
        assert_true(kelvin_run_finished(run));
        kelvin_run_close(run);
        same_runs("lossy", "smooth");
        comes_back_whole("data.json", s % 2);
        remove_tree(in_base("lossy"));
        remove_tree(in_base("smooth"));
    }
}

/* A chain that is sampled anew: nothing vouches for what will follow from it before it is there. */
static void what_follows_is_made_again(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_run_config config = tiny_by(kelvin_sampler_info(s));
        whole_run(&config, "smooth", 2, 0);
        whole_run(&config, "lossy", 2, 0);
        for (uint32_t all = 0; all < 2; all++) {
            remove_tree(in_base("lossy/chain-001"));
            if (all) remove_tree(in_base("lossy/chain-000"));
            if (all) remove_tree(in_base("lossy/chain-002"));
            kelvin_run *run = opened("lossy");
            assert_false(exists(in_base("lossy/logits_train.npy")) || exists(in_base("lossy/logits_test.npy")));
            assert_false(kelvin_run_lists(run, "chain-000/state.safetensors"));
            assert_true(kelvin_run_lists(run, "run.json") && kelvin_run_lists(run, "data.json"));
            kelvin_run_close(run);
            resumed("lossy", 2);
            same_runs("lossy", "smooth");
        }
        remove_tree(in_base("lossy"));
        remove_tree(in_base("smooth"));
    }
}

/* The sentence names the chain that is damaged, also where its number has four digits. */
static void many_chains(void **state)
{
    (void)state;
    kelvin_run_config config = tiny_by(sampler_named("sghmc"));
    kelvin_run *run;
    config.chains = config.samples = 1001;
    config.epochs = 1;
    whole_run(&config, "many", 2, 1e9);
    spoil(in_base("many/chain-1000/samples-000.safetensors"), false);
    fails(kelvin_run_open(&run, in_base("many")), KELVIN_EFORMAT, "chain-1000/samples-000.safetensors",
          "many/chain-1000, and resuming ");
    remove_tree(in_base("many"));
}

/* Who takes a file away while it is written to is told so, and what there is later is no zeros. */
static void a_file_became_shorter(void **state)
{
    (void)state;
    const char *path = in_base("shorter");
    assert_ok(kelvin_file_put(path, "abcdef", 6, 0));
    assert_ok(kelvin_file_put(path, "ghi", 3, 4));
    fails(kelvin_file_put(path, "jkl", 3, 8), KELVIN_EIO, "shorter", "became shorter while it was written");
    size_t n;
    char *text = slurp(path, &n);
    assert_int_equal(n, 7);
    assert_string_equal(text, "abcdghi");
    kelvin_free(text);
    assert_int_equal(remove(path), 0);
}

/* Killed in a last write that changes nothing: what is left of it goes, though the chain has no more to do. */
static void unfinished_files_go(void **state)
{
    (void)state;
    const char *const names[] = {"chain-000/state.safetensors.tmp", "chain-002/state.safetensors.tmp",
                                 "logits_test.npy.tmp", "manifest.tmp"};
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_run_config config = tiny_by(kelvin_sampler_info(s));
        whole_run(&config, "smooth", 2, 0);
        whole_run(&config, "littered", 2, 0);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            kelvin_path path;
            assert_ok(kelvin_path_join(path, in_base("littered"), "%s", names[i]));
            spill(path, "half", 4);
        }
        /* so that there is something to do */
        assert_int_equal(remove(in_base("littered/logits_test.npy")), 0);
        resumed("littered", 2);
        same_runs("littered", "smooth");
        remove_tree(in_base("littered"));
        remove_tree(in_base("smooth"));
    }
}

/* Draws that no state has, missing or damaged: which they are, and what can be done. */
static void lost_for_good(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_run_config config = bundled_by(kelvin_sampler_info(s));
        kelvin_run *run;
        size_t n;
        whole_run(&config, "smooth", 2, 0);
        whole_run(&config, "lossy", 2, 0);
        char *bytes = slurp(in_base("lossy/chain-001/samples-001.safetensors"), &n);
        for (int round = 0; round < 3; round++) {
            if (round == 0) assert_int_equal(remove(in_base("lossy/chain-001/samples-001.safetensors")), 0);
            if (round == 1) bytes[n - 5] ^= 4;
            if (round > 0) spill(in_base("lossy/chain-001/samples-001.safetensors"), bytes, round == 1 ? n : n / 2);
            fails(kelvin_run_open(&run, in_base("lossy")), KELVIN_EFORMAT, "lossy/chain-001/samples-001.safetensors",
                  "lossy/chain-001, and resuming ");
            assert_non_null(strstr(kelvin_error(), round == 0 ? " is missing" : "is not as the run left it"));
            assert_null(run);
        }
        kelvin_free(bytes);
        remove_tree(in_base("lossy/chain-001"));
        resumed("lossy", 2);
        same_runs("lossy", "smooth");
        remove_tree(in_base("lossy"));
        remove_tree(in_base("smooth"));
    }
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

/* While the first state waits for its disk, two others are offered. By a sampler that looks at batches they are of the
 * middle of an epoch: the last good states stay those of the start. */
static void first_come_first_written(const kelvin_sampler_type *type)
{
    const kelvin_run_config config = tiny_by(type);
    struct kelvin_chain chain[3];
    struct kelvin_slot slot[3];
    struct kelvin_keeper *keeper;
    kelvin_path folder;
    assert_ok(kelvin_path_join(folder, base, "queue"));
    kelvin_run *run = started(&config, "queue");
    assert_int_equal(pipe(disk), 0);
    const int slow = disk[0];
    assert_ok(kelvin_keeper_start(&keeper));
    for (uint32_t i = 0; i < 3; i++) {
        assert_ok(kelvin_chain_create(&chain[i], run, i));
        assert_ok(kelvin_chain_threads(&chain[i], 1));
        assert_ok(kelvin_chain_begin(&chain[i]));
        assert_ok(kelvin_chain_step(&chain[i]));
        assert_ok(kelvin_slot_open(&slot[i], keeper, &chain[i], 0));
    }
    for (uint32_t i = 0; i < 3; i++) assert_true(kelvin_slot_offer(&slot[i]));
    close(disk[1]);
    /* rows of history come before the state, if there are any yet */
    fails(kelvin_slot_close(&slot[0]), KELVIN_EIO,
          type->batches ? "chain-000/state.safetensors" : "chain-000/history.csv", "could not be written");
    for (uint32_t i = 1; i < 3; i++) assert_ok(kelvin_slot_close(&slot[i]));
    assert_true(first_noted("queue", "1,1,")); /* chain 1, step 1 */
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(chain[i].good.step, type->batches ? 0 : 1);
        kelvin_chain_destroy(&chain[i]);
    }
    kelvin_keeper_stop(keeper);
    kelvin_run_close(run);
    close(slow);
    remove_tree(folder);
}

static void who_comes_first_is_written_first(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) first_come_first_written(kelvin_sampler_info(s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_a_chain_belong_together),
        cmocka_unit_test(a_failure_stops_the_others),
        cmocka_unit_test(lost_parts_come_back),
        cmocka_unit_test(lost_for_good),
        cmocka_unit_test(what_follows_is_made_again),
        cmocka_unit_test(many_chains),
        cmocka_unit_test(a_file_became_shorter),
        cmocka_unit_test(unfinished_files_go),
        cmocka_unit_test(who_comes_first_is_written_first),
    };
    return cmocka_run_group_tests(tests, make_table, remove_base);
}
