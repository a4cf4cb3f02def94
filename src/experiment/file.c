/* Cells from a JSON file. A field that is a list stands for one cell after the other; several lists for all that can be
 * made of them, the last one changing fastest. */
#include "files/decimal.h"
#include "experiment/experiment.h"

#include "base/needs.h"
#include "base/words.h"
#include "run/fields.h"

#include <jansson.h>

#include <stdio.h>
#include <string.h>

static const char cells_key[] = "cells", name_key[] = "name", from_key[] = "from", preset_key[] = "preset";

enum { NAME = 1024, MOST_CELLS = 10000 };

struct reader {
    kelvin_experiment *e;
    const char *path;
    const json_t *common, *cell; /* what all cells have; the one that is read */
    size_t number;               /* of the cell in its list, from 1 */
};

/* ---- values ---- */

/* As one would type it; false if it is neither a text nor a number. */
static bool print_value(char out[KELVIN_CELL_VALUE], const json_t *value)
{
    if (json_is_string(value)) snprintf(out, KELVIN_CELL_VALUE, "%s", json_string_value(value));
    if (json_is_integer(value)) snprintf(out, KELVIN_CELL_VALUE, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    if (json_is_real(value)) {
        const double x = json_real_value(value);
        snprintf(out, KELVIN_CELL_VALUE, "%.*g", kelvin_digits(x), x);
    }
    return json_is_string(value) || json_is_number(value);
}

static kelvin_status wrong(const struct reader *r, const char *field, const char *what)
{
    if (r->cell)
        return kelvin_fail(KELVIN_EFORMAT, "%s: cell %zu: field \"%.100s\": " KELVIN_SAID, r->path, r->number, field,
                           what);
    return kelvin_fail(KELVIN_EFORMAT, "%s: field \"%.100s\": " KELVIN_SAID, r->path, field, what);
}

static bool is_about_cell(const char *field)
{
    return strcmp(field, name_key) == 0 || strcmp(field, from_key) == 0;
}

/* The value of a field in the i-th of the cells that its lists make; NULL if neither the cell nor all say it. */
static const json_t *value_at(const struct reader *r, const char *field, size_t i)
{
    const json_t *own = json_object_get(r->cell, field);
    const char *key;
    json_t *value;
    size_t left = i;
    if (!own) return json_object_get(r->common, field);
    if (!json_is_array(own)) return own;
    size_t faster = 1; /* cells that pass before this list goes on */
    bool after = false;
    json_object_foreach((json_t *)r->cell, key, value)
    {
        if (after && json_is_array(value)) faster *= json_array_size(value);
        after |= strcmp(key, field) == 0;
    }
    left /= faster;
    return json_array_get(own, left % json_array_size(own));
}

static size_t count_cells(const struct reader *r)
{
    const char *key;
    json_t *value;
    size_t n = 1;
    json_object_foreach((json_t *)r->cell, key, value)
    {
        if (json_is_array(value)) n *= json_array_size(value);
        if (n > MOST_CELLS) return n;
    }
    return n;
}

/* ---- names ---- */

/* {FIELD} for its value. */
static kelvin_status expand(char out[NAME], const struct reader *r, const char *key, const char *text, size_t i)
{
    size_t used = 0;
    for (const char *at = text; *at && used + 1 < NAME;) {
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        if (!end) {
            out[used++] = *at++;
            continue;
        }
        char field[64], value[KELVIN_CELL_VALUE];
        snprintf(field, sizeof field, "%.*s", (int)(end - at - 1), at + 1);
        const json_t *found = value_at(r, field, i);
        if (!found || !print_value(value, found)) {
            snprintf(value, sizeof value, "{%s}: neither the cell nor the file says such a field", field);
            return wrong(r, key, value);
        }
        used += (size_t)snprintf(out + used, NAME - used, "%s", value);
        if (used >= NAME) return wrong(r, key, "it is too long");
        at = end + 1;
    }
    out[used] = '\0';
    return KELVIN_OK;
}

/* By what it says itself, "dirclip:0.9,-50 1": all of it that cells of the file need not have in common. */
static void make_name(char out[NAME], const struct reader *r, size_t i)
{
    const char *key;
    json_t *value;
    size_t used = 0;
    *out = '\0';
    json_object_foreach((json_t *)r->cell, key, value)
    {
        char text[KELVIN_CELL_VALUE];
        if (is_about_cell(key) || used >= NAME || !print_value(text, value_at(r, key, i))) continue;
        used += (size_t)snprintf(out + used, NAME - used, "%s%s %s", used ? ", " : "", key, text);
    }
    if (!used) snprintf(out, NAME, "%zu", r->number);
}

static kelvin_status name_cell(char out[NAME], const struct reader *r, size_t i)
{
    const json_t *name = json_object_get(r->cell, name_key);
    if (!name) {
        make_name(out, r, i);
        return KELVIN_OK;
    }
    if (!json_is_string(name)) return wrong(r, name_key, "expected a text");
    return expand(out, r, name_key, json_string_value(name), i);
}

static kelvin_status find_from(size_t *from, const struct reader *r, size_t i)
{
    const json_t *said = json_object_get(r->cell, from_key);
    char name[NAME], what[NAME + 64];
    *from = KELVIN_NO_CELL;
    if (!said) return KELVIN_OK;
    if (json_object_get(r->cell, "init") || json_object_get(r->common, "init"))
        return wrong(r, from_key, "the cell says where it starts by \"init\", too");
    if (!json_is_string(said)) return wrong(r, from_key, "expected the name of a cell before this one");
    KELVIN_TRY(expand(name, r, from_key, json_string_value(said), i));
    if ((*from = kelvin_experiment_find(r->e, name)) != KELVIN_NO_CELL) return KELVIN_OK;
    snprintf(what, sizeof what, "there is no cell \"%s\" before this one", name);
    return wrong(r, from_key, what);
}

/* ---- cells ---- */

static kelvin_status set_field(kelvin_config *config, const struct reader *r, const char *field, size_t i)
{
    char value[KELVIN_CELL_VALUE];
    const json_t *said = value_at(r, field, i);
    if (!print_value(value, said)) return wrong(r, field, "expected a text, a number, or a list of these");
    const kelvin_status status = kelvin_config_set(config, field, value);
    if (status != KELVIN_EUSAGE) return status;
    char sentence[KELVIN_RAW];
    snprintf(sentence, sizeof sentence, "%s", kelvin_error_raw());
    return wrong(r, field, sentence);
}

static kelvin_status set_fields(kelvin_config *config, const struct reader *r, const json_t *object, size_t i)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        if (object == r->common ? strcmp(key, cells_key) == 0 : is_about_cell(key)) continue;
        if (object == r->common && (json_is_array(value) || is_about_cell(key))) {
            const struct reader all = {.path = r->path};
            return wrong(&all, key, is_about_cell(key) ? "it belongs into a cell" : "lists belong into cells");
        }
        if (object == r->cell || !json_object_get(r->cell, key)) KELVIN_TRY(set_field(config, r, key, i));
    }
    return KELVIN_OK;
}

