/* The files of a run: byte for byte as their formats say, and nothing half-written left behind. */
#include "run_helpers.h"

#include "files/decimal.h"
#include "files/record.h"
#include "npy_helpers.h"
#include "run/room.h"

#include <errno.h>
#include <math.h>

/* ---- files, byte for byte ---- */

static void npy_of_logits(void **state)
{
    (void)state;
    static const char expected[] = "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, "
                                   "'shape': (2, 1, 3), }                                                       \n"
                                   "\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x00\x00\x00"  /* 1, -2, 0 */
                                   "\x00\x00\x80\x7f\xcd\xcc\xcc\x3d\x00\x00\x20\x41"; /* infinity, 0.1, 10 */
    const float data[6] = {1, -2, 0, INFINITY, 0.1f, 10};
    const size_t shape[3] = {2, 1, 3};
    assert_ok(write_logits(in_base("six.npy"), data, shape));
    size_t bytes;
    char *file = slurp(in_base("six.npy"), &bytes);
    assert_int_equal(bytes, sizeof expected - 1);
    assert_memory_equal(file, expected, bytes);
    kelvin_free(file);
    float back[6];
    assert_ok(read_logits(back, in_base("six.npy"), shape));
    assert_memory_equal(back, data, sizeof data);
    const size_t huge[3] = {SIZE_MAX / 2, 3, 1};
    fails(write_logits(in_base("huge.npy"), data, huge), KELVIN_ENOMEM, "huge.npy", "addressed");
}

/* Two draws of a model with a (1, 2) weight and a bias, the third and fourth of their chain, the first of the two in
 * warm-up: the file holds both draws of the weight first, and then the history. 3.0 = 0x40400000 and so on. */
