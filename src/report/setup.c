/* The section about what was sampled: the configuration, and the command that repeats it. */
#include "report/page.h"

#include <string.h>

/* Fields of all runs side by side; one that none of them has is left out. */
static void put_field(struct page *page, const struct kelvin_config_field *field)
{
    bool any = false, differ = false;
    const char *first = NULL;
    for (size_t i = 0; i < page->n; i++) {
        const char *words = config_words(page, page->runs[i].samples->run, field);
        any |= words != NULL;
        if (i == 0) first = words;
        differ |= i > 0 && (!words != !first || (words && strcmp(words, first) != 0));
    }
    if (!any) return;
    char name[64];
    snprintf(name, sizeof name, "%s", field->field.name);
    for (char *at = name; (at = strchr(at, '_'));) *at = ' ';
    begin_row(page, name);
    for (size_t i = 0; i < page->n; i++) {
        const char *words = config_words(page, page->runs[i].samples->run, field);
        put_cell(page, differ ? "text differs" : "text", words ? words : "\xe2\x80\x93");
    }
    end_row(page);
}

/* What follows from the configuration. */
static void put_facts(struct page *page)
{
    begin_row(page, "parameters");
    for (size_t i = 0; i < page->n; i++)
        put_cell(page, "text", page_text(page, "%zu", page->runs[i].samples->run->model->n_params));
    end_row(page);
    begin_row(page, "observations, training + test");
    for (size_t i = 0; i < page->n; i++) {
        const kelvin_data *data = page->runs[i].samples->run->data;
        put_cell(page, "text", page_text(page, "%zu + %zu", data->train.n, data->test.n));
    }
    end_row(page);
    begin_row(page, "inputs");
    for (size_t i = 0; i < page->n; i++) {
        const kelvin_data *d = page->runs[i].samples->run->data;
        put_cell(page, "text",
                 d->channels ? page_text(page, "%zu (%zu x %zu x %zu)", d->inputs, d->channels, d->height, d->width)
                             : page_text(page, "%zu", d->inputs));
    }
    end_row(page);
}

void write_setup(struct page *page)
{
    begin_table(page, "Configuration");
    put_run_names(page, "configuration");
    markup_put(&page->out, "<tbody>\n");
    begin_row(page, "folder");
    for (size_t i = 0; i < page->n; i++) put_cell(page, "text", page->runs[i].folder);
    end_row(page);
    for (size_t i = 0; i < KELVIN_CONFIG_FIELDS; i++) put_field(page, &kelvin_config_fields[i]);
    put_facts(page);
    markup_put(&page->out, "</tbody>");
    end_table(page);
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