static kelvin_status configure(kelvin_config *config, const struct reader *r, size_t i)
{
    KELVIN_TRY(kelvin_config_set(config, preset_key, "paper"));
    KELVIN_TRY(set_fields(config, r, r->common, i));
    return set_fields(config, r, r->cell, i);
}

static kelvin_status add_cell(const struct reader *r, size_t i)
{
    char name[NAME];
    size_t from;
    kelvin_config *config;
    KELVIN_TRY(name_cell(name, r, i));
    KELVIN_TRY(find_from(&from, r, i));
    KELVIN_TRY(kelvin_config_create(&config));
    kelvin_status status = configure(config, r, i);
    if (status) {
        kelvin_config_destroy(config);
        return status;
    }
    status = kelvin_experiment_add(r->e, NULL, name, config, from);
    if (!status || status == KELVIN_ENOMEM) return status;
    return kelvin_fail(status == KELVIN_EUSAGE ? KELVIN_EFORMAT : status, "%s: cell %zu: " KELVIN_SAID, r->path,
                       r->number, kelvin_error_raw());
}

static kelvin_status add_cells(struct reader *r)
{
    const json_t *cells = json_object_get(r->common, cells_key);
    if (!json_is_array(cells) || json_array_size(cells) == 0)
        return wrong(r, cells_key, "expected a list of cells, each an object with the fields of a run");
    for (size_t k = 0; k < json_array_size(cells); k++) {
        r->cell = json_array_get(cells, k);
        r->number = k + 1;
        if (!json_is_object(r->cell))
            return kelvin_fail(KELVIN_EFORMAT, "%s: cell %zu: expected an object with the fields of a run", r->path,
                               r->number);
        const size_t n = count_cells(r);
        if (n > MOST_CELLS || n == 0)
            return kelvin_fail(KELVIN_EFORMAT, "%s: cell %zu: its lists make %s cells; expected 1 to %d", r->path,
                               r->number, n ? "too many" : "no", MOST_CELLS);
        for (size_t i = 0; i < n; i++) KELVIN_TRY(add_cell(r, i));
    }
    return KELVIN_OK;
}

kelvin_status kelvin_experiment_read(kelvin_experiment *e, const char *path)
{
    KELVIN_NEEDS(e);
    KELVIN_NEEDS(path);
    void *owner;
    KELVIN_TRY(kelvin_record_open(&owner, path));
    struct reader reader = {.e = e, .path = path, .common = owner};
    const kelvin_status status = add_cells(&reader);
    kelvin_record_free(owner);
    return status;
}
