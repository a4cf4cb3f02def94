/* Files of named arrays, and of logits in pieces: back come the same bits, and damage gets a sentence. */
#include "folder_helpers.h"
#include "npy_helpers.h"

#include "files/formats.h"

#include <errno.h>
#include <math.h>

/* ---- checksums ---- */

/* One bit at a time, as the standard has it. */
static uint32_t plain_crc32(const unsigned char *data, size_t bytes)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

/* Around the 16 and 64 bytes that are taken at a time, from any byte on, in one piece and in two. */
static void crc32_of_any_length(void **state)
{
    (void)state;
    static unsigned char data[100000];
    for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i * i * 31 + (i >> 8) + 7);
    for (size_t from = 0; from < 17; from++)
        for (size_t n = 0; n < 300; n++) {
            const uint32_t expected = plain_crc32(data + from, n);
            assert_true(kelvin_crc32(data + from, n) == expected);
            const uint32_t first = kelvin_crc32(data + from, n / 3);
            assert_true(kelvin_crc32_more(first, data + from + n / 3, n - n / 3) == expected);
            const uint32_t second = kelvin_crc32(data + from + n / 3, n - n / 3);
            assert_true(kelvin_crc32_join(first, second, n - n / 3) == expected);
        }
    assert_true(kelvin_crc32(data, sizeof data) == plain_crc32(data, sizeof data));
    assert_true(kelvin_crc32(data + 1, sizeof data - 1) == plain_crc32(data + 1, sizeof data - 1));
    assert_true(kelvin_crc32(NULL, 0) == 0 && kelvin_crc32_more(7, NULL, 0) == 7);
    memset(data, 0, sizeof data);                         /* whose sum is nothing but how far the start has moved */
    assert_true(kelvin_crc32(data, 65536) == 0xd7978eeb); /* zlib.crc32(bytes(65536)) */
}

/* Of files that one thread reads, and that several do; from any byte on, to any. */
static void crc32_of_files(void **state)
{
    (void)state;
    enum { LARGE = (18 << 20) + 11 };
    uint32_t *data = kelvin_alloc(LARGE / 4 + 1, sizeof *data), crc32;
    assert_non_null(data);
    for (uint32_t i = 0; i < LARGE / 4 + 1; i++) data[i] = i * UINT32_C(2654435761) ^ i >> 7;
    spill(in_base("large"), (const char *)data, LARGE);
    static const size_t lengths[] = {0, 5, 8 << 20, (12 << 20) + 3, LARGE - 7};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        assert_ok(kelvin_file_crc32(&crc32, in_base("large"), 7, lengths[i]));
        assert_true(crc32 == kelvin_crc32((const char *)data + 7, lengths[i]));
    }
    fails(kelvin_file_crc32(&crc32, in_base("large"), 8, LARGE - 7), KELVIN_EIO, "large: became shorter", "read");
    fails(kelvin_file_crc32(&crc32, in_base("none"), 0, LARGE), KELVIN_EIO, "none: ", "No such file");
    kelvin_free(data);
}

/* ---- arrays ---- */

/* Bits that a conversion would lose: minus zero, the smallest number, an infinity, a NaN with a payload. */
static const uint32_t singles[6] = {0x80000000, 1, 0x7f800000, 0x7fc12345, 0x3f800000, 0xff7fffff};
static const uint64_t doubles[3] = {0x8000000000000000, 1, 0x7ff8000012345678};

static void bits_come_back(void **state)
{
    (void)state;
    uint32_t a[6], one[1];
    uint64_t b[3];
    char none[1];
    struct kelvin_array arrays[] = {
        {.name = "a", .dtype = KELVIN_F32, .ndim = 5, .shape = {1, 2, 1, 3, 1}, .data = (void *)singles},
        {.name = "b \"quoted\" \xc3\xa9", .dtype = KELVIN_F64, .ndim = 1, .shape = {3}, .data = (void *)doubles},
        {.name = "none", .dtype = KELVIN_F32, .ndim = 3, .shape = {SIZE_MAX / 2, 3, 0}, .data = none},
        {.name = "one", .dtype = KELVIN_F32, .ndim = 0, .data = (void *)(singles + 3)},
    };
    const struct kelvin_note notes[] = {{"step", "12", ""}, {"init", "a \"folder\"\n", ""}};
    assert_ok(kelvin_tensors_write(in_base("bits"), arrays, 4, notes, 2));
    assert_ok(kelvin_tensors_write(in_base("again"), arrays, 4, notes, 2));
    same_bytes(in_base("bits"), in_base("again"));

    struct kelvin_tensors *file;
    assert_ok(kelvin_tensors_open(&file, in_base("bits")));
    const char *text;
    assert_ok(kelvin_tensors_note(&text, file, "step"));
    assert_string_equal(text, "12");
    assert_ok(kelvin_tensors_note(&text, file, "init"));
    assert_string_equal(text, "a \"folder\"\n");
    assert_ok(kelvin_tensors_note(&text, file, "kelvin"));
    assert_string_equal(text, KELVIN_VERSION);
    fails(kelvin_tensors_note(&text, file, "seed"), KELVIN_EFORMAT, "/bits", "no string \"seed\"");

    void *const to[] = {a, b, none, one};
    for (int i = 0; i < 4; i++) arrays[i].data = to[i];
    assert_ok(kelvin_tensors_read(file, arrays, 4));
    kelvin_tensors_close(file);
    assert_memory_equal(a, singles, sizeof a);
    assert_memory_equal(b, doubles, sizeof b);
    assert_true(one[0] == singles[3]);
}

