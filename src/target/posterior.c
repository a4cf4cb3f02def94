/* The posterior of a network: sum over the data of w log-density(network(x), y), plus the log-prior of the parameters;
 * w is an observation's weight, 1 where there are none.
 *
 * From a batch of n of N observations that sum is estimated as N / n times the same sum over the batch. Each
 * observation is as likely as any other to be in a batch, whatever its weight, so that the estimate has no bias: over
 * the batches of an epoch, where n divides N, its mean is the sum over all data. (Divided by the sum of a batch's
 * weights it would have one, as that sum varies with the batch.)
 *
 * Observations are taken in blocks, consecutive blocks make a shard, and shards have gradients of their own, which are
 * summed in the order of the shards. There are as many shards whatever the number of threads, so the bits do not depend
 * on it. With one shard nothing is summed: its gradient is the gradient. */
#include "base/needs.h"
#include "base/threads.h"
#include "data/data.h"
#include "density/block.h"
#include "kernels/kernels.h"
#include "target/outputs.h"
#include "target/shards.h"

#include "target/target.h"

#include <stdatomic.h>
#include <string.h>

/* A batch that is not packed yet: x (n, inputs), or observations of a part of the data. */
struct fresh {
    bool is;
    const float *x; /* or NULL */
    const kelvin_data *data;
    const kelvin_part *part;
    const uint32_t *index; /* (n) */
    kelvin_epoch epoch;
};

/* What one thread works in. */
struct worker {
    kelvin_net *net, *rows;
    float *x;                /* (block, inputs), for batches */
    float *z, *dz, *scratch; /* (classes, KELVIN_BLOCK) each, and the density's */
};

struct kelvin_posterior {
    const struct kelvin_kernels *kernels;
    const kelvin_model *model;
    kelvin_density density;
    kelvin_prior prior;
    bool has_prior, is_batch;
    size_t capacity, total; /* observations that there is room for; that they stand for */

    size_t n;          /* observations now; 0 before the first batch */
    float *x;          /* packed */
    int32_t *y;        /* (n) */
    float *row_weight; /* (n), of observations */
    bool weighted;     /* false: they are all 1, and row_weight is not looked at */
    struct fresh fresh;
    bool takes_rows, has_rows; /* of tables, where they lie; this batch is of such */
    const float **row;         /* (capacity and KELVIN_ROWS_BEYOND) */

    kelvin_weights *weights, *row_weights;
    struct kelvin_group *group; /* NULL: nobody else */
    kelvin_pool *pool;          /* NULL: one thread */
    size_t threads, workers;    /* that share an evaluation; that have shards to do */
    struct worker *worker;      /* (workers) */
    size_t partials; /* gradients of shards that there is room for: all, or one if they come one by one, or 0 */
    float *partial;  /* (partials, n_params); NULL where the gradient of one shard is always the gradient */
    double logp[MAX_SHARDS];
    bool counts;                                  /* what the network says */
    kelvin_outputs of_shard[MAX_SHARDS], outputs; /* zeros if it does not */
};

/* One evaluation. */
struct evaluation {
    kelvin_posterior *posterior;
    bool rows; /* as they lie; logits are always those of packed ones, whoever asks for them */
    size_t shards;
    size_t first, end;  /* of these, this rank's own */
    atomic_size_t next; /* the shard to do next */
    bool logp;
    float *grad;   /* or NULL */
    float *logits; /* (n, classes), or NULL */
    float scale;
    const float *theta;
};

/* ---- shards ---- */

/* Of rows a shard costs a gradient that is turned back and added up, and a thread that is woken: it must be worth it.
 */
static size_t row_shard_count(const kelvin_model *model, size_t n)
{
    enum { WORTH = 100000 };
    const size_t most = shard_count(model, n), worth = n * model->n_params / WORTH;
    return worth < 1 ? 1 : worth < most ? worth : most;
}

/* 0, or not a number if a logit is not finite: densities are made for finite ones, and would take others for one. */
static double check_logits(const float *z, size_t K, size_t n)
{
    float lane[KELVIN_BLOCK] = {0}, sum = 0;
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0; i < KELVIN_BLOCK; i++) lane[i] += 0 * z[k * KELVIN_BLOCK + i];
    for (size_t i = 0; i < n; i++) sum += lane[i];
    return (double)sum;
}

