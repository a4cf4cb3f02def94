/* Experiments: cells that are called by what they are, share what they have in common, and come to the same bytes
 * however they were stopped and on however many threads. */
#include "chains_helpers.h"

#include "base/memory.h"
#include "experiment/experiment.h"

static const char *cache_named(const char *name)
{
    return in_base(name);
}

static kelvin_experiment *new_experiment(const char *cache)
{
    kelvin_experiment *e;
    assert_ok(kelvin_experiment_create(&e, cache_named(cache)));
    return e;
}

static kelvin_config *config_with(const char *field, const char *value)
{
    static const char *const usual[][2] = {{"preset", "paper"}, {"data", "toy"},      {"model", "mlp:8"},
                                           {"chains", "3"},     {"epochs", "12"},     {"batch", "6"},
                                           {"lr", "0.01"},      {"schedule", "paper"}};
    kelvin_config *config;
    assert_ok(kelvin_config_create(&config));
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        assert_ok(kelvin_config_set(config, usual[i][0], usual[i][1]));
    if (field) assert_ok(kelvin_config_set(config, field, value));
    return config;
}

static size_t add(kelvin_experiment *e, const char *name, const char *field, const char *value, size_t from)
{
    size_t cell;
    assert_ok(kelvin_experiment_add(e, &cell, name, config_with(field, value), from));
    return cell;
}

/* ---- names ---- */

static void folders_follow_from_configurations(void **state)
{
    (void)state;
    static const char *const others[][2] = {{"seed", "1"},      {"epochs", "13"},      {"lr", "0.02"},
                                            {"chains", "4"},    {"batch", "9"},        {"density", "dirclip:0.9,-50"},
                                            {"model", "mlp:9"}, {"prior", "normal:1"}, {"momentum", "0.9"}};
    kelvin_experiment *e = new_experiment("names");
    const size_t plain = add(e, "plain", NULL, NULL, KELVIN_NO_CELL);
    const size_t same = add(e, "same", "lr", "1e-2", KELVIN_NO_CELL);
    const size_t hot = add(e, "hot", "temperature", "0.5", KELVIN_NO_CELL);
    const size_t after = add(e, "after", NULL, NULL, plain), after_hot = add(e, "after hot", NULL, NULL, hot);
    assert_string_equal(e->cell[plain].key, e->cell[same].key);
    assert_int_equal(e->cell[same].first, plain);
    assert_string_equal(e->cell[plain].trunk, e->cell[hot].trunk);
    assert_string_not_equal(e->cell[plain].key, e->cell[hot].key);
    assert_string_not_equal(e->cell[plain].key, e->cell[after].key);
    assert_string_not_equal(e->cell[after].key, e->cell[after_hot].key);
    assert_int_equal(kelvin_cell_siblings(e, &e->cell[plain]), 2);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const size_t other = add(e, others[i][0], others[i][0], others[i][1], KELVIN_NO_CELL);
        assert_string_not_equal(e->cell[other].key, e->cell[plain].key);
        assert_string_not_equal(e->cell[other].trunk, e->cell[plain].trunk);
    }
    kelvin_config *config = config_with(NULL, NULL);
    assert_int_equal(kelvin_experiment_add(e, NULL, "hot", config, KELVIN_NO_CELL), KELVIN_EUSAGE);
    assert_non_null(strstr(kelvin_error(), "two cells of the name \"hot\""));
    kelvin_experiment_destroy(e);
}

/* Data are known by what is in them: a table that has changed makes other cells. */
static void other_data_make_other_cells(void **state)
{
    (void)state;
    char key[2][KELVIN_CELL_KEY], spec[4200];
    for (size_t i = 0; i < 2; i++) {
        FILE *file = fopen(in_base("t.csv"), "w");
        assert_non_null(file);
        for (int row = 0; row < 40; row++)
            fprintf(file, "%d,%d,%d\n", row * 7 % 11, row * 5 % 13, (row + (row == 3 && i)) % 2);
        assert_int_equal(fclose(file), 0);
        snprintf(spec, sizeof spec, "csv:%s", in_base("t.csv"));
        kelvin_experiment *e = new_experiment("names");
        add(e, "table", "data", spec, KELVIN_NO_CELL);
        memcpy(key[i], e->cell[0].key, sizeof *key);
        kelvin_experiment_destroy(e);
    }
    assert_string_not_equal(key[0], key[1]);

    /* The same data by another name are the same cell, in one folder. */
    kelvin_experiment *e = new_experiment("names");
    add(e, "table", "data", spec, KELVIN_NO_CELL);
    snprintf(spec, sizeof spec, "csv:%s", in_base("./t.csv"));
    add(e, "again", "data", spec, KELVIN_NO_CELL);
    assert_int_equal(e->cell[1].first, 0);
    assert_string_equal(kelvin_experiment_folder(e, 1), kelvin_experiment_folder(e, 0));
    assert_string_equal(e->cell[1].folder, e->cell[0].folder);
    kelvin_experiment_destroy(e);
}

