/* Fetching: every form in which a data set may come, every way in which it may be wrong, and every moment in which it
 * may be interrupted: what stands under a final name is right, or is not there. */
#include "fetch_helpers.h"

#include "base/process.h"
#include "fetch/library.h"
#include "fetch/sha1.h"

#include <errno.h>
#include <sys/resource.h>

/* ---- SHA-1 ---- */

static void sha1_of(char hex[SHA1_HEX], const void *data, size_t bytes, size_t step)
{
    struct sha1 sha = sha1_start();
    for (size_t i = 0; i < bytes; i += step)
        sha1_add(&sha, (const char *)data + i, bytes - i < step ? bytes - i : step);
    sha1_end(&sha, hex);
}

/* The examples of FIPS 180; and all lengths around one and two blocks, by Python's hashlib. */
static void sha1_vectors(void **state)
{
    (void)state;
    static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    char hex[SHA1_HEX], expected[64];
    sha1_of(hex, "", 0, 1);
    assert_string_equal(hex, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    sha1_of(hex, "abc", 3, 3);
    assert_string_equal(hex, "a9993e364706816aba3e25717850c26c9cd0d89d");
    sha1_of(hex, two_blocks, 56, 56);
    assert_string_equal(hex, "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    struct sha1 sha = sha1_start();
    for (int i = 0; i < 10000; i++) /* a million times 'a', never whole blocks */
        sha1_add(&sha,
                 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                 100);
    sha1_end(&sha, hex);
    assert_string_equal(hex, "34aa973cd4c4daa4f61eeb2bdbad27316534016f");

    unsigned char message[131];
    for (size_t i = 0; i < sizeof message; i++) message[i] = (unsigned char)i;
    FILE *file = fopen(in_data("lengths"), "r");
    for (size_t n = 0; n <= 130; n++) {
        assert_int_equal(fscanf(file, "%63s", expected), 1);
        for (size_t step = 1; step <= 131; step += 13) {
            sha1_of(hex, message, n, step);
            assert_string_equal(hex, expected);
        }
    }
    fclose(file);
}

/* ---- forms ---- */

static void takes(const struct fetch_set *set, const char *where)
{
    char from[256];
    snprintf(from, sizeof from, "%s", where);
    fresh(NULL);
    if (run(set, from)) fail_msg("%s: %s", from, kelvin_error());
    assert_complete(set);
    assert_string_equal(kelvin_fetch_source(), from);
    assert_ok(run(set, in_data("text.txt"))); /* there is nothing left to do */
    assert_string_equal(kelvin_fetch_source(), "");
}

static void every_form(void **state)
{
    (void)state;
    static const char *const forms[] = {"tiny",     "tiny.tar.gz", "tiny.tar.xz", "tiny.tar.bz2",
                                        "tiny.tar", "tiny.zip",    "tiny-gz",     "tiny-1.0.0.tgz",
                                        "tiny-png", "nested",      "evil.tar"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) takes(&tiny, in_data(forms[i]));
    assert_false(exists(in_base("escaped")) || exists(in_base("cache/escaped")) || exists("/tmp/escaped"));
    static const char *const digits[] = {"mini", "mini-gz", "mini-gz.zip", "mini-dots"};
    for (size_t i = 0; i < sizeof digits / sizeof *digits; i++) takes(&mini, in_data(digits[i]));
}

/* Where the names mean nothing the archive is read all the same. */
static void any_name(void **state)
{
    (void)state;
    assert_int_equal(symlink(in_data("tiny.tar.gz"), in_base("something")), 0);
    takes(&tiny, in_base("something"));
    remove(in_base("something"));
}

static void known_names(void **state)
{
    (void)state;
    static const struct fetch_job job = {.set = &mini, .n = 4};
    assert_int_equal(piece_recognise(&job, "train-images-idx3-ubyte").kind, PIECE_PLAIN);
    assert_int_equal(piece_recognise(&job, "train-images.idx3-ubyte").kind, PIECE_PLAIN);
    assert_int_equal(piece_recognise(&job, "train-images.idx3-ubyte.gz").kind, PIECE_PACKED);
    assert_int_equal(piece_recognise(&job, "train.images-idx3-ubyte").kind, PIECE_NONE);
    assert_int_equal(piece_recognise(&job, "train-images-idx3.ubyte").kind, PIECE_NONE);
    assert_int_equal(piece_recognise(&job, "train-images-idx3-ubyt").kind, PIECE_NONE);
    assert_int_equal(piece_recognise(&job, "").kind, PIECE_NONE);
}

/* No file makes other programs start. */
static void no_programs(void **state)
{
    (void)state;
    char lrzip[256];
    snprintf(lrzip, sizeof lrzip, "#!/bin/sh\necho ran >%s\n", in_base("ran")); /* it would have no environment */
    spill(in_base("bin/lrzip"), lrzip, strlen(lrzip));
    chmod(in_base("bin/lrzip"), 0755);
    fails(run(&tiny, in_data("program.lrz")), KELVIN_EFORMAT, "program.lrz: is not an archive", "");
    assert_false(exists(in_base("ran")));
}

/* One file at a time: what is right stays. */
static void file_by_file(void **state)
{
    (void)state;
    fails(run(&tiny, in_data("tiny/data_batch_2.bin")), KELVIN_EFORMAT, "tiny/data_batch_2.bin",
          "data_batch_1.bin, test_batch.bin is not there");
    fails(run(&tiny, in_data("tiny-gz/a/b/test_batch.bin.gz")), KELVIN_EFORMAT, "", ": data_batch_1.bin is not there");
    assert_int_equal(right_files(&tiny), 2);
    assert_false(exists(in_base("cache/tiny.fetch")));
    assert_ok(run(&tiny, in_data("tiny/data_batch_1.bin")));
    assert_complete(&tiny);
}

static void verifies(void **state)
{
    (void)state;
    bool complete = true;
    assert_ok(fetch_verify_set(&complete, &tiny, 2, NULL, NULL));
    assert_false(complete);
    assert_ok(run(&tiny, in_data("tiny")));
    assert_ok(fetch_verify_set(&complete, &tiny, 2, NULL, NULL));
    assert_true(complete);
    FILE *file = fopen(in_cache(&tiny, "test_batch.bin"), "r+b");
    fseek(file, 12345, SEEK_SET);
    const int byte = fgetc(file);
    fseek(file, 12345, SEEK_SET);
    fputc(byte ^ 16, file);
    fclose(file);
    assert_ok(fetch_verify_set(&complete, &tiny, 1, NULL, NULL));
    assert_false(complete);
    /* It is mended, and nothing else is touched. */
    struct stat before, after;
    stat(in_cache(&tiny, "data_batch_1.bin"), &before);
    assert_ok(run(&tiny, in_data("tiny.tar.gz")));
    assert_non_null(strstr(kelvin_fetch_source(), "/tiny.tar.gz (test_batch.bin was damaged)"));
    stat(in_cache(&tiny, "data_batch_1.bin"), &after);
    assert_true(before.st_ino == after.st_ino);
    assert_complete(&tiny);
    struct stopper at_once = {.at = 1};
    assert_int_equal(fetch_verify_set(&complete, &tiny, 2, stopper, &at_once), KELVIN_ESTOP);
}

static void names(void **state)
{
    (void)state;
    bool complete;
    fails(kelvin_fetch("cifar11", NULL, 1, NULL, NULL), KELVIN_EUSAGE, "'cifar11'", "expected cifar10 or mnist");
    fails(kelvin_fetch_verify(&complete, "", 1, NULL, NULL), KELVIN_EUSAGE, "''", "expected cifar10 or mnist");
    assert_ok(kelvin_fetch_verify(&complete, "mnist", 1, NULL, NULL));
    assert_false(complete);
}

/* ---- what is wrong ---- */

static void broken_sources(void **state)
{
    (void)state;
    static const struct {
        const char *from, *place, *sentence;
        size_t right; /* files that came through all the same */
    } cases[] = {
        {"nowhere", "data/nowhere", "could not be read: No such file", 0},
        {"text.txt", "text.txt: is not an archive, or a broken one", "Unrecognized archive format", 0},
        {"empty.tgz", "empty.tgz: ", "", 0},
        {"other.tar.gz", "other.tar.gz: has nothing of tiny", "expected data_batch_1.bin, ..., test_batch.bin", 0},
        {"mini", "mini: has nothing of tiny", "or an archive of them", 0},
        {"deep", "deep: has nothing of tiny", "or an archive of them", 0},
        {"lacking.tar.gz", "lacking.tar.gz: data_batch_2.bin", "is not there", 2},
        {"short.tar.gz", "short.tar.gz: data_batch_2.bin", "has 307299 bytes; expected 307300", 2},
        {"long.tar.gz", "long.tar.gz: data_batch_2.bin", "has 307301 bytes or more; expected 307300", 2},
        {"changed.tar.gz", "changed.tar.gz: data_batch_2.bin: has the SHA-1 ", "; expected ", 2},
        {"cut.tar.gz", "cut.tar.gz: is broken", "truncated", 1},
        {"png-count.tgz", "train_lables.json", "has 199 labels; expected a list of 200", 1},
        {"png-range.tgz", "test_lables.json", "label 8 is not a whole number from 0 to 9", 2},
        {"png-real.tgz", "test_lables.json", "label 1 is not a whole number from 0 to 9", 2},
        {"png-json.tgz", "test_lables.json: line 2, column ", "is not JSON; expected a list of 100 labels", 2},
        {"png-much.tgz", "train_lables.json", "has more than 1048576 bytes; expected a list of 200 labels", 1},
        {"png-size.tgz", "data_batch_1.png", "has 1024 x 99 pixels; expected 1024 x 100", 2},
        {"png-huge.tgz", "data_batch_1.png", "has 1073741824 x 1073741824 pixels; expected 1024 x 100", 2},
        {"png-grey.tgz", "data_batch_1.png", "is grey; expected colours", 2},
        {"png-pixels.tgz", "data_batch_1.png: has the SHA-1 ", "; expected ", 2},
        {"png-text.tgz", "data_batch_1.png", "is not a PNG file", 2},
        {"png-most", "png-most/data_batch_1.png", "is not a PNG file", 2},
        {"png-over", "png-over/data_batch_1.png: has 618697 bytes", "; expected at most 618696", 2},
        {"png-over.tgz", "png-over.tgz: data_batch_1.png: has 618697 bytes or more", "; expected at most 618696", 2},
        {"itself.tar", "itself.tar: has nothing of tiny", "or an archive of them", 0},
        {"link.tar", "link.tar: data_batch_1.bin", "is not there", 2},
        {"png-crc.tgz", "data_batch_1.png", "is a broken PNG file", 2},
        {"png-alone.tgz", "data_batch_1.png", "its labels are not there; expected train_lables.json and test_", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fresh(NULL);
        const kelvin_status expected = i == 0 ? KELVIN_EIO : KELVIN_EFORMAT;
        fails(run(&tiny, in_data(cases[i].from)), expected, cases[i].place, cases[i].sentence);
        if (right_files(&tiny) != cases[i].right) fail_msg("%s: %zu are right", cases[i].from, right_files(&tiny));
        assert_false(exists(in_base("cache/tiny.fetch")));
        assert_string_equal(kelvin_fetch_source(), "");
    }
    fresh(NULL);
    assert_int_equal(run(&tiny, in_data("flipped.tar.gz")), KELVIN_EFORMAT);
    assert_in_range(right_files(&tiny), 1, 2);
}

/* Looked at first, whether there is anything to do or not. */
static void no_such_place(void **state)
{
    (void)state;
    static const char *const places[] = {"", "ftp://example.invalid/x", "file:///x", "s3+x://y"};
    for (size_t done = 0; done < 2; done++) {
        fails(run(&tiny, in_base("nowhere/x")), KELVIN_EIO, "nowhere/x: could not be read", "No such file");
        fails(run(&tiny, "/no://scheme"), KELVIN_EIO, "/no://scheme: could not be read", "No such file");
        fails(run(&tiny, "://"), KELVIN_EIO, "://: could not be read", "No such file");
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            char place[64];
            snprintf(place, sizeof place, "--from is '%s'", places[i]);
            fails(run(&tiny, places[i]), KELVIN_EUSAGE, place,
                  "expected a file, a folder, or a URL with http:// or https://");
        }
        assert_string_equal(kelvin_fetch_source(), "");
        if (!done) assert_false(exists(in_base("cache")));
        assert_ok(run(&tiny, in_data("tiny")));
    }
}

/* What is wrong in the cache stays until the right bytes are there. */
static void wrong_file_stays(void **state)
{
    (void)state;
    assert_ok(run(&tiny, in_data("tiny")));
    spill(in_cache(&tiny, "data_batch_2.bin"), "wrong", 5);
    fails(run(&tiny, in_data("changed.tar.gz")), KELVIN_EFORMAT, "data_batch_2.bin", "SHA-1");
    size_t bytes;
    char *data = slurp(in_cache(&tiny, "data_batch_2.bin"), &bytes);
    assert_int_equal(bytes, 5);
    kelvin_free(data);
    assert_ok(run(&tiny, in_data("tiny.zip")));
    assert_complete(&tiny);
    assert_non_null(strstr(kelvin_fetch_source(), "/tiny.zip (data_batch_2.bin was damaged)"));
    spill(in_cache(&tiny, "data_batch_1.bin"), "wrong", 5);
    spill(in_cache(&tiny, "test_batch.bin"), "wrong", 5);
    remove(in_cache(&tiny, "data_batch_2.bin")); /* missing is not damaged */
    setenv("NPM", "copy", 1);
    assert_ok(run(&tiny, NULL));
    assert_string_equal(kelvin_fetch_source(),
                        "the npm package tiny 1.0.0 (data_batch_1.bin, test_batch.bin were damaged)");
    assert_complete(&tiny);
}

static void no_place(void **state)
{
    (void)state;
    spill(in_base("cache"), "a file", 6);
    fails(run(&tiny, in_data("tiny")), KELVIN_EIO,
          "/cache cannot be made: ", "/cache: Not a directory; set KELVIN_DATA to a folder that can be written");
    setenv("KELVIN_DATA", in_base("cache/below/it"), 1);
    fails(run(&tiny, in_data("tiny")), KELVIN_EIO, "/cache/below/it cannot be made: ",
          "/cache: Not a directory; set KELVIN_DATA to a folder that can be written");
    setenv("KELVIN_DATA", in_base("cache"), 1);
    remove(in_base("cache"));
    mkdir(in_base("cache"), 0777);
    spill(in_base("cache/tiny"), "a file", 6);
    fails(run(&tiny, in_data("tiny")), KELVIN_EIO, "/cache/tiny cannot be made", "Not a directory; set KELVIN_DATA");
    /* A folder where a file should be: no source can help, so the next ones are not asked. */
    remove(in_base("cache/tiny"));
    mkdir(in_base("cache/tiny"), 0777);
    mkdir(in_cache(&tiny, "data_batch_1.bin"), 0777);
    mkdir(in_cache(&tiny, "data_batch_1.bin/x"), 0777);
    tiny.urls[0] = url("plain/tiny.tar.gz");
    setenv("NPM", "copy", 1);
    fails(run(&tiny, NULL), KELVIN_EIO, "data_batch_1.bin: could not be written",
          "directory; set KELVIN_DATA to a folder");
    assert_int_equal(lines_with(in_base("npm.log"), "pack"), 0);
}

/* To root nothing is closed: root becomes nobody for a while. */
static kelvin_status run_as_nobody(const char *from)
{
    const bool root = geteuid() == 0;
    assert_int_equal(chmod(base, 0755), 0);
    if (root) assert_int_equal(seteuid(65534), 0);
    const kelvin_status status = run(&tiny, from);
    if (root) assert_int_equal(seteuid(0), 0);
    return status;
}

static void closed_cache(void **state)
{
    (void)state;
    assert_int_equal(mkdir(in_base("cache"), 0555), 0);
    fails(run_as_nobody(in_data("tiny")), KELVIN_EIO, "/cache/tiny.lock: could not be written: Permission denied",
          "; set KELVIN_DATA to a folder that can be written");
    assert_int_equal(chmod(in_base("cache"), 0755), 0);
}

/* Like a full disk: the first `bytes` of every file fit. The sentence that comes of it. */
static void limited(const char *from, rlim_t bytes, const char *place)
{
    int ends[2], ended;
    char sentence[FETCH_SENTENCE] = "";
    fresh(NULL);
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, bytes});
        const kelvin_status status = run(&tiny, from);
        const bool told = write(ends[1], kelvin_error(), strlen(kelvin_error())) > 0;
        _exit(told ? (int)status : 99);
    }
    close(ends[1]);
    assert_true(read(ends[0], sentence, sizeof sentence - 1) > 0);
    close(ends[0]);
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(WEXITSTATUS(ended), KELVIN_EIO);
    if (!strstr(sentence, place) || !strstr(sentence, "could not be written: File too large")) fail_msg("%s", sentence);
    right_files(&tiny);
    assert_ok(run(&tiny, in_data("tiny")));
    assert_complete(&tiny);
}

