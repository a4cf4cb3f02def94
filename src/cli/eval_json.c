/* What kelvin eval found, for programs: JSON with all digits, and CSV in long form. */
#include "cli/eval_table.h"

#include "cli/json.h"

#include <math.h>

/* ---- JSON ---- */

static json_t *percentiles_json(const kelvin_percentiles *x)
{
    return json_pack("{s:o, s:o, s:o}", "low", json_number(x->low), "median", json_number(x->median), "high",
                     json_number(x->high));
}

static json_t *bins_json(const kelvin_metrics *m, bool mass)
{
    size_t n;
    const kelvin_bin *bins = kelvin_metrics_bins(m, mass, &n);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_pack("{s:o, s:o, s:I, s:I, s:o}", "from", json_number(bins[i].from), "to",
                                              json_number(bins[i].to), "observations", (json_int_t)bins[i].n, "hits",
                                              (json_int_t)bins[i].hits, "confidence", json_number(bins[i].confidence)));
    return list;
}

static json_t *size_json(const kelvin_metrics *m, size_t k)
{
    json_t *object = json_pack("{s:I}", "samples", (json_int_t)kelvin_metrics_size(m, k));
    for (size_t i = 0; i < kelvin_metrics_count(); i++) {
        const kelvin_by_size x = kelvin_metrics_by_size(m, k, i);
        json_object_set_new(object, kelvin_metric_at(i)->member.name,
                            json_pack("{s:o, s:o, s:o}", "mean", json_number(x.mean), "low", json_number(x.low), "high",
                                      json_number(x.high)));
    }
    return object;
}

static json_t *sizes_json(const kelvin_metrics *m)
{
    if (kelvin_metrics_sizes(m) == 0) return json_null();
    json_t *list = json_array();
    for (size_t k = 0; k < kelvin_metrics_sizes(m); k++) json_array_append_new(list, size_json(m, k));
    return list;
}

json_t *metrics_json(const kelvin_metrics *m)
{
    if (!m) return json_null();
    json_t *single = json_object(), *ensemble = json_object(), *subsets = json_null();
    const size_t n_subsets = kelvin_metrics_subsets(m);
    if (n_subsets > 0)
        subsets =
            json_pack("{s:I, s:I}", "subsets", (json_int_t)n_subsets, "samples", (json_int_t)kelvin_metrics_subset(m));
    for (size_t i = 0; i < kelvin_metrics_count(); i++) {
        const char *name = kelvin_metric_at(i)->member.name;
        const kelvin_average alone = kelvin_metrics_single(m, i);
        const kelvin_percentiles spread = kelvin_metrics_spread(m, i);
        json_object_set_new(single, name, json_average(&alone));
        json_object_set_new(ensemble, name, json_number(kelvin_metrics_ensemble(m, i)));
        if (n_subsets > 0) json_object_set_new(subsets, name, percentiles_json(&spread));
    }
    json_t *reliability = json_pack("{s:o, s:o}", "width", bins_json(m, false), "mass", bins_json(m, true));
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "observations",
                     (json_int_t)kelvin_metrics_observations(m), "samples", (json_int_t)kelvin_metrics_samples(m),
                     "single_samples", (json_int_t)kelvin_metrics_singles(m), "chains",
                     (json_int_t)kelvin_metrics_chains(m), "classes", (json_int_t)kelvin_metrics_classes(m), "single",
                     single, "ensemble", ensemble, "ensembles", subsets, "reliability", reliability, "sizes",
                     sizes_json(m));
}

/* Lists in the order of the classes. */
static json_t *confusion_json(const struct evaluated *e)
{
    const kelvin_confusion *c = e->confusion;
    if (!c) return json_null();
    json_t *counts = json_array(), *recall = json_array(), *precision = json_array(), *auc = json_array();
    for (size_t k = 0; k < kelvin_confusion_classes(c); k++) {
        json_t *row = json_array();
        for (size_t i = 0; i < kelvin_confusion_classes(c); i++)
            json_array_append_new(row, json_integer((json_int_t)kelvin_confusion_count(c, k, i)));
        json_array_append_new(counts, row);
        json_array_append_new(recall, json_number(kelvin_confusion_recall(c, k)));
        json_array_append_new(precision, json_number(kelvin_confusion_precision(c, k)));
        json_array_append_new(auc, json_number(kelvin_confusion_auc(c, k)));
    }
    return json_pack("{s:O, s:o, s:o, s:o, s:o, s:o}", "classes", e->class_names, "confusion", counts, "recall", recall,
                     "precision", precision, "auc", auc, "auc_mean", json_number(kelvin_confusion_auc_mean(c)));
}

static json_t *point_json(const kelvin_effect_point *point, size_t classes)
{
    json_t *list = json_array();
    for (size_t k = 0; k < classes; k++)
        json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "mean", json_number(point->p[k].mean), "low",
                                              json_number(point->p[k].low), "high", json_number(point->p[k].high)));
    return json_pack("{s:o, s:o}", "value", point->name ? json_text(point->name) : json_number(point->value), "p",
                     list);
}

/* The most important column first. */
static json_t *effects_json(const struct evaluated *e)
{
    const kelvin_effect *effect;
    if (!e->effects) return json_null();
    json_t *columns = json_array();
    for (size_t i = 0; (effect = kelvin_effects_at(e->effects, i)); i++) {
        json_t *points = effect->n ? json_array() : json_null();
        for (size_t k = 0; k < effect->n; k++)
            json_array_append_new(points, point_json(&effect->point[k], kelvin_metrics_classes(e->metrics)));
        json_array_append_new(columns, json_pack("{s:o, s:o, s:o}", "column", json_text(effect->name), "importance",
                                                 json_average(&effect->importance), "dependence", points));
    }
    return json_pack("{s:I, s:I, s:I, s:o}", "rows", (json_int_t)kelvin_effects_rows(e->effects), "samples",
                     (json_int_t)kelvin_effects_samples(e->effects), "permutations",
                     (json_int_t)kelvin_effects_permutations(e->effects), "columns", columns);
}

