/* How long runs are, and which rows and draws of a chain are in which file: against plain counting, over many numbers
 * of rows, draws and draws per file. */
#include "run_helpers.h"

/* A run that has nothing but its lengths. */
struct lengths {
    kelvin_sampler_type type;
    kelvin_tensor tensor;
    kelvin_model model;
    kelvin_data data;
    struct kelvin_run_owned inside;
    kelvin_run run;
};

/* By a sampler that looks at batches if there are fewer draws than rows or several steps in a row. `fit` draws of a
 * file: as many parameters as that takes. */
static kelvin_run *make(struct lengths *l, bool batches, uint32_t rows, uint32_t draws, uint32_t row_steps,
                        uint32_t fit)
{
    *l = (struct lengths){.type = *kelvin_sampler_info(0), .model.n_params = (1 << 20) / fit};
    l->type.batches = batches;
    l->tensor = (kelvin_tensor){.name = "x", .ndim = 1, .shape = {l->model.n_params}};
    l->model.n_tensors = 1;
    l->model.tensor = &l->tensor;
    l->data.train.n = 3 * row_steps + 2; /* a rest that is dropped */
    l->inside.format = KELVIN_FORMAT;
    assert_ok(kelvin_schedule_parse(&l->inside.schedule, "constant")); /* which has nothing to settle for */
    l->inside.temperature_schedule = l->inside.schedule;
    l->run = (kelvin_run){.sampler = &l->type, .model = &l->model, .data = &l->data, .owned = &l->inside};
    l->run.config = (kelvin_run_config){.chains = 3,
                                        .samples = 3 * draws,
                                        .epochs = batches ? rows : 77,
                                        .batch = 3,
                                        .iterations = batches ? 77 : rows,
                                        .warmup = 5};
    return &l->run;
}

/* ---- rows and draws ---- */

/* Draw c (from 1) is taken when the share c / draws of all rows has ended, rounded down to whole rows. */
static bool draw_at_end_of(uint32_t row, uint32_t rows, uint32_t draws)
{
    for (uint32_t c = 1; c <= draws; c++)
        if ((uint64_t)c * rows / draws == row + 1) return true;
    return false;
}

static void draws_are_counted(void **state)
{
    (void)state;
    struct lengths l;
    for (uint32_t rows = 1; rows <= 40; rows++)
        for (uint32_t draws = 1; draws <= rows; draws++) {
            const kelvin_run *run = make(&l, true, rows, draws, 4, 7);
            assert_int_equal(kelvin_run_rows(run), rows);
            assert_int_equal(kelvin_run_draws(run), draws);
            assert_int_equal(kelvin_run_warmup(run), 0);
            assert_int_equal(kelvin_run_row_steps(run), 4);
            assert_int_equal(kelvin_run_steps(run), 4 * rows);
            assert_string_equal(kelvin_run_row_name(run), "epoch");
            uint32_t taken = 0;
            assert_int_equal(kelvin_run_draws_by(run, 0), 0);
            for (uint32_t row = 0; row < rows; row++) {
                if (draw_at_end_of(row, rows, draws)) assert_int_equal(kelvin_run_draw_row(run, taken++), row);
                assert_int_equal(kelvin_run_draws_by(run, row + 1), taken);
            }
            assert_int_equal(taken, draws); /* each in a row of its own */
        }
}

/* A chain that settles first takes its draws as one without its first rows would. The later of both schedules counts;
 * iterations have none. */
