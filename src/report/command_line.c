/* The command that repeats a run: every option of `kelvin sample` that its sampler heeds, in words that a shell takes.
 * A file (--config) would not travel with the page. */
#include "report/page.h"

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
static const char *quoted(kelvin_arena *arena, const char *text)
{
    if (is_plain(text)) return text;
    size_t quotes = 0;
    for (const char *at = text; *at; at++) quotes += *at == '\'';
    char *out = kelvin_arena_alloc(arena, strlen(text) + 3 * quotes + 3, 1), *to = out;
    if (!out) return NULL;
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

static void put_option(struct markup *out, const char *name, const char *value)
{
    markup_put(out, " <span>--");
    for (; *name; name++) markup_put(out, "%c", *name == '_' ? '-' : *name);
    markup_put(out, "</span> ");
    markup_text(out, value);
}

/* NAME-again; a name that a shell or the file system might take for something else is not used. */
static const char *another(struct page *page, const char *name)
{
    if (!isalnum((unsigned char)*name)) return "again";
    const char *folder = page_text(page, "%s-again", name), *word = NULL;
    char *plain = kelvin_arena_alloc(page->arena, strlen(folder) + 1, 1);
    for (size_t i = 0; plain && folder[i]; i++) plain[i] = folder[i] == '/' ? '-' : folder[i];
    if (plain) word = quoted(page->arena, plain);
    if (!word) page->out.status = KELVIN_ENOMEM;
    return word ? word : "again";
}

size_t config_words(struct config_words out[KELVIN_CONFIG_FIELDS], struct page *page, const kelvin_run *run)
{
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    const struct kelvin_config_record record = {.config = run->config};
    const size_t all = kelvin_config_fields_of(fields, run->sampler);
    size_t n = 0;
    for (size_t i = 0; i < all; i++) {
        if (!is_option(fields[i].name)) continue;
        const char *words = kelvin_field_words(page->arena, &fields[i], &record);
        if (words)
            out[n++] = (struct config_words){fields[i].name, words};
        else
            page->out.status = KELVIN_ENOMEM;
    }
    return n;
}

void put_command(struct page *page, const struct report_run *about)
{
    struct config_words fields[KELVIN_CONFIG_FIELDS];
    const size_t n = config_words(fields, page, about->samples->run);
    markup_put(&page->out, "<pre class=\"command\"><code>kelvin sample");
    for (size_t i = 0; i < n && !page->out.status; i++) {
        const char *word = quoted(page->arena, fields[i].words);
        if (word)
            put_option(&page->out, fields[i].name, word);
        else
            page->out.status = KELVIN_ENOMEM;
    }
    markup_put(&page->out, " -o ");
    markup_text(&page->out, another(page, about->name));
    markup_put(&page->out, "</code></pre>\n");
}
