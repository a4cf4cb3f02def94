/* Labels, as texts or as numbers, to classes. */
#ifndef DATA_LABELS_H
#define DATA_LABELS_H

#include "data/data.h"

struct label {
    const char *text; /* not empty */
    size_t line;      /* of the file where it stands */
};

/* Sets loader->y, and the classes and their names, from the labels of all loader->n rows. If all labels of the training
 * part are whole numbers, however they are written ("3", "3.0"), classes are in the order of these numbers; otherwise
 * in that of the texts, byte by byte. `labels` NULL: they are in loader->y, as numbers that are not negative. Labels of
 * the test part must be among the classes. The paths are for sentences. */
KELVIN_MUST_CHECK kelvin_status kelvin_labels_to_classes(struct data_loader *loader, const struct label *labels,
                                                         const char *train_path, const char *test_path);

/* ---- classes that are known already ---- */

/* By their names; NULL: "0", "1", ... What it points to is the arena's. */
struct labels_known;
KELVIN_MUST_CHECK kelvin_status kelvin_labels_know(struct labels_known **known, kelvin_arena *arena,
                                                   const char *const *names, size_t n);

/* The class that is called so; if all classes are whole numbers, however they are written. -1 if there is none. */
int32_t kelvin_labels_find(const struct labels_known *known, const char *text);

/* That of a whole number. Where classes are called by words, it counts them from 0. */
int32_t kelvin_labels_find_number(const struct labels_known *known, double number);

#endif
