/* Members of families by their names, and the numbers that follow a name: "name:value,value,name=value". */
#include "base/family.h"
#include "base/needs.h"

#include "base/c_locale.h"
#include "base/texts.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- members ---- */

const char *kelvin_family_key(const kelvin_family *family)
{
    return family->key;
}

const char *kelvin_family_what(const kelvin_family *family)
{
    return family->what;
}

const char *kelvin_family_title(const kelvin_family *family)
{
    return family->title;
}

const char *kelvin_family_note(const kelvin_family *family)
{
    return family->note;
}

const kelvin_member *kelvin_family_member(const kelvin_family *family, size_t i)
{
    return family->at(i);
}

static bool name_at(char name[KELVIN_NAME_SIZE], const void *context, size_t i)
{
    const kelvin_family *family = context;
    const kelvin_member *member = family->at(i);
    if (member) snprintf(name, KELVIN_NAME_SIZE, "%s", member->name);
    return member;
}

/* How many letters of a name are letters in any text: of "resnetN" all but the last. */
static size_t fixed_letters(const kelvin_member *member)
{
    const size_t n = strlen(member->name);
    return n - (n > 0 && member->name[n - 1] == 'N');
}

static bool is_called(const kelvin_member *member, const char *name, size_t length)
{
    const size_t fixed = fixed_letters(member);
    if (length < fixed || strncmp(member->name, name, fixed) != 0) return false;
    if (!member->name[fixed]) return length == fixed;
    return strspn(name + fixed, "0123456789") >= length - fixed || strncmp(name + fixed, "N:", length - fixed) == 0;
}

kelvin_status kelvin_family_find(const kelvin_member **member, const kelvin_family *family, const char *text)
{
    KELVIN_NEEDS(member);
    KELVIN_NEEDS(family);
    KELVIN_NEEDS(text);
    const size_t length = strcspn(text, ":");
    for (size_t i = 0; (*member = family->at(i)); i++)
        if (is_called(*member, text, length)) return KELVIN_OK;
    char name[KELVIN_NAME_SIZE];
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name), text);
    return kelvin_fail_unknown(family->what, name, name_at, family);
}

/* ---- parameters ---- */

bool kelvin_parameter_allows(const kelvin_parameter *p, double value)
{
    const bool low = p->above ? value > p->least : value >= p->least;
    const bool high = p->below ? value < p->most : value <= p->most;
    return low && high && isfinite(value) && (!p->whole || value == floor(value));
}

void kelvin_parameter_words(char *out, size_t size, const kelvin_parameter *p)
{
    const int n = snprintf(out, size, "%s %s %.10g", p->whole ? "a whole number" : "a number",
                           p->above ? "above" : "of at least", p->least);
    if (isfinite(p->most) && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, " and %s %.10g", p->below ? "below" : "at most", p->most);
}

/* What is read, and how far. */
struct reading {
    const kelvin_family *family;
    const kelvin_member *member;
    const char *text; /* all of it, for sentences */
    struct kelvin_values *values;
    bool given[KELVIN_MAX_PARAMETERS];
};

/* One number, `length` characters at `text`. */
static kelvin_status read_value(struct reading *r, size_t i, const char *text, size_t length)
{
    const kelvin_parameter *p = &r->member->parameter[i];
    char words[96], *end = NULL;
    const bool number = length > 0 && !isspace((unsigned char)*text);
    const double value = number ? strtod(text, &end) : 0;
    if (!number || end != text + length || !kelvin_parameter_allows(p, value)) {
        kelvin_parameter_words(words, sizeof words, p);
        return kelvin_fail(KELVIN_EUSAGE, "%s '%s': %s is '%.*s'; expected %s", r->family->what, r->text, p->name,
                           (int)length, text, words);
    }
    r->given[i] = true;
    if (!p->list) {
        r->values->value[i] = value;
        return KELVIN_OK;
    }
    const size_t n = (size_t)r->values->value[i];
    if (n == KELVIN_MAX_LIST)
        return kelvin_fail(KELVIN_EUSAGE, "%s '%s': has more than %d values", r->family->what, r->text,
                           KELVIN_MAX_LIST);
    r->values->list[n] = value;
    r->values->value[i]++;
    return KELVIN_OK;
}

