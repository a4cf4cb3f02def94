/* What all figures promise, whichever is in the table: options out of their range are refused before anything is
 * written, tables are as their first line says, the same bytes for any number of threads, and memory that cannot be had
 * or a reader who asks to stop end in a status. */
#include "check.h"
#include "figure_watch.h"

#include "base/memory.h"
#include "figures/figure.h"
#include "figures/tempered.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char home[] = "/tmp/kelvin-test-XXXXXX";
static FILE *nowhere;

/* ---- folders ---- */

static void path_of(char path[512], const char *folder)
{
    snprintf(path, 512, "%s/%s", home, folder);
}

static void remove_folder(const char *folder)
{
    char path[512], file[1024];
    path_of(path, folder);
    DIR *dir = opendir(path);
    if (!dir) return;
    for (struct dirent *entry; (entry = readdir(dir));) {
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.') unlink(file);
    }
    closedir(dir);
    rmdir(path);
}

/* The whole file; free it. NULL if there is none. */
static char *read_file(const char *folder, const char *name, const char *suffix)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s/%s%s", home, folder, name, suffix);
    FILE *file = fopen(path, "r");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    const size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = calloc(size + 1, 1);
    assert_int_equal(fread(text, 1, size, file), size);
    fclose(file);
    return text;
}

/* Everything small, so that a figure takes milliseconds. */
static struct figure_options small(const struct figure *figure, const char *folder, char path[512])
{
    struct figure_options options = kelvin_figure_defaults(figure, FIGURE_SMOKE);
    options.grid = 24;
    options.steps = 30;
    options.particles = 4;
    options.draws = 700;
    options.threads = 2;
    path_of(path, folder);
    options.folder = path;
    options.out = nowhere;
    options.watch = &watch;
    patience = UINT64_MAX;
    return options;
}

/* Figures that sample a posterior take longer and have tests of their own. */
static const struct figure *next(size_t *i)
{
    while (kelvin_figures[*i] && kelvin_figures[*i]->samples) ++*i;
    return kelvin_figures[*i] ? kelvin_figures[(*i)++] : NULL;
}

#define EACH_FIGURE(figure)                                                                                            \
    size_t each = 0;                                                                                                   \
    for (const struct figure *figure; (figure = next(&each));)

/* ---- options ---- */

static void temperatures_are_numbers_or_fractions(void **state)
{
    (void)state;
    struct temperatures list;
    assert_ok(kelvin_temperatures_parse(&list, "1,0.3,1/12,3e-7,0.5/2"));
    const double expected[] = {1, 0.3, 1.0 / 12, 3e-7, 0.25};
    assert_int_equal(list.n, 5);
    for (size_t i = 0; i < list.n; i++) assert_near(list.T[i], expected[i], 0);
    assert_ok(kelvin_temperatures_parse_n(&list, "1e-5,1", 2, "lowest and highest"));
    assert_int_equal(kelvin_temperatures_parse_n(&list, "1", 2, "lowest and highest"), KELVIN_EUSAGE);
    assert_non_null(strstr(kelvin_error(), "there must be 2 of them (lowest and highest), not 1"));
}

static void wrong_temperatures_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *item;
    } wrong[] = {{"-0.1", "'-0.1'"},   {"1,-0.1,0.5", "'-0.1'"}, {"0", "'0'"},         {"1,", "''"},
                 {"", "''"},           {"1,,0.5", "''"},         {"0.5x", "'0.5x'"},   {"1/0", "'1/0'"},
                 {"1/", "'1/'"},       {"nan", "'nan'"},         {"1/nan", "'1/nan'"}, {"2", "'2'"},
                 {"1e-13", "'1e-13'"}, {" 1", "' 1'"},           {"1 ,0.5", "'1 '"},   {"inf", "'inf'"},
                 {"-1/-2", "'-1/-2'"}, {"/2", "'/2'"},           {"1;2", "'1;2'"},     {"0x1p-3", "'0x1p-3'"}};
    struct temperatures list;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(kelvin_temperatures_parse(&list, wrong[i].text), KELVIN_EUSAGE);
        if (!strstr(kelvin_error(), wrong[i].item)) fail_msg("%s: %s", wrong[i].text, kelvin_error());
    }
    char many[256] = "1";
    for (size_t i = 1; i < MOST_TEMPERATURES; i++) strcat(many, ",1");
    assert_ok(kelvin_temperatures_parse(&list, many));
    strcat(many, ",1");
    assert_int_equal(kelvin_temperatures_parse(&list, many), KELVIN_EUSAGE);
}