static void shapes(void **state)
{
    (void)state;
    const float data[6] = {1, 2, 3, 4, 5, 6};
    const struct kelvin_array written = {"x", KELVIN_F32, 2, {2, 3}, (void *)data};
    assert_ok(kelvin_tensors_write(in_base("shape"), &written, 1, NULL, 0));
    struct kelvin_tensors *file;
    assert_ok(kelvin_tensors_open(&file, in_base("shape")));
    struct kelvin_array x = {.name = "x", .dtype = KELVIN_F32, .ndim = 2};
    assert_ok(kelvin_tensors_shape(&x, file));
    assert_true(x.shape[0] == 2 && x.shape[1] == 3);
    assert_memory_equal(x.data, data, sizeof data);
    x.ndim = 3;
    fails(kelvin_tensors_shape(&x, file), KELVIN_EFORMAT, "/shape", "\"x\" is F32 (2, 3), expected F32 with 3 axes");
    x.ndim = 2, x.dtype = KELVIN_F64;
    fails(kelvin_tensors_shape(&x, file), KELVIN_EFORMAT, "/shape", "expected F64 with 2 axes");

    float back[6] = {0}, zeros[6] = {0};
    struct kelvin_array wrong[] = {{"x", KELVIN_F32, 2, {2, 3}, back}, {"y", KELVIN_F32, 1, {1}, back}};
    fails(kelvin_tensors_read(file, wrong, 2), KELVIN_EFORMAT, "/shape", "holds 1 tensors, expected 2");
    fails(kelvin_tensors_read(file, wrong, 0), KELVIN_EFORMAT, "/shape", "holds 1 tensors, expected 0");
    fails(kelvin_tensors_read(file, wrong + 1, 1), KELVIN_EFORMAT, "/shape", "\"y\" is missing");
    wrong[0].shape[0] = 3, wrong[0].shape[1] = 2;
    fails(kelvin_tensors_read(file, wrong, 1), KELVIN_EFORMAT, "/shape", "F32 (2, 3), expected F32 (3, 2)");
    kelvin_tensors_close(file);

    const struct kelvin_array both[] = {written, {"y", KELVIN_F32, 1, {1}, (void *)data}};
    assert_ok(kelvin_tensors_write(in_base("shape"), both, 2, NULL, 0));
    assert_ok(kelvin_tensors_open(&file, in_base("shape")));
    wrong[0].shape[0] = 2, wrong[0].shape[1] = 3, wrong[1].shape[0] = 2;
    fails(kelvin_tensors_read(file, wrong, 2), KELVIN_EFORMAT, "/shape", "\"y\" is F32 (1), expected F32 (2)");
    assert_memory_equal(back, zeros, sizeof back); /* nothing was copied, of x neither */
    kelvin_tensors_close(file);
}

static void cannot_be_written(void **state)
{
    (void)state;
    float data[1] = {1};
    struct kelvin_array twice[2] = {{"x", KELVIN_F32, 1, {1}, data}, {"x", KELVIN_F32, 1, {1}, data}};
    fails(kelvin_tensors_write(in_base("twice"), twice, 2, NULL, 0), KELVIN_EUSAGE, "/twice", "there twice");
    struct kelvin_array huge = {"x", KELVIN_F64, 3, {SIZE_MAX / 4, 2, 2}, data};
    fails(kelvin_tensors_write(in_base("huge"), &huge, 1, NULL, 0), KELVIN_ENOMEM, "/huge", "larger than can be");
    const struct kelvin_note latin = {"init", "caf\xe9", ""};
    fails(kelvin_tensors_write(in_base("latin"), twice, 1, &latin, 1), KELVIN_EUSAGE, "/latin", "UTF-8");
    assert_false(exists(in_base("twice")) || exists(in_base("huge")) || exists(in_base("latin")));
}