static void safetensors_bytes(void **state)
{
    (void)state;
    static const char header[] = "{\"__metadata__\":{\"kelvin\":\"" KELVIN_VERSION "\",\"config\":\"0123abcd\","
                                 "\"seed\":\"18446744073709551615\",\"chain\":\"7\",\"number\":\"1\",\"warmup\":\"1\","
                                 "\"crc32\":\"--------\",\"header_crc32\":\"00000000\"},"
                                 "\"history\":{\"dtype\":\"F64\",\"shape\":[2,10],\"data_offsets\":[0,160]},"
                                 "\"w\":{\"dtype\":\"F32\",\"shape\":[2,1,2],\"data_offsets\":[160,176]},"
                                 "\"b\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[176,184]}}";
    static const char data[] = "\x00\x00\x40\x40\x00\x00\x80\x40\x00\x00\x40\xc0\x00\x00\x80\xc0" /* 3, 4, -3, -4 */
                               "\x00\x00\x20\x40\x00\x00\x20\xc0";                                /* 2.5, -2.5 */
    kelvin_tensor tensors[2] = {{.name = "w", .ndim = 2, .shape = {1, 2}},
                                {.name = "b", .offset = 2, .ndim = 1, .shape = {1}}};
    struct kelvin_run_owned inside = {.format = KELVIN_FORMAT, .mark = "0123abcd"};
    /* so many parameters that two draws fill a file, as far as that is asked */
    kelvin_model model = {.n_params = 1 << 19, .n_tensors = 2, .tensor = tensors};
    kelvin_run run = {.model = &model, .owned = &inside, .folder = in_base(".")};
    assert_ok(kelvin_sampler_find(&run.sampler, "hmc"));
    run.config = (kelvin_run_config){.seed = UINT64_MAX, .chains = 8, .iterations = 4, .warmup = 3};
    const kelvin_statistic *columns[KELVIN_COLUMNS];
    assert_int_equal(kelvin_run_list_columns(columns, &run), 10);
    double rows[20];
    for (size_t i = 0; i < 20; i++) rows[i] = 0.1 * (double)i;
    const float values[6] = {3, 4, 2.5f, -3, -4, -2.5f};
    struct kelvin_bundle bundle;
    assert_ok(kelvin_bundle_create(&bundle, &run));
    bundle.first_row = bundle.first_draw = 2;
    for (size_t i = 0; i < 2; i++) kelvin_bundle_add(&bundle, &run, rows + 10 * i, values + 3 * i);
    assert_true(kelvin_bundle_full(&bundle, &run));
    assert_int_equal(mkdir(in_base("chain-007"), 0777), 0);
    assert_ok(kelvin_bundle_write(&bundle, &run, 7));
    assert_true(bundle.first_row == 4 && bundle.rows == 0 && bundle.first_draw == 4 && bundle.draws == 0);

    size_t bytes;
    char *file = slurp(in_base("chain-007/samples-001.safetensors"), &bytes), digits[9];
    uint64_t length;
    memcpy(&length, file, 8);
    assert_true(length % 8 == 0 && length >= sizeof header - 1 && length < sizeof header - 1 + 8);
    assert_int_equal(bytes, 8 + length + 24 + 160);
    /* Both checksums, of which tests/test_tensors.c knows what they should be. */
    snprintf(digits, sizeof digits, "%08x", (unsigned)kelvin_crc32(file + 8 + length, 184));
    assert_memory_equal(file + 8 + (strstr(header, "--------") - header), digits, 8);
    memcpy(file + 8 + (strstr(header, "--------") - header), "--------", 8);
    memcpy(file + 8 + (strstr(header, "00000000") - header), "00000000", 8);
    assert_memory_equal(file + 8, header, sizeof header - 1);
    for (size_t i = sizeof header - 1; i < length; i++) assert_true(file[8 + i] == ' ');
    assert_memory_equal(file + 8 + length, rows, sizeof rows);
    assert_memory_equal(file + 8 + length + sizeof rows, data, 24);
    kelvin_free(file);

    const struct kelvin_draw_place place = kelvin_draw_place(&run, 7, 3);
    struct kelvin_bundle_file back;
    assert_ok(kelvin_bundle_open(&back, &run, &place, true));
    assert_true(place.number == 1 && place.index == 1 && back.draws == 2 && back.rows == 2);
    float theta[3];
    for (uint32_t i = 0; i < 2; i++) {
        kelvin_bundle_theta(theta, &back, &model, i);
        assert_memory_equal(theta, values + 3 * i, sizeof theta);
    }
    assert_memory_equal(back.row, rows, sizeof rows);
    kelvin_bundle_close(&back);
    kelvin_bundle_free(&bundle);
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
        "f = open(sys.argv[1] + '/chain-001/samples-000.safetensors', 'rb').read()\n"
        "n, = struct.unpack('<Q', f[:8])\n"
        "h, d = json.loads(f[8:8 + n]), f[8 + n:]\n"
        "assert '%08x' % zlib.crc32(d) == h['__metadata__']['crc32'] and len(d) == 6 * (492 * 4 + 10 * 8)\n"
        "kind = {'F32': '<f4', 'F64': '<f8'}\n"
        "t = {k: np.frombuffer(d[slice(*v['data_offsets'])], kind[v['dtype']]).reshape(v['shape'])\n"
        "     for k, v in h.items() if k != '__metadata__'}\n"
        "x = np.array([[.15, -.39]]) * np.ones((6, 1))\n" /* the first point, through the first chain's networks */
        "rows = t.pop('history')\n"
        "csv = np.genfromtxt(sys.argv[1] + '/chain-001/history.csv', delimiter=',', skip_header=1)\n"
        "assert rows.shape == (6, 10) and np.allclose(rows, csv, rtol=1e-8, atol=0)\n"
        "names = list(t)\n"
        "for i in range(0, len(names), 2):\n"
        "    x = np.einsum('soi,si->so', t[names[i]].astype(float), x) + t[names[i + 1]]\n"
        "    x = np.maximum(x, 0) if i + 2 < len(names) else x\n"
        "assert np.allclose(x[2:], z[4:, 0], rtol=1e-4, atol=1e-4), (x[2:], z[4:, 0])\n";
    run_python(program, in_base("one"));
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

/* Every file in turn, by every sampler: the run stops with a sentence, and goes on when the disk has room again. */
static void full_disk(void **state)
{
    (void)state;
    if (!exists("/proc/self/fd")) skip();
    static const char *const names[] = {"chain-001/state.safetensors", "chain-000/samples-000.safetensors",
                                        "logits_train.npy", "labels_train.npy", "full/manifest"};
    const kelvin_sampler_type *type;
    for (size_t s = 0; (type = kelvin_sampler_info(s)); s++) {
        const kelvin_run_config config = small_by(type->member.name);
        sample_into(&config, "whole", 1);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            kelvin_run *run = started_in(&config, "full");
            kelvin_samples *samples;
            full = names[i];
            fails(kelvin_run_sample(&run, 1, &(kelvin_run_options){.threads = 2, .checkpoint = 0}, NULL, NULL),
                  KELVIN_EIO, names[i], strerror(ENOSPC));
            full = NULL;
            assert_false(kelvin_run_finished(run));
            kelvin_run_close(run);
            fails(kelvin_samples_open(&samples, in_base("full")), KELVIN_EFORMAT, "full", "has not ended");
            assert_ok(kelvin_run_open(&run, in_base("full")));
            assert_ok(kelvin_run_sample(&run, 1, NULL, NULL, NULL));
            kelvin_run_close(run);
            same_folders(in_base("full"), in_base("whole"));
            remove_tree(in_base("full"));
        }
        remove_tree(in_base("whole"));
    }
}

