/* Starts a program and waits for it. */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const double grace_seconds = 3; /* between asking a program to end and ending it */

static int set_files(posix_spawn_file_actions_t *actions, const char *log)
{
    int failed = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!failed)
        failed = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (!failed) failed = posix_spawn_file_actions_adddup2(actions, STDERR_FILENO, STDOUT_FILENO);
    return failed;
}

/* 0, or why it could not be started. */
static int start(pid_t *child, char *const argv[], const char *log, bool own_group)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (unlink(log) && errno != ENOENT) return errno; /* it is made anew: nothing that a link leads to is written to */
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed) return failed;
    if ((failed = posix_spawnattr_init(&attributes)) == 0) {
        if (own_group) failed = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP); /* to 0: a new one */
        if (!failed) failed = set_files(&actions, log);
        if (!failed) failed = posix_spawnp(child, argv[0], &actions, &attributes, argv, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* ENDED is not reaped yet, so its number is still its own. Where SIGCHLD is ignored the system reaps: LOST, and the
 * number may be anyone's. */
enum state { RUNNING, ENDED, LOST };

/* Waits a tenth of a second at most. */
static enum state look(pid_t child)
{
    for (int i = 0; i < 10; i++) {
        siginfo_t about = {0};
        if (waitid(P_PID, (id_t)child, &about, WEXITED | WNOHANG | WNOWAIT)) return LOST;
        if (about.si_pid == child) return ENDED;
        nanosleep(&(struct timespec){0, 10 * 1000 * 1000}, NULL);
    }
    return RUNNING;
}

static void watch_until_end(pid_t child, kelvin_process_watch *watch, void *context)
{
    double end_by = 0; /* when patience ends; 0: nobody has asked to stop */
    enum state state;
    while ((state = look(child)) == RUNNING) {
        if (end_by == 0 && !watch(context)) {
            kill(-child, SIGTERM);
            end_by = kelvin_now() + grace_seconds;
        }
        if (end_by > 0 && kelvin_now() > end_by) break;
    }
    if (state != LOST) kill(-child, SIGKILL); /* what it started, and itself if it would not go */
}

int kelvin_process_run(char *const argv[], const char *log, kelvin_process_watch *watch, void *context)
{
    pid_t child;
    int ended = -1;
    const int failed = start(&child, argv, log, watch != NULL);
    if (failed) return errno = failed, -1;
    if (watch) watch_until_end(child, watch, context);
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR) continue;
    return ended;
}
