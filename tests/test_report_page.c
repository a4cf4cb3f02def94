/* The page about runs from inside: memory that cannot be had ends in a status, never in half a page; names of runs;
 * what was tuned. What a page has in it is checked from outside, by test_page.sh. */
#include "chains_helpers.h"

#include "base/memory.h"
#include "report/page.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* ---- how often logits are read ---- */

/* Bytes that were read of saved logits and labels since the last look: they are read by pread, and by nobody else but
 * for their checksums. */
static struct {
    const char *file;
    size_t bytes;
} seen[] = {{"logits_test.npy", 0}, {"labels_test.npy", 0}, {"logits_train.npy", 0}, {"labels_train.npy", 0}};
enum { SEEN = sizeof seen / sizeof *seen };

ssize_t pread(int fd, void *data, size_t bytes, off_t from)
{
    char link[64], path[KELVIN_PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    for (size_t i = 0; i < SEEN; i++) {
        const size_t n = strlen(seen[i].file), all = strlen(path);
        if (all > n && strcmp(path + all - n, seen[i].file) == 0) seen[i].bytes += bytes;
    }
    return syscall(SYS_pread64, fd, data, bytes, from);
}

/* Reading begins with the first 4096 bytes, or fewer where a file has no more: its header is in them. */
static size_t once(const char *folder, const char *file)
{
    char path[2 * KELVIN_PATH_MAX];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    assert_int_equal(stat(path, &about), 0);
    const size_t bytes = (size_t)about.st_size;
    return bytes - 128 + (bytes < 4096 ? bytes : 4096);
}

static void read_once(void **state)
{
    (void)state;
    static const char *const on[] = {NULL, "test", "train", "digits"};
    kelvin_run_config config = tiny_by(kelvin_sampler_info(0));
    config.data = "digits";
    config.epochs = config.iterations = 4;
    config.warmup = 2;
    whole_run(&config, "counted", 1, 60);
    char folder[KELVIN_PATH_MAX];
    snprintf(folder, sizeof folder, "%s", in_base("counted"));
    for (size_t i = 0; i < sizeof on / sizeof *on; i++) {
        for (size_t k = 0; k < SEEN; k++) seen[k].bytes = 0;
        assert_ok(kelvin_report_write(in_base("page.html"), (const char *const[]){folder}, 1,
                                      &(kelvin_report_options){.on = on[i], .threads = 1}));
        for (size_t k = 0; k < SEEN; k++) assert_int_equal(seen[k].bytes, once(folder, seen[k].file));
    }
}

/* ---- memory ---- */

static kelvin_status write_page(void *context)
{
    const char *const folders[] = {context};
    return kelvin_report_write(in_base("page.html"), folders, 1, &(kelvin_report_options){.threads = 1});
}

static void without_memory_of(const kelvin_sampler_type *type)
{
    kelvin_run_config config = tiny_by(type);
    config.epochs = 4;
    config.iterations = 6;
    config.warmup = 2;
    whole_run(&config, type->member.name, 1, 60);
    char folder[KELVIN_PATH_MAX];
    snprintf(folder, sizeof folder, "%s", in_base(type->member.name));
    remove(in_base("page.html"));
    kelvin_alloc_fail_at(5);
    assert_int_equal(write_page(folder), KELVIN_ENOMEM);
    kelvin_alloc_fail_at(0);
    assert_int_not_equal(access(in_base("page.html"), F_OK), 0);
    assert_true(without_memory(write_page, folder) > 50);
    assert_int_equal(access(in_base("page.html"), F_OK), 0);
    assert_int_not_equal(access(in_base("page.html.tmp"), F_OK), 0);
}

static void memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < samplers(); i++) without_memory_of(kelvin_sampler_info(i));
}

static void names(void **state)
{
    (void)state;
    static const char *const folders[] = {
        "runs/warm/", "cold",   "other/cold",    "runs/warm",
        "/",          "./cold", "runs/./warm//", "a-name-that-is-rather-long-for-a-column"};
    static const char *const expected[] = {"warm", "cold",     "other/cold", "warm (2)",
                                           "/",    "cold (2)", "warm (3)",   "a-name..-column"};
    enum { N = sizeof folders / sizeof *folders };
    const char *found[N];
    kelvin_arena *arena;
    assert_ok(kelvin_arena_create(&arena));
    assert_ok(kelvin_short_names(found, arena, folders, N, 15));
    for (size_t i = 0; i < N; i++) assert_string_equal(found[i], expected[i]);
    kelvin_arena_destroy(arena);
}

