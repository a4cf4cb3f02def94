/* command: what a command of kelvin is. One file and one row of a table below for each; kelvin-bench is one that is
 * a program of its own. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/options.h"

/* Where a value is in the settings of a command, each of which calls them so. */
#define AT(field) offsetof(struct settings, field)

/* A line that can be typed, and what it does. */
struct example {
    const char *line, *about;
};

struct command {
    const char *name;
    bool alone;           /* it is the program kelvin-NAME, and no command of kelvin */
    const char *synopsis; /* what follows the name: "[OPTION]... -o RUN" */
    const char *about;    /* one line */
    const char *details;  /* paragraphs for help and manual; NULL: there is no more to say */
    bool ranks;           /* several ranks make the same calls; otherwise the first does all of it */
    size_t operands;      /* that it takes, at most */
    size_t runs;          /* the first so many of them are runs: RUN/run.json is as good as RUN */
    const char *others; /* what the others are, in the words of options' metavars: "FIGURE|all"; NULL: there are none */
    const struct example *examples; /* for the manual; a line of NULL after the last */
    struct option_table options;
    const struct option_table *(*build)(void); /* where options follow from other tables: makes them; NULL: see above */
    size_t settings_size;
    const void *usual;                /* settings before options are read; NULL: zeros */
    void (*defaults)(void *settings); /* where they follow from other tables: fills them in; NULL: see above */

    /* Results go to standard output, progress to standard error. A failure's sentence is left in kelvin_error(). */
    kelvin_status (*run)(void *settings, const struct arguments *arguments);

    /* Help on what the operand names, or on all if there is none. NULL: command_help will do. */
    kelvin_status (*help)(FILE *out, const void *settings, const struct arguments *arguments);
};

/* All of kelvin's, one row each. */
#define COMMANDS(ROW)                                                                                                  \
    ROW(sample)                                                                                                        \
    ROW(resume)                                                                                                        \
    ROW(eval)                                                                                                          \
    ROW(diagnose)                                                                                                      \
    ROW(predict)                                                                                                       \
    ROW(report)                                                                                                        \
    ROW(export)                                                                                                        \
    ROW(experiment)                                                                                                    \
    ROW(figure)                                                                                                        \
    ROW(data)                                                                                                          \
    ROW(info)

#define DECLARE_COMMAND(name) extern const struct command name##_command;
COMMANDS(DECLARE_COMMAND)

/* The same as a list; NULL after the last. */
extern const struct command *const commands[];

/* One of them by its name. KELVIN_EUSAGE with the nearest name if there is none. */
KELVIN_MUST_CHECK kelvin_status command_find(const struct command **command, const char *name);

/* Is there a member of a family, as "models", that a text names? KELVIN_EUSAGE with the nearest name if not. */
KELVIN_MUST_CHECK kelvin_status check_member(const char *family, const char *text);

/* How it is called: "kelvin sample", "kelvin-bench". */
enum { COMMAND_TITLE = 64 };
void command_title(char title[COMMAND_TITLE], const struct command *command);

const struct option_table *command_options(const struct command *command);

/* With its own options, or those that count for what was asked about. */
void command_help(FILE *out, const struct command *command, const struct option_table *table, const void *settings);

/* The manual page of a command in roff; that of kelvin if `name` is NULL. */
KELVIN_MUST_CHECK kelvin_status manual_print(FILE *out, const char *name);

/* Completion for a shell, "bash" or "zsh", as a script of that shell. */
KELVIN_MUST_CHECK kelvin_status completion_print(FILE *out, const char *name);

/* Zeroed settings with the command's defaults; kelvin_free them. NULL if memory is short. */
void *command_settings(const struct command *command);

#endif
