/* What is in a data set. */
#include "cli/data_report.h"

#include "cli/json.h"
#include "cli/options.h"

#include <kelvin/family.h>
#include <kelvin/fetch.h>
#include <kelvin/files.h>

#include <limits.h>
#include <math.h>

enum { FEW_VALUES = 6, MOST_SHOWN = 20 }; /* classes, channels, columns */

/* ---- what there is ---- */

kelvin_status data_report_list(FILE *out, bool json)
{
    const kelvin_family *family = kelvin_family_of("data_sets");
    const kelvin_member *member;
    json_t *list = json ? json_array() : NULL;
    for (size_t i = 0; (member = kelvin_family_member(family, i)); i++) {
        const bool fetched = kelvin_fetch_knows(member->name), ready = !fetched || kelvin_fetch_is_cached(member->name);
        if (json)
            json_array_append_new(list,
                                  json_pack("{s:s, s:s, s:s, s:b, s:b}", "name", member->name, "usage", member->usage,
                                            "about", member->about, "fetched", fetched, "ready", ready));
        else
            fprintf(out, "%s\n    %s%s%s\n", member->usage, member->about,
                    !fetched ? ""
                    : ready  ? "; in the cache"
                             : "; not in the cache yet: kelvin data ",
                    ready ? "" : member->name);
    }
    return json ? print_json(out, json_pack("{s:o}", "data_sets", list), FEW_DIGITS) : KELVIN_OK;
}

/* ---- one data set ---- */

struct facts {
    const kelvin_data *data;
    bool fetched;
    const char *source;
    char folder[PATH_MAX];
    kelvin_shape image;
    size_t n;                 /* channels or columns */
    double *mean, *deviation; /* (n) each: of the training part of images, white = 1 */
    uint32_t *members[2];     /* (classes) of each side */
};

static kelvin_status count_members(struct facts *f, kelvin_side side)
{
    const int32_t *labels = kelvin_data_labels(f->data, side);
    uint32_t *members = f->members[side] = kelvin_alloc(kelvin_data_classes(f->data), sizeof *members);
    for (size_t i = 0; members && i < kelvin_data_rows(f->data, side); i++) members[labels[i]]++;
    return members ? KELVIN_OK : KELVIN_ENOMEM;
}

static kelvin_status find_facts(struct facts *f)
{
    const kelvin_data *d = f->data;
    f->image = kelvin_data_shape(d);
    f->n = kelvin_data_is_images(d) ? f->image.channels : kelvin_data_inputs(d);
    f->mean = kelvin_alloc(2 * f->n, sizeof *f->mean);
    if (!f->mean) return KELVIN_ENOMEM;
    f->deviation = f->mean + f->n;
    if (kelvin_data_is_images(d)) kelvin_data_statistics(d, KELVIN_TRAIN, f->mean, f->deviation);
    KELVIN_TRY(count_members(f, KELVIN_TRAIN));
    KELVIN_TRY(count_members(f, KELVIN_TEST));
    if (!(f->fetched = kelvin_fetch_knows(kelvin_data_name(d)))) return KELVIN_OK;
    f->source = *kelvin_fetch_source() ? kelvin_fetch_source() : "the cache";
    return kelvin_fetch_folder(f->folder, sizeof f->folder, kelvin_data_name(d));
}

/* ---- as a table ---- */

struct shown {
    char text[KELVIN_SHOWN];
};

static struct shown shown(const char *text)
{
    struct shown shown;
    kelvin_text_show(shown.text, text);
    return shown;
}

static void print_part(FILE *out, const char *title, const struct facts *f, kelvin_side side)
{
    const size_t n = kelvin_data_rows(f->data, side);
    size_t least = SIZE_MAX, most = 0;
    for (size_t i = 0; i < kelvin_data_classes(f->data); i++) {
        const uint32_t members = f->members[side][i];
        least = members < least ? members : least;
        most = members > most ? members : most;
    }
    fprintf(out, "%-12s %zu", title, n);
    if (n && least == most) fprintf(out, ", %zu of each class", most);
    if (n && least < most) fprintf(out, ", %zu to %zu of each class", least, most);
    fputc('\n', out);
}

static void print_classes(FILE *out, const kelvin_data *d)
{
    const size_t classes = kelvin_data_classes(d);
    fprintf(out, "%-12s %zu:", "classes", classes);
    for (size_t i = 0; i < classes && i < MOST_SHOWN; i++)
        fprintf(out, "%s %s", i ? "," : "", shown(kelvin_data_class_name(d, i)).text);
    fputs(classes > MOST_SHOWN ? ", ...\n" : "\n", out);
}

