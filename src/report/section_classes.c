/* The section about classes: what is taken for what, recall and precision, ROC curves. */
#include "data/dataset.h"
#include "report/page.h"

#include <math.h>

enum { FEW_CLASSES = 12, WORST = 12 };

bool kelvin_page_classes_wanted(const struct page *page)
{
    for (size_t i = 0; i < page->n; i++)
        if (page->runs[i].confusion) return true;
    return false;
}

static const char *const *names_of(const struct report_run *run)
{
    return run->samples->run->data->class_names;
}

/* ---- shares of a class ---- */

static const struct {
    const char *title;
    double (*of)(const kelvin_confusion *confusion, size_t label);
    double scale;
    int digits;
} shares[] = {
    {"recall, %", kelvin_confusion_recall, 100, 1},
    {"precision, %", kelvin_confusion_precision, 100, 1},
    {"AUC", kelvin_confusion_auc, 1, 4},
};
enum { SHARES = sizeof shares / sizeof *shares };

static void put_shares(struct page *page, const kelvin_confusion *c, size_t label)
{
    for (size_t i = 0; i < SHARES; i++)
        kelvin_page_put_cell(page, "",
                             kelvin_page_number(page, shares[i].scale * shares[i].of(c, label), shares[i].digits));
}

static void put_share_heads(struct page *page)
{
    for (size_t i = 0; i < SHARES; i++) kelvin_markup_put(&page->out, "<th scope=\"col\">%s</th>", shares[i].title);
    kelvin_markup_put(&page->out, "</tr></thead>\n<tbody>\n");
}

/* ---- few classes: all counts ---- */

/* As dark as its share of the row, but its number must be read. */
static void put_count(struct page *page, const kelvin_confusion *c, size_t label, size_t predicted)
{
    const size_t n = kelvin_confusion_count(c, label, predicted), all = kelvin_confusion_observations(c, label);
    kelvin_markup_put(&page->out, "<td class=\"%s\" style=\"--p:%.1f%%\">%zu</td>",
                      label == predicted ? "count own"
                      : n > 0            ? "count"
                                         : "count none",
                      n > 0 ? 8 + 40 * (double)n / (double)all : 0, n);
}

static void put_matrix(struct page *page, const struct report_run *run)
{
    const kelvin_confusion *c = run->confusion;
    kelvin_page_begin_table(page, "What is taken for what", false);
    kelvin_markup_put(&page->out, "<thead><tr><th scope=\"col\">is \\ predicted</th>");
    for (size_t k = 0; k < c->classes; k++)
        kelvin_page_put_between(page, "<th scope=\"col\">", names_of(run)[k], "</th>");
    put_share_heads(page);
    for (size_t label = 0; label < c->classes; label++) {
        kelvin_page_begin_row(page, names_of(run)[label]);
        for (size_t k = 0; k < c->classes; k++) put_count(page, c, label, k);
        put_shares(page, c, label);
        kelvin_page_end_row(page);
    }
    kelvin_markup_put(&page->out, "</tbody>");
    kelvin_page_end_table(page);
}

/* ---- many: those that are found least ---- */

/* Of another class than its own, the one that it is taken for most often; SIZE_MAX: none. */
static size_t mostly(const kelvin_confusion *c, size_t label)
{
    size_t most = SIZE_MAX;
    for (size_t k = 0; k < c->classes; k++) {
        const size_t n = k == label ? 0 : kelvin_confusion_count(c, label, k);
        if (n > 0 && (most == SIZE_MAX || n > kelvin_confusion_count(c, label, most))) most = k;
    }
    return most;
}

/* Classes by recall, the lowest first, of equal ones the first; those without observations are left out. Returns how
 * many there are. */
static size_t find_worst(size_t worst[WORST], const kelvin_confusion *c)
{
    size_t n = 0;
    for (size_t k = 0; k < c->classes; k++) {
        const double recall = kelvin_confusion_recall(c, k);
        if (isnan(recall)) continue;
        size_t at = n;
        while (at > 0 && recall < kelvin_confusion_recall(c, worst[at - 1])) at--;
        if (at == WORST) continue;
        if (n < WORST) n++;
        for (size_t i = n - 1; i > at; i--) worst[i] = worst[i - 1];
        worst[at] = k;
    }
    return n;
}

static void put_worst(struct page *page, const struct report_run *run)
{
    const kelvin_confusion *c = run->confusion;
    size_t worst[WORST];
    const size_t n = find_worst(worst, c);
    kelvin_page_begin_table(page, "Classes that are found least", false);
    kelvin_markup_put(&page->out, "<thead><tr><th scope=\"col\">class</th><th scope=\"col\">observations</th>"
                                  "<th scope=\"col\" class=\"text\">mostly taken for</th>");
    put_share_heads(page);
    for (size_t i = 0; i < n; i++) {
        const size_t other = mostly(c, worst[i]);
        kelvin_page_begin_row(page, names_of(run)[worst[i]]);
        kelvin_page_put_cell(page, "", kelvin_page_text(page, "%zu", kelvin_confusion_observations(c, worst[i])));
        kelvin_page_put_cell(page, "text",
                             other == SIZE_MAX ? "\xe2\x80\x93"
                                               : kelvin_page_text(page, "%s (%zu)", names_of(run)[other],
                                                                  kelvin_confusion_count(c, worst[i], other)));
        put_shares(page, c, worst[i]);
        kelvin_page_end_row(page);
    }
    kelvin_markup_put(&page->out, "</tbody>");
    kelvin_page_end_table(page);
}

/* ---- the section ---- */

static void put_run(struct page *page, const struct report_run *run, size_t colour)
{
    const struct charted_classes of = {run->confusion, names_of(run)};
    const bool few = run->confusion->classes <= FEW_CLASSES;
    struct chart chart;
    kelvin_page_put_run_title(page, run);
    if (few)
        put_matrix(page, run);
    else
        put_worst(page, run);
    kelvin_markup_put(&page->out,
                      "<p class=\"notes\">%s Recall: of a class, the share that is found. Precision: of what "
                      "is taken for it, the share that is of it. AUC: the chance that one of the class is "
                      "given more of it than one of another.</p>\n",
                      few ? "Rows are what observations are, columns what the ensemble finds most likely."
                          : kelvin_page_text(page, "The %d classes that are found least, of %zu.", (int)WORST,
                                             run->confusion->classes));
    kelvin_page_begin_charts(page, false);
    if (kelvin_chart_roc(&chart, page->arena, &of, colour))
        kelvin_page_put_chart(page, &chart,
                              "Far above the diagonal, a class is found without much that is not of it; on it, by "
                              "chance.");
    if (!few && kelvin_chart_mistakes(&chart, page->arena, &of, colour))
        kelvin_page_put_chart(page, &chart, "Each row is a class; what is found is left out.");
    kelvin_page_end_charts(page);
}

void kelvin_page_write_classes(struct page *page)
{
    for (size_t i = 0; i < page->n; i++)
        if (page->runs[i].confusion) put_run(page, &page->runs[i], kelvin_run_colour(i));
}
