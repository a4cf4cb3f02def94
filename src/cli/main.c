/* kelvin: the command. Finds the command in the table, reads its options, runs it, and turns its status into
 * an exit code. */
#include "base/suggest.h"
#include "cli/command.h"
#include "files/files.h"

#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <string.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_PARTLY = 3 };

static int exit_code(kelvin_status status)
{
    if (status == KELVIN_EUSAGE) return EXIT_USAGE;
    if (status == KELVIN_EPARTLY) return EXIT_PARTLY;
    return status ? EXIT_FAILED : EXIT_DONE;
}

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

static int complain(const char *command, kelvin_status status, const char *hint)
{
    fprintf(stderr, "kelvin%s%s: %s%s\n", command ? " " : "", command ? command : "", kelvin_error(), hint);
    return exit_code(status);
}

/* RUN/run.json is taken for RUN. The word is cut where it stands. */
static kelvin_status find_folder(const char **operand)
{
    char *word = (char *)*operand, *slash = strrchr(word, '/');
    if (!*word) return kelvin_fail(KELVIN_EUSAGE, "the name of a run is empty");
    if (strcmp(slash ? slash + 1 : word, "run.json") != 0 || kelvin_is_folder(word)) return KELVIN_OK;
    if (slash)
        slash[1] = '\0';
    else
        *operand = ".";
    return KELVIN_OK;
}

static int run_command(const struct command *command, int argc, char **argv)
{
    void *settings = command_settings(command);
    if (!settings) return complain(command->name, KELVIN_ENOMEM, "");
    struct arguments arguments;
    int code = EXIT_DONE;
    kelvin_status status = options_parse(&arguments, settings, command_options(command), command->operands, argc, argv);
    for (size_t i = 0; i < arguments.n_operands && i < command->runs && !status; i++)
        status = find_folder(&arguments.operands[i]);
    arguments.operand = arguments.operands[0];
    if (status) {
        char hint[64];
        snprintf(hint, sizeof hint, " (see kelvin %s --help)", command->name);
        code = complain(command->name, status, hint);
    } else if (arguments.help && !command->help) {
        command_help(stdout, command, command_options(command), settings);
    } else if ((status = (arguments.help ? command->help(stdout, settings, &arguments)
                                         : command->run(settings, &arguments)))) {
        code = complain(command->name, status, "");
    }
    kelvin_free(settings);
    return code;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        kelvin_fail(KELVIN_EUSAGE, "which command?");
        return complain(NULL, KELVIN_EUSAGE, " (see kelvin --help)");
    }
    for (size_t i = 0; i < GLOBALS; i++)
        if (strcmp(argv[1], globals[i].name) == 0) {
            const kelvin_status status = globals[i].print(stdout);
            return status ? complain(NULL, status, "") : EXIT_DONE;
        }
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(argv[1], commands[i]->name) == 0) return run_command(commands[i], argc - 2, argv + 2);
    const kelvin_status status = *argv[1] == '-' ? kelvin_fail_unknown("option", argv[1], global_name, NULL)
                                                 : kelvin_fail_unknown("command", argv[1], command_name, NULL);
    return complain(NULL, status, " (see kelvin --help)");
}

int main(int argc, char **argv)
{
#ifdef __GLIBC__
    /* A run is sampled, its logits are computed, and then it is looked at: what one of these has freed, the next should
     * not find still there. glibc would learn from the first large piece to keep all that are smaller. */
    mallopt(M_MMAP_THRESHOLD, 1 << 17);
#endif
    signal(SIGCHLD,
           SIG_DFL); /* whoever started us may have left it ignored: then nobody could wait for gnuplot or npm */
    signal(SIGXFSZ, SIG_IGN); /* standard output that may not become larger cannot be written: a sentence, no signal */
    const int code = run(argc, argv);
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "kelvin: standard output could not be written: %s\n", strerror(errno));
        return EXIT_FAILED;
    }
    return code;
}
