/* Charts for tests: their SVG as text, and whether it is well-formed. Included once per test program, before anything
 * else. */
#ifndef CHART_HELPERS_H
#define CHART_HELPERS_H

#include "folder_helpers.h"

#include "charts/chart_layout.h"

#include <ctype.h>

/* The whole of a text file; the caller frees it. */
static inline char *text_in(const char *name)
{
    size_t bytes;
    return slurp(in_base(name), &bytes);
}

static struct kelvin_writer writer;

static inline struct markup begin(const char *name)
{
    assert_ok(kelvin_writer_open(&writer, in_base(name)));
    return (struct markup){.file = &writer};
}

static inline char *finish(struct markup *out, const char *name)
{
    assert_ok(kelvin_writer_close(&writer, out->status));
    return text_in(name);
}

/* Every element ends where it must, attributes are in quotes, and no number is "nan" or "inf". */
static inline void check_markup(const char *text)
{
    char open[64][16];
    size_t depth = 0, elements = 0;
    for (const char *at = text; *at;) {
        if (*at == '&') {
            const char *end = strchr(at, ';');
            assert_true(end && end - at < 8);
        }
        if (*at != '<') {
            assert_true(*at != '>');
            at++;
            continue;
        }
        const bool closing = at[1] == '/';
        char name[16] = "";
        const char *start = at + 1 + closing;
        size_t length = 0;
        while (isalnum((unsigned char)start[length])) length++;
        assert_in_range(length, 1, sizeof name - 1);
        memcpy(name, start, length);
        const char *end = start + length;
        for (bool quoted = false; quoted || *end != '>'; end++) {
            if (!*end || *end == '<') fail_msg("<%s is not closed: %.80s", name, at);
            if (*end == '"') quoted = !quoted;
        }
        if (closing) {
            assert_true(depth > 0);
            assert_string_equal(open[--depth], name);
        } else if (end[-1] != '/') {
            assert_true(depth < 64);
            strcpy(open[depth++], name);
        }
        elements++;
        at = end + 1;
    }
    assert_int_equal(depth, 0);
    assert_true(elements > 4);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
}

/* Not inline: where gcc 12 sees as far as slurp, it takes the text for the pointer to it, and warns of that. */
static char *svg_of(const struct chart *chart)
{
    struct markup out = begin("chart");
    assert_ok(kelvin_chart_svg(&out, chart));
    return finish(&out, "chart");
}

#endif
