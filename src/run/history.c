/* history.csv of a chain: what a person wants to know of every row. It follows from the files of draws and from the
 * state, which have every digit, and can be made again from them. */
#include "base/needs.h"
#include "base/words.h"
#include "run/chain.h"
#include "run/folder.h"

#include <stdio.h>
#include <string.h>

size_t kelvin_history_table(struct kelvin_column columns[KELVIN_COLUMNS], const kelvin_run *run)
{
    const kelvin_statistic *of_run[KELVIN_COLUMNS];
    const size_t n = kelvin_run_list_columns(of_run, run);
    for (size_t i = 0; i < n; i++)
        columns[i] = (struct kelvin_column){of_run[i]->name, of_run[i]->least, of_run[i]->most, of_run[i]->whole,
                                            of_run[i]->digits};
    return n;
}

/* ---- writing ---- */

kelvin_status kelvin_history_put(const kelvin_run *run, uint32_t chain, uint64_t *bytes, const double *rows, size_t n)
{
    struct kelvin_column columns[KELVIN_COLUMNS];
    kelvin_path path;
    KELVIN_TRY(kelvin_path_join(path, run->folder, KELVIN_HISTORY_FILE, chain));
    return kelvin_table_put(path, bytes, columns, kelvin_history_table(columns, run), rows, n);
}

kelvin_status kelvin_history_rebuild(const kelvin_run *run, uint32_t chain, uint32_t files, uint64_t *bytes)
{
    *bytes = 0;
    for (uint32_t i = 0; i < files; i++) {
        const struct kelvin_draw_place place = kelvin_draw_place(run, chain, i * kelvin_run_bundle_draws(run));
        struct kelvin_bundle_file file;
        KELVIN_TRY(kelvin_bundle_open(&file, run, &place, true));
        const kelvin_status status = kelvin_history_put(run, chain, bytes, file.row, file.rows);
        kelvin_bundle_close(&file);
        if (status) return status;
    }
    return *bytes ? KELVIN_OK : kelvin_history_put(run, chain, bytes, NULL, 0);
}

/* ---- reading ---- */

static kelvin_status remedied(kelvin_status status, const kelvin_samples *s)
{
    return kelvin_run_is_old(s->run) ? status : kelvin_remedy(status, s->folder);
}

/* The rows of a chain: in memory, or in a file that is whole, and as the run left it; of a run that has not ended, in
 * its files of draws, which have checksums. */
struct source {
    const struct kelvin_bundle *kept; /* NULL: in the file */
    const kelvin_samples *partly;     /* NULL: in that file */
    uint32_t chain;
    kelvin_path path;
    struct kelvin_column columns[KELVIN_COLUMNS];
    size_t n_columns, rows;
    size_t which[KELVIN_COLUMNS + 1], found; /* of the columns: all, or those that a file is found to have */
    kelvin_history_look *look;               /* at each of them, for those who read it row by row */
    void *context;
};

/* *lost: it fails because it is missing or has been cut. Of a chain that diverged its state alone says how far it came.
 */
static kelvin_status find_file(struct source *source, bool *lost, const kelvin_samples *s, uint32_t chain)
{
    const uint32_t all = kelvin_run_rows(s->run);
    char name[KELVIN_FILE_NAME];
    bool there;
    *lost = false;
    snprintf(name, sizeof name, KELVIN_HISTORY_FILE, chain);
    KELVIN_TRY(kelvin_find_file(source->path, &there, s->folder, "%s", name));
    *lost = !there && !s->diverged[chain];
    if (*lost) return remedied(kelvin_fail(KELVIN_EFORMAT, "%s is missing", source->path), s);
    KELVIN_TRY(kelvin_run_vouch(s->run, name));
    KELVIN_TRY(kelvin_table_rows(&source->rows, source->path));
    *lost = source->rows < all && !s->diverged[chain];
    if (!*lost) return KELVIN_OK;
    return remedied(kelvin_fail(KELVIN_EFORMAT, "%s ends after %zu of %u %ss", source->path, source->rows, all,
                                kelvin_run_row_name(s->run)),
                    s);
}

