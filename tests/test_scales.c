/* The posteriors of figures: at the scale "paper" as reference.md, sections 2 and 7, has them, written down here once
 * more; at every scale, each once. */
#include "folder_helpers.h"

#include "experiment/experiment.h"
#include "figures/cells.h"
#include "figures/scales.h"

#include <math.h>

/* All cells of a figure at a scale, on data that are there. */
static void add_cells(kelvin_experiment *e, const char *name, const char *scale)
{
    kelvin_figure *figure;
    assert_ok(kelvin_figure_create(&figure, name, scale));
    assert_ok(kelvin_figure_set(figure, "data", "digits"));
    assert_ok(kelvin_figure_set(figure, "model", "mlp:4"));
    assert_ok(kelvin_figure_cells(figure, e));
    kelvin_figure_destroy(figure);
}

static kelvin_experiment *cells_of(const char *name, const char *scale)
{
    kelvin_experiment *e;
    assert_ok(kelvin_experiment_create(&e, in_base("runs")));
    add_cells(e, name, scale);
    return e;
}

struct expected {
    const char *density;
    double temperature, prior, lr;
    size_t chains, epochs;
    bool tuned;
};

static bool has(const kelvin_experiment *e, const struct expected *x)
{
    char prior[32];
    snprintf(prior, sizeof prior, "normal:%g", x->prior);
    for (size_t i = 0; i < e->n; i++) {
        const struct kelvin_cell *cell = &e->cell[i];
        char value[8][KELVIN_CELL_VALUE];
        static const char *const fields[8] = {"density", "temperature", "prior",    "lr",
                                              "chains",  "epochs",      "schedule", "temperature_schedule"};
        for (size_t f = 0; f < 8; f++) kelvin_cell_value(value[f], cell, fields[f]);
        if (strcmp(value[0], x->density) == 0 && fabs(atof(value[1]) - x->temperature) <= 1e-5 * x->temperature &&
            strcmp(value[2], prior) == 0 && fabs(atof(value[3]) / x->lr - 1) < 1e-12 && (size_t)atof(value[4]) == x->chains &&
            (size_t)atof(value[5]) == x->epochs && strcmp(value[6], x->tuned ? "constant" : "paper") == 0 &&
            strcmp(value[7], value[6]) == 0 && (cell->from != KELVIN_NO_CELL) == x->tuned)
            return true;
    }
    return false;
}

static void expect(const kelvin_experiment *e, const struct expected *x)
{
    if (!has(e, x))
        fail_msg("no cell %s T=%g prior %g lr %g, %zu chains, %zu epochs%s", x->density, x->temperature, x->prior,
                 x->lr, x->chains, x->epochs, x->tuned ? ", fine-tuned" : "");
}

static void dirclip_as_in_the_paper(void **state)
{
    (void)state;
    static const double random[] = {.75, .76, .77, .78, .79, .8, .81, .82, .84, .86, .88, .91, .94, .97, .98, .99};
    static const double tuned[] = {.85, .4, -.5};
    static const struct {
        int clip;
        double lr;
        size_t epochs;
    } clips[] = {{-50, 1e-7, 10000}, {-20, 3e-8, 50000}, {-10, 3e-8, 50000}};
    kelvin_experiment *e = cells_of("dirclip-accuracy", "paper");
    expect(e, &(struct expected){"categorical", 0, 0.1, 1e-4, 24, 10000, false});
    expect(e, &(struct expected){"categorical", 1, 0.1, 1e-4, 24, 10000, false}); /* and alpha = 1 */
    char density[48];
    for (size_t i = 0; i < sizeof random / sizeof *random; i++) {
        snprintf(density, sizeof density, "dirclip:%g,-50", random[i]);
        expect(e, &(struct expected){density, 1, 0.1, 1e-4, 24, 10000, false});
    }
    for (size_t c = 0; c < 3; c++) {
        for (size_t i = 0; i < 3; i++) {
            snprintf(density, sizeof density, "dirclip:%g,%d", tuned[i], clips[c].clip);
            expect(e, &(struct expected){density, 1, 0.1, clips[c].lr, 24, clips[c].epochs, true});
        }
        expect(e, &(struct expected){"categorical", 1, 0.1, clips[c].lr, 24, clips[c].epochs, true});
    }
    assert_int_equal(e->n, 2 + 16 + 3 * 3 + 2); /* -20 and -10 have alpha = 1 in common */
    kelvin_experiment_destroy(e);
}

