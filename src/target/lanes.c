/* The posterior of all data at several places at once, for chains that advance together: lanes are chains.
 *
 * Small networks alone, of dense layers. For each of their blocks of observations the network goes forward, the density
 * turns logits into a gradient, the network goes backward, as in posterior.c, by kernels that give each chain the bits
 * that it would get there: whether chains advance together or one by one changes nothing in what they draw. To a
 * density and a prior a lane is an observation, or a parameter, like any other. */
#include "density/block.h"
#include "kernels/kernels.h"
#include "target/shards.h"
#include "target/target.h"

#include <string.h>

struct kelvin_posteriors {
    const struct kelvin_kernels *kernels;
    const kelvin_model *model;
    kelvin_density density;
    kelvin_prior prior;
    bool has_prior;
    const struct chains_method *method;
    size_t lanes; /* chains: 8 or 4 */

    /* All observations, block after block, for all lanes: (inputs, row), (row) and (row) of each. */
    size_t n;
    float *x;
    int32_t *label; /* -1 where there is no observation */
    float *weight;  /* NULL: they are all 1 */

    struct dense *layer; /* (layers) */
    float **act;         /* (layers + 1): of one block */
    float **slope;       /* (layers + 1): two that take turns */
    float *pull;         /* (layers, 2): of weights and biases, where the prior is so simple; otherwise NULL */
    float *grad;         /* (n_params, lanes), before it pulls */
    float *partial;      /* (n_params, lanes): of one shard; NULL where that is all */
    float *z, *dz, *scratch;
    kelvin_arena *arena;
};

/* ---- a block ---- */

struct block {
    size_t first, n;
    struct panel_shape shape;
    size_t row; /* floats of a unit */
    size_t at;  /* where its lanes begin: blocks before it are whole */
};

static struct block block_at(const kelvin_posteriors *p, size_t first)
{
    struct block b = {
        .first = first, .n = p->n - first < KELVIN_BLOCK ? p->n - first : KELVIN_BLOCK, .at = first * p->lanes};
    b.shape = kelvin_panel_shape(b.n);
    b.row = p->lanes * (8 * b.shape.wide + (b.shape.rest ? 2 : 0));
    return b;
}

static void copy_rows(float *to, size_t to_row, const float *from, size_t from_row, size_t K, size_t some)
{
    for (size_t k = 0; k < K; k++) memcpy(to + k * to_row, from + k * from_row, some * sizeof *to);
}

/* From logits to slopes. A density takes lanes by the block: if they are not that many, others stand beside them. */
static void differentiate(kelvin_posteriors *p, const struct block *b)
{
    const size_t K = p->model->classes, L = p->model->n_layers, row = b->row;
    const size_t lanes = (row + KELVIN_BLOCK - 1) / KELVIN_BLOCK * KELVIN_BLOCK;
    const bool whole = lanes == row;
    const float *z = whole ? p->act[L] : p->z;
    float *dz = whole ? p->slope[L] : p->dz;
    if (!whole) copy_rows(p->z, lanes, p->act[L], row, K, row);
    kelvin_density_blocks(p->kernels, &p->density, dz, z, p->label + b->at, p->weight ? p->weight + b->at : NULL, K,
                          b->n * p->lanes, lanes, p->scratch);
    if (!whole) copy_rows(p->slope[L], row, p->dz, lanes, K, row);
}

static void run_block(kelvin_posteriors *p, size_t first, float *grad, const float *theta, bool add,
                      const struct chains_push *push)
{
    const struct block b = block_at(p, first);
    const size_t L = p->model->n_layers;
    p->act[0] = p->x + b.at * p->model->inputs;
    p->method->forward(p->layer, L, b.shape, p->act, theta);
    differentiate(p, &b);
    p->method->backward(p->layer, L, b.shape, p->slope, p->act, grad, theta, add, push);
}

/* ---- all of it ---- */

static void run_shard(kelvin_posteriors *p, size_t begin, size_t end, float *grad, const float *theta)
{
    for (size_t first = begin; first < end; first += KELVIN_BLOCK)
        run_block(p, first, grad, theta, first > begin, NULL);
}

static void add_prior(const kelvin_posteriors *p, float *grad, const float *theta)
{
    const kelvin_model *model = p->model;
    if (kelvin_prior_is_everywhere(&p->prior)) {
        kelvin_prior_add(p->kernels, &p->prior, NULL, grad, theta, model->n_params * p->lanes);
        return;
    }
    for (size_t i = 0; i < model->n_tensors; i++) {
        const size_t from = model->tensor[i].offset * p->lanes;
        const kelvin_prior of = kelvin_prior_of_tensor(&p->prior, model, i);
        kelvin_prior_add(p->kernels, &of, NULL, grad + from, theta + from,
                         kelvin_tensor_size(&model->tensor[i]) * p->lanes);
    }
}

