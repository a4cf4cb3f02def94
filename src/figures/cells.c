/* From the cells of figures to those of an experiment: what they leave open is as their scale has it. */
#include "figures/cells.h"

#include "base/words.h"
#include "density/types.h"
#include "figures/scales.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELL_NAME = 256 };

/* Where DirClip clips makes the difference of how long networks are fine-tuned. */
static size_t tuned_kind(const struct figure_cell *cell)
{
    const char *comma = strchr(cell->density, ',');
    return comma && strcmp(comma, ",-50") != 0;
}

/* The posteriors of which so many samples are drawn that their number can be studied: by every figure that has
 * ensembles of 8 of them, so that they are drawn once. Ensembles of all samples would not compare with those of other
 * posteriors.
 */
static bool is_large(const struct figure_cell *cell, size_t samples)
{
    enum { ENSEMBLE = 8 };
    if (cell->many || samples <= ENSEMBLE) return cell->many;
    const bool dirclip = strcmp(cell->density, "dirclip:0.85,-50") == 0;
    const bool cold = strcmp(cell->density, "categorical") == 0 && cell->temperature == 0.1;
    return cell->prior == 0 && !cell->tuned && (dirclip || cold);
}

bool kelvin_cells_share(const char *option)
{
    static const struct figure_option shared[] = {FIGURE_CELL_OPTIONS};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (strcmp(shared[i].name, option) == 0) return true;
    return false;
}

void kelvin_cells_usual(struct figure_options *options)
{
    const struct figure_setting *s = kelvin_figure_setting(options);
    options->data = s->data;
    options->model = s->model;
    options->epochs = s->epochs;
    options->samples = s->samples;
}

/* With a concentration of 1 the prior is flat: it is the categorical posterior, whatever is clipped. */
static bool is_flat(const char *density)
{
    static const char flat[] = "dirclip:1,";
    return strncmp(density, flat, sizeof flat - 1) == 0;
}

/* The rate of its scale; less for a steep prior. */
static double rate_of(const struct figure_cell *cell, size_t kind, const struct figure_setting *s)
{
    const bool categorical = strcmp(cell->density, "categorical") == 0;
    const double most = cell->tuned ? s->tuned_slope[kind] : s->slope;
    const double rate = cell->tuned ? s->tuned_lr[kind] : s->confident_lr;
    kelvin_density density;
    if (categorical && (!cell->tuned || most > 0)) return s->lr;
    if (most == 0 || kelvin_density_parse(&density, cell->density)) return rate;
    const double slope = density.type->has_critical_alpha ? fabs(density.param[0] - 1) : 0;
    return slope > most ? rate * most / slope : rate;
}

/* With every field filled in. Epochs that someone has set shorten or lengthen fine-tuning, too. */
static struct figure_cell complete(const struct figure_cell *cell, const struct figure_options *o)
{
    const struct figure_setting *s = kelvin_figure_setting(o);
    struct figure_cell c = *cell;
    const size_t kind = tuned_kind(cell);
    if (is_flat(c.density)) snprintf(c.density, sizeof c.density, "categorical");
    const size_t usual = c.tuned ? s->tuned_epochs[kind] : s->epochs;
    if (!c.epochs) c.epochs = (usual * o->epochs + s->epochs / 2) / s->epochs;
    if (c.epochs == 0) c.epochs = 1;
    if (!c.samples) c.samples = o->samples;
    if (is_large(cell, o->samples)) c.samples = (s->many * o->samples + s->samples - 1) / s->samples;
    if (c.lr == 0) c.lr = rate_of(&c, kind, s);
    if (c.prior == 0) c.prior = s->prior;
    return c;
}

static struct figure_cell start_of(const struct figure_cell *cell)
{
    return (struct figure_cell){.density = "categorical", .prior = cell->prior};
}

static void name_cell(char name[CELL_NAME], const struct figure_cell *complete)
{
    snprintf(name, CELL_NAME, "%s%s T=%.3g s=%.3g (T %.6g, prior %.6g, lr %.6g, %zu epochs, %zu samples)",
             complete->density, complete->tuned ? " tuned" : "", complete->temperature, complete->prior,
             complete->temperature, complete->prior, complete->lr, complete->epochs, complete->samples);
}

/* ---- lists ---- */

kelvin_status kelvin_cells_add(struct figure_cells *list, const struct figure_cell *cell)
{
    if (list->n == list->room) {
        const size_t room = list->room ? 2 * list->room : 32;
        struct figure_cell *grown = kelvin_alloc(room, sizeof *grown);
        if (!grown) return KELVIN_ENOMEM;
        if (list->n) memcpy(grown, list->cell, list->n * sizeof *grown);
        kelvin_free(list->cell);
        list->cell = grown;
        list->room = room;
    }
    list->cell[list->n++] = *cell;
    return KELVIN_OK;
}

