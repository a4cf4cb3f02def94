/* Rows are put together in memory: of a million small ones, printf would take most of the time. */
#include "cli/predict_rows.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* ---- numbers ---- */

static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}; /* exact */

enum { DIGITS = 9 };

/* The digits of value = d.ddd x 10^-shift, 0 <= shift <= 14; returns the shift. Powers of ten are exact here, so that
 * the product is rounded once. */
static int take_digits(char digits[DIGITS], double value)
{
    int shift = 0;
    while (value * tens[shift] < 1) shift++;
    uint64_t whole = (uint64_t)(value * tens[shift + DIGITS - 1] + 0.5);
    if (whole >= (uint64_t)tens[DIGITS]) whole /= 10, shift--;
    for (int i = DIGITS; i-- > 0; whole /= 10) digits[i] = (char)('0' + whole % 10);
    return shift;
}

size_t predict_number(char *out, double value)
{
    enum { LAST_FIXED = 4 }; /* after this many zeros, an exponent is shorter */
    if (value == 0 || value == 1) return (size_t)sprintf(out, "%d", (int)value);
    if (!(value >= 1e-13 && value < 9.5)) return (size_t)snprintf(out, 32, "%.9g", value);
    char digits[DIGITS], *to = out;
    const int shift = take_digits(digits, value);
    int n = DIGITS;
    while (n > 1 && digits[n - 1] == '0') n--;
    int first = 0;
    const bool fixed = shift <= LAST_FIXED;
    *to++ = fixed && shift > 0 ? '0' : digits[first++];
    if (first < n) *to++ = '.';
    for (int i = 1; fixed && i < shift; i++) *to++ = '0';
    while (first < n) *to++ = digits[first++];
    if (!fixed) to += sprintf(to, "e-%02d", shift);
    return (size_t)(to - out);
}

/* ---- text ---- */

/* Where memory is short the status says so, whatever comes after. */
static bool reserve(struct predict_rows *rows, size_t bytes)
{
    if (rows->room - rows->used >= bytes) return true;
    const size_t room = 2 * rows->room + bytes;
    char *text = kelvin_alloc(room, 1);
    if (!text) {
        rows->status = KELVIN_ENOMEM;
        return false;
    }
    if (rows->used > 0) memcpy(text, rows->text, rows->used);
    kelvin_free(rows->text);
    rows->text = text;
    rows->room = room;
    return true;
}

static void put(struct predict_rows *rows, const char *before, const char *text)
{
    const size_t first = strlen(before), bytes = strlen(text);
    if (!reserve(rows, first + bytes)) return;
    memcpy(rows->text + rows->used, before, first);
    memcpy(rows->text + rows->used + first, text, bytes);
    rows->used += first + bytes;
}

static void put_number(struct predict_rows *rows, const char *before, double value)
{
    enum { LONGEST = 32 };
    const size_t first = strlen(before);
    if (!reserve(rows, first + LONGEST)) return;
    memcpy(rows->text + rows->used, before, first);
    rows->used += first + predict_number(rows->text + rows->used + first, value);
}

/* A field of CSV: in quotes where it would not be read as one field again. */
static void put_field(struct predict_rows *rows, const char *prefix, const char *text)
{
    const size_t bytes = strlen(text);
    const bool plain = !text[strcspn(text, ",;\t\"\r\n")] && *text != ' ' && (!*text || text[bytes - 1] != ' ');
    if (plain) put(rows, prefix, text);
    if (plain || !reserve(rows, strlen(prefix) + 2 * bytes + 3)) return;
    char *to = rows->text + rows->used;
    to += sprintf(to, "\"%s", prefix);
    for (; *text; *to++ = *text++)
        if (*text == '"') *to++ = '"';
    *to++ = '"';
    rows->used = (size_t)(to - rows->text);
}

static void put_string(struct predict_rows *rows, const char *text)
{
    char *utf8 = kelvin_utf8(text);
    json_t *string = utf8 ? json_string(utf8) : NULL;
    char *dumped = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    if (dumped)
        put(rows, dumped, "");
    else
        rows->status = kelvin_fail(KELVIN_ENOMEM, "out of memory");
    free(dumped);
    json_decref(string);
    kelvin_free(utf8);
}