static json_t *ood_json(const struct evaluated *e)
{
    if (!e->ood) return json_null();
    json_t *object = json_pack("{s:o, s:I}", "data", json_text(e->ood), "observations", (json_int_t)e->ood_n);
    for (size_t i = 0; i < AUROCS; i++) json_object_set_new(object, auroc_about[i].name, json_number(e->auroc[i]));
    return object;
}

static json_t *run_json(const struct evaluated *e)
{
    json_t *object = json_pack("{s:o, s:o}", "run", json_text(e->folder), "name", json_text(e->name));
    const bool lost = json_object_update(object, e->config);
    json_object_set_new(object, "on", json_text(e->on));
    json_object_set_new(object, "ood", ood_json(e));
    json_t *metrics = metrics_json(e->metrics);
    const bool failed = json_object_update(object, metrics) || lost;
    json_decref(metrics);
    if (failed) {
        json_decref(object);
        return NULL;
    }
    json_object_set_new(object, "by_class", confusion_json(e));
    json_object_set_new(object, "importance", effects_json(e));
    json_object_set_new(object, "baselines", baselines_json(&e->baselines));
    json_object_set_new(object, "diverged", e->found ? json_integer(kelvin_diagnosis_diverged(e->found)) : json_null());
    json_object_set_new(object, "verdict", e->found ? json_verdict(e->found) : json_null());
    json_object_set_new(object, "warnings",
                        e->found ? json_advice(e->found, kelvin_diagnosis_advice)
                                 : json_pack("[{s:s, s:o}]", "code", "unknown", "text", json_text(e->unknown)));
    json_object_set_new(object, "seconds", json_number(e->seconds));
    json_object_set_new(object, "seconds_in_network", json_number(e->network));
    return object;
}

json_t *eval_json(const struct evaluated *runs, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        if (!json_array_append_new(list, run_json(&runs[i]))) continue;
        json_decref(list);
        return NULL;
    }
    size_t bins;
    kelvin_metrics_bins(runs[0].metrics, false, &bins);
    return json_pack("{s:I, s:o}", "bins", (json_int_t)bins, "runs", list);
}

/* ---- CSV ---- */

/* In quotes, those inside twice. */
static void print_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

/* Nothing where there is no number. */
static void print_numbers(FILE *out, const double x[4])
{
    for (size_t i = 0; i < 4; i++)
        if (isfinite(x[i]))
            fprintf(out, ",%.17g", x[i]);
        else
            fputc(',', out);
    fputc('\n', out);
}

/* ood: "" where nothing is told from anything. x: value, low, high, error */
static void csv_row(FILE *out, const struct evaluated *e, const char *ood, const char *metric, const char *kind,
                    const double x[4])
{
    print_text(out, e->folder);
    fputc(',', out);
    print_text(out, e->on);
    fputc(',', out);
    if (*ood) print_text(out, ood);
    fprintf(out, ",%s,%s", metric, kind);
    print_numbers(out, x);
}

static void csv_metric(FILE *out, const struct evaluated *e, size_t i)
{
    const kelvin_metrics *m = e->metrics;
    const char *name = kelvin_metric_at(i)->member.name;
    const kelvin_average alone = kelvin_metrics_single(m, i);
    const kelvin_percentiles spread = kelvin_metrics_spread(m, i);
    const double no = (double)NAN;
    csv_row(out, e, "", name, "single", (double[4]){alone.mean, no, no, alone.error});
    csv_row(out, e, "", name, "ensemble", (double[4]){kelvin_metrics_ensemble(m, i), no, no, no});
    if (kelvin_metrics_subsets(m) > 0)
        csv_row(out, e, "", name, "ensembles_of_8", (double[4]){spread.median, spread.low, spread.high, no});
    for (size_t k = 0; k < kelvin_metrics_sizes(m); k++) {
        const kelvin_by_size x = kelvin_metrics_by_size(m, k, i);
        char kind[CELL];
        snprintf(kind, sizeof kind, "size_%zu", kelvin_metrics_size(m, k));
        csv_row(out, e, "", name, kind, (double[4]){x.mean, x.low, x.high, no});
    }
}

static void csv_baselines(FILE *out, const struct evaluated *e)
{
    for (size_t i = 0; i < BASELINES && e->baselines.of[i]; i++)
        for (size_t k = 0; k < kelvin_metrics_count(); k++)
            csv_row(out, e, "", kelvin_metric_at(k)->member.name, kelvin_baseline_at(i)->name,
                    (double[4]){kelvin_metrics_ensemble(e->baselines.of[i], k), NAN, NAN, NAN});
}

void eval_csv(FILE *out, const struct evaluated *runs, size_t n)
{
    fputs("run,on,ood,metric,kind,value,low,high,error\n", out);
    for (const struct evaluated *e = runs; e < runs + n; e++) {
        for (size_t i = 0; i < kelvin_metrics_count(); i++) csv_metric(out, e, i);
        csv_baselines(out, e);
        for (size_t i = 0; i < AUROCS && e->ood; i++)
            csv_row(out, e, e->ood, auroc_about[i].name, "ensemble", (double[4]){e->auroc[i], NAN, NAN, NAN});
    }
}