static void ndg_and_temperatures_as_in_the_paper(void **state)
{
    (void)state;
    static const double alphas[] = {1e-6, 1e-5, 1e-4, 1e-3, .0018, .0032, .0056, .01, .022, .046, .1};
    static const double temperatures[] = {0, 1e-4, 1e-3, 1e-2, 0.3, 1};
    static const char *const kinds[] = {"ndg-logits", "ndg-logprobs", "ndg-likelihood", "ndg-prior"};
    kelvin_experiment *e = cells_of("ndg-accuracy", "paper");
    for (size_t k = 0; k < 4; k++)
        for (size_t i = 0; i < sizeof alphas / sizeof *alphas; i++) {
            char density[48];
            snprintf(density, sizeof density, "%s:%g", kinds[k], alphas[i]);
            expect(e, &(struct expected){density, 1, 0.1, 1e-4, 24, 10000, false});
        }
    assert_int_equal(e->n, 2 + 4 * 11);
    kelvin_experiment_destroy(e);

    e = cells_of("model-comparison", "paper");
    for (size_t i = 0; i < sizeof temperatures / sizeof *temperatures; i++)
        expect(e, &(struct expected){"categorical", temperatures[i], 0.1, 1e-4, 24, 10000, false});
    expect(e, &(struct expected){"categorical", 0.1, 0.1, 1e-4, 200, 10000, false}); /* its size is studied */
    kelvin_experiment_destroy(e);
    e = cells_of("posterior-size", "paper");
    expect(e, &(struct expected){"categorical", 0.1, 0.1, 1e-4, 200, 10000, false});
    expect(e, &(struct expected){"dirclip:0.85,-50", 1, 0.1, 1e-4, 200, 10000, false});
    assert_int_equal(e->n, 2);
    kelvin_experiment_destroy(e);
}

static void the_grid_as_in_the_paper(void **state)
{
    (void)state;
    static const double lr[15] = {2e-4,    2e-4,    2e-4,    4e-4,    7e-4,    7e-4,    7e-4,   5.4e-3,
                                  1.04e-2, 1.04e-2, 1.04e-2, 1.04e-2, 1.04e-2, 1.04e-2, 1.04e-2};
    kelvin_experiment *e = cells_of("temperature-grid", "paper");
    assert_int_equal(e->n, 15 * 16);
    for (size_t i = 0; i < 15; i++) {
        const double scale = 0.05 * pow(60, (double)i / 14); /* geometric in [0.05, 3] */
        expect(e, &(struct expected){"categorical", 0, scale, lr[i], 16, 1000, false});
        for (size_t k = 0; k < 15; k++)
            expect(e,
                   &(struct expected){"categorical", 1e-4 * pow(1e4, (double)k / 14), scale, lr[i], 16, 1000, false});
    }
    const size_t n = e->n;
    add_cells(e, "normal-confidence", "paper"); /* the same posteriors */
    assert_int_equal(e->n, n);
    kelvin_experiment_destroy(e);
}

/* On MNIST steep priors have smaller rates, so that drift (rate x slope) is the same from some slope on, and flat ones
 * the rate of the categorical posterior. */
