/* Means and standard deviations (of the population: divided by n), and what is done with them. Those of bytes are exact
 * sums of whole numbers; those of columns go over the rows twice. */
#include "data/data.h"

#include <math.h>

/* ---- bytes ---- */

/* Sum and sum of squares of one channel over n images. */
static void byte_sums(uint64_t *sum, uint64_t *squares, const uint8_t *bytes, size_t n, size_t stride, size_t size)
{
    *sum = *squares = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t s = 0, q = 0;
        for (size_t start = 0; start < size; start += 32768) { /* as long as squares fit into 32 bits: they vectorise */
            const size_t end = start + 32768 < size ? start + 32768 : size;
            uint32_t part_s = 0, part_q = 0;
            for (size_t j = start; j < end; j++) {
                const uint32_t b = bytes[i * stride + j];
                part_s += b;
                part_q += b * b;
            }
            s += part_s;
            q += part_q;
        }
        *sum += s;
        *squares += q;
    }
}

static void byte_statistics(double *mean, double *deviation, const kelvin_data *data, const uint8_t *bytes, size_t n)
{
    const size_t size = data->height * data->width;
    const double count = (double)n * (double)size;
    for (size_t c = 0; c < data->channels; c++) {
        uint64_t sum, squares;
        byte_sums(&sum, &squares, bytes + c * size, n, data->inputs, size);
        const double m = (double)sum / count, variance = (double)squares / count - m * m;
        mean[c] = m / (double)data->white;
        deviation[c] = sqrt(fmax(variance, 0)) / (double)data->white; /* rounding may make it less than 0 */
    }
}

/* ---- columns ---- */

enum { SIDE_BY_SIDE = 8 }; /* columns: a line of the cache */

/* The power of two that brings values up to `largest` near 1, so that squares neither overflow nor vanish. (long double
 * would do, but is not the same everywhere.) */
static int exponent_of(double largest)
{
    int exponent;
    frexp(largest, &exponent);
    return exponent > -1000 ? exponent : -1000;
}

/* A column that does not vary has a deviation of just 0, however its sum is rounded. */
#define COLUMN_STATISTICS(name, type)                                                                                  \
    static void name##_of_some(double *mean, double *deviation, const type *rows, size_t n, size_t inputs,             \
                               size_t some)                                                                            \
    {                                                                                                                  \
        double largest[SIDE_BY_SIDE] = {0}, scale[SIDE_BY_SIDE], sum[SIDE_BY_SIDE] = {0}, squares[SIDE_BY_SIDE] = {0}; \
        bool varies[SIDE_BY_SIDE] = {false};                                                                           \
        for (size_t i = 0; i < n; i++)                                                                                 \
            for (size_t j = 0; j < some; j++) {                                                                        \
                largest[j] = fmax(largest[j], fabs((double)rows[i * inputs + j]));                                     \
                varies[j] |= rows[i * inputs + j] != rows[j];                                                          \
            }                                                                                                          \
        for (size_t j = 0; j < some; j++) scale[j] = ldexp(1, -exponent_of(largest[j]));                               \
        for (size_t i = 0; i < n; i++)                                                                                 \
            for (size_t j = 0; j < some; j++) sum[j] += (double)rows[i * inputs + j] * scale[j];                       \
        for (size_t j = 0; j < some; j++) sum[j] = varies[j] ? sum[j] / (double)n : (double)rows[j] * scale[j];        \
        for (size_t i = 0; i < n; i++)                                                                                 \
            for (size_t j = 0; j < some; j++) {                                                                        \
                const double d = (double)rows[i * inputs + j] * scale[j] - sum[j];                                     \
                squares[j] += d * d;                                                                                   \
            }                                                                                                          \
        for (size_t j = 0; j < some; j++) {                                                                            \
            mean[j] = ldexp(sum[j], exponent_of(largest[j]));                                                          \
            deviation[j] = ldexp(sqrt(squares[j] / (double)n), exponent_of(largest[j]));                               \
        }                                                                                                              \
    }                                                                                                                  \
    static void name(double *mean, double *deviation, const type *rows, size_t n, size_t inputs)                       \
    {                                                                                                                  \
        for (size_t j = 0; j < inputs; j += SIDE_BY_SIDE)                                                              \
            name##_of_some(mean + j, deviation + j, rows + j, n, inputs,                                               \
                           inputs - j < SIDE_BY_SIDE ? inputs - j : SIDE_BY_SIDE);                                     \
    }

