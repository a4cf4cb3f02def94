/* The table of arrays. Names of groups, of axes and of what is in sample_stats are those of ArviZ's schema; an axis
 * without a name of its own is called after its array, conv1.weight_dim_0, as ArviZ does it. */
#include "export/plan.h"

#include "run/room.h"

#include <stdio.h>
#include <string.h>

const char *const export_parts[PLAN_PARTS] = {
    [PLAN_POSTERIOR] = "posterior",       [PLAN_STATS] = "sample_stats",
    [PLAN_LIKELIHOOD] = "log_likelihood", [PLAN_PREDICTIVE] = "posterior_predictive",
    [PLAN_PREDICTIONS] = "predictions",
};

enum { OTHERS = 16 + KELVIN_COLUMNS };

struct maker {
    struct plan *plan;
    const kelvin_samples *samples;
    struct export_array *arrays;
    struct export_axis chain, draw, class, obs[2];
};

/* ---- which samples ---- */

/* Chains with as many draws as the one that has most. */
static kelvin_status choose(struct maker *m)
{
    const kelvin_samples *s = m->samples;
    struct plan *plan = m->plan;
    const size_t chains = s->run->config.chains;
    size_t *count = kelvin_arena_alloc(plan->arena, chains, sizeof *count);
    int64_t *number = kelvin_arena_alloc(plan->arena, chains, sizeof *number);
    size_t *row = kelvin_arena_alloc(plan->arena, s->n, sizeof *row);
    if (!count || !number || !row) return KELVIN_ENOMEM;
    for (size_t i = 0; i < s->n; i++) count[s->chain[i]]++;
    for (size_t i = 0; i < chains; i++)
        if (count[i] > plan->draws) plan->draws = count[i];
    for (size_t i = 0; i < s->n; i++) {
        const uint32_t chain = s->chain[i];
        const bool whole = count[chain] == plan->draws;
        if (whole && s->draw[i] == 0) number[plan->chains++] = chain;
        row[i] = whole ? (plan->chains - 1) * plan->draws + s->draw[i] : SIZE_MAX;
    }
    plan->chain = number;
    plan->row = row;
    return KELVIN_OK;
}

/* ---- arrays ---- */

static struct export_array *add(struct maker *m, const char *group, const char *name, const char *key,
                                enum export_type type)
{
    struct export_array *array = &m->arrays[m->plan->sheet.n++];
    array->group = group;
    array->type = type;
    snprintf(array->name, sizeof array->name, "%s", name);
    snprintf(array->key, sizeof array->key, "%s", key);
    return array;
}

static void add_axis(struct export_array *array, const struct export_axis *axis)
{
    array->axis[array->ndim++] = axis;
}

/* One value for each draw; axes may follow. Returns its number. */
static int add_drawn(struct maker *m, const char *group, const char *name, const char *key, enum export_type type)
{
    struct export_array *array = add(m, group, name, key, type);
    add_axis(array, &m->chain);
    add_axis(array, &m->draw);
    return (int)(array - m->arrays);
}

static kelvin_status add_tensors(struct maker *m)
{
    const kelvin_model *model = m->samples->run->model;
    for (size_t t = 0; t < model->n_tensors; t++) {
        const kelvin_tensor *tensor = &model->tensor[t];
        const int array = add_drawn(m, "posterior", tensor->name, tensor->name, EXPORT_F32);
        if (t == 0) m->plan->tensors = array;
        struct export_axis *axis = kelvin_arena_alloc(m->plan->arena, tensor->ndim, sizeof *axis);
        if (!axis) return KELVIN_ENOMEM;
        for (size_t i = 0; i < tensor->ndim; i++) {
            snprintf(axis[i].name, sizeof axis[i].name, "%.40s_dim_%u", tensor->name, (unsigned)i);
            axis[i].n = tensor->shape[i];
            add_axis(&m->arrays[array], &axis[i]);
        }
    }
    return KELVIN_OK;
}

enum export_type export_stat_type(const kelvin_statistic *stat)
{
    if (!stat->whole) return EXPORT_F64;
    return stat->most == 1 ? EXPORT_BOOL : EXPORT_I64;
}

/* Histories of earlier versions may lack a column: then no chain has it. */
static kelvin_status add_stats(struct maker *m)
{
    struct plan *plan = m->plan;
    const kelvin_statistic *columns[KELVIN_COLUMNS];
    const size_t n = kelvin_run_columns(columns, m->samples->run);
    kelvin_history history;
    KELVIN_TRY(kelvin_history_open(&history, m->samples, (uint32_t)plan->chain[0]));
    plan->stats = (int)plan->sheet.n;
    for (size_t i = 0; i < n; i++) {
        const char *name = columns[i]->export;
        if (!name || history.rows == 0 || !kelvin_history_at(&history, 0, columns[i]->name)) continue;
        add_drawn(m, "sample_stats", name, name, export_stat_type(columns[i]));
        plan->stat[plan->n_stats++] = columns[i];
    }
    kelvin_history_close(&history);
    return KELVIN_OK;
}

static int add_logits(struct maker *m, kelvin_side side, const char *group, const char *key)
{
    const int array = add_drawn(m, group, "logits", key, EXPORT_F32);
    add_axis(&m->arrays[array], &m->obs[side]);
    add_axis(&m->arrays[array], &m->class);
    return array;
}