/* Without the prior. */
static void run_data(kelvin_posteriors *p, float *grad, const float *theta)
{
    const size_t shards = shard_count(p->model, p->n), floats = p->model->n_params * p->lanes;
    if (shards == 1) {
        run_shard(p, 0, p->n, grad, theta);
    } else {
        memset(grad, 0, floats * sizeof *grad);
        for (size_t shard = 0; shard < shards; shard++) {
            run_shard(p, shard_begin(p->model, p->n, shards, shard), shard_begin(p->model, p->n, shards, shard + 1),
                      p->partial, theta);
            p->kernels->axpy(grad, 1.0f, p->partial, floats);
        }
    }
}

static void gradient(void *context, float *grad, const float *theta)
{
    kelvin_posteriors *p = context;
    run_data(p, grad, theta);
    if (p->has_prior) add_prior(p, grad, theta);
}

/* With a prior that pulls each tensor with a constant of its own: one pass over parameters less, and none where
 * there is one block. */
static void push(void *context, float *theta, float *momentum, const float *kick, const float *drift)
{
    kelvin_posteriors *p = context;
    const struct chains_push all = {theta, momentum, p->pull, kick, drift};
    if (p->n <= KELVIN_BLOCK) {
        run_block(p, 0, p->grad, theta, false, &all);
        return;
    }
    run_data(p, p->grad, theta);
    for (size_t i = 0; i < p->model->n_tensors; i++) {
        const size_t from = p->model->tensor[i].offset * p->lanes;
        p->kernels->lanes_push(theta + from, momentum + from, p->grad + from, p->pull[i], kick, drift,
                               kelvin_tensor_size(&p->model->tensor[i]) * p->lanes);
    }
}

kelvin_lanes kelvin_posteriors_lanes(kelvin_posteriors *p)
{
    return (kelvin_lanes){.n = p->model->n_params,
                          .lanes = p->lanes,
                          .gradient = gradient,
                          .push = p->pull ? push : NULL,
                          .context = p};
}

/* ---- whether ---- */

/* Layers one after the other, and so small that what eight chains have of them stays in the caches. */
static bool model_suits(const kelvin_model *model)
{
    enum { WIDEST = 64 };
    for (size_t l = 1; l <= model->n_layers; l++) {
        const kelvin_layer *layer = &model->layer[l];
        const bool plain = layer->kind == KELVIN_LAYER_DENSE && layer->in == l - 1 && layer->add == 0 && !layer->frn;
        if (!plain || kelvin_shape_size(layer->to) > WIDEST || kelvin_shape_size(layer->from) > WIDEST) return false;
    }
    return true;
}

/* One that looks at single parameters. */
static bool prior_suits(const kelvin_prior *prior, const kelvin_model *model)
{
    for (size_t i = 0; prior && i < model->n_tensors; i++)
        if (kelvin_prior_of_tensor(prior, model, i).columns > 0) return false;
    return true;
}

/* Eight lanes if they are half a vector; otherwise what four chains have fits into L1 better. Of five chains one goes
 * alone. */
size_t kelvin_posteriors_fit(const kelvin_model *model, const kelvin_prior *prior, size_t n, size_t chains)
{
    enum { MOST_INPUTS = 4096 }; /* eight chains' copies of them stay in L2 */
    if (chains < KELVIN_FEWEST_LANES || n * model->inputs > MOST_INPUTS) return 0;
    if (!model_suits(model) || !prior_suits(prior, model)) return 0;
    return chains > 5 && model->kernels->chains_8->halved ? 8 : 4;
}

/* ---- memory ---- */

static float *floats_of(kelvin_posteriors *p, size_t n)
{
    return kelvin_arena_alloc(p->arena, n, sizeof(float));
}

static kelvin_status make_layers(kelvin_posteriors *p)
{
    const kelvin_model *model = p->model;
    const size_t L = model->n_layers, lanes = p->lanes * KELVIN_BLOCK; /* of a unit, at most */
    size_t widest = model->classes;
    p->layer = kelvin_arena_alloc(p->arena, L, sizeof *p->layer);
    p->act = kelvin_arena_alloc(p->arena, L + 1, sizeof *p->act);
    p->slope = kelvin_arena_alloc(p->arena, L + 1, sizeof *p->slope);
    if (!p->layer || !p->act || !p->slope) return KELVIN_ENOMEM;
    for (size_t l = 1; l <= L; l++) {
        const kelvin_layer *layer = &model->layer[l];
        const size_t n_in = kelvin_shape_size(layer->from), n_out = kelvin_shape_size(layer->to);
        p->layer[l - 1] = (struct dense){.n_in = n_in, .n_out = n_out, .leak = layer->leak};
        if (!(p->act[l] = floats_of(p, n_out * lanes))) return KELVIN_ENOMEM;
        if (n_out > widest) widest = n_out;
    }
    for (size_t l = 0; l <= L; l++) {
        p->slope[l] = l < 2 ? floats_of(p, widest * lanes) : p->slope[l - 2];
        if (!p->slope[l]) return KELVIN_ENOMEM;
    }
    return KELVIN_OK;
}

