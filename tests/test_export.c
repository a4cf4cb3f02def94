/* Files for other programs, read by those: Python's zipfile, NumPy and netCDF4 (skipped where they are missing), and
 * our own reader of safetensors; memory that runs out at each allocation; options. Runs as they are exported are
 * compared in test_export.py. */
#include "folder_helpers.h"

#include <kelvin/kelvin.h>

#include "export/plan.h"
#include "export/zip.h"

#include <fcntl.h>

/* ---- ZIP ---- */

/* Puts a record where it belongs in a file that may have holes. */
static void put_at(int fd, const void *data, size_t bytes, uint64_t at)
{
    assert_int_equal(pwrite(fd, data, bytes, (off_t)at), bytes);
}

/* An archive of members whose data are zeros: holes of the file. */
static void write_zip(const char *path, struct zip_member *members, size_t n)
{
    static const char zeros[4096];
    char record[ZIP_RECORD];
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(fd >= 0);
    uint64_t at = kelvin_zip_place(members, n);
    const uint64_t directory = at;
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(members[i].data % 64, 0);
        if (members[i].bytes <= sizeof zeros) members[i].crc32 = kelvin_crc32(zeros, members[i].bytes);
        const size_t bytes = kelvin_zip_local(record, &members[i]);
        assert_int_equal(members[i].header + bytes, members[i].data);
        put_at(fd, record, bytes, members[i].header);
        const size_t entry = kelvin_zip_entry(record, &members[i]);
        put_at(fd, record, entry, at);
        at += entry;
    }
    put_at(fd, record, kelvin_zip_end(record, n, directory, at - directory), at);
    assert_int_equal(close(fd), 0);
}

/* Checks names, sizes, places and checksums; reads what is small. */
static const char zip_reader[] =
    "import struct, sys, zipfile\n"
    "path, want = sys.argv[1] + '/zip', eval(open(sys.argv[1] + '/want').read())\n"
    "z = zipfile.ZipFile(path)\n"
    "got = [(i.filename, i.file_size) for i in z.infolist()]\n"
    "assert got == want, (got[:5], want[:5], len(got), len(want))\n"
    "f = open(path, 'rb')\n"
    "for i in z.infolist()[::1 + len(got) // 1000]:\n"
    "    f.seek(i.header_offset)\n"
    "    head = struct.unpack('<4s5H3L2H', f.read(30))\n"
    "    assert head[0] == b'PK\\3\\4' and f.read(head[9]) == i.filename.encode()\n"
    "    extra, seen = f.read(head[10]), {}\n"
    "    while extra:\n"
    "        kind, size = struct.unpack('<2H', extra[:4])\n"
    "        seen[kind], extra = extra[4:4 + size], extra[4 + size:]\n"
    "        assert len(seen[kind]) == size\n"
    "    sizes = struct.unpack('<2Q', seen[1]) if 1 in seen else head[7:9]\n"
    "    assert sizes == (i.file_size, i.compress_size), (sizes, i)\n"
    "    assert f.tell() % 64 == 0 and i.compress_type == 0 and i.CRC == head[6]\n"
    "    if i.file_size < 5000: assert z.read(i) == bytes(i.file_size)\n"; /* reading compares the checksum */

static void zip_is_read(struct zip_member *members, size_t n)
{
    write_zip(in_base("zip"), members, n);
    FILE *want = fopen(in_base("want"), "w");
    assert_non_null(want);
    fputs("[", want);
    for (size_t i = 0; i < n; i++)
        fprintf(want, "('%s', %llu), ", members[i].name, (unsigned long long)members[i].bytes);
    fputs("]", want);
    assert_int_equal(fclose(want), 0);
    run_python(zip_reader, base);
}

static void zip_small(void **state)
{
    (void)state;
    struct zip_member members[] = {{.name = "a.npy", .bytes = 200},
                                   {.name = "empty.npy"},
                                   {.name = "a.rather.long.name.of.an.array.that.has.many.dots.in.it.npy", .bytes = 64},
                                   {.name = "one.npy", .bytes = 1}};
    zip_is_read(members, sizeof members / sizeof *members);
}

/* Sizes and places around 4 GB; the file is all holes. */
static void zip_large(void **state)
{
    (void)state;
    const uint64_t limit = UINT32_MAX;
    struct zip_member members[] = {{.name = "small.npy", .bytes = 7},         {.name = "below.npy", .bytes = limit - 1},
                                   {.name = "late.npy", .bytes = 100},        {.name = "at.npy", .bytes = limit},
                                   {.name = "above.npy", .bytes = 3 * limit}, {.name = "last.npy", .bytes = 64}};
    zip_is_read(members, sizeof members / sizeof *members);
}