static void put_text(struct predict_rows *rows, const char *text)
{
    if (rows->json)
        put_string(rows, text);
    else
        put_field(rows, "", text);
}

/* ---- rows ---- */

kelvin_status predict_rows_start(struct predict_rows *rows, const kelvin_data *data, bool labelled, bool json)
{
    *rows = (struct predict_rows){.data = data, .json = json, .labelled = labelled};
    KELVIN_TRY(kelvin_arena_create(&rows->arena));
    if (!(rows->name = kelvin_arena_alloc(rows->arena, kelvin_data_classes(data), sizeof *rows->name)))
        return KELVIN_ENOMEM;
    for (size_t c = 0; c < kelvin_data_classes(data); c++, rows->used = 0) {
        put_text(rows, kelvin_data_class_name(rows->data, c));
        KELVIN_TRY(rows->status);
        if (!(rows->name[c] = kelvin_arena_text(rows->arena, rows->text, rows->used))) return KELVIN_ENOMEM;
    }
    return KELVIN_OK;
}

void predict_rows_end(struct predict_rows *rows)
{
    kelvin_free(rows->text);
    kelvin_arena_destroy(rows->arena);
}

static const char *kept_name(const struct predict_rows *rows, size_t i)
{
    return rows->inputs ? kelvin_inputs_kept_name(rows->inputs, i) : NULL;
}

kelvin_status predict_rows_head(struct predict_rows *rows, bool files)
{
    if (rows->json) return KELVIN_OK;
    put(rows, files ? "file" : "row", "");
    for (size_t i = 0; kept_name(rows, i); i++) {
        put(rows, ",", "");
        put_field(rows, "", kept_name(rows, i));
    }
    put(rows, rows->labelled ? ",label" : "", ",prediction,confidence,entropy,mutual_information");
    for (size_t c = 0; c < kelvin_data_classes(rows->data); c++) {
        put(rows, ",", "");
        put_field(rows, "p_", kelvin_data_class_name(rows->data, c));
    }
    put(rows, "\n", "");
    return rows->status;
}

/* What stands before each value: in CSV a comma. */
static const struct words {
    const char *row, *file, *label, *prediction, *confidence, *entropy, *information, *open, *close;
} words[] = {{"", "", ",", ",", ",", ",", ",", "", "\n"},
             {"{\"row\": ", "{\"file\": ", ", \"label\": ", ", \"prediction\": ", ", \"confidence\": ",
              ", \"entropy\": ", ", \"mutual_information\": ", ", \"probabilities\": {", "}}\n"}};

static void put_kept(struct predict_rows *rows, size_t row)
{
    if (!kept_name(rows, 0)) return;
    put(rows, rows->json ? ", \"columns\": {" : "", "");
    for (size_t i = 0; kept_name(rows, i); i++) {
        put(rows, !rows->json ? "," : i ? ", " : "", "");
        if (rows->json) put_string(rows, kept_name(rows, i));
        put(rows, rows->json ? ": " : "", "");
        put_text(rows, kelvin_inputs_kept(rows->inputs, row, i));
    }
    put(rows, rows->json ? "}" : "", "");
}

static void put_subject(struct predict_rows *rows, const kelvin_verdict *v)
{
    char number[24];
    snprintf(number, sizeof number, "%zu", v->index + 1);
    put(rows, v->name ? words[rows->json].file : words[rows->json].row, v->name ? "" : number);
    if (v->name) put_text(rows, v->name);
    put_kept(rows, v->index);
    if (rows->labelled)
        put(rows, words[rows->json].label, v->label >= 0 ? rows->name[v->label] : rows->json ? "null" : "");
}

kelvin_status predict_rows_add(struct predict_rows *rows, const kelvin_verdict *v)
{
    const struct words *before = &words[rows->json];
    put_subject(rows, v);
    put(rows, before->prediction, rows->name[v->predicted]);
    put_number(rows, before->confidence, v->confidence);
    put_number(rows, before->entropy, v->entropy);
    put_number(rows, before->information, v->epistemic);
    put(rows, before->open, "");
    for (size_t c = 0; c < kelvin_data_classes(rows->data); c++) {
        if (rows->json) put(rows, c ? ", " : "", rows->name[c]);
        put_number(rows, rows->json ? ": " : ",", v->p[c]);
    }
    put(rows, before->close, "");
    return rows->status;
}
