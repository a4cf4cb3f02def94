/* Numbers in cells that have just so much room: logits as large as floats can be have likelihoods of 39 digits. */
#include "cli/eval_table.h"

#include <math.h>
#include <string.h>

void cell_number(char out[CELL], double x, const char *unit, int digits, int room)
{
    int used = CELL;
    for (; used > room && digits >= 0; digits--) used = snprintf(out, CELL, "%.*f%s", digits, x, unit);
    for (int precision = 5; used > room && precision > 0; precision--)
        used = snprintf(out, CELL, "%.*g%s", precision, x, unit);
}

static void cell_pair(char out[CELL], double a, const char *between, double b, const char *unit, int digits, int room)
{
    int used = CELL;
    for (; used > room && digits >= 0; digits--)
        used = snprintf(out, CELL, "%.*f%s%.*f%s", digits, a, between, digits, b, unit);
    for (int precision = 5; used > room && precision > 0; precision--)
        used = snprintf(out, CELL, "%.*g%s%.*g%s", precision, a, between, precision, b, unit);
}

void cell_average(char out[CELL], const kelvin_average *x, double scale, const char *unit, int digits, int room)
{
    if (isnan(x->error))
        cell_number(out, scale * x->mean, unit, digits, room);
    else
        cell_pair(out, scale * x->mean, " +- ", scale * x->error, unit, digits, room);
}

void metric_cell(char out[CELL], const kelvin_metrics *m, kelvin_metric metric, enum metric_kind kind, bool percent,
                 int room)
{
    const kelvin_metric_info *about = kelvin_metric_about(metric);
    const kelvin_percentiles *spread = &m->spread[metric];
    const double number[KINDS] = {
        [ENSEMBLE] = m->ensemble[metric], [LOW] = spread->low, [MEDIAN] = spread->median, [HIGH] = spread->high};
    const double scale = about->scale;
    const char *unit = percent && strcmp(about->unit, "%") == 0 ? " %" : "";
    if (kind == SINGLE)
        cell_average(out, &m->single[metric], scale, unit, about->digits, room);
    else if (kind != ENSEMBLE && m->subsets == 0)
        snprintf(out, CELL, "-");
    else if (kind == RANGE)
        cell_pair(out, scale * spread->low, percent ? " .. " : "..", scale * spread->high, unit, about->digits, room);
    else
        cell_number(out, scale * number[kind], unit, about->digits, room);
}