/* Packs n observations of a fresh batch: just before they are needed, so that they are in the cache then. */
static void take_in(const kelvin_posterior *p, const struct worker *w, size_t first, size_t n)
{
    const struct fresh *fresh = &p->fresh;
    if (!fresh->x) {
        kelvin_data_gather(fresh->data, fresh->part, w->x, NULL, fresh->index + first, n, &fresh->epoch);
        kelvin_data_announce(fresh->data, fresh->part, fresh->index + first + n, p->n - first - n);
    }
    kelvin_model_pack(p->model, p->x + kelvin_model_packed(p->model, first),
                      fresh->x ? fresh->x + first * p->model->inputs : w->x, n);
}

/* The block that begins at `first` is one of rows as they lie. With one shard its gradient is the gradient. */
static void take_rows(kelvin_block *block, const struct evaluation *e, size_t first, size_t end)
{
    const size_t left = end - first;
    block->row = e->posterior->row + first;
    block->n = left < KELVIN_BLOCK ? left : KELVIN_BLOCK;
    block->scale = e->shards == 1 ? e->scale : 1.0f;
}

/* A gradient goes to `grad` unless NULL. */
static void run_shard(const struct evaluation *e, struct worker *w, size_t shard, float *grad)
{
    kelvin_posterior *p = e->posterior;
    const kelvin_model *model = p->model;
    const size_t begin = shard_begin(model, p->n, e->shards, shard);
    const size_t end = shard_begin(model, p->n, e->shards, shard + 1);
    const kelvin_weights *weights = e->rows ? p->row_weights : p->weights;
    kelvin_net *net = e->rows ? w->rows : w->net;
    double sum = 0;
    kelvin_outputs outputs = {0};
    for (size_t first = begin; first < end; first += model->block) {
        kelvin_block block = kelvin_model_block(model, p->x, p->n, first);
        struct outputs said;
        double part;
        if (e->rows) take_rows(&block, e, first, end);
        block.first = first == begin;
        block.last = first + block.n == end;
        if (p->fresh.is && !e->rows) take_in(p, w, first, block.n);
        kelvin_net_forward(net, w->z, weights, &block);
        if (e->logits) kelvin_block_logits(e->logits + first * model->classes, w->z, model->classes, block.n);
        if (!e->logp && !grad) {
            if (p->counts) kelvin_outputs_block(&outputs, p->kernels, w->z, p->y + first, model->classes, block.n);
            continue;
        }
        kelvin_density_told(p->kernels, &p->density, e->logp ? &part : NULL, p->counts ? &said : NULL, w->dz, w->z,
                            p->y + first, p->weighted ? p->row_weight + first : NULL, model->classes, block.n,
                            w->scratch);
        if (p->counts) kelvin_outputs_count(&outputs, &said, p->y + first, block.n);
        if (e->logp) sum += part + (p->counts ? 0 : check_logits(w->z, model->classes, block.n));
        if (grad) kelvin_net_backward(net, grad, weights, w->dz, &block);
    }
    p->logp[shard] = outputs.range == outputs.range ? sum : outputs.range; /* which knows of logits that are none */
    p->of_shard[shard] = outputs;
}

/* One thread: shards until none is left. */
static kelvin_status run_worker(void *context, size_t thread)
{
    struct evaluation *e = context;
    kelvin_posterior *p = e->posterior;
    for (;;) {
        const size_t shard = e->first + atomic_fetch_add(&e->next, 1);
        if (shard >= e->end) return KELVIN_OK;
        run_shard(e, &p->worker[thread], shard, e->grad ? p->partial + (shard - e->first) * p->model->n_params : NULL);
    }
}

/* One thread's share of the sum over the shards, piece by piece so that the sum stays in L1. */
static kelvin_status sum_range(void *context, size_t thread)
{
    enum { PIECE = 2048 };
    const struct evaluation *e = context;
    const kelvin_posterior *p = e->posterior;
    const size_t n = p->model->n_params, end = n * (thread + 1) / p->threads;
    for (size_t from = n * thread / p->threads, some; from < end; from += some) {
        some = end - from < PIECE ? end - from : PIECE;
        memset(e->grad + from, 0, some * sizeof *e->grad);
        for (size_t shard = 0; shard < e->shards; shard++)
            p->kernels->axpy(e->grad + from, e->scale, p->partial + shard * n + from, some);
    }
    return KELVIN_OK;
}

