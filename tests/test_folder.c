/* The files of a run: byte for byte as their formats say, a clear sentence for every way in which they can be broken,
 * and nothing half-written left behind. */
#include "run_helpers.h"

#include "files/record.h"
#include "run/room.h"

#include <errno.h>
#include <math.h>
#include <sys/wait.h>

/* ---- files, byte for byte ---- */

static void npy_bytes(void **state)
{
    (void)state;
    static const char expected[] = "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, "
                                   "'shape': (2, 1, 3), }                                                       \n"
                                   "\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x00\x00\x00"  /* 1, -2, 0 */
                                   "\x00\x00\x80\x7f\xcd\xcc\xcc\x3d\x00\x00\x20\x41"; /* infinity, 0.1, 10 */
    const float data[6] = {1, -2, 0, INFINITY, 0.1f, 10};
    const size_t shape[3] = {2, 1, 3};
    assert_ok(kelvin_npy_write(in_base("six.npy"), data, shape));
    size_t bytes;
    char *file = slurp(in_base("six.npy"), &bytes);
    assert_int_equal(bytes, sizeof expected - 1);
    assert_memory_equal(file, expected, bytes);
    kelvin_free(file);
    float back[6];
    assert_ok(kelvin_npy_read(back, in_base("six.npy"), shape));
    assert_memory_equal(back, data, sizeof data);
    const size_t huge[3] = {SIZE_MAX / 2, 3, 1};
    fails(kelvin_npy_read(back, in_base("six.npy"), huge), KELVIN_ENOMEM, "six.npy", "addressed");
    fails(kelvin_npy_write(in_base("huge.npy"), data, huge), KELVIN_ENOMEM, "huge.npy", "addressed");
}

/* Two draws of a model with a (1, 2) weight and a bias: the file holds both draws of the weight first.
 * 3.0 = 0x40400000 and so on; the checksum is zlib.crc32 of these 24 bytes in Python. */
static void safetensors_bytes(void **state)
{
    (void)state;
    static const char header[] = "{\"__metadata__\":{\"kelvin\":\"" KELVIN_VERSION
                                 "\",\"seed\":\"18446744073709551615\",\"chain\":\"7\",\"crc32\":\"3d60d50a\","
                                 "\"header_crc32\":\"00000000\"},"
                                 "\"w\":{\"dtype\":\"F32\",\"shape\":[2,1,2],\"data_offsets\":[0,16]},"
                                 "\"b\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[16,24]}}";
    static const char data[] = "\x00\x00\x40\x40\x00\x00\x80\x40\x00\x00\x40\xc0\x00\x00\x80\xc0" /* 3, 4, -3, -4 */
                               "\x00\x00\x20\x40\x00\x00\x20\xc0";                                /* 2.5, -2.5 */
    kelvin_tensor tensors[2] = {{.name = "w", .ndim = 2, .shape = {1, 2}},
                                {.name = "b", .offset = 2, .ndim = 1, .shape = {1}}};
    const kelvin_model model = {.n_params = 3, .n_tensors = 2, .tensor = tensors};
    const struct kelvin_draws about = {.model = &model, .iterations = 2, .seed = UINT64_MAX, .chain = 7};
    const float draws[6] = {3, 4, 2.5f, -3, -4, -2.5f};
    assert_ok(kelvin_safetensors_write(in_base("two.safetensors"), draws, &about));

    size_t bytes;
    char *file = slurp(in_base("two.safetensors"), &bytes);
    uint64_t length;
    memcpy(&length, file, 8);
    assert_true(length % 8 == 0 && length >= sizeof header - 1 && length < sizeof header - 1 + 8);
    assert_int_equal(bytes, 8 + length + 24);
    /* The header's own checksum, of which tests/test_tensors.c knows what it should be. */
    memcpy(file + 8 + (strstr(header, "00000000") - header), "00000000", 8);
    assert_memory_equal(file + 8, header, sizeof header - 1);
    for (size_t i = sizeof header - 1; i < length; i++) assert_true(file[8 + i] == ' ');
    assert_memory_equal(file + 8 + length, data, 24);
    kelvin_free(file);

    float back[6];
    assert_ok(kelvin_safetensors_read(back, in_base("two.safetensors"), &about));
    assert_memory_equal(back, draws, sizeof draws);
}

/* The check value of this CRC in every catalogue. */
static void crc32_of_digits(void **state)
{
    (void)state;
    assert_true(kelvin_crc32("123456789", 9) == 0xcbf43926);
    assert_true(kelvin_crc32("", 0) == 0);
}

