/* The pieces of a page that all sections use. */
#include "base/words.h"
#include "report/page.h"

#include "base/texts.h"

#include <math.h>
#include <string.h>

const char *kelvin_page_text(struct page *page, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = kelvin_arena_print(page->arena, format, args);
    va_end(args);
    return kelvin_page_had(page, text);
}

/* What is quoted may become longer than it was. */
static char *room_for(struct page *page, size_t *size, const char *text)
{
    char *out = kelvin_arena_alloc(page->arena, *size = 4 * strlen(text) + KELVIN_RAW, 1);
    if (!out) page->out.status = KELVIN_ENOMEM;
    return out;
}

const char *kelvin_page_word(struct page *page, kelvin_word word, const char *of)
{
    size_t size;
    char *out = room_for(page, &size, of);
    if (out) kelvin_word_say(out, size, word, of, page->words, page->words_context);
    return out ? out : "";
}

const char *kelvin_page_said(struct page *page, const char *raw)
{
    size_t size;
    char *out = room_for(page, &size, raw);
    if (out) kelvin_words_say(out, size, raw, page->words, page->words_context);
    return out ? out : "";
}

const char *kelvin_page_had(struct page *page, const char *text)
{
    if (!text) page->out.status = KELVIN_ENOMEM;
    return text ? text : "";
}

const char *kelvin_page_number(struct page *page, double value, int digits)
{
    if (isnan(value)) return "\xe2\x80\x93"; /* U+2013 */
    if (isinf(value)) return value > 0 ? "\xe2\x88\x9e" : "\xe2\x88\x92\xe2\x88\x9e";
    const double half = 0.5 * pow(10, -digits);
    return kelvin_page_text(page, "%s%.*f", value <= -half ? "\xe2\x88\x92" : "", digits, fabs(value));
}

void kelvin_page_put_between(struct page *page, const char *before, const char *text, const char *after)
{
    kelvin_markup_put(&page->out, "%s", before);
    kelvin_markup_text(&page->out, text);
    kelvin_markup_put(&page->out, "%s", after);
}

/* ---- charts ---- */

void kelvin_page_begin_charts(struct page *page, bool flow)
{
    kelvin_markup_put(&page->out, "<div class=\"charts%s\">\n", flow ? " flow" : "");
}

void kelvin_page_end_charts(struct page *page)
{
    kelvin_markup_put(&page->out, "</div>\n");
}

void kelvin_page_put_chart(struct page *page, const struct chart *chart, const char *caption)
{
    struct markup *out = &page->out;
    if (out->status) return;
    kelvin_page_put_between(page, "<figure>\n<h4>", chart->title, "</h4>\n");
    if (chart->subtitle) kelvin_page_put_between(page, "<p class=\"sub\">", chart->subtitle, "</p>\n");
    const kelvin_status status = kelvin_chart_svg(out, chart);
    if (!out->status) out->status = status;
    if (caption) kelvin_page_put_between(page, "<figcaption>", caption, "</figcaption>\n");
    kelvin_markup_put(out, "</figure>\n");
}

/* ---- tables ---- */

void kelvin_page_begin_table(struct page *page, const char *label, bool words)
{
    kelvin_markup_put(&page->out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table%s>\n",
                      label, words ? " class=\"left\"" : "");
}

void kelvin_page_end_table(struct page *page)
{
    kelvin_markup_put(&page->out, "</table></div>\n");
}

void kelvin_page_begin_row(struct page *page, const char *title)
{
    kelvin_page_put_between(page, "<tr><th scope=\"row\">", title, "</th>");
}

void kelvin_page_end_row(struct page *page)
{
    kelvin_markup_put(&page->out, "</tr>\n");
}

void kelvin_page_put_cell(struct page *page, const char *class, const char *text)
{
    kelvin_markup_put(&page->out, *class ? "<td class=\"%s\">" : "<td%s>", class);
    kelvin_markup_text(&page->out, text);
    kelvin_markup_put(&page->out, "</td>");
}

void kelvin_page_put_run_names(struct page *page, const char *corner)
{
    kelvin_markup_put(&page->out, "<thead><tr><th scope=\"col\">%s</th>", corner);
    for (size_t i = 0; i < page->n; i++)
        kelvin_page_put_between(page, "<th scope=\"col\">", page->runs[i].name, "</th>");
    kelvin_markup_put(&page->out, "</tr></thead>\n");
}

void kelvin_page_put_run_title(struct page *page, const struct report_run *run)
{
    if (page->n > 1) kelvin_page_put_between(page, "<h3>", run->name, "</h3>\n");
}

/* ---- advice ---- */

/* A sentence in which options (--chains) do not break. */
static void put_sentence(struct page *page, const char *text)
{
    for (const char *at; (at = strstr(text, "--")); text = at) {
        const char *end = at + strspn(at, "-abcdefghijklmnopqrstuvwxyz");
        kelvin_markup_text(&page->out, kelvin_page_text(page, "%.*s", (int)(at - text), text));
        kelvin_markup_put(&page->out, "<code class=\"nobr\">%.*s</code>", (int)(end - at), at);
        at = end;
    }
    kelvin_markup_text(&page->out, text);
}

void kelvin_page_put_advice(struct page *page, const char *class, const kelvin_advice *advice, size_t n)
{
    if (n == 0) return;
    kelvin_markup_put(&page->out, "<ul class=\"%s\">\n", class);
    for (size_t i = 0; i < n; i++) {
        kelvin_markup_put(&page->out, "<li>");
        put_sentence(page, kelvin_page_said(page, advice[i].raw));
        kelvin_markup_put(&page->out, "</li>\n");
    }
    kelvin_markup_put(&page->out, "</ul>\n");
}
