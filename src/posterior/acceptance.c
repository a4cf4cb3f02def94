/* How often proposals were accepted after the warm-up, and by how much energies were off. */
#include "posterior/diagnosis.h"
#include "posterior/histories.h"
#include "posterior/stats.h"
#include "run/room.h"

#include <math.h>

struct proposals {
    size_t first; /* row that is not warm-up */
    size_t n, accepted;
    double *error; /* (n) */
};

/* The median of |energy error|, where one that is not a number is infinite. Changes the n > 0 errors. */
static double median_error(double *error, size_t n)
{
    for (size_t i = 0; i < n; i++) error[i] = isnan(error[i]) ? INFINITY : fabs(error[i]);
    kelvin_sort(error, n);
    return kelvin_quantile(error, n, 0.5);
}

static void add_row(void *context, const kelvin_history *one, size_t row)
{
    struct proposals *p = context;
    const double *accepted = kelvin_history_at(one, 0, "accepted"), *error = kelvin_history_at(one, 0, "energy_error");
    if (row < p->first || !accepted) return;
    p->accepted += *accepted != 0;
    p->error[p->n++] = error ? *error : 0;
}

kelvin_status kelvin_acceptance_read(kelvin_diagnosis *out, const kelvin_samples *samples)
{
    const kelvin_run *run = samples->run;
    struct proposals p = {.first = kelvin_first_row(run)};
    const size_t rows = kelvin_run_rows(run) - p.first;
    bool whole;
    if (!run->sampler->accepts) return KELVIN_OK;
    if (!(p.error = kelvin_alloc(run->config.chains * rows, sizeof *p.error))) return KELVIN_ENOMEM;
    kelvin_status status = KELVIN_OK;
    for (uint32_t i = 0; i < run->config.chains && !status; i++)
        status = kelvin_history_whole(&whole, samples, i, add_row, &p);
    if (!status && p.n > 0) {
        out->acceptance = (double)p.accepted / (double)p.n;
        if (kelvin_run_column(run, "energy_error") != SIZE_MAX) out->energy_error = median_error(p.error, p.n);
    }
    kelvin_free(p.error);
    return status;
}
