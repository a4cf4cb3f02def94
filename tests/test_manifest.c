/* The manifest of a folder: what is in it comes back, damage of it and of the files that it names gets a sentence, and
 * no name leads out of the folder. Checksums of the texts here are zlib.crc32 of Python. */
#include "folder_helpers.h"

#include "files/formats.h"
#include "files/manifest.h"

#include <errno.h>

static const char *const names[] = {"run.json", "chain-000/history.csv", "chain-000/an odd name", "empty"};
enum { N = sizeof names / sizeof *names };

static const char good[] = "kelvin manifest 1\n"
                           "5a6d7b28 12 run.json\n"
                           "8d57e369 10 chain-000/history.csv\n"
                           "e8b7be43 1 chain-000/an odd name\n"
                           "00000000 0 empty\n"
                           "crc32 e93c6711\n";

static void spill_files(void)
{
    mkdir(in_base("chain-000"), 0777);
    spill(in_base("run.json"), "{\"chains\":3}", 12);
    spill(in_base("chain-000/history.csv"), "epoch,lr\n0", 10);
    spill(in_base("chain-000/an odd name"), "a", 1);
    spill(in_base("empty"), "", 0);
}

static void write_manifest(void)
{
    spill_files();
    assert_ok(kelvin_manifest_write(base, names, N));
}

static struct kelvin_manifest *opened(void)
{
    struct kelvin_manifest *manifest;
    assert_ok(kelvin_manifest_read(&manifest, base));
    assert_non_null(manifest);
    return manifest;
}

static void refused(const char *sentence)
{
    struct kelvin_manifest *manifest = (void *)names;
    fails(kelvin_manifest_read(&manifest, base), KELVIN_EFORMAT, "/manifest: ", sentence);
    assert_null(manifest);
}

/* A manifest of these lines, with the right last one. */
static void spill_lines(const char *lines)
{
    char text[1 << 12];
    const int n = snprintf(text, sizeof text, "%scrc32 %08x\n", lines, (unsigned)kelvin_crc32(lines, strlen(lines)));
    spill(in_base("manifest"), text, (size_t)n);
}

static void comes_back(void **state)
{
    (void)state;
    struct kelvin_manifest *manifest = (void *)names;
    assert_ok(kelvin_manifest_read(&manifest, base));
    assert_null(manifest); /* there is none */
    assert_ok(kelvin_manifest_read(&manifest, in_base("no/folder")));
    assert_null(manifest);
    kelvin_manifest_free(manifest);

    write_manifest();
    size_t bytes;
    char *text = slurp(in_base("manifest"), &bytes);
    assert_string_equal(text, good);
    kelvin_free(text);

    manifest = opened();
    for (int again = 0; again < 2; again++)
        for (size_t i = 0; i < N; i++) {
            assert_true(kelvin_manifest_has(manifest, names[i]));
            assert_ok(kelvin_manifest_check(manifest, names[i]));
        }
    assert_false(kelvin_manifest_has(manifest, "chain-000") || kelvin_manifest_has(manifest, ""));
    fails(kelvin_manifest_check(manifest, "times.csv"), KELVIN_EFORMAT, "/times.csv: is not among",
          "/manifest does not name it");
    kelvin_manifest_free(manifest);

    assert_ok(kelvin_manifest_write(base, NULL, 0));
    manifest = opened();
    assert_false(kelvin_manifest_has(manifest, "run.json"));
    kelvin_manifest_free(manifest);
}

/* ---- files that have changed ---- */

static void check_one(const char *name, kelvin_status expected, const char *sentence)
{
    struct kelvin_manifest *manifest = opened();
    fails(kelvin_manifest_check(manifest, name), expected, name, sentence);
    kelvin_manifest_free(manifest);
    spill_files();
}