/* ---- sampling ---- */

enum { TEMPERATURES = 16 };

/* T = 0 and 15 others; and one that starts from the samples of the first. */
static kelvin_experiment *grid(const char *cache, const char *epochs)
{
    kelvin_experiment *e = new_experiment(cache);
    for (size_t i = 0; i < TEMPERATURES; i++) {
        char text[24], name[32];
        kelvin_config *config = config_with("epochs", epochs);
        snprintf(text, sizeof text, "%g", i ? (double)i / (TEMPERATURES - 1) : 0);
        snprintf(name, sizeof name, "T = %s", text);
        assert_ok(kelvin_config_set(config, "temperature", text));
        assert_ok(kelvin_experiment_add(e, NULL, name, config, KELVIN_NO_CELL));
    }
    kelvin_config *config = config_with("schedule", "constant");
    assert_ok(kelvin_config_set(config, "density", "dirclip:0.5,-50"));
    assert_ok(kelvin_experiment_add(e, NULL, "tuned", config, 0));
    return e;
}

static void sample_all(kelvin_experiment *e, size_t threads)
{
    assert_ok(kelvin_experiment_sample(e, &(kelvin_run_options){.threads = threads, .checkpoint = 0}, NULL, NULL));
}

static void write_metrics(kelvin_experiment *e, const char *name)
{
    assert_ok(kelvin_experiment_write(e, in_base(name), 2));
}

static void same_files(const char *a, const char *b)
{
    char *text[2];
    size_t bytes[2];
    assert_ok(kelvin_file_read(&text[0], &bytes[0], in_base(a)));
    assert_ok(kelvin_file_read(&text[1], &bytes[1], in_base(b)));
    assert_int_equal(bytes[0], bytes[1]);
    assert_memory_equal(text[0], text[1], bytes[0]);
    kelvin_free(text[0]);
    kelvin_free(text[1]);
}

/* Of 16 temperatures 15 begin where the first third ends: 31 % less. */
static void a_grid_of_temperatures_costs_less(void **state)
{
    (void)state;
    kelvin_experiment *e = new_experiment("cost");
    kelvin_experiment_plan plan;
    for (size_t i = 0; i < TEMPERATURES; i++) {
        char text[24];
        kelvin_config *config = config_with("epochs", "1000");
        snprintf(text, sizeof text, "%g", (double)i / 20);
        assert_ok(kelvin_config_set(config, "temperature", text));
        assert_ok(kelvin_experiment_add(e, NULL, text, config, KELVIN_NO_CELL));
    }
    assert_ok(kelvin_experiment_estimate(&plan, e, 2));
    assert_int_equal(plan.cells, TEMPERATURES);
    assert_int_equal(plan.done, 0);
    assert_int_equal(plan.chains, 3 * TEMPERATURES);
    assert_true(plan.rows_apart == 3.0 * 1000 * TEMPERATURES);
    assert_true(plan.rows == 3.0 * (1000 + 15 * (1000 - 334))); /* T is 0 up to epoch 333 */
    assert_true(plan.seconds > 0 && plan.disk > 0);
    kelvin_experiment_destroy(e);
}

static uint32_t first_row[TEMPERATURES + 1]; /* of each cell: the least that was sampled */

static bool note_rows(void *context, const kelvin_experiment *e, const kelvin_cell_news *news)
{
    (void)context, (void)e;
    if (news->chain->phase == KELVIN_CHAIN_SAMPLING && news->chain->row < first_row[news->cell])
        first_row[news->cell] = news->chain->row;
    return true;
}

/* Each cell has the bytes of the same run alone, begun at its own start; and of those that differ in their temperature
 * one alone has sampled the epochs in which it is 0. */
static void shared_beginnings_change_no_byte(void **state)
{
    (void)state;
    kelvin_experiment *e = grid("shared", "12");
    const uint32_t cold = 5; /* 3 e / 12 - 1 is above 0 from epoch 5 on */
    size_t begun = 0;
    memset(first_row, 0xff, sizeof first_row);
    assert_ok(kelvin_experiment_sample(e, &(kelvin_run_options){.threads = 8}, note_rows, NULL));
    for (size_t i = 0; i < TEMPERATURES; i++) begun += first_row[i] < cold;
    assert_int_equal(begun, 1);
    for (size_t i = 0; i < TEMPERATURES; i++) {
        kelvin_run *run;
        assert_true(kelvin_experiment_done(e, i));
        assert_ok(kelvin_run_start(&run, e->cell[i].config, in_base("alone")));
        assert_ok(kelvin_run_sample(&run, 1, NULL, NULL, NULL));
        kelvin_run_close(run);
        assert_int_equal(compare(e->cell[i].folder, in_base("alone")), 8 - 2 + 3 * 3); /* toy has no test part */
        remove_tree(in_base("alone"));
    }
    kelvin_experiment_destroy(e);
}

