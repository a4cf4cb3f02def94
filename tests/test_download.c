/* Fetching from elsewhere: by HTTP, by npm, and which comes first. */
#include "fetch_helpers.h"

/* ---- the net ---- */

static void downloads(void **state)
{
    (void)state;
    takes(&tiny, url("plain/tiny.tar.gz"));
    assert_int_equal(lines_with(in_base("log"), "kelvin/" KELVIN_VERSION), 1);
    takes(&tiny, url("moved/tiny.zip"));
    takes(&tiny, url("plain/tiny-1.0.0.tgz?version=1#top"));
    takes(&mini, url("plain/mini-gz/a/b/"));
    fresh(NULL);
    fails(run(&mini, url("plain/mini-gz/a/b/t10k-labels-idx1-ubyte.gz")), KELVIN_EFORMAT, "http://127.0.0.1",
          "train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte is not there");
    assert_ok(run(&mini, url("plain/mini-gz/a/b/"))); /* asks only for what is missing */
    assert_int_equal(lines_with(in_base("log"), "t10k-labels"), 1);
    assert_complete(&mini);
}

static void failed_downloads(void **state)
{
    (void)state;
    fails(run(&tiny, url("status/404/tiny.tar.gz")), KELVIN_EIO, "/status/404/tiny.tar.gz: ", "HTTP 404");
    assert_null(strstr(kelvin_error(), "KELVIN_DATA")); /* the cache is not to blame */
    fails(run(&tiny, url("status/503/x")), KELVIN_EIO, "/status/503/x: ", "HTTP 503");
    fails(run(&mini, url("plain/mini/")), KELVIN_EIO, "/plain/mini/: ", "HTTP 404");
    fails(run(&tiny, "http://127.0.0.1:1/x"), KELVIN_EIO, "http://127.0.0.1:1/x: ", "onnect");
    fails(run(&tiny, "https://example.invalid/x"), KELVIN_EIO, "https://example.invalid/x: ", "onnect");
    fails(run(&tiny, url("endless/x")), KELVIN_EFORMAT, "/endless/x: ", "sends more than 3687600 bytes");
    fails(run(&tiny, url("plain/text.txt")), KELVIN_EFORMAT, "/plain/text.txt: ", "is not an archive");
    fails(run(&tiny, url("plain/changed.tar.gz")), KELVIN_EFORMAT, "changed.tar.gz: data_batch_2.bin", "SHA-1");
    assert_int_equal(lines_with(in_base("log"), "changed"), 1); /* it came whole: asking again would not help */
    assert_int_equal(right_files(&tiny), 2);
    assert_false(exists(in_base("cache/tiny.fetch")));
}

/* A connection that breaks is taken up where it broke, now or with the next call. */
static void resumed_downloads(void **state)
{
    (void)state;
    takes(&tiny, url("cut/300000/tiny.tar.gz"));
    assert_int_equal(lines_with(in_base("log"), "bytes=300000-"), 1);
    assert_int_equal(lines_with(in_base("log"), "bytes=900000-"), 1);
    assert_int_equal(lines_with(in_base("log"), "cut"), 4);

    fresh(NULL);
    fails(run(&tiny, url("cut/100000/tiny.tar.gz")), KELVIN_EIO, "/cut/100000/tiny.tar.gz: ", "");
    assert_true(exists(in_base("cache/tiny.fetch/download/tiny.tar.gz.part")));
    assert_int_equal(lines_with(in_base("log"), "cut"), 5);
    assert_ok(run(&tiny, url("plain/tiny.tar.gz")));
    assert_int_equal(lines_with(in_base("log"), "/plain/tiny.tar.gz bytes=500000-"), 1);
    assert_complete(&tiny);
}

/* What broke and was put together, and is wrong, comes once more, and then no more. */
static void once_more(void **state)
{
    (void)state;
    fails(run(&tiny, url("cut/300000/changed.tar.gz")), KELVIN_EFORMAT, "changed.tar.gz: data_batch_2.bin", "SHA-1");
    assert_int_equal(lines_with(in_base("log"), "changed"), 8);
    assert_int_equal(lines_with(in_base("log"), "bytes=300000-"), 2);
    assert_false(exists(in_base("cache/tiny.fetch")));
}

