/* Columns of a table that are handed on as they are: who has a number for each row wants it beside what is said of it.
 * The fields of a call's rows lie one behind the other in one piece of memory. */
#include "data/inputs.h"

#include <string.h>

/* ---- which ---- */

static size_t count_names(const char *columns)
{
    size_t n = 1;
    for (; *columns; columns++) n += *columns == ',';
    return n;
}

static bool is_kept(const struct inputs_kept *kept, size_t column)
{
    bool found = false;
    for (size_t i = 0; i < kept->n; i++) found |= kept->column[i] == column;
    return found;
}

static void keep(struct inputs_kept *kept, size_t column, const char *name)
{
    if (is_kept(kept, column)) return;
    kept->column[kept->n] = column;
    kept->name[kept->n++] = name;
}

kelvin_status kelvin_inputs_keep_id(kelvin_inputs *in, size_t column, const char *name)
{
    struct inputs_kept *kept = &in->kept;
    kept->name = kelvin_arena_alloc(in->arena, 1, sizeof *kept->name);
    kept->column = kelvin_arena_alloc(in->arena, 1, sizeof *kept->column);
    if (!kept->name || !kept->column) return KELVIN_ENOMEM;
    keep(kept, column, name);
    return KELVIN_OK;
}

kelvin_status kelvin_inputs_keep(kelvin_inputs *in, const char *columns)
{
    struct inputs_kept *kept = &in->kept, before = *kept;
    if (!in->type->find)
        return kelvin_fail(KELVIN_EUSAGE, "%s: has no columns with names to keep; expected a table, as CSV", in->text);
    const size_t most = before.n + count_names(columns);
    char *rest = kelvin_arena_text(in->arena, columns, strlen(columns));
    kept->name = kelvin_arena_alloc(in->arena, most, sizeof *kept->name);
    kept->column = kelvin_arena_alloc(in->arena, most, sizeof *kept->column);
    kept->n = 0;
    if (!rest || !kept->name || !kept->column) return KELVIN_ENOMEM;
    for (size_t i = 0; i < before.n; i++) keep(kept, before.column[i], before.name[i]);
    while (rest) {
        const char *name = kelvin_data_next_field(&rest);
        size_t column;
        KELVIN_TRY(in->type->find(in, &column, &name));
        keep(kept, column, name);
    }
    return KELVIN_OK;
}

/* ---- their fields ---- */

static kelvin_status reserve_text(struct inputs_kept *kept, size_t bytes)
{
    if (kept->room - kept->used >= bytes) return KELVIN_OK;
    const size_t room = 2 * kept->room + bytes;
    char *text = kelvin_alloc(room, 1);
    if (!text) return KELVIN_ENOMEM;
    if (kept->used > 0) memcpy(text, kept->text, kept->used);
    kelvin_free(kept->text);
    kept->text = text;
    kept->room = room;
    return KELVIN_OK;
}

kelvin_status kelvin_inputs_keep_row(kelvin_inputs *in, char *const *fields)
{
    struct inputs_kept *kept = &in->kept;
    for (size_t i = 0; i < kept->n; i++) {
        const char *field = fields[kept->column[i]];
        const size_t bytes = strlen(field) + 1;
        KELVIN_TRY(reserve_text(kept, bytes));
        memcpy(kept->text + kept->used, field, bytes);
        kept->at[in->n * kept->n + i] = kept->used;
        kept->used += bytes;
    }
    return KELVIN_OK;
}

const char *kelvin_inputs_kept_name(const kelvin_inputs *in, size_t i)
{
    return i < in->kept.n ? in->kept.name[i] : NULL;
}

const char *kelvin_inputs_kept(const kelvin_inputs *in, size_t row, size_t i)
{
    const size_t first = in->before - in->n;
    return in->kept.text + in->kept.at[(row - first) * in->kept.n + i];
}
