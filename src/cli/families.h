/* families: what there is to choose from (samplers, schedules, models, densities, priors, data sets, augmentations,
 * figures), as one kind of list. */
#ifndef CLI_FAMILIES_H
#define CLI_FAMILIES_H

#include "base/suggest.h"

struct member {
    char name[KELVIN_NAME_SIZE];
    char usage[160]; /* the name with its parameters: "dirclip:alpha,clip" */
    const char *about;
};

struct family {
    const char *title; /* "data sets" */
    const char *what;  /* "data set" */
    const char *key;   /* "data_sets" */
    const char *note;  /* how to read the list; NULL if that is plain */
    /* One of the two, false after the last; `usage` has the name in front. */
    bool (*info)(size_t i, const char **usage, const char **about);
    bool (*member)(struct member *member, size_t i);
};

enum family_id {
    SAMPLERS,
    SCHEDULES,
    MODELS,
    DENSITIES,
    PRIORS,
    DATA_SETS,
    AUGMENTATIONS,
    METRICS,
    FORMATS,
    FIGURES,
    FAMILY_COUNT
};

extern const struct family families[FAMILY_COUNT];

/* The i-th member; false after the last. */
bool family_member(struct member *member, const struct family *family, size_t i);

/* Is there a member with this name? What follows a colon is not looked at. KELVIN_EUSAGE with the nearest name if not.
 */
KELVIN_MUST_CHECK kelvin_status family_check(enum family_id id, const char *text);

#endif
