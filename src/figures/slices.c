/* Which log-densities the paper's figure "Slices of various prior, likelihood, and posterior distributions" shows, by
 * what they are moved up or down in it, and where they have maxima. */
#include "figures/slices.h"

#include "figures/calculus.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const kelvin_slice_panels[] = {"prior", "likelihood", "posterior"};

/* One curve each. The paper moved most by hand; what it chose is kept as a rule for other numbers: the largest value on
 * the axis is put at `level`. A curve `of` another one moves with it. */
static const struct row {
    enum slice_panel panel;
    const char *name;
    const char *density;
    enum slice_number param[SLICE_MOST_NUMBERS];
    enum slice_number divisor; /* the temperature of a cold likelihood */
    bool moved;
    double level;
    size_t of; /* 1 + index of the curve whose shift it has */
} rows[SLICES] = {
    {SLICE_PRIOR, "Dirichlet", "dirichlet", {SLICE_ALPHA}, .moved = true, .level = 8.5},
    {SLICE_PRIOR, "DirClip", "dirclip", {SLICE_ALPHA, SLICE_CLIP}, .of = 1 + 0},
    {SLICE_PRIOR, "NDG", "ndg-prior", {SLICE_ALPHA}, .moved = true, .level = -3},
    {SLICE_PRIOR, "confidence", "confidence", {SLICE_T_PRIOR}, .moved = true, .level = -5},
    {SLICE_LIKELIHOOD, "categ. like.", "categorical", .moved = false},
    {SLICE_LIKELIHOOD, "cold like.", "categorical", .divisor = SLICE_T_LIKELIHOOD},
    {SLICE_LIKELIHOOD, "NDG like.", "ndg-likelihood", {SLICE_ALPHA}, .moved = false},
    {SLICE_POSTERIOR, "categ. like.", "categorical", .moved = false},
    {SLICE_POSTERIOR, "conf. + categ.", "confidence", {SLICE_T_PRIOR}, .moved = false},
    {SLICE_POSTERIOR, "cold like.", "categorical", .divisor = SLICE_T_PRIOR},
    {SLICE_POSTERIOR, "NDG + categ.", "ndg-prior", {SLICE_ALPHA}, .moved = true, .level = -5},
    {SLICE_POSTERIOR, "NDG + NDG", "ndg-logprobs", {SLICE_ALPHA}, .moved = true, .level = -5},
    {SLICE_POSTERIOR, "Dir. + categ.", "dirichlet", {SLICE_ALPHA}, .moved = true, .level = -9.5},
};

/* Points at which maxima are looked for, whatever the number of points drawn: p changes by at most 1.2 % of itself or
 * of 1 - p from one to the next. */
enum { SEARCHED = 4001 };

double kelvin_slice_logit(size_t i, size_t n)
{
    const double end = log1p(-1e-10) - log(1e-10), last = (double)(n - 1);
    return end * ((2 * (double)i - last) / last); /* symmetric to the last bit */
}

double kelvin_slice_axis(double t)
{
    return copysign(log1p(exp(fabs(t))) - log(2), t);
}

double kelvin_slice_probability(double t)
{
    return 1 / (1 + exp(-t));
}

double kelvin_slice_value(const struct slice *slice, double t)
{
    return kelvin_tempered_eval(&slice->tempered, NULL, (double[]){t, 0});
}

/* The slope is the derivative in t. */
static double value_and_slope(double *slope, const struct slice *slice, double t)
{
    return kelvin_tempered_eval(&slice->tempered, slope, (double[]){t, 0});
}

static double slice_slope(const struct slice *slice, double t)
{
    double slope;
    (void)value_and_slope(&slope, slice, t);
    return slope;
}

static bool rises(double t, const void *slice)
{
    return slice_slope(slice, t) > 0;
}

/* By how much the curve falls from its maximum at t before it rises again or ends, going left (way -1) or right (1)
 * from the i-th point searched. */
static double fall(const struct slice *slice, double t, size_t i, int way)
{
    const size_t end = way < 0 ? 0 : SEARCHED - 1;
    while (i != end && way * slice_slope(slice, kelvin_slice_logit(i, SEARCHED)) <= 0) i += (size_t)way;
    return kelvin_slice_value(slice, t) - kelvin_slice_value(slice, kelvin_slice_logit(i, SEARCHED));
}

/* A maximum is where a rise is followed by a fall, with at most one point between them that has no slope at all: more
 * would be a plateau. So is what falls by less than 1 % of the density on one side, such as DirClip's clipped part,
 * which the probability of the other class keeps from being flat. */
void kelvin_slice_survey(struct slice *slice)
{
    size_t rise = SEARCHED; /* the last point with a slope, if it was a rise */
    slice->n_maxima = 0;
    slice->largest = -INFINITY;
    for (size_t i = 0; i < SEARCHED; i++) {
        double slope;
        const double value = value_and_slope(&slope, slice, kelvin_slice_logit(i, SEARCHED));
        slice->largest = fmax(slice->largest, value);
        if (slope < 0 && rise < i && i - rise <= 2 && slice->n_maxima < SLICE_MOST_MAXIMA) {
            const double t =
                kelvin_bisect(rises, slice, kelvin_slice_logit(rise, SEARCHED), kelvin_slice_logit(i, SEARCHED));
            if (fall(slice, t, rise, -1) > 0.01 && fall(slice, t, i, 1) > 0.01) slice->maximum[slice->n_maxima++] = t;
        }
        if (slope != 0) rise = slope > 0 ? i : SEARCHED;
    }
    for (size_t i = 0; i < slice->n_maxima; i++)
        slice->largest = fmax(slice->largest, kelvin_slice_value(slice, slice->maximum[i]));
}

static kelvin_status make(struct slice *slice, const struct row *row, const double number[SLICE_NUMBERS])
{
    char text[128];
    int used = snprintf(text, sizeof text, "%s", row->density);
    for (size_t i = 0; i < SLICE_MOST_NUMBERS && row->param[i]; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%c%.17g", i ? ',' : ':', number[row->param[i]]);
    *slice = (struct slice){.panel = row->panel, .name = row->name};
    KELVIN_TRY(kelvin_density_parse(&slice->tempered.density, text));
    memcpy(slice->number, row->param, sizeof row->param);
    if (row->divisor) slice->number[0] = row->divisor;
    if (row->panel == SLICE_PRIOR) slice->tempered.density.likelihood = false;
    slice->tempered.power = row->divisor ? 1 / number[row->divisor] : 1;
    kelvin_slice_survey(slice);
    slice->shift = row->moved ? row->level - slice->largest : 0;
    return KELVIN_OK;
}

kelvin_status kelvin_slices_make(struct slice slices[SLICES], const struct slice_numbers *numbers)
{
    const double number[SLICE_NUMBERS] = {[SLICE_ALPHA] = numbers->alpha,
                                          [SLICE_CLIP] = numbers->clip,
                                          [SLICE_T_PRIOR] = numbers->T[0],
                                          [SLICE_T_LIKELIHOOD] = numbers->T[1]};
    for (size_t i = 0; i < SLICES; i++) KELVIN_TRY(make(&slices[i], &rows[i], number));
    for (size_t i = 0; i < SLICES; i++)
        if (rows[i].of) slices[i].shift = slices[rows[i].of - 1].shift;
    return KELVIN_OK;
}
