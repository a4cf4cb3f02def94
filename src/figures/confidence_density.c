/* confidence-density: two densities of the predicted probability p of the true class, over p and temperature:
 *
 *     cold likelihood  p^(1/T),      upper bound on confidence prior times likelihood  max(p, 1 - p)^(1/T - 1) p,
 *
 * and the bound's local maxima below 1/2 (at p = T): predictions that are wrong, and still preferred to all others
 * nearby. Paper: section "Confidence prior" and appendix "Proof that confidence prior converges to a cold likelihood".
 */
#include "figures/calculus.h"
#include "figures/confidence_density_gp.h"
#include "figures/figure.h"
#include "figures/tempered.h"

#include <math.h>

struct curve {
    double T;
    struct tempered cold, upper;
};

struct picture {
    size_t n;
    struct curve curve[MOST_TEMPERATURES];
};

static double log_density(const struct tempered *tempered, double *slope, double p)
{
    double z[2];
    kelvin_tempered_logits(z, p);
    return kelvin_tempered_eval(tempered, slope, z);
}

static bool rises(double p, const void *tempered)
{
    double slope;
    log_density(tempered, &slope, p);
    return slope > 0.0;
}

/* The highest p below 1/2 up to which the density rises; false unless it falls thereafter. Steps in log p, then
 * halving. */
static bool find_peak(double *peak, const struct tempered *upper)
{
    double low = 1e-15, high = low;
    while (high < 0.5 && rises(high, upper)) {
        low = high;
        high = high < 0.49 / 1.1 ? high * 1.1 : high + (0.5 - high) / 2; /* 1/2 itself is a corner */
    }
    if (high < 0.5) *peak = kelvin_bisect(rises, upper, low, high);
    return high < 0.5;
}

static kelvin_status read_temperatures(struct picture *picture, const char *text)
{
    struct temperatures list;
    KELVIN_TRY(kelvin_temperatures_parse(&list, text));
    picture->n = list.n;
    for (size_t k = 0; k < list.n; k++) {
        struct curve *curve = &picture->curve[k];
        curve->T = list.T[k];
        KELVIN_TRY(kelvin_tempered_cold(&curve->cold, curve->T));
        KELVIN_TRY(kelvin_tempered_upper(&curve->upper, curve->T));
    }
    return KELVIN_OK;
}

static kelvin_status write_curves(const struct figure_options *options, const struct picture *picture)
{
    struct output_file table;
    KELVIN_TRY(kelvin_figure_table(
        &table, &kelvin_confidence_density_figure, options, ".csv", "temperature,p,cold,upper",
        "# Densities, 1 at p = 1, of the probability p of the true class. One block for each temperature.\n"));
    for (size_t k = 0; k < picture->n; k++) {
        const struct curve *curve = &picture->curve[k];
        if (k) fputs("\n\n", table.file);
        for (size_t i = 0; i < options->grid; i++) {
            const double p = (double)i / (double)(options->grid - 1);
            fprintf(table.file, "%.10g,%.10g,%.10g,%.10g\n", curve->T, p, exp(log_density(&curve->cold, NULL, p)),
                    exp(log_density(&curve->upper, NULL, p)));
        }
    }
    return kelvin_output_close(&table, KELVIN_OK);
}

static kelvin_status write_peaks(const struct figure_options *options, const struct picture *picture)
{
    struct output_file table;
    KELVIN_TRY(kelvin_figure_table(&table, &kelvin_confidence_density_figure, options, "-peaks.csv",
                                   "temperature,p,upper", "# Local maxima of the upper bound below p = 1/2.\n"));
    fputs("local maxima of the upper bound below 1/2 (none at T = 1/2 and above)\n"
          "  temperature         p   density\n",
          options->out);
    for (size_t k = 0; k < picture->n; k++) {
        const struct curve *curve = &picture->curve[k];
        double peak;
        if (!find_peak(&peak, &curve->upper)) continue;
        const double density = exp(log_density(&curve->upper, NULL, peak));
        fprintf(table.file, "%.10g,%.10g,%.10g\n", curve->T, peak, density);
        fprintf(options->out, "  %-11.4g   %7.4g   %7.4g\n", curve->T, peak, density);
    }
    return kelvin_output_close(&table, KELVIN_OK);
}

static kelvin_status run(const struct figure_options *options)
{
    struct picture picture;
    KELVIN_TRY(read_temperatures(&picture, options->temperatures));
    KELVIN_TRY(write_curves(options, &picture));
    return write_peaks(options, &picture);
}

const struct figure kelvin_confidence_density_figure = {
    .member = KELVIN_PLAIN_MEMBER(
        "confidence-density",
        "cold likelihood, and the upper bound on confidence prior times likelihood, over temperature"),
    .options = {{.name = "temperatures"}, {"grid", 20, 5000, "points along a curve"}},
    .defaults = {.temperatures = "1,1/1.7,1/3,1/5.5,1/12,1/30,1/100",
                 .grid = 1001}, /* the corner at 1/2 is among them */
    .tables = {".csv", "-peaks.csv"},
    .script = confidence_density_gp,
    .run = run,
};
