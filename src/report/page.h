/* page: what the page has to say of runs, and its pieces, for those who write its sections. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "charts/class_charts.h"
#include "charts/posterior_charts.h"
#include "run/fields.h"

#include <kelvin/report.h>

/* ---- all that is known of a run, before a word of it is written ---- */

enum { REPORT_CASES = 12, REPORT_TOP = 3, REPORT_BASELINES = KELVIN_LINEAR + 1 };

/* One observation that is worth a look. */
struct report_case {
    size_t index;
    int32_t label, predicted;
    double entropy, confidence;
    double score; /* by which it is remarkable */
    size_t n_top;
    int32_t top[REPORT_TOP]; /* the most likely classes, the first of them `predicted` */
    double p[REPORT_TOP];
    const float *x;   /* (inputs), normalised; NULL: it cannot be had */
    const char *name; /* what its row is called; NULL: it has no name */
};

struct report_cases {
    size_t n;
    struct report_case list[REPORT_CASES]; /* the most remarkable first */
};

struct report_run {
    const char *folder; /* as it was given */
    const char *name;   /* short, and different for each run */
    kelvin_samples *samples;
    const char *on; /* "test", "train" or a data set */
    kelvin_metrics *metrics;
    kelvin_metrics *baseline[REPORT_BASELINES]; /* of the same rows, by kelvin_baseline_kind; NULL: the data are gone */
    kelvin_diagnosis *diagnosis;
    kelvin_confusion *confusion; /* NULL: there are too many classes */
    kelvin_history *histories;   /* (chains) */
    struct report_cases mistakes, doubts;
    kelvin_effects *effects; /* of a table; NULL: there is none, or the reason is here, as a raw text: */
    const char *without_effects;
    const char *without_data; /* why cases have no inputs, as a raw text; NULL: they have */
};

/* The texts and arrays of a run live in the arena. A run that was gathered only in part can be released, too. */
KELVIN_MUST_CHECK kelvin_status kelvin_page_gather_runs(struct report_run *runs, kelvin_arena *arena,
                                                        const char *const *folders, size_t n,
                                                        const kelvin_report_options *options);
void kelvin_page_gather_release(struct report_run *runs, size_t n);

/* A path without what does not change it: "./" in front, "/" at its end, "//" and "/./". NULL if memory is short. */
const char *kelvin_clean_path(kelvin_arena *arena, const char *path);

/* ---- the page ---- */

struct page {
    struct markup out;
    kelvin_arena *arena;
    size_t n;
    struct report_run *runs; /* (n) */
    struct charted *charted; /* (n), the same for charts */
    kelvin_words *words;     /* as in kelvin_report_options */
    void *words_context;
};

/* ---- pieces ---- */

/* A title and a caption that says what is to be seen, around a chart. */
void kelvin_page_put_chart(struct page *page, const struct chart *chart, const char *caption);
/* Charts side by side, where there is room; flow: they are not equally high, and go beneath each other first. */
void kelvin_page_begin_charts(struct page *page, bool flow);
void kelvin_page_end_charts(struct page *page);

/* Tables that are wider than the page scroll by themselves. `label` is for those who cannot see them;
 * `words` says that the columns hold words rather than numbers. */
void kelvin_page_begin_table(struct page *page, const char *label, bool words);
void kelvin_page_end_table(struct page *page);
void kelvin_page_put_run_names(struct page *page, const char *corner); /* the head of a table with a column per run */
void kelvin_page_begin_row(struct page *page, const char *title);
void kelvin_page_end_row(struct page *page);
void kelvin_page_put_cell(struct page *page, const char *class, const char *text);

/* A number with so many digits after the point, true minus and no exponent; a dash where there is none. */
const char *kelvin_page_number(struct page *page, double value, int digits);

/* The name of a run above what is said of it alone, if there are several. */
void kelvin_page_put_run_title(struct page *page, const struct report_run *run);

/* A list of advice, or of notes, in which options do not break; nothing of none. */
void kelvin_page_put_advice(struct page *page, const char *class, const kelvin_advice *advice, size_t n);

/* A text between markup that is put as it is. */
void kelvin_page_put_between(struct page *page, const char *before, const char *text, const char *after);

/* Any text, formatted, in the arena; "" if memory is short. */
const char *kelvin_page_text(struct page *page, const char *format, ...) KELVIN_PRINTF(2, 3);

/* One reference, and a raw text, in the words of the page. */
const char *kelvin_page_word(struct page *page, kelvin_word word, const char *of);
const char *kelvin_page_said(struct page *page, const char *raw);

/* The text; "", and the page has failed, where there was no memory for it (NULL). */
const char *kelvin_page_had(struct page *page, const char *text);

/* ---- what the sections are made of ---- */

void kelvin_page_write_setup(struct page *page);
void kelvin_page_write_learning(struct page *page);
void kelvin_page_write_metrics(struct page *page);
bool kelvin_page_classes_wanted(const struct page *page);
void kelvin_page_write_classes(struct page *page);
void kelvin_page_write_calibration(struct page *page);
void kelvin_page_write_uncertainty(struct page *page);
bool kelvin_page_sizes_wanted(const struct page *page);
void kelvin_page_write_sizes(struct page *page);
void kelvin_page_write_diagnosis(struct page *page);
bool kelvin_page_columns_wanted(const struct page *page);
void kelvin_page_write_columns(struct page *page);
bool kelvin_page_cases_wanted(const struct page *page);
void kelvin_page_write_cases(struct page *page);

/* "tuned in warm-up": what a field of the configuration that is 0 stands for, and, with its outcome, "tuned in warm-up:
 * 0.19 to 0.27", from chain to chain. NULL of fields that mean what they say. */
const char *kelvin_page_tuned(struct page *page, const struct report_run *run, const char *field, bool outcome);

/* "density dirclip:0.85,-50, temperature 1": what a run has in its configuration that another has not. False if there
 * is nothing. */
bool kelvin_page_put_differences(struct page *page, size_t run);

#endif
