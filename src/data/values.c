/* Fields by their letters. Words are looked up in tables; dates and odd numbers are taken apart into runs of digits. */
#include "data/values.h"

#include "files/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const missing[] = {"na",   "n/a", "nan",   "null", "none",   "nil",     "?",
                                      "<na>", "nat", "#n/a!", "#n/a", "#null!", "missing", "-nan"};

static const struct {
    const char *word;
    double value;
} answers[] = {{"true", 1}, {"false", 0}, {"yes", 1}, {"no", 0}, {"t", 1}, {"f", 0}, {"y", 1}, {"n", 0}};

static bool is_missing(const char *text)
{
    if (!*text) return true;
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (strcasecmp(text, missing[i]) == 0) return true;
    return false;
}

static bool is_answer(double *value, const char *text)
{
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (strcasecmp(text, answers[i].word) == 0) return *value = answers[i].value, true;
    return false;
}

/* ---- dates ---- */

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* 12:30, 12:30:05, 12:30:05.25 and whatever follows a space or a letter. */
static bool is_time(const char *text)
{
    const size_t hours = digits(text);
    return (hours == 1 || hours == 2) && text[hours] == ':' && digits(text + hours + 1) == 2 &&
           (!text[hours + 3] || strchr(": apAP", text[hours + 3]));
}

static bool is_month(const char *text, size_t n)
{
    static const char months[] = "janfebmaraprmayjunjulaugsepoctnovdec";
    for (size_t i = 0; n >= 3 && i < sizeof months - 1; i += 3)
        if (strncasecmp(text, months + i, 3) == 0) return true;
    return false;
}

/* Three parts with separators between them, one of which is a year of 2 or 4 digits, and perhaps a time: 2024-01-31,
 * 31.1.24, 31 Jan 2024, Jan 31 2024. */
static bool is_date(const char *text)
{
    size_t longest = 0;
    for (size_t part = 0; part < 3; part++) {
        const size_t number = digits(text);
        size_t n = number;
        while (!number && isalpha((unsigned char)text[n])) n++;
        if (n == 0 || number == 3 || number > 4 || (!number && !is_month(text, n))) return false;
        longest = number > longest ? number : longest;
        text += n;
        if (part == 2) break;
        if (!*text || !strchr("-/. ,", *text)) return false;
        text += strspn(text, "-/. ,");
    }
    return longest >= 2 && (!*text || ((*text == ' ' || *text == 'T') && is_time(text + 1)));
}

/* ---- numbers as people write them ---- */

/* Digits in groups of three after the first: 1,234,567. Returns how many letters they are; 0 if there are no groups. */
static size_t groups(const char *text, char separator)
{
    const size_t first = digits(text);
    size_t at = first;
    if (first == 0 || first > 3) return 0;
    while (text[at] == separator && digits(text + at + 1) == 3) at += 4;
    return at > first ? at : 0;
}

/* Whether the rest is a decimal mark and digits, or nothing. */
static bool is_fraction(const char *rest, char mark)
{
    return !*rest || (*rest == mark && !rest[1 + digits(rest + 1)]);
}

static bool is_comma_number(const char *text)
{
    double value;
    char copy[64];
    const char *comma = strchr(text, ',');
    if (!comma || strlen(text) >= sizeof copy) return false;
    strcpy(copy, text);
    copy[comma - text] = '.';
    return kelvin_text_number(&value, copy) == TEXT_NUMBER;
}

/* $5, 12 %: a number with a sign before or after it, which is taken away. */
static bool has_unit(const char *text)
{
    static const char *const signs[] = {"$", "\xe2\x82\xac", "\xc2\xa3", "%"};
    char copy[64];
    double value;
    if (strlen(text) >= sizeof copy) return false;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const char *sign = strstr(text, signs[i]);
        if (!sign) continue;
        const char *after = sign + strlen(signs[i]);
        const bool first = sign == text;
        if (!first && *after) return false;
        size_t n = first ? strlen(after) : (size_t)(sign - text);
        memcpy(copy, first ? after : text, n);
        while (n > 0 && copy[n - 1] == ' ') n--;
        copy[n] = '\0';
        const char *start = copy + strspn(copy, " ");
        return kelvin_text_number(&value, start) == TEXT_NUMBER || groups(start, ',');
    }
    return false;
}

const char *kelvin_value_hint(const char *text)
{
    static const char separators[] = {',', '.', '\'', ' '};
    const char *plain = text + (*text == '-' || *text == '+');
    const size_t commas = groups(plain, ',');
    if (has_unit(text)) return "a number with a sign? expected the number alone";
    if (commas && !plain[commas] && strchr(plain, ',') == strrchr(plain, ','))
        return "a thousands separator, or a decimal comma? expected 1234 or 1.234";
    if (is_comma_number(text)) return "a decimal comma? expected a point";
    for (size_t i = 0; i < sizeof separators; i++) {
        const size_t n = groups(plain, separators[i]);
        const char mark = separators[i] == '.' ? ',' : '.';
        if (n && (is_fraction(plain + n, mark) || (strchr("' ", separators[i]) && is_fraction(plain + n, ','))))
            return "thousands separators? expected digits, with a point before decimals: 1234.5";
    }
    return NULL;
}

enum value_kind kelvin_value_look(double *value, const char *text)
{
    const enum text_kind number = kelvin_text_number(value, text);
    if (number == TEXT_NUMBER) return VALUE_NUMBER;
    if (is_missing(text) || (number == TEXT_NOT_FINITE && isnan(*value))) return VALUE_MISSING;
    if (number == TEXT_NOT_FINITE) return VALUE_NOT_FINITE;
    if (is_answer(value, text)) return VALUE_YES_NO;
    if (is_date(text) || is_time(text)) return VALUE_DATE;
    return kelvin_value_hint(text) ? VALUE_ODD : VALUE_TEXT;
}
