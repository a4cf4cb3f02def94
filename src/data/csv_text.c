/* Splits text into fields, in place: a field is ended by a 0 over what separated it from the next, and quotes are taken
 * out by moving the rest of the field. So nothing is allocated per field, and numbers are read where they stand. */
#include "data/csv.h"

#include "base/texts.h"

#include <stdio.h>
#include <string.h>

static kelvin_status fail_at(const struct csv_reader *r, const char *found, const char *expected)
{
    return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu, column %zu: %s; expected %s", r->path, r->line, r->n_fields + 1,
                       found, expected);
}

/* ---- the start of the text ---- */

/* The line and byte, from 1, of a place in the rest of the text. */
static kelvin_status fail_at_byte(const struct csv_reader *r, const char *at, const char *found, const char *hint)
{
    const char *start = r->at;
    size_t line = r->line;
    for (const char *next; (next = memchr(start, '\n', (size_t)(at - start))); start = next + 1) line++;
    return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu, byte %zu: %s; expected text in UTF-8%s", r->path, line,
                       (size_t)(at - start) + 1, found, hint);
}

static kelvin_status check_encoding(const struct csv_reader *r)
{
    char found[32];
    const size_t bytes = (size_t)(r->end - r->at);
    const char *zero = memchr(r->at, 0, bytes);
    if (zero) return fail_at_byte(r, zero, "is 0", "");
    const char *bad = r->at + kelvin_utf8_length(r->at);
    if (bad == r->end) return KELVIN_OK;
    snprintf(found, sizeof found, "\\x%02x is not UTF-8", (unsigned char)*bad);
    return fail_at_byte(r, bad, found, " (from latin-1: iconv -f latin1 -t utf-8)");
}

/* Counts what may separate fields in the first line that is not blank, outside of quotes, and makes room for as many.
 * Where there are as many commas as others, these are decimal commas: 1,5;2,5;a. */
static kelvin_status find_delimiter(struct csv_reader *r)
{
    static const char candidates[] = {';', '\t', ','};
    size_t count[sizeof candidates] = {0}, best = 0;
    const char *at = r->at;
    for (bool quoted = false; *at && (quoted || *at != '\n'); at++) {
        if (*at == '"') quoted = !quoted;
        for (size_t i = 0; !quoted && i < sizeof candidates; i++) count[i] += *at == candidates[i];
    }
    for (size_t i = 1; i < sizeof candidates; i++)
        if (count[i] > count[best]) best = i;
    r->delimiter = count[best] > 0 ? candidates[best] : '\0';
    r->stops[0] = r->stops['\n'] = r->stops['\r'] = r->stops['"'] = r->stops[(unsigned char)r->delimiter] = true;
    r->first_line = r->line;
    r->room = count[best] + 1;
    r->fields = kelvin_alloc(r->room, sizeof *r->fields);
    return r->fields ? KELVIN_OK : KELVIN_ENOMEM;
}

kelvin_status kelvin_csv_feed(struct csv_reader *r, char *text, size_t bytes)
{
    r->at = text;
    r->end = text + bytes;
    KELVIN_TRY(check_encoding(r));
    if (r->line == 1 && strncmp(text, "\xef\xbb\xbf", 3) == 0) r->at += 3;
    return KELVIN_OK;
}

void kelvin_csv_end(struct csv_reader *r)
{
    kelvin_free(r->fields);
}

/* ---- fields ---- */

static bool is_space(const struct csv_reader *r, char c)
{
    return c == ' ' || (c == '\t' && r->delimiter != '\t');
}

static void skip_space(struct csv_reader *r)
{
    while (is_space(r, *r->at)) r->at++;
}

/* A CR belongs to the LF that follows it, or to the end of the text. */
static kelvin_status skip_cr(struct csv_reader *r)
{
    if (*r->at != '\r') return KELVIN_OK;
    r->at++;
    if (*r->at == '\n' || r->at == r->end) return KELVIN_OK;
    return fail_at(r, "a CR without LF, as old Macs end lines", "LF or CRLF (tr '\\r' '\\n' makes LF of CR)");
}

/* A field in quotes; r->at is behind the first of them. *tail gets its end. */
static kelvin_status take_quoted(struct csv_reader *r, char **tail)
{
    const size_t began = r->line;
    char *to = r->at, *from = r->at;
    for (; from[0] != '"' || from[1] == '"'; from++) {
        if (from == r->end) {
            r->line = began;
            return fail_at(r, "a quote that is never closed", "another '\"'");
        }
        if (from[0] == '"') from++;
        if (from[0] == '\n') r->line++;
        *to++ = *from;
    }
    *tail = to;
    r->at = from + 1;
    skip_space(r);
    KELVIN_TRY(skip_cr(r));
    if (r->stops[(unsigned char)*r->at] && *r->at != '"') return KELVIN_OK;
    return fail_at(r, "text after a closing quote", "the end of the field");
}

static kelvin_status take_plain(struct csv_reader *r, char **tail)
{
    const char *start = r->at;
    while (!r->stops[(unsigned char)*r->at]) r->at++;
    if (*r->at == '"') return fail_at(r, "a quote inside of a field", "the whole field in quotes");
    char *end = r->at;
    KELVIN_TRY(skip_cr(r));
    while (end > start && is_space(r, end[-1])) end--;
    *tail = end;
    return KELVIN_OK;
}

/* The next field of the row; *last: it is the last one. */
static kelvin_status take_field(struct csv_reader *r, bool *last)
{
    skip_space(r);
    const bool quoted = *r->at == '"';
    char *field = r->at += quoted, *tail = field;
    KELVIN_TRY(quoted ? take_quoted(r, &tail) : take_plain(r, &tail));
    *last = r->at == r->end || *r->at == '\n';
    if (*r->at == '\n') r->line++;
    if (r->at < r->end) r->at++;
    *tail = '\0';
    if (r->n_fields < r->room) r->fields[r->n_fields] = field;
    r->n_fields++;
    return KELVIN_OK;
}

/* ---- rows ---- */

/* False at the end of the text. Before it is known what separates fields, tabs are space. */
static bool skip_blank_lines(struct csv_reader *r)
{
    for (;;) {
        char *at = r->at;
        while (is_space(r, *at) || *at == '\r') at++;
        if (*at != '\n') return at < r->end;
        r->line++;
        r->at = at + 1;
    }
}

kelvin_status kelvin_csv_row(struct csv_reader *r, bool *more)
{
    *more = skip_blank_lines(r);
    if (!r->fields && r->at < r->end) { /* the first line that is not blank, or the last */
        KELVIN_TRY(find_delimiter(r));
        *more = skip_blank_lines(r);
    }
    if (!*more) return KELVIN_OK;
    r->n_fields = 0;
    r->row_line = r->line;
    for (bool last = false; !last;) KELVIN_TRY(take_field(r, &last));
    return KELVIN_OK;
}