static void settling_comes_first(void **state)
{
    (void)state;
    static const double shares[][2] = {{0.5, 0}, {0, 0.5}, {0.25, 0.5}, {0.5, 0.25}}; /* half of all rows */
    struct lengths l;
    for (size_t i = 0; i < 4 * 40; i++) {
        const uint32_t rows = 1 + (uint32_t)i / 4, first = rows / 2, left = rows - first;
        const kelvin_schedule rate = {.settles = shares[i % 4][0]}, temperature = {.settles = shares[i % 4][1]};
        for (uint32_t draws = 1; draws <= left; draws++) {
            const kelvin_run *run = make(&l, true, rows, draws, 4, 7);
            l.inside.schedule = &rate;
            l.inside.temperature_schedule = &temperature;
            assert_int_equal(kelvin_run_settling(run), first);
            uint32_t taken = 0;
            for (uint32_t row = 0; row < rows; row++) {
                const bool draw = row >= first && draw_at_end_of(row - first, left, draws);
                if (draw) assert_int_equal(kelvin_run_draw_row(run, taken++), row);
                assert_int_equal(kelvin_run_draws_by(run, row + 1), taken);
            }
            assert_int_equal(taken, draws);
            l.type.batches = false;
            assert_int_equal(kelvin_run_settling(run), 0);
        }
    }
}

/* Every iteration is a draw. */
static void iterations_are_draws(void **state)
{
    (void)state;
    struct lengths l;
    for (uint32_t rows = 6; rows <= 40; rows++) {
        const kelvin_run *run = make(&l, false, rows, 1, 4, 7);
        assert_int_equal(kelvin_run_rows(run), rows);
        assert_int_equal(kelvin_run_draws(run), rows);
        assert_int_equal(kelvin_run_warmup(run), 5);
        assert_int_equal(kelvin_run_steps(run), rows);
        assert_string_equal(kelvin_run_row_name(run), "iteration");
        for (uint32_t row = 0; row < rows; row++) {
            assert_int_equal(kelvin_run_draw_row(run, row), row);
            assert_int_equal(kelvin_run_draws_by(run, row + 1), row + 1);
        }
    }
}

/* As long as runs can be: by a draw, and by all of them. */
static void long_runs(void **state)
{
    (void)state;
    static const uint32_t lengths[] = {UINT32_MAX, UINT32_MAX - 1, 1u << 31, 4000000007u};
    struct lengths l;
    for (size_t i = 0; i < 4; i++) {
        const uint32_t rows = lengths[i];
        const kelvin_run *run = make(&l, false, rows, 1, 1, 4096);
        assert_int_equal(kelvin_run_draws_by(run, rows), rows);
        assert_int_equal(kelvin_run_draws_by(run, rows - 1), rows - 1);
        assert_int_equal(kelvin_run_draw_row(run, rows - 1), rows - 1);
        struct kelvin_bundle b;
        kelvin_bundle_place(&b, run, rows - 1, false);
        assert_int_equal(b.first_draw, (rows - 1) / 4096 * 4096);
        assert_int_equal(b.first_row + b.rows, rows - 1);
        assert_int_equal(b.first_draw + b.draws, rows - 1);
        run = make(&l, true, rows, 1, 1, 4096);
        assert_int_equal(kelvin_run_draws_by(run, rows), 1);
        assert_int_equal(kelvin_run_draws_by(run, rows - 1), 0);
        assert_int_equal(kelvin_run_draw_row(run, 0), rows - 1);
        run = make(&l, true, rows, 1000000007 % rows / 7, 1, 4096);
        const uint32_t draws = kelvin_run_draws(run);
        for (uint32_t draw = 0; draw < draws; draw += draws / 1000) {
            const uint32_t row = kelvin_run_draw_row(run, draw);
            assert_int_equal(row, ((uint64_t)draw + 1) * rows / draws - 1);
            assert_int_equal(kelvin_run_draws_by(run, row), draw); /* one more with the end of that row */
            assert_int_equal(kelvin_run_draws_by(run, row + 1), draw + 1);
        }
    }
}

/* As many as fit into 2^20 floats, one at least, and 4096 at most. */
static void draws_of_a_file(void **state)
{
    (void)state;
    static const struct {
        size_t n_params;
        uint32_t draws;
    } known[] = {{1, 4096},    {255, 4096},        {256, 4096},        {257, 4080},  {492, 2131},
                 {1 << 19, 2}, {(1 << 19) + 1, 1}, {(1 << 20) - 1, 1}, {1 << 20, 1}, {(1 << 20) + 1, 1},
                 {350000, 2},  {349525, 3},        {SIZE_MAX / 8, 1}};
    struct lengths l;
    const kelvin_run *run = make(&l, true, 9, 3, 1, 1);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        l.model.n_params = known[i].n_params;
        assert_int_equal(kelvin_run_bundle_draws(run), known[i].draws);
    }
}