/* So many rows a chain has that has ended. */
static kelvin_status find_partly(struct source *source, const kelvin_samples *s, uint32_t chain)
{
    if (s->waiting[chain])
        return kelvin_fail(KELVIN_EFORMAT, "%s: chain %u has not ended; " KELVIN_REFER(GO_ON, "%s"), s->folder, chain,
                           s->folder);
    source->partly = s;
    source->chain = chain;
    source->rows = s->left_at[chain] / kelvin_run_row_steps(s->run);
    return KELVIN_OK;
}

static kelvin_status read_partly(double *values, const struct source *source)
{
    const kelvin_run *run = source->partly->run;
    const uint32_t files = kelvin_bundle_files(run, source->partly->left_at[source->chain], true);
    size_t rows = 0;
    for (uint32_t i = 0; i < files; i++) {
        const struct kelvin_draw_place place = kelvin_draw_place(run, source->chain, i * kelvin_run_bundle_draws(run));
        struct kelvin_bundle_file file;
        KELVIN_TRY(kelvin_run_vouch(run, place.name));
        KELVIN_TRY(kelvin_bundle_open(&file, run, &place, true));
        const size_t fit = source->rows - rows < file.rows ? source->rows - rows : file.rows;
        memcpy(values + rows * source->n_columns, file.row, fit * source->n_columns * sizeof *values);
        rows += fit;
        kelvin_bundle_close(&file);
    }
    if (rows == source->rows) return KELVIN_OK;
    return kelvin_remedy_chain(kelvin_fail(KELVIN_EFORMAT, "%s: the files of chain %u have %zu of %zu rows",
                                           run->folder, source->chain, rows, source->rows),
                               run, source->chain);
}

kelvin_status kelvin_history_lost(char out[KELVIN_LOST], const kelvin_samples *s, uint32_t chain)
{
    struct source source;
    bool lost;
    *out = '\0';
    if (s->diverged[chain] || !s->run->folder || kelvin_run_inside(s->run)->partly) return KELVIN_OK;
    const kelvin_status status = find_file(&source, &lost, s, chain);
    if (!lost) return status;
    snprintf(out, KELVIN_LOST, "%s", kelvin_error_raw());
    return KELVIN_OK;
}

static kelvin_status find_rows(struct source *source, const kelvin_samples *s, uint32_t chain)
{
    const kelvin_run *run = s->run;
    const size_t most = kelvin_run_rows(run);
    bool lost;
    source->n_columns = source->found = kelvin_history_table(source->columns, run);
    for (size_t i = 0; i < source->found; i++) source->which[i] = i;
    source->kept = run->folder ? NULL : &kelvin_run_inside(run)->kept[chain];
    source->partly = NULL;
    if (source->kept)
        source->rows = source->kept->rows;
    else if (kelvin_run_inside(run)->partly)
        KELVIN_TRY(find_partly(source, s, chain));
    else
        KELVIN_TRY(find_file(source, &lost, s, chain));
    if (source->rows <= most) return KELVIN_OK;
    return remedied(
        kelvin_fail(KELVIN_EFORMAT, "%s: has %zu rows; expected at most %zu", source->path, source->rows, most), s);
}

static kelvin_status read_rows(double *values, struct source *source, const kelvin_samples *s)
{
    if (source->partly) return read_partly(values, source);
    if (!source->kept)
        return remedied(kelvin_table_read(values, source->which, &source->found, source->path, source->columns,
                                          source->n_columns, source->rows),
                        s);
    memcpy(values, source->kept->row, source->rows * source->found * sizeof *values);
    return KELVIN_OK;
}