static uint32_t left; /* news until it stops */

static bool stop_soon(void *context, const kelvin_experiment *e, const kelvin_cell_news *news)
{
    (void)context;
    assert_true(news->cell < kelvin_experiment_cells(e) && news->done <= news->cells);
    assert_true(news->share >= news->before - 1e-12 && news->share <= 1 + 1e-12);
    return left-- > 0;
}

static void stopped_again_and_again(void **state)
{
    (void)state;
    size_t stops = 0;
    kelvin_experiment *e = grid("plain", "30");
    sample_all(e, 1);
    write_metrics(e, "plain.csv");
    kelvin_experiment_destroy(e);
    for (size_t i = 0;; i++) {
        e = grid("stopped", "30");
        left = (uint32_t)(7 + 61 * i % 97);
        const kelvin_run_options how = {.threads = 1 + i % 3, .checkpoint = 1e9};
        const kelvin_status status = kelvin_experiment_sample(e, &how, stop_soon, NULL);
        if (!status) break;
        assert_int_equal(status, KELVIN_ESTOP);
        kelvin_experiment_destroy(e);
        stops++;
    }
    assert_true(stops > 2);
    write_metrics(e, "stopped.csv");
    same_files("stopped.csv", "plain.csv");
    kelvin_experiment_destroy(e);

    e = grid("plain", "30"); /* what has ended is not done again */
    left = 0;
    assert_ok(kelvin_experiment_sample(e, NULL, stop_soon, NULL));
    kelvin_experiment_destroy(e);
}

/* A folder is believed for what is in it, not for what it is called. */
static void another_run_is_not_taken_for_a_cell(void **state)
{
    (void)state;
    kelvin_experiment *e = new_experiment("taken");
    add(e, "cold", "temperature", "0.5", KELVIN_NO_CELL);
    add(e, "warm", "temperature", "1", KELVIN_NO_CELL);
    sample_all(e, 2);
    char cold[4200], warm[4200];
    snprintf(cold, sizeof cold, "%s", kelvin_experiment_folder(e, 0));
    snprintf(warm, sizeof warm, "%s", kelvin_experiment_folder(e, 1));
    kelvin_experiment_destroy(e);
    remove_tree(warm);
    assert_int_equal(rename(cold, warm), 0);
    e = new_experiment("taken");
    add(e, "warm", "temperature", "1", KELVIN_NO_CELL);
    assert_false(kelvin_experiment_done(e, 0));
    assert_int_equal(kelvin_experiment_sample(e, NULL, NULL, NULL), KELVIN_EFORMAT);
    assert_non_null(strstr(kelvin_error(), "has another run than the one that it is called after; remove it"));
    kelvin_experiment_destroy(e);
}

/* A cell that starts from nothing is said, and the others are sampled. */
static void what_starts_from_nothing_is_said(void **state)
{
    (void)state;
    kelvin_experiment *e = new_experiment("lost");
    const size_t wild = add(e, "wild", "lr", "1e30", KELVIN_NO_CELL);
    const size_t next = add(e, "next", NULL, NULL, wild), third = add(e, "third", NULL, NULL, next);
    const size_t calm = add(e, "calm", NULL, NULL, KELVIN_NO_CELL);
    for (size_t again = 0; again < 2; again++) {
        assert_int_equal(kelvin_experiment_sample(e, NULL, NULL, NULL), KELVIN_EDIVERGED);
        assert_string_equal(kelvin_error(),
                            "cell next was not sampled: all chains of wild, which it starts from, have diverged");
        assert_true(kelvin_experiment_done(e, wild) && kelvin_experiment_done(e, calm));
        assert_false(kelvin_experiment_done(e, next) || kelvin_experiment_done(e, third));
    }
    write_metrics(e, "lost.csv");
    kelvin_experiment_destroy(e);
}

/* ---- files ---- */