/* From x (n, inputs). */
static void lay_out(kelvin_posteriors *p, const struct block *b, const float *x, const kelvin_part *train)
{
    const size_t inputs = p->model->inputs;
    float *to = p->x + b->at * inputs;
    for (size_t lane = 0; lane < b->row; lane++) {
        const size_t i = kelvin_chains_observation(p->method, b->shape, lane / p->lanes), from = b->first + i;
        const bool is = i < b->n;
        for (size_t j = 0; j < inputs; j++) to[j * b->row + lane] = is ? x[from * inputs + j] : 0;
        p->label[b->at + lane] = is ? train->y[from] : -1;
        if (p->weight) p->weight[b->at + lane] = is ? train->weight[from] : 0;
    }
}

static kelvin_status make_data(kelvin_posteriors *p, const kelvin_data *data)
{
    const kelvin_part *train = &data->train;
    const size_t lanes = p->lanes * KELVIN_BLOCK * block_count(p->model, p->n);
    float *x = kelvin_alloc(p->n * data->inputs, sizeof *x);
    p->x = floats_of(p, lanes * data->inputs);
    p->label = kelvin_arena_alloc(p->arena, lanes, sizeof *p->label);
    if (train->weight) p->weight = floats_of(p, lanes);
    const bool there = x && p->x && p->label && (p->weight || !train->weight);
    if (there) {
        kelvin_part_slice(data, train, x, 0, p->n);
        for (size_t first = 0; first < p->n; first += KELVIN_BLOCK) {
            const struct block b = block_at(p, first);
            lay_out(p, &b, x, train);
        }
    }
    kelvin_free(x);
    return there ? KELVIN_OK : KELVIN_ENOMEM;
}

static kelvin_status make_pull(kelvin_posteriors *p)
{
    float *pull = floats_of(p, p->model->n_tensors);
    p->grad = floats_of(p, p->model->n_params * p->lanes);
    if (!pull || !p->grad) return KELVIN_ENOMEM;
    p->pull = pull;
    for (size_t i = 0; i < p->model->n_tensors; i++) {
        const kelvin_prior of = kelvin_prior_of_tensor(&p->prior, p->model, i);
        if (!kelvin_prior_pulls(&of, &pull[i])) p->pull = NULL;
    }
    return KELVIN_OK;
}

static kelvin_status make(kelvin_posteriors *p, const kelvin_data *data)
{
    const size_t K = p->model->classes, lanes = p->lanes * KELVIN_BLOCK;
    KELVIN_TRY(kelvin_kernels_get(&p->kernels));
    p->method = p->lanes == 8 ? p->kernels->chains_8 : p->kernels->chains_4;
    KELVIN_TRY(kelvin_arena_create(&p->arena));
    KELVIN_TRY(make_layers(p));
    KELVIN_TRY(make_data(p, data));
    if (p->has_prior) KELVIN_TRY(make_pull(p));
    p->z = floats_of(p, K * lanes);
    p->dz = floats_of(p, K * lanes);
    p->scratch = floats_of(p, kelvin_density_scratch(K, lanes));
    if (!p->z || !p->dz || !p->scratch) return KELVIN_ENOMEM;
    if (shard_count(p->model, p->n) == 1) return KELVIN_OK;
    return (p->partial = floats_of(p, p->model->n_params * p->lanes)) ? KELVIN_OK : KELVIN_ENOMEM;
}

kelvin_status kelvin_posteriors_make(kelvin_posteriors **out, const kelvin_model *model, const kelvin_density *density,
                                     const kelvin_prior *prior, const kelvin_data *data, size_t lanes)
{
    *out = NULL;
    kelvin_posteriors *p = kelvin_alloc(1, sizeof *p);
    if (!p) return KELVIN_ENOMEM;
    p->model = model;
    p->density = *density;
    p->has_prior = prior != NULL;
    if (prior) p->prior = *prior;
    p->lanes = lanes;
    p->n = data->train.n;
    const kelvin_status status = make(p, data);
    if (status)
        kelvin_posteriors_destroy(p);
    else
        *out = p;
    return status;
}

void kelvin_posteriors_destroy(kelvin_posteriors *p)
{
    if (!p) return;
    kelvin_arena_destroy(p->arena);
    kelvin_free(p);
}