/* Each option in turn, a little below its range and a little above. */
static void options_out_of_range_are_refused(void **state)
{
    (void)state;
    size_t refused = 0;
    EACH_FIGURE(figure)
    {
        char path[512];
        struct figure_options options;
        struct stat about;
#define SIZE(field, value)                                                                                             \
    options = small(figure, "refused", path);                                                                          \
    options.field = (size_t)(value);
#define REAL(field, value)                                                                                             \
    options = small(figure, "refused", path);                                                                          \
    options.field = (value);
#define TEXT(field, value)
#define SEED(field, value)
#define REFUSED(field)                                                                                                 \
    assert_int_equal(kelvin_figure_run(figure, &options), KELVIN_EUSAGE);                                              \
    assert_non_null(strstr(kelvin_error(), #field " must be from "));                                                  \
    refused++;
#define ROW(field, kind, metavar, least, most, help)                                                                   \
    if (kelvin_figure_heeds(figure, #field) && least < most) {                                                         \
        if (least > 0) {                                                                                               \
            kind(field, least > 1 ? least - 1 : 0) REFUSED(field)                                                      \
        }                                                                                                              \
        kind(field, most + 1.0) REFUSED(field)                                                                         \
    }
        FIGURE_OPTIONS(ROW)
        assert_int_not_equal(stat(path, &about), 0); /* nothing was made */
        if (kelvin_figure_heeds(figure, "temperatures")) {
            options = small(figure, "refused", path);
            options.temperatures = "0.5,-0.5";
            assert_int_equal(kelvin_figure_run(figure, &options), KELVIN_EUSAGE);
            assert_non_null(strstr(kelvin_error(), "'-0.5' is not a temperature"));
            assert_int_not_equal(stat(path, &about), 0);
            refused++;
        }
    }
    assert_true(refused > 30);
}

static const struct figure *figure_named(const char *name)
{
    size_t i = 0;
    while (kelvin_figures[i] && strcmp(kelvin_figures[i]->member.name, name) != 0) i++;
    assert_non_null(kelvin_figures[i]);
    return kelvin_figures[i];
}

/* What single figures refuse beyond that. */
static void lists_that_a_figure_cannot_use_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *figure, *temperatures, *words;
    } wrong[] = {{"distribution-slices", "0.1", "there must be 2 of them"},
                 {"distribution-slices", "0.1,0.2,0.3", "there must be 2 of them"},
                 {"wasserstein", "1e-5,1,1", "there must be 2 of them"},
                 {"wasserstein", "1,1e-5", "the lowest comes first"},
                 {"wasserstein", "0.5,0.5", "the lowest comes first"},
                 {"confidence-density", "1,2", "'2' is not a temperature"},
                 {"cdf-validation", "1,0", "'0' is not a temperature"}};
    struct stat about;
    char path[512];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct figure *figure = figure_named(wrong[i].figure);
        struct figure_options options = small(figure, "refused", path);
        options.temperatures = wrong[i].temperatures;
        assert_int_equal(kelvin_figure_run(figure, &options), KELVIN_EUSAGE);
        if (!strstr(kelvin_error(), wrong[i].words)) fail_msg("%s: %s", wrong[i].temperatures, kelvin_error());
        assert_int_not_equal(stat(path, &about), 0);
    }
    struct figure_options options = small(figure_named("ndg-ridgeline"), "refused", path);
    options.label = options.classes;
    assert_int_equal(kelvin_figure_run(figure_named("ndg-ridgeline"), &options), KELVIN_EUSAGE);
    assert_non_null(strstr(kelvin_error(), "label must be below the number of classes, which is 10, not 10"));
    assert_int_not_equal(stat(path, &about), 0);
}

/* ---- tables ---- */

static size_t count(const char *text, const char *end, char letter)
{
    size_t n = 0;
    for (; text < end; text++) n += *text == letter;
    return n;
}

