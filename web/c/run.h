/* run: a run's files in the page: arrays that were dropped there, evaluated as `kelvin eval` does.
 *
 *     size_t shape[3];
 *     bool ok = explorer_run_shape(shape, head, n, bytes, "logits_test.npy");    // before all of it is read
 *     struct kelvin_metrics *run = explorer_run_evaluate(z, z_bytes, "logits_test.npy", y, y_bytes, "labels_test.npy",
 *                                                      chain, 15);               // NULL: explorer_error()
 *     explorer_run_metric(run, numbers, i);
 *     explorer_run_free(run);
 */
#ifndef EXPLORER_RUN_H
#define EXPLORER_RUN_H

#include "web/c/explorer.h"

/* ---- the table of metrics ---- */

enum explorer_metric_text { EXPLORER_METRIC_NAME, EXPLORER_METRIC_TITLE, EXPLORER_METRIC_UNIT, EXPLORER_METRIC_ABOUT };
enum explorer_metric_number {
    EXPLORER_METRIC_SCALE,
    EXPLORER_METRIC_DIGITS,
    EXPLORER_METRIC_BETTER,
    EXPLORER_METRIC_LEAST,
    EXPLORER_METRIC_MOST,
    EXPLORER_METRIC_TOGETHER,
    EXPLORER_METRIC_FIRST, /* whether it is among the numbers at the top of a page */
    EXPLORER_METRIC_SIZES, /* whether it has a curve over posterior sizes */
};
EXPLORER size_t explorer_metrics(void);
EXPLORER const char *explorer_metric_text(size_t i, enum explorer_metric_text which);
EXPLORER double explorer_metric_number(size_t i, enum explorer_metric_number which);

/* ---- logits and labels ---- */

/* (samples, observations, classes) from the first bytes of a file of logits: 4,096 of them, or all. */
EXPLORER bool explorer_run_shape(size_t *shape, const void *head, size_t n, double file_bytes, const char *name);

/* Bytes that an evaluation takes besides its files, about. */
EXPLORER double explorer_run_memory(size_t samples, size_t observations);

/* The bytes of both files, which may be freed afterwards; chain (samples): that each sample is of, in order; NULL: each
 * is of one of its own. */
EXPLORER struct kelvin_metrics *explorer_run_evaluate(const void *logits, size_t logits_bytes, const char *logits_name,
                                                      const void *labels, size_t labels_bytes, const char *labels_name,
                                                      const uint32_t *chain, size_t bins);
EXPLORER void explorer_run_free(struct kelvin_metrics *run);

enum explorer_run_count {
    EXPLORER_RUN_SAMPLES,
    EXPLORER_RUN_CHAINS,
    EXPLORER_RUN_OBSERVATIONS,
    EXPLORER_RUN_CLASSES,
    EXPLORER_RUN_SINGLES, /* samples that were looked at one by one */
    EXPLORER_RUN_SUBSETS, /* so many ensembles, */
    EXPLORER_RUN_SUBSET,  /* of so many samples */
    EXPLORER_RUN_BINS,
    EXPLORER_RUN_SIZES, /* points of the curve over posterior sizes */
};
EXPLORER size_t explorer_run_count(const struct kelvin_metrics *run, enum explorer_run_count which);

/* Of metric i: of the ensemble; mean of single samples, and its standard error; 10 %, median and 90 % of ensembles of
 * a subset. Not numbers where there are none. */
enum { EXPLORER_METRIC_VALUES = 6 };
EXPLORER void explorer_run_metric(const struct kelvin_metrics *run, double *values, size_t i);

/* A bin of equal width, or of equal mass: from, to, observations, how many are right, mean confidence, and between
 * which shares of right ones it is believed to be. */
enum { EXPLORER_BIN_VALUES = 7 };
EXPLORER void explorer_run_bin(const struct kelvin_metrics *run, double *values, bool mass, size_t b);

/* The k-th posterior size: how many samples; mean, 10 % and 90 % of metric i. */
enum { EXPLORER_SIZE_VALUES = 4 };
EXPLORER void explorer_run_size(const struct kelvin_metrics *run, double *values, size_t k, size_t i);

/* ---- the manifest ---- */

/* NULL: it is damaged. The folder is for sentences. */
EXPLORER struct kelvin_manifest *explorer_manifest_open(const char *text, size_t bytes, const char *folder);
EXPLORER void explorer_manifest_close(struct kelvin_manifest *manifest);
EXPLORER bool explorer_manifest_has(const struct kelvin_manifest *manifest, const char *name);
/* Whether a file of so many bytes with this checksum is the one that the run left. */
EXPLORER bool explorer_manifest_matches(const struct kelvin_manifest *manifest, const char *name, double bytes,
                                        uint32_t crc32);
/* Of what has the checksum `crc32`, and these bytes after it. */
EXPLORER uint32_t explorer_crc32(uint32_t crc32, const void *data, size_t bytes);

/* ---- files that the page makes itself ---- */

/* What an array file begins with: logits (samples, observations, classes) as float32; with samples 0, labels
 * (observations) as int64. Returns its bytes, at most EXPLORER_HEADER. */
enum { EXPLORER_HEADER = 512 };
EXPLORER size_t explorer_array_header(char *out, size_t samples, size_t observations, size_t classes);

#endif
