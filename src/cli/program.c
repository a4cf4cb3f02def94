/* From argv to an exit code: what programs that are made of commands have in common. */
#include "cli/program.h"

#include "cli/texts.h"
#include "cli/words.h"

#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <string.h>

static int exit_code(kelvin_status status)
{
    if (status == KELVIN_EUSAGE) return EXIT_USAGE;
    if (status == KELVIN_EPARTLY) return EXIT_PARTLY;
    return status ? EXIT_FAILED : EXIT_DONE;
}

int program_complain(const char *who, kelvin_status status, const char *hint)
{
    fprintf(stderr, "%s: %s%s\n", who, command_error(), hint);
    return exit_code(status);
}

/* RUN/run.json is taken for RUN. The word is cut where it stands. */
static kelvin_status find_folder(const char **operand)
{
    char *word = (char *)*operand, *slash = strrchr(word, '/');
    if (!*word) return kelvin_fail(KELVIN_EUSAGE, "the name of a run is empty");
    if (strcmp(slash ? slash + 1 : word, "run.json") != 0 || is_folder(word)) return KELVIN_OK;
    if (slash)
        slash[1] = '\0';
    else
        *operand = ".";
    return KELVIN_OK;
}

int program_run_command(const struct command *command, int argc, char **argv)
{
    char title[COMMAND_TITLE];
    command_title(title, command);
    void *settings = command_settings(command);
    if (!settings) return program_complain(title, KELVIN_ENOMEM, "");
    struct arguments arguments;
    int code = EXIT_DONE;
    kelvin_status status = options_parse(&arguments, settings, command_options(command), command->operands, argc, argv);
    for (size_t i = 0; i < arguments.n_operands && i < command->runs && !status; i++)
        status = find_folder(&arguments.operands[i]);
    arguments.operand = arguments.operands[0];
    if (status) {
        char hint[sizeof title + sizeof " (see  --help)"];
        snprintf(hint, sizeof hint, " (see %s --help)", title);
        code = program_complain(title, status, hint);
    } else if (arguments.help && !command->help) {
        command_help(stdout, command, command_options(command), settings);
    } else if ((status = (arguments.help ? command->help(stdout, settings, &arguments)
                                         : command->run(settings, &arguments)))) {
        code = program_complain(title, status, "");
    }
    kelvin_free(settings);
    return code;
}

int program_main(int (*run)(int argc, char **argv), int argc, char **argv)
{
#ifdef __GLIBC__
    /* A run is sampled, its logits are computed, and then it is looked at: what one of these has freed, the next should
     * not find still there. glibc would learn from the first large piece to keep all that are smaller. */
    mallopt(M_MMAP_THRESHOLD, 1 << 17);
#endif
    /* Whoever started us may have left it ignored: then nobody could wait for gnuplot or npm. */
    signal(SIGCHLD, SIG_DFL);
    /* Standard output that may not become larger cannot be written: a sentence, no signal. */
    signal(SIGXFSZ, SIG_IGN);
    const int code = run(argc, argv);
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "kelvin: standard output could not be written: %s\n", strerror(errno));
        return EXIT_FAILED;
    }
    return code;
}