static void zip_many(void **state)
{
    (void)state;
    static const size_t counts[] = {65534, 65535, 65536};
    char record[ZIP_RECORD];
    assert_int_equal(kelvin_zip_end(record, 65534, 0, 0), 22);
    assert_int_equal(kelvin_zip_end(record, 65535, 0, 0), 22 + 56 + 20); /* all ones would not be a number of members */
    struct zip_member *members = kelvin_alloc(counts[2], sizeof *members);
    for (size_t c = 0; c < 3; c++) {
        for (size_t i = 0; i < counts[c]; i++) {
            members[i] = (struct zip_member){.bytes = i % 3};
            snprintf(members[i].name, ZIP_NAME, "%zu.npy", i);
        }
        zip_is_read(members, counts[c]);
    }
    kelvin_free(members);
}

/* ---- every format, every type ---- */

static const char *const class_names[] = {"cat", "na\xc3\xafve \xe2\x82\xac", "\xf0\x9f\x90\xb6", ""};
static const char *const about[] = {"a \"text\"\nof two lines"};
static const int64_t chain_numbers[] = {0, 7, 1234567890123};
static const struct export_axis chain = {.name = "chain", .n = 3, .number = chain_numbers};
static const struct export_axis draw = {.name = "draw", .n = 2}, unit = {.name = "w.x_dim_0", .n = 5};
static const struct export_axis classes = {.name = "class", .n = 4, .text = class_names};
static const struct export_axis one = {.name = "one", .n = 1}, pair = {.name = "pair", .n = 2};

static const struct export_array arrays[] = {
    {"posterior", "w.x", "w.x", KELVIN_F32, 3, {&chain, &draw, &unit}, NULL},
    {"sample_stats", "odd", "odd", KELVIN_BOOL, 2, {&chain, &draw}, NULL},
    {"posterior", "six", "six", KELVIN_F32, 6, {&chain, &draw, &pair, &one, &unit, &classes}, NULL},
    {"sample_stats", "lp", "lp", KELVIN_F64, 2, {&chain, &draw}, NULL},
    {"sample_stats", "step", "step", KELVIN_I64, 2, {&chain, &draw}, NULL},
    {NULL, "class", "class_names", KELVIN_TEXT, 1, {&classes}, class_names},
    {NULL, "note", "note", KELVIN_TEXT, 0, {NULL}, about},
};
static const struct export_sheet sheet = {arrays, sizeof arrays / sizeof *arrays};

/* Element i of array a is (i + 1) (a + 1) / 8, or of whole numbers i^3, or whether i is odd. */
static void element(void *out, size_t a, size_t i)
{
    const float single = (float)((i + 1) * (a + 1)) / 8;
    const double precise = single;
    const int64_t whole = (int64_t)(i * i * i);
    const char odd = i % 2;
    const void *values[] = {
        [KELVIN_F32] = &single, [KELVIN_F64] = &precise, [KELVIN_I64] = &whole, [KELVIN_BOOL] = &odd};
    static const size_t bytes[] = {[KELVIN_F32] = 4, [KELVIN_F64] = 8, [KELVIN_I64] = 8, [KELVIN_BOOL] = 1};
    memcpy((char *)out + i * bytes[arrays[a].type], values[arrays[a].type], bytes[arrays[a].type]);
}

/* A draw at a time, the last first. */
static kelvin_status put_array(const struct export_format *format, void *file, size_t a)
{
    static double values[3 * 2 * 2 * 5 * 4];
    size_t cell = 1, count[KELVIN_ARRAY_AXES] = {1, 1}, start[KELVIN_ARRAY_AXES] = {0};
    for (size_t i = 2; i < arrays[a].ndim; i++) cell *= count[i] = arrays[a].axis[i]->n;
    for (size_t row = 6; row-- > 0;) {
        for (size_t i = row * cell; i < (row + 1) * cell; i++) element(values, a, i);
        start[0] = row / 2, start[1] = row % 2;
        const size_t bytes = arrays[a].type == KELVIN_F32 ? 4 : arrays[a].type == KELVIN_BOOL ? 1 : 8;
        KELVIN_TRY(format->put(file, a, start, count, (const char *)values + row * cell * bytes));
    }
    return KELVIN_OK;
}

static const struct export_format *format(const char *name)
{
    const kelvin_member *member;
    assert_ok(kelvin_family_find(&member, &kelvin_export_family, name));
    return (const struct export_format *)member;
}