static void full_disk(void **state)
{
    (void)state;
    limited(in_data("tiny.tar"), 300000, "/cache/tiny/data_batch_1.bin: ");
    limited(in_data("tiny-1.0.0.tgz"), 300000, "/cache/tiny.fetch/pieces/data_batch_1.png: ");
    limited(url("plain/tiny.tar.gz"), 300000, "/cache/tiny.fetch/download/tiny.tar.gz.part: ");
}

static kelvin_status no_watcher(const char *from)
{
    return fetch_set_run(&tiny, from, 2, NULL, NULL);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static const char *const forms[] = {"tiny", "tiny-gz", "tiny.zip", "tiny-1.0.0.tgz", "tiny-png"};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        size_t n = 1;
        for (;; n++) {
            fresh(NULL);
            kelvin_alloc_fail_at(n);
            const kelvin_status status = no_watcher(in_data(forms[f]));
            kelvin_alloc_fail_at(0);
            if (!status) break;
            fails(status, KELVIN_ENOMEM, "", "out of memory");
            right_files(&tiny);
        }
        assert_in_range(n, 5, 100);
        assert_complete(&tiny);
    }
}

static void missing_library(void **state)
{
    (void)state;
    void *table[1];
    const struct library_symbol symbol = {"no_such_function", 0};
    const struct library none = {"libnone", "libnone7", {"libnone.so.7", "libnone.so"}, &symbol, 1};
    const struct library old = {"libarchive", "libarchive13", {"libnone.so.7", "libarchive.so.13"}, &symbol, 1};
    fails(library_open(table, &none), KELVIN_EIO, "libnone is not installed", "apt-get install libnone7");
    fails(library_open(table, &old), KELVIN_EIO, "libarchive is too old", "no_such_function");
}

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
        assert_int_equal(fetch_set_run(&tiny, url(path), 2, stopper, &unpacking), KELVIN_ESTOP);
        setenv("NPM", "copy", 1);
        assert_ok(run(&tiny, NULL));
        assert_complete(&tiny);
        assert_int_equal(unlink(in_data(names[i])), 0);
    }
    static const char *const hidden[] = {"plain/.x", "plain/..", "plain/?x", "plain/.#x"};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        fresh(NULL);
        struct stopper at_once = {.what = "downloading download", .at = 1};
        fails(fetch_set_run(&tiny, url(hidden[i]), 2, stopper, &at_once), KELVIN_ESTOP, "stopped while ", "; ");
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
    assert_non_null(strstr(kelvin_error(), in_base("cache/tiny, or say with --from")));
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

