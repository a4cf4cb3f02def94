/* What is on the screen while chains run: fed with news by hand, on terminals of several sizes and on none. Time is
 * made to pass by moving the moments at which things began. */
#define _XOPEN_SOURCE 700 /* pseudo-terminals */

#include "cli/amounts.h"
#include "cli/chains_progress.h"
#include "data/dataset.h"
#include "run/run.h"
#include "terminal.h"

#include <signal.h>
#include <sys/wait.h>

enum { ROWS = 1000, STEPS = 40000, SAMPLERS = 8, MOST_CHAINS = 12 };

static kelvin_run
    *runs[SAMPLERS]; /* by every sampler, without a folder; never sampled, so that `chains` may be changed */
static size_t samplers;

static int open_runs(void **state)
{
    (void)state;
    for (; kelvin_sampler_info(samplers); samplers++) {
        kelvin_run_config config;
        assert_true(samplers < SAMPLERS);
        assert_ok(kelvin_run_defaults(&config, kelvin_sampler_info(samplers)->member.name));
        config.chains = config.samples = MOST_CHAINS;
        assert_ok(kelvin_run_begin(&runs[samplers], &config, NULL));
    }
    return 0;
}

static int close_runs(void **state)
{
    (void)state;
    for (size_t i = 0; i < samplers; i++) {
        runs[i]->config.chains = MOST_CHAINS;
        kelvin_run_close(runs[i]);
    }
    return 0;
}

static kelvin_run *run_by(const char *sampler)
{
    for (size_t i = 0; i < samplers; i++)
        if (strcmp(runs[i]->sampler->member.name, sampler) == 0) return runs[i];
    fail_msg("there is no sampler %s", sampler);
    return NULL;
}

static kelvin_run *run;
static double elapsed; /* since the work began */

static void begin_by(struct chains_progress *p, kelvin_run *of, uint32_t chains)
{
    assert_true(chains <= MOST_CHAINS);
    run = of;
    run->config.chains = chains;
    assert_ok(chains_progress_start(p, run));
    elapsed = 0;
}

static void begin(struct chains_progress *p, uint32_t chains)
{
    begin_by(p, run_by("sghmc"), chains);
}

static void later(struct chains_progress *p, double seconds)
{
    elapsed += seconds;
    p->whole.shown -= seconds;
}

static void hear(struct chains_progress *p, const kelvin_chain_news *said)
{
    const double started = p->whole.started = kelvin_now() - elapsed;
    assert_true(chains_progress_watch(p, run, said));
    if (p->whole.started > started) elapsed = 0; /* it began anew */
}

/* Of columns by their names; all others are 0.5. */
static const struct {
    const char *name;
    double value;
} known[] = {{"training_accuracy", 0.974}, {"confidence", 0.912}, {"log_posterior", -12345.6},
             {"logit_range", 31.24},       {"acceptance", 0.963}, {"step_size", 0.01234}};

static void fill_values(double values[KELVIN_COLUMNS])
{
    const kelvin_statistic *columns[KELVIN_COLUMNS];
    const size_t n = kelvin_run_list_columns(columns, run);
    for (size_t i = 0; i < n; i++) {
        values[i] = 0.5;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (strcmp(columns[i]->name, known[k].name) == 0) values[i] = known[k].value;
    }
}

/* 6170.4 images per second in batches of 125. */
static void tell(struct chains_progress *p, kelvin_chain_phase phase, uint32_t chain, uint64_t step)
{
    double values[KELVIN_COLUMNS];
    const kelvin_chain_news said = {.phase = phase,
                                    .chain = chain,
                                    .row = (uint32_t)(step * ROWS / STEPS),
                                    .rows = ROWS,
                                    .step = step,
                                    .steps = STEPS,
                                    .steps_per_s = 6170.4 / 125,
                                    .values = values};
    fill_values(values);
    hear(p, &said);
}

