/* Reads options by a table. Numbers are taken whole: a sign where none may be, a rest or an overflow is refused. */
#include "cli/options.h"

#include "base/suggest.h"

#include <ctype.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct option help_option = {"help", 'h', NULL, OPTION_FLAG, 0, "print this help and exit", ""};

static bool option_name(char name[KELVIN_NAME_SIZE], const void *context, size_t i)
{
    const struct option_table *table = context;
    if (i < table->n) snprintf(name, KELVIN_NAME_SIZE, "--%s", table->options[i].name);
    return i < table->n;
}

/* ---- values ---- */

enum whole { WHOLE, NOT_WHOLE, TOO_LARGE };

/* DIGITS[.DIGITS][e[+]DIGITS], as 1e3 or 2.5e4, without rounding. */
static enum whole parse_whole(uint64_t *value, const char *text)
{
    long shift = 0;
    bool point = false, large = false;
    if (!isdigit((unsigned char)*text)) return NOT_WHOLE;
    for (*value = 0; isdigit((unsigned char)*text) || (*text == '.' && !point); text++) {
        point |= *text == '.';
        if (*text == '.') continue;
        large |= __builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, *text - '0', value);
        shift -= point;
    }
    if (*text == 'e' || *text == 'E') {
        char *end;
        text += text[1] == '+' ? 2 : 1;
        if (!isdigit((unsigned char)*text)) return NOT_WHOLE;
        const long exponent = strtol(text, &end, 10);
        shift += exponent < LONG_MAX / 2 ? exponent : LONG_MAX / 2;
        text = end;
    }
    if (*text || (large && shift < 0)) return NOT_WHOLE;
    for (; shift < 0 && !large; shift++, *value /= 10)
        if (*value % 10) return NOT_WHOLE;
    for (; shift > 0 && *value > 0 && !large; shift--) large = __builtin_mul_overflow(*value, 10, value);
    return large ? TOO_LARGE : WHOLE;
}

static kelvin_status parse_unsigned(uint64_t *value, const char *name, const char *text, uint64_t largest)
{
    if (*text == '-') return kelvin_fail(KELVIN_EUSAGE, "--%s must not be negative, not '%s'", name, text);
    const enum whole whole = parse_whole(value, text);
    if (whole == NOT_WHOLE) return kelvin_fail(KELVIN_EUSAGE, "--%s must be a whole number, not '%s'", name, text);
    if (whole == TOO_LARGE || *value > largest)
        return kelvin_fail(KELVIN_EUSAGE, "--%s must be at most %llu, not '%s'", name, (unsigned long long)largest,
                           text);
    return KELVIN_OK;
}

static kelvin_status parse_real(double *value, const char *name, const char *text, double largest)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end || isspace((unsigned char)*text) || isnan(*value))
        return kelvin_fail(KELVIN_EUSAGE, "--%s must be a number, not '%s'", name, text);
    if (fabs(*value) > largest) return kelvin_fail(KELVIN_EUSAGE, "--%s is out of range: '%s'", name, text);
    return KELVIN_OK;
}

/* Reads and shows one type of number: type, by way of the widest one, the largest value, how to print it. */
#define NUMBER(suffix, type, wide, parse, largest, format)                                                             \
    static kelvin_status read_##suffix(void *at, const char *name, const char *text)                                   \
    {                                                                                                                  \
        wide value = 0;                                                                                                \
        KELVIN_TRY(parse(&value, name, text, largest));                                                                \
        *(type *)at = (type)value;                                                                                     \
        return KELVIN_OK;                                                                                              \
    }                                                                                                                  \
    static void show_##suffix(char *out, size_t size, const void *at)                                                  \
    {                                                                                                                  \
        snprintf(out, size, format, *(const type *)at);                                                                \
    }

NUMBER(uint32, uint32_t, uint64_t, parse_unsigned, UINT32_MAX, "%" PRIu32)
NUMBER(uint64, uint64_t, uint64_t, parse_unsigned, UINT64_MAX, "%" PRIu64)
NUMBER(size, size_t, uint64_t, parse_unsigned, SIZE_MAX, "%zu")
NUMBER(double, double, double, parse_real, DBL_MAX, "%g")
NUMBER(count, double, uint64_t, parse_unsigned, UINT64_C(1) << DBL_MANT_DIG, "%.0f")

static const struct {
    kelvin_status (*read)(void *at, const char *name, const char *text);
    void (*show)(char *out, size_t size, const void *at);
} numbers[] = {
    [OPTION_UINT32] = {read_uint32, show_uint32}, [OPTION_UINT64] = {read_uint64, show_uint64},
    [OPTION_SIZE] = {read_size, show_size},       [OPTION_DOUBLE] = {read_double, show_double},
    [OPTION_COUNT] = {read_count, show_count},
};

/* ---- the command line ---- */

/* `text` is what came with the option in the same word, NULL if nothing did. */
static kelvin_status take(struct arguments *arguments, void *settings, const struct option *options, size_t i,
                          const char *text)
{
    const struct option *option = &options[i];
    if (option->kind == OPTION_FLAG && text)
        return kelvin_fail(KELVIN_EUSAGE, "--%s takes no value, but got '%s'", option->name, text);
    if (option->kind != OPTION_FLAG && !text) {
        if (arguments->next == arguments->argc)
            return kelvin_fail(KELVIN_EUSAGE, "--%s needs a value: %s", option->name, option->metavar);
        text = arguments->argv[arguments->next++];
    }
    void *at = (char *)settings + option->offset;
    arguments->given[i] = true;
    if (option->kind == OPTION_FLAG)
        *(bool *)at = true;
    else if (option->kind == OPTION_STRING)
        *(const char **)at = text;
    else
        return numbers[option->kind].read(at, option->name, text);
    return KELVIN_OK;
}