static void print_channels(FILE *out, const struct facts *f)
{
    fprintf(out, "%-12s", "mean");
    for (size_t i = 0; i < f->n; i++) fprintf(out, " %.7f", f->mean[i]);
    fprintf(out, "   of the training part, white = 1\n%-12s", "deviation");
    for (size_t i = 0; i < f->n; i++) fprintf(out, " %.7f", f->deviation[i]);
    fprintf(out, "\n%-12s", "normalised");
    for (size_t i = 0; i < f->n; i++)
        fprintf(out, " (v - %.4g) / %.4g", kelvin_data_mean(f->data, i), kelvin_data_deviation(f->data, i));
    fputc('\n', out);
}

static const char *const kinds[] = {
    [KELVIN_FEATURE_NUMBER] = "number",    [KELVIN_FEATURE_YES_NO] = "yes/no", [KELVIN_FEATURE_CATEGORY] = "category",
    [KELVIN_FEATURE_LABEL] = "label",      [KELVIN_FEATURE_ID] = "id",         [KELVIN_FEATURE_WEIGHT] = "weight",
    [KELVIN_FEATURE_LEFT_OUT] = "left out"};

/* What became of a column, as it stands in its line. */
static void print_fate(FILE *out, const struct facts *f, const kelvin_feature *c)
{
    if (c->kind == KELVIN_FEATURE_LEFT_OUT) fprintf(out, "  %s", c->why);
    if (c->kind == KELVIN_FEATURE_NUMBER || c->kind == KELVIN_FEATURE_YES_NO)
        fprintf(out, " %14.10g %14.10g", kelvin_data_mean(f->data, c->first), kelvin_data_deviation(f->data, c->first));
    if (c->width > 0)
        fprintf(out, "  of asinh((x %c %.6g) / %.6g)", c->centre < 0 ? '+' : '-', fabs(c->centre), c->width);
    if (c->kind == KELVIN_FEATURE_CATEGORY) {
        fprintf(out, "  %zu value%s:", c->n_values, c->n_values == 1 ? "" : "s");
        for (size_t i = 0; i < c->n_values && i < FEW_VALUES; i++)
            fprintf(out, "%s %s", i ? "," : "", shown(c->values[i]).text);
        if (c->n_values > FEW_VALUES) fputs(", ...", out);
    }
    fputc('\n', out);
}

static void print_columns(FILE *out, const struct facts *f)
{
    const kelvin_feature *c;
    size_t more = 0;
    fprintf(out, "\n%-24s %-9s %8s %14s %14s\n", "column", "kind", "missing", "subtracted", "divided by");
    for (size_t i = 0; (c = kelvin_data_feature(f->data, i)); i++) {
        char number[24], missing[24] = "";
        if (c->kind == KELVIN_FEATURE_LABEL) continue;
        if (i >= MOST_SHOWN + 1 && ++more) continue;
        snprintf(number, sizeof number, "%zu", c->place + 1);
        if (c->missing > 0) snprintf(missing, sizeof missing, "%.3g %%", 100 * c->missing);
        const struct shown name = shown(c->name ? c->name : number);
        fprintf(out, "%-*s %-9s %8s", field_width(name.text, 24), name.text, kinds[c->kind], missing);
        print_fate(out, f, c);
    }
    if (more > 0) fprintf(out, "... and %zu more\n", more);
}

/* How many columns the network looks at, and how many inputs were made of them. */
static void print_width(FILE *out, const struct facts *f)
{
    const kelvin_feature *c;
    size_t used = 0;
    for (size_t i = 0; (c = kelvin_data_feature(f->data, i)); i++) used += c->inputs > 0;
    fprintf(out, "%-12s %zu column%s", "table", used, used == 1 ? "" : "s");
    if (used != f->n) fprintf(out, ", %zu inputs", f->n);
    fputc('\n', out);
}

static void print_notes(FILE *out, const kelvin_data *d)
{
    const char *note;
    for (size_t i = 0; (note = kelvin_data_note(d, i)); i++) fprintf(out, "%snote: %s\n", i ? "" : "\n", note);
}

static void print_files(FILE *out, const struct facts *f)
{
    const char *file, *sha1;
    uint64_t bytes;
    fprintf(out, "%-12s %s\n%-12s %s\n", "from", f->source, "folder", f->folder);
    for (size_t i = 0; kelvin_fetch_file(kelvin_data_name(f->data), i, &file, &bytes, &sha1); i++)
        fprintf(out, "%-12s %s  %s\n", i ? "" : "SHA-1", sha1, file);
}

static void print_tables(FILE *out, const struct facts *f)
{
    const kelvin_data *d = f->data;
    const bool images = kelvin_data_is_images(d);
    fprintf(out, "%-12s %s\n", "data", kelvin_data_name(d));
    if (f->fetched) print_files(out, f);
    if (images)
        fprintf(out, "%-12s %zu x %zu pixels, %zu channel%s\n", "images", f->image.width, f->image.height, f->n,
                f->n > 1 ? "s" : "");
    else
        print_width(out, f);
    if (kelvin_data_label_name(d)) fprintf(out, "%-12s %s\n", "label", shown(kelvin_data_label_name(d)).text);
    print_part(out, "training", f, KELVIN_TRAIN);
    print_part(out, "test", f, KELVIN_TEST);
    print_classes(out, d);
    if (images)
        print_channels(out, f);
    else
        print_columns(out, f);
    print_notes(out, d);
}

