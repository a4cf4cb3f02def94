/* export: a run in one file, for other programs.
 *
 *     kelvin_samples *samples;
 *     kelvin_exported done;
 *     kelvin_status st = kelvin_samples_open(&samples, "RUN");
 *     kelvin_export_options options = {.format = "netcdf"};
 *     if (!st) st = kelvin_export(&done, samples, "run.nc", &options);
 *     kelvin_samples_close(samples);
 *
 * docs/runs.md says what is in it. Arrays of samples are (chain, draw, ...), so all chains must have equally many
 * draws: those that have fewer than the longest are left out. Samples are read one at a time, logits in pieces.
 */
#ifndef KELVIN_EXPORT_H
#define KELVIN_EXPORT_H

#include <kelvin/base.h>
#include <kelvin/posterior.h>
#include <kelvin/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the files of a format (of the family "formats") end: ".npz"; "" if there is none of that name. */
KELVIN_API const char *kelvin_export_suffix(const char *format);

typedef struct kelvin_export_options {
    const char *format;
    const char *what; /* parts, "posterior,sample_stats"; NULL: all */
    bool replace;     /* a file that is there already; KELVIN_EUSAGE otherwise */
    size_t threads;   /* for logits that the run has not kept; 0: one per CPU */
} kelvin_export_options;

typedef struct kelvin_exported {
    size_t chains, draws; /* draws of each chain */
    size_t left_out;      /* so many chains had fewer */
    size_t arrays, bytes; /* of the file */
} kelvin_exported;

/* KELVIN_EUSAGE if there is no such format or part. The file is there whole or not at all. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_export(kelvin_exported *out, kelvin_samples *samples,
                                                         const char *path, const kelvin_export_options *options);

/* The format of that name, and whether the parts are known; to be asked before a run is read. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_export_check(const kelvin_export_options *options);

#ifdef __cplusplus
}
#endif
#endif
