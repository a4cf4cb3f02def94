/* Runs of several temperatures that share their cold beginning: what they leave is, to the byte, what each of them
 * leaves alone. */
#include "chains_helpers.h"

#include "run/branch.h"

enum { RUNS = 4, EPOCHS = 12, COLD = 5 }; /* T is 3 e/12 - 1, so epochs 0 to 4 have none */

static const double temperatures[RUNS] = {0, 0.01, 0.3, 1};

static kelvin_run_config config_at(double temperature)
{
    kelvin_run_config config = tiny_by(kelvin_sampler_info(0));
    config.epochs = EPOCHS;
    config.samples = config.chains;
    config.schedule = config.temperature_schedule = "paper";
    config.temperature = temperature;
    return config;
}

static const char *named(const char *what, size_t i)
{
    static char name[2][32];
    static size_t next;
    snprintf(name[next ^= 1], sizeof *name, "%s-%zu", what, i);
    return name[next];
}

static kelvin_run *started_in(const kelvin_run_config *config, const char *name)
{
    kelvin_run *run;
    assert_ok(kelvin_run_begin(&run, config, name ? in_base(name) : NULL));
    return run;
}

static kelvin_run *begun(size_t i)
{
    const kelvin_run_config config = config_at(temperatures[i]);
    kelvin_run *run = started_in(&config, named("shared", i));
    assert_ok(kelvin_run_branch(run, in_base("trunk")));
    return run;
}

static void go_on(kelvin_run **runs, size_t n, uint32_t rows)
{
    assert_ok(
        kelvin_run_sample(runs, n, &(kelvin_run_options){.threads = 2, .checkpoint = 0, .rows = rows}, NULL, NULL));
}

static void expect_as_alone(size_t i)
{
    const kelvin_run_config config = config_at(temperatures[i]);
    whole_run(&config, "alone", 1, 1e9);
    same_runs(named("shared", i), "alone");
    remove_tree(in_base("alone"));
}

static void clear(void)
{
    for (size_t i = 0; i < RUNS; i++) remove_tree(in_base(named("shared", i)));
    remove_tree(in_base("trunk"));
}

static void the_same_bytes_as_alone(void **state)
{
    (void)state;
    kelvin_run *runs[RUNS];
    bool there;
    assert_int_equal(mkdir(in_base("trunk"), 0777), 0);
    for (size_t i = 0; i < RUNS; i++) runs[i] = begun(i);
    assert_int_equal(kelvin_run_cold_rows(runs[0]), COLD);
    assert_ok(kelvin_run_branched(&there, runs[1]));
    assert_false(there);
    go_on(runs + 2, 1, COLD); /* any of them can be the first */
    assert_false(kelvin_run_finished(runs[2]));
    assert_ok(kelvin_run_branched(&there, runs[1]));
    assert_true(there);
    go_on(runs, RUNS, 0);
    for (size_t i = 0; i < RUNS; i++) {
        assert_true(kelvin_run_finished(runs[i]));
        kelvin_run_close(runs[i]);
        expect_as_alone(i);
    }
    clear();
}

/* Rows that were done elsewhere are not done again: a chain is first heard of where the branch begins. */
static bool count_rows(void *context, const kelvin_run *run, const kelvin_chain_news *news)
{
    (void)run;
    uint32_t *least = context;
    if (news->phase == KELVIN_CHAIN_SAMPLING && news->row < *least) *least = news->row;
    return true;
}

static void what_was_shared_is_not_sampled_again(void **state)
{
    (void)state;
    assert_int_equal(mkdir(in_base("trunk"), 0777), 0);
    kelvin_run *first = begun(0), *second = begun(3);
    uint32_t least = UINT32_MAX;
    go_on(&first, 1, 0);
    assert_ok(kelvin_run_sample(&second, 1, &(kelvin_run_options){.threads = 1, .checkpoint = 60}, count_rows, &least));
    assert_int_equal(least, COLD);
    kelvin_run_close(first);
    kelvin_run_close(second);
    expect_as_alone(3);
    clear();
}

/* A state that is damaged, or of another run, is not begun from. */
static void damaged_branches_are_made_anew(void **state)
{
    (void)state;
    assert_int_equal(mkdir(in_base("trunk"), 0777), 0);
    kelvin_run *first = begun(0), *second;
    go_on(&first, 1, 0);
    kelvin_run_close(first);
    FILE *file = fopen(in_base("trunk/chain-001.safetensors"), "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, -5, SEEK_END), 0);
    assert_int_not_equal(fputc('x', file), EOF);
    fclose(file);
    second = begun(3);
    go_on(&second, 1, 0);
    kelvin_run_close(second);
    expect_as_alone(3);
    clear();
}

static void schedules_without_a_cold_part_share_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *schedule;
        uint32_t cold;
    } table[] = {{"constant", 0}, {"cosine", 1}, {"paper", COLD}, {"steady", 2}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        kelvin_run_config config = config_at(1);
        config.schedule = config.temperature_schedule = table[i].schedule;
        kelvin_run *run = started_in(&config, NULL);
        assert_int_equal(kelvin_run_cold_rows(run), table[i].cold);
        kelvin_run_close(run);
    }
    const kelvin_run_config config = tiny_by(sampler_named("hmc"));
    kelvin_run *run = started_in(&config, NULL);
    assert_int_equal(kelvin_run_cold_rows(run), 0);
    kelvin_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_bytes_as_alone),
        cmocka_unit_test(what_was_shared_is_not_sampled_again),
        cmocka_unit_test(damaged_branches_are_made_anew),
        cmocka_unit_test(schedules_without_a_cold_part_share_nothing),
    };
    return cmocka_run_group_tests(tests, make_table, remove_base);
}
