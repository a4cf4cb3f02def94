/* An experiment as a list of cells: added one by one, each with its data open and its folder known. */
#include "experiment/experiment.h"

#include "base/needs.h"
#include "base/words.h"
#include "data/cache.h"
#include "nn/nn.h"
#include "run/fields.h"
#include "run/folder.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- making one ---- */

/* Runs that start from others have the paths of these: so they do not depend on where the program was started. */
static kelvin_status find_cache(kelvin_path path, const char *cache)
{
    kelvin_path data, here;
    if (!cache) {
        KELVIN_TRY(kelvin_cache_folder(data));
        return kelvin_path_join(path, data, "runs");
    }
    if (!*cache) return kelvin_fail(KELVIN_EUSAGE, "the name of the folder for runs is empty");
    if (*cache == '/') return kelvin_path_join(path, "", "%s", cache + 1);
    if (!getcwd(here, sizeof here))
        return kelvin_fail(KELVIN_EIO, "the current folder cannot be found: %s", strerror(errno));
    return kelvin_path_join(path, here, "%s", cache);
}

kelvin_status kelvin_experiment_create(kelvin_experiment **out, const char *cache)
{
    KELVIN_NEEDS(out);
    kelvin_experiment *e = *out = kelvin_alloc(1, sizeof *e);
    if (!e) return KELVIN_ENOMEM;
    const kelvin_status status = find_cache(e->cache, cache);
    if (!status) return KELVIN_OK;
    kelvin_experiment_destroy(e);
    *out = NULL;
    return status;
}

static void free_cell(struct kelvin_cell *cell)
{
    kelvin_config_destroy(cell->config);
    kelvin_free(cell->name);
    kelvin_free(cell->folder);
}

void kelvin_experiment_destroy(kelvin_experiment *e)
{
    if (!e) return;
    for (size_t i = 0; i < e->n; i++) free_cell(&e->cell[i]);
    for (struct kelvin_opened *next; e->opened; e->opened = next) {
        next = e->opened->next;
        kelvin_data_close(e->opened->data);
        kelvin_free(e->opened->spec);
        kelvin_free(e->opened);
    }
    kelvin_free(e->cell);
    kelvin_free(e);
}

/* ---- cells ---- */

static kelvin_status open_data(const kelvin_data **data, kelvin_experiment *e, const char *spec)
{
    for (const struct kelvin_opened *known = e->opened; known; known = known->next)
        if (strcmp(known->spec, spec) == 0) {
            *data = known->data;
            return KELVIN_OK;
        }
    struct kelvin_opened *new = kelvin_alloc(1, sizeof *new);
    if (!new) return KELVIN_ENOMEM;
    new->next = e->opened;
    e->opened = new;
    if (!(new->spec = kelvin_strdup(spec))) return KELVIN_ENOMEM;
    KELVIN_TRY(kelvin_data_open(&new->data, spec));
    *data = new->data;
    return KELVIN_OK;
}

static kelvin_status make_room(kelvin_experiment *e)
{
    if (e->n < e->room) return KELVIN_OK;
    const size_t room = e->room ? 2 * e->room : 16;
    struct kelvin_cell *cell = kelvin_alloc(room, sizeof *cell);
    if (!cell) return KELVIN_ENOMEM;
    if (e->n) memcpy(cell, e->cell, e->n * sizeof *cell);
    kelvin_free(e->cell);
    e->cell = cell;
    e->room = room;
    return KELVIN_OK;
}

/* How long a run is, told by its configuration: what is chosen later counts as something. */
static double count_work(const struct kelvin_cell *cell)
{
    char text[KELVIN_CELL_VALUE];
    kelvin_cell_value(text, cell, "chains");
    const double chains = strtod(text, NULL);
    kelvin_cell_value(text, cell, "epochs");
    if (!*text) kelvin_cell_value(text, cell, "iterations");
    const double rows = strtod(text, NULL);
    return (double)kelvin_data_rows(cell->data, KELVIN_TRAIN) * (chains > 0 ? chains : 1) * (rows > 0 ? rows : 1);
}

/* Whether a run is what the folder of a cell is called after; someone may have put another one there. Data are known by
 * their checksums, the start by that of its samples, and what is chosen is not known before. */
