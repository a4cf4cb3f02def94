/* history.csv of a chain: what a person wants to know of every row. It follows from the files of draws and from the
 * state, which have every digit, and can be made again from them. */
#include "run/chain.h"

#include "run/remedy.h"

#include <stdio.h>
#include <string.h>

size_t kelvin_history_columns(struct kelvin_column columns[KELVIN_COLUMNS], const kelvin_run *run)
{
    const kelvin_statistic *of_run[KELVIN_COLUMNS];
    const size_t n = kelvin_run_columns(of_run, run);
    for (size_t i = 0; i < n; i++)
        columns[i] = (struct kelvin_column){of_run[i]->name, of_run[i]->least, of_run[i]->most, of_run[i]->whole,
                                            of_run[i]->digits};
    return n;
}

/* ---- writing ---- */

kelvin_status kelvin_history_put(const kelvin_run *run, const char *folder, uint32_t chain, uint64_t *bytes,
                                 const double *rows, size_t n)
{
    struct kelvin_column columns[KELVIN_COLUMNS];
    kelvin_path path;
    KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_HISTORY_FILE, chain));
    return kelvin_table_put(path, bytes, columns, kelvin_history_columns(columns, run), rows, n);
}

kelvin_status kelvin_history_rebuild(const kelvin_run *run, const char *folder, uint32_t chain, uint32_t files,
                                     uint64_t *bytes)
{
    const uint32_t fit = kelvin_run_bundle_draws(run);
    *bytes = 0;
    for (uint32_t i = 0; i < files; i++) {
        const struct kelvin_draw_place place = kelvin_draw_place(run, chain, i * fit);
        struct kelvin_bundle_file file;
        KELVIN_TRY(kelvin_remedy_chain(kelvin_bundle_open(&file, folder, run, chain, &place), run, folder, chain));
        const kelvin_status status = kelvin_history_put(run, folder, chain, bytes, file.row, file.rows);
        kelvin_bundle_close(&file);
        if (status) return status;
    }
    return *bytes ? KELVIN_OK : kelvin_history_put(run, folder, chain, bytes, NULL, 0);
}

/* ---- reading ---- */

static void tell_lost(char out[KELVIN_LOST], const char *what, const kelvin_samples *s, uint32_t chain)
{
    const bool old = kelvin_run_is_old(s->run);
    snprintf(out, KELVIN_LOST, "%s/" KELVIN_HISTORY_FILE " %s%s%s%s", s->folder, chain, what,
             old ? "" : "; kelvin resume ", old ? "" : s->folder, old ? "" : " makes it again");
}

kelvin_status kelvin_history_lost(char out[KELVIN_LOST], const kelvin_samples *s, uint32_t chain)
{
    kelvin_path path;
    size_t rows;
    bool there;
    char what[128];
    *out = '\0';
    if (s->diverged[chain] || !s->run->folder) return KELVIN_OK; /* how far it came is in its state alone */
    KELVIN_TRY(kelvin_path_join(path, s->folder, KELVIN_HISTORY_FILE, chain));
    KELVIN_TRY(kelvin_is_there(&there, path));
    if (!there) tell_lost(out, "is missing", s, chain);
    if (!there) return KELVIN_OK;
    snprintf(what, sizeof what, KELVIN_HISTORY_FILE, chain);
    KELVIN_TRY(kelvin_run_vouch(s->run, s->folder, what));
    KELVIN_TRY(kelvin_table_rows(&rows, path));
    snprintf(what, sizeof what, "ends after %zu of %u %ss", rows, kelvin_run_rows(s->run), kelvin_run_row_name(s->run));
    if (rows < kelvin_run_rows(s->run)) tell_lost(out, what, s, chain);
    return KELVIN_OK;
}

static kelvin_status alloc_history(kelvin_history *history, const char ***names, size_t columns)
{
    history->names = *names = kelvin_alloc(columns, sizeof **names);
    history->values = kelvin_alloc(history->rows * columns, sizeof *history->values);
    return history->names && history->values ? KELVIN_OK : KELVIN_ENOMEM;
}

static kelvin_status count_rows(size_t *rows, const char *path, const kelvin_run *run)
{
    const size_t most = kelvin_run_rows(run);
    KELVIN_TRY(kelvin_table_rows(rows, path));
    if (*rows <= most) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: has %zu rows; expected at most %zu", path, *rows, most);
}

static kelvin_status read_file(kelvin_history *history, const char *path, const kelvin_run *run)
{
    struct kelvin_column columns[KELVIN_COLUMNS];
    size_t which[KELVIN_COLUMNS + 1];
    const char **names;
    const size_t n = kelvin_history_columns(columns, run);
    KELVIN_TRY(count_rows(&history->rows, path, run));
    KELVIN_TRY(alloc_history(history, &names, n));
    KELVIN_TRY(kelvin_table_read(history->values, which, &history->columns, path, columns, n, history->rows));
    for (size_t i = 0; i < history->columns; i++) names[i] = columns[which[i]].name;
    return KELVIN_OK;
}