static kelvin_status write_and_read(void *context)
{
    float data[3] = {1, 2, 3};
    const struct kelvin_array x = {"x", KELVIN_F32, 1, {3}, data};
    struct kelvin_tensors *file;
    KELVIN_TRY(kelvin_tensors_write(context, &x, 1, NULL, 0));
    KELVIN_TRY(kelvin_tensors_open(&file, context));
    kelvin_tensors_close(file);
    return KELVIN_OK;
}

static void memory_runs_out(void **state)
{
    (void)state;
    assert_true(without_memory(write_and_read, (void *)in_base("memory")) > 4);
}

/* Headers before the 24 bytes of `data`, whose checksum is zlib.crc32 of Python. */
static const char data[] = "\x00\x00\x40\x40\x00\x00\x80\x40\x00\x00\x40\xc0\x00\x00\x80\xc0"
                           "\x00\x00\x20\x40\x00\x00\x20\xc0";
#define META      "{\"__metadata__\":{\"crc32\":\"3d60d50a\"},"
#define W(fields) META "\"w\":{" fields "},\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[16,24]}}"
#define LIST      "\"a0\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]},"
#define LAST      "\"z0\":{\"dtype\":\"F16\",\"shape\":[0],\"data_offsets\":[16,16]}}"
#define LONG_NAME "a234567890123456789012345678901234567890123456789012345678901234"

static const struct {
    const char *header, *sentence; /* NULL: it is right */
} headers[] = {
    {W("\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]"), NULL},
    {W("\"data_offsets\":[0,16],\"shape\":[2],\"dtype\":\"F64\""), NULL},
    {META "\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[16,24]},"
          "\"w\":{\"dtype\":\"BF16\",\"shape\":[2,4],\"data_offsets\":[0,16]}," LAST,
     NULL}, /* the header has another order than the data */
    {META LIST "\"w\":{\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":[0,24]}}", NULL},
    {"", "header, line"},
    {"{", "header, line 1"},
    {"[]", "the header is not an object"},
    {"{}", "holds 24 bytes of data, expected 0"},
    {"{\"w\":{\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":[0,24]}}", "no string \"crc32\""},
    {"{\"__metadata__\":[],\"w\":{\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":[0,24]}}", "no string \"crc32\""},
    {"{\"__metadata__\":{\"crc32\":7},\"w\":{\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":[0,24]}}",
     "no string \"crc32\""},
    {"{\"__metadata__\":{\"crc32\":\"3d60d50b\"},\"w\":{\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":[0,24]}}",
     "the data have crc32 3d60d50a, the header says 3d60d50b: the file is damaged"},
    {META "\"w\":7}", "tensor \"w\" is 7, expected dtype, shape and data_offsets"},
    {META "\"w\":{}}", "tensor \"w\" is {}, expected dtype, shape and data_offsets"},
    {W("\"dtype\":\"F8\",\"shape\":[2,2],\"data_offsets\":[0,16]"), "expected dtype F32, F64, F16, BF16, I64 or BOOL"},
    {W("\"dtype\":\"F16\",\"shape\":[2,2],\"data_offsets\":[0,16]"), "as far apart as the shape says"},
    {W("\"dtype\":32,\"shape\":[2,2],\"data_offsets\":[0,16]"), "expected dtype F32, F64, F16, BF16, I64 or BOOL"},
    {W("\"dtype\":\"F32\",\"shape\":[2,2],\"data_offset\":[0,16]"), "expected two data_offsets"},
    {W("\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16,16]"), "expected two data_offsets"},
    {W("\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16.0]"), "expected two data_offsets"},
    {W("\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[-4,16]"), "expected two data_offsets"},
    {W("\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":\"0 16\""), "expected two data_offsets"},
    {W("\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[16,0]"), "begin where the last array ended"},
    {W("\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[4,20]"), "begin where the last array ended"},
    {W("\"dtype\":\"F32\",\"shape\":[5],\"data_offsets\":[0,20]"), "tensor \"b\" is {"}, /* overlap */
    {W("\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]"), "tensor \"b\" is {"}, /* a gap */
    {W("\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,16]"), "as far apart as the shape says"},
    {W("\"dtype\":\"F64\",\"shape\":[2,2],\"data_offsets\":[0,16]"), "as far apart as the shape says"},
    {W("\"dtype\":\"F32\",\"shape\":7,\"data_offsets\":[0,16]"), "a shape of at most 6 sizes"},
    {W("\"dtype\":\"F32\",\"shape\":[-2,-2],\"data_offsets\":[0,16]"), "a shape of at most 6 sizes"},
    {W("\"dtype\":\"F32\",\"shape\":[2.0,2],\"data_offsets\":[0,16]"), "a shape of at most 6 sizes"},
    {W("\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,4],\"data_offsets\":[0,16]"), "a shape of at most 6 sizes"},
    {W("\"dtype\":\"F32\",\"shape\":[1e99],\"data_offsets\":[0,16]"), "a shape of at most 6 sizes"},
    {W("\"dtype\":\"F32\",\"shape\":[99999999999999999999],\"data_offsets\":[0,16]"), "header, line 1"},
    /* 2^62 * 4 and 2^32 * 2^32 * 4 are 0 where a product wraps around. */
    {W("\"dtype\":\"F32\",\"shape\":[4611686018427387904],\"data_offsets\":[0,0]"), "as far apart as the shape says"},
    {W("\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]"), "as far apart as the shape"},
    /* 2^60 - 1 and 2^60 + 4 doubles, whose end would wrap around to 24. */
    {META "\"w\":{\"dtype\":\"F64\",\"shape\":[1152921504606846975],\"data_offsets\":[0,9223372036854775800]},"
          "\"b\":{\"dtype\":\"F64\",\"shape\":[1152921504606846980],\"data_offsets\":[9223372036854775800,24]}}",
     "as far apart as the shape says"},
    {META "\"w\":{\"dtype\":\"F32\",\"shape\":[5],\"data_offsets\":[0,20]}}", "holds 24 bytes of data, expected 20"},
    {META "\"w\":{\"dtype\":\"F32\",\"shape\":[7],\"data_offsets\":[0,28]}}", "holds 24 bytes of data, expected 28"},
    {META "\"" LONG_NAME "\":{\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":[0,24]}}", "a shorter name"},
    {META "\"w\":{\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":[0,24]},\"w\":1}", "duplicate"},
};