/* ---- files ---- */

/* One chain, row by row: what it has collected since its last file, from counting alone, and what the place says. */
static void walk(const kelvin_run *run, uint32_t fit)
{
    const uint32_t rows = kelvin_run_rows(run), draws = kelvin_run_draws(run), steps = kelvin_run_row_steps(run);
    uint32_t first_row = 0, first_draw = 0, taken = 0, files = 0;
    for (uint32_t row = 0; row <= rows; row++) {
        struct kelvin_bundle b = {0};
        for (uint32_t step = 0; step < steps && row * steps + step <= rows * steps; step++) {
            kelvin_bundle_place(&b, run, row * steps + step, false); /* also in the middle of a row */
            assert_true(b.first_row == first_row && b.rows == row - first_row);
            assert_true(b.first_draw == first_draw && b.draws == taken - first_draw);
            assert_int_equal(kelvin_bundle_files(run, row * steps + step, false), files);
        }
        /* one that ends here, as a chain that diverges can, has written what it had */
        kelvin_bundle_place(&b, run, row * steps, true);
        assert_true(b.first_row == row && b.rows == 0 && b.first_draw == taken && b.draws == 0);
        assert_int_equal(kelvin_bundle_files(run, row * steps, true), files + (row > first_row));
        if (row == rows) break;
        if (!draw_at_end_of(row, rows, draws)) continue;
        const struct kelvin_draw_place place = kelvin_draw_place(run, 2, taken);
        char name[64];
        snprintf(name, sizeof name, "chain-002/samples-%03u.safetensors", files);
        assert_string_equal(place.name, name);
        assert_true(place.number == files && place.index == taken - first_draw);
        if (++taken - first_draw < fit) continue;
        files++;
        first_row = row + 1;
        first_draw = taken;
    }
}

static void places_of_draws(void **state)
{
    (void)state;
    static const uint32_t fits[] = {1, 2, 3, 4, 5, 8, 13, 4096};
    struct lengths l;
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++)
        for (uint32_t rows = 1; rows <= 30; rows++) {
            for (uint32_t draws = 1; draws <= rows; draws++) walk(make(&l, true, rows, draws, 3, fits[i]), fits[i]);
            if (rows > 5) walk(make(&l, false, rows, 1, 1, fits[i]), fits[i]);
        }
}

struct seen {
    uint32_t rows, draws;
};

/* That of a bundle in order after those that were seen. */
static void see(struct seen *seen, const kelvin_run *run, const double *row, uint32_t rows, const float *draw,
                uint32_t draws)
{
    const size_t n = run->model->n_params, n_columns = kelvin_run_width(run);
    for (uint32_t i = 0; i < rows; i++, seen->rows++)
        for (size_t k = 0; k < n_columns; k++) assert_true(row[i * n_columns + k] == seen->rows * 100 + (double)k);
    for (uint32_t i = 0; i < draws; i++, seen->draws++) {
        const float taken_at = (float)kelvin_run_draw_row(run, seen->draws);
        assert_true(draw[i * n] == taken_at && draw[i * n + n - 1] == taken_at);
    }
}

/* All rows of a chain, and its draws. */
static void collect(const kelvin_run *run, uint32_t fit)
{
    const size_t n = run->model->n_params, n_columns = kelvin_run_width(run);
    struct kelvin_bundle b;
    float *theta = kelvin_alloc(n, sizeof *theta);
    assert_ok(kelvin_bundle_create(&b, run));
    for (uint32_t r = 0; r < kelvin_run_rows(run); r++) {
        double row[KELVIN_COLUMNS];
        for (size_t k = 0; k < n_columns; k++) row[k] = r * 100 + (double)k;
        theta[0] = theta[n - 1] = (float)r;
        kelvin_bundle_add(&b, run, row, theta);
        assert_true(kelvin_bundle_full(&b, run) == (b.draws == fit));
        if (kelvin_bundle_full(&b, run)) assert_ok(kelvin_bundle_write(&b, run, 1));
    }
    assert_ok(kelvin_bundle_write(&b, run, 1));
    assert_ok(kelvin_bundle_write(&b, run, 1)); /* it is empty: nothing happens */
    kelvin_bundle_free(&b);
    kelvin_free(theta);
}