/* One thread: each shard is added when it is done, in the same order, and its memory stays in the cache. */
static void run_in_order(struct evaluation *e)
{
    kelvin_posterior *p = e->posterior;
    const size_t n = p->model->n_params;
    if (e->grad) memset(e->grad, 0, n * sizeof *e->grad);
    for (size_t shard = 0; shard < e->shards; shard++) {
        run_shard(e, &p->worker[0], shard, e->grad ? p->partial : NULL);
        if (e->grad) p->kernels->axpy(e->grad, e->scale, p->partial, n);
    }
}

/* Tasks do not fail. */
static void on_threads(const kelvin_posterior *p, kelvin_task *task, struct evaluation *e, size_t threads)
{
    if (!p->pool || kelvin_pool_run(p->pool, task, e, threads) != KELVIN_OK)
        for (size_t thread = 0; thread < threads; thread++) (void)task(e, thread);
}

/* ---- ranks that share an evaluation ---- */

/* Of each shard what is no gradient. */
struct said {
    double logp[MAX_SHARDS];
    kelvin_outputs outputs[MAX_SHARDS];
};

/* Shards go to ranks in their order, so that a sum over the ranks is one over the shards. */
static size_t rank_begin(const struct evaluation *e, size_t rank)
{
    return e->shards * rank / e->posterior->group->size;
}

static void add_shards(void *context, float *sum, size_t from, size_t n)
{
    const struct evaluation *e = context;
    const kelvin_posterior *p = e->posterior;
    for (size_t shard = e->first; shard < e->end; shard++)
        p->kernels->axpy(sum, e->scale, p->partial + (shard - e->first) * p->model->n_params + from, n);
}

/* What each rank says of its shards, at all of them. */
static kelvin_status exchange(const struct evaluation *e)
{
    kelvin_posterior *p = e->posterior;
    struct said said[MAX_SHARDS];
    memcpy(said[p->group->me].logp, p->logp, sizeof p->logp);
    memcpy(said[p->group->me].outputs, p->of_shard, sizeof p->of_shard);
    KELVIN_TRY(kelvin_group_exchange(p->group, said, sizeof *said));
    for (size_t rank = 0; rank < p->group->size; rank++)
        for (size_t shard = rank_begin(e, rank); shard < rank_begin(e, rank + 1); shard++) {
            p->logp[shard] = said[rank].logp[shard];
            p->of_shard[shard] = said[rank].outputs[shard];
        }
    return KELVIN_OK;
}

/* What fails here is seen by those who ask whether the group is broken. */
static void run_in_group(struct evaluation *e)
{
    kelvin_posterior *p = e->posterior;
    struct kelvin_group *g = p->group;
    kelvin_status status = KELVIN_OK;
    e->first = rank_begin(e, g->me);
    e->end = rank_begin(e, g->me + 1);
    on_threads(p, run_worker, e, p->workers);
    if (e->grad && g->me == 0) memset(e->grad, 0, p->model->n_params * sizeof *e->grad);
    if (e->grad) status = kelvin_group_sum(g, e->grad, p->model->n_params, add_shards, e);
    if (!status && (e->logp || p->counts)) status = exchange(e);
    (void)status;
}

static kelvin_status share_weights(void *context, size_t thread)
{
    const struct evaluation *e = context;
    const kelvin_posterior *p = e->posterior;
    kelvin_weights_share(p->weights, e->theta, e->grad != NULL, thread, p->threads);
    return KELVIN_OK;
}

static void evaluate(struct evaluation *e, const float *theta)
{
    kelvin_posterior *p = e->posterior;
    e->rows = p->has_rows && !e->logits;
    e->shards = e->end = e->rows ? row_shard_count(p->model, p->n) : shard_count(p->model, p->n);
    e->theta = theta;
    if (e->rows)
        kelvin_weights_set(p->row_weights, theta, e->grad != NULL);
    else if (kelvin_model_prepares(p->model))
        on_threads(p, share_weights, e, p->threads);
    else
        kelvin_weights_set(p->weights, theta, e->grad != NULL);
    if (e->shards == 1 && (e->rows || e->scale == 1.0f)) {
        run_shard(e, &p->worker[0], 0, e->grad);
    } else if (p->group && e->shards > 1 && !e->logits) {
        run_in_group(e);
    } else if (p->workers == 1) {
        run_in_order(e);
    } else {
        on_threads(p, run_worker, e, p->workers);
        if (e->grad) on_threads(p, sum_range, e, p->threads);
    }
    if (!e->rows) p->fresh.is = false;
    p->outputs = p->of_shard[0];
    for (size_t shard = 1; p->counts && shard < e->shards; shard++)
        kelvin_outputs_add(&p->outputs, &p->of_shard[shard]);
}