static size_t make_file(char *out, const char *header)
{
    const uint64_t length = strlen(header);
    memcpy(out, &length, 8);
    memcpy(out + 8, header, length);
    memcpy(out + 8 + length, data, sizeof data - 1);
    return 8 + length + sizeof data - 1;
}

static void bad_headers(void **state)
{
    (void)state;
    static char bytes[1024];
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct kelvin_tensors *file;
        spill(in_base("bad"), bytes, make_file(bytes, headers[i].header));
        const kelvin_status status = kelvin_tensors_open(&file, in_base("bad"));
        if (!headers[i].sentence && status) fail_msg("%s: %s", headers[i].header, kelvin_error());
        if (headers[i].sentence) fails(status, KELVIN_EFORMAT, "/bad: ", headers[i].sentence);
        if (headers[i].sentence) assert_null(file);
        kelvin_tensors_close(file);
    }
}

static void open_damaged(const char *bytes, size_t size)
{
    struct kelvin_tensors *file;
    spill(in_base("damaged"), bytes, size);
    fails(kelvin_tensors_open(&file, in_base("damaged")), KELVIN_EFORMAT, "/damaged: ", "");
}

/* Cut anywhere, a byte too long, any bit of the data turned over, any length of the header but the right one. */
static void damaged_files(void **state)
{
    (void)state;
    char bytes[512] = "";
    const size_t size = make_file(bytes, headers[0].header), start = size - (sizeof data - 1);
    for (size_t n = 0; n < size; n++) open_damaged(bytes, n);
    open_damaged(bytes, size + 1);
    for (size_t bit = 8 * start; bit < 8 * size; bit++) {
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        open_damaged(bytes, size);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
    }
    static const uint64_t lengths[] = {0, 1, 100, UINT64_MAX, UINT64_MAX - 7, INT64_MAX, (uint64_t)1 << 32};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        memcpy(bytes, &lengths[i], 8);
        open_damaged(bytes, size);
    }
    struct kelvin_tensors *file;
    fails(kelvin_tensors_open(&file, in_base("nowhere")), KELVIN_EIO, "/nowhere", strerror(ENOENT));
    assert_null(file);
}

/* ---- the header's checksum ---- */

#define KEY "\"header_crc32\":\""

/* A file with this header, in which the eight zeros after KEY become the right checksum. */
static size_t make_signed(char *out, const char *header)
{
    const size_t size = make_file(out, header), bytes = size - (sizeof data - 1);
    char digits[9], *at = strstr(out + 8, KEY);
    snprintf(digits, sizeof digits, "%08x", (unsigned)plain_crc32((const unsigned char *)out, bytes));
    if (at) memcpy(at + strlen(KEY), digits, 8);
    return size;
}

#define ARRAY           "\"w\":{\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":[0,24]}}"
#define BY(version)     "{\"__metadata__\":{\"kelvin\":\"" version "\",\"crc32\":\"3d60d50a\"},"
#define SIGNED(version) "{\"__metadata__\":{\"kelvin\":\"" version "\",\"crc32\":\"3d60d50a\"," KEY "00000000\"},"

