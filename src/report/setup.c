/* The section about what was sampled: the configuration, and the command that repeats it. */
#include "report/page.h"

#include <string.h>

/* A fact about each run: a row of the table, or one of a list of terms if there is one run alone. A fact that no run
 * has is left out; where runs differ, it is seen. */
static void put_fact(struct page *page, const char *name, const char *const *words)
{
    const char *first = NULL;
    bool differ = false;
    for (size_t i = 0; i < page->n; i++) {
        if (!first) first = words[i];
        differ |= words[i] && strcmp(words[i], first) != 0;
    }
    if (!first) return;
    if (page->n == 1) {
        markup_put(&page->out, "<div><dt>%s</dt><dd>", name);
        markup_text(&page->out, words[0]);
        markup_put(&page->out, "</dd></div>\n");
        return;
    }
    begin_row(page, name);
    for (size_t i = 0; i < page->n; i++)
        put_cell(page, differ && words[i] ? "text differs" : "text", words[i] ? words[i] : "\xe2\x80\x93");
    end_row(page);
}

static const char *folder(struct page *page, const struct report_run *run)
{
    (void)page;
    return run->folder;
}

static const char *parameters(struct page *page, const struct report_run *run)
{
    return page_text(page, "%zu", run->samples->run->model->n_params);
}

static const char *observations(struct page *page, const struct report_run *run)
{
    const kelvin_data *data = run->samples->run->data;
    return page_text(page, "%zu training, %zu test", data->train.n, data->test.n);
}

static const char *inputs(struct page *page, const struct report_run *run)
{
    const kelvin_data *d = run->samples->run->data;
    if (!d->channels) return page_text(page, "%zu", d->inputs);
    return page_text(page, "%zu \xc3\x97 %zu \xc3\x97 %zu", d->channels, d->height, d->width);
}

static void put_facts(struct page *page, const char **words)
{
    static const struct {
        const char *name;
        const char *(*of)(struct page *page, const struct report_run *run);
    } facts[] = {{"parameters", parameters}, {"observations", observations}, {"inputs", inputs}, {"folder", folder}};
    for (size_t i = 0; i < KELVIN_CONFIG_FIELDS; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s", kelvin_config_fields[i].field.name);
        for (char *at = name; (at = strchr(at, '_'));) *at = ' ';
        for (size_t r = 0; r < page->n; r++)
            words[r] = config_words(page, page->runs[r].samples->run, &kelvin_config_fields[i]);
        put_fact(page, name, words);
    }
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        for (size_t r = 0; r < page->n; r++) words[r] = facts[i].of(page, &page->runs[r]);
        put_fact(page, facts[i].name, words);
    }
}

static void put_commands(struct page *page)
{
    markup_put(&page->out, "<h3>To repeat %s</h3>\n", page->n > 1 ? "them" : "it");
    markup_put(&page->out, "<p>The same command gives the same samples, bit by bit, on any number of threads.</p>\n");
    for (size_t i = 0; i < page->n; i++) {
        if (page->n > 1) {
            markup_put(&page->out, "<p class=\"run\">");
            markup_text(&page->out, page->runs[i].name);
            markup_put(&page->out, "</p>\n");
        }
        put_command(page, page->runs[i].samples->run);
    }
}

void write_setup(struct page *page)
{
    const char **words = kelvin_arena_alloc(page->arena, page->n, sizeof *words);
    if (!words) {
        page->out.status = KELVIN_ENOMEM;
        return;
    }
    if (page->n == 1) {
        markup_put(&page->out, "<dl class=\"facts\">\n");
        put_facts(page, words);
        markup_put(&page->out, "</dl>\n");
    } else {
        begin_table(page, "Configuration", true);
        put_run_names(page, "configuration");
        markup_put(&page->out, "<tbody>\n");
        put_facts(page, words);
        markup_put(&page->out, "</tbody>");
        end_table(page);
    }
    put_commands(page);
}
