/* kelvin: the command. Finds the command that is meant in the table. */
#include "cli/program.h"

#include <kelvin/family.h>

#include <string.h>

static kelvin_status print_help(FILE *out, const char *nothing)
{
    (void)nothing;
    enum { COLUMN = 13 };
    fputs("Usage: kelvin COMMAND [OPTION]...\n"
          "Bayesian neural networks on ordinary CPUs: cold posteriors, and the confident priors that can\n"
          "replace them.\n\n"
          "Commands:\n",
          out);
    for (size_t i = 0; commands[i]; i++) {
        fprintf(out, "  %-*s", COLUMN - 2, commands[i]->name);
        print_wrapped(out, commands[i]->about, COLUMN, HELP_WIDTH);
    }
    fputs("\nkelvin COMMAND --help says more about each. kelvin --version prints the version, kelvin --man or\n"
          "kelvin --man COMMAND a manual page. It exits with 0 if all is done, 1 if it failed or was stopped,\n"
          "2 if it was used wrongly, 3 if it is done but a chain diverged.\n",
          out);
    return KELVIN_OK;
}

static kelvin_status print_version(FILE *out, const char *nothing)
{
    (void)nothing;
    fprintf(out, "kelvin %s\n", KELVIN_VERSION);
    return KELVIN_OK;
}

/* What can stand in place of a command; `most` words may follow. */
static const struct global {
    const char *name;
    int most;
    kelvin_status (*print)(FILE *out, const char *operand);
} globals[] = {
    {"--help", 0, print_help},
    {"-h", 0, print_help},
    {"--version", 0, print_version},
    {"--man", 1, manual_print},
    {"--completion", 1, completion_print},
};

enum { GLOBALS = sizeof globals / sizeof *globals };

static bool global_name(char name[KELVIN_NAME_SIZE], const void *context, size_t i)
{
    (void)context;
    if (i < GLOBALS) snprintf(name, KELVIN_NAME_SIZE, "%s", globals[i].name);
    return i < GLOBALS;
}

static kelvin_status print_global(const struct global *global, int argc, char **argv)
{
    if (argc > global->most) return kelvin_fail(KELVIN_EUSAGE, "unexpected argument '%s'", argv[global->most]);
    return global->print(stdout, argc ? argv[0] : NULL);
}

static int run(int argc, char **argv)
{
    const struct command *command = NULL;
    kelvin_status status;
    if (argc < 2) {
        status = kelvin_fail(KELVIN_EUSAGE, "which command?");
    } else if (*argv[1] == '-') {
        size_t i = 0;
        while (i < GLOBALS && strcmp(argv[1], globals[i].name) != 0) i++;
        status = i < GLOBALS ? print_global(&globals[i], argc - 2, argv + 2)
                             : kelvin_fail_unknown("option", argv[1], global_name, NULL);
    } else {
        status = command_find(&command, argv[1]);
    }
    if (command) return program_run_command(command, argc - 2, argv + 2);
    return status ? program_complain("kelvin", status, status == KELVIN_EUSAGE ? " (see kelvin --help)" : "")
                  : EXIT_DONE;
}

int main(int argc, char **argv)
{
    return program_main(run, argc, argv);
}