kelvin_prior kelvin_prior_of_tensor(const kelvin_prior *prior, const kelvin_model *model, size_t i)
{
    const kelvin_tensor *t = &model->tensor[i];
    const size_t columns = t->ndim > 1 ? t->shape[1] : 1;
    return kelvin_prior_at(prior, &(struct kelvin_prior_place){.columns = columns,
                                                               .taps = kelvin_tensor_inputs(t) / columns,
                                                               .outer = kelvin_model_is_outer(model, i)});
}

/* Tensor by tensor, if the prior looks at what they are. */
static double add_prior(const kelvin_posterior *p, bool logp, float *grad, const float *theta)
{
    double sum = 0, part = 0;
    if (kelvin_prior_is_everywhere(&p->prior)) {
        kelvin_prior_add(p->kernels, &p->prior, logp ? &sum : NULL, grad, theta, p->model->n_params);
        return sum;
    }
    for (size_t i = 0; i < p->model->n_tensors; i++) {
        const kelvin_tensor *t = &p->model->tensor[i];
        const kelvin_prior of = kelvin_prior_of_tensor(&p->prior, p->model, i);
        kelvin_prior_add(p->kernels, &of, logp ? &part : NULL, grad ? grad + t->offset : NULL, theta + t->offset,
                         kelvin_tensor_size(t));
        sum += part;
    }
    return sum;
}

static void eval(void *context, double *logp, float *grad, const float *theta)
{
    kelvin_posterior *p = context;
    const double scale = (double)p->total / (double)p->n;
    struct evaluation e = {.posterior = p, .logp = logp != NULL, .grad = grad, .scale = (float)scale};
    evaluate(&e, theta);
    double sum = 0;
    for (size_t shard = 0; shard < e.shards; shard++) sum += p->logp[shard];
    sum *= scale;
    if (p->has_prior) sum += add_prior(p, logp != NULL, grad, theta);
    if (logp) *logp = sum;
}

kelvin_target kelvin_posterior_target(kelvin_posterior *posterior)
{
    return (kelvin_target){.n = posterior->model->n_params, .eval = eval, .context = posterior};
}

void kelvin_posterior_logits(kelvin_posterior *posterior, float *logits, const float *theta)
{
    struct evaluation e = {.posterior = posterior, .logits = logits, .scale = 1.0f};
    evaluate(&e, theta);
}

kelvin_outputs kelvin_posterior_look(kelvin_posterior *p, const float *theta)
{
    struct evaluation e = {.posterior = p, .scale = 1.0f};
    const bool counts = p->counts;
    p->counts = true;
    evaluate(&e, theta);
    p->counts = counts;
    return p->outputs;
}

kelvin_outputs kelvin_posterior_outputs(const kelvin_posterior *posterior)
{
    return posterior->outputs;
}

static kelvin_status check_data(const kelvin_model *model, const kelvin_data *data)
{
    if (model->inputs == data->inputs && model->classes == data->classes) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "the model takes %zu inputs and %zu classes, the data have %zu and %zu",
                       model->inputs, model->classes, data->inputs, data->classes);
}

static kelvin_status check_batch(const kelvin_posterior *p, size_t n)
{
    if (!p->is_batch) return kelvin_fail(KELVIN_EUSAGE, "this posterior is of all training data; it takes no batches");
    if (n == 0 || n > p->capacity)
        return kelvin_fail(KELVIN_EUSAGE, "a batch of %zu observations; expected 1 to %zu", n, p->capacity);
    return KELVIN_OK;
}

/* The rows of a new batch; those beyond the last are the last again. */
static void set_rows(kelvin_posterior *p, const float *x, const uint32_t *index, size_t n)
{
    const size_t inputs = p->model->inputs;
    p->has_rows = p->takes_rows && x;
    if (!p->has_rows) return;
    for (size_t i = 0; i < n; i++) p->row[i] = x + (index ? index[i] : i) * inputs;
    for (size_t i = 0; i < KELVIN_ROWS_BEYOND; i++) p->row[n + i] = p->row[n - 1];
}