kelvin_status kelvin_history_read(kelvin_history *history, const kelvin_samples *samples, uint32_t chain)
{
    struct source source;
    *history = (kelvin_history){0};
    KELVIN_TRY(find_rows(&source, samples, chain));
    const char **names = kelvin_alloc(source.n_columns, sizeof *names);
    double *values = kelvin_alloc(source.rows * source.n_columns, sizeof *values);
    const kelvin_status status = names && values ? read_rows(values, &source, samples) : KELVIN_ENOMEM;
    *history = (kelvin_history){.rows = source.rows, .columns = source.found, .names = names, .values = values};
    for (size_t i = 0; i < source.found && names; i++) names[i] = source.columns[source.which[i]].name;
    if (status) kelvin_history_free(history);
    return status;
}

static void visit_row(void *context, const double *row, size_t i)
{
    const struct source *source = context;
    const char *names[KELVIN_COLUMNS];
    for (size_t k = 0; k < source->found; k++) names[k] = source->columns[source->which[k]].name;
    const kelvin_history one = {.rows = 1, .columns = source->found, .names = names, .values = (double *)row};
    source->look(source->context, &one, i);
}

static kelvin_status each_partly(struct source *source)
{
    double *values = kelvin_alloc(source->rows * source->n_columns, sizeof *values);
    const kelvin_status status = values ? read_partly(values, source) : KELVIN_ENOMEM;
    for (size_t i = 0; i < source->rows && !status; i++) visit_row(source, values + i * source->n_columns, i);
    kelvin_free(values);
    return status;
}

kelvin_status kelvin_history_each(const kelvin_samples *samples, uint32_t chain, kelvin_history_look *look,
                                  void *context)
{
    struct source source = {.look = look, .context = context};
    KELVIN_TRY(find_rows(&source, samples, chain));
    if (source.partly) return each_partly(&source);
    if (!source.kept)
        return remedied(kelvin_table_each(source.which, &source.found, source.path, source.columns, source.n_columns,
                                          source.rows, visit_row, &source),
                        samples);
    for (size_t i = 0; i < source.rows; i++) visit_row(&source, source.kept->row + i * source.found, i);
    return KELVIN_OK;
}

void kelvin_history_free(kelvin_history *history)
{
    kelvin_free((void *)history->names);
    kelvin_free(history->values);
    *history = (kelvin_history){0};
}

/* ---- a handle ---- */

kelvin_status kelvin_history_open(kelvin_history **out, const kelvin_samples *samples, uint32_t chain)
{
    KELVIN_NEEDS(out);
    *out = NULL;
    KELVIN_NEEDS(samples);
    kelvin_history *history = *out = NULL;
    if (chain >= samples->run->config.chains)
        return kelvin_fail(KELVIN_EUSAGE, "%s: there is no chain %u; expected a number below %u", samples->folder,
                           chain, samples->run->config.chains);
    if (!(history = kelvin_alloc(1, sizeof *history))) return KELVIN_ENOMEM;
    const kelvin_status status = kelvin_history_read(history, samples, chain);
    if (status)
        kelvin_free(history);
    else
        *out = history;
    return status;
}

void kelvin_history_close(kelvin_history *history)
{
    if (history) kelvin_history_free(history);
    kelvin_free(history);
}

size_t kelvin_history_rows(const kelvin_history *history)
{
    return history->rows;
}

size_t kelvin_history_columns(const kelvin_history *history)
{
    return history->columns;
}

const char *kelvin_history_name(const kelvin_history *history, size_t column)
{
    return history->names[column];
}

double kelvin_history_value(const kelvin_history *history, size_t row, size_t column)
{
    return history->values[row * history->columns + column];
}

const double *kelvin_history_at(const kelvin_history *history, size_t row, const char *name)
{
    for (size_t i = 0; i < history->columns; i++)
        if (strcmp(history->names[i], name) == 0) return &history->values[row * history->columns + i];
    return NULL;
}