static const struct {
    const char *header;
    bool right;
} versions[] = {
    {BY("0.1.0") ARRAY, true},     {BY("0.5.0") ARRAY, true},           {BY("0.6.0") ARRAY, true},
    {BY("0.7.0") ARRAY, false},    {BY("0.10.0") ARRAY, false},         {BY("0.60.0") ARRAY, false},
    {BY("1.0.0") ARRAY, false},    {BY("10.6.0") ARRAY, false},         {BY("0.") ARRAY, false},
    {BY("") ARRAY, false},         {SIGNED("0.6.0") ARRAY, true},       {SIGNED("0.7.0") ARRAY, true},
    {SIGNED("1.0.0") ARRAY, true}, {SIGNED("0.7.0") ARRAY "   ", true}, {SIGNED("0.7.0\\\"header_crc32") ARRAY, true},
};

static void versions_of_headers(void **state)
{
    (void)state;
    char bytes[1024];
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        struct kelvin_tensors *file;
        spill(in_base("signed"), bytes, make_signed(bytes, versions[i].header));
        const kelvin_status status = kelvin_tensors_open(&file, in_base("signed"));
        if (versions[i].right && status) fail_msg("%s: %s", versions[i].header, kelvin_error());
        if (!versions[i].right) fails(status, KELVIN_EFORMAT, "/signed: ", "no string \"header_crc32\"");
        kelvin_tensors_close(file);
    }
    static const char *const wrong[] = {
        BY("0.6.0\"," KEY "00000000") ARRAY,
        BY("0.6.0\"," KEY) ARRAY,
        BY("0.6.0\",\"header_crc32\": \"00000000") ARRAY,
        BY("0.6.0\",\"header_crc32\":0,\"x\":\"") ARRAY,
        SIGNED("0.7.0\",\"x\\" KEY) ARRAY,
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) open_damaged(bytes, make_file(bytes, wrong[i]));
}

/* Any bit of a file of 0.7 or later turned over. */
static void every_bit_counts(void **state)
{
    (void)state;
    char bytes[1024];
    struct kelvin_tensors *file;
    const size_t size = make_signed(bytes, SIGNED("0.7.0") ARRAY "     ");
    spill(in_base("whole"), bytes, size);
    assert_ok(kelvin_tensors_open(&file, in_base("whole")));
    kelvin_tensors_close(file);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        open_damaged(bytes, size);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
    }
}

/* What is written has both checksums, by the plain sum, and is as long whatever they are. */
static void headers_are_signed(void **state)
{
    (void)state;
    const struct kelvin_array array = {"w", KELVIN_F64, 1, {3}, (void *)data};
    size_t length = 0;
    const struct kelvin_note string = {"init", "a \"header_crc32\":\"folder\"", ""};
    for (uint32_t crc32 = 0; crc32 < 5; crc32++) {
        char *header, note[32], expected[32];
        size_t bytes;
        assert_ok(kelvin_tensors_header(&header, &bytes, "x", &array, 1, &string, 1, crc32 * 0x3fffffff));
        if (length == 0) length = bytes;
        assert_int_equal(bytes, length);
        char *at = strstr(header + 8, KEY);
        assert_non_null(at);
        snprintf(note, sizeof note, "%.8s", at + strlen(KEY));
        memcpy(at + strlen(KEY), "00000000", 8);
        snprintf(expected, sizeof expected, "%08x", (unsigned)plain_crc32((unsigned char *)header, bytes));
        assert_string_equal(note, expected);
        kelvin_free(header);
    }
}

/* The sentence about an entry that is longer than what is shown of it: all of it comes from the file. */
static void long_entries(void **state)
{
    (void)state;
    char header[1024] = META "\"w\":{\"dtype\":\"F32\",\"shape\":[", bytes[2048];
    for (int i = 0; i < 100; i++) strcat(header, "11111,");
    strcat(header, "1],\"data_offsets\":[0,24]}}");
    open_damaged(bytes, make_file(bytes, header));
    assert_non_null(strstr(kelvin_error(), "\"shape\": [11111, 11111, "));
    assert_non_null(strstr(kelvin_error(), "..., expected a shape of at most 6 sizes"));
    for (const char *c = strstr(kelvin_error(), "[") + 1; *c != '.'; c++) assert_non_null(strchr("1, ", *c));

    char name[301]; /* one piece that does not fit at all, and then some that would */
    memset(name, 'n', 300);
    name[300] = '\0';
    snprintf(header, sizeof header, META "\"w\":{\"dtype\":\"%s\",\"shape\":[1],\"data_offsets\":[0,24]}}", name);
    open_damaged(bytes, make_file(bytes, header));
    const char *shown = strstr(kelvin_error(), "{\"dtype\": \"nnn");
    assert_non_null(shown);
    assert_int_equal(strspn(strchr(shown, 'n'), "n"), strcspn(strchr(shown, 'n'), "."));
    assert_non_null(strstr(kelvin_error(), "n..., expected dtype F32"));
}

