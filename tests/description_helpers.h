/* Data sets and what describes them, compared. */
#ifndef DESCRIPTION_HELPERS_H
#define DESCRIPTION_HELPERS_H

#include "run_helpers.h"

#include "loaders.h"
#include "run/folder.h"

#include <kelvin/data.h>

static inline bool has_note(const kelvin_data *data, const char *note)
{
    for (size_t i = 0; kelvin_data_note(data, i); i++)
        if (strcmp(kelvin_data_note(data, i), note) == 0) return true;
    return false;
}

static inline void same_texts(const char *const *a, const char *const *b, size_t n)
{
    assert_true(!a == !b);
    for (size_t i = 0; a && i < n; i++) assert_string_equal(a[i], b[i]);
}

static inline void same_descriptions(const kelvin_data *a, const kelvin_data *b)
{
    const size_t statistics = b->channels ? b->channels : b->inputs;
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->inputs, b->inputs);
    assert_int_equal(a->classes, b->classes);
    assert_int_equal(a->channels, b->channels);
    assert_int_equal(a->height, b->height);
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->train.n, b->train.n);
    assert_int_equal(a->test.n, b->test.n);
    assert_true(a->white == b->white);
    same_texts(a->class_names, b->class_names, b->classes);
    same_texts(a->column_names, b->column_names, b->inputs);
    same_texts(&a->label_name, &b->label_name, b->label_name ? 1 : 0);
    assert_true(!a->label_name == !b->label_name);
    assert_memory_equal(a->mean, b->mean, statistics * sizeof *b->mean);
    assert_memory_equal(a->deviation, b->deviation, statistics * sizeof *b->deviation);
    assert_null(a->train.x);
    assert_null(a->train.bytes);
    assert_null(a->train.y);
}

/* A data set described in the base, and read again from there: for without_memory(). */
static inline kelvin_status describe_once(void *context)
{
    kelvin_data *read;
    KELVIN_TRY(kelvin_description_write(context, base));
    KELVIN_TRY(kelvin_description_read(&read, NULL, base));
    kelvin_data_close(read);
    return KELVIN_OK;
}

/* A table is opened and described, without memory at every place; it is the caller's to close. */
static inline kelvin_data *without_memory_for(const char *pattern)
{
    kelvin_data *data;
    char spec[2048];
    snprintf(spec, sizeof spec, "%s", in_spec(pattern));
    assert_true(without_memory(open_once, spec) > 20);
    assert_ok(kelvin_data_open(&data, spec));
    assert_true(without_memory(describe_once, data) > 10);
    return data;
}

#endif
