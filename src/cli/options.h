/* options: one table per command says which options there are; parsing, help texts and the manual page come from it.
 *
 *     struct settings { uint32_t chains; bool json; };
 *     static const struct option options[] = {
 *         {"chains", 0, "N", OPTION_UINT32, offsetof(struct settings, chains), "number of chains", NULL},
 *         {"json", 0, NULL, OPTION_FLAG, offsetof(struct settings, json), "print JSON", NULL},
 *     };
 *     struct settings settings = {.chains = 3};                 // defaults
 *     struct arguments arguments;
 *     kelvin_status st = options_parse(&arguments, &settings, options, 2, 1, argc, argv);
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
    OPTION_FLOAT,
    OPTION_STRING, /* const char *, points into argv */
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

/* From the option called `first` on, options count only with `with`: "--sampler hmc". NULL after the last. */
struct option_group {
    const char *first, *with;
};

enum { OPERANDS = 64 };

struct arguments {
    const char *operand; /* the first; NULL if there was none */
    const char *operands[OPERANDS];
    size_t n_operands;
    uint64_t given; /* bit i: option i was there */
    bool help;      /* --help was there; nothing after it was looked at */
    int argc;       /* what was read, for those who want to read it again over other defaults */
    char **argv;
};

/* Reads argv[0 .. argc), both `--name value` and `--name=value`, `-o value` and `-ovalue`, and `--`. At most
 * `most` operands (up to OPERANDS) and 64 options. KELVIN_EUSAGE with a sentence for everything else. */
KELVIN_MUST_CHECK kelvin_status options_parse(struct arguments *arguments, void *settings, const struct option *options,
                                              size_t n, size_t most, int argc, char **argv);

/* Was the option there? */
bool option_given(const struct arguments *arguments, const struct option *options, size_t n, const char *name);

/* "-o, --output RUN", and its default as "toy", or "" if there is none to show. */
void option_usage(char *out, size_t size, const struct option *option);
void option_default(char *out, size_t size, const struct option *option, const void *settings);

/* With what the i-th option counts; NULL: always. `groups` may be NULL. */
const char *option_group(const struct option_group *groups, const struct option *options, size_t i);

/* The options as two columns, --help as the last of those that always count. */
void options_print(FILE *out, const struct option *options, size_t n, const struct option_group *groups,
                   const void *settings);

/* How many columns the first n bytes of a text take: letters of UTF-8, but not accents that stand by themselves. */
size_t text_columns(const char *text, size_t n);

/* The width with which printf's %*s or %-*s fills so many columns: it counts bytes. */
int field_width(const char *text, int columns);

/* Words in lines of at most `width` letters, the first after `column` letters, the others indented as far. */
void print_wrapped(FILE *out, const char *text, int column, int width);

#endif
