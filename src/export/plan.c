/* The table of arrays. Names of groups, of axes and of what is in sample_stats are those of ArviZ's schema; an axis
 * without a name of its own is called after its array, conv1.weight_dim_0, as ArviZ does it. */
#include "export/plan.h"

#include "run/room.h"

#include <stdio.h>
#include <string.h>

const char *const kelvin_export_parts[PLAN_PARTS] = {
    [PLAN_POSTERIOR] = "posterior",       [PLAN_STATS] = "sample_stats",
    [PLAN_LIKELIHOOD] = "log_likelihood", [PLAN_PREDICTIVE] = "posterior_predictive",
    [PLAN_PREDICTIONS] = "predictions",
};

enum { OTHERS = 16 + KELVIN_COLUMNS };

/* ---- arrays ---- */

static struct export_array *add(struct plan *plan, const char *group, const char *name, const char *key,
                                enum kelvin_dtype type)
{
    struct export_array *array = &plan->arrays[plan->sheet.n++];
    array->group = group;
    array->type = type;
    snprintf(array->name, sizeof array->name, "%s", name);
    snprintf(array->key, sizeof array->key, "%s", key);
    return array;
}

static struct export_array *add_axis(struct export_array *array, const struct export_axis *axis)
{
    array->axis[array->ndim++] = axis;
    return array;
}

/* One value for each draw; axes may follow. */
static struct export_array *add_drawn(struct plan *plan, const char *group, const char *name, const char *key,
                                      enum kelvin_dtype type)
{
    return add_axis(add_axis(add(plan, group, name, key, type), &plan->chain), &plan->draw);
}

static kelvin_status add_tensors(struct plan *plan, const kelvin_model *model)
{
    plan->tensors = &plan->arrays[plan->sheet.n];
    for (size_t t = 0; t < model->n_tensors; t++) {
        const kelvin_tensor *tensor = &model->tensor[t];
        struct export_array *array = add_drawn(plan, "posterior", tensor->name, tensor->name, KELVIN_F32);
        struct export_axis *axis = kelvin_arena_alloc(plan->arena, tensor->ndim, sizeof *axis);
        if (!axis) return KELVIN_ENOMEM;
        for (size_t i = 0; i < tensor->ndim; i++) {
            snprintf(axis[i].name, sizeof axis[i].name, "%.40s_dim_%u", tensor->name, (unsigned)i);
            axis[i].n = tensor->shape[i];
            add_axis(array, &axis[i]);
        }
    }
    return KELVIN_OK;
}

static enum kelvin_dtype type_of(const kelvin_statistic *stat)
{
    if (!stat->whole) return KELVIN_F64;
    return stat->most == 1 ? KELVIN_BOOL : KELVIN_I64;
}

/* Histories of earlier versions may lack a column: then no chain has it. */
static kelvin_status add_stats(struct plan *plan, const kelvin_samples *samples)
{
    const kelvin_statistic *columns[KELVIN_COLUMNS];
    const size_t n = kelvin_run_list_columns(columns, samples->run);
    kelvin_history history;
    KELVIN_TRY(kelvin_history_read(&history, samples, plan->lineup.chain[0].number));
    plan->stats = &plan->arrays[plan->sheet.n];
    for (size_t i = 0; i < n; i++) {
        const char *name = columns[i]->exported;
        if (!name || history.rows == 0 || !kelvin_history_at(&history, 0, columns[i]->name)) continue;
        add_drawn(plan, "sample_stats", name, name, type_of(columns[i]));
        plan->stat[plan->n_stats++] = columns[i];
    }
    kelvin_history_free(&history);
    return KELVIN_OK;
}

static const struct export_array *add_logits(struct plan *plan, kelvin_side side, const char *group, const char *key)
{
    return add_axis(add_axis(add_drawn(plan, group, "logits", key, KELVIN_F32), &plan->obs[side]), &plan->class);
}

static const struct export_array *add_labels(struct plan *plan, kelvin_side side, const char *group, const char *key)
{
    return add_axis(add(plan, group, "y", key, KELVIN_I64), &plan->obs[side]);
}

static void add_sides(struct plan *plan, unsigned parts)
{
    struct plan_side *train = &plan->side[KELVIN_TRAIN], *test = &plan->side[KELVIN_TEST];
    if (parts & 1u << PLAN_LIKELIHOOD)
        train->likelihood =
            add_axis(add_drawn(plan, "log_likelihood", "y", "log_likelihood", KELVIN_F64), &plan->obs[KELVIN_TRAIN]);
    if (parts & 1u << PLAN_PREDICTIVE)
        train->logits = add_logits(plan, KELVIN_TRAIN, "posterior_predictive", "logits_train");
    if (parts & (1u << PLAN_LIKELIHOOD | 1u << PLAN_PREDICTIVE))
        train->labels = add_labels(plan, KELVIN_TRAIN, "observed_data", "labels_train");
    if (!(parts & 1u << PLAN_PREDICTIONS) || test->n == 0) return;
    test->logits = add_logits(plan, KELVIN_TEST, "predictions", "logits_test");
    test->labels = add_labels(plan, KELVIN_TEST, "predictions_constant_data", "labels_test");
}