/* Whatever a URL ends in, it does not get in the way of what is ours. */
static void names_of_urls(void **state)
{
    (void)state;
    static const char *const names[] = {"pieces", "npm", "download", ".x"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        snprintf(path, sizeof path, "plain/%s", names[i]);
        assert_int_equal(symlink(in_data("tiny.tar.gz"), in_data(names[i])), 0);
        takes(&tiny, url(path));
        /* The next fetch goes on, whatever this one has left. */
        fresh(NULL);
        struct stopper unpacking = {.what = "unpacking", .at = 1};
        assert_int_equal(kelvin_fetch_set_run(&tiny, url(path), 2, stopper, &unpacking), KELVIN_ESTOP);
        setenv("NPM", "copy", 1);
        assert_ok(run(&tiny, NULL));
        assert_complete(&tiny);
        assert_int_equal(unlink(in_data(names[i])), 0);
    }
    static const char *const hidden[] = {"plain/.x", "plain/..", "plain/?x", "plain/.#x"};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        fresh(NULL);
        struct stopper at_once = {.what = "downloading download", .at = 1};
        fails(kelvin_fetch_set_run(&tiny, url(hidden[i]), 2, stopper, &at_once), KELVIN_ESTOP, "stopped while ", "; ");
    }
}

static void copy_into_cache(const char *from, const char *to)
{
    char command[512];
    snprintf(command, sizeof command, "/bin/mkdir -p %s && /bin/cp -r %s %s", in_base("cache/MNIST"), from, to);
    assert_int_equal(system(command), 0);
}

static void leave_part(const char *text, size_t bytes)
{
    fresh(NULL);
    mkdir(in_base("cache"), 0777);
    mkdir(in_base("cache/tiny.fetch"), 0777);
    mkdir(in_base("cache/tiny.fetch/download"), 0777);
    char *data = kelvin_alloc(bytes, 1);
    memset(data, *text, bytes);
    spill(in_base("cache/tiny.fetch/download/tiny.tar.gz.part"), data, bytes);
    kelvin_free(data);
}

static void stale_parts(void **state)
{
    (void)state;
    /* The server does not know ranges: everything comes again, in one request. */
    leave_part("x", 5000);
    assert_ok(run(&tiny, url("norange/tiny.tar.gz")));
    assert_int_equal(lines_with(in_base("log"), "norange"), 1);
    assert_complete(&tiny);
    /* It is of another file: the whole does not fit, is thrown away, and comes once more from the start. */
    leave_part("x", 5000);
    assert_ok(run(&tiny, url("plain/tiny.tar.gz")));
    assert_int_equal(lines_with(in_base("log"), "plain"), 2);
    assert_int_equal(lines_with(in_base("log"), "bytes=5000-"), 1);
    assert_complete(&tiny);
    /* It is longer than the file is. */
    leave_part("x", 1000000);
    assert_ok(run(&tiny, url("plain/tiny.tar.gz")));
    assert_int_equal(lines_with(in_base("log"), "plain"), 2);
    assert_complete(&tiny);
    /* It is longer than any such file can be. */
    leave_part("x", 4000000);
    assert_ok(run(&tiny, url("plain/tiny.tar.gz")));
    assert_int_equal(lines_with(in_base("log"), "plain"), 1);
    assert_complete(&tiny);
    /* It has as many bytes as the file, but others. */
    struct stat about;
    assert_int_equal(stat(in_data("tiny.tar.gz"), &about), 0);
    leave_part("x", (size_t)about.st_size);
    assert_ok(run(&tiny, url("plain/tiny.tar.gz")));
    assert_int_equal(lines_with(in_base("log"), "plain"), 2);
    assert_int_equal(lines_with(in_base("log"), "bytes="), 1);
    assert_complete(&tiny);
    /* It is all of the file: nothing comes again. */
    leave_part("x", 1);
    copy_into_cache(in_data("tiny.tar.gz"), in_base("cache/tiny.fetch/download/tiny.tar.gz.part"));
    assert_ok(run(&tiny, url("plain/tiny.tar.gz")));
    assert_int_equal(lines_with(in_base("log"), "plain"), 1);
    assert_complete(&tiny);
    /* Whole, but wrong: left by a fetch that was cut short before it looked inside. */
    leave_part("x", 10);
    spill(in_base("cache/tiny.fetch/download/tiny.tar.gz"), "wrong", 5);
    assert_ok(run(&tiny, url("norange/tiny.tar.gz")));
    assert_complete(&tiny);
}