static void fewest_digits(void **state)
{
    (void)state;
    const struct {
        double x;
        int digits;
    } table[] = {{0.1, 1}, {1e300, 1}, {2.385, 4}, {1.0 / 3, 16}, {0.1 + 0.2, 17}, {-0.0, 1}, {INFINITY, 1}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(kelvin_digits(table[i].x), table[i].digits);
}

/* NumPy opens the logits; Python's zlib agrees with the checksum, and the tensors are where the header says. */
static void python_reads_it(void **state)
{
    (void)state;
    static const char *const program =
        "import sys, json, struct, zlib\n"
        "try:\n    import numpy as np\nexcept ImportError:\n    sys.exit(77)\n"
        "z = np.load(sys.argv[1] + '/logits_train.npy')\n"
        "y = np.load(sys.argv[1] + '/labels_train.npy')\n"
        "assert y.shape == (18,) and y.dtype == np.int64 and sorted(y) == [0] * 9 + [1] * 9\n"
        "assert z.shape == (8, 18, 2) and z.dtype == np.float32 and np.isfinite(z).all()\n"
        "f = open(sys.argv[1] + '/chain-001/samples.safetensors', 'rb').read()\n"
        "n, = struct.unpack('<Q', f[:8])\n"
        "h, d = json.loads(f[8:8 + n]), f[8 + n:]\n"
        "assert '%08x' % zlib.crc32(d) == h['__metadata__']['crc32'] and len(d) == 6 * 492 * 4\n"
        "t = {k: np.frombuffer(d[v['data_offsets'][0]:v['data_offsets'][1]], '<f4').reshape(v['shape'])\n"
        "     for k, v in h.items() if k != '__metadata__'}\n"
        "x = np.array([[.15, -.39]]) * np.ones((6, 1))\n" /* the first point, through the first chain's networks */
        "names = list(t)\n"
        "for i in range(0, len(names), 2):\n"
        "    x = np.einsum('soi,si->so', t[names[i]].astype(float), x) + t[names[i + 1]]\n"
        "    x = np.maximum(x, 0) if i + 2 < len(names) else x\n"
        "assert np.allclose(x[2:], z[4:, 0], rtol=1e-4, atol=1e-4), (x[2:], z[4:, 0])\n";
    run_python(program, in_base("one"));
}

/* ---- broken folders ---- */

enum damage {
    REMOVE,
    REPLACE, /* the first `old` becomes `new` */
    CUT,     /* the last byte goes */
    APPEND,  /* `new` comes after the end */
    FLIP,    /* a bit of the last byte */
    POKE,    /* the byte at number `old` becomes large */
    SWAP,    /* the file becomes that of the other chain */
};

struct broken {
    const char *file;
    enum damage damage;
    const char *old, *new;
    kelvin_status status;
    const char *sentence;
};

#define CONFIG  "run.json"
#define SAMPLES "chain-000/samples.safetensors"
#define HISTORY "chain-001/history.csv"
#define LOGITS  "logits_train.npy"
#define TIMES   "times.json"

static const struct broken broken[] = {
    {CONFIG, REMOVE, "", "", KELVIN_EFORMAT, "it has no run.json"},
    {CONFIG, REPLACE, "\"chains\": 2,", "\"chains\": 2", KELVIN_EFORMAT, ", line 11"},
    {CONFIG, REPLACE, "7cc91241-", "7cc91241_", KELVIN_EFORMAT, "\"data_crc32\": expected two or four checksums"},
    {CONFIG, REPLACE, "7cc91241-", "7cc91240-", KELVIN_EFORMAT, "the data set toy has changed since (training inputs)"},
    {CONFIG, REPLACE, "\"toy\"", "\"csv:/nowhere.csv\"", KELVIN_EIO, "its data: /nowhere.csv: could not be read"},
    {CONFIG, REPLACE, "{", "[", KELVIN_EFORMAT, ", line 2"},
    {CONFIG, APPEND, "", "x", KELVIN_EFORMAT, ", line 17"},
    {CONFIG, REPLACE, "\"chains\": 2", "\"chains\": \"two\"", KELVIN_EFORMAT, "\"chains\": expected a whole number"},
    {CONFIG, REPLACE, "\"chains\": 2", "\"chains\": 2.0", KELVIN_EFORMAT, "\"chains\": expected a whole number"},
    {CONFIG, REPLACE, "\"chains\": 2", "\"chains\": -2", KELVIN_EFORMAT, "\"chains\": expected a whole number"},
    {CONFIG, REPLACE, "\"chains\": 2", "\"chains\": 4294967298", KELVIN_EFORMAT, "\"chains\": expected a whole number"},
    {CONFIG, REPLACE, "\"chains\": 2,", "", KELVIN_EFORMAT, "\"chains\" is missing"},
    {CONFIG, REPLACE, "\"chains\": 2", "\"chains\": 2, \"chains\": 2", KELVIN_EFORMAT, "duplicate"},
    {CONFIG, REPLACE, "\"chains\": 2", "\"chains\": 2, \"mass\": 1", KELVIN_EFORMAT, "\"mass\" is not known"},
    {CONFIG, REPLACE, "\"chains\": 2", "\"chains\": 0", KELVIN_EFORMAT, "chains is 0"},
    {CONFIG, REPLACE, "\"data\": \"toy\"", "\"data\": 7", KELVIN_EFORMAT, "\"data\": expected a string"},
    {CONFIG, REPLACE, "\"seed\": 2385", "\"seed\": -1", KELVIN_EFORMAT, "\"seed\": expected a whole number"},
    {CONFIG, REPLACE, "\"seed\": 2385", "\"seed\": \"-1\"", KELVIN_EFORMAT, "\"seed\": expected a whole number"},
    {CONFIG, REPLACE, "\"seed\": 2385", "\"seed\": \"18446744073709551616\"", KELVIN_EFORMAT, "\"seed\": expected"},
    {CONFIG, REPLACE, "\"seed\": 2385", "\"seed\": \"1x\"", KELVIN_EFORMAT, "\"seed\": expected a whole number"},
    {CONFIG, REPLACE, "0.0004", "\"small\"", KELVIN_EFORMAT, "\"step_size\": expected a number"},
    {CONFIG, REPLACE, ": 1.0", ": null", KELVIN_EFORMAT, "\"temperature\": expected a number"},
    {CONFIG, REPLACE, "\"warmup\": 2", "\"warmup\": 6", KELVIN_EFORMAT, "warmup is 6 of 6"},
    {CONFIG, REPLACE, "dirclip", "dirclap", KELVIN_EFORMAT, "dirclap"},
    {CONFIG, REPLACE, "\"hmc\"", "\"nuts\"", KELVIN_EFORMAT, "nuts"},
    {CONFIG, REPLACE, "\"steps\": 20", "\"steps\": 0", KELVIN_EFORMAT, "steps"},
    {SAMPLES, REMOVE, "", "", KELVIN_EIO, "No such file"},
    {SAMPLES, CUT, "", "", KELVIN_EFORMAT, "holds 11807 bytes of data, expected 11808"},
    {SAMPLES, APPEND, "", "x", KELVIN_EFORMAT, "holds 11809 bytes of data, expected 11808"},
    {SAMPLES, FLIP, "", "", KELVIN_EFORMAT, "the file is damaged"},
    {SAMPLES, SWAP, "", "", KELVIN_EFORMAT, "chain is 1 in the header, expected 0"},
    {SAMPLES, REPLACE, "2385", "2384", KELVIN_EFORMAT, "seed is 2384 in the header, expected 2385"},
    {SAMPLES, REPLACE, "\"crc32\"", "\"crc31\"", KELVIN_EFORMAT, "no string \"crc32\""},
    {SAMPLES, REPLACE, "F32", "F16", KELVIN_EFORMAT, "\"dtype\": \"F16\""},
    {SAMPLES, REPLACE, "[6,10,2]", "[6,2,10]", KELVIN_EFORMAT, "is F32 (6, 2, 10), expected F32 (6, 10, 2)"},
    {SAMPLES, REPLACE, "[0,480]", "[0,484]", KELVIN_EFORMAT, "data_offsets as far apart as the shape says"},
    {SAMPLES, REPLACE, "[0,480]", "\"0 480\"", KELVIN_EFORMAT, "expected two data_offsets"},
    {SAMPLES, REPLACE, ".weight", ".height", KELVIN_EFORMAT, "is missing"},
    {SAMPLES, REPLACE, "{\"__met", "[\"__met", KELVIN_EFORMAT, "header, line 1"},
    {SAMPLES, REPLACE, "{\"__met", "\xff\xff\xff\x7f\xff\xff\xff", KELVIN_EFORMAT, "header, line"},
    {SAMPLES, POKE, "7", "", KELVIN_EFORMAT, "ends within its header"},
    {LOGITS, POKE, "9", "", KELVIN_EFORMAT, "ends within its header"},
    {LOGITS, REMOVE, "", "", KELVIN_EIO, "No such file"},
    {LOGITS, CUT, "", "", KELVIN_EFORMAT, "holds 1151 bytes of data, expected 1152"},
    {LOGITS, APPEND, "", "x", KELVIN_EFORMAT, "holds 1153 bytes of data, expected 1152"},
    {LOGITS, REPLACE, "NUMPY", "NUMPI", KELVIN_EFORMAT, "is not an NPY file"},
    {LOGITS, REPLACE, "NUMPY\x01", "NUMPY\x04", KELVIN_EFORMAT, "of version 4.0; expected version 1.0"},
    {LOGITS, REPLACE, "<f4", "<f8", KELVIN_EFORMAT, "holds 1152 bytes of data, expected 2304"},
    {LOGITS, REPLACE, "<f4", "<i4", KELVIN_EFORMAT, "{'descr': '<i4', 'fortran_order': False, 'shape': (8, 18, 2)}"},
    {LOGITS, REPLACE, "<f4", ">f4", KELVIN_EFORMAT, "expected {'descr': '<f4'"},
    {LOGITS, REPLACE, "False", "True ", KELVIN_EFORMAT, "'fortran_order': True"},
    {LOGITS, REPLACE, "(8, 18, 2)", "(8,36)    ", KELVIN_EFORMAT, "'shape': (8, 18, 2)"},
    {LOGITS, REPLACE, "(8, 18, 2)", "(8, 2, 18)", KELVIN_EFORMAT, "'shape': (8, 18, 2)"},
    {HISTORY, REMOVE, "", "", KELVIN_EIO, "No such file"},
    {HISTORY, CUT, "", "", KELVIN_EFORMAT, "line 7"},
    {HISTORY, APPEND, "", "6,1,1,0,0,0\n", KELVIN_EFORMAT, "more than 6 rows"},
    {HISTORY, REPLACE, "log_posterior", "posterior", KELVIN_EFORMAT,
     "line 1: column 5 is \"posterior\", expected log_posterior"},
    {HISTORY, REPLACE, "\n2,", "\n3,", KELVIN_EFORMAT, "line 4: iteration is 3, expected 2"},
    {HISTORY, REPLACE, "\n2,", "\n2;", KELVIN_EFORMAT, "line 4: iteration is"},
    {HISTORY, REPLACE, "\n2,", "\n2,2,", KELVIN_EFORMAT, "line 4: accepted is \"2\""},
    {HISTORY, REPLACE, "\n2,", "\n2,1,", KELVIN_EFORMAT, "line 4: "},
    {HISTORY, REPLACE, "\n2,", "\n2,0.5,", KELVIN_EFORMAT, "line 4: accepted is \"0.5\""},
    {HISTORY, REPLACE, "\n2,", "\n2,1,nan,", KELVIN_EFORMAT, "line 4: acceptance is \"nan\", expected a number from 0"},
    {HISTORY, REPLACE, "\n2,", "\n2,1,1.5,", KELVIN_EFORMAT, "line 4: acceptance is \"1.5\""},
    {HISTORY, REPLACE, "\n2,", "\n2,1,1,fast,", KELVIN_EFORMAT, "line 4: energy_error is \"fast\", expected a number"},
    {HISTORY, REPLACE, "\n2,", "\n2,1,1,,", KELVIN_EFORMAT, "line 4: energy_error is \"\""},
    {HISTORY, REPLACE, "\n2,", "\n2, 1,", KELVIN_EFORMAT, "line 4: accepted is \" 1\""},
    {HISTORY, REPLACE, "\n2,", "\n2,1,1,0,0\n", KELVIN_EFORMAT, "line 4: expected 6 values"},
    {HISTORY, REPLACE, "\n2,", "\n2,1,1,0,0,0,0\n", KELVIN_EFORMAT, "line 4: expected 6 values"},
    {TIMES, REMOVE, "", "", KELVIN_EIO, "No such file"},
    {TIMES, REPLACE, "\"threads\": 1", "\"threads\": {}", KELVIN_EFORMAT, "\"threads\": expected a whole number"},
    {TIMES, CUT, "", "", KELVIN_OK, ""}, /* a final newline is not missed */
};

/* The bytes of a file after the damage; *bytes in and out. */
static char *damaged(const struct broken *b, const char *data, size_t *bytes)
{
    const size_t old = strlen(b->old), new = strlen(b->new);
    char *out = malloc(*bytes + new + 1);
    assert_non_null(out);
    memcpy(out, data, *bytes);
    if (b->damage == CUT) --*bytes;
    if (b->damage == FLIP) out[*bytes - 1] ^= 0x10;
    if (b->damage == POKE) out[strtoul(b->old, NULL, 10)] = 0x7f;
    if (b->damage == APPEND) {
        memcpy(out + *bytes, b->new, new);
        *bytes += new;
    }
    if (b->damage == REPLACE) {
        size_t at = 0;
        while (at + old <= *bytes && memcmp(data + at, b->old, old) != 0) at++;
        if (at + old > *bytes) fail_msg("%s: \"%s\" is not there to be replaced", b->file, b->old);
        memcpy(out + at, b->new, new);
        memcpy(out + at + new, data + at + old, *bytes - at - old);
        *bytes += new - old;
        if (strcmp(b->file, SAMPLES) == 0) sign_header(out, *bytes);
    }
    return out;
}

static void break_and_read(const struct broken *b)
{
    kelvin_path path;
    size_t bytes, changed;
    assert_ok(kelvin_path_join(path, in_base("one"), "%s", b->file));
    char *data = slurp(path, &bytes);
    changed = bytes;
    if (b->damage == SWAP) {
        char *other = slurp(in_base("one/chain-001/samples.safetensors"), &changed);
        spill(path, other, changed);
        kelvin_free(other);
    } else if (b->damage == REMOVE) {
        assert_int_equal(unlink(path), 0);
    } else {
        char *bad = damaged(b, data, &changed);
        spill(path, bad, changed);
        free(bad);
    }
    kelvin_run *run;
    const kelvin_status status = kelvin_run_read(&run, in_base("one"));
    const bool names_folder = strcmp(b->file, CONFIG) == 0 && b->damage == REMOVE;
    if (b->status)
        fails(status, b->status, names_folder ? "/one" : b->file, b->sentence);
    else
        assert_ok(status);
    if (b->status) assert_null(run);
    kelvin_run_close(run);
    spill(path, data, bytes);
    kelvin_free(data);
}

static void broken_folders(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) break_and_read(&broken[i]);
    kelvin_run *run;
    assert_ok(kelvin_run_read(&run, in_base("one"))); /* all is as it was */
    kelvin_run_close(run);
    fails(kelvin_run_read(&run, in_base("nowhere")), KELVIN_EIO, "nowhere", "No such file");
}