static kelvin_status read_kept(kelvin_history *history, const struct kelvin_kept *kept, const kelvin_run *run)
{
    const kelvin_statistic *columns[KELVIN_COLUMNS];
    const char **names;
    history->rows = kept->rows;
    history->columns = kelvin_run_columns(columns, run);
    KELVIN_TRY(alloc_history(history, &names, history->columns));
    memcpy(history->values, kept->row, history->rows * history->columns * sizeof *history->values);
    for (size_t i = 0; i < history->columns; i++) names[i] = columns[i]->name;
    return KELVIN_OK;
}

/* A history that is whole, and as the run left it. */
static kelvin_status find_file(kelvin_path path, const kelvin_samples *samples, uint32_t chain)
{
    char lost[KELVIN_LOST], name[KELVIN_FILE_NAME];
    snprintf(name, sizeof name, KELVIN_HISTORY_FILE, chain);
    KELVIN_TRY(kelvin_path_join(path, samples->folder, "%s", name));
    KELVIN_TRY(kelvin_history_lost(lost, samples, chain));
    if (*lost) return kelvin_fail(KELVIN_EFORMAT, "%s", lost);
    return kelvin_run_vouch(samples->run, samples->folder, name);
}

static kelvin_status remedied(kelvin_status status, const kelvin_samples *samples)
{
    return kelvin_run_is_old(samples->run) ? status : kelvin_remedy(status, samples->folder);
}

static kelvin_status open_file(kelvin_history *history, const kelvin_samples *samples, uint32_t chain)
{
    kelvin_path path;
    KELVIN_TRY(find_file(path, samples, chain));
    return remedied(read_file(history, path, samples->run), samples);
}

kelvin_status kelvin_history_open(kelvin_history *history, const kelvin_samples *samples, uint32_t chain)
{
    const kelvin_run *run = samples->run;
    *history = (kelvin_history){0};
    const kelvin_status status = run->folder ? open_file(history, samples, chain)
                                             : read_kept(history, &kelvin_run_inside(run)->kept[chain], run);
    if (status) kelvin_history_close(history);
    return status;
}

/* ---- row by row ---- */

struct visit {
    kelvin_history_look *look;
    void *context;
    kelvin_history one;
    const char *names[KELVIN_COLUMNS];
    double values[KELVIN_COLUMNS];
    struct kelvin_column columns[KELVIN_COLUMNS];
    size_t which[KELVIN_COLUMNS + 1], found;
};

static void visit_row(void *context, const double *row, size_t i)
{
    struct visit *v = context;
    for (size_t k = 0; k < v->found; k++) {
        v->names[k] = v->columns[v->which[k]].name;
        v->values[k] = row[k];
    }
    v->one = (kelvin_history){.rows = 1, .columns = v->found, .names = v->names, .values = v->values};
    v->look(v->context, &v->one, i);
}

static void visit_kept(struct visit *v, const struct kelvin_kept *kept, size_t columns)
{
    v->found = columns;
    for (size_t k = 0; k < columns; k++) v->which[k] = k;
    for (size_t i = 0; i < kept->rows; i++) visit_row(v, kept->row + i * columns, i);
}

static kelvin_status visit_file(struct visit *v, const char *path, const kelvin_run *run, size_t columns)
{
    size_t rows;
    KELVIN_TRY(count_rows(&rows, path, run));
    return kelvin_table_each(v->which, &v->found, path, v->columns, columns, rows, visit_row, v);
}

kelvin_status kelvin_history_each(const kelvin_samples *samples, uint32_t chain, kelvin_history_look *look,
                                  void *context)
{
    const kelvin_run *run = samples->run;
    struct visit v = {.look = look, .context = context};
    const size_t columns = kelvin_history_columns(v.columns, run);
    kelvin_path path;
    if (!run->folder) {
        visit_kept(&v, &kelvin_run_inside(run)->kept[chain], columns);
        return KELVIN_OK;
    }
    KELVIN_TRY(find_file(path, samples, chain));
    return remedied(visit_file(&v, path, run, columns), samples);
}

void kelvin_history_close(kelvin_history *history)
{
    kelvin_free((void *)history->names);
    kelvin_free(history->values);
    *history = (kelvin_history){0};
}

const double *kelvin_history_at(const kelvin_history *history, size_t row, const char *name)
{
    for (size_t i = 0; i < history->columns; i++)
        if (strcmp(history->names[i], name) == 0) return &history->values[row * history->columns + i];
    return NULL;
}