static void changed_files(void **state)
{
    (void)state;
    const char *history = "chain-000/history.csv";
    write_manifest();
    for (size_t bit = 0; bit < 80; bit++) {
        char text[] = "epoch,lr\n0";
        text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
        spill(in_base(history), text, 10);
        check_one(history, KELVIN_EFORMAT, "is not as the run left it: it has crc32 ");
    }
    spill(in_base(history), "epoch,lr\n1", 10);
    check_one(history, KELVIN_EFORMAT, "crc32 fa50d3ff, expected 8d57e369");
    spill(in_base(history), "epoch,lr\n", 9);
    check_one(history, KELVIN_EFORMAT, "is not as the run left it: it has 9 bytes, expected 10");
    spill(in_base(history), "epoch,lr\n0\n", 11);
    check_one(history, KELVIN_EFORMAT, "is not as the run left it: it has 11 bytes, expected 10");
    spill(in_base("empty"), "x", 1);
    check_one("empty", KELVIN_EFORMAT, "it has 1 bytes, expected 0");
    assert_int_equal(rename(in_base("run.json"), in_base(history)), 0); /* one in place of another */
    check_one(history, KELVIN_EFORMAT, "it has 12 bytes, expected 10");

    remove(in_base(history));
    check_one(history, KELVIN_EIO, strerror(ENOENT));
    remove(in_base(history));
    assert_int_equal(mkfifo(in_base(history), 0666), 0);
    struct kelvin_manifest *manifest = opened();
    fails(kelvin_manifest_check(manifest, history), KELVIN_EIO, history, "is not a regular file");
    remove(in_base(history));
    assert_int_equal(mkdir(in_base(history), 0777), 0);
    fails(kelvin_manifest_check(manifest, history), KELVIN_EIO, history, "is not a regular file");
    assert_int_equal(rmdir(in_base(history)), 0);
    kelvin_manifest_free(manifest);
}

/* What somebody else has read of the files. */
static void without_files(void **state)
{
    (void)state;
    struct kelvin_manifest *manifest;
    size_t bytes;
    write_manifest();
    char *text = slurp(in_base("manifest"), &bytes);
    assert_ok(kelvin_manifest_parse(&manifest, "elsewhere", text, bytes));
    text[bytes - 2] ^= 1; /* it has its own */
    assert_ok(kelvin_manifest_compare(manifest, "chain-000/history.csv", 10, 0x8d57e369));
    fails(kelvin_manifest_compare(manifest, "chain-000/history.csv", 10, 0xfa50d3ff), KELVIN_EFORMAT,
          "elsewhere/chain-000/history.csv: is not as", "crc32 fa50d3ff, expected 8d57e369");
    fails(kelvin_manifest_compare(manifest, "chain-000/history.csv", 9, 0x8d57e369), KELVIN_EFORMAT, "history.csv",
          "it has 9 bytes, expected 10");
    fails(kelvin_manifest_compare(manifest, "times.csv", 0, 0), KELVIN_EFORMAT, "elsewhere/times.csv: is not among",
          "elsewhere/manifest does not name it");
    kelvin_manifest_free(manifest);
    fails(kelvin_manifest_parse(&manifest, "elsewhere", text, bytes), KELVIN_EFORMAT,
          "elsewhere/manifest: ", "its last line is");
    assert_null(manifest);
    kelvin_free(text);
}

/* More bytes than are read at a time; the last of them counts. */
static void long_files(void **state)
{
    (void)state;
    enum { BYTES = 600001 };
    static char data[BYTES];
    const char *const name = "long";
    for (size_t i = 0; i < BYTES; i++) data[i] = (char)(i * i >> 5);
    spill(in_base(name), data, BYTES);
    assert_ok(kelvin_manifest_write(base, &name, 1));
    struct kelvin_manifest *manifest = opened();
    assert_ok(kelvin_manifest_check(manifest, name));
    remove(in_base(name));
    assert_ok(kelvin_manifest_check(manifest, name)); /* was right once */
    kelvin_manifest_free(manifest);
    for (size_t at = 0; at < BYTES; at += 100000) {
        data[at] ^= 64;
        spill(in_base(name), data, BYTES);
        check_one(name, KELVIN_EFORMAT, "crc32");
        data[at] ^= 64;
    }
    remove(in_base(name));
}

/* ---- manifests that are not right ---- */

static void damaged_manifests(void **state)
{
    (void)state;
    write_manifest();
    size_t bytes;
    char *text = slurp(in_base("manifest"), &bytes);
    for (size_t bit = 0; bit < 8 * bytes; bit++) {
        text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
        spill(in_base("manifest"), text, bytes);
        refused("is damaged: ");
        text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
    }
    for (size_t n = 0; n < bytes; n++) {
        spill(in_base("manifest"), text, n);
        refused("is damaged: ");
    }
    spill(in_base("manifest"), text, bytes + 1); /* the 0 after it */
    refused("is damaged: ");
    kelvin_free(text);
    assert_int_equal(truncate(in_base("manifest"), (1 << 27) + 1), 0); /* a hole: no bytes on the disk */
    refused("has 134217729 bytes, expected at most 134217728");
    remove(in_base("manifest"));
    struct kelvin_manifest *manifest;
    assert_int_equal(mkfifo(in_base("manifest"), 0666), 0);
    fails(kelvin_manifest_read(&manifest, base), KELVIN_EIO, "/manifest", "is not a regular file");
    remove(in_base("manifest"));
    assert_int_equal(symlink("nowhere", in_base("manifest")), 0);
    fails(kelvin_manifest_read(&manifest, base), KELVIN_EIO, "/manifest", strerror(ENOENT));
    remove(in_base("manifest"));
}