static bool is_run_of(const kelvin_run *run, const struct kelvin_cell *cell)
{
    static const char *const elsewhere[] = {"data", "init", "preset"};
    char said[KELVIN_CELL_VALUE], is[KELVIN_CELL_VALUE];
    const kelvin_field_info *field;
    for (size_t i = 0; (field = kelvin_config_field_at(i)); i++) {
        bool skipped = false;
        for (size_t k = 0; k < sizeof elsewhere / sizeof *elsewhere; k++)
            skipped |= strcmp(field->name, elsewhere[k]) == 0;
        kelvin_cell_value(said, cell, field->name);
        const bool usual = strcmp(field->name, "batch") == 0 && strcmp(said, "0") == 0; /* the run has a number */
        if (skipped || usual || !*said || strcmp(said, "auto") == 0) continue;
        if (kelvin_run_get(run, field->name, is, sizeof is) || strcmp(said, is) != 0) return false;
    }
    return true;
}

kelvin_status kelvin_cell_check_run(const struct kelvin_cell *cell, const kelvin_run *run)
{
    if (is_run_of(run, cell)) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: has another run than the one that it is called after; remove it",
                       cell->folder);
}

/* Logits come last; a run whose chains have all diverged has none. */
bool kelvin_cell_has_ended(const struct kelvin_cell *cell)
{
    kelvin_samples *samples;
    if (!kelvin_is_folder(cell->folder) || kelvin_samples_find(&samples, cell->folder)) return false;
    struct kelvin_logits_file files[KELVIN_PARTS];
    kelvin_logits_files(files, samples->run->data);
    const bool whole = samples->n == 0 || kelvin_run_lists(samples->run, files[0].name);
    const bool ended = whole && is_run_of(samples->run, cell);
    kelvin_samples_close(samples);
    return ended;
}

/* What can be seen to be wrong without the data is seen when a cell is added, not when it is sampled. */
static kelvin_status check(const kelvin_config *config)
{
    kelvin_run_config resolved;
    const kelvin_sampler_type *type;
    KELVIN_TRY(kelvin_config_resolve(&resolved, config));
    KELVIN_TRY(kelvin_sampler_find(&type, resolved.sampler));
    KELVIN_TRY(kelvin_config_names(&resolved, type, true));
    return kelvin_config_ranges(&resolved, type);
}

static kelvin_status model_of(kelvin_model **model, const struct kelvin_cell *cell)
{
    char spec[KELVIN_CELL_VALUE];
    *model = NULL;
    kelvin_cell_value(spec, cell, "model");
    if (strcmp(spec, "auto") == 0) return KELVIN_OK; /* not known before it is chosen */
    return kelvin_model_create(model, spec, kelvin_data_shape(cell->data), kelvin_data_classes(cell->data));
}

/* Samples of one are where the other can start. */
static kelvin_status check_start(const struct kelvin_cell *cell, const struct kelvin_cell *start)
{
    kelvin_model *own, *its;
    kelvin_status status = model_of(&own, cell);
    if (status) return status;
    if (!(status = model_of(&its, start)) && own && its && !kelvin_model_alike(own, its))
        status = kelvin_fail(KELVIN_EUSAGE, "it has another network than %s, which it starts from", start->name);
    kelvin_model_destroy(own);
    kelvin_model_destroy(its);
    return status;
}

static kelvin_status fill_in(struct kelvin_cell *cell, kelvin_experiment *e)
{
    char spec[KELVIN_CELL_VALUE];
    KELVIN_TRY(check(cell->config));
    KELVIN_TRY(kelvin_config_get(cell->config, "data", spec, sizeof spec));
    KELVIN_TRY(open_data(&cell->data, e, spec));
    if (cell->from != KELVIN_NO_CELL) KELVIN_TRY(check_start(cell, &e->cell[cell->from]));
    KELVIN_TRY(kelvin_cell_name_folder(cell, e));
    if (cell->from != KELVIN_NO_CELL)
        KELVIN_TRY(kelvin_config_set(cell->config, "init", e->cell[e->cell[cell->from].first].folder));
    cell->work = count_work(cell);
    for (cell->first = 0; cell->first < e->n; cell->first++)
        if (strcmp(e->cell[cell->first].key, cell->key) == 0) break;
    if (cell->first == e->n) cell->done = kelvin_cell_has_ended(cell);
    return KELVIN_OK;
}

