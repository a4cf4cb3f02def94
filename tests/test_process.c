/* Other programs: started, watched, ended. */
#include "run_helpers.h"

#include "base/process.h"

#include <errno.h>
#include <signal.h>

static bool three_times(void *context)
{
    return ++*(int *)context < 3;
}

/* Is this all that the program has said? */
static bool said(const char *text)
{
    size_t bytes;
    char *found = slurp(in_base("said"), &bytes);
    const bool same = strcmp(found, text) == 0;
    kelvin_free(found);
    return same;
}

static void processes(void **state)
{
    (void)state;
    char shell[] = "/bin/sh", c[] = "-c", say[] = "echo out; echo err >&2; read x || exit 3", hang[] = "/bin/sleep 900";
    char *speaks[] = {shell, c, say, NULL}, *hangs[] = {shell, c, hang, NULL}, *none[] = {hang, NULL};
    int input[2]; /* ours, which is not the program's */
    const int before = dup(STDIN_FILENO);
    assert_true(pipe(input) == 0 && write(input[1], "x\n", 2) == 2 && dup2(input[0], STDIN_FILENO) == STDIN_FILENO);
    int ended = kelvin_process_run(speaks, in_base("said"), NULL, NULL);
    assert_int_equal(dup2(before, STDIN_FILENO), STDIN_FILENO);
    close(before), close(input[0]), close(input[1]);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 3); /* it found nothing to read */
    assert_true(said("out\nerr\n"));
    int calls = 0;
    ended = kelvin_process_run(hangs, in_base("said"), three_times, &calls);
    assert_true(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGTERM);
    assert_int_equal(calls, 3);
    assert_int_equal(kelvin_process_run(none, in_base("said"), NULL, NULL), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(kelvin_process_run(speaks, in_base("no/folder"), three_times, &calls), -1);
    assert_int_equal(errno, ENOENT);
}

/* Then the system reaps, and a number may be anyone's: nothing is killed by it. */
static void ignored_children(void **state)
{
    (void)state;
    char shell[] = "/bin/sh", c[] = "-c", leave[] = "(/bin/sleep 0.3; echo alive) &";
    char *leaves[] = {shell, c, leave, NULL};
    signal(SIGCHLD, SIG_IGN);
    for (int watched = 0; watched < 2; watched++) {
        int calls = -1000;
        assert_int_equal(kelvin_process_run(leaves, in_base("said"), watched ? three_times : NULL, &calls), -1);
        assert_int_equal(errno, ECHILD);
        for (int i = 0; i < 90000 && !said("alive\n"); i++) usleep(10000);
        assert_true(said("alive\n"));
    }
    signal(SIGCHLD, SIG_DFL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes),
        cmocka_unit_test(ignored_children),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
