/* What the plainest models make of the same rows, beside a run: class frequencies and a linear model. */
#include "cli/eval_table.h"
#include "cli/json.h"
#include "cli/lines.h"

#include <string.h>

enum { NAME = 31, OWN = 14 };
static const int widths[BASELINES] = {[KELVIN_FREQUENCIES] = 19, [KELVIN_LINEAR] = 15}; /* 79 letters in all */

kelvin_status baselines_measure(struct baselines *out, kelvin_samples *samples, const char *on, size_t bins,
                                size_t threads)
{
    const kelvin_evaluate_options how = {.bins = bins, .threads = threads};
    for (size_t i = 0; i < BASELINES; i++)
        KELVIN_TRY(kelvin_baseline_metrics(&out->of[i], samples, (kelvin_baseline_kind)i, on, &how));
    return KELVIN_OK;
}

void baselines_free(struct baselines *baselines)
{
    for (size_t i = 0; i < BASELINES; i++) kelvin_metrics_free(baselines->of[i]);
}

static void print_row(FILE *out, const struct baselines *b, const kelvin_metrics *m, size_t metric)
{
    char cell[CELL];
    fprintf(out, "%-*s", NAME, kelvin_metric_at(metric)->title);
    metric_cell(cell, m, metric, ENSEMBLE, true, OWN - 1);
    fprintf(out, "%*s", OWN, cell);
    for (size_t i = BASELINES; i-- > 0;) {
        metric_cell(cell, b->of[i], metric, ENSEMBLE, true, widths[i] - 1);
        fprintf(out, "%*s", widths[i], cell);
    }
    fputc('\n', out);
}

void baselines_print(FILE *out, const struct baselines *b, const kelvin_metrics *m, const char *on)
{
    const size_t rows = kelvin_metrics_observations(m);
    char head[NAME];
    if (!b->of[0]) return;
    snprintf(head, sizeof head, "%s: %zu row%s", strcmp(on, "train") == 0 ? "training" : on, rows, plural(rows));
    fprintf(out, "\n%-*s%*s", NAME, head, OWN, "this ensemble");
    for (size_t i = BASELINES; i-- > 0;) fprintf(out, "%*s", widths[i], kelvin_baseline_at(i)->title);
    fputc('\n', out);
    for (size_t i = 0; i < kelvin_metrics_count(); i++)
        if (kelvin_metric_at(i)->shown & (KELVIN_SHOWN_FIRST | KELVIN_SHOWN_ENSEMBLE)) print_row(out, b, m, i);
}

json_t *baselines_json(const struct baselines *b)
{
    if (!b->of[0]) return json_null();
    json_t *object = json_object();
    for (size_t i = 0; i < BASELINES; i++) {
        json_t *values = json_object();
        for (size_t k = 0; k < kelvin_metrics_count(); k++)
            json_object_set_new(values, kelvin_metric_at(k)->member.name,
                                json_number(kelvin_metrics_ensemble(b->of[i], k)));
        json_object_set_new(object, kelvin_baseline_at(i)->name, values);
    }
    return object;
}