COLUMN_STATISTICS(float_statistics, float)
COLUMN_STATISTICS(double_statistics, double)

void kelvin_data_statistics(const kelvin_data *data, const kelvin_part *part, double *mean, double *deviation)
{
    if (part->bytes)
        byte_statistics(mean, deviation, data, part->bytes, part->n);
    else
        float_statistics(mean, deviation, part->x, part->n, data->inputs);
}

/* ---- after loading ---- */

/* What does not vary is only moved. */
static double divisor(double deviation)
{
    return deviation > 0 ? deviation : 1;
}

static kelvin_status keep_statistics(struct data_loader *l, const double *mean, const double *deviation, size_t n)
{
    double *kept = kelvin_arena_alloc(l->arena, 2 * n, sizeof *kept);
    if (!kept) return KELVIN_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        kept[i] = mean[i];
        kept[n + i] = divisor(deviation[i]);
    }
    l->data->mean = kept;
    l->data->deviation = kept + n;
    return KELVIN_OK;
}

size_t data_standardise(float *x, const double *values, const double *mean, const double *deviation, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        /* Halves, because a difference may be twice as large as a double can be. */
        const double moved = values[j] / 2 - mean[j] / 2;
        x[j] = (float)(moved / (divisor(deviation[j]) / 2));
        if (!isfinite(x[j]) || !isfinite(deviation[j])) return j;
    }
    return n;
}

kelvin_status data_too_far(const char *path, const char *unit, size_t row, size_t column, double value, double mean)
{
    return kelvin_fail(KELVIN_EFORMAT,
                       "%s: %s %zu, column %zu: %g is too far from the mean of its column, %g, to be standardised",
                       path, unit, row, column, value, mean);
}

static kelvin_status standardise(struct data_loader *l, float *x, const double *mean, const double *deviation)
{
    const size_t inputs = l->data->inputs;
    for (size_t i = 0; i < l->n; i++) {
        const double *values = l->values + i * inputs;
        const size_t j = data_standardise(x + i * inputs, values, mean, deviation, inputs);
        if (j < inputs) return data_too_far(l->data->name, "row", i + 1, j + 1, values[j], mean[j]);
    }
    return KELVIN_OK;
}

static kelvin_status normalise(struct data_loader *l, float *x, double *mean, double *deviation, size_t n)
{
    const bool fixed = l->data->mean;
    for (size_t i = 0; fixed && i < n; i++) {
        mean[i] = l->data->mean[i];
        deviation[i] = l->data->deviation[i];
    }
    if (!fixed && l->bytes)
        byte_statistics(mean, deviation, l->data, l->bytes, l->n_train);
    else if (!fixed)
        double_statistics(mean, deviation, l->values, l->n_train, n);
    if (!fixed) KELVIN_TRY(keep_statistics(l, mean, deviation, n));
    return l->bytes ? KELVIN_OK : standardise(l, x, mean, deviation);
}

kelvin_status data_normalise(struct data_loader *l, float **x)
{
    const size_t n = l->bytes ? l->data->channels : l->data->inputs;
    double *statistics = kelvin_alloc(2 * n, sizeof *statistics);
    if (!statistics) return KELVIN_ENOMEM;
    kelvin_status status = KELVIN_OK;
    if (!l->bytes && !(*x = kelvin_alloc(l->n * l->data->inputs, sizeof **x))) status = KELVIN_ENOMEM;
    if (!status) status = normalise(l, *x, statistics, statistics + n, n);
    kelvin_free(statistics);
    return status;
}
