/* Files of a run that were dropped onto the page: read, compared with their manifest and evaluated by what reads them
 * in a folder. */
#include "web/c/run.h"

#include "files/formats.h"
#include "files/manifest.h"
#include "files/npy.h"
#include "posterior/evaluate.h"

#include <math.h>

/* ---- the table of metrics ---- */

size_t explorer_metrics(void)
{
    return kelvin_metrics_count();
}

const char *explorer_metric_text(size_t i, enum explorer_metric_text which)
{
    const kelvin_metric_info *about = kelvin_metric_at(i);
    const char *const text[] = {[EXPLORER_METRIC_NAME] = about->member.name,
                                [EXPLORER_METRIC_TITLE] = about->title,
                                [EXPLORER_METRIC_UNIT] = about->unit,
                                [EXPLORER_METRIC_ABOUT] = about->member.about};
    return text[which];
}

double explorer_metric_number(size_t i, enum explorer_metric_number which)
{
    const kelvin_metric_info *about = kelvin_metric_at(i);
    const double number[] = {[EXPLORER_METRIC_SCALE] = about->scale,
                             [EXPLORER_METRIC_DIGITS] = about->digits,
                             [EXPLORER_METRIC_BETTER] = about->better,
                             [EXPLORER_METRIC_LEAST] = about->least,
                             [EXPLORER_METRIC_MOST] = about->most,
                             [EXPLORER_METRIC_TOGETHER] = about->together,
                             [EXPLORER_METRIC_FIRST] = (about->shown & KELVIN_SHOWN_FIRST) != 0,
                             [EXPLORER_METRIC_SIZES] = (about->shown & KELVIN_SHOWN_SIZES) != 0};
    return number[which];
}

/* ---- logits and labels ---- */

bool explorer_run_shape(size_t *shape, const void *head, size_t n, double file_bytes, const char *name)
{
    struct npy array;
    size_t data_at;
    if (file_bytes > (double)SIZE_MAX) {
        kelvin_fail(KELVIN_ENOMEM, "%s: has %.0f bytes, which are more than a page can hold", name, file_bytes);
        return false;
    }
    if (kelvin_npy_parse_head(&array, &data_at, head, n, (size_t)file_bytes, name)) return false;
    if (array.axes != 3) {
        kelvin_fail(KELVIN_EFORMAT, "%s: shape is %s; expected (samples, observations, classes)", name,
                    kelvin_npy_shape_text(&array).text);
        return false;
    }
    for (size_t i = 0; i < 3; i++) shape[i] = array.shape[i];
    return true;
}

/* Eight bytes for each observation and score (evaluate.c): scores are those of single samples, of subsets, and of the
 * sizes of each order, of which there are two for each doubling. */
double explorer_run_memory(size_t samples, size_t observations)
{
    const double singles = samples < KELVIN_MOST_SINGLES ? (double)samples : KELVIN_MOST_SINGLES;
    const double scores = singles + 1 + KELVIN_SUBSETS + KELVIN_ORDERS * (2 * log2(singles) + 2);
    return (scores + 2) * (double)observations * sizeof(uint64_t) + (1 << 24);
}

static kelvin_status evaluate(kelvin_metrics **metrics, const struct kelvin_logits_form *form,
                              struct kelvin_file_bytes z, struct kelvin_file_bytes y, size_t bins)
{
    const kelvin_evaluate_options options = {.bins = bins, .threads = 1, .sizes = true};
    kelvin_logits *logits;
    KELVIN_TRY(kelvin_logits_from_bytes(&logits, form, z, y));
    const kelvin_status status = kelvin_evaluate(metrics, logits, &options);
    kelvin_logits_close(logits);
    return status;
}

struct kelvin_metrics *explorer_run_evaluate(const void *logits, size_t logits_bytes, const char *logits_name,
                                             const void *labels, size_t labels_bytes, const char *labels_name,
                                             const uint32_t *chain, size_t bins)
{
    const struct kelvin_logits_form form = {.logits = logits_name, .labels = labels_name, .chain = chain};
    const struct kelvin_file_bytes z = {logits, logits_bytes}, y = {labels, labels_bytes};
    kelvin_metrics *metrics = NULL;
    if (evaluate(&metrics, &form, z, y, bins)) return NULL;
    return metrics;
}

