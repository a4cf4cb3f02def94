/* kelvin: the command. Finds the command that is meant in the table. */
#include "base/suggest.h"
#include "cli/program.h"

#include <string.h>

static bool command_name(char name[KELVIN_NAME_SIZE], const void *context, size_t i)
{
    (void)context;
    if (commands[i]) snprintf(name, KELVIN_NAME_SIZE, "%s", commands[i]->name);
    return commands[i];
}

static kelvin_status print_help(FILE *out)
{
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
    fputs("\nkelvin COMMAND --help says more about each. kelvin --version prints the version, kelvin --man\n"
          "the manual page. It exits with 0 if all is done, 1 if it failed or was stopped, 2 if it was used\n"
          "wrongly, 3 if it is done but a chain diverged.\n",
          out);
    return KELVIN_OK;
}

static kelvin_status print_version(FILE *out)
{
    fprintf(out, "kelvin %s\n", KELVIN_VERSION);
    return KELVIN_OK;
}

static const struct {
    const char *name;
    kelvin_status (*print)(FILE *out);
} globals[] = {{"--help", print_help}, {"-h", print_help}, {"--version", print_version}, {"--man", manual_print}};

enum { GLOBALS = sizeof globals / sizeof *globals };

static bool global_name(char name[KELVIN_NAME_SIZE], const void *context, size_t i)
{
    (void)context;
    if (i < GLOBALS) snprintf(name, KELVIN_NAME_SIZE, "%s", globals[i].name);
    return i < GLOBALS;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        kelvin_fail(KELVIN_EUSAGE, "which command?");
        return program_complain("kelvin", KELVIN_EUSAGE, " (see kelvin --help)");
    }
    for (size_t i = 0; i < GLOBALS; i++)
        if (strcmp(argv[1], globals[i].name) == 0) {
            const kelvin_status status = globals[i].print(stdout);
            return status ? program_complain("kelvin", status, "") : EXIT_DONE;
        }
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(argv[1], commands[i]->name) == 0) return program_run_command(commands[i], argc - 2, argv + 2);
    const kelvin_status status = *argv[1] == '-' ? kelvin_fail_unknown("option", argv[1], global_name, NULL)
                                                 : kelvin_fail_unknown("command", argv[1], command_name, NULL);
    return program_complain("kelvin", status, " (see kelvin --help)");
}

int main(int argc, char **argv)
{
    return program_main(run, argc, argv);
}