/* Cut after every one of the first bytes: always a sentence, never a crash. */
static void cut_anywhere(void **state)
{
    (void)state;
    static const char *const names[] = {SAMPLES, LOGITS, HISTORY, CONFIG};
    for (size_t f = 0; f < 4; f++) {
        kelvin_path path;
        size_t bytes;
        assert_ok(kelvin_path_join(path, in_base("one"), "%s", names[f]));
        char *data = slurp(path, &bytes);
        for (size_t n = 0; n < bytes - 1; n += n < 200 ? 7 : 211) {
            spill(path, data, n);
            kelvin_run *run;
            fails(kelvin_run_read(&run, in_base("one")), KELVIN_EFORMAT, names[f], "");
        }
        spill(path, data, bytes);
        kelvin_free(data);
    }
}

/* Promises of run.json that the folder cannot keep are found before memory is asked for. */
static void too_large_to_be_true(void **state)
{
    (void)state;
    static const char *const larger[] = {"\"iterations\": 4000000000", "\"iterations\": 7"};
    for (size_t i = 0; i < 2; i++)
        break_and_read(&(struct broken){CONFIG, REPLACE, "\"iterations\": 6", larger[i], KELVIN_EFORMAT, ""});
    kelvin_path path;
    size_t bytes;
    assert_ok(kelvin_path_join(path, in_base("one"), CONFIG));
    char *data = slurp(path, &bytes);
    const struct broken many = {CONFIG,
                                REPLACE,
                                "\"iterations\": 6,\n  \"warmup\": 2",
                                "\"iterations\": 4294967295,\n  \"warmup\": 4294967294",
                                KELVIN_EFORMAT,
                                ""};
    char *bad = damaged(&many, data, &bytes);
    spill(path, bad, bytes);
    kelvin_run *run;
    fails(kelvin_run_read(&run, in_base("one")), KELVIN_EFORMAT, SAMPLES, "too few for the");
    bytes = strlen(data);
    spill(path, data, bytes);
    free(bad);
    kelvin_free(data);
}