/* ---- files by other programs ---- */

/* Without checksums; the data of `out` are those that are given. */
static struct kelvin_tensors *foreign(const char *header, const void *values, size_t bytes)
{
    static char file[1 << 18];
    struct kelvin_tensors *opened;
    const uint64_t length = strlen(header);
    memcpy(file, &length, 8);
    memcpy(file + 8, header, length);
    memcpy(file + 8 + length, values, bytes);
    spill(in_base("foreign"), file, 8 + length + bytes);
    assert_ok(kelvin_tensors_open_any(&opened, in_base("foreign")));
    return opened;
}

/* "x" of n floats of that dtype, read; beside another, so that they do not lie at a multiple of their size. */
static kelvin_status read_as(float *out, const char *dtype, const void *values, size_t n, size_t each)
{
    static char bytes[1 << 18];
    char header[256], odd[1] = {1};
    memcpy(bytes, odd, 1);
    memcpy(bytes + 1, values, n * each);
    snprintf(header, sizeof header,
             "{\"x\":{\"dtype\":\"%s\",\"shape\":[%zu],\"data_offsets\":[1,%zu]},"
             "\"odd\":{\"dtype\":\"BOOL\",\"shape\":[1],\"data_offsets\":[0,1]}}",
             dtype, n, 1 + n * each);
    struct kelvin_tensors *file = foreign(header, bytes, 1 + n * each);
    const struct kelvin_array x = {"x", KELVIN_F32, 1, {n}, out};
    const kelvin_status status = kelvin_tensors_floats(file, &x, 1);
    kelvin_tensors_close(file);
    return status;
}

/* Numbers by the IEEE's tables: 1, the largest, the smallest normal and subnormal one, a third. */
static void floats_of_any_size(void **state)
{
    (void)state;
    float out[8];
    static const uint16_t half[] = {0x3c00, 0xfbff, 0x0400, 0x0001, 0x3555, 0x8000, 0xc000, 0x03ff};
    static const double is[] = {1, -65504, 0x1p-14, 0x1p-24, 0.333251953125, -0.0, -2, 0x1.ff8p-15};
    assert_ok(read_as(out, "F16", half, 8, 2));
    for (int i = 0; i < 8; i++) assert_true((double)out[i] == is[i] && !signbit(out[i]) == !signbit(is[i]));

    static const uint16_t brain[] = {0x3f80, 0xff7f, 0x0080, 0x0001, 0x4049, 0x8000};
    static const double that[] = {1, -0x1.fep127, 0x1p-126, 0x1p-133, 3.140625, -0.0};
    assert_ok(read_as(out, "BF16", brain, 6, 2));
    for (int i = 0; i < 6; i++) assert_true((double)out[i] == that[i] && !signbit(out[i]) == !signbit(that[i]));

    /* halfway between two floats to the even one; FLT_MAX; one that is 0 as a float */
    static const double precise[] = {1 + 0x1p-24, 1 + 0x3p-24, 0x1.fffffep127, -1e-300, 0.1, 0x1p-149};
    static const float nearest[] = {1, 1 + 0x1p-22f, 0x1.fffffep127f, -0.0f, 0.1f, 0x1p-149f};
    assert_ok(read_as(out, "F64", precise, 6, 8));
    assert_memory_equal(out, nearest, sizeof nearest);
    assert_ok(read_as(out, "F32", nearest, 6, 4));
    assert_memory_equal(out, nearest, sizeof nearest);
}

/* All there are, as the compiler converts them. */
static void every_half_is_the_compilers(void **state)
{
    (void)state;
#ifdef __FLT16_MAX__
    static uint16_t bits[1 << 16];
    static float out[1 << 16];
    __extension__ _Float16 value;
    size_t n = 0;
    for (uint32_t i = 0; i < 1 << 16; i++)
        if ((i >> 10 & 31) < 31) bits[n++] = (uint16_t)i;
    assert_int_equal(n, 62 << 10);
    assert_ok(read_as(out, "F16", bits, n, 2));
    for (size_t i = 0; i < n; i++) {
        memcpy(&value, &bits[i], 2);
        assert_true(out[i] == (float)value && !signbit(out[i]) == !signbit((float)value));
    }
#else
    skip();
#endif
}

