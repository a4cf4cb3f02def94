/* The section with observations that are worth a look: the most confident mistakes and the least certain inputs, as
 * pictures, or as rows of a table whose columns have names. */
#include "data/features.h"
#include "data/picture.h"
#include "report/page.h"

#include <math.h>

enum { MOST_COLUMNS = 12 };

static bool can_show(const struct report_run *run)
{
    const kelvin_data *data = run->samples->run->data;
    return data->channels || data->column_names;
}

bool kelvin_page_cases_wanted(const struct page *page)
{
    for (size_t i = 0; i < page->n; i++)
        if (can_show(&page->runs[i])) return true;
    return false;
}

static const char *class_name(const struct report_run *run, int32_t class)
{
    return class < 0 ? "?" : run->samples->run->data->class_names[class];
}

/* ---- pictures ---- */

enum { LARGEST = 96 }; /* pixels along the longer side */

/* RFC 4648. */
static void put_base64(struct markup *out, const unsigned char *bytes, size_t n)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        const size_t left = n - i;
        const unsigned a = bytes[i], b = left > 1 ? bytes[i + 1] : 0, c = left > 2 ? bytes[i + 2] : 0;
        const char four[] = {letters[a >> 2], letters[(a & 3) << 4 | b >> 4],
                             left > 1 ? letters[(b & 15) << 2 | c >> 6] : '=', left > 2 ? letters[c & 63] : '='};
        kelvin_markup_bytes(out, four, sizeof four);
    }
}

/* Normalised planes to pixels, 0 .. 255; large images become smaller. Halves go up, whatever the last bit of a float.
 */
static kelvin_status fill(struct picture *picture, const kelvin_data *data, const float *x)
{
    const size_t size = data->height * data->width, pixels = picture->height * picture->width;
    uint8_t *plane = kelvin_alloc(size, 1), *small = kelvin_alloc(pixels, 1);
    kelvin_status status = plane && small ? KELVIN_OK : KELVIN_ENOMEM;
    for (size_t c = 0; c < data->channels && !status; c++) {
        for (size_t i = 0; i < size; i++) {
            const double value = 255 * ((double)x[c * size + i] * data->deviation[c] + data->mean[c]);
            plane[i] = (uint8_t)fmin(255, fmax(0, floor(value + 0.501)));
        }
        status = kelvin_resize_plane(small, picture->height, picture->width, plane, data->height, data->width);
        for (size_t i = 0; i < pixels && !status; i++) picture->pixels[i * data->channels + c] = small[i];
    }
    kelvin_free(plane);
    kelvin_free(small);
    return status;
}

/* An input of the data, x (channels, height, width), as <img>: PNG as a data URI. */
static kelvin_status put_image(struct page *page, const kelvin_data *data, const float *x, const char *about)
{
    const size_t longer = data->height > data->width ? data->height : data->width;
    const size_t by = longer > LARGEST ? longer : LARGEST;
    struct picture picture = {.height = (data->height * LARGEST + by - 1) / by,
                              .width = (data->width * LARGEST + by - 1) / by,
                              .channels = data->channels};
    void *png = NULL;
    size_t bytes = 0;
    picture.pixels = kelvin_alloc(picture.height * picture.width, picture.channels);
    kelvin_status status = picture.pixels ? fill(&picture, data, x) : KELVIN_ENOMEM;
    if (!status) status = kelvin_picture_encode_png(&png, &bytes, &picture, "image");
    if (!status) {
        kelvin_markup_put(&page->out, "<img width=\"%zu\" height=\"%zu\" ", picture.width, picture.height);
        kelvin_page_put_between(page, "alt=\"", about, "\" src=\"data:image/png;base64,");
        put_base64(&page->out, png, bytes);
        kelvin_markup_put(&page->out, "\">");
    }
    kelvin_free(png);
    kelvin_picture_free(&picture);
    return status;
}