static int add_labels(struct maker *m, kelvin_side side, const char *group, const char *key)
{
    struct export_array *array = add(m, group, "y", key, EXPORT_I64);
    add_axis(array, &m->obs[side]);
    return (int)(array - m->arrays);
}

static void add_sides(struct maker *m, unsigned parts)
{
    struct plan_side *train = &m->plan->side[KELVIN_TRAIN], *test = &m->plan->side[KELVIN_TEST];
    if (parts & 1u << PLAN_LIKELIHOOD) {
        train->likelihood = add_drawn(m, "log_likelihood", "y", "log_likelihood", EXPORT_F64);
        add_axis(&m->arrays[train->likelihood], &m->obs[KELVIN_TRAIN]);
    }
    if (parts & 1u << PLAN_PREDICTIVE)
        train->logits = add_logits(m, KELVIN_TRAIN, "posterior_predictive", "logits_train");
    if (parts & (1u << PLAN_LIKELIHOOD | 1u << PLAN_PREDICTIVE))
        train->labels = add_labels(m, KELVIN_TRAIN, "observed_data", "labels_train");
    if (!(parts & 1u << PLAN_PREDICTIONS) || test->n == 0) return;
    test->logits = add_logits(m, KELVIN_TEST, "predictions", "logits_test");
    test->labels = add_labels(m, KELVIN_TEST, "predictions_constant_data", "labels_test");
}

/* ---- what is known of all of it ---- */

static kelvin_status add_text(struct maker *m, const char *name, const char *text)
{
    const char **one = kelvin_arena_alloc(m->plan->arena, 1, sizeof *one);
    if (!one) return KELVIN_ENOMEM;
    *one = text;
    add(m, NULL, name, name, EXPORT_TEXT)->text = one;
    return KELVIN_OK;
}

static kelvin_status add_run(struct maker *m)
{
    const kelvin_run *run = m->samples->run;
    kelvin_path path;
    char *json;
    size_t bytes;
    if (!run->folder) return KELVIN_OK; /* nobody has written it */
    KELVIN_TRY(kelvin_run_vouch(run, KELVIN_CONFIG_NAME));
    KELVIN_TRY(kelvin_path_join(path, m->samples->folder, KELVIN_CONFIG_NAME));
    KELVIN_TRY(kelvin_file_read(&json, &bytes, path));
    const char *kept = kelvin_arena_text(m->plan->arena, json, bytes);
    kelvin_free(json);
    return kept ? add_text(m, "kelvin_run", kept) : KELVIN_ENOMEM;
}

static kelvin_status add_coordinates(struct maker *m)
{
    struct export_array *chain = add(m, NULL, "chain", "chain", EXPORT_I64);
    struct export_array *draw = add(m, NULL, "draw", "draw", EXPORT_I64);
    struct export_array *names = add(m, NULL, "class", "class_names", EXPORT_TEXT);
    add_axis(chain, &m->chain);
    add_axis(draw, &m->draw);
    add_axis(names, &m->class);
    names->text = m->class.text;
    m->plan->chain_array = (int)(chain - m->arrays);
    m->plan->draw_array = (int)(draw - m->arrays);
    KELVIN_TRY(add_text(m, "inference_library", "kelvin"));
    KELVIN_TRY(add_text(m, "inference_library_version", KELVIN_VERSION));
    return add_run(m);
}

static void name_axes(struct maker *m)
{
    const kelvin_data *data = m->samples->run->data;
    const struct plan *plan = m->plan;
    m->chain = (struct export_axis){.name = "chain", .n = plan->chains, .number = plan->chain};
    m->draw = (struct export_axis){.name = "draw", .n = plan->draws};
    m->class = (struct export_axis){.name = "class", .n = data->classes, .text = data->class_names};
    for (size_t i = 0; i < 2; i++) m->obs[i] = (struct export_axis){.name = "obs", .n = plan->side[i].n};
}

kelvin_status export_plan_make(struct plan *plan, const kelvin_samples *samples, unsigned parts)
{
    const kelvin_data *data = samples->run->data;
    const struct plan_side none = {0, PLAN_NONE, PLAN_NONE, PLAN_NONE};
    *plan = (struct plan){.tensors = PLAN_NONE, .side = {none, none}};
    plan->side[KELVIN_TRAIN].n = data->train.n;
    plan->side[KELVIN_TEST].n = data->test.n;
    KELVIN_TRY(kelvin_arena_create(&plan->arena));
    struct maker *m = kelvin_arena_alloc(plan->arena, 1, sizeof *m);
    const size_t most = samples->run->model->n_tensors + OTHERS;
    struct export_array *arrays = kelvin_arena_alloc(plan->arena, most, sizeof *arrays);
    if (!m || !arrays) return KELVIN_ENOMEM;
    *m = (struct maker){.plan = plan, .samples = samples, .arrays = arrays};
    plan->sheet.arrays = arrays;
    KELVIN_TRY(choose(m));
    name_axes(m);
    if (parts & 1u << PLAN_POSTERIOR) KELVIN_TRY(add_tensors(m));
    if (parts & 1u << PLAN_STATS) KELVIN_TRY(add_stats(m));
    add_sides(m, parts);
    return add_coordinates(m);
}

void export_plan_free(struct plan *plan)
{
    kelvin_arena_destroy(plan->arena);
}
