/* report: one page about runs, for people: HTML that needs no other file, no network and no script.
 *
 *     const char *const folders[] = {"RUN"};
 *     kelvin_status st = report_write("report.html", folders, 1, &(struct report_options){.threads = 0});
 *
 * The same runs give the same bytes. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <kelvin/posterior.h>

struct report_options {
    const char *on; /* as in kelvin_logits_on, but not standard input: cases are looked up once more */
    size_t threads; /* 0: one per CPU */
    void (*note)(void *context, const char *sentence); /* gets what was guessed of `on`; NULL: nobody wants to know */
    void (*opened)(void *context, const kelvin_samples *samples); /* gets each run once it is open; or NULL */
    void *context;                                                /* of both */
};

/* The page about n runs (1 or more), written whole or not at all. KELVIN_EUSAGE if `on` is "-". */
KELVIN_MUST_CHECK kelvin_status report_write(const char *path, const char *const *folders, size_t n,
                                             const struct report_options *options);

#endif
