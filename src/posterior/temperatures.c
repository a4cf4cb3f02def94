/* At which temperature a run really was, in its last epochs (Wenzel et al. 2020, "How good is the Bayes posterior in
 * deep neural networks really?", appendix I): kinetic, |v|^2 / n, of momenta that follow the noise at once, and
 * configurational, -theta . grad / n, of parameters that may need the whole run. */
#include <kelvin/posterior.h>

#include "base/files.h"
#include "posterior/stats.h"
#include "run/chain.h"

#include <math.h>
#include <unistd.h>

enum { SHARE = 20 }; /* one epoch of so many, at the end */

static double column_mean(const double *rows, size_t n, enum kelvin_epoch_column column)
{
    double mean = 0;
    for (size_t i = 0; i < n; i++) mean += rows[i * KELVIN_EPOCH_COLUMNS + column] / (double)n;
    return mean;
}

struct chains {
    double *rows;                      /* (epochs, columns), of one chain */
    double *kinetic, *configurational; /* (chains) */
};

static kelvin_status read_chains(kelvin_temperatures *out, struct chains *c, const kelvin_run *run, const char *folder)
{
    const size_t epochs = run->config.epochs;
    const double *last = c->rows + (epochs - out->epochs) * KELVIN_EPOCH_COLUMNS;
    for (uint32_t chain = 0; chain < run->config.chains; chain++) {
        kelvin_path path;
        size_t rows;
        KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_HISTORY_FILE, chain));
        if (access(path, F_OK)) continue;
        KELVIN_TRY(kelvin_table_rows(&rows, path));
        if (rows < epochs) continue; /* of a run that has ended: the chain diverged */
        KELVIN_TRY(kelvin_table_read(c->rows, path, kelvin_epoch_columns, KELVIN_EPOCH_COLUMNS, epochs));
        out->set = column_mean(last, out->epochs, TEMPERATURE); /* the same for all chains */
        c->kinetic[out->chains] = column_mean(last, out->epochs, KINETIC);
        c->configurational[out->chains] = column_mean(last, out->epochs, CONFIGURATIONAL);
        out->chains++;
    }
    return KELVIN_OK;
}

kelvin_status kelvin_temperatures_read(kelvin_temperatures *out, const kelvin_run *run, const char *folder)
{
    const size_t epochs = run->config.epochs, chains = run->config.chains;
    *out = (kelvin_temperatures){.set = (double)NAN, .epochs = epochs < SHARE ? 1 : epochs / SHARE};
    struct chains c = {.rows = kelvin_alloc(epochs * KELVIN_EPOCH_COLUMNS, sizeof *c.rows),
                       .kinetic = kelvin_alloc(chains, sizeof *c.kinetic),
                       .configurational = kelvin_alloc(chains, sizeof *c.configurational)};
    kelvin_status status = c.rows && c.kinetic && c.configurational ? KELVIN_OK : KELVIN_ENOMEM;
    if (!status) status = read_chains(out, &c, run, folder);
    if (!status) {
        out->kinetic = kelvin_averaged(c.kinetic, out->chains);
        out->configurational = kelvin_averaged(c.configurational, out->chains);
    }
    kelvin_free(c.rows);
    kelvin_free(c.kinetic);
    kelvin_free(c.configurational);
    return status;
}
