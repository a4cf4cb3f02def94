/* Fetching: every form in which a data set may come, and every way in which it may be wrong: what stands under a final
 * name is right, or is not there. */
#include "fetch_helpers.h"

#include "base/library.h"
#include "base/memory.h"
#include "fetch/sha1.h"

#include <errno.h>
#include <sys/resource.h>

/* ---- SHA-1 ---- */

static void sha1_of(char hex[SHA1_HEX], const void *data, size_t bytes, size_t step)
{
    struct sha1 sha = kelvin_sha1_start();
    for (size_t i = 0; i < bytes; i += step)
        kelvin_sha1_add(&sha, (const char *)data + i, bytes - i < step ? bytes - i : step);
    kelvin_sha1_end(&sha, hex);
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
    struct sha1 sha = kelvin_sha1_start();
    for (int i = 0; i < 10000; i++) /* a million times 'a', never whole blocks */
        kelvin_sha1_add(
            &sha,
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            100);
    kelvin_sha1_end(&sha, hex);
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
    assert_int_equal(kelvin_piece_recognise(&job, "train-images-idx3-ubyte").kind, PIECE_PLAIN);
    assert_int_equal(kelvin_piece_recognise(&job, "train-images.idx3-ubyte").kind, PIECE_PLAIN);
    assert_int_equal(kelvin_piece_recognise(&job, "train-images.idx3-ubyte.gz").kind, PIECE_PACKED);
    assert_int_equal(kelvin_piece_recognise(&job, "train.images-idx3-ubyte").kind, PIECE_NONE);
    assert_int_equal(kelvin_piece_recognise(&job, "train-images-idx3.ubyte").kind, PIECE_NONE);
    assert_int_equal(kelvin_piece_recognise(&job, "train-images-idx3-ubyt").kind, PIECE_NONE);
    assert_int_equal(kelvin_piece_recognise(&job, "").kind, PIECE_NONE);
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
    assert_ok(kelvin_fetch_verify_set(&complete, &tiny, 2, NULL, NULL));
    assert_false(complete);
    assert_ok(run(&tiny, in_data("tiny")));
    assert_ok(kelvin_fetch_verify_set(&complete, &tiny, 2, NULL, NULL));
    assert_true(complete);
    FILE *file = fopen(in_cache(&tiny, "test_batch.bin"), "r+b");
    fseek(file, 12345, SEEK_SET);
    const int byte = fgetc(file);
    fseek(file, 12345, SEEK_SET);
    fputc(byte ^ 16, file);
    fclose(file);
    assert_ok(kelvin_fetch_verify_set(&complete, &tiny, 1, NULL, NULL));
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
    assert_int_equal(kelvin_fetch_verify_set(&complete, &tiny, 2, stopper, &at_once), KELVIN_ESTOP);
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

/* One name, 5000 times in each of four forms: each form is unpacked once. Told of are entries and pieces read. */
static void many_of_one_name(void **state)
{
    (void)state;
    struct stopper calls = {.what = "unpacking"};
    fails(kelvin_fetch_set_run(&tiny, in_data("many.tar.gz"), 1, stopper, &calls), KELVIN_EFORMAT,
          "many.tar.gz: data_batch_1.bin", "has 9 bytes; expected 307300");
    assert_in_range(calls.calls, 20000, 20020);
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
            snprintf(place, sizeof place, "from is '%s'", places[i]);
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

/* Nothing is written, or removed, by way of a link. */
static void links_in_the_way(void **state)
{
    (void)state;
    mkdir(in_base("theirs"), 0777);
    spill(in_base("theirs/data_batch_1.png"), "theirs", 6);
    mkdir(in_base("cache"), 0777);
    mkdir(in_base("cache/tiny.fetch"), 0777);
    assert_int_equal(symlink(in_base("theirs"), in_base("cache/tiny.fetch/pieces")), 0);
    assert_ok(run(&tiny, in_data("tiny-1.0.0.tgz")));
    assert_complete(&tiny);
    size_t bytes;
    char *text = slurp(in_base("theirs/data_batch_1.png"), &bytes);
    assert_string_equal(text, "theirs");
    kelvin_free(text);
    fresh(NULL);
    mkdir(in_base("cache"), 0777);
    assert_int_equal(symlink(in_base("theirs/lock"), in_base("cache/tiny.lock")), 0);
    fails(run(&tiny, in_data("tiny")), KELVIN_EIO, "/cache/tiny.lock: is a link; expected a regular file",
          "set KELVIN_DATA");
    assert_false(exists(in_base("theirs/lock")));
    remove_tree(in_base("theirs"));
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
    return kelvin_fetch_set_run(&tiny, from, 2, NULL, NULL);
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
    static const char *const functions[] = {"no_such_function", NULL};
    const struct library none = {"libnone", "libnone7", {"libnone.so.7", "libnone.so"}, functions};
    const struct library old = {"libarchive", "libarchive13", {"libnone.so.7", "libarchive.so.13"}, functions};
    fails(kelvin_library_open(table, &none), KELVIN_EIO, "libnone is not installed", "Debian's package libnone7");
    fails(kelvin_library_open(table, &old), KELVIN_EIO, "libarchive is too old", "no_such_function");
}

int main(void)
{
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
        FRESH(many_of_one_name),
        FRESH(links_in_the_way),
        FRESH(wrong_file_stays),
        FRESH(no_such_place),
        FRESH(no_place),
        FRESH(closed_cache),
        FRESH(full_disk),
        FRESH(every_allocation_may_fail),
        FRESH(missing_library),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
