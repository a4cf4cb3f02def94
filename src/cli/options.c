/* Reads options by a table. */
#include "cli/options.h"

#include <kelvin/family.h>

#include <float.h>
#include <inttypes.h>
#include <string.h>

static const struct option help_option = {"help", 'h', NULL, OPTION_FLAG, 0, "print this help and exit", ""};

static bool option_name(char name[KELVIN_NAME_SIZE], const void *context, size_t i)
{
    const struct option_table *table = context;
    if (i < table->n) snprintf(name, KELVIN_NAME_SIZE, "--%s", table->options[i].name);
    return i < table->n;
}

/* ---- values ---- */

static kelvin_status parse_real(double *value, const char *what, const char *text, double largest)
{
    (void)largest; /* any double will do */
    return kelvin_parse_real(value, what, text);
}

/* Reads and shows one type of number: type, by way of the widest one, the largest value, how to print it. */
#define NUMBER(suffix, type, wide, parse, largest, format)                                                             \
    static kelvin_status read_##suffix(void *at, const char *what, const char *text)                                   \
    {                                                                                                                  \
        wide value = 0;                                                                                                \
        KELVIN_TRY(parse(&value, what, text, largest));                                                                \
        *(type *)at = (type)value;                                                                                     \
        return KELVIN_OK;                                                                                              \
    }                                                                                                                  \
    static void show_##suffix(char *out, size_t size, const void *at)                                                  \
    {                                                                                                                  \
        snprintf(out, size, format, *(const type *)at);                                                                \
    }

NUMBER(uint32, uint32_t, uint64_t, kelvin_parse_whole, UINT32_MAX, "%" PRIu32)
NUMBER(uint64, uint64_t, uint64_t, kelvin_parse_whole, UINT64_MAX, "%" PRIu64)
NUMBER(size, size_t, uint64_t, kelvin_parse_whole, SIZE_MAX, "%zu")
NUMBER(double, double, double, parse_real, DBL_MAX, "%g")
NUMBER(count, double, uint64_t, kelvin_parse_whole, UINT64_C(1) << DBL_MANT_DIG, "%.0f")

static const struct {
    kelvin_status (*read)(void *at, const char *what, const char *text);
    void (*show)(char *out, size_t size, const void *at);
} numbers[] = {
    [OPTION_UINT32] = {read_uint32, show_uint32}, [OPTION_UINT64] = {read_uint64, show_uint64},
    [OPTION_SIZE] = {read_size, show_size},       [OPTION_DOUBLE] = {read_double, show_double},
    [OPTION_COUNT] = {read_count, show_count},
};

static kelvin_status write_value(void *at, const struct option *option, const char *text)
{
    char what[KELVIN_NAME_SIZE];
    snprintf(what, sizeof what, "--%s", option->name);
    if (option->kind == OPTION_FLAG)
        *(bool *)at = true;
    else if (option->kind == OPTION_STRING)
        *(const char **)at = text;
    else if (option->kind != OPTION_KEPT)
        return numbers[option->kind].read(at, what, text);
    return KELVIN_OK;
}

kelvin_status options_apply(const struct arguments *arguments, void *settings, const struct option_table *table)
{
    for (size_t i = 0; i < table->n; i++)
        if (arguments->text[i])
            KELVIN_TRY(
                write_value((char *)settings + table->options[i].offset, &table->options[i], arguments->text[i]));
    return KELVIN_OK;
}

/* ---- the command line ---- */

/* What is being read. */
struct words {
    int argc;
    char **argv;
    int next; /* word of it */
};

/* As "--name" or "-n". */
static bool is_called(const struct option *option, const char *word)
{
    return word[1] == '-' ? strcmp(word + 2, option->name) == 0 : word[1] == option->letter;
}

/* How much of a word with dashes is the name, with them: "--name" of "--name=value", "-o" of "-ovalue". */
static size_t name_length(const char *word)
{
    return word[1] == '-' ? strcspn(word, "=") : 2;
}

