/* report: one page about runs, for people: HTML that needs no other file, no network and no script.
 *
 *     const char *const folders[] = {"RUN"};
 *     kelvin_status st = kelvin_report_write("report.html", folders, 1, &(struct report_options){.threads = 0});
 *
 * The same runs give the same bytes. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <kelvin/posterior.h>

struct report_options {
    const char *on; /* as in kelvin_logits_on, but not standard input: cases are looked up once more */
    size_t threads; /* 0: one per CPU */
    void (*note)(void *context, const char *sentence); /* gets what was guessed of `on`; NULL: nobody wants to know */
    void *context;
    void (*opened)(const kelvin_samples *samples); /* gets each run once it is open; or NULL */
    kelvin_words *words;                           /* in which the page speaks; NULL: in the library's own */
    void *words_context;
};

/* The page about n runs (1 or more), written whole or not at all. KELVIN_EUSAGE if `on` is "-". */
KELVIN_MUST_CHECK kelvin_status kelvin_report_write(const char *path, const char *const *folders, size_t n,
                                                    const struct report_options *options);

/* ---- names.c: what runs are called in tables and charts ---- */

/* A path without what does not change it: "./" in front, "/" at its end, "//" and "/./". NULL if memory is short. */
const char *kelvin_clean_path(kelvin_arena *arena, const char *path);

/* Different names of at most `most` (12 or more) letters, in the arena: the last part of each path, or all of it where
 * another run has that, too; what is too long is shortened in its middle. A run that comes twice gets a number. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_names(const char **names, kelvin_arena *arena, const char *const *folders,
                                                 size_t n, size_t most);

#endif