/* Chains 2 and 3 of 8 at work, two done; 40 seconds in. */
static void halfway(struct chains_progress *p, const char *sampler)
{
    begin_by(p, run_by(sampler), 8);
    for (uint32_t i = 0; i < 8; i++) tell(p, KELVIN_CHAIN_WAITING, i, 0);
    tell(p, KELVIN_CHAIN_DONE, 0, STEPS);
    tell(p, KELVIN_CHAIN_DONE, 1, STEPS);
    tell(p, KELVIN_CHAIN_SAMPLING, 2, STEPS / 2);
    later(p, 40);
    tell(p, KELVIN_CHAIN_SAMPLING, 3, STEPS / 4);
}

/* ---- on terminals ---- */

/* 2.75 of 8 chains in 40 s: 5.25 chains are left, 76.4 s. */
static const struct {
    const char *sampler;
    size_t columns;
    const char *lines[3];
} pictures[] = {
    {"sghmc",
     40,
     {"chain 2 epoch  500/1000, train  97.4 %", "chain 3 epoch  250/1000, train  97.4 %",
      "all      34 %, 1 min 16 s left"}},
    {"sghmc",
     80,
     {"chain 2 [====>   ] epoch  500/1000, train  97.4 %, confidence  91.2 %",
      "chain 3 [==>     ] epoch  250/1000, train  97.4 %, confidence  91.2 %",
      "all     [==>     ]  34 %, 1 min 16 s left, 2 of 8 chains done, 12,341 images/s"}},
    {"sghmc",
     200,
     {"chain 2 [============>           ] epoch  500/1000, train  97.4 %, confidence  91.2 %, log-posterior -1.23e+04, "
      "logits  31.2",
      "chain 3 [======>                 ] epoch  250/1000, train  97.4 %, confidence  91.2 %, log-posterior -1.23e+04, "
      "logits  31.2",
      "all     [========>               ]  34 %, 1 min 16 s left, 2 of 8 chains done, 12,341 images/s"}},
    {"hmc",
     80,
     {"chain 2 [========>       ] iteration  500/1000, accepted  96 %, train  97.4 %",
      "chain 3 [====>           ] iteration  250/1000, accepted  96 %, train  97.4 %",
      "all     [=====>          ]  34 %, 1 min 16 s left, 2 of 8 chains done"}},
    {"mclmc",
     200,
     {"chain 2 [============>           ] iteration  500/1000, step 0.012, train  97.4 %, confidence  91.2 %, "
      "log-posterior -1.23e+04, logits  31.2",
      "chain 3 [======>                 ] iteration  250/1000, step 0.012, train  97.4 %, confidence  91.2 %, "
      "log-posterior -1.23e+04, logits  31.2",
      "all     [========>               ]  34 %, 1 min 16 s left, 2 of 8 chains done, 98.7 iterations/s"}},
};

static void one_line_per_chain(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        struct terminal t;
        struct chains_progress p;
        terminal_open(&t, pictures[i].columns, 10);
        halfway(&p, pictures[i].sampler);
        terminal_look(&t);
        chains_progress_end(&p);
        terminal_close(&t);
        for (size_t line = 0; line < 3; line++) assert_string_equal(t.screen[line], pictures[i].lines[line]);
        assert_int_equal(terminal_lines(&t), 3);
    }
}

/* Is everything on the screen as it must be, with so many chains at work? Nothing is as wide as the terminal, and no
 * number is cut: lines end in "%", "/1000", "e+04", "31.2", "0.012", "done", "left" or "images/s". */
static bool neat(const struct terminal *t, size_t chains)
{
    const size_t lines = terminal_lines(t);
    for (size_t row = 0; row < lines; row++) {
        const size_t length = strlen(t->screen[row]);
        if (length >= t->columns) return false;
        if (t->columns >= 20 && !strchr("%0421ets", t->screen[row][length - 1])) return false;
    }
    return lines == (chains + 1 < t->rows ? chains + 1 : t->rows) &&
           (t->columns < 12 || strncmp(t->screen[lines - 1], "all", 3) == 0);
}

