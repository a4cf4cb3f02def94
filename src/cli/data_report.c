/* What is in a data set. */
#include "cli/data_report.h"

#include "cli/json.h"
#include "cli/options.h"
#include "data/cache.h"
#include "files/record.h"
#include "files/text.h"

#include <kelvin/family.h>
#include <kelvin/fetch.h>

enum { MOST_SHOWN = 20 }; /* classes, channels, columns */

/* ---- what there is ---- */

/* How many of a set's files are in the cache, by their sizes. */
static size_t files_there(const struct canonical_set *set)
{
    kelvin_path path;
    size_t n = 0;
    for (size_t i = 0; i < kelvin_canonical_count(set); i++) n += kelvin_cache_file(path, set, i) == KELVIN_OK;
    return n;
}

kelvin_status data_report_list(FILE *out, bool json)
{
    const kelvin_family *family = kelvin_family_of("data_sets");
    const kelvin_member *member;
    json_t *list = json ? json_array() : NULL;
    for (size_t i = 0; (member = kelvin_family_member(family, i)); i++) {
        const struct canonical_set *set = kelvin_canonical_find(member->name);
        const bool ready = !set || files_there(set) == kelvin_canonical_count(set);
        if (json)
            json_array_append_new(list,
                                  json_pack("{s:s, s:s, s:s, s:b, s:b}", "name", member->name, "usage", member->usage,
                                            "about", member->about, "fetched", set != NULL, "ready", ready));
        else
            fprintf(out, "%s\n    %s%s%s\n", member->usage, member->about,
                    !set    ? ""
                    : ready ? "; in the cache"
                            : "; not in the cache yet: kelvin data ",
                    ready ? "" : member->name);
    }
    return json ? print_json(out, json_pack("{s:o}", "data_sets", list), FEW_DIGITS) : KELVIN_OK;
}

/* ---- one data set ---- */

struct facts {
    const kelvin_data *data;
    const struct canonical_set *set; /* NULL: it is not fetched */
    const char *source;
    kelvin_path folder;
    size_t n;                 /* channels or columns */
    double *mean, *deviation; /* (n) each: of the training part of images, white = 1 */
    uint32_t *train, *test;   /* (classes) each: members */
};

static void count_members(uint32_t *members, const kelvin_part *part)
{
    for (size_t i = 0; i < part->n; i++) members[part->y[i]]++;
}

static kelvin_status find_facts(struct facts *f)
{
    const kelvin_data *d = f->data;
    f->n = d->channels ? d->channels : d->inputs;
    f->mean = kelvin_alloc(2 * f->n, sizeof *f->mean);
    f->train = kelvin_alloc(2 * d->classes, sizeof *f->train);
    if (!f->mean || !f->train) return KELVIN_ENOMEM;
    f->deviation = f->mean + f->n;
    f->test = f->train + d->classes;
    if (d->channels) kelvin_data_statistics(d, KELVIN_TRAIN, f->mean, f->deviation);
    count_members(f->train, &d->train);
    count_members(f->test, &d->test);
    if (!(f->set = kelvin_canonical_find(d->name))) return KELVIN_OK;
    f->source = *kelvin_fetch_source() ? kelvin_fetch_source() : "the cache";
    kelvin_path cache;
    KELVIN_TRY(kelvin_cache_folder(cache));
    return kelvin_path_join(f->folder, cache, "%s", d->name);
}

/* ---- as a table ---- */

static void print_part(FILE *out, const char *title, const kelvin_part *part, const uint32_t *members, size_t classes)
{
    size_t least = SIZE_MAX, most = 0;
    for (size_t i = 0; i < classes; i++) {
        least = members[i] < least ? members[i] : least;
        most = members[i] > most ? members[i] : most;
    }
    fprintf(out, "%-12s %zu", title, part->n);
    if (part->n && least == most) fprintf(out, ", %zu of each class", most);
    if (part->n && least < most) fprintf(out, ", %zu to %zu of each class", least, most);
    fputc('\n', out);
}

static void print_classes(FILE *out, const kelvin_data *d)
{
    fprintf(out, "%-12s %zu:", "classes", d->classes);
    for (size_t i = 0; i < d->classes && i < MOST_SHOWN; i++)
        fprintf(out, "%s %s", i ? "," : "", kelvin_text_shown(d->class_names[i]).text);
    fputs(d->classes > MOST_SHOWN ? ", ...\n" : "\n", out);
}

static void print_channels(FILE *out, const struct facts *f)
{
    fprintf(out, "%-12s", "mean");
    for (size_t i = 0; i < f->n; i++) fprintf(out, " %.7f", f->mean[i]);
    fprintf(out, "   of the training part, white = 1\n%-12s", "deviation");
    for (size_t i = 0; i < f->n; i++) fprintf(out, " %.7f", f->deviation[i]);
    fprintf(out, "\n%-12s", "normalised");
    for (size_t i = 0; i < f->n; i++) fprintf(out, " (v - %.4g) / %.4g", f->data->mean[i], f->data->deviation[i]);
    fputc('\n', out);
}