/* A run that cannot be begun leaves nothing. */
static void full_disk_at_the_start(void **state)
{
    (void)state;
    if (!exists("/proc/self/fd")) skip();
    static const char *const names[] = {"run.json", "data.json", "manifest"};
    const kelvin_run_config config = small();
    for (size_t i = 0; i < 3; i++) {
        kelvin_run *run;
        const size_t before = visit_files(base, NULL);
        full = names[i];
        fails(kelvin_run_begin(&run, &config, in_base("full")), KELVIN_EIO, names[i], strerror(ENOSPC));
        full = NULL;
        assert_null(run);
        assert_false(exists(in_base("full")));
        assert_int_equal(visit_files(base, NULL), before); /* nor under another name */
    }
}

static void doors_closed(void **state)
{
    (void)state;
    const kelvin_run_config config = small();
    static const struct {
        const char *name, *stop; /* a folder stands where this file should go; at which it stops */
    } table[] = {
        {"logits_train.npy", "logits_train.npy"},
        {"logits_train.npy.tmp", "logits_train.npy"},
        {"labels_train.npy.tmp", "labels_train.npy"},
        {"times.csv", "times.csv"},
        {"chain-001/history.csv", "history.csv"},
        {"chain-000/samples-000.safetensors.tmp", "samples-000.safetensors"},
        {"chain-000/state.safetensors.tmp", "state.safetensors"},
        {"manifest.tmp", "manifest"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        kelvin_run *run = started_in(&config, "blocked");
        kelvin_path path;
        assert_ok(kelvin_path_join(path, in_base("blocked"), "%s", table[i].name));
        assert_int_equal(mkdir(path, 0777), 0);
        fails(kelvin_run_sample(&run, 1, NULL, NULL, NULL), KELVIN_EIO, table[i].stop, "");
        kelvin_run_close(run);
        assert_int_equal(rmdir(path), 0); /* nothing was put into it */
        assert_ok(kelvin_run_open(&run, in_base("blocked")));
        assert_ok(kelvin_run_sample(&run, 1, NULL, NULL, NULL));
        kelvin_run_close(run);
        same_folders(in_base("blocked"), in_base("one"));
        remove_tree(in_base("blocked"));
    }
    /* What is read must be a file. */
    char *data;
    size_t bytes;
    fails(kelvin_file_read(&data, &bytes, in_base("one")), KELVIN_EIO, "one", "not a regular file");
    assert_int_equal(mkfifo(in_base("pipe"), 0666), 0);
    fails(kelvin_file_read(&data, &bytes, in_base("pipe")), KELVIN_EIO, "pipe", "not a regular file");
}

static int make_run(void **state)
{
    const kelvin_run_config config = small();
    if (make_quick_base(state)) return -1;
    sample_into(&config, "one", 1);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(npy_of_logits),          cmocka_unit_test(safetensors_bytes),
        cmocka_unit_test(crc32_of_digits),        cmocka_unit_test(fewest_digits),
        cmocka_unit_test(python_reads_it),        cmocka_unit_test(full_disk),
        cmocka_unit_test(full_disk_at_the_start), cmocka_unit_test(doors_closed),
    };
    return cmocka_run_group_tests(tests, make_run, remove_base);
}
