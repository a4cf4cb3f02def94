/* figure: what a figure of the paper is. One C file (computes the numbers), one gnuplot script (draws them) and one
 * row of a table below each.
 *
 *     const struct figure *figure = figures[0];
 *     struct figure_options options = kelvin_figure_defaults(figure, FIGURE_PAPER);
 *     options.folder = "out", options.out = stdout, options.watch = &watch;
 *     kelvin_status st = kelvin_figure_run(figure, &options);         // out/NAME.csv, out/NAME.gp
 *     if (!st) st = kelvin_figure_picture(figure, &options);             // out/NAME.png, .svg, .pdf
 *     kelvin_figure_list_files(figure, &options, !st);
 */
#ifndef FIGURES_FIGURE_H
#define FIGURES_FIGURE_H

#include "base/family.h"
#include "base/threads.h"
#include "charts/output.h"

#include <kelvin/experiment.h>
#include <kelvin/figures.h>

enum figure_scale { FIGURE_SMOKE, FIGURE_LAPTOP, FIGURE_WEEKEND, FIGURE_PAPER };

extern const char *const kelvin_figure_scales[]; /* their names; NULL after the last */

enum { FIGURE_CLASSES = 1000 }; /* at most */

/* What a reader may change: field, kind, metavar, least, most, help. Each figure has some of them. */
#define FIGURE_OPTIONS(ROW)                                                                                            \
    ROW(chains, SIZE, "N", 1, UINT32_MAX, "number of chains")                                                          \
    ROW(iterations, SIZE, "N", 1, UINT32_MAX, "iterations per chain; 30 % are warm-up")                                \
    ROW(steps, SIZE, "N", 1, UINT32_MAX, "leapfrog steps per iteration, or gradient steps of a particle")              \
    ROW(rate, REAL, "R", 1e-9, 1e3, "length of a gradient step")                                                       \
    ROW(grid, SIZE, "N", 2, 5000, "points along a curve, or along the longer side of a lattice")                       \
    ROW(classes, SIZE, "K", 2, FIGURE_CLASSES, "number of classes")                                                    \
    ROW(label, SIZE, "Y", 0, FIGURE_CLASSES - 1, "the true class, counted from 0")                                     \
    ROW(alpha, REAL, "A", -1e6, 1e6, "concentration of the prior")                                                     \
    ROW(clip, REAL, "V", -1e6, -1e-6, "where DirClip clips log-probabilities")                                         \
    ROW(temperatures, TEXT, "LIST", 0, 0, "temperatures above 0 and at most 1; 1/30 will do for 0.0333")               \
    ROW(particles, SIZE, "N", 1, 500, "particles whose way is drawn")                                                  \
    ROW(draws, SIZE, "N", 1, 1000000000, "random draws that a simulation is made of")                                  \
    ROW(epochs, SIZE, "N", 1, 1000000000, "epochs of a chain from a random start, or length of a cycle")               \
    ROW(data, TEXT, "DATA", 0, 0, "data set, as for any run")                                                          \
    ROW(model, TEXT, "MODEL", 0, 0, "network, as for any run")                                                         \
    ROW(samples, SIZE, "N", 1, 100000, "samples of a posterior, each a chain of its own")                              \
    ROW(images, SIZE, "N", 1, 1000000000, "training images that are looked at")                                        \
    ROW(seed, SEED, "N", 0, 0, "seed: same seed, same numbers")

struct figure_options {
    enum figure_scale scale;
    size_t chains, iterations, steps, grid, classes, label, particles, draws, epochs, samples, images;
    double rate, alpha, clip;
    const char *temperatures, *data, *model;
    uint64_t seed;
    size_t threads;     /* 0: one per CPU */
    const char *folder; /* made if missing; files in it are replaced */
    FILE *out;          /* for the numbers and the list of files */
    const kelvin_figure_watch *watch;
    const kelvin_experiment *experiment; /* where its posteriors are; NULL of figures that need none */
    bool ready;                          /* posteriors that are not there are left out */
    char *parameters;                    /* what `run` tells the script besides: kelvin_figure_parameter() */
};

/* The table as numbers: what an option is, and where its value stands. */
enum figure_kind { FIGURE_SIZE, FIGURE_REAL, FIGURE_TEXT, FIGURE_SEED };
struct figure_known {
    kelvin_figure_option option;
    enum figure_kind kind;
    size_t offset; /* in struct figure_options */
};
#define FIGURE_ONE(...) +1
enum { FIGURE_KNOWN = 0 FIGURE_OPTIONS(FIGURE_ONE) };
extern const struct figure_known kelvin_figure_known[FIGURE_KNOWN];

/* A value as text. */
void kelvin_figure_value(char *out, size_t size, const struct figure_known *known,
                         const struct figure_options *options);