static kelvin_status write_sheet(void *context)
{
    const struct export_format *format = context;
    const char *path = in_base("file");
    remove(path);
    void *file = kelvin_alloc(1, format->size);
    if (!file) return KELVIN_ENOMEM;
    kelvin_status status = format->begin(file, path, &sheet);
    for (size_t a = 0; a < sheet.n && !status; a++)
        if (!arrays[a].text) status = put_array(format, file, a);
    status = format->end(file, status);
    kelvin_free(file);
    if (!status) return KELVIN_OK;
    assert_false(exists(path));
    assert_false(exists(in_base("file.tmp")));
    return status;
}

#define EXPECTED                                                                                                       \
    "try:\n"                                                                                                           \
    "    import json, struct, sys, zlib, numpy as np\n"                                                                \
    "except ImportError: sys.exit(77)\n"                                                                               \
    "path = sys.argv[1] + '/file'\n"                                                                                   \
    "names = ['cat', 'na\\u00efve \\u20ac', '\\U0001f436', '']\n"                                                      \
    "def numbers(a, kind, *shape):\n"                                                                                  \
    "    i = np.arange(np.prod(shape))\n"                                                                              \
    "    v = {'f': (i + 1) * (a + 1) / 8, 'i': i ** 3, 'b': i % 2 == 1}[np.dtype(kind).kind]\n"                        \
    "    return v.astype(kind).reshape(shape)\n"                                                                       \
    "want = {'w.x': numbers(0, 'f4', 3, 2, 5), 'odd': numbers(1, '?', 3, 2), 'lp': numbers(3, 'f8', 3, 2),\n"          \
    "        'six': numbers(2, 'f4', 3, 2, 2, 1, 5, 4), 'step': numbers(4, 'i8', 3, 2)}\n"                             \
    "def same(name, got):\n"                                                                                           \
    "    w = want[name]\n"                                                                                             \
    "    assert got.dtype == w.dtype and got.shape == w.shape and (got == w).all(), (name, got, w)\n"

static void npz_is_read(void **state)
{
    (void)state;
    assert_ok(write_sheet((void *)format("npz")));
    run_python(EXPECTED "import zipfile\n"
                        "assert zipfile.ZipFile(path).testzip() is None\n"
                        "z = np.load(path, allow_pickle=False)\n"
                        "assert set(z.files) == set(want) | {'class_names', 'note'}, z.files\n"
                        "for name in want: same(name, z[name])\n"
                        "assert z['class_names'].tolist() == names, z['class_names']\n"
                        "assert z['note'].shape == () and z['note'].item() == 'a \"text\"\\nof two lines'\n",
               base);
}

/* Bytes that are not UTF-8: cut off, overlong, half of a pair, beyond the last letter. */
static void npz_of_odd_bytes(void **state)
{
    (void)state;
    static const char *const odd[] = {"\xff",         "ok\xe2\x82",       "\xc0\x80x",
                                      "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf4\x8f\xbf\xbf"};
    static const struct export_axis six = {.name = "six", .n = 6};
    static const struct export_array texts[] = {{NULL, "odd", "odd", KELVIN_TEXT, 1, {&six}, odd}};
    static const struct export_sheet all = {texts, 1};
    void *file = kelvin_alloc(1, format("npz")->size);
    assert_non_null(file);
    const kelvin_status status = format("npz")->begin(file, in_base("file"), &all);
    assert_ok(format("npz")->end(file, status));
    kelvin_free(file);
    run_python(EXPECTED "u = '\\ufffd'\n"
                        "found = np.load(path)['odd'].tolist()\n"
                        "assert found == [u, 'ok' + u + u, u + u + 'x', u * 3, u * 4, '\\U0010ffff'], found\n",
               base);
}

static void safetensors_are_read(void **state)
{
    (void)state;
    struct kelvin_tensors *file;
    const char *text;
    assert_ok(write_sheet((void *)format("safetensors")));
    assert_ok(kelvin_tensors_open(&file, in_base("file"))); /* the checksum is right */
    assert_ok(kelvin_tensors_note(&text, file, "note"));
    assert_string_equal(text, about[0]);
    kelvin_tensors_close(file);
    run_python(EXPECTED
               "raw = open(path, 'rb').read()\n"
               "n, = struct.unpack('<Q', raw[:8])\n"
               "head = json.loads(raw[8:8 + n])\n"
               "meta, data, kinds = head.pop('__metadata__'), raw[8 + n:], {'F32': 'f4', 'F64': 'f8', 'I64': 'i8', "
               "'BOOL': '?'}\n"
               "assert n % 8 == 0 and meta['crc32'] == '%08x' % zlib.crc32(data)\n"
               "assert json.loads(meta['class_names']) == names and set(head) == set(want)\n"
               "end = 0\n"
               "for name, t in head.items():\n"
               "    (a, b), kind = t['data_offsets'], np.dtype(kinds[t['dtype']])\n"
               "    assert a == end and a % kind.itemsize == 0, (name, t)\n"
               "    same(name, np.frombuffer(data[a:b], kind).reshape(t['shape']))\n"
               "    end = b\n"
               "assert end == len(data)\n",
               base);
}

