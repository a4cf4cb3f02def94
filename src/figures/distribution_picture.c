/* Figures of distributions of log-probabilities: a curve, and its spread, for each of some posteriors. */
#include "figures/distribution.h"

/* The columns of all curves: "logprob,random_low,random,random_high,...". */
enum { COLUMNS = 32 * (1 + 3 * DISTRIBUTION_SERIES) };

static struct figure_cell cell_of(const struct distribution_series *series, const struct figure_options *options)
{
    struct figure_cell cell = {.series = series->name,
                               .density = "categorical",
                               .temperature = series->dirclip ? 1 : 0,
                               .tuned = series->tuned};
    if (!series->dirclip) return cell;
    cell.value = options->alpha;
    snprintf(cell.density, sizeof cell.density, "dirclip:%.10g,%.10g", options->alpha,
             series->clip < 0 ? series->clip : options->clip);
    return cell;
}

static bool is_there(const struct distribution_picture *picture, size_t i)
{
    return i < DISTRIBUTION_SERIES && picture->series[i].name;
}

kelvin_status kelvin_distribution_cells(const struct distribution_picture *picture, struct figure_cells *list,
                                        const struct figure_options *options)
{
    for (size_t i = 0; is_there(picture, i); i++) {
        const struct figure_cell cell = cell_of(&picture->series[i], options);
        KELVIN_TRY(kelvin_cells_add(list, &cell));
    }
    return KELVIN_OK;
}

static kelvin_status count_samples(struct distribution *of, kelvin_samples *samples, size_t threads)
{
    kelvin_logits *logits;
    const char *found;
    KELVIN_TRY(kelvin_logits_on(&logits, &found, samples, of->kind->on, threads));
    const kelvin_status status = kelvin_distribution_count(of, logits);
    kelvin_logits_close(logits);
    return status;
}

static kelvin_status count_cell(struct distribution *of, const struct figure_cell *cell,
                                const struct figure_options *options)
{
    kelvin_samples *samples;
    KELVIN_TRY(kelvin_figure_piece(options->watch));
    KELVIN_TRY(kelvin_cell_open(&samples, cell, options));
    if (!samples) return KELVIN_OK;
    const kelvin_status status = count_samples(of, samples, options->threads);
    kelvin_samples_close(samples);
    return status;
}

static kelvin_status count_all(struct distribution *of, const struct distribution_picture *picture,
                               const struct figure_options *options)
{
    const kelvin_figure_watch *watch = options->watch;
    kelvin_status status = KELVIN_OK;
    size_t n = 0, there = 0;
    while (is_there(picture, n)) n++;
    watch->start(watch->context, "counting", n);
    for (size_t i = 0; i < n && !status; i++) {
        const struct figure_cell cell = cell_of(&picture->series[i], options);
        of[i].kind = &picture->kind;
        status = count_cell(&of[i], &cell, options);
        there += of[i].samples > 0;
    }
    watch->end(watch->context);
    if (status || there > 0) return status;
    return kelvin_fail(KELVIN_EUSAGE, "%s: none of its posteriors has samples", picture->figure->member.name);
}

static kelvin_status write_curves(const struct figure_options *options, const struct distribution_picture *picture,
                                  const struct distribution *of)
{
    char columns[COLUMNS], note[128];
    struct output_file table;
    int used = snprintf(columns, sizeof columns, "logprob");
    for (size_t i = 0; is_there(picture, i); i++) {
        const char *name = picture->series[i].name;
        used += snprintf(columns + used, sizeof columns - (size_t)used, ",%s_low,%s,%s_high", name, name, name);
    }
    snprintf(note, sizeof note, "# Shares of log-probabilities on %s data, of single samples: 10 %%, mean and 90 %%.\n",
             picture->kind.on);
    KELVIN_TRY(kelvin_figure_table(&table, picture->figure, options, ".csv", columns, note));
    for (size_t point = 0; point < DISTRIBUTION_POINTS; point++) {
        fprintf(table.file, "%.8g", kelvin_distribution_point(&picture->kind, point));
        for (size_t i = 0; is_there(picture, i); i++) {
            const struct distribution_share share = kelvin_distribution_at(&of[i], point);
            fprintf(table.file, ",%.8g,%.8g,%.8g", share.low, share.mean, share.high);
        }
        fputc('\n', table.file);
    }
    return kelvin_output_close(&table, KELVIN_OK);
}

kelvin_status kelvin_distribution_run(const struct distribution_picture *picture, const struct figure_options *options)
{
    struct distribution of[DISTRIBUTION_SERIES] = {0};
    kelvin_status status = count_all(of, picture, options);
    if (!status) status = write_curves(options, picture, of);
    if (!status) picture->print(options, of);
    for (size_t i = 0; i < DISTRIBUTION_SERIES; i++) kelvin_distribution_free(&of[i]);
    return status;
}