static void print_columns(FILE *out, const struct facts *f)
{
    fprintf(out, "\n%-24s %14s %14s\n", "column", "subtracted", "divided by");
    for (size_t i = 0; i < f->n && i < MOST_SHOWN; i++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", i + 1);
        const struct text_shown name = kelvin_text_shown(f->data->column_names ? f->data->column_names[i] : number);
        fprintf(out, "%-*s %14.10g %14.10g\n", field_width(name.text, 24), name.text, f->data->mean[i],
                f->data->deviation[i]);
    }
    if (f->n > MOST_SHOWN) fprintf(out, "... and %zu more\n", f->n - MOST_SHOWN);
}

static void print_files(FILE *out, const struct facts *f)
{
    fprintf(out, "%-12s %s\n%-12s %s\n", "from", f->source, "folder", f->folder);
    for (size_t i = 0; f->set->files[i].name; i++)
        fprintf(out, "%-12s %s  %s\n", i ? "" : "SHA-1", f->set->files[i].sha1, f->set->files[i].name);
}

static void print_tables(FILE *out, const struct facts *f)
{
    const kelvin_data *d = f->data;
    fprintf(out, "%-12s %s\n", "data", d->name);
    if (f->set) print_files(out, f);
    if (d->channels)
        fprintf(out, "%-12s %zu x %zu pixels, %zu channel%s\n", "images", d->width, d->height, d->channels,
                d->channels > 1 ? "s" : "");
    else
        fprintf(out, "%-12s %zu column%s\n", "table", d->inputs, d->inputs > 1 ? "s" : "");
    if (d->label_name) fprintf(out, "%-12s %s\n", "label", kelvin_text_shown(d->label_name).text);
    print_part(out, "training", &d->train, f->train, d->classes);
    print_part(out, "test", &d->test, f->test, d->classes);
    print_classes(out, d);
    if (d->channels)
        print_channels(out, f);
    else
        print_columns(out, f);
}

/* ---- as JSON ---- */

static json_t *files_json(const struct facts *f)
{
    json_t *list = json_array();
    for (size_t i = 0; f->set->files[i].name; i++)
        json_array_append_new(list, json_pack("{s:s, s:I, s:s}", "name", f->set->files[i].name, "bytes",
                                              (json_int_t)f->set->files[i].bytes, "sha1", f->set->files[i].sha1));
    return list;
}

static json_t *image_json(const struct facts *f)
{
    const kelvin_data *d = f->data;
    return json_pack("{s:I, s:I, s:I, s:o, s:o}", "channels", (json_int_t)d->channels, "height", (json_int_t)d->height,
                     "width", (json_int_t)d->width, "mean", json_numbers(f->mean, f->n), "deviation",
                     json_numbers(f->deviation, f->n));
}

static json_t *facts_json(const struct facts *f)
{
    const kelvin_data *d = f->data;
    json_t *object = json_object();
    json_object_set_new(object, "name", kelvin_json_text(d->name));
    json_object_set_new(object, "inputs", json_integer((json_int_t)d->inputs));
    if (d->channels) json_object_set_new(object, "image", image_json(f));
    if (d->column_names) json_object_set_new(object, "columns", json_texts(d->column_names, d->inputs));
    if (d->label_name) json_object_set_new(object, "label", kelvin_json_text(d->label_name));
    json_object_set_new(object, "classes", json_texts(d->class_names, d->classes));
    json_object_set_new(object, "train", json_integer((json_int_t)d->train.n));
    json_object_set_new(object, "train_per_class", json_counts(f->train, d->classes));
    json_object_set_new(object, "test", json_integer((json_int_t)d->test.n));
    json_object_set_new(object, "test_per_class", json_counts(f->test, d->classes));
    json_object_set_new(object, "subtracted", json_numbers(d->mean, f->n));
    json_object_set_new(object, "divided_by", json_numbers(d->deviation, f->n));
    if (f->set) {
        json_object_set_new(object, "source", kelvin_json_text(f->source));
        json_object_set_new(object, "folder", kelvin_json_text(f->folder));
        json_object_set_new(object, "files", files_json(f));
    }
    return object;
}

kelvin_status data_report_print(FILE *out, const kelvin_data *data, bool json)
{
    struct facts facts = {.data = data};
    kelvin_status status = find_facts(&facts);
    if (!status && json) status = print_json(out, facts_json(&facts), ALL_DIGITS);
    if (!status && !json) print_tables(out, &facts);
    kelvin_free(facts.mean);
    kelvin_free(facts.train);
    return status;
}
