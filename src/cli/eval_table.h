/* eval_table: metrics as tables of at most 79 letters, as JSON, as CSV, and drawn. */
#ifndef CLI_EVAL_TABLE_H
#define CLI_EVAL_TABLE_H

#include <kelvin/posterior.h>

#include <jansson.h>
#include <stdio.h>

enum { CELL = 40, AUROCS = 3, RUN_UNKNOWN = 512 };

enum metric_kind {
    SINGLE,   /* mean of single samples, +- its standard error */
    ENSEMBLE, /* of all samples */
    LOW,      /* of ensembles of 8: the 10th percentile, */
    MEDIAN,
    HIGH,  /* the 90th, */
    RANGE, /* and "low .. high" */
    KINDS
};

/* A number with as many digits as are asked for and there is room for. */
void cell_number(char out[CELL], double x, const char *unit, int digits, int room);
/* "mean +- error", or the mean alone where there is no error. */
void cell_average(char out[CELL], const kelvin_average *x, double scale, const char *unit, int digits, int room);

/* A metric's cell, in its unit, with " %" behind it if that is wanted. */
void metric_cell(char out[CELL], const kelvin_metrics *metrics, size_t metric, enum metric_kind kind, bool percent,
                 int room);

/* ---- baselines.c ---- */

/* The same rows by class frequencies and by a linear model: NULL where their data are gone. */
enum { BASELINES = KELVIN_LINEAR + 1 };
struct baselines {
    kelvin_metrics *of[BASELINES]; /* by kelvin_baseline_kind */
};
KELVIN_MUST_CHECK kelvin_status baselines_measure(struct baselines *out, kelvin_samples *samples, const char *on,
                                                  size_t bins, size_t threads);
void baselines_free(struct baselines *baselines);
/* A table: the ensemble that has these metrics, and the baselines beside it; nothing where there are none. */
void baselines_print(FILE *out, const struct baselines *baselines, const kelvin_metrics *metrics, const char *on);
json_t *baselines_json(const struct baselines *baselines); /* null where there are none */

/* What was found out about a run. */
struct evaluated {
    const char *folder;
    const char *name; /* for the head of a column */
    /* Of the run, which is closed again: */
    const char *subject; /* "mlp:10 on digits, density categorical, temperature 1" */
    json_t *config;      /* the same for programs */
    uint32_t run_chains; /* of which some may have no samples */
    const char *on;      /* "test", "train", or a data set */
    bool no_test;        /* test was meant, but there is no such part */
    kelvin_metrics *metrics;
    struct baselines baselines;
    kelvin_confusion *confusion; /* for JSON; or NULL */
    json_t *class_names;         /* with it */
    kelvin_effects *effects;     /* of columns; NULL: not asked for */
    const char *ood;             /* NULL: not asked for */
    size_t ood_n;                /* its rows */
    double auroc[AUROCS];        /* in the order of auroc_about */
    double seconds, network;
    kelvin_diagnosis *found; /* what can be told briefly; NULL: nothing, for this reason: */
    char unknown[RUN_UNKNOWN];
};

extern const struct auroc_about {
    const char *name, *title;
} auroc_about[AUROCS];

/* One run: single samples, the ensemble, ensembles of 8. Several: the ensembles side by side. */
void eval_print(FILE *out, const struct evaluated *runs, size_t n);
/* A line for each run with which something is off: "NAME: what; kelvin diagnose FOLDER says more", each
 * after `before`. */
void eval_warn(FILE *out, const char *before, const struct evaluated *runs, size_t n);
/* A row for each run, metric and kind. */
void eval_csv(FILE *out, const struct evaluated *runs, size_t n);
/* NULL if memory is short. */
json_t *eval_json(const struct evaluated *runs, size_t n);

/* The numbers of one set of observations; null for NULL. */
json_t *metrics_json(const kelvin_metrics *metrics);

/* ---- eval_plot.c ---- */

/* Reliability, confidence and posterior size as CSV, gnuplot script, PNG, SVG and PDF in a folder, which is made if it
 * is missing; their paths go to `list`. Without gnuplot the numbers are kept, and the status says so. */
KELVIN_MUST_CHECK kelvin_status eval_plot(FILE *list, const char *folder, const struct evaluated *runs, size_t n);

/* Before the work is done: KELVIN_EIO if one of those files is there and is read by the command. */
struct output_reads;
KELVIN_MUST_CHECK kelvin_status eval_plot_check(const char *folder, const struct output_reads *reads);

#endif
