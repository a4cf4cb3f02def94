/* Other programs: started, watched, waited for.
 *
 *     char name[] = "npm", what[] = "pack";
 *     char *argv[] = {name, what, NULL};
 *     const int ended = kelvin_process_run(argv, "npm.log", go_on, context);
 *     if (ended == -1 && errno == ENOENT) ...                            // there is no such program
 */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <kelvin/base.h>

/* Called about ten times a second while the program runs; false: end it. */
typedef bool kelvin_process_watch(void *context);

/* Starts argv[0], found by PATH, with nothing to read and all that it says into the file `log`, and waits for it.
 * Returns how it ended, as waitpid has it; -1 and errno if it could not be started; -1 and ECHILD if it ran, but
 * SIGCHLD is ignored, so that nobody can know. A program that is watched has a process group of its own and is ended
 * with all that it started; `watch` NULL: it gets its signals from the terminal, as we do. */
int kelvin_process_run(char *const argv[], const char *log, kelvin_process_watch *watch, void *context);

#endif