/* ---- interrupted ---- */

static bool is_group_gone(const char *file)
{
    int pid = 0;
    FILE *f = fopen(file, "r");
    const bool read = f && fscanf(f, "%d", &pid) == 1;
    if (f) fclose(f);
    for (int i = 0; read && i < 200 && kill(pid, 0) == 0; i++) usleep(10000); /* until init has reaped it */
    return read && kill(pid, 0) != 0 && errno == ESRCH;
}

/* npm is ended with all that it has started, even what does not heed SIGTERM. */
static void stops_npm(void **state)
{
    (void)state;
    struct stopper third = {.what = "downloading tiny@1.0.0 by npm", .at = 3};
    setenv("NPM", "hang", 1);
    fails(fetch_set_run(&tiny, NULL, 2, stopper, &third), KELVIN_ESTOP, "stopped while downloading tiny@1.0.0 by npm",
          "; the same command begins this download again");
    assert_true(is_group_gone(in_base("npm.log.pid")));
    assert_false(exists(in_base("cache/tiny.fetch")));
    assert_false(exists(in_base("cache/tiny.lock")));
}

/* The sentence promises what is true: the rest of a download, or what is complete. */
static void stops_and_goes_on(void **state)
{
    (void)state;
    struct stopper twentieth = {.what = "downloading", .at = 20}, reading = {.what = "reading", .at = 1};
    fails(fetch_set_run(&tiny, url("slow/tiny.tar.gz"), 2, stopper, &twentieth), KELVIN_ESTOP,
          "stopped while downloading tiny.tar.gz", "; the same command goes on from there");
    assert_true(exists(in_base("cache/tiny.fetch/download/tiny.tar.gz.part")));
    fails(fetch_set_run(&tiny, in_data("tiny.tar.gz"), 2, stopper, &reading), KELVIN_ESTOP,
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
        const kelvin_status status = fetch_set_run(&tiny, from, 2, stopper, &s);
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
            _exit(fetch_set_run(&tiny, from, 2, stopper, &s) ? 1 : 0);
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
        _exit(fetch_set_run(&tiny, url("slow/tiny.tar.gz"), 2, stopper, &s) ? 1 : 0);
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
    fails(fetch_set_run(&tiny, url("slow/tiny.tar.gz"), 1, stopper, &at_once), KELVIN_ESTOP, "stopped while waiting",
          "tiny");
    int ended;
    waitpid(child, &ended, 0);
    assert_int_equal(ended, 0);
    assert_complete(&tiny);
}

/* ---- other programs ---- */

static bool three_times(void *context)
{
    return ++*(int *)context < 3;
}

static void processes(void **state)
{
    (void)state;
    char shell[] = "/bin/sh", c[] = "-c", say[] = "echo out; echo err >&2; read x || exit 3", hang[] = "/bin/sleep 60";
    char *speaks[] = {shell, c, say, NULL}, *hangs[] = {shell, c, hang, NULL}, *none[] = {hang, NULL};
    int ended = kelvin_process_run(speaks, in_base("said"), NULL, NULL);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 3); /* and did not wait for input */
    size_t bytes;
    char *said = slurp(in_base("said"), &bytes);
    assert_string_equal(said, "out\nerr\n");
    kelvin_free(said);
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
        for (int i = 0; i < 1000 && lines_with(in_base("said"), "alive") == 0; i++) usleep(10000);
        assert_int_equal(lines_with(in_base("said"), "alive"), 1);
    }
    signal(SIGCHLD, SIG_DFL);
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