static void fits(kelvin_run *of, size_t columns, size_t rows, uint32_t chains)
{
    struct terminal t;
    struct chains_progress p;
    bool good = true;
    terminal_open(&t, columns, rows);
    begin_by(&p, of, chains);
    for (uint32_t i = 0; i < 5 * chains && good; i++) {
        later(&p, 2e5);
        tell(&p, KELVIN_CHAIN_SAMPLING, i % chains, 37 * (i / chains + 1));
        good = terminal_look(&t) > 0 && neat(&t, i < chains ? i + 1 : chains);
    }
    const struct terminal seen = t;
    chains_progress_end(&p);
    terminal_look(&t);
    terminal_close(&t);
    if (!good || t.wrapped || t.scrolled)
        fail_msg("%s, %zu columns, %zu rows: '%s', '%s'", of->sampler->member.name, columns, rows, seen.screen[0],
                 seen.screen[1]);
    assert_int_equal(terminal_lines(&t), 0);
    assert_true(t.x == 0 && t.y == 0);
}

static void fits_every_terminal(void **state)
{
    (void)state;
    for (size_t i = 0; i < samplers; i++) {
        for (size_t columns = 2; columns < 220; columns += columns < 130 ? 1 : 17) fits(runs[i], columns, 24, 3);
        for (size_t rows = 1; rows < 14; rows++) fits(runs[i], 80, rows, 12);
    }
}

/* The line of a chain that ends goes, that of the next comes. Then logits; then nothing is left. */
static void chains_come_and_go(void **state)
{
    (void)state;
    struct terminal t, seen[3];
    struct chains_progress p;
    terminal_open(&t, 100, 10);
    fprintf(stderr, "before\r\n");
    halfway(&p, "sghmc");
    tell(&p, KELVIN_CHAIN_DIVERGED, 2, STEPS / 2);
    later(&p, 1);
    tell(&p, KELVIN_CHAIN_SAMPLING, 3, STEPS / 4 + 1);
    terminal_look(&t);
    seen[0] = t;
    later(&p, 1);
    tell(&p, KELVIN_CHAIN_SAMPLING, 4, 1);
    terminal_look(&t);
    seen[1] = t;
    for (uint64_t sample = 1; sample <= 5; sample++) { /* four in four seconds: what the first took is not known */
        const kelvin_chain_news said = {.phase = KELVIN_CHAIN_LOGITS, .step = sample, .steps = 10};
        hear(&p, &said);
        if (sample < 5) later(&p, 1);
    }
    terminal_look(&t);
    seen[2] = t;
    chains_progress_end(&p);
    terminal_look(&t);
    terminal_close(&t);
    assert_int_equal(terminal_lines(&seen[0]), 3);
    assert_int_equal(strncmp(seen[0].screen[1], "chain 3 ", 8), 0);
    assert_non_null(strstr(seen[0].screen[2], " 37 %, 1 min 11 s left, 2 of 8 chains done, 1 diverged")); /* of 7.5 */
    assert_int_equal(strncmp(seen[1].screen[2], "chain 4 ", 8), 0);
    assert_int_equal(terminal_lines(&seen[2]), 2);
    assert_string_equal(seen[2].screen[1], "logits  [============>           ]  50 %, 5 s left, 1 diverged");
    assert_int_equal(terminal_lines(&t), 1);
    assert_string_equal(t.screen[0], "before");
}

static void ten_times_a_second(void **state)
{
    (void)state;
    struct terminal t;
    struct chains_progress p;
    size_t draws = 0;
    terminal_open(&t, 80, 10);
    const double from = kelvin_now();
    begin(&p, 2);
    for (uint64_t i = 0; draws < 3; i++) {
        tell(&p, KELVIN_CHAIN_SAMPLING, i % 2, i / 100);
        draws += terminal_look(&t) > 0;
    }
    const double seconds = kelvin_now() - from;
    chains_progress_end(&p);
    terminal_close(&t);
    assert_true((double)draws <= 10 * seconds);
}

