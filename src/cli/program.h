/* program: what main() of kelvin and of kelvin-bench share.
 *
 *     static int run(int argc, char **argv) { return program_run_command(&bench_command, argc - 1, argv + 1); }
 *     int main(int argc, char **argv) { return program_main(run, argc, argv); }
 */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "cli/command.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_PARTLY = 3 };

/* Readies the process, runs `run` and sees that standard output is written. What main() should return. */
int program_main(int (*run)(int argc, char **argv), int argc, char **argv);

/* Reads the options in argv[0 .. argc), and runs the command or prints its help. An exit code. */
int program_run_command(const struct command *command, int argc, char **argv);

/* Prints the sentence of the last failure, `who` before it and `hint` after it. The exit code of the status. */
int program_complain(const char *who, kelvin_status status, const char *hint);

#endif
