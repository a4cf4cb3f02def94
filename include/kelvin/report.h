/* report: runs for people: a page about them, and pictures.
 *
 *     const char *folders[] = {"RUN"};
 *     kelvin_status st = kelvin_report_write("report.html", folders, 1, NULL);
 *
 * The page is HTML that needs no other file, no network and no script. The same runs give the same bytes. */
#ifndef KELVIN_REPORT_H
#define KELVIN_REPORT_H

#include <kelvin/base.h>
#include <kelvin/posterior.h>
#include <kelvin/run.h>

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kelvin_report_options {
    const char *on; /* as in kelvin_logits_on, but not standard input: the inputs of cases are looked up once more */
    size_t threads; /* 0: one per CPU; the page does not depend on it */
    void (*note)(void *context, const char *sentence); /* gets what was guessed of `on`; NULL: nobody wants to know */
    void *context;
    void (*opened)(const kelvin_samples *samples); /* gets each run once it is open; or NULL */
    kelvin_words *words;                           /* in which the page speaks; NULL: in the library's own */
    void *words_context;
} kelvin_report_options;

/* The page about n runs (1 or more), written whole or not at all. options: NULL for the usual. KELVIN_EUSAGE if `on` is
 * "-". The logits of a run are read once. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_report_write(const char *path, const char *const *folders, size_t n,
                                                               const kelvin_report_options *options);

/* What runs are called in tables and charts: different names of at most `most` (12 or more) letters, in the arena. The
 * last part of each path, or all of it where another run has that, too; what is too long is shortened in its middle. A
 * run that comes twice gets a number. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_short_names(const char **names, kelvin_arena *arena,
                                                              const char *const *folders, size_t n, size_t most);

/* ---- pictures: reliability, confidence and, where metrics have them, the curve over posterior sizes ---- */

/* Draws the metrics of n runs, which have names (kelvin_short_names), as CSV, gnuplot script, PNG, SVG and PDF into a
 * folder, which is made if it is missing. Their paths go to `list`, a line each, unless it is NULL. Without gnuplot the
 * numbers are kept, and the status says so. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_plot_metrics(const char *folder, const char *const *names,
                                                               const kelvin_metrics *const *metrics, size_t n,
                                                               FILE *list);

/* Before the work is done: KELVIN_EUSAGE if the folder cannot be written, or not be made where it is missing. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_plot_check(const char *folder);
/* Whether kelvin_plot_metrics writes, and so replaces, files of this name. */
KELVIN_API bool kelvin_plot_writes(const char *file);

#ifdef __cplusplus
}
#endif
#endif