void kelvin_cells_free(struct figure_cells *list)
{
    kelvin_free(list->cell);
    *list = (struct figure_cells){0};
}

const struct figure_cell kelvin_trained_cell = {.series = "cold", .density = "categorical", .temperature = 0};

kelvin_status kelvin_trained_cells(struct figure_cells *list, const struct figure_options *options)
{
    (void)options;
    return kelvin_cells_add(list, &kelvin_trained_cell);
}

/* ---- experiments ---- */

static kelvin_status set_number(kelvin_config *config, const char *field, double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.15g", x);
    return kelvin_config_set(config, field, text);
}

/* The data of the scale, all of them or the first ones: what suits others is not known. */
static bool is_of_scale(const char *data, const struct figure_setting *s)
{
    const size_t length = strcspn(s->data, ":");
    return strcspn(data, ":") == length && strncmp(data, s->data, length) == 0;
}

static kelvin_status configure(kelvin_config *config, const struct figure_cell *c, const struct figure_options *o)
{
    const struct figure_setting *s = kelvin_figure_setting(o);
    char prior[48], seed[32];
    snprintf(prior, sizeof prior, "normal:%.6g", c->prior);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)o->seed);
    KELVIN_TRY(kelvin_config_set(config, "preset", "paper"));
    KELVIN_TRY(kelvin_config_set(config, "data", o->data));
    KELVIN_TRY(kelvin_config_set(config, "model", o->model));
    KELVIN_TRY(kelvin_config_set(config, "augment", is_of_scale(o->data, s) ? s->augment : "none"));
    KELVIN_TRY(kelvin_config_set(config, "density", c->density));
    KELVIN_TRY(kelvin_config_set(config, "prior", prior));
    KELVIN_TRY(kelvin_config_set(config, "seed", seed));
    if (c->tuned) KELVIN_TRY(kelvin_config_set(config, "schedule", "constant"));
    KELVIN_TRY(set_number(config, "temperature", c->temperature));
    KELVIN_TRY(set_number(config, "lr", c->lr));
    KELVIN_TRY(set_number(config, "chains", (double)c->samples));
    return set_number(config, "epochs", (double)c->epochs);
}

static kelvin_status put(size_t *index, kelvin_experiment *e, const struct figure_cell *cell,
                         const struct figure_options *o)
{
    const struct figure_cell whole = complete(cell, o);
    char name[CELL_NAME];
    size_t from = KELVIN_NO_CELL;
    name_cell(name, &whole);
    if ((*index = kelvin_experiment_find(e, name)) != KELVIN_NO_CELL) return KELVIN_OK;
    if (cell->tuned) {
        const struct figure_cell start = start_of(cell);
        KELVIN_TRY(put(&from, e, &start, o));
    }
    kelvin_config *config;
    KELVIN_TRY(kelvin_config_create(&config));
    const kelvin_status status = configure(config, &whole, o);
    if (status) {
        kelvin_config_destroy(config);
        return status;
    }
    return kelvin_experiment_add(e, index, name, config, from);
}

kelvin_status kelvin_cells_put(kelvin_experiment *e, const struct figure_cells *list, const struct figure_options *o)
{
    size_t index;
    for (size_t i = 0; i < list->n; i++) KELVIN_TRY(put(&index, e, &list->cell[i], o));
    return KELVIN_OK;
}

kelvin_status kelvin_cell_open(kelvin_samples **samples, const struct figure_cell *cell, const struct figure_options *o)
{
    const struct figure_cell whole = complete(cell, o);
    char name[CELL_NAME];
    name_cell(name, &whole);
    *samples = NULL;
    const size_t index = o->experiment ? kelvin_experiment_find(o->experiment, name) : KELVIN_NO_CELL;
    const bool done = index != KELVIN_NO_CELL && kelvin_experiment_done(o->experiment, index);
    if (!done && o->ready) return KELVIN_OK;
    if (!done) return kelvin_fail(KELVIN_EUSAGE, "the posterior \"%s\" has not been sampled yet", name);
    KELVIN_TRY(kelvin_samples_find(samples, kelvin_experiment_folder(o->experiment, index)));
    if (kelvin_samples_count(*samples) > 0) return KELVIN_OK;
    kelvin_samples_close(*samples);
    *samples = NULL;
    return KELVIN_OK;
}
