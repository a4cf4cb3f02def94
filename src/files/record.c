/* Structs as JSON objects. A number is written with the fewest digits that give it back. */
#include "files/record.h"

#include "base/c_locale.h"
#include "base/texts.h"
#include "files/decimal.h"
#include "files/files.h"
#include "files/formats.h"

#include <jansson.h>

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/* jansson draws the seed of its hashes when its first object is made, and other threads wait for the one that does. A
 * child that was forked just then would wait forever: so it is set before main(), to random bytes that the kernel gives
 * to every process. Those of jansson's own choice would have to be read from a device whenever a program starts. */
__attribute__((constructor)) static void set_seed(void)
{
    size_t seed = 0;
    const void *random = (const void *)getauxval(AT_RANDOM);
    if (random) memcpy(&seed, random, sizeof seed);
    json_object_seed(seed); /* 0: by jansson */
}

enum { NUMBER = 40, MOST_DIGITS = 17 };

/* ---- kinds of fields ---- */

struct kelvin_field_kind {
    const char *expected;
    json_t *(*to_json)(const void *value);
    bool (*from_json)(void *value, const json_t *json);
    int (*print)(char *out, size_t size, const void *value);
    kelvin_status (*parse)(void *value, const char *what, const char *text);
};

static json_t *text_to(const void *value)
{
    return json_string(*(const char *const *)value);
}

static bool text_from(void *value, const json_t *json)
{
    *(const char **)value = json_string_value(json);
    return json_is_string(json);
}

static int text_print(char *out, size_t size, const void *value)
{
    const char *text = *(const char *const *)value;
    return snprintf(out, size, "%s", text ? text : "");
}

static kelvin_status text_parse(void *value, const char *what, const char *text)
{
    (void)what; /* any will do */
    *(const char **)value = text;
    return KELVIN_OK;
}

static json_t *count_to(const void *value)
{
    return json_integer(*(const uint32_t *)value);
}

static bool count_from(void *value, const json_t *json)
{
    const json_int_t n = json_integer_value(json);
    *(uint32_t *)value = (uint32_t)n;
    return json_is_integer(json) && n >= 0 && n <= UINT32_MAX;
}

static int count_print(char *out, size_t size, const void *value)
{
    return snprintf(out, size, "%" PRIu32, *(const uint32_t *)value);
}

static kelvin_status count_parse(void *value, const char *what, const char *text)
{
    uint64_t n = 0;
    const kelvin_status status = kelvin_parse_whole(&n, what, text, UINT32_MAX);
    *(uint32_t *)value = (uint32_t)n;
    return status;
}

static json_t *seed_to(const void *value)
{
    const uint64_t seed = *(const uint64_t *)value;
    return seed <= UINT64_C(1) << 53 ? json_integer((json_int_t)seed) : json_sprintf("%" PRIu64, seed);
}

