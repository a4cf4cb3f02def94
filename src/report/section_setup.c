/* The section about what was sampled: the configuration, and the command that repeats it. */
#include "report/page.h"
#include "run/room.h"

#include <ctype.h>
#include <string.h>

/* A fact about each run. */
struct fact {
    const char *name;
    const char **words; /* (runs); NULL where a run has none */
};

struct facts {
    size_t n;
    struct fact *list; /* (n), with room for those of all runs */
};

/* Whether two runs that have the fact have it in other words. */
static bool contrasts(const struct page *page, const struct fact *fact)
{
    const char *first = NULL;
    for (size_t i = 0; i < page->n; i++) {
        if (!fact->words[i]) continue;
        if (first && strcmp(first, fact->words[i]) != 0) return true;
        first = fact->words[i];
    }
    return false;
}

static bool differs(const struct page *page, const struct fact *fact)
{
    size_t without = 0;
    for (size_t i = 0; i < page->n; i++) without += !fact->words[i];
    return without > 0 || contrasts(page, fact);
}

/* What all runs share, as a list of terms. */
static void put_shared(struct page *page, const struct facts *facts)
{
    kelvin_markup_put(&page->out, "<dl class=\"facts\">\n");
    for (size_t i = 0; i < facts->n; i++) {
        if (differs(page, &facts->list[i])) continue;
        kelvin_markup_put(&page->out, "<div><dt>%s</dt>", facts->list[i].name);
        kelvin_page_put_between(page, "<dd>", facts->list[i].words[0], "</dd></div>\n");
    }
    kelvin_markup_put(&page->out, "</dl>\n");
}

/* What they do not, as a table. */
static void put_different(struct page *page, const struct facts *facts)
{
    kelvin_page_begin_table(page, "Configuration", true);
    kelvin_page_put_run_names(page, "what differs");
    kelvin_markup_put(&page->out, "<tbody>\n");
    for (size_t i = 0; i < facts->n; i++) {
        const struct fact *fact = &facts->list[i];
        if (!differs(page, fact)) continue;
        kelvin_page_begin_row(page, fact->name);
        for (size_t r = 0; r < page->n; r++)
            kelvin_page_put_cell(page, "text", fact->words[r] ? fact->words[r] : "\xe2\x80\x93");
        kelvin_page_end_row(page);
    }
    kelvin_markup_put(&page->out, "</tbody>");
    kelvin_page_end_table(page);
}

/* ---- the configuration ---- */

/* What is in it, field by field. */
struct config_words {
    const char *name, *words;
};

/* What the program itself writes into run.json is no option; and where unsaid fields come from does not matter where
 * all are said. */
static bool is_option(const char *name)
{
    static const char *const others[] = {"kelvin", "preset", "data_crc32", "init_crc32"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i]) == 0) return false;
    return true;
}

/* Returns how many there are. */
static size_t config_words(struct config_words out[KELVIN_CONFIG_FIELDS], struct page *page, const kelvin_run *run)
{
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    const struct kelvin_config_record record = {.config = run->config};
    const size_t all = kelvin_config_fields_of(fields, run->sampler);
    size_t n = 0;
    for (size_t i = 0; i < all; i++) {
        if (!is_option(fields[i].name)) continue;
        const char *words = kelvin_page_had(page, kelvin_field_words(page->arena, &fields[i], &record));
        out[n++] = (struct config_words){fields[i].name, words};
    }
    return n;
}

/* ---- the facts ---- */

/* To the fact of that name: a new one, if no run has it yet. */
static void add_fact(struct page *page, struct facts *facts, size_t run, const char *name, const char *words)
{
    struct fact *fact = facts->list;
    while (fact < facts->list + facts->n && strcmp(fact->name, name) != 0) fact++;
    if (fact == facts->list + facts->n) {
        *fact = (struct fact){name, kelvin_arena_alloc(page->arena, page->n, sizeof *fact->words)};
        facts->n += fact->words != NULL;
    }
    if (fact->words)
        fact->words[run] = words;
    else
        page->out.status = KELVIN_ENOMEM;
}

static const char *with_instead(struct page *page, const char *text, char new, char old)
{
    char *copy = kelvin_arena_text(page->arena, text, strlen(text));
    for (char *at = copy; at && (at = strchr(at, old));) *at = new;
    return kelvin_page_had(page, copy);
}

