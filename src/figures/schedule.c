/* schedule: the learning rate and the temperature over a cycle of SGHMC, at whose end one posterior sample is taken.
 * Paper: appendix "Implementation details". */
#include "figures/figure.h"
#include "figures/schedule_gp.h"

#include "sampler/sampler.h"

static kelvin_status run(const struct figure_options *options)
{
    const kelvin_schedule *schedule;
    KELVIN_TRY(kelvin_schedule_parse(&schedule, "paper"));
    struct output_file table;
    KELVIN_TRY(kelvin_figure_table(&table, &kelvin_schedule_figure, options, ".csv", "epoch,rate,temperature",
                                   "# Factors of the learning rate and of the temperature.\n"));
    for (size_t i = 0; i < options->grid; i++) {
        const double progress = (double)i / (double)(options->grid - 1);
        fprintf(table.file, "%.10g,%.10g,%.10g\n", progress * (double)options->epochs, schedule->rate(progress),
                schedule->temperature(progress));
    }
    fprintf(options->out,
            "a cycle of %zu epochs: cold up to epoch %.6g, at full temperature from %.6g, learning rate "
            "falling from %.6g\n",
            options->epochs, (double)options->epochs / 3, (double)options->epochs * 2 / 3, (double)options->epochs / 2);
    return kelvin_output_close(&table, KELVIN_OK);
}

const struct figure kelvin_schedule_figure = {
    .member = KELVIN_PLAIN_MEMBER("schedule", "learning rate and temperature over a cycle of SGHMC"),
    .options = {{.name = "epochs"}, {"grid", 20, 5000, "points along a curve"}},
    .defaults = {.epochs = 10000, .grid = 1201}, /* the corners at 1/3, 1/2 and 2/3 are among them */
    .tables = {".csv"},
    .script = schedule_gp,
    .run = run,
};
