/* What kelvin eval found, for programs: JSON with all digits, and CSV in long form. */
#include "cli/eval_table.h"

#include "cli/json.h"
#include "files/record.h"

#include <math.h>

/* ---- JSON ---- */

static json_t *percentiles_json(const kelvin_percentiles *x)
{
    return json_pack("{s:o, s:o, s:o}", "low", json_number(x->low), "median", json_number(x->median), "high",
                     json_number(x->high));
}

static json_t *bins_json(const kelvin_bin *bins, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_pack("{s:o, s:o, s:I, s:I, s:o}", "from", json_number(bins[i].from), "to",
                                              json_number(bins[i].to), "observations", (json_int_t)bins[i].n, "hits",
                                              (json_int_t)bins[i].hits, "confidence", json_number(bins[i].confidence)));
    return list;
}

static json_t *size_json(const kelvin_size *size)
{
    json_t *object = json_pack("{s:I}", "samples", (json_int_t)size->samples);
    for (kelvin_metric i = 0; i < KELVIN_METRICS; i++)
        json_object_set_new(object, kelvin_metric_about(i)->name,
                            json_pack("{s:o, s:o, s:o}", "mean", json_number(size->metric[i].mean), "low",
                                      json_number(size->metric[i].low), "high", json_number(size->metric[i].high)));
    return object;
}

static json_t *sizes_json(const kelvin_metrics *m)
{
    if (m->sizes == 0) return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < m->sizes; i++) json_array_append_new(list, size_json(&m->size[i]));
    return list;
}

json_t *metrics_json(const kelvin_metrics *m)
{
    if (m->n == 0) return json_null();
    json_t *single = json_object(), *ensemble = json_object(), *subsets = json_null();
    if (m->subsets > 0)
        subsets = json_pack("{s:I, s:I}", "subsets", (json_int_t)m->subsets, "samples", (json_int_t)m->subset);
    for (kelvin_metric i = 0; i < KELVIN_METRICS; i++) {
        const char *name = kelvin_metric_about(i)->name;
        json_object_set_new(single, name, json_average(&m->single[i]));
        json_object_set_new(ensemble, name, json_number(m->ensemble[i]));
        if (m->subsets > 0) json_object_set_new(subsets, name, percentiles_json(&m->spread[i]));
    }
    json_t *reliability =
        json_pack("{s:o, s:o}", "width", bins_json(m->width, m->bins), "mass", bins_json(m->mass, m->bins));
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "observations", (json_int_t)m->n, "samples",
                     (json_int_t)m->samples, "single_samples", (json_int_t)m->singles, "chains", (json_int_t)m->chains,
                     "classes", (json_int_t)m->classes, "single", single, "ensemble", ensemble, "ensembles", subsets,
                     "reliability", reliability, "sizes", sizes_json(m));
}

static json_t *ood_json(const struct evaluated *e)
{
    if (!e->ood) return json_null();
    json_t *object = json_pack("{s:o, s:I}", "data", kelvin_json_text(e->ood), "observations", (json_int_t)e->ood_n);
    for (size_t i = 0; i < AUROCS; i++) json_object_set_new(object, auroc_about[i].name, json_number(e->auroc[i]));
    return object;
}

static json_t *run_json(const struct evaluated *e)
{
    const kelvin_run_config *c = &e->run->config;
    const kelvin_advice unknown = {"unknown", e->unknown};
    json_t *object = json_pack("{s:o, s:o, s:s, s:s, s:s, s:s, s:s, s:f, s:o, s:o}", "run", kelvin_json_text(e->folder),
                               "name", kelvin_json_text(e->name), "sampler", c->sampler, "data", c->data, "model",
                               c->model, "density", c->density, "prior", c->prior, "temperature", c->temperature, "on",
                               kelvin_json_text(e->on), "ood", ood_json(e));
    json_t *metrics = metrics_json(&e->metrics);
    const bool failed = json_object_update(object, metrics);
    json_decref(metrics);
    if (failed) {
        json_decref(object);
        return NULL;
    }
    json_object_set_new(object, "diverged", e->found ? json_integer(e->found->diverged) : json_null());
    json_object_set_new(object, "warnings",
                        e->found ? json_advice(e->found->advice, e->found->n_advice) : json_advice(&unknown, 1));
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
    return json_pack("{s:I, s:o}", "bins", (json_int_t)runs[0].metrics.bins, "runs", list);
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

static void csv_metric(FILE *out, const struct evaluated *e, kelvin_metric i)
{
    const kelvin_metrics *m = &e->metrics;
    const char *name = kelvin_metric_about(i)->name;
    const double no = (double)NAN;
    csv_row(out, e, "", name, "single", (double[4]){m->single[i].mean, no, no, m->single[i].error});
    csv_row(out, e, "", name, "ensemble", (double[4]){m->ensemble[i], no, no, no});
    if (m->subsets > 0)
        csv_row(out, e, "", name, "ensembles_of_8",
                (double[4]){m->spread[i].median, m->spread[i].low, m->spread[i].high, no});
    for (size_t k = 0; k < m->sizes; k++) {
        char kind[CELL];
        snprintf(kind, sizeof kind, "size_%zu", m->size[k].samples);
        csv_row(out, e, "", name, kind,
                (double[4]){m->size[k].metric[i].mean, m->size[k].metric[i].low, m->size[k].metric[i].high, no});
    }
}

void eval_csv(FILE *out, const struct evaluated *runs, size_t n)
{
    fputs("run,on,ood,metric,kind,value,low,high,error\n", out);
    for (const struct evaluated *e = runs; e < runs + n; e++) {
        for (kelvin_metric i = 0; i < KELVIN_METRICS; i++) csv_metric(out, e, i);
        for (size_t i = 0; i < AUROCS && e->ood; i++)
            csv_row(out, e, e->ood, auroc_about[i].name, "ensemble", (double[4]){e->auroc[i], NAN, NAN, NAN});
    }
}