/* False, and a sentence that must say so, where netCDF is missing. */
static bool have_netcdf(void)
{
    if (!write_sheet((void *)format("netcdf"))) return true;
    if (!strstr(kelvin_error(), "built without netCDF") && !strstr(kelvin_error(), "is not installed"))
        fail_msg("%s", kelvin_error());
    print_message("skipped: %s\n", kelvin_error());
    return false;
}

/* Of all formats netCDF alone may be missing. */
static bool is_here(const kelvin_member *member)
{
    return strcmp(member->name, "netcdf") != 0 || have_netcdf();
}

static void netcdf_is_read(void **state)
{
    (void)state;
    if (!have_netcdf()) skip();
    run_python(
        EXPECTED
        "try: import netCDF4\n"
        "except ImportError: sys.exit(77)\n"
        "d = netCDF4.Dataset(path)\n"
        "d.set_auto_mask(False)\n"
        "assert list(d.groups) == ['posterior', 'sample_stats'] and not d.dimensions and not d.variables\n"
        "want['odd'] = want['odd'].astype('i1')\n"
        "for g, own in (('posterior', ['w.x', 'six']), ('sample_stats', ['odd', 'lp', 'step'])):\n"
        "    v = d[g].variables\n"
        "    assert d[g].note == d.note == 'a \"text\"\\nof two lines'\n"
        "    assert set(v) == set(own) | set(d[g].dimensions), list(v)\n"
        "    for name in own: same(name, v[name][:])\n"
        "    assert v['chain'][:].tolist() == [0, 7, 1234567890123] and v['draw'][:].tolist() == [0, 1]\n"
        "p = d['posterior'].variables\n"
        "assert p['w.x'].dimensions == ('chain', 'draw', 'w.x_dim_0')\n"
        "assert p['class'].dtype is str and p['class'][:].tolist() == names\n"
        "assert d['sample_stats']['odd'].dtype == 'i1' and d['sample_stats']['odd'].getncattr('dtype') == 'bool'\n",
        base);
}

static void sheets_without_memory(void **state)
{
    (void)state;
    const kelvin_member *member;
    for (size_t i = 0; (member = kelvin_family_member(&kelvin_export_family, i)); i++)
        if (is_here(member)) assert_true(without_memory(write_sheet, (void *)format(member->name)) > 3);
}

/* ---- runs ---- */

struct job {
    kelvin_samples *samples;
    kelvin_export_options options;
};

static kelvin_status export_once(void *context)
{
    struct job *job = context;
    kelvin_exported done;
    const kelvin_status status = kelvin_export(&done, job->samples, in_base("out"), &job->options);
    assert_true(exists(in_base("out")) == !status);
    assert_false(exists(in_base("out.tmp")));
    return status;
}

/* The folder of a run on 18 points without a test part: 4 samples of each of 2 chains. */
static const char *run_by(const char *sampler)
{
    kelvin_run_config config;
    kelvin_run *run;
    if (exists(in_base(sampler))) return in_base(sampler);
    assert_ok(kelvin_run_defaults(&config, sampler));
    config.data = "toy";
    config.model = "mlp:10,10,10,10,10";
    config.chains = 2;
    config.samples = config.epochs = 8;
    config.schedule = config.temperature_schedule = "cyclical";
    config.iterations = 6;
    config.warmup = 2;
    config.seed = 2385;
    if (!kelvin_run_set(&config, "steps", 20)) assert_ok(kelvin_run_set(&config, "step_size", 4e-4));
    assert_ok(kelvin_run_begin(&run, &config, in_base(sampler)));
    assert_ok(kelvin_run_sample(&run, 1, &(kelvin_run_options){.threads = 1}, NULL, NULL));
    kelvin_run_close(run);
    return in_base(sampler);
}

