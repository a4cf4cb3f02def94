/* The plan for pictures. Work is counted in floating-point operations of gradients, so that a plan is the same on every
 * machine: a core does some 4e10 to 15e10 of them in a second.
 *
 *     tiny pictures               as rows of a table: there is nothing for a convolution to find
 *     grey ones, or few           convolutions that halve the picture until a few pixels are left. On MNIST
 *                                 cnn:8,16,32,kernel=3,stride=2 learns as much as networks of four times its work, and
 *                                 in the same time can be sampled longer and more often
 *     many in colour              residual networks, with flips and crops: photographs are worth hours
 *
 * Where short runs are cheap, prior and learning rate are searched for and the run takes samples on its way (`steady`).
 * Where they are not, chains are trained and cooled by the paper's schedule, one sample each: its rate ends at 0, so a
 * learning rate that would be too hot to sample at is right for the long way down. The prior is then fan-in:1.4, as
 * wide as weights are at the start: where rows are many it matters less, and what it has to say of a direction that
 * they do not matter for is true from the first step on. */
#include "run/choose.h"

#include "nn/nn.h"

#include <math.h>
#include <stdio.h>

enum { BATCH = 125, COLOURS = 3 };

static const double minutes = 1.5e13;     /* operations of a run that is to be seen soon: two or three on two cores */
static const double per_picture = 1.2e11; /* of residual networks: five hours for 50,000 of them */

static double between(double x, double least, double most)
{
    return x < least ? least : x > most ? most : x;
}

/* ---- networks ---- */

/* The side is divided by the stride until at most 5 pixels are left, at least so many times, with twice the channels
 * each time: 28 pixels become 14, 7, 4 in 8, 16, 32 channels. Of tiny pictures more channels are cheap; of large ones
 * the first layers are most of the work, and quarters do. */
static const struct shrinking {
    size_t most_side, channels, kernel, stride, layers;
} shrinking[] = {{16, 16, 3, 2, 2}, {64, 8, 3, 2, 2}, {SIZE_MAX, 8, 5, 4, 3}};

static void shrinking_network(char model[KELVIN_PLAN_TEXT], const kelvin_data *data)
{
    enum { LEFT = 5, MOST = 64 };
    size_t side = data->height > data->width ? data->height : data->width, used = 0;
    const struct shrinking *s = shrinking;
    while (side > s->most_side) s++;
    for (size_t layer = 0, channels = s->channels; layer < s->layers || side > LEFT; layer++) {
        used += (size_t)snprintf(model + used, KELVIN_PLAN_TEXT - used, "%s%zu", layer ? "," : "cnn:", channels);
        side = (side + s->stride - 1) / s->stride;
        channels = 2 * channels < MOST ? 2 * channels : MOST;
    }
    snprintf(model + used, KELVIN_PLAN_TEXT - used, ",kernel=%zu,stride=%zu", s->kernel, s->stride);
}

/* Operations of an epoch: forward, to the activations and to the weights. */
static kelvin_status work_of(double *work, const char *spec, const kelvin_data *data)
{
    kelvin_model *model;
    KELVIN_TRY(kelvin_model_create(&model, spec, kelvin_data_shape(data), data->classes));
    *work = 0;
    for (size_t l = 1; l <= model->n_layers; l++) *work += 3 * kelvin_layer_flops(&model->layer[l]);
    *work *= (double)data->train.n;
    kelvin_model_destroy(model);
    return KELVIN_OK;
}

/* ---- epochs ---- */

static double steps_of(const struct kelvin_plan *plan, const kelvin_data *data)
{
    return floor((double)data->train.n / plan->batch);
}

/* Chains that are trained and cooled, one sample each: sixteen or, where that is too much, ten, which still have error
 * bars of ensembles of eight. Fewer epochs or steps than these leave a network half trained, whatever they cost. */
static void plan_long(struct kelvin_plan *plan, const kelvin_data *data, double work, double affordable)
{
    const double least_epochs = 12, least_steps = 3000, most = 200;
    const double least = fmax(least_epochs, ceil(least_steps / steps_of(plan, data)));
    const bool many = 16 * least * work <= fmin(affordable, minutes);
    plan->chains = many ? 8 : 5; /* and as many again, where each has one sample */
    plan->epochs = (uint32_t)fmax(least, fmin(affordable / (2 * plan->chains * work), most));
    plan->most_epochs = plan->epochs;
}

static void plan_residual(struct kelvin_plan *plan, const kelvin_data *data, double work)
{
    plan->augment = "paper";
    plan_long(plan, data, work, per_picture * (double)data->train.n);
}