void explorer_run_free(struct kelvin_metrics *run)
{
    kelvin_metrics_free(run);
}

size_t explorer_run_count(const struct kelvin_metrics *run, enum explorer_run_count which)
{
    const size_t count[] = {[EXPLORER_RUN_SAMPLES] = run->samples, [EXPLORER_RUN_CHAINS] = run->chains,
                            [EXPLORER_RUN_OBSERVATIONS] = run->n,  [EXPLORER_RUN_CLASSES] = run->classes,
                            [EXPLORER_RUN_SINGLES] = run->singles, [EXPLORER_RUN_SUBSETS] = run->subsets,
                            [EXPLORER_RUN_SUBSET] = run->subset,   [EXPLORER_RUN_BINS] = run->bins,
                            [EXPLORER_RUN_SIZES] = run->sizes};
    return count[which];
}

void explorer_run_metric(const struct kelvin_metrics *run, double *values, size_t i)
{
    const kelvin_average single = kelvin_metrics_single(run, i);
    const kelvin_percentiles spread = kelvin_metrics_spread(run, i);
    values[0] = kelvin_metrics_ensemble(run, i);
    values[1] = single.mean;
    values[2] = single.error;
    values[3] = spread.low;
    values[4] = spread.median;
    values[5] = spread.high;
}

void explorer_run_bin(const struct kelvin_metrics *run, double *values, bool mass, size_t b)
{
    size_t n;
    const kelvin_bin *bin = kelvin_metrics_bins(run, mass, &n) + b;
    values[0] = bin->from;
    values[1] = bin->to;
    values[2] = (double)bin->n;
    values[3] = (double)bin->hits;
    values[4] = bin->confidence;
    values[5] = values[6] = (double)NAN;
    if (bin->n) kelvin_bin_interval(&values[5], &values[6], bin);
}

void explorer_run_size(const struct kelvin_metrics *run, double *values, size_t k, size_t i)
{
    const kelvin_by_size size = kelvin_metrics_by_size(run, k, i);
    values[0] = (double)kelvin_metrics_size(run, k);
    values[1] = size.mean;
    values[2] = size.low;
    values[3] = size.high;
}

/* ---- the manifest ---- */

struct kelvin_manifest *explorer_manifest_open(const char *text, size_t bytes, const char *folder)
{
    struct kelvin_manifest *manifest;
    return kelvin_manifest_parse(&manifest, folder, text, bytes) ? NULL : manifest;
}

void explorer_manifest_close(struct kelvin_manifest *manifest)
{
    kelvin_manifest_free(manifest);
}

bool explorer_manifest_has(const struct kelvin_manifest *manifest, const char *name)
{
    return kelvin_manifest_has(manifest, name);
}

bool explorer_manifest_matches(const struct kelvin_manifest *manifest, const char *name, double bytes, uint32_t crc32)
{
    return kelvin_manifest_compare(manifest, name, (size_t)bytes, crc32) == KELVIN_OK;
}

uint32_t explorer_crc32(uint32_t crc32, const void *data, size_t bytes)
{
    return kelvin_crc32_more(crc32, data, bytes);
}

/* ---- files that the page makes itself ---- */

size_t explorer_array_header(char *out, size_t samples, size_t observations, size_t classes)
{
    _Static_assert((int)EXPLORER_HEADER == (int)KELVIN_NPY_HEADER, "a header fits");
    const struct kelvin_array logits = {.dtype = KELVIN_F32, .ndim = 3, .shape = {samples, observations, classes}};
    const struct kelvin_array labels = {.dtype = KELVIN_I64, .ndim = 1, .shape = {observations}};
    return kelvin_npy_header(out, samples ? &logits : &labels);
}