/* Three chains, 2 + 2 iterations: the second has diverged in warm-up, the others have tuned sizes of their own. */
static void tuned(void **state)
{
    (void)state;
    static const kelvin_sampler_type type = {
        .setting = {{.name = "size", .zero = "tuned"},
                    {.name = "way", .zero = "tuned"},
                    {.name = "mean", .zero = "all"},
                    {.name = "plain"}},
        .statistic = {{.name = "size", .last = true},
                      {.name = "way", .last = true},
                      {.name = "mean"},
                      {.name = "plain", .last = true}},
    };
    static const char *const names[] = {"iteration", "size", "way", "mean", "plain"};
    enum { COLUMNS = sizeof names / sizeof *names, ROWS = 4 };
    static double values[3][ROWS * COLUMNS] = {
        {[3 * COLUMNS] = 3, 0.27272, 12.3404, 7, 7}, {0, 1e9, 1e9, 7, 7}, {[3 * COLUMNS] = 3, 0.19, 12.3396, 7, 7}};
    kelvin_history histories[3];
    for (size_t i = 0; i < 3; i++)
        histories[i] =
            (kelvin_history){.rows = i == 1 ? 1 : ROWS, .columns = COLUMNS, .names = names, .values = values[i]};
    kelvin_run about = {.sampler = &type, .config = {.chains = 3, .iterations = ROWS, .warmup = 2}};
    kelvin_samples samples = {.run = &about};
    const struct report_run run = {.samples = &samples, .histories = histories};
    struct page page = {.n = 1};
    assert_ok(kelvin_arena_create(&page.arena));
    assert_string_equal(kelvin_page_tuned(&page, &run, "size", true), "tuned: 0.19\xc2\xa0to\xc2\xa0"
                                                                      "0.273");
    assert_string_equal(kelvin_page_tuned(&page, &run, "size", false), "tuned");
    assert_string_equal(kelvin_page_tuned(&page, &run, "way", true), "tuned: 12.3"); /* as far as digits tell */
    assert_string_equal(kelvin_page_tuned(&page, &run, "mean", true), "all");        /* nothing tells its last value */
    assert_null(kelvin_page_tuned(&page, &run, "plain", true));
    assert_null(kelvin_page_tuned(&page, &run, "seed", true));
    for (size_t i = 0; i < 3; i++) histories[i].rows = 0; /* lost */
    assert_string_equal(kelvin_page_tuned(&page, &run, "size", true), "tuned");
    about.config.setting[0] = 0.5; /* was said */
    assert_null(kelvin_page_tuned(&page, &run, "size", true));
    kelvin_arena_destroy(page.arena);
}

/* ---- pictures ---- */

/* All files that are drawn are known to be, also of runs with names that are no names of files; without gnuplot there
 * are tables and scripts. */
static void plots(void **state)
{
    (void)state;
    static const char *const names[] = {"one", "t/w o"};
    kelvin_samples *samples;
    kelvin_logits *logits;
    kelvin_metrics *metrics;
    const char *on;
    size_t files = 0;
    char folder[KELVIN_PATH_MAX];
    snprintf(folder, sizeof folder, "%s", in_base("plots"));
    assert_ok(kelvin_samples_open(&samples, in_base("counted")));
    assert_ok(kelvin_logits_on(&logits, &on, samples, NULL, 1));
    assert_ok(kelvin_evaluate(&metrics, logits, &(kelvin_evaluate_options){.threads = 1, .sizes = true}));
    assert_ok(kelvin_plot_check(folder));
    assert_int_not_equal(access(folder, F_OK), 0); /* nothing is made before there is something to draw */
    const kelvin_status status =
        kelvin_plot_metrics(folder, names, (const kelvin_metrics *const[]){metrics, metrics}, 2, NULL);
    if (status) assert_non_null(strstr(kelvin_error(), "gnuplot"));
    DIR *there = opendir(folder);
    assert_non_null(there);
    for (const struct dirent *file; (file = readdir(there));) {
        if (*file->d_name == '.') continue;
        if (!kelvin_plot_writes(file->d_name)) fail_msg("%s is not known", file->d_name);
        files++;
    }
    closedir(there);
    assert_true(files >= 8 && !kelvin_plot_writes("run.json"));
    assert_int_equal(kelvin_plot_check(in_base("plots/reliability.csv")), KELVIN_EUSAGE);
    kelvin_metrics_free(metrics);
    kelvin_logits_close(logits);
    kelvin_samples_close(samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory), cmocka_unit_test(names), cmocka_unit_test(tuned),
                                       cmocka_unit_test(read_once), cmocka_unit_test(plots)};
    return cmocka_run_group_tests(tests, make_table, remove_base);
}