/* A link or a pipe where the part belongs goes; what it leads to stays. */
static void odd_parts(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        leave_part("x", 1);
        char part[KELVIN_PATH_MAX];
        snprintf(part, sizeof part, "%s", in_base("cache/tiny.fetch/download/tiny.tar.gz.part"));
        spill(in_base("victim"), "theirs", 6);
        remove(part);
        assert_int_equal(i == 2 ? mkfifo(part, 0666) : symlink(in_base(i ? "nowhere" : "victim"), part), 0);
        assert_ok(run(&tiny, url("plain/tiny.tar.gz")));
        assert_complete(&tiny);
        size_t bytes;
        char *text = slurp(in_base("victim"), &bytes);
        assert_string_equal(text, "theirs");
        kelvin_free(text);
        assert_false(exists(in_base("nowhere")));
    }
}

/* What could not be opened is not removed. */
static void closed_part(void **state)
{
    (void)state;
    leave_part("x", 5000);
    assert_int_equal(chmod(in_base("cache"), 0777) | chmod(in_base("cache/tiny.fetch"), 0777), 0);
    assert_int_equal(chmod(in_base("cache/tiny.fetch/download"), 0777), 0);
    assert_int_equal(chmod(in_base("cache/tiny.fetch/download/tiny.tar.gz.part"), 0444), 0);
    fails(run_as_nobody(url("plain/tiny.tar.gz")), KELVIN_EIO, "tiny.tar.gz.part: could not be written",
          "Permission denied; set KELVIN_DATA to a folder that can be written");
    assert_true(exists(in_base("cache/tiny.fetch/download/tiny.tar.gz.part")));
    assert_int_equal(lines_with(in_base("log"), "plain"), 0);
}

/* ---- npm, and the order of sources ---- */

static void npm(void **state)
{
    (void)state;
    setenv("NPM", "copy", 1);
    assert_ok(run(&tiny, NULL));
    assert_complete(&tiny);
    assert_string_equal(kelvin_fetch_source(), "the npm package tiny 1.0.0");
    assert_int_equal(lines_with(in_base("npm.log"), "--ignore-scripts --cache"), 1);

    /* A tarball that is there is used; one of the wrong size is not. */
    fresh(NULL);
    assert_int_equal(system("d=$KELVIN_DATA/tiny.fetch/download; /bin/mkdir -p $d && /bin/cp $NPM_FILE $d"), 0);
    assert_ok(run(&tiny, NULL));
    assert_complete(&tiny);
    assert_int_equal(lines_with(in_base("npm.log"), "pack"), 0);
    fresh(NULL);
    setenv("NPM", "copy", 1);
    assert_int_equal(system("d=$KELVIN_DATA/tiny.fetch/download; /bin/mkdir -p $d && echo x >$d/tiny-1.0.0.tgz"), 0);
    assert_ok(run(&tiny, NULL));
    assert_complete(&tiny);
}

static void npm_fails(void **state)
{
    (void)state;
    fails(run(&tiny, NULL), KELVIN_EIO, "tiny could not be fetched: npm pack tiny@1.0.0: npm failed: ",
          "404 Not? Found - GET it; put tiny.tar.gz (from nowhere) into ");
    assert_non_null(strstr(kelvin_error(), in_base("cache/tiny, or say with from")));
    assert_false(exists(in_base("cache/tiny.fetch")));
    setenv("NPM", "silent", 1);
    fails(run(&tiny, NULL), KELVIN_EIO, "npm failed: ", "it did not say why");
    setenv("NPM", "nothing", 1);
    fails(run(&tiny, NULL), KELVIN_EIO, "tiny-1.0.0.tgz: could not be read", "No such file");
    setenv("NPM", "copy", 1);
    setenv("NPM_FILE", in_data("text.txt"), 1);
    fails(run(&tiny, NULL), KELVIN_EIO, "npm brought 23 bytes", "expected 9");
    setenv("NPM_FILE", in_data("tiny-1.0.0.tgz"), 1);
    signal(SIGCHLD, SIG_IGN);
    fails(run(&tiny, NULL), KELVIN_EIO, "npm ran, but how it ended is not known: SIGCHLD is ignored",
          "expected its default action");
    signal(SIGCHLD, SIG_DFL);
    setenv("PATH", "/nowhere", 1);
    fails(run(&tiny, NULL), KELVIN_EIO, "npm pack tiny@1.0.0: ", "npm is not installed");
    setenv("PATH", in_base("bin"), 1);
    assert_int_equal(right_files(&tiny), 0);
    assert_false(exists(in_base("cache/tiny.fetch")));
}