static void run_without_memory(void **state)
{
    (void)state;
    struct job job = {.options = {.threads = 1}};
    const kelvin_sampler_type *type;
    const kelvin_member *member;
    for (size_t s = 0; (type = kelvin_sampler_info(s)); s++) {
        assert_ok(kelvin_samples_open(&job.samples, run_by(type->member.name)));
        for (size_t i = 0; (member = kelvin_family_member(&kelvin_export_family, i)); i++) {
            if (!is_here(member)) continue;
            job.options.format = member->name;
            remove(in_base("out"));
            assert_true(without_memory(export_once, &job) > 10);
        }
        remove(in_base("out"));
        kelvin_samples_close(job.samples);
    }
}

/* The checksum of all numbers in a file. */
static void read_checksum(char out[9], const char *path)
{
    struct kelvin_tensors *file;
    const char *text;
    assert_ok(kelvin_tensors_open(&file, path));
    assert_ok(kelvin_tensors_note(&text, file, "crc32"));
    snprintf(out, 9, "%s", text);
    kelvin_tensors_close(file);
}

/* A run that never had a folder: the numbers are those of its like in one. It has no run.json, so that text is not
 * there. */
static void run_in_memory(void **state)
{
    (void)state;
    const kelvin_export_options o = {
        .format = "safetensors", .what = "posterior,log_likelihood", .replace = true, .threads = 1};
    const kelvin_sampler_type *type;
    for (size_t s = 0; (type = kelvin_sampler_info(s)); s++) {
        kelvin_run *run;
        kelvin_samples *kept, *read;
        kelvin_exported a, b;
        char x[9], y[9];
        assert_ok(kelvin_samples_open(&read, run_by(type->member.name)));
        assert_ok(kelvin_run_begin(&run, &read->run->config, NULL));
        assert_ok(kelvin_run_sample(&run, 1, NULL, NULL, NULL));
        assert_ok(kelvin_samples_of(&kept, run));
        assert_ok(kelvin_export(&a, kept, in_base("a"), &o));
        assert_ok(kelvin_export(&b, read, in_base("b"), &o));
        assert_true(a.chains == b.chains && a.draws == b.draws && a.arrays == b.arrays - 1);
        read_checksum(x, in_base("a"));
        read_checksum(y, in_base("b"));
        assert_string_equal(x, y);
        kelvin_samples_close(kept);
        kelvin_samples_close(read);
        kelvin_run_close(run);
    }
}

static void options(void **state)
{
    (void)state;
    kelvin_samples *samples;
    kelvin_exported done;
    const char *path = in_base("again.npz");
    assert_ok(kelvin_samples_open(&samples, run_by("hmc")));
    kelvin_export_options o = {.format = "npy"};
    fails(kelvin_export(&done, samples, path, &o), KELVIN_EUSAGE, "unknown format 'npy'", "did you mean 'npz'?");
    o = (kelvin_export_options){.format = "npz", .what = "posterior,stats"};
    fails(kelvin_export_check(&o), KELVIN_EUSAGE, "unknown part 'stats'", "log_likelihood");
    o.what = "posterior,";
    fails(kelvin_export_check(&o), KELVIN_EUSAGE, "unknown part ''", "sample_stats");
    o.what = "predictions";
    fails(kelvin_export(&done, samples, path, &o), KELVIN_EUSAGE, "/hmc", "have no test part");
    o.what = "sample_stats,log_likelihood";
    assert_ok(kelvin_export(&done, samples, path, &o));
    assert_int_equal(done.chains, 2);
    assert_int_equal(done.draws, 4);
    assert_int_equal(done.left_out, 0);
    assert_int_equal(done.arrays, 6 + 2 + 6); /* statistics; likelihoods and labels; coordinates and texts */
    size_t bytes;
    assert_ok(kelvin_file_size(&bytes, path));
    assert_int_equal(done.bytes, bytes);
    fails(kelvin_export(&done, samples, path, &o), KELVIN_EUSAGE, path, "exists already");
    o.replace = true;
    assert_ok(kelvin_export(&done, samples, path, &o));
    fails(kelvin_export(&done, samples, base, &o), KELVIN_EUSAGE, base, "is a folder");
    fails(kelvin_export(&done, samples, in_base("none/x.npz"), &o), KELVIN_EIO, "/none/x.npz", "No such file");
    kelvin_samples_close(samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zip_small),
        cmocka_unit_test(zip_large),
        cmocka_unit_test(zip_many),
        cmocka_unit_test(npz_is_read),
        cmocka_unit_test(npz_of_odd_bytes),
        cmocka_unit_test(safetensors_are_read),
        cmocka_unit_test(netcdf_is_read),
        cmocka_unit_test(sheets_without_memory),
        cmocka_unit_test(run_without_memory),
        cmocka_unit_test(run_in_memory),
        cmocka_unit_test(options),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