static void floats_must_be_finite(void **state)
{
    (void)state;
    float out[2];
    static const double infinite[] = {1, -1e39}, none[] = {(double)NAN, 1};
    static const float single[] = {1, INFINITY};
    static const uint16_t half[] = {0x3c00, 0xfc00}, brain[] = {0x3f80, 0x7f81}, half_none[] = {0x3c00, 0x7c01};
    const char *where = "/foreign: tensor \"x\": value 1 is ";
    fails(read_as(out, "F64", infinite, 2, 8), KELVIN_EFORMAT, where, "-1e+39, expected a finite number that F32");
    fails(read_as(out, "F64", none, 2, 8), KELVIN_EFORMAT, "\"x\": value 0 is nan", "expected a finite number");
    fails(read_as(out, "F32", single, 2, 4), KELVIN_EFORMAT, where, "inf, expected");
    fails(read_as(out, "F16", half, 2, 2), KELVIN_EFORMAT, where, "-inf, expected");
    fails(read_as(out, "F16", half_none, 2, 2), KELVIN_EFORMAT, where, "nan, expected");
    fails(read_as(out, "BF16", brain, 2, 2), KELVIN_EFORMAT, where, "nan, expected");
    static const int64_t whole[] = {1, 2};
    fails(read_as(out, "I64", whole, 2, 8), KELVIN_EFORMAT, "/foreign: tensor \"x\" is I64 (2), ",
          "expected F32, F64, F16 or BF16");
}

#define TENSOR(name, from, to) "\"" name "\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[" from "," to "]}"