/* ---- writes that fail ---- */

/* In place of the system's: a file that has this in its path is on a full disk, which says so when it is synced. */
static const char *full;
int fsync(int fd)
{
    char link[64], path[KELVIN_PATH_MAX] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    errno = ENOSPC;
    return full && readlink(link, path, sizeof path - 1) > 0 && strstr(path, full) ? -1 : 0;
}

/* Every file in turn. */
static void full_disk(void **state)
{
    (void)state;
    if (!exists("/proc/self/fd")) skip();
    static const char *const names[] = {
        "run.json",        "times.json", "logits_train.npy", "chain-001/samples.safetensors", "chain-000/history.csv",
        "labels_train.npy"};
    const kelvin_run_config config = small();
    kelvin_run *run = sampled(&config, 2);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_ok(kelvin_run_claim(in_base("full")));
        full = names[i];
        fails(kelvin_run_write(run, in_base("full")), KELVIN_EIO, names[i], strerror(ENOSPC));
        full = NULL;
        kelvin_run *back;
        fails(kelvin_run_read(&back, in_base("full")), KELVIN_EFORMAT, "full", "it has no run.json");
        kelvin_run_abandon(in_base("full")); /* which takes only an empty folder */
        assert_false(exists(in_base("full")));
        assert_ok(kelvin_run_write(run, in_base("full"))); /* the disk has room again */
        same_folders(in_base("full"), in_base("one"));
        fails(kelvin_run_write(run, in_base("full")), KELVIN_EUSAGE, "full", "already holds a run");
        remove_tree(in_base("full"));
    }
    kelvin_run_close(run);
}