#define FRESH(test) cmocka_unit_test_setup(test, fresh)

int main(void)
{
    setenv("REAL_PATH", getenv("PATH") ? getenv("PATH") : "", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha1_vectors),
        FRESH(every_form),
        FRESH(any_name),
        FRESH(known_names),
        FRESH(no_programs),
        FRESH(file_by_file),
        FRESH(verifies),
        FRESH(names),
        FRESH(broken_sources),
        FRESH(wrong_file_stays),
        FRESH(no_such_place),
        FRESH(no_place),
        FRESH(closed_cache),
        FRESH(full_disk),
        FRESH(every_allocation_may_fail),
        FRESH(missing_library),
        FRESH(downloads),
        FRESH(failed_downloads),
        FRESH(resumed_downloads),
        FRESH(once_more),
        FRESH(names_of_urls),
        FRESH(stale_parts),
        FRESH(closed_part),
        FRESH(npm),
        FRESH(npm_fails),
        FRESH(no_source),
        FRESH(order_of_sources),
        FRESH(stops_npm),
        FRESH(stops_and_goes_on),
        FRESH(stopped_anywhere),
        FRESH(killed_anywhere),
        FRESH(killed_download_goes_on),
        FRESH(nothing_but_leftovers),
        FRESH(two_at_once),
        FRESH(waiting_stops),
        FRESH(processes),
        FRESH(ignored_children),
        FRESH(real_npm),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