static void names_and_shapes_are_expected(void **state)
{
    (void)state;
    static const struct {
        const char *header, *sentence;
    } table[] = {
        {"{" TENSOR("l.bias", "0", "4") "," TENSOR("l.weight", "4", "8") "}", NULL},
        {"{" TENSOR("l.weight", "0", "4") "," TENSOR("l.bias", "4", "8") "}", NULL},
        {"{" TENSOR("l.bias", "0", "4") "}", "tensor \"l.weight\" is missing"},
        {"{" TENSOR("l.bias", "0", "4") "," TENSOR("l.weigth", "4", "8") "}",
         "tensor \"l.weigth\" is not known; did you mean 'l.weight'?"},
        {"{" TENSOR("l.bias", "0", "4") "," TENSOR("other", "4", "8") "}",
         "tensor \"other\" is not known; expected one of: l.weight"},
        {"{" TENSOR("l.bias", "0", "4") "," TENSOR("l.weight", "4", "8") "," TENSOR("m", "8", "12") "}",
         "tensor \"m\" is one too many"},
        {"{" TENSOR("l.bias", "0", "4") ",\"l.weight\":{\"dtype\":\"F16\",\"shape\":[1,2],\"data_offsets\":[4,8]}}",
         "tensor \"l.weight\" is F16 (1, 2), expected F16 (2)"},
        {"{" TENSOR("l.bias", "0", "4") ",\"l.weight\":{\"dtype\":\"F16\",\"shape\":[2,1],\"data_offsets\":[4,8]}}",
         "tensor \"l.weight\" is F16 (2, 1), expected F16 (2)"},
        {"{" TENSOR("l.bias", "0", "4") ",\"l.weight\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[4,12]}}",
         "tensor \"l.weight\" is I64 (1), expected F32 (2)"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct kelvin_array arrays[] = {{"l.weight", KELVIN_F32, 1, {2}, NULL},
                                              {"l.bias", KELVIN_F32, 1, {2}, NULL}};
        const char *last = strrchr(table[i].header, ',');
        struct kelvin_tensors *file = foreign(table[i].header, "0123456789ab", strtoul(last + 1, NULL, 10));
        const kelvin_status status = kelvin_tensors_expect(file, arrays, 2);
        if (!table[i].sentence && status) fail_msg("%s: %s", table[i].header, kelvin_error());
        if (table[i].sentence) fails(status, KELVIN_EFORMAT, "/foreign: ", table[i].sentence);
        kelvin_tensors_close(file);
    }
}

/* Cut anywhere; and what is something else. */
static void foreign_files_are_not_believed(void **state)
{
    (void)state;
    struct kelvin_tensors *file = foreign("{" TENSOR("l.bias", "0", "4") "}", "\0\0\0\0", 4);
    kelvin_tensors_close(file);
    size_t bytes;
    char *whole = slurp(in_base("foreign"), &bytes);
    for (size_t n = 0; n < bytes; n++) {
        spill(in_base("cut"), whole, n);
        fails(kelvin_tensors_open_any(&file, in_base("cut")), KELVIN_EFORMAT, "/cut: ",
              n < 8           ? "is not a safetensors file: "
              : n < bytes - 4 ? "ends within its header: "
                              : "bytes of data, expected 4");
        assert_null(file);
    }
    kelvin_free(whole);
    static const char zip[] = "PK\3\4, and whatever else there is in a zip";
    spill(in_base("cut"), zip, sizeof zip);
    fails(kelvin_tensors_open_any(&file, in_base("cut")), KELVIN_EFORMAT, "/cut: is not a safetensors file", "byte 8");
    spill(in_base("cut"), "", 0);
    fails(kelvin_tensors_open_any(&file, in_base("cut")), KELVIN_EFORMAT, "/cut: is not a safetensors file", "0 bytes");
}

static kelvin_status refuse_foreign(void *context)
{
    struct kelvin_tensors *file;
    const struct kelvin_array other = {"other", KELVIN_F32, 1, {2}, NULL};
    KELVIN_TRY(kelvin_tensors_open_any(&file, context));
    const kelvin_status status = kelvin_tensors_expect(file, &other, 1);
    kelvin_tensors_close(file);
    return status == KELVIN_EFORMAT ? KELVIN_OK : status;
}

static void foreign_files_without_memory(void **state)
{
    (void)state;
    kelvin_tensors_close(foreign("{" TENSOR("l.bias", "0", "4") "}", "\0\0\0\0", 4));
    assert_true(without_memory(refuse_foreign, (void *)in_base("foreign")) > 5);
}

/* ---- logits, a piece at a time ---- */

static void npy_in_pieces(void **state)
{
    (void)state;
    const size_t shape[3] = {5, 2, 3};
    const struct kelvin_array form = {"", KELVIN_F32, 3, {5, 2, 3}, NULL},
                              huge = {"", KELVIN_I64, 2, {SIZE_MAX, 2}, NULL};
    float values[30];
    for (int i = 0; i < 30; i++) values[i] = (float)i - 2.385f;
    assert_ok(write_logits(in_base("whole.npy"), values, shape));
    struct kelvin_writer file;
    kelvin_status status = kelvin_npy_begin(&file, in_base("pieces.npy"), &form);
    for (size_t i = 0; i < 5 && !status; i++) status = kelvin_writer_put(&file, values + 6 * i, 6 * sizeof *values);
    assert_ok(kelvin_writer_close(&file, status));
    same_bytes(in_base("whole.npy"), in_base("pieces.npy"));

    status = kelvin_npy_begin(&file, in_base("huge.npy"), &huge);
    fails(kelvin_writer_close(&file, status), KELVIN_ENOMEM, "huge.npy", "addressed");
    status = kelvin_npy_begin(&file, in_base("nowhere/x.npy"), &form);
    fails(kelvin_writer_close(&file, status), KELVIN_EIO, "x.npy", strerror(ENOENT));
}

/* A header of 128 bytes by NumPy's own description; more labels than are converted at a time. */
static void npy_of_labels(void **state)
{
    (void)state;
    enum { N = 1100 };
    static const char header[] = "\x93NUMPY\x01\0\x76\0{'descr': '<i8', 'fortran_order': False, 'shape': (1100,), }";
    int32_t y[N];
    int64_t back[N];
    char expected[128];
    size_t bytes;
    for (int32_t i = 0; i < N; i++) y[i] = i % 7 * 1001;
    assert_ok(kelvin_labels_write(in_base("labels.npy"), y, N));
    char *file = slurp(in_base("labels.npy"), &bytes);
    assert_int_equal(bytes, 128 + sizeof back);
    memset(expected, ' ', 127);
    expected[127] = '\n';
    memcpy(expected, header, sizeof header - 1);
    assert_memory_equal(file, expected, 128);
    memcpy(back, file + 128, sizeof back);
    for (size_t i = 0; i < N; i++) assert_true(back[i] == y[i]);
    kelvin_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc32_of_any_length),
        cmocka_unit_test(crc32_of_files),
        cmocka_unit_test(bits_come_back),
        cmocka_unit_test(shapes),
        cmocka_unit_test(cannot_be_written),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(bad_headers),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(versions_of_headers),
        cmocka_unit_test(every_bit_counts),
        cmocka_unit_test(headers_are_signed),
        cmocka_unit_test(long_entries),
        cmocka_unit_test(floats_of_any_size),
        cmocka_unit_test(every_half_is_the_compilers),
        cmocka_unit_test(floats_must_be_finite),
        cmocka_unit_test(names_and_shapes_are_expected),
        cmocka_unit_test(foreign_files_are_not_believed),
        cmocka_unit_test(foreign_files_without_memory),
        cmocka_unit_test(npy_in_pieces),
        cmocka_unit_test(npy_of_labels),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