/* Prior and learning rate by short runs, if these are cheap; long enough that a network has learned what it can. */
static void plan_search(struct kelvin_plan *plan, const kelvin_data *data, double work)
{
    const double steps = 1000, confident = 1 - 1 / (double)data->classes;
    const struct kelvin_candidate all[] = {{1, 2, 0}, {1, 4, 0},         {1, 8, 0},
                                           {1, 1, 0}, {confident, 2, 0}, {confident, 4, 0}};
    const size_t n = sizeof all / sizeof *all, folds = data->train.n < 1000 ? 2 : 1;
    const double trial = between(ceil(steps / steps_of(plan, data)), 10, 300);
    const double trials = 2 * (double)(folds * n + 6); /* of two chains; some for learning rates, some longer */
    if (data->train.n < 8 || trials * trial * work > minutes / 2) return;
    plan->candidates = n;
    for (size_t i = 0; i < n; i++) plan->candidate[i] = all[i];
    plan->folds = folds;
    plan->schedule = "steady";
    plan->lr = 0.02;
    plan->chains = 4;
    plan->draws = 16;
    plan->trial = (uint32_t)trial;
    plan->epochs = (uint32_t)(5 * trial);
    plan->most_epochs = (uint32_t)fmax(plan->epochs, fmin(20 * trial, minutes / (plan->chains * work)));
}

static void plan_shrinking(struct kelvin_plan *plan, const kelvin_data *data, double work)
{
    plan_long(plan, data, work, minutes);
    plan_search(plan, data, work);
}

/* ---- in words ---- */

static void explain(struct kelvin_plan *plan, const kelvin_data *data)
{
    snprintf(plan->why, sizeof plan->why, "for %zu %s pictures of %zu x %zu%s", data->train.n,
             data->channels == COLOURS ? "colour" : "grey", data->width, data->height,
             strcmp(plan->augment, "none") == 0 ? "" : ", flipped and shifted at random");
}

/* Files can be made smaller as they are read: where that would save a lot, it is said. */
static kelvin_status explain_size(struct kelvin_plan *plan, const kelvin_data *data, double work)
{
    enum { SIDE = 32, FAR = 4 };
    kelvin_data small = *data;
    struct kelvin_plan other;
    double less;
    if (strncmp(data->name, "images:", 7) != 0) return KELVIN_OK;
    small.height = small.width = SIDE;
    shrinking_network(other.model, &small);
    KELVIN_TRY(work_of(&less, other.model, &small));
    const size_t used = strlen(plan->why);
    if (work >= FAR * less)
        snprintf(plan->why + used, sizeof plan->why - used, " (with size=%d: 1/%.0f of the work)", SIDE, work / less);
    return KELVIN_OK;
}

/* ---- the plan ---- */

/* The first one that has enough pictures to learn from, and can be sampled at all for what they are worth. */
static const struct residual {
    const char *model;
    size_t least_rows;
} residual[] = {{"resnet20", 20000}, {"resnet8", 10000}};

static kelvin_status try_residual(struct kelvin_plan *plan, const kelvin_data *data, bool *taken)
{
    enum { RESIDUAL = sizeof residual / sizeof *residual };
    const double least = 300; /* ten chains of thirty epochs */
    *taken = false;
    if (data->channels != COLOURS) return KELVIN_OK;
    for (const struct residual *r = residual; r < residual + RESIDUAL && !*taken; r++) {
        double work;
        KELVIN_TRY(work_of(&work, r->model, data));
        *taken = data->train.n >= r->least_rows && least * work <= per_picture * (double)data->train.n;
        if (!*taken) continue;
        snprintf(plan->model, sizeof plan->model, "%s", r->model);
        plan_residual(plan, data, work);
    }
    return KELVIN_OK;
}

/* Everything that does not depend on the network. */
static struct kelvin_plan plain_plan(const kelvin_data *data)
{
    return (struct kelvin_plan){.schedule = "paper",
                                .augment = "none",
                                .batch = data->train.n < BATCH ? (uint32_t)data->train.n : BATCH,
                                .draws = 1,
                                .trial = 1,
                                .lr = 5e-3,
                                .candidates = 1,
                                .candidate = {{1, 1.4, 0}}};
}

kelvin_status kelvin_plan_pictures(struct kelvin_plan *plan, const kelvin_data *data, bool batches)
{
    const size_t tiny = 6;
    bool taken = data->height < tiny || data->width < tiny;
    double work;
    if (taken)
        kelvin_plan_table(plan, data, batches);
    else
        *plan = plain_plan(data);
    if (!taken) KELVIN_TRY(try_residual(plan, data, &taken));
    if (taken) {
        explain(plan, data);
        return KELVIN_OK;
    }
    shrinking_network(plan->model, data);
    KELVIN_TRY(work_of(&work, plan->model, data));
    plan_shrinking(plan, data, work);
    explain(plan, data);
    return explain_size(plan, data, work);
}
