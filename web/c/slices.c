/* Curves over the probability of the true class: those of the paper's figure, or those of any density, with the
 * library's values, maxima and rule of moving them. */
#include "web/c/slices.h"

#include "density/types.h"

#include <math.h>

struct explorer_slices {
    struct slice slice[SLICES];
    size_t n;
    char text[96]; /* of the density that was last asked for */
};

/* As many points as are looked at when a curve is checked. */
enum { CHECKED = 401 };

struct explorer_slices *explorer_slices_create(void)
{
    struct explorer_slices *slices = kelvin_alloc(1, sizeof *slices);
    if (slices) slices->n = 0;
    return slices;
}

void explorer_slices_destroy(struct explorer_slices *slices)
{
    kelvin_free(slices);
}

static kelvin_status check_temperature(double T)
{
    if (T > 0 && isfinite(T)) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "a temperature of %g; expected a number above 0", T);
}

/* Numbers in their ranges can still be too large or too small for any curve. */
static kelvin_status check_values(const struct slice *slice)
{
    char text[96];
    if (!isfinite(slice->tempered.power) || !isfinite(slice->shift))
        return kelvin_fail(KELVIN_EUSAGE, "a temperature too close to 0: 1/T is more than a number can be");
    for (size_t i = 0; i < CHECKED; i++) {
        const double t = kelvin_slice_logit(i, CHECKED);
        if (isfinite(kelvin_slice_value(slice, t))) continue;
        kelvin_density_format(text, sizeof text, &slice->tempered.density);
        return kelvin_fail(KELVIN_EUSAGE, "%s has no finite value at p = %.3g; expected less extreme numbers", text,
                           kelvin_slice_probability(t));
    }
    return KELVIN_OK;
}

static kelvin_status make_paper(struct explorer_slices *slices, const struct slice_numbers *numbers)
{
    for (size_t i = 0; i < 2; i++) KELVIN_TRY(check_temperature(numbers->T[i]));
    KELVIN_TRY(kelvin_slices_make(slices->slice, numbers));
    for (size_t i = 0; i < SLICES; i++) KELVIN_TRY(check_values(&slices->slice[i]));
    slices->n = SLICES;
    return KELVIN_OK;
}

bool explorer_slices_paper(struct explorer_slices *slices, double alpha, double clip, double T_prior,
                           double T_likelihood)
{
    const struct slice_numbers numbers = {alpha, clip, {T_prior, T_likelihood}};
    slices->n = 0;
    return make_paper(slices, &numbers) == KELVIN_OK;
}

/* One more curve, its largest value at 0. */
static kelvin_status add(struct explorer_slices *slices, enum slice_panel panel, const struct tempered *tempered)
{
    struct slice *slice = &slices->slice[slices->n];
    *slice = (struct slice){.panel = panel, .tempered = *tempered};
    if (panel == SLICE_PRIOR) kelvin_density_prior_only(&slice->tempered.density);
    KELVIN_TRY(check_values(slice));
    kelvin_slice_survey(slice);
    slice->shift = -slice->largest;
    slices->n++;
    return KELVIN_OK;
}

static kelvin_status make_two(struct explorer_slices *slices, const struct tempered *tempered)
{
    const bool sees_label = kelvin_density_sees_label(&tempered->density);
    KELVIN_TRY(add(slices, sees_label ? SLICE_LIKELIHOOD : SLICE_PRIOR, tempered));
    return add(slices, SLICE_POSTERIOR, tempered);
}

static kelvin_status make_density(struct explorer_slices *slices, const char *density)
{
    struct tempered tempered = {.power = 1};
    KELVIN_TRY(kelvin_density_parse(&tempered.density, density));
    return make_two(slices, &tempered);
}

static kelvin_status make_cold(struct explorer_slices *slices, double T)
{
    struct tempered tempered;
    KELVIN_TRY(check_temperature(T));
    KELVIN_TRY(kelvin_tempered_cold(&tempered, T));
    return make_two(slices, &tempered);
}

static bool all_or_none(struct explorer_slices *slices, kelvin_status status)
{
    if (status) slices->n = 0;
    return status == KELVIN_OK;
}

bool explorer_slices_density(struct explorer_slices *slices, const char *density)
{
    slices->n = 0;
    return all_or_none(slices, make_density(slices, density));
}

bool explorer_slices_cold(struct explorer_slices *slices, double T)
{
    slices->n = 0;
    return all_or_none(slices, make_cold(slices, T));
}

/* ---- what they are ---- */

size_t explorer_slices_count(const struct explorer_slices *slices)
{
    return slices->n;
}

enum slice_panel explorer_slice_panel(const struct explorer_slices *slices, size_t i)
{
    return slices->slice[i].panel;
}

const char *explorer_slice_name(const struct explorer_slices *slices, size_t i)
{
    return slices->slice[i].name;
}

size_t explorer_slice_member(const struct explorer_slices *slices, size_t i)
{
    const kelvin_member *member = &slices->slice[i].tempered.density.type->member;
    size_t index = 0;
    while (kelvin_density_family.at(index) != member) index++;
    return index;
}

const char *explorer_slice_density(struct explorer_slices *slices, size_t i)
{
    kelvin_density_format(slices->text, sizeof slices->text, &slices->slice[i].tempered.density);
    return slices->text;
}

bool explorer_slice_has_likelihood(const struct explorer_slices *slices, size_t i)
{
    return slices->slice[i].tempered.density.likelihood;
}

double explorer_slice_power(const struct explorer_slices *slices, size_t i)
{
    return slices->slice[i].tempered.power;
}

double explorer_slice_shift(const struct explorer_slices *slices, size_t i)
{
    return slices->slice[i].shift;
}

size_t explorer_slice_maxima(const struct explorer_slices *slices, size_t i)
{
    return slices->slice[i].n_maxima;
}

const double *explorer_slice_maximum(const struct explorer_slices *slices, size_t i)
{
    return slices->slice[i].maximum;
}

enum slice_number explorer_slice_number(const struct explorer_slices *slices, size_t i, size_t j)
{
    return j < SLICE_MOST_NUMBERS ? slices->slice[i].number[j] : SLICE_NONE;
}

double explorer_slice_value(const struct explorer_slices *slices, size_t i, double t)
{
    return kelvin_slice_value(&slices->slice[i], t);
}

void explorer_slice_values(const struct explorer_slices *slices, size_t i, double *value, size_t n)
{
    for (size_t k = 0; k < n; k++) value[k] = kelvin_slice_value(&slices->slice[i], kelvin_slice_logit(k, n));
}

/* ---- names, the paper's numbers, the axis ---- */

const char *explorer_slices_panel(size_t panel)
{
    return panel <= SLICE_POSTERIOR ? kelvin_slice_panels[panel] : NULL;
}

double explorer_slices_paper_number(enum slice_number which)
{
    struct temperatures list;
    if (which == SLICE_ALPHA) return SLICE_PAPER_ALPHA;
    if (which == SLICE_CLIP) return SLICE_PAPER_CLIP;
    if (kelvin_temperatures_parse_n(&list, SLICE_PAPER_TEMPERATURES, 2, "the paper's")) return NAN;
    return list.T[which == SLICE_T_LIKELIHOOD];
}

double explorer_slice_logit(size_t i, size_t n)
{
    return kelvin_slice_logit(i, n);
}

double explorer_slice_axis(double t)
{
    return kelvin_slice_axis(t);
}

double explorer_slice_probability(double t)
{
    return kelvin_slice_probability(t);
}

double explorer_slice_logit_of(double p)
{
    double z[2];
    kelvin_tempered_logits(z, p);
    return z[0] - z[1];
}
