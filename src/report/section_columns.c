/* The section about the columns of a table: which of them predictions depend on, and how. */
#include "charts/effect_charts.h"
#include "data/dataset.h"
#include "report/page.h"

#include <string.h>

bool kelvin_page_columns_wanted(const struct page *page)
{
    for (size_t i = 0; i < page->n; i++)
        if (page->runs[i].effects || page->runs[i].without_effects) return true;
    return false;
}

/* "200 test rows", "100 training rows", "50 rows of FILE". */
static const char *rows_of(struct page *page, const struct report_run *run)
{
    const size_t n = kelvin_effects_rows(run->effects);
    const bool test = strcmp(run->on, "test") == 0;
    if (test || strcmp(run->on, "train") == 0)
        return kelvin_page_text(page, "%zu %s rows", n, test ? "test" : "training");
    return kelvin_page_text(page, "%zu rows of %s", n, run->on);
}

static void put_words(struct page *page, const struct report_run *run)
{
    const kelvin_effects *e = run->effects;
    size_t n = 0;
    while (kelvin_effects_at(e, n)) n++;
    kelvin_page_put_between(page,
                            "<p class=\"notes\">A column that predictions depend on is missed where its values are "
                            "shuffled among the rows: here, ",
                            rows_of(page, run), "");
    kelvin_markup_put(
        &page->out,
        " and %zu sample%s, the mean of %zu permutation%s with its standard error over rows. Columns that "
        "tell the same stand in for each other, and each of them looks less important than it is.%s</p>\n",
        kelvin_effects_samples(e), kelvin_effects_samples(e) == 1 ? "" : "s", kelvin_effects_permutations(e),
        kelvin_effects_permutations(e) == 1 ? "" : "s",
        n > CHART_EFFECTS ? kelvin_page_text(page, " The first %d of %zu columns are shown.", (int)CHART_EFFECTS, n)
                          : "");
}

static void put_dependence(struct page *page, const struct report_run *run, size_t colour)
{
    const kelvin_data *data = run->samples->run->data;
    struct chart chart;
    kelvin_page_put_between(page, "<h3>How</h3>\n<p class=\"notes\">The mean probability of ",
                            data->classes == 2 ? data->class_names[1] : "each class",
                            " over rows that all have the value of the axis in that column, and are else as they are. "
                            "Bands, or bars, hold 80 % of the samples: where they are wide, the posterior does not "
                            "know. All columns have the same scale.</p>\n");
    kelvin_page_begin_charts(page, false);
    for (size_t i = 0; kelvin_effects_at(run->effects, i); i++)
        if (kelvin_chart_dependence(&chart, page->arena, run->effects, i, data->class_names, data->classes, colour))
            kelvin_page_put_chart(page, &chart, NULL);
    kelvin_page_end_charts(page);
}

void kelvin_page_write_columns(struct page *page)
{
    for (size_t i = 0; i < page->n; i++) {
        const struct report_run *run = &page->runs[i];
        struct chart chart;
        if (!run->effects && !run->without_effects) continue;
        kelvin_page_put_run_title(page, run);
        if (run->without_effects) {
            kelvin_page_put_between(page, "<p class=\"note\">The columns cannot be compared: ",
                                    kelvin_page_said(page, run->without_effects), ".</p>\n");
            continue;
        }
        put_words(page, run);
        kelvin_page_begin_charts(page, false);
        kelvin_chart_importance(&chart, page->arena, run->effects, kelvin_run_colour(i));
        kelvin_page_put_chart(page, &chart, NULL);
        kelvin_page_end_charts(page);
        put_dependence(page, run, kelvin_run_colour(i));
    }
}
