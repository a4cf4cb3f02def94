/* options: one table per command says which options there are; parsing, help texts and the manual page come from it.
 *
 *     struct settings { uint32_t chains; bool json; };
 *     static const struct option options[] = {
 *         {"chains", 0, "N", OPTION_UINT32, offsetof(struct settings, chains), "number of chains", NULL},
 *         {"json", 0, NULL, OPTION_FLAG, offsetof(struct settings, json), "print JSON", NULL},
 *     };
 *     struct settings settings = {.chains = 3};                 // defaults
 *     struct arguments arguments;
 *     const struct option_table table = {options, 2, NULL};
 *     kelvin_status st = options_parse(&arguments, &settings, &table, 1, argc, argv);
 *
 * argv is read once. Who finds out later what the defaults are writes the values over them with options_apply().
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <kelvin/base.h>

#include <stdio.h>

enum option_kind {
    OPTION_FLAG, /* bool, takes no value */
    OPTION_UINT32,
    OPTION_UINT64,
    OPTION_SIZE,
    OPTION_DOUBLE,
    OPTION_COUNT,  /* a whole number in a double */
    OPTION_STRING, /* const char *, points into argv */
    OPTION_KEPT,   /* its text is kept in struct arguments, and is nowhere in the settings */
};

struct option {
    const char *name;
    char letter; /* 0: none */
    const char *metavar;
    enum option_kind kind;
    size_t offset; /* of the value in the command's settings */
    const char *help;
    const char *shown; /* what to show as the default; NULL: the value that stands in the settings */
};

enum { OPERANDS = 64, OPTIONS = 96 }; /* at most */

/* The options of a command. Of several with one name the first is taken. */
struct option_table {
    const struct option *options; /* (n) */
    size_t n;
    const char *const *with; /* (n): where the option counts only with something, as "--sampler NAME"; NULL: never */
};

struct arguments {
    const char *operand; /* the first; NULL if there was none */
    const char *operands[OPERANDS];
    size_t n_operands;
    const char *text[OPTIONS]; /* what was said of option i, "" of a flag; NULL: it was not there. The last counts */
    bool help;                 /* --help was there; nothing after it was looked at */
};

/* Reads argv[0 .. argc), both `--name value` and `--name=value`, `-o value` and `-ovalue`, and `--`, and writes the
 * values into the settings. A value of its own word is not the name of an option. At most `most` operands (up to
 * OPERANDS). KELVIN_EUSAGE with a sentence for everything else. */
KELVIN_MUST_CHECK kelvin_status options_parse(struct arguments *arguments, void *settings,
                                              const struct option_table *table, size_t most, int argc, char **argv);

/* Writes the values of all options that were there into settings that have other defaults. KELVIN_EUSAGE if one is
 * wrong.
 */
KELVIN_MUST_CHECK kelvin_status options_apply(const struct arguments *arguments, void *settings,
                                              const struct option_table *table);

/* Where the option of that name is in a table; table->n: nowhere. */
size_t option_find(const struct option_table *table, const char *name);

/* Was the option there? */
bool option_given(const struct arguments *arguments, const struct option_table *table, const char *name);

/* "-o, --output RUN", and its default as "toy", or "" if there is none to show. */
struct option_words {
    char usage[96], usual[96];
};
struct option_words option_words(const struct option *option, const void *settings);

/* With what the i-th option counts; NULL: always. */
const char *option_with(const struct option_table *table, size_t i);

/* The options as two columns, --help as the last of those that always count, which come first. */
void options_print(FILE *out, const struct option_table *table, const void *settings);

/* The width with which printf's %*s or %-*s fills so many columns: it counts bytes, and this the letters of UTF-8, but
 * not accents that stand by themselves. */
int field_width(const char *text, int columns);

/* Words in lines of at most `width` letters, the first after `column` letters, the others indented as far. */
void print_wrapped(FILE *out, const char *text, int column, int width);

/* The same of a list, "name value, name value": no item is torn apart. */
void print_items(FILE *out, const char *text, int width);

enum { HELP_WIDTH = 100 };

#endif
