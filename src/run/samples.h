/* Inside of the run room: what samples.c, which says which samples there are, and samples_read.c share. */
#ifndef RUN_SAMPLES_H
#define RUN_SAMPLES_H

#include "run/bundle.h"

/* What kelvin_samples.owned points to. */
struct kelvin_samples_owned {
    kelvin_arena *arena;
    bool owns_run;
    char note[512];
    struct kelvin_bundle_file
        *files;           /* (n_files): those that were read, each under its first sample; or the last one */
    size_t n_files, last; /* the first sample of that */
};

/* Where the i-th sample is, and how many from it on are in one file; 1 at least. */
struct kelvin_draw_place kelvin_sample_place(const kelvin_samples *samples, size_t i);
size_t kelvin_samples_beside(const kelvin_samples *samples, size_t i);

#endif
