/* The header of an array file: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }, keys in any order. */
#include "files/npy.h"
#include "files/text.h"

#include <stdio.h>
#include <string.h>

struct cursor {
    const char *at, *end, *text;
    size_t start; /* of the text, in the file */
    const char *path;
};

static kelvin_status expected(const struct cursor *c, const char *what)
{
    char found[32];
    snprintf(found, sizeof found, "%.*s", (int)(c->end - c->at < 12 ? c->end - c->at : 12), c->at);
    return kelvin_fail(KELVIN_EFORMAT, "%s: header, byte %zu: %s%s%s; expected %s", c->path,
                       c->start + (size_t)(c->at - c->text), *found ? "'" : "nothing more",
                       *found ? kelvin_text_shown(found).text : "", *found ? "'" : "", what);
}

static void skip_space(struct cursor *c)
{
    while (c->at < c->end && memchr(" \t\r\n", *c->at, 4)) c->at++;
}

/* Takes a word, and the space around it, if it comes next. */
static bool take(struct cursor *c, const char *word)
{
    skip_space(c);
    const size_t n = strlen(word);
    if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0) return false;
    c->at += n;
    skip_space(c);
    return true;
}

/* ---- values ---- */

enum { LONGEST = 32 };

/* A string in single or double quotes, without escapes. */
static kelvin_status take_string(char out[LONGEST], struct cursor *c, const char *what)
{
    const char *end = NULL;
    if (c->at < c->end && (*c->at == '\'' || *c->at == '"'))
        end = memchr(c->at + 1, *c->at, (size_t)(c->end - c->at) - 1);
    if (!end || end - c->at > LONGEST) return expected(c, what);
    const size_t n = (size_t)(end - c->at) - 1;
    memcpy(out, c->at + 1, n);
    out[n] = '\0';
    c->at = end + 1;
    return KELVIN_OK;
}

static kelvin_status take_type(struct npy *a, struct cursor *c)
{
    static const char types[][3] = {"b1", "i1", "u1", "i2", "u2", "f2", "i4", "u4", "f4", "i8", "u8", "f8"};
    static const char what[] = "numbers (u1, u2, u4, u8, i1, i2, i4, i8, f2, f4, f8) or bool (b1)";
    const size_t byte = c->start + (size_t)(c->at - c->text);
    char text[LONGEST];
    KELVIN_TRY(take_string(text, c, what));
    a->kind = *text ? text[1] : '\0';
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!*text || strcmp(text + 1, types[i]) != 0) continue;
        a->item = (size_t)(types[i][1] - '0');
        a->big_endian = *text == '>' || (*text == '=' && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
        if (strchr("<>=", *text) || (*text == '|' && a->item == 1)) return KELVIN_OK;
    }
    return kelvin_fail(KELVIN_EFORMAT, "%s: header, byte %zu: the type is '%s'; expected %s", c->path, byte,
                       kelvin_text_shown(text).text, what);
}

static kelvin_status take_order(struct npy *a, struct cursor *c)
{
    a->fortran = take(c, "True");
    return a->fortran || take(c, "False") ? KELVIN_OK : expected(c, "True or False");
}

static kelvin_status take_size(size_t *size, struct cursor *c)
{
    *size = 0;
    const struct cursor before = *c;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
        if (__builtin_mul_overflow(*size, 10, size) || __builtin_add_overflow(*size, (size_t)(*c->at - '0'), size))
            return expected(&before, "a size that can be addressed");
    return c->at > before.at ? KELVIN_OK : expected(c, "the size of an axis: a whole number that is not negative");
}

/* A tuple: (), (3,), (3, 4), (3, 4, ) */
static kelvin_status take_shape(struct npy *a, struct cursor *c)
{
    bool comma = true;
    if (!take(c, "(")) return expected(c, "a tuple of sizes, such as (100, 3)");
    while (!take(c, ")")) {
        if (!comma) return expected(c, "',' or ')'");
        if (a->axes == NPY_AXES) return expected(c, "')' after at most 8 axes");
        KELVIN_TRY(take_size(&a->shape[a->axes++], c));
        comma = take(c, ",");
    }
    return a->axes == 1 && !comma ? expected(c, "',' after the size of a single axis") : KELVIN_OK;
}

/* ---- the whole ---- */

static const struct {
    const char *name;
    kelvin_status (*take)(struct npy *array, struct cursor *c);
} keys[] = {{"descr", take_type}, {"fortran_order", take_order}, {"shape", take_shape}};
enum { KEYS = sizeof keys / sizeof *keys };

static kelvin_status take_entry(struct npy *a, struct cursor *c, bool seen[KEYS])
{
    static const char what[] = "one each of 'descr', 'fortran_order' and 'shape'";
    const struct cursor before = *c;
    char name[LONGEST];
    KELVIN_TRY(take_string(name, c, what));
    for (size_t i = 0; i < KEYS; i++) {
        if (strcmp(keys[i].name, name) != 0 || seen[i]) continue;
        seen[i] = true;
        if (!take(c, ":")) return expected(c, "':'");
        return keys[i].take(a, c);
    }
    return expected(&before, what);
}

kelvin_status kelvin_npy_read_header(struct npy *array, const char *text, size_t bytes, size_t start, const char *path)
{
    struct cursor c = {text, text + bytes, text, start, path};
    bool seen[KEYS] = {false}, comma = true;
    if (!take(&c, "{")) return expected(&c, "'{'");
    while (!take(&c, "}")) {
        if (!comma) return expected(&c, "',' or '}'");
        KELVIN_TRY(take_entry(array, &c, seen));
        comma = take(&c, ",");
    }
    for (size_t i = 0; i < KEYS; i++)
        if (!seen[i])
            return kelvin_fail(KELVIN_EFORMAT, "%s: header: '%s' is missing; expected it", path, keys[i].name);
    return c.at == c.end ? KELVIN_OK : expected(&c, "nothing after '}'");
}

struct npy_shape_text kelvin_npy_shape_text(const struct npy *array)
{
    struct npy_shape_text shown = {"("};
    char *to = shown.text + 1;
    for (size_t i = 0; i < array->axes; i++) to += sprintf(to, "%s%zu", i ? ", " : "", array->shape[i]);
    strcpy(to, array->axes == 1 ? ",)" : ")");
    return shown;
}