static kelvin_status read_text(kelvin_experiment *e, const char *text)
{
    FILE *file = fopen(in_base("cells.json"), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    return kelvin_experiment_read(e, in_base("cells.json"));
}

static void lists_make_cells(void **state)
{
    (void)state;
    kelvin_experiment *e = new_experiment("names");
    char value[KELVIN_CELL_VALUE];
    assert_ok(
        read_text(e, "{\"data\": \"toy\", \"model\": \"mlp:4\", \"epochs\": 5, \"lr\": 1e-2, \"cells\": ["
                     "{\"name\": \"{density} at {temperature}\", \"density\": [\"categorical\", \"dirclip:0.7,-50\"],"
                     " \"temperature\": [0, 0.5, 1]},"
                     "{\"lr\": 0.25, \"seed\": [1, 2]},"
                     "{\"name\": \"tuned\", \"from\": \"categorical at 0.5\", \"schedule\": \"constant\"}]}"));
    static const char *const names[] = {"categorical at 0",     "categorical at 0.5",     "categorical at 1",
                                        "dirclip:0.7,-50 at 0", "dirclip:0.7,-50 at 0.5", "dirclip:0.7,-50 at 1",
                                        "lr 0.25, seed 1",      "lr 0.25, seed 2",        "tuned"};
    assert_int_equal(kelvin_experiment_cells(e), sizeof names / sizeof *names);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(kelvin_experiment_name(e, i), names[i]);
    kelvin_cell_value(value, &e->cell[4], "temperature");
    assert_string_equal(value, "0.5");
    kelvin_cell_value(value, &e->cell[7], "lr");
    assert_string_equal(value, "0.25");
    kelvin_cell_value(value, &e->cell[0], "lr");
    assert_string_equal(value, "0.01");
    assert_int_equal(e->cell[8].from, 1);
    kelvin_cell_value(value, &e->cell[8], "init");
    assert_string_equal(value, kelvin_experiment_folder(e, 1));
    kelvin_experiment_destroy(e);
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } table[] = {
        {"[]", "is not a JSON object"},
        {"{\"data\": \"toy\"}", "field \"cells\": expected a list of cells"},
        {"{\"cells\": []}", "field \"cells\": expected a list of cells"},
        {"{\"cells\": [3]}", "cell 1: expected an object"},
        {"{\"data\": \"toy\", \"cells\": [{\"colour\": 1}]}", "cell 1: field \"colour\""},
        {"{\"data\": \"toy\", \"cells\": [{\"lr\": \"fast\"}]}", "cell 1: field \"lr\""},
        {"{\"data\": \"toy\", \"cells\": [{\"lr\": {}}]}", "expected a text, a number, or a list"},
        {"{\"data\": \"toy\", \"cells\": [{\"lr\": [[1]]}]}", "expected a text, a number, or a list"},
        {"{\"data\": \"toy\", \"cells\": [{\"lr\": []}]}", "its lists make no cells"},
        {"{\"data\": \"toy\", \"lr\": [1, 2], \"cells\": [{}]}", "field \"lr\": lists belong into cells"},
        {"{\"data\": \"toy\", \"cells\": [{}, {\"from\": \"me\"}]}", "there is no cell \"me\" before this one"},
        {"{\"data\": \"toy\", \"cells\": [{\"name\": \"{size}\"}]}",
         "{size}: neither the cell nor the file says such a field"},
        {"{\"data\": \"toy\", \"cells\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}", "two cells of the name \"a\""},
        {"{\"data\": \"nowhere\", \"cells\": [{}]}", "cells.json: cell 1: unknown data set 'nowhere'"},
        {"{\"name\": \"a\", \"cells\": [{}]}", "field \"name\": it belongs into a cell"},
        {"{\"data\": \"toy\", \"cells\": [{\"name\": \"a\"}, {\"from\": \"a\", \"init\": \"b\"}]}",
         "cell 2: field \"from\": the cell says where it starts by \"init\", too"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        kelvin_experiment *e = new_experiment("names");
        assert_int_not_equal(read_text(e, table[i].text), KELVIN_OK);
        if (!strstr(kelvin_error(), table[i].says)) fail_msg("%s: %s", table[i].text, kelvin_error());
        kelvin_experiment_destroy(e);
    }
}

/* Without memory there is a status, and nothing is lost. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    kelvin_status status = KELVIN_ENOMEM;
    for (size_t n = 1; status; n++) {
        kelvin_experiment *e = NULL;
        kelvin_alloc_fail_at(n);
        status = kelvin_experiment_create(&e, cache_named("names"));
        if (!status)
            status = read_text(e, "{\"data\": \"toy\", \"model\": \"mlp:4\", \"cells\": [{\"name\": \"a\"}, "
                                  "{\"name\": \"b\", \"from\": \"a\", \"schedule\": \"constant\"}]}");
        kelvin_alloc_fail_at(0);
        if (status) assert_int_equal(status, KELVIN_ENOMEM);
        kelvin_experiment_destroy(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_follow_from_configurations),
        cmocka_unit_test(other_data_make_other_cells),
        cmocka_unit_test(a_grid_of_temperatures_costs_less),
        cmocka_unit_test(shared_beginnings_change_no_byte),
        cmocka_unit_test(stopped_again_and_again),
        cmocka_unit_test(another_run_is_not_taken_for_a_cell),
        cmocka_unit_test(what_starts_from_nothing_is_said),
        cmocka_unit_test(lists_make_cells),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
