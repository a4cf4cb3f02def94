/* figure: what a figure of the paper is. One C file (computes the numbers), one gnuplot script (draws them) and one
 * line in figures.c each.
 *
 *     struct figure_options options = {.scale = FIGURE_SMOKE, .folder = "out", .out = stdout, .watch = &watch};
 *     kelvin_status st = figures[0]->run(&options);
 */
#ifndef FIGURES_FIGURE_H
#define FIGURES_FIGURE_H

#include <kelvin/run.h>

#include <stdio.h>

enum figure_scale { FIGURE_SMOKE, FIGURE_LAPTOP, FIGURE_PAPER };

extern const char *const figure_scales[]; /* their names; NULL after the last */

/* How long work tells how far it is: start, then pieces or iterations of chains (false: stop), then end. */
struct figure_watch {
    void *context;
    void (*start)(void *context, const char *what, uint64_t total);
    bool (*piece)(void *context); /* any thread may call it */
    kelvin_run_progress *iteration;
    void (*end)(void *context);
};

struct figure_options {
    enum figure_scale scale;
    uint32_t iterations, steps, chains; /* 0: as the scale says; so is grid */
    size_t grid;                        /* points per side */
    uint64_t seed;
    size_t threads;     /* 0: one per CPU */
    const char *folder; /* made if missing; files in it are replaced */
    FILE *out;          /* for the numbers and the list of files */
    const struct figure_watch *watch;
};

struct figure {
    const char *name;
    const char *about;
    const char *const *options; /* names of the options that it heeds, besides scale; NULL after the last */
    uint64_t seed;              /* where none is given */
    kelvin_status (*run)(const struct figure_options *options);
};

extern const struct figure decision_boundary_figure;

extern const struct figure *const figures[]; /* NULL after the last */

#endif
