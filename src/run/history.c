/* history.csv of a chain of HMC: what a person wants to know of every iteration. */
#include "run/room.h"

#include <math.h>

enum { ITERATION, ACCEPTED, ACCEPTANCE, ENERGY_ERROR, LOG_POSTERIOR, ACCURACY };
enum { N_COLUMNS = KELVIN_ITERATION_COLUMNS };

const struct kelvin_column kelvin_iteration_columns[N_COLUMNS] = {
    [ITERATION] = {"iteration", 0, UINT32_MAX, true, 0},
    [ACCEPTED] = {"accepted", 0, 1, true, 0},
    [ACCEPTANCE] = {"acceptance", 0, 1, false, 0},
    [ENERGY_ERROR] = {"energy_error", -INFINITY, INFINITY, false, 0},
    [LOG_POSTERIOR] = {"log_posterior", -INFINITY, INFINITY, false, 0},
    [ACCURACY] = {"training_accuracy", 0, 1, false, 0},
};

kelvin_status kelvin_history_write(const char *path, const kelvin_hmc_info *info, const double *accuracy,
                                   size_t iterations)
{
    double *rows = kelvin_alloc(iterations, N_COLUMNS * sizeof *rows);
    if (!rows) return KELVIN_ENOMEM;
    for (size_t i = 0; i < iterations; i++) {
        double *row = rows + i * N_COLUMNS;
        row[ITERATION] = (double)i;
        row[ACCEPTED] = info[i].accepted;
        row[ACCEPTANCE] = info[i].acceptance;
        row[ENERGY_ERROR] = info[i].energy_error;
        row[LOG_POSTERIOR] = info[i].logp;
        row[ACCURACY] = accuracy[i];
    }
    const kelvin_status status = kelvin_table_write(path, kelvin_iteration_columns, N_COLUMNS, rows, iterations);
    kelvin_free(rows);
    return status;
}

kelvin_status kelvin_history_read(kelvin_hmc_info *info, double *accuracy, const char *path, size_t iterations)
{
    double *rows = kelvin_alloc(iterations, N_COLUMNS * sizeof *rows);
    if (!rows) return KELVIN_ENOMEM;
    const kelvin_status status = kelvin_table_read(rows, path, kelvin_iteration_columns, N_COLUMNS, iterations);
    for (size_t i = 0; i < iterations && !status; i++) {
        const double *row = rows + i * N_COLUMNS;
        info[i] = (kelvin_hmc_info){.accepted = row[ACCEPTED] != 0,
                                    .acceptance = row[ACCEPTANCE],
                                    .energy_error = row[ENERGY_ERROR],
                                    .logp = row[LOG_POSTERIOR]};
        accuracy[i] = row[ACCURACY];
    }
    kelvin_free(rows);
    return status;
}
