/* The command that repeats a run: every option of `kelvin sample` that its sampler heeds, in words that a shell takes.
 * A file (--config) would not travel with the page. */
#include "report/page.h"
#include "run/room.h"

#include <ctype.h>
#include <string.h>

/* Letters that mean themselves to every shell. */
static bool is_plain(const char *text)
{
    if (!*text) return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("%+,-./:=@_", *text)) return false;
    return true;
}

/* Other texts in single quotes: a quote inside closes them, stands behind a backslash, and opens them again. */
static const char *quoted(struct page *page, const char *text)
{
    if (is_plain(text)) return text;
    size_t quotes = 0;
    for (const char *at = text; *at; at++) quotes += *at == '\'';
    char *out = kelvin_arena_alloc(page->arena, strlen(text) + 3 * quotes + 3, 1), *to = out;
    if (!out) return page_had(page, NULL);
    *to++ = '\'';
    for (; *text; text++) {
        if (*text == '\'') memcpy(to, "'\\'", 3), to += 3;
        *to++ = *text;
    }
    *to++ = '\'';
    *to = '\0';
    return out;
}

/* What the program itself writes into run.json is no option. */
static bool is_option(const char *name)
{
    return strcmp(name, "kelvin") != 0 && strcmp(name, "data_crc32") != 0;
}

/* NAME-again; a name that a shell or the file system might take for something else is not used. */
static const char *another(struct page *page, const char *name)
{
    if (!isalnum((unsigned char)*name)) return "again";
    char *folder = kelvin_arena_text(page->arena, name, strlen(name));
    for (char *at = folder; at && (at = strchr(at, '/'));) *at = '-';
    return quoted(page, page_text(page, "%s-again", page_had(page, folder)));
}

size_t config_words(struct config_words out[KELVIN_CONFIG_FIELDS], struct page *page, const kelvin_run *run)
{
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    const struct kelvin_config_record record = {.config = run->config};
    const size_t all = kelvin_config_fields_of(fields, run->sampler);
    size_t n = 0;
    for (size_t i = 0; i < all; i++) {
        if (!is_option(fields[i].name)) continue;
        const char *words = page_had(page, kelvin_field_words(page->arena, &fields[i], &record));
        out[n++] = (struct config_words){fields[i].name, words};
    }
    return n;
}

void put_command(struct page *page, const struct report_run *about)
{
    struct config_words fields[KELVIN_CONFIG_FIELDS];
    const size_t n = config_words(fields, page, about->samples->run);
    markup_put(&page->out, "<pre class=\"command\"><code>kelvin sample");
    for (size_t i = 0; i < n && !page->out.status; i++) {
        char name[KELVIN_FILE_NAME];
        kelvin_option_name(name, fields[i].name);
        markup_put(&page->out, " <span>%s</span> ", name);
        markup_text(&page->out, quoted(page, fields[i].words));
    }
    put_between(page, " -o ", another(page, about->name), "</code></pre>\n");
}
