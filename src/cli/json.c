/* What commands tell programs, as JSON. */
#include "cli/json.h"

#include "cli/words.h"

#include <math.h>

json_t *json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *json_average(const kelvin_average *x)
{
    return json_pack("{s:o, s:o}", "mean", json_number(x->mean), "error", json_number(x->error));
}

json_t *json_text(const char *text)
{
    if (!text) return json_null();
    char *utf8 = kelvin_utf8(text);
    json_t *json = utf8 ? json_string(utf8) : NULL;
    kelvin_free(utf8);
    return json;
}

json_t *json_config(const kelvin_run *run, const char *const *fields)
{
    char *text = kelvin_run_json(run);
    json_t *all = text ? json_loads(text, 0, NULL) : NULL, *some = all && fields ? json_object() : NULL;
    kelvin_free(text);
    if (!fields) return all;
    for (; some && *fields; fields++) json_object_set(some, *fields, json_object_get(all, *fields));
    json_decref(all);
    return some;
}

json_t *json_texts(const char *const *texts, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_text(texts[i]));
    return list;
}

static const char *grade_name(kelvin_grade grade)
{
    static const char *const names[] = {[KELVIN_SOUND] = "sound", [KELVIN_CARE] = "care", [KELVIN_FAILED] = "failed"};
    return names[grade];
}

json_t *json_verdict(const kelvin_diagnosis *found)
{
    return json_pack("{s:s, s:s}", "grade", grade_name(kelvin_diagnosis_grade(found)), "text",
                     kelvin_diagnosis_verdict(found));
}

json_t *json_advice(const kelvin_diagnosis *found, advice_at *at)
{
    json_t *list = json_array();
    for (size_t i = 0; at(found, i); i++) {
        char text[2048];
        kelvin_advice_say(at(found, i), text, sizeof text, command_words, NULL);
        json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "code", at(found, i)->code, "grade",
                                              grade_name(at(found, i)->grade), "text", json_text(text)));
    }
    return list;
}

json_t *json_counts(const uint32_t *counts, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_integer(counts[i]));
    return list;
}

json_t *json_numbers(const double *numbers, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_number(numbers[i]));
    return list;
}

json_t *json_diverged(const kelvin_samples *samples)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < kelvin_run_chains(kelvin_samples_run(samples)); i++) {
        const char *sentence = kelvin_samples_diverged(samples, i);
        if (sentence)
            json_array_append_new(list, json_pack("{s:I, s:s}", "chain", (json_int_t)i, "sentence", sentence));
    }
    return list;
}

json_t *json_sample_chain(const kelvin_samples *samples)
{
    enum { MANY = 4096 };
    const size_t n = kelvin_samples_count(samples);
    if (n > MANY) return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_integer(kelvin_samples_chain(samples, i)));
    return list;
}

json_t *json_rows(json_t *object, const char *suffix, const kelvin_run *run, json_t *value)
{
    char key[32];
    snprintf(key, sizeof key, "%ss%s", kelvin_run_row_name(run), suffix);
    json_object_set_new(object, key, value);
    return object;
}

json_t *json_temperatures(const kelvin_temperatures *t, const kelvin_run *run)
{
    if (t->rows == 0) return json_null();
    json_t *object = json_rows(json_object(), "", run, json_integer((json_int_t)t->rows));
    json_object_set_new(object, "chains", json_integer((json_int_t)t->chains));
    json_object_set_new(object, "set", json_number(t->set));
    json_object_set_new(object, "kinetic", json_average(&t->kinetic));
    json_object_set_new(object, "configurational", json_average(&t->configurational));
    return object;
}

json_t *json_convergence(const kelvin_convergence *c)
{
    return json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "quantities", (json_int_t)c->quantities,
                     "chains", (json_int_t)c->chains, "draws", (json_int_t)c->draws, "rhat_mean",
                     json_number(c->rhat_mean), "rhat_max", json_number(c->rhat_max), "rank_rhat_median",
                     json_number(c->rank_rhat_median), "rank_rhat_max", json_number(c->rank_rhat_max),
                     "ess_bulk_median", json_number(c->ess_bulk_median), "ess_bulk_min", json_number(c->ess_bulk_min),
                     "ess_tail_min", json_number(c->ess_tail_min));
}

kelvin_status print_json(FILE *out, json_t *object, size_t digits)
{
    if (!object) return kelvin_fail(KELVIN_ENOMEM, "JSON cannot be made: a text for it is not UTF-8, or out of memory");
    json_dumpf(object, out, JSON_INDENT(2) | JSON_REAL_PRECISION(digits));
    fputc('\n', out);
    json_decref(object);
    return KELVIN_OK;
}