kelvin_status kelvin_posterior_set_batch(kelvin_posterior *p, const float *x, const int32_t *y, size_t n)
{
    KELVIN_TRY(check_batch(p, n));
    for (size_t i = 0; i < n; i++)
        if (y[i] < 0 || (size_t)y[i] >= p->model->classes)
            return kelvin_fail(KELVIN_EUSAGE, "observation %zu of a batch has label %d; expected 0 to %zu", i,
                               (int)y[i], p->model->classes - 1);
    memcpy(p->y, y, n * sizeof *y);
    p->weighted = false;
    p->fresh = (struct fresh){.is = true, .x = x};
    set_rows(p, x, NULL, n);
    p->n = n;
    return KELVIN_OK;
}

kelvin_status kelvin_posterior_set_part(kelvin_posterior *p, const kelvin_data *data, const kelvin_part *part,
                                        const uint32_t *index, size_t n, const kelvin_epoch *epoch)
{
    KELVIN_TRY(check_batch(p, n));
    KELVIN_TRY(check_data(p->model, data));
    kelvin_data_gather(data, part, NULL, p->y, index, n, NULL);
    p->weighted = part->weight != NULL;
    for (size_t i = 0; p->weighted && i < n; i++) p->row_weight[i] = part->weight[index[i]];
    p->fresh = (struct fresh){.is = true, .data = data, .part = part, .index = index};
    if (epoch) p->fresh.epoch = *epoch;
    set_rows(p, part->x, index, n);
    p->n = n;
    return KELVIN_OK;
}

/* Of a packed batch a rank may have taken in no more than its share. */
void kelvin_posterior_narrow(kelvin_posterior *p, size_t few)
{
    if (p->has_rows && few < p->n) p->n = few;
}

/* ---- memory ---- */

static kelvin_status make_worker(struct worker *w, const kelvin_posterior *p)
{
    const kelvin_model *model = p->model;
    const size_t outputs = model->classes * KELVIN_BLOCK;
    const bool batches = p->is_batch;
    KELVIN_TRY(kelvin_net_create(&w->net, model));
    if (p->takes_rows) KELVIN_TRY(kelvin_net_create_rows(&w->rows, model));
    w->z = kelvin_alloc(outputs, sizeof *w->z);
    w->dz = kelvin_alloc(outputs, sizeof *w->dz);
    w->scratch = kelvin_alloc(kelvin_density_scratch(model->classes, KELVIN_BLOCK), sizeof *w->scratch);
    if (batches) w->x = kelvin_alloc(model->block * model->inputs, sizeof *w->x);
    return w->z && w->dz && w->scratch && (w->x || !batches) ? KELVIN_OK : KELVIN_ENOMEM;
}

/* All training data as the network takes them. */
static kelvin_status pack(kelvin_posterior *p, const kelvin_data *data)
{
    float *x = kelvin_alloc(p->n, data->inputs * sizeof *x);
    if (!x) return KELVIN_ENOMEM;
    kelvin_part_slice(data, &data->train, x, 0, p->n);
    kelvin_model_pack(p->model, p->x, x, p->n);
    memcpy(p->y, data->train.y, p->n * sizeof *p->y);
    p->weighted = data->train.weight != NULL;
    if (p->weighted) memcpy(p->row_weight, data->train.weight, p->n * sizeof *p->row_weight);
    kelvin_free(x);
    return KELVIN_OK;
}

static kelvin_status make_rows(kelvin_posterior *p)
{
    if (!p->takes_rows) return KELVIN_OK;
    p->row = kelvin_alloc(p->capacity + KELVIN_ROWS_BEYOND, sizeof *p->row);
    return p->row ? kelvin_weights_create_rows(&p->row_weights, p->model) : KELVIN_ENOMEM;
}

static kelvin_status make(kelvin_posterior *p, const kelvin_data *data)
{
    KELVIN_TRY(kelvin_kernels_get(&p->kernels));
    KELVIN_TRY(make_rows(p));
    KELVIN_TRY(kelvin_weights_create(&p->weights, p->model));
    if (p->threads > 1) KELVIN_TRY(kelvin_pool_create(&p->pool, p->threads));
    const size_t shards = shard_count(p->model, p->capacity);
    p->workers = p->threads < shards ? p->threads : shards;
    p->worker = kelvin_alloc(p->workers, sizeof *p->worker);
    if (!p->worker) return KELVIN_ENOMEM;
    for (size_t i = 0; i < p->workers; i++) KELVIN_TRY(make_worker(&p->worker[i], p));
    p->x = kelvin_alloc(kelvin_model_packed(p->model, p->capacity), sizeof *p->x);
    p->y = kelvin_alloc(p->capacity, sizeof *p->y);
    p->row_weight = kelvin_alloc(p->capacity, sizeof *p->row_weight);
    if (!p->x || !p->y || !p->row_weight) return KELVIN_ENOMEM;
    if (shards > 1 || p->is_batch || p->total != p->n) {
        p->partials = p->workers > 1 ? shards : p->group ? (shards + p->group->size - 1) / p->group->size : 1;
        p->partial = kelvin_alloc(p->partials * p->model->n_params, sizeof *p->partial);
        if (!p->partial) return KELVIN_ENOMEM;
    }
    return p->is_batch ? KELVIN_OK : pack(p, data);
}

