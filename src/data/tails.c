/* Columns with long tails, or with absurd values. One value in fifty that is a thousand times too large makes the
 * deviation of a column a thousand times too large, and all other values the same. Such a column is drawn in before it
 * is standardised,
 *     v = asinh((x - median) / width),  width = (third quartile - first quartile) / 1.35:
 * near the median v is (x - median) / width, far away it grows as a logarithm. The width of normal numbers is their
 * deviation (their quartiles are 1.349 deviations apart). Quartiles are those of the training rows, each of them
 * counted once, without what is missing. */
#include "data/features.h"

#include "base/sorted.h"
#include "base/texts.h"
#include "data/csv.h"

#include <math.h>
#include <string.h>

enum {
    FEW_VALUES = 10, /* a column of no more different values is left as it is */
    TOO_WIDE = 3,    /* widths that the deviation of a column without long tails may have: exponential ones have 1.2 */
};

/* ---- values ---- */

void kelvin_features_draw_in(double *values, const kelvin_data *like)
{
    for (size_t j = 0; j < like->features; j++) {
        const kelvin_feature *f = &like->feature[j];
        double *x = &values[f->first];
        /* Halves, because a difference may be twice as large as a double can be. */
        if (f->width > 0) *x = asinh((*x / 2 - f->centre / 2) / (f->width / 2));
    }
}

double kelvin_feature_number(const kelvin_feature *f, const kelvin_data *data, float x)
{
    const double value = (double)x * data->deviation[f->first] + data->mean[f->first];
    return f->width > 0 ? f->centre + f->width * sinh(value) : value;
}

/* ---- fitting ---- */

/* The numbers of a column in the training rows. Returns how many. */
static size_t gather(double *x, const struct data_loader *l, size_t input)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n_train; i++) {
        const double value = l->values[i * l->data->inputs + input];
        if (!isnan(value)) x[n++] = value;
    }
    return n;
}

static size_t count_different(const double *sorted, size_t n)
{
    size_t different = 0;
    for (size_t i = 0; i < n; i++) different += i == 0 || sorted[i] != sorted[i - 1];
    return different;
}

/* A column half of which is one value has its median for a quartile. */
static void fit(kelvin_feature *f, double *x, size_t n, double deviation)
{
    if (n <= FEW_VALUES) return;
    kelvin_sort(x, n);
    const double first = kelvin_quantile(x, n, 0.25), median = kelvin_quantile(x, n, 0.5),
                 third = kelvin_quantile(x, n, 0.75), width = (third - first) / 1.35;
    if (!(first < median && median < third) || !isfinite(width) || deviation <= TOO_WIDE * width) return;
    if (count_different(x, n) <= FEW_VALUES) return;
    f->centre = median;
    f->width = width;
}

/* ---- telling ---- */

static kelvin_status tell(struct data_loader *l)
{
    enum { MOST_TOLD = 5 };
    kelvin_data *data = l->data;
    char note[2048] = "";
    size_t n = 0;
    for (size_t j = 0; j < data->features; j++) {
        const kelvin_feature *f = &data->feature[j];
        if (f->width > 0 && n++ < MOST_TOLD)
            kelvin_append(note, sizeof note, "%s%s", n == 1 ? "long tails: " : ", ",
                          kelvin_csv_called(f->name, f->place).text);
    }
    if (n > MOST_TOLD) kelvin_append(note, sizeof note, " and %zu more", n - MOST_TOLD);
    kelvin_append(note, sizeof note, ": drawn in by asinh%s", l->arrays ? "" : "; tails=no leaves them as they are");
    const char **notes = kelvin_arena_alloc(l->arena, data->notes + 1, sizeof *notes);
    if (!notes) return KELVIN_ENOMEM;
    for (size_t i = 0; i < data->notes; i++) notes[i] = data->note[i];
    data->note = notes;
    notes[data->notes] = kelvin_arena_text(l->arena, note, strlen(note));
    return notes[data->notes++] ? KELVIN_OK : KELVIN_ENOMEM;
}

kelvin_status kelvin_features_fit_tails(struct data_loader *l, bool *found, const double *deviation)
{
    kelvin_data *data = l->data;
    *found = false;
    if (l->spec->keep_tails) return KELVIN_OK;
    kelvin_feature *feature = kelvin_arena_alloc(l->arena, data->features, sizeof *feature);
    double *x = kelvin_alloc(l->n_train, sizeof *x);
    const bool good = feature && x;
    for (size_t j = 0; good && j < data->features; j++) {
        kelvin_feature *f = &feature[j];
        *f = data->feature[j];
        if (f->kind == KELVIN_FEATURE_NUMBER && f->inputs > 0) fit(f, x, gather(x, l, f->first), deviation[f->first]);
        *found |= f->width > 0;
    }
    kelvin_free(x);
    if (!good) return KELVIN_ENOMEM;
    data->feature = feature;
    return *found ? tell(l) : KELVIN_OK;
}
