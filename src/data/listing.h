/* Which pictures a folder holds: one sub-folder for each class, or two parts, train and test, of such folders. */
#ifndef DATA_LISTING_H
#define DATA_LISTING_H

#include <kelvin/base.h>

struct listed {
    const char *path;
    int32_t class; /* -1: none is known */
};

struct listing {
    const char *const *classes; /* names of folders, sorted by their bytes */
    size_t n_classes;
    const struct listed *files; /* those for training, then those for testing: by class, then by name */
    size_t n, n_train;
};

/* Reads the folders; nothing is opened but them. `test`: the folder of the test part, or NULL. What the listing points
 * to is in the arena. KELVIN_EIO if a folder cannot be read, KELVIN_EFORMAT if it does not hold what it should. */
KELVIN_MUST_CHECK kelvin_status kelvin_listing_make(struct listing *listing, kelvin_arena *arena, const char *folder,
                                                    const char *test);

/* The same for new inputs: all pictures count as the test part of a folder that has one, else as those for training;
 * there may be one class only; and pictures may lie in the folder itself: then n_classes is 0. */
KELVIN_MUST_CHECK kelvin_status kelvin_listing_inputs(struct listing *listing, kelvin_arena *arena, const char *folder,
                                                      const char *test);

/* By the end of its name. */
bool kelvin_listing_is_picture(const char *name);

#endif