/* As "--name" or "-n". */
static bool is_called(const struct option *option, const char *word)
{
    return word[1] == '-' ? strcmp(word + 2, option->name) == 0 : word[1] == option->letter;
}

/* `word` begins with its dashes. */
static kelvin_status take_option(struct arguments *arguments, void *settings, const struct option_table *table,
                                 const char *word)
{
    const bool letter = word[1] != '-';
    const size_t length = letter ? 2 : strcspn(word, "="), value = letter ? length : length + 1;
    char name[KELVIN_NAME_SIZE + 2];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    for (size_t i = 0; i < table->n; i++)
        if (is_called(&table->options[i], name))
            return take(arguments, settings, table->options, i, word[length] ? word + value : NULL);
    arguments->help = is_called(&help_option, name);
    if (arguments->help) return KELVIN_OK;
    return letter ? kelvin_fail(KELVIN_EUSAGE, "unknown option '%s'", name)
                  : kelvin_fail_unknown("option", name, option_name, table);
}

kelvin_status options_parse(struct arguments *arguments, void *settings, const struct option_table *table, size_t most,
                            int argc, char **argv)
{
    bool only_operands = false;
    *arguments = (struct arguments){.argc = argc, .argv = argv};
    while (arguments->next < argc && !arguments->help) {
        char *word = argv[arguments->next++];
        if (!only_operands && strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (!only_operands && word[0] == '-' && word[1]) {
            KELVIN_TRY(take_option(arguments, settings, table, word));
        } else if (arguments->n_operands == most) {
            return kelvin_fail(KELVIN_EUSAGE, "unexpected argument '%s'", word);
        } else {
            arguments->operands[arguments->n_operands++] = word;
        }
    }
    arguments->operand = arguments->operands[0];
    return KELVIN_OK;
}

size_t option_find(const struct option_table *table, const char *name)
{
    size_t i = 0;
    while (i < table->n && strcmp(table->options[i].name, name) != 0) i++;
    return i;
}

bool option_given(const struct arguments *arguments, const struct option_table *table, const char *name)
{
    const size_t i = option_find(table, name);
    return i < table->n && arguments->given[i];
}

/* ---- what help and manual say ---- */

struct option_words option_words(const struct option *option, const void *settings)
{
    struct option_words words;
    const char letter[] = {'-', option->letter, ',', ' ', '\0'};
    snprintf(words.usage, sizeof words.usage, "%s--%s%s%s", option->letter ? letter : "", option->name,
             option->metavar ? " " : "", option->metavar ? option->metavar : "");
    const void *at = (const char *)settings + option->offset;
    const char *text = option->kind == OPTION_STRING && !option->shown ? *(const char *const *)at : option->shown;
    if (text || option->kind == OPTION_STRING || option->kind == OPTION_FLAG)
        snprintf(words.usual, sizeof words.usual, "%s", text ? text : "");
    else
        numbers[option->kind].show(words.usual, sizeof words.usual, at);
    return words;
}

/* How many columns the first n bytes of a text take. */
static size_t text_columns(const char *text, size_t n)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t columns = 0;
    for (size_t i = 0; i < n; i++) {
        const bool accent = p[i] == 0xcc || (p[i] == 0xcd && i + 1 < n && p[i + 1] < 0xb0); /* U+0300 .. U+036F */
        columns += (p[i] & 0xc0) != 0x80 && !accent;
    }
    return columns;
}

int field_width(const char *text, int columns)
{
    const size_t bytes = strlen(text);
    return columns + (int)(bytes - text_columns(text, bytes));
}

/* What is not torn apart: a word, or an item of a list with its comma, unless it is wider than the lines. */
static size_t piece(const char *text, bool items, int room)
{
    const char *comma = strstr(text, ", ");
    const size_t item = comma ? (size_t)(comma - text) + 1 : strlen(text);
    return items && text_columns(text, item) <= (size_t)room ? item : strcspn(text, " ");
}

static void wrap(FILE *out, const char *text, int column, int width, bool items)
{
    int at = column;
    while (*text) {
        const int length = (int)piece(text, items, width - column), columns = (int)text_columns(text, (size_t)length);
        if (at > column && at + 1 + columns > width) {
            fprintf(out, "\n%*s", column, "");
            at = column;
        }
        fprintf(out, "%s%.*s", at > column ? " " : "", length, text);
        at += columns + (at > column);
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

void print_wrapped(FILE *out, const char *text, int column, int width)
{
    wrap(out, text, column, width, false);
}

void print_items(FILE *out, const char *text, int width)
{
    wrap(out, text, 0, width, true);
}

static void print_option(FILE *out, const struct option *option, const void *settings)
{
    enum { COLUMN = 28 };
    const struct option_words words = option_words(option, settings);
    char text[512];
    snprintf(text, sizeof text, *words.usual ? "%s [%s]" : "%s%s", option->help, words.usual);
    const int used = fprintf(out, "  %s%s", option->letter ? "" : "    ", words.usage);
    fprintf(out, "%*s", used < COLUMN ? COLUMN - used : 2, "");
    print_wrapped(out, text, COLUMN, HELP_WIDTH);
}

const char *option_with(const struct option_table *table, size_t i)
{
    return table->with ? table->with[i] : NULL;
}

void options_print(FILE *out, const struct option_table *table, const void *settings)
{
    const char *last = NULL;
    for (size_t i = 0; i < table->n; i++) {
        const char *with = option_with(table, i);
        if (with && !last) print_option(out, &help_option, settings);
        if (with && (!last || strcmp(with, last) != 0)) fprintf(out, "\nOnly with %s:\n", with);
        print_option(out, &table->options[i], settings);
        last = with;
    }
    if (!last) print_option(out, &help_option, settings);
}
