/* For tests of loaders: rows as a loader leaves them, before they are split and standardised. Comes after
 * run_helpers.h. */
#ifndef LOADERS_H
#define LOADERS_H

#include "data/data.h"

struct loaded {
    struct data_spec spec;
    struct data_loader loader;
    kelvin_data data;
};

static inline kelvin_status load_rows(struct loaded *l, const struct data_type *type, const char *text)
{
    memset(l, 0, sizeof *l);
    l->loader.spec = &l->spec;
    l->loader.data = &l->data;
    assert_ok(kelvin_arena_create(&l->loader.arena));
    KELVIN_TRY(kelvin_data_spec_parse(&l->spec, type, text));
    l->spec.splits = false;
    return type->open(&l->loader);
}

static inline void unload(struct loaded *l)
{
    kelvin_free(l->loader.values);
    kelvin_free(l->loader.bytes);
    kelvin_free(l->loader.y);
    kelvin_arena_destroy(l->loader.arena);
    kelvin_data_spec_free(&l->spec);
}

static inline void put_text(const char *name, const char *text)
{
    spill(in_base(name), text, strlen(text));
}

/* "csv:%,test=%" with the folder of this test for every %. */
static inline char *in_spec(const char *pattern)
{
    static char spec[2048];
    size_t used = 0;
    for (; *pattern; pattern++) {
        if (*pattern == '%')
            used += (size_t)sprintf(spec + used, "%s/", base);
        else
            spec[used++] = *pattern;
    }
    spec[used] = '\0';
    return spec;
}

static inline void open_fails(const char *pattern, kelvin_status expected, const char *place, const char *sentence)
{
    kelvin_data *data;
    fails(kelvin_data_open(&data, in_spec(pattern)), expected, place, sentence);
    assert_null(data);
}

static inline kelvin_status open_once(void *spec)
{
    kelvin_data *data;
    const kelvin_status status = kelvin_data_open(&data, spec);
    assert_true(!status == !!data);
    kelvin_data_close(data);
    return status;
}

#endif