/* ---- elsewhere ---- */

/* Half a minute in which `percent` more is done in each half second, or less if that is all. */
static void print_plainly(struct terminal *t, double percent)
{
    struct chains_progress p;
    terminal_open(t, 0, 20);
    begin(&p, 1);
    tell(&p, KELVIN_CHAIN_SAMPLING, 0, 0);
    for (int i = 1; i <= 60 && percent * i <= 100; i++) {
        later(&p, 0.5);
        tell(&p, KELVIN_CHAIN_SAMPLING, 0, (uint64_t)(STEPS * percent / 100 * i));
    }
    chains_progress_end(&p);
    terminal_look(t);
    terminal_close(t);
}

static void plain_lines(void **state)
{
    (void)state;
    static const struct {
        double percent;
        size_t lines;
        const char *first;
    } cases[] = {
        {0.02, 3, "sampling:   0 %, 41 min 30 s left, 0 of 1 chain done, 6,170 images/s"}, /* each 10 s */
        {1.25, 7, "sampling:  10 %, 36 s left, 0 of 1 chain done, 6,170 images/s"},        /* each 10 % */
        {10, 5, "sampling:  20 %, 4 s left, 0 of 1 chain done, 6,170 images/s"},           /* at most one a second */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct terminal t;
        print_plainly(&t, cases[i].percent);
        assert_string_equal(t.screen[0], cases[i].first);
        assert_int_equal(terminal_lines(&t), cases[i].lines);
        for (size_t row = 0; row < t.rows; row++) assert_null(strchr(t.screen[row], '\033'));
    }
}

static void rows_are_not_images(void **state)
{
    (void)state;
    struct terminal t;
    kelvin_run *of = run_by("sghmc");
    const kelvin_data *images = of->data;
    kelvin_data table = *images;
    table.channels = table.height = table.width = 0;
    of->data = &table;
    print_plainly(&t, 10);
    of->data = images;
    assert_string_equal(t.screen[0], "sampling:  20 %, 4 s left, 0 of 1 chain done, 6,170 rows/s");
}

/* ---- time left ---- */

/* A resumed run: chain 0 was done, chain 1 half done, chains 2 and 3 not begun. In 20 seconds chain 1 does a quarter:
 * of the 2.25 chains that are left it would do one in 80 s, so 180 s. Taken from the start it would be 26 s. */
static void not_fooled_by_resume(void **state)
{
    (void)state;
    for (size_t announced = 0; announced < 2; announced++) {
        struct terminal t;
        struct chains_progress p;
        terminal_open(&t, 100, 10);
        begin(&p, 4);
        tell(&p, KELVIN_CHAIN_DONE, 0, STEPS);
        if (announced)
            for (uint32_t i = 1; i < 4; i++) tell(&p, KELVIN_CHAIN_WAITING, i, i == 1 ? STEPS / 2 : 0);
        tell(&p, KELVIN_CHAIN_SAMPLING, 1, STEPS / 2);
        later(&p, 20);
        tell(&p, KELVIN_CHAIN_SAMPLING, 1, STEPS * 3 / 4);
        terminal_look(&t);
        chains_progress_end(&p);
        terminal_close(&t);
        assert_non_null(strstr(t.screen[1], " 44 %, 3 min 0 s left"));
    }
}

/* Nothing is said about it before a second and 1 %, or 10 seconds. */
static void too_early(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        uint64_t step;
        bool said;
    } cases[] = {
        {0.8, STEPS / 2, false}, {1.1, STEPS / 200, false}, {1.1, STEPS / 10, true}, {11, 1, true}, {11, 0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct terminal t;
        struct chains_progress p;
        terminal_open(&t, 100, 10);
        begin(&p, 1);
        tell(&p, KELVIN_CHAIN_SAMPLING, 0, 0);
        later(&p, cases[i].seconds);
        tell(&p, KELVIN_CHAIN_SAMPLING, 0, cases[i].step);
        terminal_look(&t);
        chains_progress_end(&p);
        terminal_close(&t);
        assert_int_equal(strstr(t.screen[1], " left") != NULL, cases[i].said);
    }
}