/* The first parameter that a value without a name can be for: a list, or one that is not given yet. */
static size_t next_place(const struct reading *r)
{
    size_t i = 0;
    while (i < r->member->parameters && r->given[i] && !r->member->parameter[i].list) i++;
    return i;
}

/* The parameter of that name; as many as there are if none has it. */
static size_t place_of(const struct reading *r, const char *name, size_t length)
{
    size_t i = 0;
    while (i < r->member->parameters &&
           (strlen(r->member->parameter[i].name) != length || strncmp(r->member->parameter[i].name, name, length) != 0))
        i++;
    return i;
}

/* One field between commas; `before` is the colon or comma in front of it. */
static kelvin_status read_field(struct reading *r, const char *before, size_t length)
{
    const char *field = before + 1, *equals = memchr(field, '=', length);
    const size_t name = equals ? (size_t)(equals - field) : 0, i = equals ? place_of(r, field, name) : next_place(r);
    if (i == r->member->parameters)
        return kelvin_fail(KELVIN_EUSAGE, "%s '%s': '%s' is too much; expected %s", r->family->what, r->text, before,
                           r->member->usage);
    if (equals && r->given[i] && !r->member->parameter[i].list)
        return kelvin_fail(KELVIN_EUSAGE, "%s '%s': %s is given twice", r->family->what, r->text,
                           r->member->parameter[i].name);
    const size_t skip = equals ? name + 1 : 0;
    if (length > skip) return read_value(r, i, field + skip, length - skip);
    return kelvin_fail(KELVIN_EUSAGE, "%s '%s': the value of %s is missing; expected %s", r->family->what, r->text,
                       r->member->parameter[i].name, r->member->usage);
}

/* Those that the text did not say. */
static kelvin_status fill_in(struct reading *r)
{
    for (size_t i = 0; i < r->member->parameters; i++) {
        const kelvin_parameter *p = &r->member->parameter[i];
        if (r->given[i] || p->list) continue;
        if (!p->optional)
            return kelvin_fail(KELVIN_EUSAGE, "%s '%s': the value of %s is missing; expected %s", r->family->what,
                               r->text, p->name, r->member->usage);
        r->values->value[i] = p->usual;
    }
    return KELVIN_OK;
}

static kelvin_status read_all(struct reading *r)
{
    const size_t length = strcspn(r->text, ":"), fixed = fixed_letters(r->member);
    if (length > fixed) KELVIN_TRY(read_value(r, 0, r->text + fixed, length - fixed));
    for (const char *rest = r->text + length; *rest;) { /* at the separator before the next field */
        const size_t n = strcspn(rest + 1, ",");
        KELVIN_TRY(read_field(r, rest, n));
        rest += 1 + n;
    }
    return fill_in(r);
}

kelvin_status kelvin_family_read(const kelvin_member **member, struct kelvin_values *values,
                                 const kelvin_family *family, const char *text)
{
    *values = (struct kelvin_values){0};
    KELVIN_TRY(kelvin_family_find(member, family, text));
    struct reading reading = {.family = family, .member = *member, .text = text, .values = values};
    locale_t c, before = enter_c_locale(&c);
    const kelvin_status status = read_all(&reading);
    leave_c_locale(c, before);
    return status;
}

void kelvin_member_write(char *out, size_t size, const kelvin_member *member, const double *value)
{
    if (size == 0) return;
    locale_t c, before = enter_c_locale(&c);
    out[0] = '\0';
    kelvin_append(out, size, "%s", member->name);
    for (size_t i = 0; i < member->parameters; i++) {
        char number[32];
        int digits = 15;
        do snprintf(number, sizeof number, "%.*g", digits, value[i]);
        while (strtod(number, NULL) != value[i] && ++digits <= 17);
        kelvin_append(out, size, "%c%s", i ? ',' : ':', number);
    }
    leave_c_locale(c, before);
}