/* ---- what is known of all of it ---- */

static kelvin_status add_text(struct plan *plan, const char *name, const char *text)
{
    const char **one = kelvin_arena_alloc(plan->arena, 1, sizeof *one);
    if (!one) return KELVIN_ENOMEM;
    *one = text;
    add(plan, NULL, name, name, KELVIN_TEXT)->text = one;
    return KELVIN_OK;
}

static kelvin_status add_run(struct plan *plan, const kelvin_samples *samples)
{
    kelvin_path path;
    char *json;
    size_t bytes;
    if (!samples->run->folder) return KELVIN_OK; /* nobody has written it */
    KELVIN_TRY(kelvin_run_vouch(samples->run, KELVIN_CONFIG_NAME));
    KELVIN_TRY(kelvin_path_join(path, samples->folder, KELVIN_CONFIG_NAME));
    KELVIN_TRY(kelvin_file_read(&json, &bytes, path));
    const char *kept = kelvin_arena_text(plan->arena, json, bytes);
    kelvin_free(json);
    return kept ? add_text(plan, "kelvin_run", kept) : KELVIN_ENOMEM;
}

static kelvin_status add_coordinates(struct plan *plan, const kelvin_samples *samples)
{
    plan->chain_array = add_axis(add(plan, NULL, "chain", "chain", KELVIN_I64), &plan->chain);
    plan->draw_array = add_axis(add(plan, NULL, "draw", "draw", KELVIN_I64), &plan->draw);
    add_axis(add(plan, NULL, "class", "class_names", KELVIN_TEXT), &plan->class)->text = plan->class.text;
    KELVIN_TRY(add_text(plan, "inference_library", "kelvin"));
    KELVIN_TRY(add_text(plan, "inference_library_version", KELVIN_VERSION));
    return add_run(plan, samples);
}

/* Chains with as many draws as the one that has most. */
static kelvin_status make_axes(struct plan *plan, const kelvin_samples *samples)
{
    const kelvin_data *data = samples->run->data;
    const struct kelvin_lineup *lineup = &plan->lineup;
    KELVIN_TRY(kelvin_lineup_find(&plan->lineup, samples->chain, samples->n, plan->arena));
    int64_t *chain = kelvin_arena_alloc(plan->arena, lineup->chains, sizeof *chain);
    int64_t *draw = kelvin_arena_alloc(plan->arena, lineup->draws, sizeof *draw);
    if (!chain || !draw) return KELVIN_ENOMEM;
    for (size_t i = 0; i < lineup->chains; i++) chain[i] = lineup->chain[i].number;
    for (size_t i = 0; i < lineup->draws; i++) draw[i] = (int64_t)i;
    plan->chain = (struct export_axis){.name = "chain", .n = lineup->chains, .number = chain};
    plan->draw = (struct export_axis){.name = "draw", .n = lineup->draws, .number = draw};
    plan->class = (struct export_axis){.name = "class", .n = data->classes, .text = data->class_names};
    plan->side[KELVIN_TRAIN].n = data->train.n;
    plan->side[KELVIN_TEST].n = data->test.n;
    for (size_t i = 0; i < 2; i++) plan->obs[i] = (struct export_axis){.name = "obs", .n = plan->side[i].n};
    return KELVIN_OK;
}

kelvin_status kelvin_export_plan_make(struct plan *plan, const kelvin_samples *samples, unsigned parts)
{
    const kelvin_model *model = samples->run->model;
    *plan = (struct plan){0};
    KELVIN_TRY(kelvin_arena_create(&plan->arena));
    plan->arrays = kelvin_arena_alloc(plan->arena, model->n_tensors + OTHERS, sizeof *plan->arrays);
    if (!plan->arrays) return KELVIN_ENOMEM;
    plan->sheet.arrays = plan->arrays;
    KELVIN_TRY(make_axes(plan, samples));
    if (parts & 1u << PLAN_POSTERIOR) KELVIN_TRY(add_tensors(plan, model));
    if (parts & 1u << PLAN_STATS) KELVIN_TRY(add_stats(plan, samples));
    add_sides(plan, parts);
    return add_coordinates(plan, samples);
}

void kelvin_export_plan_free(struct plan *plan)
{
    kelvin_arena_destroy(plan->arena);
}