/* Every row: as many numbers as the first line has names, all of them finite. */
static size_t check_rows(const char *text, const char *what)
{
    const char *line = text, *end = strchr(text, '\n');
    assert_non_null(end);
    assert_true(strncmp(text, "# ", 2) == 0 && text[2] != ' ');
    const size_t commas = count(text, end, ',');
    size_t rows = 0;
    while (*(line = end + 1)) {
        end = strchr(line, '\n');
        assert_non_null(end); /* the last line ends, too */
        if (*line == '#' || line == end) continue;
        if (count(line, end, ',') != commas) fail_msg("%s: '%.*s' has other columns", what, (int)(end - line), line);
        for (const char *at = line; at < end;) {
            char *stop;
            if (!isfinite(strtod(at, &stop)) || stop == at || (*stop != ',' && *stop != '\n'))
                fail_msg("%s: '%.*s' is not all numbers", what, (int)(end - line), line);
            at = stop + 1;
        }
        rows++;
    }
    return rows;
}

static void tables_are_as_their_first_line_says(void **state)
{
    (void)state;
    EACH_FIGURE(figure)
    {
        char path[512];
        const struct figure_options options = small(figure, "tables", path);
        assert_ok(kelvin_figure_run(figure, &options));
        for (size_t i = 0; figure->tables[i]; i++) {
            char *text = read_file("tables", figure->member.name, figure->tables[i]);
            assert_non_null(text);
            assert_true(check_rows(text, figure->member.name) > 0 || strstr(figure->tables[i], "maxima"));
            for (size_t o = 0; figure->options[o].name; o++) {
                char parameter[64];
                snprintf(parameter, sizeof parameter, "\n# %s = ", figure->options[o].name);
                assert_non_null(strstr(text, parameter));
            }
            free(text);
        }
        char *script = read_file("tables", figure->member.name, ".gp");
        assert_non_null(script);
        free(script);
    }
    remove_folder("tables");
}

/* The bound max(p, 1-p)^(1/T - 1) p has its maximum below 1/2 at p = T: up to 1/2, where it becomes a corner. */
static void the_bound_peaks_at_T_up_to_one_half(void **state)
{
    (void)state;
    static const double expected[] = {0.4999, 0.495, 1.0 / 3, 1e-9};
    const struct figure *figure = figure_named("confidence-density");
    char path[512];
    struct figure_options options = small(figure, "peaks", path);
    options.temperatures = "1,0.5,0.4999,0.495,1/3,1e-9";
    assert_ok(kelvin_figure_run(figure, &options));
    char *text = read_file("peaks", figure->member.name, "-peaks.csv");
    size_t n = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        double T, p, density;
        if (*line == '#') continue;
        assert_int_equal(sscanf(line, "%lf,%lf,%lf", &T, &p, &density), 3);
        assert_true(n < 4);
        assert_near(T, expected[n], 1e-9 * T); /* ten digits */
        assert_near(p, expected[n], 1e-9 * T);
        assert_near(density, exp((1 / T - 1) * log1p(-T)) * T, 1e-8 * T);
        n++;
    }
    assert_int_equal(n, 4);
    free(text);
    remove_folder("peaks");
}