kelvin_status kelvin_experiment_add(kelvin_experiment *e, size_t *out, const char *name, kelvin_config *config,
                                    size_t from)
{
    struct kelvin_cell cell = {.config = config, .from = from};
    kelvin_status status = e && name && config ? KELVIN_OK : KELVIN_EUSAGE;
    if (status) kelvin_fail(status, "a cell needs an experiment, a name and a configuration");
    if (!status && from != KELVIN_NO_CELL && from >= e->n)
        status = kelvin_fail(KELVIN_EUSAGE, "the cell %s starts from one that is not there yet", name);
    if (!status && kelvin_experiment_find(e, name) != KELVIN_NO_CELL)
        status = kelvin_fail(KELVIN_EUSAGE, "there are two cells of the name \"%s\"", name);
    if (!status) status = make_room(e);
    if (!status && !(cell.name = kelvin_strdup(name))) status = KELVIN_ENOMEM;
    if (!status) status = fill_in(&cell, e);
    if (status) {
        free_cell(&cell);
        return status;
    }
    if (out) *out = e->n;
    e->cell[e->n++] = cell;
    return KELVIN_OK;
}

/* ---- parts ---- */

/* Cells that belong together: one starts from the other, they are the same, or they share a beginning. */
static bool belong_together(const kelvin_experiment *e, size_t i, size_t k)
{
    const struct kelvin_cell *a = &e->cell[i], *b = &e->cell[k];
    return a->from == k || b->from == i || a->first == b->first || strcmp(a->trunk, b->trunk) == 0;
}

/* group[i] becomes the smallest cell that i belongs together with, over any number of others. */
static void group_cells(size_t *group, const kelvin_experiment *e)
{
    for (size_t i = 0; i < e->n; i++) group[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < e->n; i++)
            for (size_t k = 0; k < i; k++) {
                if (group[i] == group[k] || !belong_together(e, i, k)) continue;
                group[i] = group[k] = group[i] < group[k] ? group[i] : group[k];
                changed = true;
            }
    }
}

kelvin_status kelvin_experiment_part(kelvin_experiment *e, size_t part, size_t n)
{
    KELVIN_NEEDS(e);
    if (part < 1 || part > n)
        return kelvin_fail(KELVIN_EUSAGE, "part %zu of %zu parts; expected the first number between 1 and the second",
                           part, n);
    size_t *group = kelvin_alloc(e->n + 1, sizeof *group), *number = kelvin_alloc(e->n + 1, sizeof *number), groups = 0;
    if (group && number) group_cells(group, e);
    for (size_t i = 0; i < e->n && group && number; i++) {
        if (group[i] == i) number[i] = groups++;
        e->cell[i].elsewhere = number[group[i]] % n != part - 1;
    }
    const kelvin_status status = group && number ? KELVIN_OK : KELVIN_ENOMEM;
    kelvin_free(group);
    kelvin_free(number);
    return status;
}

/* ---- asking ---- */

size_t kelvin_experiment_cells(const kelvin_experiment *e)
{
    return e->n;
}

const char *kelvin_experiment_name(const kelvin_experiment *e, size_t cell)
{
    return cell < e->n ? e->cell[cell].name : NULL;
}

const char *kelvin_experiment_folder(const kelvin_experiment *e, size_t cell)
{
    return cell < e->n ? e->cell[e->cell[cell].first].folder : NULL;
}

void kelvin_experiment_get(const kelvin_experiment *e, size_t cell, const char *field, char *out, size_t size)
{
    if (size > 0) *out = '\0';
    if (cell < e->n && kelvin_config_get(e->cell[cell].config, field, out, size) && size > 0) *out = '\0';
}

bool kelvin_experiment_done(const kelvin_experiment *e, size_t cell)
{
    return cell < e->n && e->cell[e->cell[cell].first].done;
}

size_t kelvin_experiment_find(const kelvin_experiment *e, const char *name)
{
    for (size_t i = 0; i < e->n; i++)
        if (strcmp(e->cell[i].name, name) == 0) return i;
    return KELVIN_NO_CELL;
}

size_t kelvin_cell_siblings(const kelvin_experiment *e, const struct kelvin_cell *cell)
{
    size_t n = 0;
    for (size_t i = 0; i < e->n; i++) n += e->cell[i].first == i && strcmp(e->cell[i].trunk, cell->trunk) == 0;
    return n;
}
