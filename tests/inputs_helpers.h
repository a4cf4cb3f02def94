/* New inputs for tests: all their rows, so many at a time, compared with those of data. Included once per test program,
 * before anything else. */
#ifndef INPUTS_HELPERS_H
#define INPUTS_HELPERS_H

#include "folder_helpers.h"

#include "loaders.h"

#include <kelvin/data.h>

enum { MOST = 3000, INPUTS = 64 };

struct all {
    size_t n;
    float x[MOST * INPUTS];
    int32_t y[MOST];
    char name[MOST][96];
    bool named, labelled;
};

static inline kelvin_status read_from(struct all *all, kelvin_inputs *inputs, size_t inputs_n, size_t most)
{
    kelvin_rows rows;
    all->n = 0;
    all->labelled = kelvin_inputs_labelled(inputs);
    for (;;) {
        KELVIN_TRY(kelvin_inputs_next(inputs, &rows, most));
        if (rows.n == 0) return KELVIN_OK;
        assert_true(rows.n <= most && rows.first == all->n && all->n + rows.n <= MOST);
        memcpy(all->x + all->n * inputs_n, rows.x, rows.n * inputs_n * sizeof *rows.x);
        memcpy(all->y + all->n, rows.y, rows.n * sizeof *rows.y);
        all->named = rows.name;
        for (size_t i = 0; rows.name && i < rows.n; i++)
            snprintf(all->name[all->n + i], sizeof *all->name, "%s", rows.name[i]);
        all->n += rows.n;
    }
}

static inline kelvin_status read_all(struct all *all, const char *spec, const kelvin_data *like, bool labels,
                                     size_t most)
{
    kelvin_inputs *inputs;
    KELVIN_TRY(kelvin_inputs_open(&inputs, spec, like, labels));
    const kelvin_status status = read_from(all, inputs, like->inputs, most);
    kelvin_inputs_close(inputs);
    return status;
}

static struct all all;

/* All rows are those of a part, whatever the batch. */
static inline void is_part(const char *spec, const kelvin_data *like, const kelvin_data *data, const kelvin_part *part,
                           bool labels)
{
    static const size_t batches[] = {1, 7, 1000};
    static float x[MOST * INPUTS];
    assert_true(part->n <= MOST && data->inputs <= INPUTS);
    kelvin_part_slice(data, part, x, 0, part->n);
    for (size_t b = 0; b < 3; b++) {
        assert_ok(read_all(&all, spec, like, labels, batches[b]));
        assert_int_equal(all.n, part->n);
        assert_memory_equal(all.x, x, part->n * data->inputs * sizeof *x);
        if (labels) assert_memory_equal(all.y, part->y, part->n * sizeof *part->y);
    }
}

/* What a run keeps of its data: no rows. */
static inline kelvin_data *described(const char *spec)
{
    kelvin_data *data, *like;
    assert_ok(kelvin_data_open(&data, spec));
    assert_ok(kelvin_data_describe(&like, data));
    kelvin_data_close(data);
    return like;
}

static inline void inputs_fail(const char *pattern, const kelvin_data *like, bool labels, kelvin_status expected,
                               const char *place, const char *sentence)
{
    char spec[2048];
    snprintf(spec, sizeof spec, "%s", in_spec(pattern));
    fails(read_all(&all, spec, like, labels, 100), expected, place, sentence);
}

#endif