/* All reasons are in the sentence, in the order in which the sources were tried. */
static void no_source(void **state)
{
    (void)state;
    tiny.urls[0] = url("status/403/tiny.tar.gz");
    tiny.urls[1] = url("plain/nothing/");
    mkdir(in_base("cache"), 0777);
    spill(in_base("cache/tiny.tar.gz"), "wrong", 5);
    fails(run(&tiny, NULL), KELVIN_EIO, "tiny could not be fetched: ", "cache/tiny.tar.gz: is not an archive");
    const char *local = strstr(kelvin_error(), "cache/tiny.tar.gz"), *first = strstr(kelvin_error(), "HTTP 403; "),
               *second = strstr(kelvin_error(), "HTTP 404; "), *last = strstr(kelvin_error(), "npm failed: ");
    assert_true(local && first && second && last && local < first && first < second && second < last);
    assert_true(exists(in_base("cache/tiny.tar.gz"))); /* it is not ours to remove */
}

static void order_of_sources(void **state)
{
    (void)state;
    static const char *const by_hand[][2] = {
        {"tiny.tar.gz", "cache/tiny.tar.gz"}, {"tiny-1.0.0.tgz", "cache/tiny-1.0.0.tgz"}, {"tiny", "cache/batches"}};
    for (size_t i = 0; i < 3; i++) {
        fresh(NULL);
        tiny.urls[0] = url("plain/tiny.tar.gz");
        setenv("NPM", "copy", 1);
        copy_into_cache(in_data(by_hand[i][0]), in_base(by_hand[i][1]));
        assert_ok(run(&tiny, NULL));
        assert_string_equal(kelvin_fetch_source(), in_base(by_hand[i][1]));
        assert_complete(&tiny);
        assert_int_equal(lines_with(in_base("log"), "tiny"), 0);
    }
    fresh(NULL);
    tiny.urls[0] = url("status/404/tiny.tar.gz");
    tiny.urls[1] = url("plain/tiny.tar.gz");
    setenv("NPM", "copy", 1);
    assert_ok(run(&tiny, NULL));
    assert_string_equal(kelvin_fetch_source(), tiny.urls[1]);
    assert_int_equal(lines_with(in_base("npm.log"), "pack"), 0);
    assert_complete(&tiny);

    fresh(NULL); /* torchvision's folder; and what was put beside the files themselves */
    copy_into_cache(in_data("mini-gz/a/b"), in_base("cache/MNIST/raw"));
    assert_ok(run(&mini, NULL));
    assert_complete(&mini);
    fresh(NULL);
    copy_into_cache(in_data("mini-gz/a/b"), in_base("cache/mini"));
    assert_ok(run(&mini, NULL));
    assert_complete(&mini);
}

/* The real thing, where it is wanted: 150 MB come through npm. */
static void real_npm(void **state)
{
    (void)state;
    const char *wanted = getenv("KELVIN_TEST_NPM");
    if (!wanted || strcmp(wanted, "1") != 0) skip();
    setenv("PATH", getenv("REAL_PATH"), 1);
    unsetenv("https_proxy");
    for (size_t i = 0; i < 2; i++) {
        const char *name = i ? "cifar10" : "mnist";
        bool complete;
        assert_ok(kelvin_fetch(name, NULL, 0, NULL, NULL));
        assert_ok(kelvin_fetch_verify(&complete, name, 0, NULL, NULL));
        assert_true(complete);
    }
    setenv("https_proxy", "http://127.0.0.1:1", 1);
    setenv("PATH", in_base("bin"), 1);
}

int main(void)
{
    setenv("REAL_PATH", getenv("PATH") ? getenv("PATH") : "", 1);
    const struct CMUnitTest tests[] = {
        FRESH(downloads),     FRESH(failed_downloads), FRESH(resumed_downloads), FRESH(once_more),
        FRESH(names_of_urls), FRESH(stale_parts),      FRESH(closed_part),       FRESH(npm),
        FRESH(odd_parts),     FRESH(npm_fails),        FRESH(no_source),         FRESH(order_of_sources),
        FRESH(real_npm),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