/* What is added comes out in order, however the files are cut, and without files too; and no more is kept than there is
 * room for. */
static void collected_in_order(void **state)
{
    (void)state;
    static const struct {
        uint32_t rows, draws, fit;
    } table[] = {{1, 1, 1}, {9, 9, 4}, {10, 3, 2}, {11, 4, 3}, {7, 5, 2}, {12, 5, 5}, {13, 2, 8}, {20, 19, 4}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct lengths l;
        struct seen seen = {0}, kept = {0};
        struct kelvin_bundle chains[3] = {0};
        kelvin_run *run = make(&l, true, table[i].rows, table[i].draws, 1, table[i].fit);
        run->folder = base;
        assert_int_equal(mkdir(in_base("chain-001"), 0777), 0);
        collect(run, table[i].fit);
        while (seen.draws < table[i].draws) {
            const struct kelvin_draw_place place = kelvin_draw_place(run, 1, seen.draws);
            struct kelvin_bundle_file file;
            assert_ok(kelvin_bundle_open(&file, run, &place, true));
            assert_true(file.draws == table[i].fit || seen.draws + file.draws == table[i].draws);
            see(&seen, run, file.row, file.rows, file.tensor[0], file.draws);
            kelvin_bundle_close(&file);
        }
        assert_true(seen.rows == table[i].rows && seen.draws == table[i].draws);
        remove_tree(in_base("chain-001"));

        run->folder = NULL;
        l.inside.kept = chains;
        collect(run, table[i].draws);
        see(&kept, run, chains[1].row, chains[1].rows, chains[1].draw, chains[1].draws);
        assert_true(kept.rows == table[i].rows && kept.draws == table[i].draws);
        assert_int_equal(chains[0].rows, 0); /* of the other chains nothing came */
        kelvin_bundle_free(&chains[1]);
    }
}

/* ---- columns ---- */

static void columns_of_every_run(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    for (size_t i = 0; (type = kelvin_sampler_info(i)); i++) {
        const kelvin_run run = {.sampler = type};
        const kelvin_statistic *columns[KELVIN_COLUMNS];
        const size_t n = kelvin_run_list_columns(columns, &run), own = kelvin_count_statistics(type);
        assert_true(n <= KELVIN_COLUMNS);
        assert_int_equal(n, own + (type->batches ? 6 : 7));
        assert_string_equal(columns[0]->name, type->batches ? "epoch" : "iteration");
        assert_string_equal(columns[0]->name, kelvin_run_row_name(&run));
        for (size_t k = 0; k < n; k++)
            assert_int_equal(kelvin_run_find_column(&run, columns[k]->name), k); /* none twice */
        for (size_t k = 0; k < own; k++) assert_true(columns[n - own + k] == &type->statistic[k]);
        assert_true(kelvin_run_find_column(&run, "log_posterior") < n);
        assert_true((kelvin_run_find_column(&run, "warmup") == SIZE_MAX) == type->batches);
        assert_true(kelvin_run_find_column(&run, "nothing") == SIZE_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_are_counted),    cmocka_unit_test(settling_comes_first),
        cmocka_unit_test(iterations_are_draws), cmocka_unit_test(long_runs),
        cmocka_unit_test(draws_of_a_file),      cmocka_unit_test(places_of_draws),
        cmocka_unit_test(collected_in_order),   cmocka_unit_test(columns_of_every_run),
    };
    return cmocka_run_group_tests(tests, make_quick_base, remove_base);
}