/* An option that a figure has, and what it means there, where that is narrower than in the table above. */
struct figure_option {
    const char *name;
    double least, most; /* the same: as in the table */
    const char *help;   /* NULL: as in the table */
};

struct figure_cells; /* figures/cells.h */

struct figure {
    kelvin_member member;
    struct figure_option options[10];               /* those that it has; the last has no name */
    struct figure_options defaults;                 /* the paper's */
    void (*adjust)(struct figure_options *options); /* the defaults to options->scale; NULL: only draws depend on it */
    const char *tables[4];                          /* what `run` writes: ".csv", "-points.csv", ..., NULL */
    const char *script;                             /* for gnuplot */
    const char *rest;                               /* of the script, if figures share it; NULL: that was all */
    bool samples;                                   /* it has to sample a posterior first */
    /* The posteriors that it needs, which are sampled before `run`; NULL: none, or it samples its own. */
    kelvin_status (*cells)(struct figure_cells *list, const struct figure_options *options);
    bool tests; /* it shows what posteriors say of test data */
    bool moves; /* the script draws a GIF besides */
    kelvin_status (*run)(const struct figure_options *options);
};

/* All of them, in the order of the paper: one row each. */
#define FIGURES(ROW)                                                                                                   \
    ROW(decision_boundary)                                                                                             \
    ROW(normal_confidence)                                                                                             \
    ROW(distribution_slices)                                                                                           \
    ROW(ndg_accuracy)                                                                                                  \
    ROW(dirclip_accuracy)                                                                                              \
    ROW(dirichlet_gradients)                                                                                           \
    ROW(phase_diagram)                                                                                                 \
    ROW(confidence_density)                                                                                            \
    ROW(dirichlet_diverges)                                                                                            \
    ROW(ndg_ridgeline)                                                                                                 \
    ROW(wasserstein)                                                                                                   \
    ROW(cdf_validation)                                                                                                \
    ROW(critical_alpha)                                                                                                \
    ROW(schedule)                                                                                                      \
    ROW(landscapes)                                                                                                    \
    ROW(temperature_grid)                                                                                              \
    ROW(model_comparison)                                                                                              \
    ROW(logprob_cdf)                                                                                                   \
    ROW(true_class_cdf)                                                                                                \
    ROW(posterior_size)

#define DECLARE_FIGURE(name) extern const struct figure kelvin_##name##_figure;
FIGURES(DECLARE_FIGURE)
extern const struct figure *const kelvin_figures[]; /* NULL after the last */
extern const kelvin_family kelvin_figure_family;

/* NULL if the figure does not have it. */
const struct figure_option *kelvin_figure_heeds(const struct figure *figure, const char *name);

/* Of the paper's draws, other scales have a tenth and a hundredth. What is not said of posteriors is as the scale has
 * it. */
struct figure_options kelvin_figure_defaults(const struct figure *figure, enum figure_scale scale);

/* KELVIN_EUSAGE for an option out of its range. */
KELVIN_MUST_CHECK kelvin_status kelvin_figure_check(const struct figure *figure, const struct figure_options *options);

/* Checks the options that the figure has, makes the folder, writes tables and script, prints the numbers.
 * KELVIN_EUSAGE for an option out of its range. */
KELVIN_MUST_CHECK kelvin_status kelvin_figure_run(const struct figure *figure, const struct figure_options *options);

/* A line "name = value" among the parameters of the script. */
void kelvin_figure_parameter(const struct figure_options *options, const char *name, double value);

/* Lets gnuplot draw in options->folder. KELVIN_EIO with a sentence on how to get the picture if gnuplot is missing or
 * fails, KELVIN_ESTOP if the watch says that someone asked to stop. */
KELVIN_MUST_CHECK kelvin_status kelvin_figure_picture(const struct figure *figure,
                                                      const struct figure_options *options);

void kelvin_figure_list_files(const struct figure *figure, const struct figure_options *options, bool drawn);

/* One more piece of work is done: tells the watch. KELVIN_ESTOP if it says to stop. */
KELVIN_MUST_CHECK kelvin_status kelvin_figure_piece(const kelvin_figure_watch *watch);

/* Tasks 0 .. n-1 on options->threads threads, which tell the watch of `pieces` pieces of `what`. */
KELVIN_MUST_CHECK kelvin_status kelvin_figure_tasks(const struct figure_options *options, const char *what,
                                                    uint64_t pieces, kelvin_task *task, void *context, size_t n);

/* Opens a table of a figure and writes its head: the names of the columns in the first line, then the parameters, all
 * behind a '#', so that numpy.genfromtxt(names=True) and numpy.loadtxt read it as it is. `note`: more such lines. */
KELVIN_MUST_CHECK kelvin_status kelvin_figure_table(struct output_file *table, const struct figure *figure,
                                                    const struct figure_options *options, const char *suffix,
                                                    const char *columns, const char *note);

#endif