/* Fields of all runs first, each where the first run that has it has it; with the outcomes of those that were tuned. */
static void gather_facts(struct page *page, struct facts *facts, bool outcomes)
{
    enum { MORE = 4 };
    facts->list = kelvin_arena_alloc(page->arena, page->n * KELVIN_CONFIG_FIELDS + MORE, sizeof *facts->list);
    if (!facts->list) page->out.status = KELVIN_ENOMEM;
    for (size_t r = 0; r < page->n && facts->list; r++) {
        struct config_words fields[KELVIN_CONFIG_FIELDS];
        const size_t n = config_words(fields, page, page->runs[r].samples->run);
        for (size_t i = 0; i < n; i++) {
            const char *tuned = kelvin_page_tuned(page, &page->runs[r], fields[i].name, outcomes);
            add_fact(page, facts, r, with_instead(page, fields[i].name, ' ', '_'), tuned ? tuned : fields[i].words);
        }
    }
    for (size_t r = 0; r < page->n && facts->list; r++) {
        const kelvin_run *run = page->runs[r].samples->run;
        const kelvin_data *d = run->data;
        add_fact(page, facts, r, "parameters", kelvin_page_text(page, "%zu", run->model->n_params));
        add_fact(page, facts, r, "observations",
                 kelvin_page_text(page, "%zu training, %zu test", d->train.n, d->test.n));
        add_fact(page, facts, r, "inputs",
                 d->channels ? kelvin_page_text(page, "%zu \xc3\x97 %zu \xc3\x97 %zu", d->channels, d->height, d->width)
                             : kelvin_page_text(page, "%zu", d->inputs));
        add_fact(page, facts, r, "folder", kelvin_page_had(page, kelvin_clean_path(page->arena, page->runs[r].folder)));
    }
}

/* The headline has what it says of every run anyway, and no numbers that follow from others. */
static bool is_headline(const char *name)
{
    static const char *const others[] = {"sampler",    "data",         "model",  "samples",
                                         "parameters", "observations", "inputs", "folder"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i]) == 0) return false;
    return true;
}

/* What only one sampler has is no difference here. */
bool kelvin_page_put_differences(struct page *page, size_t run)
{
    enum { MOST = 5 };
    struct facts facts = {0};
    size_t n = 0, more = 0;
    gather_facts(page, &facts, false);
    for (size_t i = 0; i < facts.n && !page->out.status; i++) {
        const struct fact *fact = &facts.list[i];
        if (!fact->words[run] || !is_headline(fact->name) || !contrasts(page, fact)) continue;
        if (n == MOST) {
            more++;
            continue;
        }
        kelvin_markup_put(&page->out, "%s%s ", n++ ? ", " : "", fact->name);
        kelvin_page_put_between(page, "<b>", fact->words[run], "</b>");
    }
    if (more) kelvin_markup_put(&page->out, " and %zu more", more);
    return n > 0;
}

/* ---- what repeats a run ----
 * Every field that counts for its sampler, in the words of the client. A file would not travel with the page. */

/* NAME-again; a name that a shell or the file system might take for something else is not used. */
static const char *another(struct page *page, const char *name)
{
    if (!isalnum((unsigned char)*name)) return "again";
    return kelvin_page_text(page, "%s-again", with_instead(page, name, '-', '/'));
}

/* What is before the first space, an option or the name of a field, does not break. */
static void put_setting(struct page *page, const char *words)
{
    const size_t n = strcspn(words, " ");
    kelvin_page_put_between(page, " <span>", kelvin_page_text(page, "%.*s", (int)n, words), "</span>");
    kelvin_markup_text(&page->out, words + n);
}

static void put_command(struct page *page, const struct report_run *about)
{
    struct config_words fields[KELVIN_CONFIG_FIELDS];
    const size_t n = config_words(fields, page, about->samples->run);
    const char *sample = kelvin_page_word(page, KELVIN_WORD_SAMPLE, "");
    kelvin_page_put_between(page, "<pre class=\"command\"><code>", sample, "");
    for (size_t i = 0; i < n && !page->out.status; i++) {
        const char *setting = kelvin_page_text(page, "%s=%s", fields[i].name, fields[i].words);
        put_setting(page, kelvin_page_word(page, KELVIN_WORD_SETTING, setting));
    }
    const char *output = kelvin_page_word(page, KELVIN_WORD_OUTPUT, another(page, about->name));
    kelvin_page_put_between(page, " ", output, "</code></pre>\n");
}

static void put_commands(struct page *page)
{
    kelvin_markup_put(&page->out, "<h3>To repeat %s</h3>\n", page->n > 1 ? "them" : "it");
    kelvin_page_put_between(page, "<p>The same ", kelvin_page_word(page, KELVIN_WORD_CALL, ""),
                            " gives the same samples, bit by bit, on any number of threads.</p>\n");
    for (size_t i = 0; i < page->n; i++) {
        if (page->n > 1) kelvin_page_put_between(page, "<p class=\"run\">", page->runs[i].name, "</p>\n");
        put_command(page, &page->runs[i]);
    }
}

void kelvin_page_write_setup(struct page *page)
{
    struct facts facts = {0};
    gather_facts(page, &facts, true);
    if (page->out.status) return;
    size_t different = 0;
    for (size_t i = 0; i < facts.n; i++) different += differs(page, &facts.list[i]);
    if (different > 0) put_different(page, &facts);
    if (page->n > 1) kelvin_markup_put(&page->out, "<h3>The same in all runs</h3>\n");
    put_shared(page, &facts);
    put_commands(page);
}