/* The option that a word with dashes names; NULL: none. */
static const struct option *find(const struct option_table *table, const char *word)
{
    char name[KELVIN_NAME_SIZE + 2];
    snprintf(name, sizeof name, "%.*s", (int)name_length(word), word);
    for (size_t i = 0; i < table->n; i++)
        if (is_called(&table->options[i], name)) return &table->options[i];
    return is_called(&help_option, name) ? &help_option : NULL;
}

/* "-1" is a value, and so is "-"; an option that is there, or "--", is none: the value was forgotten. */
static bool is_value(const struct option_table *table, const char *word)
{
    return word[0] != '-' || !word[1] || (strcmp(word, "--") != 0 && !find(table, word));
}

/* `text` is what came with the option in the same word, NULL if nothing did. */
static kelvin_status take(struct arguments *arguments, struct words *words, const struct option_table *table,
                          const struct option *option, const char *text)
{
    if (option->kind == OPTION_FLAG && text)
        return kelvin_fail(KELVIN_EUSAGE, "--%s takes no value, but got '%s'", option->name, text);
    if (option->kind != OPTION_FLAG && !text) {
        if (words->next == words->argc || !is_value(table, words->argv[words->next]))
            return kelvin_fail(KELVIN_EUSAGE, "--%s needs a value: %s", option->name, option->metavar);
        text = words->argv[words->next++];
    }
    if (option == &help_option)
        arguments->help = true;
    else
        arguments->text[option - table->options] = text ? text : "";
    return KELVIN_OK;
}

/* `word` begins with its dashes. */
static kelvin_status take_option(struct arguments *arguments, struct words *words, const struct option_table *table,
                                 const char *word)
{
    const bool letter = word[1] != '-';
    const size_t length = name_length(word), value = letter ? length : length + 1;
    const struct option *option = find(table, word);
    char name[KELVIN_NAME_SIZE + 2];
    if (option) return take(arguments, words, table, option, word[length] ? word + value : NULL);
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    return letter ? kelvin_fail(KELVIN_EUSAGE, "unknown option '%s'", name)
                  : kelvin_fail_unknown("option", name, option_name, table);
}

static kelvin_status read_words(struct arguments *arguments, struct words *words, const struct option_table *table,
                                size_t most)
{
    bool only_operands = false;
    while (words->next < words->argc && !arguments->help) {
        const char *word = words->argv[words->next++];
        if (!only_operands && strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (!only_operands && word[0] == '-' && word[1]) {
            KELVIN_TRY(take_option(arguments, words, table, word));
        } else if (arguments->n_operands == most) {
            return kelvin_fail(KELVIN_EUSAGE, "unexpected argument '%s'", word);
        } else {
            arguments->operands[arguments->n_operands++] = word;
        }
    }
    return KELVIN_OK;
}

kelvin_status options_parse(struct arguments *arguments, void *settings, const struct option_table *table, size_t most,
                            int argc, char **argv)
{
    struct words words = {.argc = argc, .argv = argv};
    *arguments = (struct arguments){0};
    KELVIN_TRY(read_words(arguments, &words, table, most));
    arguments->operand = arguments->operands[0];
    return options_apply(arguments, settings, table);
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
    return i < table->n && arguments->text[i];
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
    if (text || option->kind == OPTION_STRING || option->kind == OPTION_FLAG || option->kind == OPTION_KEPT)
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

/* A name that is too long for its column has a line of its own. */
static void print_option(FILE *out, const struct option *option, const void *settings)
{
    enum { COLUMN = 28 };
    const struct option_words words = option_words(option, settings);
    char text[512];
    snprintf(text, sizeof text, *words.usual ? "%s [%s]" : "%s%s", option->help, words.usual);
    const int used = fprintf(out, "  %s%s", option->letter ? "" : "    ", words.usage);
    if (used >= COLUMN) fputc('\n', out);
    fprintf(out, "%*s", used < COLUMN ? COLUMN - used : COLUMN, "");
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