static void steep_priors_have_gentle_rates(void **state)
{
    (void)state;
    static const struct {
        double alpha, random, tuned; /* rates; 0: there is no such cell */
    } rows[] = {{0.97, 2.5e-4, 0}, {0.9, 2.5e-4, 0}, {0.7, 1.25e-4, 0}, {0.5, 7.5e-5, 2.5e-5}};
    kelvin_experiment *e = cells_of("dirclip-accuracy", "laptop");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char density[48];
        snprintf(density, sizeof density, "dirclip:%g,-50", rows[i].alpha);
        if (rows[i].random > 0)
            expect(e, &(struct expected){density, 1, 0.1, rows[i].random, 12, 1000, false});
        if (rows[i].tuned > 0) expect(e, &(struct expected){density, 1, 0.1, rows[i].tuned, 12, 2000, true});
    }
    expect(e, &(struct expected){"dirclip:-0.5,-10", 1, 0.1, 5e-5, 12, 1000, true});
    expect(e, &(struct expected){"dirclip:0.85,-20", 1, 0.1, 1.5e-4, 12, 1000, true});
    expect(e, &(struct expected){"dirclip:0.85,-50", 1, 0.1, 5e-5, 12, 2000, true});
    expect(e, &(struct expected){"categorical", 1, 0.1, 1e-3, 12, 2000, true});
    expect(e, &(struct expected){"categorical", 1, 0.1, 1e-3, 12, 1000, false});
    kelvin_experiment_destroy(e);
}

/* What figures have in common is one cell of their experiment; at every scale none is listed twice. */
static void figures_share_posteriors(void **state)
{
    (void)state;
    for (size_t s = 0; kelvin_figure_scales[s]; s++) {
        kelvin_experiment *e;
        size_t sum = 0;
        assert_ok(kelvin_experiment_create(&e, in_base("runs")));
        for (size_t f = 0; kelvin_figures[f]; f++) {
            if (!kelvin_figures[f]->cells) continue;
            kelvin_experiment *alone = cells_of(kelvin_figures[f]->member.name, kelvin_figure_scales[s]);
            sum += alone->n;
            kelvin_experiment_destroy(alone);
            add_cells(e, kelvin_figures[f]->member.name, kelvin_figure_scales[s]);
        }
        assert_true(e->n > 40 && 10 * e->n < 7 * sum);
        for (size_t i = 0; i < e->n; i++) assert_int_equal(e->cell[i].first, i);
        kelvin_experiment_destroy(e);
    }
}

/* Epochs and samples that someone sets change all posteriors of a figure in proportion. */
static void epochs_and_samples_can_be_set(void **state)
{
    (void)state;
    kelvin_experiment *e;
    kelvin_figure *figure;
    assert_ok(kelvin_experiment_create(&e, in_base("runs")));
    assert_ok(kelvin_figure_create(&figure, "dirclip-accuracy", "paper"));
    static const char *const options[][2] = {
        {"data", "digits"}, {"model", "mlp:4"}, {"epochs", "1000"}, {"samples", "8"}, {"seed", "7"}};
    for (size_t i = 0; i < 5; i++) assert_ok(kelvin_figure_set(figure, options[i][0], options[i][1]));
    assert_ok(kelvin_figure_cells(figure, e));
    expect(e, &(struct expected){"categorical", 0, 0.1, 1e-4, 8, 1000, false});
    expect(e, &(struct expected){"dirclip:0.4,-50", 1, 0.1, 1e-7, 8, 1000, true});
    expect(e, &(struct expected){"dirclip:0.4,-10", 1, 0.1, 3e-8, 8, 5000, true});
    char seed[KELVIN_CELL_VALUE];
    kelvin_cell_value(seed, &e->cell[0], "seed");
    assert_string_equal(seed, "7");
    assert_ok(kelvin_figure_set(figure, "samples", "0"));
    assert_int_equal(kelvin_figure_cells(figure, e), KELVIN_EUSAGE);
    assert_string_equal(kelvin_error(), "samples must be from 1 to 100000, not 0");
    kelvin_figure_destroy(figure);
    kelvin_experiment_destroy(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dirclip_as_in_the_paper),       cmocka_unit_test(ndg_and_temperatures_as_in_the_paper),
        cmocka_unit_test(the_grid_as_in_the_paper),
        cmocka_unit_test(steep_priors_have_gentle_rates),      cmocka_unit_test(figures_share_posteriors),
        cmocka_unit_test(epochs_and_samples_can_be_set),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