static void put_bars(struct page *page, const struct report_run *run, const struct report_case *c)
{
    struct markup *out = &page->out;
    kelvin_markup_put(out, "<ul class=\"bars\">");
    for (size_t k = 0; k < c->n_top; k++) {
        const bool hit = c->top[k] == c->label;
        kelvin_markup_put(out, "<li%s style=\"--p:%.1f%%\">", hit ? " class=\"true\"" : "", 100 * c->p[k]);
        kelvin_page_put_between(page, "<span>", class_name(run, c->top[k]), "</span>");
        kelvin_markup_put(out, "<b>%.1f</b></li>", 100 * c->p[k]);
    }
    kelvin_markup_put(out, "</ul>");
}

static void put_picture(struct page *page, const struct report_run *run, const struct report_case *c)
{
    struct markup *out = &page->out;
    const char *label = class_name(run, c->label), *predicted = class_name(run, c->predicted);
    const char *about = kelvin_page_text(page, "observation %zu: %s, predicted %s", c->index + 1, label, predicted);
    kelvin_markup_put(out, "<li>");
    if (!out->status) out->status = put_image(page, run->samples->run->data, c->x, about);
    kelvin_page_put_between(page, "<p><span>is</span> <b>", label, "</b><br><span>predicted</span> ");
    kelvin_page_put_between(page, c->label == c->predicted ? "<b class=\"hit\">" : "<b class=\"miss\">", predicted,
                            "</b></p>");
    put_bars(page, run, c);
    kelvin_markup_put(out, "<p class=\"index\">no. %zu</p></li>\n", c->index + 1);
}

static void put_pictures(struct page *page, const struct report_run *run, const struct report_cases *cases)
{
    kelvin_markup_put(&page->out, "<ul class=\"cases\">\n");
    for (size_t i = 0; i < cases->n && !page->out.status; i++) put_picture(page, run, &cases->list[i]);
    kelvin_markup_put(&page->out, "</ul>\n");
}

/* ---- rows ---- */

static size_t count_columns(const kelvin_data *data)
{
    size_t n = 0;
    for (size_t i = 0; i < data->features; i++) n += data->feature[i].inputs > 0;
    return n;
}

/* More than are shown, and it is known which of them matter. */
static bool has_more_columns(const struct report_run *run)
{
    return run->effects && count_columns(run->samples->run->data) > MOST_COLUMNS;
}

/* A table shows columns as its file has them; of many, the most important. */
static size_t choose_columns(const kelvin_feature *columns[MOST_COLUMNS], const struct report_run *run)
{
    const kelvin_data *data = run->samples->run->data;
    const kelvin_effect *effect;
    const size_t all = count_columns(data);
    size_t n = 0;
    if (has_more_columns(run))
        for (size_t i = 0; n < MOST_COLUMNS && (effect = kelvin_effects_at(run->effects, i)); i++)
            columns[n++] = effect->feature;
    for (size_t i = 0; i < data->features && n < MOST_COLUMNS && n < all; i++)
        if (data->feature[i].inputs > 0) columns[n++] = &data->feature[i];
    return n;
}

/* What the column had in the file, or a dash where nothing. */
static const char *value_of(struct page *page, const kelvin_data *data, const kelvin_feature *f, const float *x)
{
    const size_t last = f->first + f->inputs - 1;
    const double value = kelvin_feature_number(f, data, x[f->first]);
    if (f->indicated && (double)x[last] * data->deviation[last] + data->mean[last] > 0.5) return "\xe2\x80\x93";
    if (f->kind == KELVIN_FEATURE_YES_NO) return value > 0.5 ? "yes" : "no";
    if (f->kind != KELVIN_FEATURE_CATEGORY) return kelvin_page_text(page, "%.6g", value);
    for (size_t i = 0; i < f->n_values; i++)
        if (x[f->first + i] > 0.5f) return f->values[i];
    return "\xe2\x80\x93"; /* none that training had */
}