/* ---- as JSON ---- */

static json_t *names_json(const kelvin_data *d, const char *(*name)(const kelvin_data *, size_t), size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_text(name(d, i)));
    return list;
}

static json_t *numbers_json(const kelvin_data *d, double (*number)(const kelvin_data *, size_t), size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_number(number(d, i)));
    return list;
}

static json_t *files_json(const struct facts *f)
{
    const char *file, *sha1;
    uint64_t bytes;
    json_t *list = json_array();
    for (size_t i = 0; kelvin_fetch_file(kelvin_data_name(f->data), i, &file, &bytes, &sha1); i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:I, s:s}", "name", file, "bytes", (json_int_t)bytes, "sha1", sha1));
    return list;
}

static json_t *image_json(const struct facts *f)
{
    return json_pack("{s:I, s:I, s:I, s:o, s:o}", "channels", (json_int_t)f->image.channels, "height",
                     (json_int_t)f->image.height, "width", (json_int_t)f->image.width, "mean",
                     json_numbers(f->mean, f->n), "deviation", json_numbers(f->deviation, f->n));
}

static json_t *feature_json(const kelvin_feature *c)
{
    json_t *values = json_array(), *object = json_object();
    for (size_t i = 0; i < c->n_values; i++) json_array_append_new(values, json_text(c->values[i]));
    json_object_set_new(object, "name", c->name ? json_text(c->name) : json_null());
    json_object_set_new(object, "column", json_integer((json_int_t)c->place + 1));
    json_object_set_new(object, "kind", json_string(kinds[c->kind]));
    json_object_set_new(object, "why", c->why ? json_text(c->why) : json_null());
    json_object_set_new(object, "missing", json_number(c->missing));
    json_object_set_new(object, "first_input", json_integer((json_int_t)c->first));
    json_object_set_new(object, "inputs", json_integer((json_int_t)c->inputs));
    json_object_set_new(object, "values", c->kind == KELVIN_FEATURE_CATEGORY ? json_incref(values) : json_null());
    json_object_set_new(object, "tails",
                        c->width > 0 ? json_pack("{s:f, s:f}", "centre", c->centre, "width", c->width) : json_null());
    json_decref(values);
    return object;
}

static json_t *features_json(const struct facts *f)
{
    const kelvin_feature *c;
    json_t *list = json_array();
    for (size_t i = 0; (c = kelvin_data_feature(f->data, i)); i++) json_array_append_new(list, feature_json(c));
    return list;
}

static json_t *notes_json(const kelvin_data *d)
{
    const char *note;
    json_t *list = json_array();
    for (size_t i = 0; (note = kelvin_data_note(d, i)); i++) json_array_append_new(list, json_text(note));
    return list;
}

static json_t *facts_json(const struct facts *f)
{
    const kelvin_data *d = f->data;
    const size_t classes = kelvin_data_classes(d);
    const char *label = kelvin_data_label_name(d);
    json_t *object = json_object();
    json_object_set_new(object, "name", json_text(kelvin_data_name(d)));
    json_object_set_new(object, "inputs", json_integer((json_int_t)kelvin_data_inputs(d)));
    if (kelvin_data_is_images(d)) json_object_set_new(object, "image", image_json(f));
    if (kelvin_data_column_name(d, 0))
        json_object_set_new(object, "columns", names_json(d, kelvin_data_column_name, f->n));
    if (label) json_object_set_new(object, "label", json_text(label));
    json_object_set_new(object, "classes", names_json(d, kelvin_data_class_name, classes));
    json_object_set_new(object, "train", json_integer((json_int_t)kelvin_data_rows(d, KELVIN_TRAIN)));
    json_object_set_new(object, "train_per_class", json_counts(f->members[KELVIN_TRAIN], classes));
    json_object_set_new(object, "test", json_integer((json_int_t)kelvin_data_rows(d, KELVIN_TEST)));
    json_object_set_new(object, "test_per_class", json_counts(f->members[KELVIN_TEST], classes));
    json_object_set_new(object, "subtracted", numbers_json(d, kelvin_data_mean, f->n));
    json_object_set_new(object, "divided_by", numbers_json(d, kelvin_data_deviation, f->n));
    if (kelvin_data_feature(d, 0)) json_object_set_new(object, "table", features_json(f));
    json_object_set_new(object, "notes", notes_json(d));
    if (f->fetched) {
        json_object_set_new(object, "source", json_text(f->source));
        json_object_set_new(object, "folder", json_text(f->folder));
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
    for (size_t side = 0; side < 2; side++) kelvin_free(facts.members[side]);
    return status;
}
