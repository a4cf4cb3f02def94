/* From argv to an exit code: what programs that are made of commands have in common. */
#include "cli/program.h"

#include "cli/texts.h"
#include "cli/words.h"

#include <kelvin/ranks.h>

#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <string.h>
#include <unistd.h>

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
    } else if (kelvin_rank() > 0 && (arguments.help || !command->ranks)) {
        /* one is enough */
    } else if (arguments.help && !command->help) {
        command_help(stdout, command, command_options(command), settings);
    } else if ((status = (arguments.help ? command->help(stdout, settings, &arguments)
                                         : command->run(settings, &arguments)))) {
        code = program_complain(title, status, "");
    }
    kelvin_free(settings);
    return code;
}

/* ---- ranks ---- */

static int spoken = -1; /* standard error, of a rank whose own leads to nothing */

/* Rank 0 speaks for all. The others are heard where there is no rank 0 any more, and then some of them will do. */
static void be_silent(void)
{
    if (kelvin_rank() == 0) return;
    spoken = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) return;
}

static void speak_at_last(void)
{
    enum { SOME = 4 };
    if (kelvin_rank() == 0 || kelvin_rank() > SOME || spoken < 0 || !kelvin_ranks_lost_first()) return;
    dprintf(spoken, "kelvin: rank %zu: %s\n", kelvin_rank(), command_error());
}

/* The exit code of a job is that of rank 0. */
static int leave(int code)
{
    const bool failed = code == EXIT_FAILED || code == EXIT_USAGE;
    const bool first = kelvin_rank() == 0;
    if (failed) speak_at_last();
    kelvin_ranks_leave(failed ? KELVIN_EIO : KELVIN_OK, code);
    return first ? code : EXIT_DONE;
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
    const kelvin_status joined = kelvin_ranks_join();
    be_silent();
    int code = joined ? program_complain("kelvin", joined, "") : run(argc, argv);
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "kelvin: standard output could not be written: %s\n", strerror(errno));
        code = EXIT_FAILED;
    }
    return leave(code);
}