static void put_row(struct page *page, const struct report_run *run, const struct report_case *c, bool named)
{
    const kelvin_feature *columns[MOST_COLUMNS];
    const size_t n = choose_columns(columns, run);
    kelvin_page_begin_row(page, kelvin_page_text(page, "%zu", c->index + 1));
    if (named) kelvin_page_put_cell(page, "text", c->name ? c->name : "");
    kelvin_page_put_cell(page, "text", class_name(run, c->label));
    kelvin_page_put_cell(page, "text", class_name(run, c->predicted));
    kelvin_page_put_cell(page, "", kelvin_page_text(page, "%.1f", 100 * c->confidence));
    kelvin_page_put_cell(page, "", kelvin_page_text(page, "%.3f", c->entropy));
    for (size_t k = 0; k < n; k++)
        kelvin_page_put_cell(page, "", value_of(page, run->samples->run->data, columns[k], c->x));
    kelvin_page_end_row(page);
}

/* What the column that names rows is called. */
static const char *name_of_names(const kelvin_data *data)
{
    for (size_t i = 0; i < data->features; i++)
        if (data->feature[i].kind == KELVIN_FEATURE_ID && data->feature[i].name) return data->feature[i].name;
    return "id";
}

static void put_rows(struct page *page, const struct report_run *run, const struct report_cases *cases)
{
    const kelvin_data *data = run->samples->run->data;
    const bool named = cases->list[0].name;
    const kelvin_feature *columns[MOST_COLUMNS];
    const size_t n = choose_columns(columns, run);
    kelvin_page_begin_table(page, "Cases", false);
    kelvin_markup_put(&page->out, "<thead><tr><th scope=\"col\">no.</th>");
    if (named) kelvin_page_put_between(page, "<th scope=\"col\" class=\"text\">", name_of_names(data), "</th>");
    kelvin_markup_put(&page->out,
                      "<th scope=\"col\" class=\"text\">is</th><th scope=\"col\" class=\"text\">predicted</th>"
                      "<th scope=\"col\">confidence, %%</th><th scope=\"col\">entropy, nats</th>");
    for (size_t k = 0; k < n; k++)
        kelvin_page_put_between(page, "<th scope=\"col\">", columns[k]->name ? columns[k]->name : "", "</th>");
    kelvin_markup_put(&page->out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < cases->n; i++) put_row(page, run, &cases->list[i], named);
    kelvin_markup_put(&page->out, "</tbody>");
    kelvin_page_end_table(page);
}

/* ---- the section ---- */

static void put_cases(struct page *page, const struct report_run *run, const struct report_cases *cases,
                      const char *title, const char *about, const char *none)
{
    const bool pictures = run->samples->run->data->channels > 0;
    const char *more = pictures                ? " Bars are probabilities in per cent; green is the true class."
                       : has_more_columns(run) ? " Of the columns, the most important are shown."
                                               : "";
    kelvin_markup_put(&page->out, "<div class=\"keep\">\n<h4>%s</h4>\n<p>%s%s</p>\n", title, cases->n ? about : none,
                      cases->n ? more : "");
    if (cases->n && pictures)
        put_pictures(page, run, cases);
    else if (cases->n)
        put_rows(page, run, cases);
    kelvin_markup_put(&page->out, "</div>\n");
}

void kelvin_page_write_cases(struct page *page)
{
    for (size_t i = 0; i < page->n; i++) {
        const struct report_run *run = &page->runs[i];
        if (!can_show(run)) continue;
        kelvin_page_put_run_title(page, run);
        if (run->without_data) {
            kelvin_page_put_between(page, "<p class=\"note\">The inputs cannot be shown: ",
                                    kelvin_page_said(page, run->without_data), ".</p>\n");
            continue;
        }
        put_cases(page, run, &run->mistakes, "The most confident mistakes",
                  "Wrong predictions that the ensemble was most sure of.", "There is none: every prediction is right.");
        put_cases(page, run, &run->doubts, "The least certain inputs", "Predictions of the highest entropy.",
                  "There is none.");
    }
}