static void doors_closed(void **state)
{
    (void)state;
    const kelvin_run_config config = small();
    kelvin_run *run = sampled(&config, 2);
    spill(in_base("plain"), "x", 1);
    fails(kelvin_run_write(run, in_base("plain/run")), KELVIN_EUSAGE, "plain/run", strerror(ENOTDIR));
    fails(kelvin_run_write(run, in_base("gone/run")), KELVIN_EUSAGE, "gone/run", strerror(ENOENT));
    /* A folder stands where a file should go, or where its temporary should. */
    assert_ok(kelvin_run_claim(in_base("blocked")));
    assert_int_equal(mkdir(in_base("blocked/logits_train.npy"), 0777), 0);
    fails(kelvin_run_write(run, in_base("blocked")), KELVIN_EIO, "logits_train.npy", strerror(EISDIR));
    assert_false(exists(in_base("blocked/logits_train.npy.tmp")));
    assert_int_equal(rmdir(in_base("blocked/logits_train.npy")), 0);
    assert_int_equal(mkdir(in_base("blocked/times.json.tmp"), 0777), 0);
    fails(kelvin_run_write(run, in_base("blocked")), KELVIN_EIO, "times.json", strerror(EISDIR));
    /* What is read must be a file. */
    char *data;
    size_t bytes;
    fails(kelvin_file_read(&data, &bytes, in_base("blocked")), KELVIN_EIO, "blocked", "not a regular file");
    assert_int_equal(mkfifo(in_base("pipe"), 0666), 0);
    fails(kelvin_file_read(&data, &bytes, in_base("pipe")), KELVIN_EIO, "pipe", "not a regular file");
    kelvin_run_close(run);
}

/* The run that is broken in many ways. */
static int make_run(void **state)
{
    const kelvin_run_config config = small();
    if (make_base(state)) return -1;
    kelvin_run *run = sampled(&config, 1);
    assert_ok(kelvin_run_write(run, in_base("one")));
    kelvin_run_close(run);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(npy_bytes),     cmocka_unit_test(safetensors_bytes),    cmocka_unit_test(crc32_of_digits),
        cmocka_unit_test(fewest_digits), cmocka_unit_test(python_reads_it),      cmocka_unit_test(broken_folders),
        cmocka_unit_test(cut_anywhere),  cmocka_unit_test(too_large_to_be_true), cmocka_unit_test(full_disk),
        cmocka_unit_test(doors_closed),
    };
    return cmocka_run_group_tests(tests, make_run, remove_base);
}