static void threads_do_not_change_a_byte(void **state)
{
    (void)state;
    EACH_FIGURE(figure)
    {
        for (size_t threads = 1; threads <= 3; threads++) {
            char folder[16], path[512];
            snprintf(folder, sizeof folder, "threads-%zu", threads);
            struct figure_options options = small(figure, folder, path);
            options.grid = 37; /* not a multiple of anything that work is cut into */
            options.threads = threads;
            assert_ok(kelvin_figure_run(figure, &options));
            for (size_t i = 0; figure->tables[i]; i++) {
                char *one = read_file("threads-1", figure->member.name, figure->tables[i]);
                char *text = read_file(folder, figure->member.name, figure->tables[i]);
                assert_string_equal(one, text);
                free(one);
                free(text);
            }
        }
    }
    for (size_t threads = 1; threads <= 3; threads++) {
        char folder[16];
        snprintf(folder, sizeof folder, "threads-%zu", threads);
        remove_folder(folder);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    EACH_FIGURE(figure)
    {
        for (size_t n = 1;; n++) {
            char path[512];
            const struct figure_options options = small(figure, "memory", path);
            kelvin_alloc_fail_at(n);
            const kelvin_status status = kelvin_figure_run(figure, &options);
            kelvin_alloc_fail_at(0);
            if (!status) break;
            assert_int_equal(status, KELVIN_ENOMEM);
            assert_non_null(strstr(kelvin_error(), "out of memory"));
            assert_true(n < 1000);
        }
    }
    remove_folder("memory");
}

/* Whoever tells how far the work is must also heed a wish to stop. */
static void a_wish_to_stop_is_heeded(void **state)
{
    (void)state;
    size_t long_ones = 0;
    EACH_FIGURE(figure)
    {
        char path[512];
        const struct figure_options options = small(figure, "stopped", path);
        assert_ok(kelvin_figure_run(figure, &options));
        const bool watched = patience < UINT64_MAX;
        patience = 0;
        const kelvin_status status = kelvin_figure_run(figure, &options);
        assert_int_equal(status, watched ? KELVIN_ESTOP : KELVIN_OK);
        if (watched) assert_non_null(strstr(kelvin_error(), "stopped by a signal"));
        long_ones += watched;
    }
    remove_folder("stopped");
    assert_true(long_ones >= 2); /* the draws of cdf-validation and of dirichlet-gradients */
}

/* ---- as programs have them ---- */

static void options_are_texts(void **state)
{
    (void)state;
    EACH_FIGURE(figure)
    {
        const kelvin_figure_option *option;
        kelvin_figure *handle;
        char text[256];
        size_t n = 0;
        assert_ok(kelvin_figure_create(&handle, figure->member.name, "smoke"));
        for (; (option = kelvin_figure_option_at(handle, n)); n++) {
            kelvin_figure_get(handle, option->name, text, sizeof text);
            assert_true(*text && *option->about && *option->metavar);
            assert_ok(kelvin_figure_set(handle, option->name, text)); /* what it says can be said to it */
            assert_int_equal(kelvin_figure_set(handle, "colour", "red"), KELVIN_EUSAGE);
            assert_non_null(strstr(kelvin_error(), "has no option colour"));
        }
        for (size_t i = 0; figure->options[i].name; i++, n--) continue;
        assert_int_equal(n, 0); /* all that it heeds, and no others */
        kelvin_figure_destroy(handle);
    }
    kelvin_figure *handle;
    assert_int_equal(kelvin_figure_create(&handle, "schedul", NULL), KELVIN_EUSAGE);
    assert_null(handle);
    assert_int_equal(kelvin_figure_create(&handle, "schedule", "papr"), KELVIN_EUSAGE);
    assert_string_equal(kelvin_error(), "unknown scale 'papr'; did you mean 'paper'?");
    assert_ok(kelvin_figure_create(&handle, "schedule", NULL));
    assert_int_equal(kelvin_figure_set(handle, "grid", "many"), KELVIN_EUSAGE);
    assert_string_equal(kelvin_error(), "grid must be a whole number, not 'many'");
    kelvin_figure_destroy(handle);
}

/* The numbers that are written are those that were asked for; without a watch, and without a place to print to. */
static void handles_write_the_same_tables(void **state)
{
    (void)state;
    char path[512], there[600], text[4096] = "";
    kelvin_figure *handle;
    path_of(path, "handle");
    const kelvin_figure_output output = {.folder = path, .threads = 1};
    assert_ok(kelvin_figure_create(&handle, "schedule", NULL));
    assert_ok(kelvin_figure_set(handle, "grid", "20"));
    assert_ok(kelvin_figure_set(handle, "epochs", "1e3"));
    assert_ok(kelvin_figure_compute(handle, &output));
    snprintf(there, sizeof there, "%s/schedule.csv", path);
    FILE *file = fopen(there, "r");
    assert_non_null(file);
    const size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_true(n > 0);
    assert_non_null(strstr(text, "# grid = 20\n"));
    assert_non_null(strstr(text, "# epochs = 1000\n"));
    assert_ok(kelvin_figure_set(handle, "grid", "19"));
    assert_int_equal(kelvin_figure_compute(handle, &output), KELVIN_EUSAGE);
    assert_string_equal(kelvin_error(), "grid must be from 20 to 5000 in this figure, not 19");
    kelvin_figure_destroy(handle);
    remove_folder("handle");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(temperatures_are_numbers_or_fractions),
        cmocka_unit_test(wrong_temperatures_are_named),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(lists_that_a_figure_cannot_use_are_refused),
        cmocka_unit_test(tables_are_as_their_first_line_says),
        cmocka_unit_test(the_bound_peaks_at_T_up_to_one_half),
        cmocka_unit_test(threads_do_not_change_a_byte),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_wish_to_stop_is_heeded),
        cmocka_unit_test(options_are_texts),
        cmocka_unit_test(handles_write_the_same_tables),
    };
    if (!mkdtemp(home) || !(nowhere = fopen("/dev/null", "w"))) return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fclose(nowhere);
    rmdir(home);
    return failed;
}
