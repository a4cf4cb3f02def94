/* How often proposals were accepted after the warm-up, and by how much energies were off. */
#include "posterior/diagnosis.h"
#include "posterior/histories.h"
#include "posterior/stats.h"
#include "run/room.h"

#include <math.h>
#include <stdlib.h>

struct proposals {
    size_t n, accepted;
    double *error; /* (n) */
};

/* The median of |energy error|, where one that is not a number is infinite. Changes the n > 0 errors. */
static double median_error(double *error, size_t n)
{
    for (size_t i = 0; i < n; i++) error[i] = isnan(error[i]) ? INFINITY : fabs(error[i]);
    qsort(error, n, sizeof *error, kelvin_compare);
    return kelvin_quantile(error, n, 0.5);
}

static kelvin_status add_chain(struct proposals *p, const kelvin_samples *samples, uint32_t chain)
{
    kelvin_history history;
    bool whole;
    KELVIN_TRY(kelvin_history_whole(&history, &whole, samples, chain));
    for (size_t row = kelvin_first_row(samples->run); whole && row < history.rows; row++) {
        const double *accepted = kelvin_history_at(&history, row, "accepted");
        const double *error = kelvin_history_at(&history, row, "energy_error");
        if (!accepted) break;
        p->accepted += *accepted != 0;
        p->error[p->n++] = error ? *error : 0;
    }
    if (whole) kelvin_history_close(&history);
    return KELVIN_OK;
}

kelvin_status kelvin_acceptance_read(kelvin_diagnosis *out, const kelvin_samples *samples)
{
    const kelvin_run *run = samples->run;
    const size_t rows = kelvin_run_rows(run) - kelvin_first_row(run);
    struct proposals p = {.error = NULL};
    if (!run->sampler->accepts) return KELVIN_OK;
    if (!(p.error = kelvin_alloc(run->config.chains * rows, sizeof *p.error))) return KELVIN_ENOMEM;
    kelvin_status status = KELVIN_OK;
    for (uint32_t i = 0; i < run->config.chains && !status; i++) status = add_chain(&p, samples, i);
    if (!status && p.n > 0) {
        out->acceptance = (double)p.accepted / (double)p.n;
        if (kelvin_run_column(run, "energy_error") != SIZE_MAX) out->energy_error = median_error(p.error, p.n);
    }
    kelvin_free(p.error);
    return status;
}