static void amounts(void **state)
{
    (void)state;
    static const struct {
        void (*say)(char out[AMOUNT], double x);
        double x;
        const char *text;
    } cases[] = {
        {amount_seconds, 0.2, "0 s"},
        {amount_seconds, 59.4, "59 s"},
        {amount_seconds, 59.7, "1 min 0 s"},
        {amount_seconds, 80, "1 min 20 s"},
        {amount_seconds, 3599.4, "59 min 59 s"},
        {amount_seconds, 3599.6, "1 h 0 min"},
        {amount_seconds, 11520, "3 h 12 min"},
        {amount_seconds, 47.9 * 3600, "47 h 54 min"},
        {amount_seconds, 172790, "2.0 days"},
        {amount_seconds, 8.3 * 86400, "8.3 days"},
        {amount_seconds, 1000 * 86400.0, "1000 days"},
        {amount_grouped, 0, "0"},
        {amount_grouped, 999.4, "999"},
        {amount_grouped, 12340, "12,340"},
        {amount_grouped, 1234567.6, "1,234,568"},
        {amount_grouped, -999, "-999"},
        {amount_grouped, -1000, "-1,000"},
        {amount_grouped, 1e300, "1e+300"},
        {amount_rate, 0.012345, "0.0123"},
        {amount_rate, 99.94, "99.9"},
        {amount_rate, 99.96, "100"},
        {amount_rate, 1093.6, "1,094"},
        {amount_bytes, 512, "0.51 kB"},
        {amount_bytes, 999.6e3, "1.00 MB"},
        {amount_bytes, 12.34e6, "12.3 MB"},
        {amount_bytes, 4.56e9, "4.56 GB"},
        {amount_bytes, 123e15, "123000 TB"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[AMOUNT];
        cases[i].say(text, cases[i].x);
        assert_string_equal(text, cases[i].text);
    }
}

/* ---- signals ---- */

/* Two signals ask to stop; the third ends the program. */
static void third_signal_ends(void **state)
{
    (void)state;
    for (int signals = 1; signals <= 3; signals++) {
        const pid_t child = fork();
        if (child == 0) {
            progress_catch_signals();
            if (progress_stopped(NULL)) _exit(1);
            for (int i = 0; i < signals; i++) kill(getpid(), i % 2 ? SIGTERM : SIGINT);
            _exit(progress_stopped(NULL) ? 7 : 1);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (signals < 3)
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
        else
            assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    }
}

/* A run that was started with nohup goes on when its terminal is closed. */
static void nohup(void **state)
{
    (void)state;
    for (int ignored = 0; ignored < 2; ignored++) {
        const pid_t child = fork();
        if (child == 0) {
            signal(SIGHUP, ignored ? SIG_IGN : SIG_DFL);
            progress_catch_signals();
            kill(getpid(), SIGHUP);
            _exit(progress_stopped(NULL) ? 7 : 8);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == (ignored ? 8 : 7));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_line_per_chain),  cmocka_unit_test(fits_every_terminal),
        cmocka_unit_test(chains_come_and_go),  cmocka_unit_test(ten_times_a_second),
        cmocka_unit_test(plain_lines),         cmocka_unit_test(not_fooled_by_resume),
        cmocka_unit_test(too_early),           cmocka_unit_test(amounts),
        cmocka_unit_test(third_signal_ends),   cmocka_unit_test(nohup),
        cmocka_unit_test(rows_are_not_images),
    };
    return cmocka_run_group_tests(tests, open_runs, close_runs);
}