static kelvin_status check(const kelvin_model *model, const kelvin_data *data, const kelvin_posterior_options *options)
{
    if (data) KELVIN_TRY(check_data(model, data));
    if (!data && (options->batch == 0 || options->total == 0))
        return kelvin_fail(KELVIN_EUSAGE, "a posterior without data needs the size of its batches and a total");
    if (data && data->train.n == 0) return kelvin_fail(KELVIN_EUSAGE, "a posterior needs at least one observation");
    return KELVIN_OK;
}

kelvin_status kelvin_posterior_make(kelvin_posterior **out, const kelvin_model *model, const kelvin_density *density,
                                    const kelvin_prior *prior, const kelvin_data *data,
                                    const kelvin_posterior_options *options)
{
    *out = NULL;
    static const kelvin_posterior_options all_data;
    if (!options) options = &all_data;
    KELVIN_TRY(check(model, data, options));
    kelvin_posterior *p = kelvin_alloc(1, sizeof *p);
    if (!p) return KELVIN_ENOMEM;
    p->model = model;
    p->density = *density;
    p->has_prior = prior != NULL;
    if (prior) p->prior = *prior;
    p->is_batch = options->batch > 0;
    p->capacity = p->is_batch ? options->batch : data->train.n;
    p->n = p->is_batch ? 0 : data->train.n;
    p->total = options->total ? options->total : data->train.n;
    p->takes_rows = p->is_batch && options->rows && kelvin_model_takes_rows(model);
    p->counts = options->outputs;
    p->group = options->group && options->group->size > 1 ? options->group : NULL;
    p->threads = options->threads ? options->threads : 1;
    const kelvin_status status = make(p, data);
    if (status)
        kelvin_posterior_destroy(p);
    else
        *out = p;
    return status;
}

kelvin_status kelvin_posterior_create(kelvin_posterior **out, const kelvin_model *model, const kelvin_density *density,
                                      const kelvin_prior *prior, const kelvin_data *data, size_t threads)
{
    KELVIN_NEEDS(out);
    *out = NULL;
    KELVIN_NEEDS(model);
    KELVIN_NEEDS(density);
    KELVIN_NEEDS(data);
    return kelvin_posterior_make(out, model, density, prior, data, &(kelvin_posterior_options){.threads = threads});
}

size_t kelvin_posterior_bytes(const kelvin_posterior *p)
{
    const size_t floats = kelvin_model_packed(p->model, p->capacity) + p->partials * p->model->n_params;
    size_t bytes = floats * sizeof(float) + kelvin_weights_bytes(p->weights);
    if (p->is_batch) bytes += p->workers * p->model->block * p->model->inputs * sizeof(float);
    if (p->takes_rows)
        bytes += kelvin_weights_bytes(p->row_weights) + (p->capacity + KELVIN_ROWS_BEYOND) * sizeof *p->row;
    for (size_t i = 0; i < p->workers; i++)
        bytes += kelvin_net_bytes(p->worker[i].net) + (p->takes_rows ? kelvin_net_bytes(p->worker[i].rows) : 0);
    return bytes;
}

void kelvin_posterior_destroy(kelvin_posterior *p)
{
    if (!p) return;
    for (size_t i = 0; p->worker && i < p->workers; i++) {
        kelvin_net_destroy(p->worker[i].net);
        kelvin_net_destroy(p->worker[i].rows);
        kelvin_free(p->worker[i].x);
        kelvin_free(p->worker[i].z);
        kelvin_free(p->worker[i].dz);
        kelvin_free(p->worker[i].scratch);
    }
    kelvin_free(p->worker);
    kelvin_pool_destroy(p->pool);
    kelvin_weights_destroy(p->weights);
    kelvin_weights_destroy(p->row_weights);
    kelvin_free(p->row);
    kelvin_free(p->x);
    kelvin_free(p->y);
    kelvin_free(p->row_weight);
    kelvin_free(p->partial);
    kelvin_free(p);
}
