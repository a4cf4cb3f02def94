/* Inside of the run room: what samples.c, which says which samples there are, and samples_read.c share. */
#ifndef RUN_SAMPLES_H
#define RUN_SAMPLES_H

#include "run/bundle.h"

/* What kelvin_samples.owned points to. */
struct kelvin_samples_owned {
    kelvin_arena *arena;
    bool owns_run;
    char note[512];
    float *cache;                   /* (n, n_params), or NULL: too large */
    bool *cached;                   /* (n) */
    struct kelvin_bundle_file file; /* the last that was read */
    struct kelvin_draw_place place; /* of a draw in it */
};

/* Where the i-th sample is, and how many from it on are in one file; 1 at least. */
struct kelvin_draw_place kelvin_sample_place(const kelvin_samples *samples, size_t i);
size_t kelvin_samples_beside(const kelvin_samples *samples, size_t i);

#endif
