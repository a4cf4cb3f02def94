/* Uniform draws u_i, weighted with an unnormalised density: w_i = density(u_i). Paper: appendix "Proof that confidence
 * prior converges to a cold likelihood", where this checks the closed forms.
 *
 *     F(z) = sum_i w_i [u_i <= z] / sum_i w_i,    error(z)^2 = sum_i w_i^2 ([u_i <= z] - F(z))^2 / (sum_i w_i)^2
 *
 * (the delta method for a ratio of means). Both follow from the sums of w and of w^2 between neighbouring z. Draws are
 * cut into PIECES that have sums of their own, added in order at the end: threads do not change them. Weights are
 * relative to the largest that a piece has met, so that no density is too small: sums are scaled when a larger one
 * comes, which is seldom. */
#include "figures/simulation.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

enum { PIECES = 32 };

static const uint64_t block = 1 << 16; /* draws between two looks at whether to stop */

struct sums {
    double w, square;
};

struct job {
    const struct tempered *target;
    const double *z;
    size_t targets, points;
    const struct figure_options *options;
    bool *repeats;     /* (targets) the density is that of the target before */
    double *top;       /* (PIECES, targets) log-weight that the sums are relative to */
    struct sums *sums; /* (PIECES, points, targets) of the draws in (z[i-1], z[i]] */
};

static uint64_t first_draw(const struct job *job, size_t piece)
{
    return (uint64_t)job->options->draws * piece / PIECES;
}

/* The first i with u <= z[i]. */
static size_t bin_of(const double *z, size_t points, double u)
{
    size_t low = 0, high = points - 1;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (u <= z[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void rescale(struct sums *sums, size_t points, size_t targets, double factor)
{
    for (size_t i = 0; i < points; i++) {
        sums[i * targets].w *= factor;
        sums[i * targets].square *= factor * factor;
    }
}

/* One density with several powers needs one evaluation, if they are neighbours. */
static bool same_density(const kelvin_density *a, const kelvin_density *b)
{
    return a->type == b->type && a->likelihood == b->likelihood && !memcmp(a->param, b->param, sizeof a->param);
}

static void add_draw(double *top, struct sums *sums, const struct job *job, double u)
{
    struct sums *bin = sums + bin_of(job->z, job->points, u) * job->targets;
    double z[2], plain = 0.0;
    kelvin_tempered_logits(z, u);
    for (size_t k = 0; k < job->targets; k++) {
        if (!job->repeats[k]) plain = kelvin_density_eval(&job->target[k].density, NULL, z, 2, 0);
        const double value = job->target[k].power * plain;
        if (value > top[k]) {
            rescale(sums + k, job->points, job->targets, exp(top[k] - value));
            top[k] = value;
        }
        if (value - top[k] < -746.0) continue; /* its exp is 0 */
        const double w = exp(value - top[k]);
        bin[k].w += w;
        bin[k].square += w * w;
    }
}

static kelvin_status simulate_piece(void *context, size_t piece)
{
    const struct job *job = context;
    const kelvin_random where = {.seed = job->options->seed, .stream = SIMULATION_STREAM};
    double *top = job->top + piece * job->targets;
    struct sums *sums = job->sums + piece * job->points * job->targets;
    const uint64_t first = first_draw(job, piece), end = first_draw(job, piece + 1);
    for (size_t k = 0; k < job->targets; k++) top[k] = -INFINITY;
    for (uint64_t i = first; i < end; i++) {
        if ((i - first) % block == 0) KELVIN_TRY(kelvin_figure_piece(job->options->watch));
        add_draw(top, sums, job, kelvin_uniform(where, i));
    }
    return KELVIN_OK;
}

/* Brings all pieces of a target to one scale and adds them to the first. */
static void add_pieces(const struct job *job, size_t k)
{
    const size_t size = job->points * job->targets;
    double top = -INFINITY;
    for (size_t piece = 0; piece < PIECES; piece++) top = fmax(top, job->top[piece * job->targets + k]);
    for (size_t piece = 0; piece < PIECES; piece++) {
        struct sums *sums = job->sums + piece * size + k;
        rescale(sums, job->points, job->targets, exp(job->top[piece * job->targets + k] - top));
        for (size_t i = 0; piece && i < size; i += job->targets) {
            job->sums[k + i].w += sums[i].w;
            job->sums[k + i].square += sums[i].square;
        }
    }
}

/* From the low end come the sums below z[i], from the high end those above it: neither is a difference. */
static void estimate(struct simulated *of, const struct job *job, size_t k)
{
    struct sums below = {0}, above = {0}, all = {0};
    const struct sums *sums = job->sums + k;
    for (size_t i = 0; i < job->points; i++) all.w += sums[i * job->targets].w;
    for (size_t i = 0; i < job->points; i++) {
        below.w += sums[i * job->targets].w;
        below.square += sums[i * job->targets].square;
        const double F = below.w / all.w;
        of[i] = (struct simulated){.cdf = F, .error = (1.0 - F) * (1.0 - F) * below.square};
        of[i].count = below.square > 0.0 ? below.w * below.w / below.square : 0.0;
    }
    for (size_t i = job->points; i-- > 0;) {
        of[i].error = sqrt(of[i].error + of[i].cdf * of[i].cdf * above.square) / all.w;
        of[i].count = fmin(of[i].count, above.square > 0.0 ? above.w * above.w / above.square : 0.0);
        above.w += sums[i * job->targets].w;
        above.square += sums[i * job->targets].square;
    }
}

static kelvin_status simulate_pieces(struct job *job)
{
    uint64_t blocks = 0;
    for (size_t piece = 0; piece < PIECES; piece++)
        blocks += (first_draw(job, piece + 1) - first_draw(job, piece) + block - 1) / block;
    return kelvin_figure_tasks(job->options, "simulating", blocks, simulate_piece, job, PIECES);
}

kelvin_status kelvin_simulate_cdf(struct simulated *of, const struct tempered *target, size_t targets, const double *z,
                                  size_t points, const struct figure_options *options)
{
    kelvin_status status = KELVIN_ENOMEM;
    struct job job = {.target = target, .z = z, .targets = targets, .points = points, .options = options};
    job.repeats = kelvin_alloc(targets, sizeof *job.repeats);
    job.top = kelvin_alloc(PIECES * targets, sizeof *job.top);
    job.sums = kelvin_alloc(PIECES * points * targets, sizeof *job.sums);
    if (!job.repeats || !job.top || !job.sums) goto done;
    for (size_t k = 1; k < targets; k++) job.repeats[k] = same_density(&target[k].density, &target[k - 1].density);
    status = simulate_pieces(&job);
    for (size_t k = 0; k < targets && !status; k++) {
        add_pieces(&job, k);
        estimate(of + k * points, &job, k);
    }
done:
    kelvin_free(job.sums);
    kelvin_free(job.top);
    kelvin_free(job.repeats);
    return status;
}

double kelvin_simulated_deviation(const struct simulated *simulated, double exact)
{
    /* An estimate from few draws is skewed and its error a guess. Where F is below 1e-100, squares of weights begin to
     * vanish, and the error with them. */
    if (simulated->count < 50.0 || simulated->cdf < 1e-100) return -1.0;
    return fabs(simulated->cdf - exact) / simulated->error;
}