/* Their last line is right. */
static void strange_manifests(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "00000000 0 ../x",
        "00000000 0 /etc/passwd",
        "00000000 0 a/../x",
        "00000000 0 ..",
        "00000000 0 a//b",
        "00000000 0 ./a",
        "00000000 0 a/",
        "00000000 0 a/.",
        "00000000 0 a\tb",
        "00000000 0 manifest",
        "00000000 0 ",
        "00000000 0",
        "00000000  0 a",
        "0000000 0 a",
        "000000000 0 a",
        "0000000A 0 a",
        " 0000000 0 a",
        "00000000 01 a",
        "00000000 -1 a",
        "00000000 +1 a",
        "00000000 0x1 a",
        "00000000 1e3 a",
        "00000000 18446744073709551616 a",
        "00000000 99999999999999999999999999999999999999999 a",
        "crc32 00000000",
        "",
    };
    char lines[512];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(lines, sizeof lines, "kelvin manifest 1\n00000000 0 empty\n%s\n", bad[i]);
        spill_lines(lines);
        refused("line 3 is \"");
        refused("expected a checksum, a size and a file in the folder");
    }
    spill_lines("kelvin manifest 2\n00000000 0 empty\n");
    refused("its first line is \"kelvin manifest 2\", expected \"kelvin manifest 1\"");
    spill_lines("kelvin manifest 1\n00000000 0 empty\n00000000 0 a\n00000001 1 empty\n");
    refused("has \"empty\" twice");
    spill_lines("kelvin manifest 1\n00000000 18446744073709551615 empty\nffffffff 0 ..a/...\n");
    struct kelvin_manifest *manifest = opened();
    assert_true(kelvin_manifest_has(manifest, "..a/..."));
    fails(kelvin_manifest_check(manifest, "empty"), KELVIN_EFORMAT, "0 bytes", "expected 18446744073709551615");
    kelvin_manifest_free(manifest);
}

/* ---- writing ---- */

static void cannot_be_written(void **state)
{
    (void)state;
    static const char *const bad[] = {"../x", "/etc/passwd", "", "a\nb", "manifest", "a/./b"};
    write_manifest();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        fails(kelvin_manifest_write(base, &bad[i], 1), KELVIN_EUSAGE, base, "is not the name of a file in it");
    const char *const twice[] = {"run.json", "empty", "run.json"}, *const missing[] = {"empty", "nowhere"};
    fails(kelvin_manifest_write(base, twice, 3), KELVIN_EUSAGE, "\"run.json\"", "is there twice");
    fails(kelvin_manifest_write(base, missing, 2), KELVIN_EIO, "/nowhere", strerror(ENOENT));
    fails(kelvin_manifest_write(in_base("nowhere"), names, 0), KELVIN_EIO, "nowhere/manifest", strerror(ENOENT));
    struct kelvin_manifest *manifest = opened(); /* the old one stays */
    assert_ok(kelvin_manifest_check(manifest, "chain-000/history.csv"));
    kelvin_manifest_free(manifest);
    assert_false(exists(in_base("manifest.tmp")));
}

static kelvin_status write_and_check(void *context)
{
    struct kelvin_manifest *manifest;
    KELVIN_TRY(kelvin_manifest_write(context, names, N));
    KELVIN_TRY(kelvin_manifest_read(&manifest, context));
    kelvin_status status = KELVIN_OK;
    for (size_t i = 0; i < N && !status; i++) status = kelvin_manifest_check(manifest, names[i]);
    kelvin_manifest_free(manifest);
    return status;
}

static void memory_runs_out(void **state)
{
    (void)state;
    spill_files();
    assert_int_equal(without_memory(write_and_check, base), 5); /* it makes four */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),        cmocka_unit_test(changed_files),     cmocka_unit_test(long_files),
        cmocka_unit_test(damaged_manifests), cmocka_unit_test(strange_manifests), cmocka_unit_test(cannot_be_written),
        cmocka_unit_test(memory_runs_out),   cmocka_unit_test(without_files),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