static bool seed_from(void *value, const json_t *json)
{
    if (json_is_integer(json)) {
        *(uint64_t *)value = (uint64_t)json_integer_value(json);
        return json_integer_value(json) >= 0;
    }
    const char *text = json_string_value(json);
    if (!text || !isdigit((unsigned char)*text)) return false;
    char *end;
    errno = 0;
    *(uint64_t *)value = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

static int seed_print(char *out, size_t size, const void *value)
{
    return snprintf(out, size, "%" PRIu64, *(const uint64_t *)value);
}

static kelvin_status seed_parse(void *value, const char *what, const char *text)
{
    return kelvin_parse_whole(value, what, text, UINT64_MAX);
}

static json_t *real_to(const void *value)
{
    return json_real(*(const double *)value);
}

static bool real_from(void *value, const json_t *json)
{
    *(double *)value = json_number_value(json);
    return json_is_number(json);
}

static int real_print(char *out, size_t size, const void *value)
{
    const double x = *(const double *)value;
    locale_t c, before = enter_c_locale(&c);
    const int length = snprintf(out, size, "%.*g", kelvin_digits(x), x);
    leave_c_locale(c, before);
    return length;
}

static kelvin_status real_parse(void *value, const char *what, const char *text)
{
    return kelvin_parse_real(value, what, text);
}

static json_t *whole_to(const void *value)
{
    return json_integer((json_int_t) * (const double *)value);
}

static bool whole_from(void *value, const json_t *json)
{
    uint32_t n;
    const bool good = count_from(&n, json);
    *(double *)value = n;
    return good;
}

static int whole_print(char *out, size_t size, const void *value)
{
    return snprintf(out, size, "%.0f", *(const double *)value);
}

static kelvin_status whole_parse(void *value, const char *what, const char *text)
{
    uint32_t n;
    KELVIN_TRY(count_parse(&n, what, text));
    *(double *)value = n;
    return KELVIN_OK;
}

#define COUNT "a whole number of at most 4294967295"
#define SEED  "a whole number of at most 18446744073709551615 (a string if large)"

const struct kelvin_field_kind kelvin_field_text = {"a string", text_to, text_from, text_print, text_parse};
const struct kelvin_field_kind kelvin_field_maybe = {"a string", text_to, text_from, text_print, text_parse};
const struct kelvin_field_kind kelvin_field_count = {COUNT, count_to, count_from, count_print, count_parse};
const struct kelvin_field_kind kelvin_field_seed = {SEED, seed_to, seed_from, seed_print, seed_parse};
const struct kelvin_field_kind kelvin_field_real = {"a number", real_to, real_from, real_print, real_parse};
const struct kelvin_field_kind kelvin_field_whole = {COUNT, whole_to, whole_from, whole_print, whole_parse};

/* ---- as people type them ---- */

kelvin_status kelvin_field_parse(void *record, const struct kelvin_field *field, const char *what, const char *text)
{
    return field->kind->parse((char *)record + field->offset, what, text);
}

size_t kelvin_field_print(char *out, size_t size, const struct kelvin_field *field, const void *record)
{
    return (size_t)field->kind->print(out, size, (const char *)record + field->offset);
}

const char *kelvin_field_words(kelvin_arena *arena, const struct kelvin_field *field, const void *record)
{
    const size_t size = kelvin_field_print(NULL, 0, field, record) + 1;
    char *words = kelvin_arena_alloc(arena, size, 1);
    if (words) kelvin_field_print(words, size, field, record);
    return words;
}

/* ---- whole records ---- */

void *kelvin_record_json(const struct kelvin_field *fields, size_t n, const void *record)
{
    json_t *root = json_object();
    int failed = root == NULL;
    for (size_t i = 0; i < n; i++) {
        const void *value = (const char *)record + fields[i].offset;
        if (fields[i].kind == &kelvin_field_maybe && !*(const char *const *)value) continue;
        failed |= json_object_set_new(root, fields[i].name, fields[i].kind->to_json(value));
    }
    if (!failed) return root;
    json_decref(root);
    return NULL;
}

char *kelvin_record_text(const struct kelvin_field *fields, size_t n, const void *record)
{
    json_t *root = kelvin_record_json(fields, n, record);
    const size_t flags = JSON_REAL_PRECISION((size_t)MOST_DIGITS), size = root ? json_dumpb(root, NULL, 0, flags) : 0;
    char *text = size ? kelvin_alloc(size + 1, 1) : NULL;
    if (text) json_dumpb(root, text, size, flags);
    json_decref(root);
    if (!size) (void)kelvin_fail(KELVIN_ENOMEM, "JSON cannot be made: a text for it is not UTF-8, or out of memory");
    return text;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* As many as the number needs that needs most, also of those in lists and objects. */
static int digits_of(json_t *root)
{
    int digits = json_is_real(root) ? kelvin_digits(json_real_value(root)) : 1;
    const char *name;
    size_t i;
    json_t *value;
    json_object_foreach(root, name, value) digits = larger(digits, digits_of(value));
    json_array_foreach(root, i, value) digits = larger(digits, digits_of(value));
    return digits;
}

void *kelvin_json_text(const char *text)
{
    if (!text) return json_null();
    char *utf8 = kelvin_utf8(text);
    json_t *json = utf8 ? json_string(utf8) : NULL;
    kelvin_free(utf8);
    return json;
}

static int put(const char *text, size_t bytes, void *writer)
{
    return kelvin_writer_put(writer, text, bytes) ? -1 : 0;
}

kelvin_status kelvin_json_write(const char *path, void *object)
{
    json_t *root = object;
    struct kelvin_writer file = {.fd = -1};
    kelvin_status status =
        root
            ? kelvin_writer_open(&file, path)
            : kelvin_fail(KELVIN_ENOMEM, "%s: JSON cannot be made: a text for it is not UTF-8, or out of memory", path);
    const size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION((size_t)digits_of(root));
    if (!status && json_dump_callback(root, put, &file, flags)) status = KELVIN_EIO; /* put() said why */
    if (!status) status = kelvin_writer_put(&file, "\n", 1);
    json_decref(root);
    return kelvin_writer_close(&file, status);
}

static int add_to_crc32(const char *text, size_t bytes, void *crc32)
{
    *(uint32_t *)crc32 = kelvin_crc32_more(*(uint32_t *)crc32, text, bytes);
    return 0;
}

kelvin_status kelvin_record_crc32(uint32_t *crc32, const struct kelvin_field *fields, size_t n, const void *record)
{
    json_t *root = kelvin_record_json(fields, n, record);
    *crc32 = 0;
    const int failed =
        !root || json_dump_callback(root, add_to_crc32, crc32, JSON_COMPACT | JSON_REAL_PRECISION((size_t)MOST_DIGITS));
    json_decref(root);
    return failed ? kelvin_fail(KELVIN_ENOMEM, "out of memory: JSON could not be made") : KELVIN_OK;
}

kelvin_status kelvin_record_open(void **owner, const char *path)
{
    char *text;
    size_t bytes;
    *owner = NULL;
    KELVIN_TRY(kelvin_file_read(&text, &bytes, path));
    json_error_t error;
    json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
    kelvin_free(text);
    if (!root)
        return kelvin_fail(KELVIN_EFORMAT, "%s, line %d, column %d: %s", path, error.line, error.column, error.text);
    if (!json_is_object(root)) {
        json_decref(root);
        return kelvin_fail(KELVIN_EFORMAT, "%s: is not a JSON object", path);
    }
    *owner = root;
    return KELVIN_OK;
}

void kelvin_record_free(void *owner)
{
    json_decref(owner);
}

void kelvin_record_drop(void *owner, const char *name, const char *text)
{
    const char *is = json_string_value(json_object_get(owner, name));
    if (is && strcmp(is, text) == 0) json_object_del(owner, name);
}

bool kelvin_record_has(const void *owner, const char *name)
{
    return json_object_get(owner, name);
}

kelvin_status kelvin_record_take(void *record, const void *owner, const char *path, const struct kelvin_field *field)
{
    const json_t *value = json_object_get(owner, field->name);
    if (!value) return kelvin_fail(KELVIN_EFORMAT, "%s: field \"%s\" is missing", path, field->name);
    if (!field->kind->from_json((char *)record + field->offset, value))
        return kelvin_fail(KELVIN_EFORMAT, "%s: field \"%s\": expected %s", path, field->name, field->kind->expected);
    return KELVIN_OK;
}

const char *kelvin_record_unknown(void *owner, const struct kelvin_field *fields, size_t n)
{
    const char *name;
    json_t *value;
    json_object_foreach(owner, name, value)
    {
        size_t i = 0;
        while (i < n && strcmp(name, fields[i].name) != 0) i++;
        if (i == n) return name;
    }
    return NULL;
}
