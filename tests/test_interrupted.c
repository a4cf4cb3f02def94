/* Fetching that is stopped or killed, at every moment, and goes on; several at once. */
#include "fetch_helpers.h"

#include <errno.h>

static bool is_group_gone(const char *file)
{
    int pid = 0;
    FILE *f = fopen(file, "r");
    const bool read = f && fscanf(f, "%d", &pid) == 1;
    if (f) fclose(f);
    for (int i = 0; read && i < 90000 && kill(pid, 0) == 0; i++) usleep(10000); /* until init has reaped it */
    return read && kill(pid, 0) != 0 && errno == ESRCH;
}

/* npm is ended with all that it has started, even what does not heed SIGTERM. */
static void stops_npm(void **state)
{
    (void)state;
    struct stopper third = {.what = "downloading tiny@1.0.0 by npm", .at = 3};
    setenv("NPM", "hang", 1);
    fails(kelvin_fetch_set_run(&tiny, NULL, 2, stopper, &third), KELVIN_ESTOP,
          "stopped while downloading tiny@1.0.0 by npm", "; the same call begins this download again");
    assert_true(is_group_gone(in_base("npm.log.pid")));
    assert_false(exists(in_base("cache/tiny.fetch")));
    assert_false(exists(in_base("cache/tiny.lock")));
}

/* The sentence promises what is true: the rest of a download, or what is complete. */
static void stops_and_goes_on(void **state)
{
    (void)state;
    struct stopper twentieth = {.what = "downloading", .at = 20}, reading = {.what = "reading", .at = 1};
    fails(kelvin_fetch_set_run(&tiny, url("slow/tiny.tar.gz"), 2, stopper, &twentieth), KELVIN_ESTOP,
          "stopped while downloading tiny.tar.gz", "; the same call goes on from there");
    assert_true(exists(in_base("cache/tiny.fetch/download/tiny.tar.gz.part")));
    fails(kelvin_fetch_set_run(&tiny, in_data("tiny.tar.gz"), 2, stopper, &reading), KELVIN_ESTOP,
          "stopped while reading tiny.tar.gz", "; what is complete is kept");
}

/* Stopped at the n-th call of the progress function, for every n; then once more without. */
static void stopped(const char *where, bool from_npm)
{
    char text[256], *from = where ? text : NULL;
    if (where) snprintf(text, sizeof text, "%s", where);
    size_t n = 1, step = 1;
    for (;; n += step) {
        fresh(NULL);
        setenv("NPM", from_npm ? "copy" : "fail", 1);
        struct stopper s = {.at = n};
        const kelvin_status status = kelvin_fetch_set_run(&tiny, from, 2, stopper, &s);
        if (!status) break;
        fails(status, KELVIN_ESTOP, "stopped while ", "");
        right_files(&tiny);
        assert_ok(run(&tiny, from));
        assert_complete(&tiny);
        if (n == 20) step = 7; /* the rest is more of the same */
    }
    assert_true(n > 3);
    assert_complete(&tiny);
}

static void stopped_anywhere(void **state)
{
    (void)state;
    stopped(in_data("tiny"), false);
    stopped(in_data("tiny-1.0.0.tgz"), false);
    stopped(url("plain/tiny.tar.gz"), false);
    stopped(NULL, true);
}

static void killed(const char *where)
{
    char text[256], *from = where ? text : NULL;
    if (where) snprintf(text, sizeof text, "%s", where);
    size_t n = 1, step = 1;
    for (;; n += step) {
        fresh(NULL);
        setenv("NPM", "copy", 1);
        const pid_t child = fork();
        if (child == 0) {
            struct stopper s = {.at = n, .die = true};
            _exit(kelvin_fetch_set_run(&tiny, from, 2, stopper, &s) ? 1 : 0);
        }
        int ended;
        assert_int_equal(waitpid(child, &ended, 0), child);
        right_files(&tiny);
        if (ended == 0) break;
        assert_true(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL);
        assert_ok(run(&tiny, from));
        assert_complete(&tiny);
        if (n == 20) step = 7;
    }
    assert_true(n > 4);
}

static void killed_anywhere(void **state)
{
    (void)state;
    killed(in_data("tiny.zip"));
    killed(in_data("tiny-1.0.0.tgz"));
    killed(url("plain/tiny.tar.gz"));
    killed(NULL);
}

/* What arrived before the end does not come again. */
static void killed_download_goes_on(void **state)
{
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        struct stopper s = {.what = "downloading", .at = 20, .die = true};
        _exit(kelvin_fetch_set_run(&tiny, url("slow/tiny.tar.gz"), 2, stopper, &s) ? 1 : 0);
    }
    waitpid(child, NULL, 0);
    struct stat about;
    assert_int_equal(stat(in_base("cache/tiny.fetch/download/tiny.tar.gz.part"), &about), 0);
    assert_true(about.st_size > 0);
    assert_ok(run(&tiny, url("plain/tiny.tar.gz")));
    char range[64];
    snprintf(range, sizeof range, "/plain/tiny.tar.gz bytes=%lld-", (long long)about.st_size);
    assert_int_equal(lines_with(in_base("log"), range), 1);
    assert_complete(&tiny);
}

/* Nothing is to be done but to tidy up: that this cannot be done is no failure. */
static void nothing_but_leftovers(void **state)
{
    (void)state;
    assert_ok(run(&tiny, in_data("tiny")));
    mkdir(in_base("cache/tiny.fetch"), 0777);
    mkdir(in_base("cache/tiny.lock"), 0777);
    assert_ok(run(&tiny, NULL));
    assert_string_equal(kelvin_fetch_source(), "");
    assert_true(exists(in_base("cache/tiny.fetch")));
    rmdir(in_base("cache/tiny.lock"));
    assert_ok(run(&tiny, NULL));
    assert_complete(&tiny);
}

/* Two at once: one fetches, the other waits and finds it done. */
static void two_at_once(void **state)
{
    (void)state;
    pid_t children[4];
    for (size_t i = 0; i < 4; i++) {
        children[i] = fork();
        if (children[i] == 0) _exit(run(&tiny, url("slow/tiny.tar.gz")) ? 1 : 0);
    }
    for (size_t i = 0; i < 4; i++) {
        int ended;
        assert_int_equal(waitpid(children[i], &ended, 0), children[i]);
        assert_int_equal(ended, 0);
    }
    assert_int_equal(lines_with(in_base("log"), "slow"), 1);
    assert_complete(&tiny);
}

/* Waiting can be stopped, and takes nothing from the one who is at work. */
static void waiting_stops(void **state)
{
    (void)state;
    const pid_t child = fork();
    if (child == 0) _exit(run(&tiny, url("slow/tiny.tar.gz")) ? 1 : 0);
    while (!exists(in_base("cache/tiny.fetch/download/tiny.tar.gz.part"))) usleep(1000);
    struct stopper at_once = {.what = "waiting for another fetch of tiny", .at = 1};
    fails(kelvin_fetch_set_run(&tiny, url("slow/tiny.tar.gz"), 1, stopper, &at_once), KELVIN_ESTOP,
          "stopped while waiting", "tiny");
    int ended;
    waitpid(child, &ended, 0);
    assert_int_equal(ended, 0);
    assert_complete(&tiny);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FRESH(stops_npm),       FRESH(stops_and_goes_on),       FRESH(stopped_anywhere),
        FRESH(killed_anywhere), FRESH(killed_download_goes_on), FRESH(nothing_but_leftovers),
        FRESH(two_at_once),     FRESH(waiting_stops),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
