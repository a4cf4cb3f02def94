/* phase-diagram: does a gradient step on the Dirichlet posterior raise the probability of the true class? One wrong
 * class has the probability p_wrong; the others, the true one among them, share the rest equally. For every p_wrong and
 * every concentration alpha of the prior, the change of the true class's log-probability,
 *
 *     d log p_y = g_y - g+ p_y - p.g + g+ sum_k p_k^2,   g_k = alpha - 1 + [k = y],   g+ = sum_k g_k,
 *
 * as kelvin_density_step() has it, and the curve where it is 0. Paper: section "Training stability"; appendix
 * "Dirichlet gradient step direction". The published picture was measured: its colours are linear in the change, and
 * saturated from -1.1 and 1.1 on. */
#include "figures/boundary.h"
#include "figures/figure.h"
#include "figures/phase_diagram_gp.h"

struct picture {
    struct boundary boundary;
    size_t columns, rows;
    double *change; /* (rows, columns) */
    const kelvin_figure_watch *watch;
};

static double centre(size_t i, size_t n)
{
    return ((double)i + 0.5) / (double)n;
}

/* ---- the cells ---- */

static kelvin_status compute_row(void *context, size_t row)
{
    const struct picture *picture = context;
    KELVIN_TRY(kelvin_figure_piece(picture->watch));
    double *change = picture->change + row * picture->columns;
    for (size_t i = 0; i < picture->columns; i++) /* counted from the right: 1 - p_wrong */
        change[picture->columns - 1 - i] =
            kelvin_boundary_change(&picture->boundary, centre(row, picture->rows), centre(i, picture->columns));
    return KELVIN_OK;
}

static kelvin_status write_cells(const struct figure_options *options, const struct picture *picture)
{
    struct output_file table;
    KELVIN_TRY(kelvin_figure_table(
        &table, &kelvin_phase_diagram_figure, options, ".csv", "p_wrong,alpha,change",
        "# Change of the true class's log-probability per unit of step size, at the centres of the cells.\n"));
    for (size_t row = 0; row < picture->rows; row++)
        for (size_t i = 0; i < picture->columns; i++)
            fprintf(table.file, "%.7g,%.7g,%.7g\n", centre(i, picture->columns), centre(row, picture->rows),
                    picture->change[row * picture->columns + i]);
    return kelvin_output_close(&table, KELVIN_OK);
}

/* ---- the boundary ---- */

static void write_point(FILE *out, const struct boundary *b, double rest)
{
    double alpha;
    if (kelvin_boundary_alpha(b, &alpha, 0, 1, rest)) fprintf(out, "%.15g,%.15g,%.10g\n", 1 - rest, alpha, rest);
}

/* At the edges of the columns, from where the boundary leaves alpha = 0 to all but certainty. */
static kelvin_status write_boundary(const struct figure_options *options, const struct boundary *b)
{
    const double columns = (double)options->grid;
    double start = 0;
    struct output_file table;
    KELVIN_TRY(kelvin_figure_table(
        &table, &kelvin_phase_diagram_figure, options, "-boundary.csv", "p_wrong,alpha,rest",
        "# Where the change is 0: below alpha it is negative; rest = 1 - p_wrong. No rows: it is negative nowhere.\n"));
    if (kelvin_boundary_start(b, &start)) fprintf(table.file, "%.15g,0,%.15g\n", 1 - start, start);
    for (size_t i = options->grid - 1; i > 0; i--)
        if ((double)i / columns < start) write_point(table.file, b, (double)i / columns);
    for (double rest = 0.1 / columns; rest > 1e-12; rest /= 10) write_point(table.file, b, rest);
    return kelvin_output_close(&table, KELVIN_OK);
}

static void print_boundary(FILE *out, const struct boundary *b)
{
    static const double rest = 1e-7;
    double alpha, start;
    if (!kelvin_boundary_alpha(b, &alpha, 0, 1, rest) || !kelvin_boundary_start(b, &start)) {
        fprintf(out, "%zu classes: a step raises the true class whatever alpha in 0 .. 1 and the prediction\n", b->K);
        return;
    }
    fprintf(out, "%zu classes: a step may lower the true class from p_wrong = %.4f (alpha = 0) on\n", b->K, 1 - start);
    fprintf(out, "boundary at p_wrong = 1 - 1e-7: alpha = %.8f%s\n", alpha, b->K == 10 ? " here, 0.8 published" : "");
}

static kelvin_status run(const struct figure_options *options)
{
    struct picture picture = {.columns = options->grid, .rows = (3 * options->grid + 3) / 4, .watch = options->watch};
    KELVIN_TRY(kelvin_boundary_make(&picture.boundary, options->classes));
    picture.change = kelvin_alloc(picture.rows * picture.columns, sizeof *picture.change);
    if (!picture.change) return KELVIN_ENOMEM;
    kelvin_status status = kelvin_figure_tasks(options, "computing", picture.rows, compute_row, &picture, picture.rows);
    if (!status) status = write_cells(options, &picture);
    if (!status) status = write_boundary(options, &picture.boundary);
    if (!status) print_boundary(options->out, &picture.boundary);
    kelvin_free(picture.change);
    return status;
}

const struct figure kelvin_phase_diagram_figure = {
    .member =
        KELVIN_PLAIN_MEMBER("phase-diagram", "where a gradient step on the Dirichlet posterior raises the true class"),
    .options = {{.name = "classes"}, {"grid", 0, 0, "columns; there are three quarters as many rows"}},
    .defaults = {.classes = 10, .grid = 800},
    .tables = {".csv", "-boundary.csv"},
    .script = phase_diagram_gp,
    .run = run,
};
