/* Inside of the posterior room: where logits can come from. A source has a struct of its own, which begins with this
 * one. */
#ifndef POSTERIOR_LOGITS_H
#define POSTERIOR_LOGITS_H

#include "base/threads.h"
#include "run/run.h"

#include <kelvin/posterior.h>

struct kelvin_logits {
    size_t samples, classes;
    const uint32_t *chain; /* (samples): that they are of, in order; NULL: each is of one of its own */
    const char *name;      /* where they come from, for sentences; it lives as long */
    const char *run;       /* a run's folder, in which they can be made again; NULL: none */
    bool ended;            /* all pieces have been given out */
    double seconds;        /* in the network */
    kelvin_pool *pool;     /* of whoever asks for pieces, who lends it; NULL: none */
    kelvin_status (*next)(kelvin_logits *logits, kelvin_piece *piece);
    /* All samples at one observation, z (samples, classes). NULL: its pieces have all samples. */
    kelvin_status (*at)(const kelvin_logits *logits, float *z, size_t observation);
    const char *(*note)(const kelvin_logits *logits, size_t i); /* NULL: nothing was guessed */
    void (*close)(kelvin_logits *logits);                       /* frees all, itself too */
};

/* The files of saved ones, against what they should be. */
struct kelvin_logits_form {
    const char *logits, *labels; /* paths */
    const char *run;             /* as above, */
    const uint32_t *chain;       /* (samples), as above; both must stay */
    size_t samples, n, classes;  /* 0 if any number will do */
};
KELVIN_MUST_CHECK kelvin_status kelvin_logits_from_files(kelvin_logits **logits, const struct kelvin_logits_form *form);

/* The same where all bytes of the files are in memory, and stay there: the paths are for sentences alone. */
struct kelvin_file_bytes {
    const void *data;
    size_t n;
};
KELVIN_MUST_CHECK kelvin_status kelvin_logits_from_bytes(kelvin_logits **logits, const struct kelvin_logits_form *form,
                                                         struct kelvin_file_bytes z, struct kelvin_file_bytes y);

/* Whether a run has kept those of a side. */
KELVIN_MUST_CHECK kelvin_status kelvin_logits_are_kept(bool *kept, const kelvin_samples *samples, kelvin_side side);

/* Memory for pieces, which are not all as large: n elements at least, where p has *room, and what was in them is lost.
 * NULL: it could not be had, and p is freed. */
void *kelvin_logits_room(void *p, size_t *room, size_t n, size_t size);

/* So many observations at a time that the logits of all samples take about `bytes`; at least one. */
size_t kelvin_logits_chunk(size_t samples, size_t classes, size_t bytes);

#endif
