/* figures: the figures of the paper: numbers as tables, pictures by gnuplot.
 *
 *     kelvin_figure *figure;
 *     kelvin_status st = kelvin_figure_create(&figure, "phase-diagram", "paper");
 *     if (!st) st = kelvin_figure_set(figure, "classes", "100");
 *     kelvin_figure_output output = {.folder = "out", .out = stdout};
 *     if (!st) st = kelvin_figure_compute(figure, &output);                // out/phase-diagram.csv, .gp
 *     bool drawn = false;
 *     if (!st) st = kelvin_figures_draw(&figure, 1, &drawn, &output);       // out/phase-diagram.png, .svg, .pdf
 *     kelvin_figure_print_files(figure, &output, drawn);
 *     kelvin_figure_destroy(figure);
 *
 * The family "figures" (family.h) has what there is.
 */
#ifndef KELVIN_FIGURES_H
#define KELVIN_FIGURES_H

#include <kelvin/base.h>
#include <kelvin/experiment.h>
#include <kelvin/run.h>

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kelvin_figure kelvin_figure;

/* A figure, and its options as they are by default at a scale: "smoke" takes a minute at most, "laptop" an hour for
 * all of them, "weekend" a weekend for the paper's network, "paper" is as published. NULL: smoke of a figure that needs
 * many posteriors, paper of the others. KELVIN_EUSAGE if there is no such figure or scale. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_figure_create(kelvin_figure **figure, const char *name,
                                                                const char *scale);
KELVIN_API void kelvin_figure_destroy(kelvin_figure *figure);

/* The i-th scale, NULL after the last. */
KELVIN_API const char *kelvin_figure_scale(size_t i);

KELVIN_API const char *kelvin_figure_name(const kelvin_figure *figure);
KELVIN_API bool kelvin_figure_samples(const kelvin_figure *figure); /* it has to sample a posterior first: minutes */

/* ---- options ---- */

typedef struct kelvin_figure_option {
    const char *name, *metavar; /* "grid", "N" */
    const char *about;
    double least, most; /* of numbers */
    bool shared;        /* it means the same in every figure */
} kelvin_figure_option;

/* The i-th option of any figure; the i-th of one, as it is there. NULL after the last. */
KELVIN_API const kelvin_figure_option *kelvin_figures_option(size_t i);
KELVIN_API const kelvin_figure_option *kelvin_figure_option_at(const kelvin_figure *figure, size_t i);

/* Another value. KELVIN_EUSAGE if the figure has no such option, or no number stands where one must; ranges are checked
 * by kelvin_figure_compute. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_figure_set(kelvin_figure *figure, const char *option,
                                                             const char *value);

/* The value of an option as text, "" if the figure does not have it. */
KELVIN_API void kelvin_figure_get(const kelvin_figure *figure, const char *option, char *out, size_t size);

/* ---- numbers and pictures ---- */

/* How long work tells how far it is: start, then pieces, or what chains do (false: stop), then end. Of chains the total
 * is the iterations of all of them. */
typedef struct kelvin_figure_watch {
    void *context;
    void (*start)(void *context, const char *what, uint64_t total);
    bool (*piece)(void *context);   /* any thread may call it */
    bool (*stopped)(void *context); /* did someone ask to stop? NULL: nobody ever does */
    kelvin_run_watch *iteration;
    void (*end)(void *context);
} kelvin_figure_watch;

typedef struct kelvin_figure_output {
    const char *folder;                  /* made if missing; files in it are replaced */
    size_t threads;                      /* 0: one per CPU. The numbers do not depend on it */
    FILE *out;                           /* for our numbers beside the published ones; NULL: nowhere */
    const kelvin_figure_watch *watch;    /* NULL: nobody watches */
    const kelvin_experiment *experiment; /* with its posteriors; NULL: they are sampled in the usual cache */
    bool ready;                          /* posteriors that have not been sampled are left out */
} kelvin_figure_output;

/* The posteriors that a figure needs, as cells of an experiment, which others may have cells in, too: what figures have
 * in common is sampled once. Most figures have none.
 *
 *     for (size_t i = 0; !st && i < n; i++) st = kelvin_figure_cells(figure[i], experiment);
 *     if (!st) st = kelvin_experiment_sample(experiment, NULL, NULL, NULL);
 *     output.experiment = experiment; */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_figure_cells(const kelvin_figure *figure,
                                                               kelvin_experiment *experiment);

/* Checks the options, makes the folder, writes tables and script, prints the numbers. KELVIN_EUSAGE for an option out
 * of its range, KELVIN_ESTOP if the watch says so. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_figure_compute(const kelvin_figure *figure,
                                                                 const kelvin_figure_output *output);

/* Lets gnuplot draw n figures that were computed, several at once; drawn (n) says which are there. KELVIN_EIO with a
 * sentence on how to get the pictures if gnuplot is missing or fails, KELVIN_ESTOP if someone asked to stop. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_figures_draw(kelvin_figure *const *figures, size_t n, bool *drawn,
                                                               const kelvin_figure_output *output);

/* The files that there are then, a line each, to output->out. */
KELVIN_API void kelvin_figure_print_files(const kelvin_figure *figure, const kelvin_figure_output *output, bool drawn);

#ifdef __cplusplus
}
#endif
#endif
