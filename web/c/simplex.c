/* What the figures "dirichlet-gradients" and "phase-diagram" are made of, for a page that asks again and again.
 * Paper: section "Training stability". */
#include "web/c/simplex.h"

#include "density/types.h"
#include "figures/boundary.h"
#include "figures/simplex.h"

#include <math.h>

/* As the figure has them. */
static const double rate = 0.05;
enum { STEPS = 1000 };

kelvin_density *explorer_simplex_create(const char *text, enum explorer_panel panel)
{
    kelvin_density *density = NULL;
    if (kelvin_density_create(&density, panel == EXPLORER_LIKELIHOOD ? "categorical" : text)) return NULL;
    if (panel == EXPLORER_PRIOR) kelvin_density_prior_only(density);
    return density;
}

void explorer_simplex_destroy(kelvin_density *density)
{
    kelvin_density_destroy(density);
}

bool explorer_simplex_of_logits(const kelvin_density *density)
{
    return density->type->on_logits;
}

/* ---- the picture ---- */

void explorer_simplex_raster(const kelvin_density *density, float *out, size_t columns, size_t rows, double margin)
{
    const double mean = kelvin_simplex_log_mean(density), wide = 1.0 + 2.0 * margin,
                 high = SIMPLEX_HEIGHT + 2.0 * margin;
    for (size_t i = 0; i < rows * columns; i++) {
        const double across = ((double)(i % columns) + 0.5) / (double)columns,
                     up = ((double)(i / columns) + 0.5) / (double)rows;
        double p[SIMPLEX];
        kelvin_simplex_prediction(p, (struct place){wide * across - margin, high * up - margin});
        kelvin_simplex_confine(p, SIMPLEX_EDGE);
        out[i] = (float)(kelvin_simplex_log_density(density, p) - mean);
    }
}

double explorer_simplex_contrast(void)
{
    return log(26.0);
}

size_t explorer_simplex_field(const kelvin_density *density, double *out, size_t grid)
{
    size_t n = 0;
    for (size_t i = 0; i < grid * grid; i++) {
        double p[SIMPLEX], z[SIMPLEX];
        if (!kelvin_simplex_lattice(p, i % grid, i / grid, grid)) continue;
        kelvin_simplex_logits(z, p);
        const struct place at = kelvin_simplex_place(p), move = kelvin_simplex_move(density, z);
        const double arrow[] = {at.x, at.y, move.x, move.y};
        for (size_t j = 0; j < 4; j++) out[4 * n + j] = arrow[j];
        n++;
    }
    return n;
}

/* ---- particles ---- */

void explorer_simplex_scatter(double *z, size_t seed, size_t first, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double p[SIMPLEX];
        kelvin_simplex_uniform(p, seed, first + i);
        kelvin_simplex_logits(z + SIMPLEX * i, p);
    }
}

void explorer_simplex_logits(double *z, const double *places, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double p[SIMPLEX];
        kelvin_simplex_prediction(p, (struct place){places[2 * i], places[2 * i + 1]});
        kelvin_simplex_confine(p, SIMPLEX_EDGE);
        kelvin_simplex_logits(z + SIMPLEX * i, p);
    }
}

void explorer_simplex_places(double *places, const double *z, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double p[SIMPLEX];
        kelvin_simplex_probabilities(p, z + SIMPLEX * i);
        const struct place at = kelvin_simplex_place(p);
        places[2 * i] = at.x;
        places[2 * i + 1] = at.y;
    }
}

double explorer_simplex_rate(void)
{
    return rate;
}

size_t explorer_simplex_steps(void)
{
    return STEPS;
}

void explorer_simplex_climb(const kelvin_density *density, double *z, size_t n, size_t steps)
{
    const struct ascent ascent = {density, rate, STEPS};
    for (size_t i = 0; i < n; i++)
        for (size_t step = 0; step < steps; step++) kelvin_ascent_step(&ascent, z + SIMPLEX * i);
}

bool explorer_simplex_is_wrong(const double *z)
{
    return kelvin_ascent_is_wrong(z);
}

size_t explorer_simplex_ended_wrong(const kelvin_density *density, size_t seed, size_t first, size_t n)
{
    const struct ascent ascent = {density, rate, STEPS};
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        double p[SIMPLEX];
        kelvin_simplex_uniform(p, seed, first + i);
        wrong += kelvin_ascent_ends_wrong(&ascent, p);
    }
    return wrong;
}

double explorer_simplex_mass(const kelvin_density *density)
{
    return explorer_simplex_of_logits(density) ? NAN : kelvin_mass_below_half_to(density, 1e-5);
}

double explorer_simplex_exponent(const kelvin_density *density)
{
    return kelvin_mass_exponent(density);
}

/* ---- the phase diagram ---- */

size_t explorer_phase_most_classes(void)
{
    return FIGURE_CLASSES;
}

double explorer_phase_critical(size_t classes)
{
    struct boundary b;
    double critical = NAN;
    if (!kelvin_boundary_make(&b, classes)) (void)kelvin_density_misleads(&b.density, &critical, classes);
    return critical;
}

bool explorer_phase_misleads(const kelvin_density *density, size_t classes)
{
    double critical;
    return kelvin_density_misleads(density, &critical, classes);
}

double explorer_phase_change(size_t classes, double alpha, double rest)
{
    struct boundary b;
    return kelvin_boundary_make(&b, classes) ? NAN : kelvin_boundary_change(&b, alpha, rest);
}

bool explorer_phase_raster(float *out, size_t classes, size_t columns, size_t rows)
{
    struct boundary b;
    if (kelvin_boundary_make(&b, classes)) return false;
    for (size_t i = 0; i < rows * columns; i++) {
        const double alpha = ((double)(i / columns) + 0.5) / (double)rows,
                     rest = ((double)(columns - 1 - i % columns) + 0.5) / (double)columns;
        out[i] = (float)kelvin_boundary_change(&b, alpha, rest);
    }
    return true;
}

/* Evenly from where it leaves alpha = 0 to all but certainty. */
size_t explorer_phase_boundary(double *out, size_t classes, size_t most)
{
    static const double nearly_certain = 1e-7;
    struct boundary b;
    double start, alpha;
    if (kelvin_boundary_make(&b, classes) || !kelvin_boundary_start(&b, &start)) return 0;
    size_t n = 0;
    for (size_t i = 0; i < most; i++) {
        const double share = (double)i / (double)(most - 1), rest = start * (1.0 - share) + nearly_certain * share;
        if (i == 0)
            alpha = 0.0; /* by definition; bisection needs a change of sign above it */
        else if (!kelvin_boundary_alpha(&b, &alpha, 0.0, 1.0, rest))
            continue;
        out[2 * n] = 1.0 - rest;
        out[2 * n + 1] = alpha;
        n++;
    }
    return n;
}
