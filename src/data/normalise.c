/* Means and standard deviations (of the population: divided by n, or by the sum of the weights), and what is done with
 * them. What is missing is the mean then, 0. Those of bytes are exact sums of whole numbers where rows have no weights;
 * those of columns go over the rows twice. */
#include "data/features.h"

#include <math.h>

double kelvin_part_total(const kelvin_part *part)
{
    double total = 0;
    if (!part->weight) return (double)part->n;
    for (size_t i = 0; i < part->n; i++) total += (double)part->weight[i];
    return total;
}

/* ---- bytes ---- */

/* Sum and sum of squares of one channel over n images. */
static void byte_sums(uint64_t *sum, uint64_t *squares, const uint8_t *bytes, size_t n, size_t stride, size_t size)
{
    *sum = *squares = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t start = 0; start < size; start += 32768) { /* as long as squares fit into 32 bits: they vectorise */
            const size_t end = start + 32768 < size ? start + 32768 : size;
            uint32_t part_sum = 0, part_squares = 0;
            for (size_t j = start; j < end; j++) {
                const uint32_t b = bytes[i * stride + j];
                part_sum += b;
                part_squares += b * b;
            }
            *sum += part_sum;
            *squares += part_squares;
        }
}

/* The same, where each image counts by its weight. */
static void weighted_sums(double *sum, double *squares, const kelvin_part *part, const uint8_t *channel, size_t stride,
                          size_t size)
{
    *sum = *squares = 0;
    for (size_t i = 0; i < part->n; i++) {
        uint64_t one_sum, one_squares;
        byte_sums(&one_sum, &one_squares, channel + i * stride, 1, stride, size);
        *sum += (double)part->weight[i] * (double)one_sum;
        *squares += (double)part->weight[i] * (double)one_squares;
    }
}

static void channel_sums(double *sum, double *squares, const kelvin_part *part, const uint8_t *channel, size_t stride,
                         size_t size)
{
    uint64_t whole_sum, whole_squares;
    if (part->weight) {
        weighted_sums(sum, squares, part, channel, stride, size);
        return;
    }
    byte_sums(&whole_sum, &whole_squares, channel, part->n, stride, size);
    *sum = (double)whole_sum;
    *squares = (double)whole_squares;
}

static void byte_statistics(double *mean, double *deviation, const kelvin_data *data, const kelvin_part *part)
{
    const size_t size = data->height * data->width;
    const double count = kelvin_part_total(part) * (double)size;
    for (size_t c = 0; c < data->channels; c++) {
        double sum, squares;
        channel_sums(&sum, &squares, part, part->bytes + c * size, data->inputs, size);
        const double m = sum / count, variance = squares / count - m * m;
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

/* Values of columns, as floats or as doubles. */
struct columns {
    const float *floats; /* NULL: doubles */
    const double *doubles;
    size_t n, inputs;    /* rows and columns */
    const float *weight; /* (n); NULL: all 1 */
};

static double value(const struct columns *rows, size_t i, size_t j)
{
    const size_t at = i * rows->inputs + j;
    return rows->floats ? (double)rows->floats[at] : rows->doubles[at];
}

static double weight(const struct columns *rows, size_t i)
{
    return rows->weight ? (double)rows->weight[i] : 1.0;
}

/* Of `some` columns from `first` on, without what is missing. One that does not vary has a deviation of just 0, however
 * its sum is rounded. */
static void some_statistics(double *mean, double *deviation, const struct columns *rows, size_t first, size_t some)
{
    double largest[SIDE_BY_SIDE] = {0}, scale[SIDE_BY_SIDE], sum[SIDE_BY_SIDE] = {0}, squares[SIDE_BY_SIDE] = {0};
    double total[SIDE_BY_SIDE] = {0}, some_value[SIDE_BY_SIDE] = {0};
    bool varies[SIDE_BY_SIDE] = {false};
    for (size_t i = rows->n; i-- > 0;)
        for (size_t j = 0; j < some; j++)
            if (!isnan(value(rows, i, first + j))) some_value[j] = value(rows, i, first + j);
    for (size_t i = 0; i < rows->n; i++)
        for (size_t j = 0; j < some; j++) {
            const double x = value(rows, i, first + j);
            if (isnan(x)) continue;
            largest[j] = fmax(largest[j], fabs(x));
            varies[j] |= x != some_value[j];
            total[j] += weight(rows, i);
        }
    for (size_t j = 0; j < some; j++) scale[j] = ldexp(1, -exponent_of(largest[j]));
    for (size_t i = 0; i < rows->n; i++)
        for (size_t j = 0; j < some; j++)
            if (!isnan(value(rows, i, first + j))) sum[j] += weight(rows, i) * (value(rows, i, first + j) * scale[j]);
    for (size_t j = 0; j < some; j++) sum[j] = varies[j] ? sum[j] / total[j] : some_value[j] * scale[j];
    for (size_t i = 0; i < rows->n; i++)
        for (size_t j = 0; j < some; j++) {
            const double d = value(rows, i, first + j) * scale[j] - sum[j];
            if (!isnan(d)) squares[j] += weight(rows, i) * (d * d);
        }
    for (size_t j = 0; j < some; j++) {
        mean[first + j] = ldexp(sum[j], exponent_of(largest[j]));
        deviation[first + j] = total[j] > 0 ? ldexp(sqrt(squares[j] / total[j]), exponent_of(largest[j])) : 0;
    }
}

static void column_statistics(double *mean, double *deviation, const struct columns *rows)
{
    for (size_t j = 0; j < rows->inputs; j += SIDE_BY_SIDE)
        some_statistics(mean, deviation, rows, j, rows->inputs - j < SIDE_BY_SIDE ? rows->inputs - j : SIDE_BY_SIDE);
}

void kelvin_part_statistics(const kelvin_data *data, const kelvin_part *part, double *mean, double *deviation)
{
    const struct columns columns = {.floats = part->x, .n = part->n, .inputs = data->inputs, .weight = part->weight};
    if (part->bytes)
        byte_statistics(mean, deviation, data, part);
    else
        column_statistics(mean, deviation, &columns);
}

/* ---- after loading ---- */

/* What does not vary is only moved. */
static double divisor(double deviation)
{
    return deviation > 0 ? deviation : 1;
}

/* Those of categories, and of what is missing, are 0 or 1 and stay so: each category has the length of one column that
 * is standardised, however rare a value is. */
static void set_plain_inputs(double *mean, double *deviation, const kelvin_data *data)
{
    for (size_t j = 0; j < data->features; j++) {
        const kelvin_feature *f = &data->feature[j];
        for (size_t i = f->first; i < f->first + f->inputs; i++)
            if (kelvin_feature_is_plain_input(f, i)) mean[i] = 0, deviation[i] = 1;
    }
}

static void draw_in_rows(struct data_loader *l, const kelvin_data *like)
{
    for (size_t i = 0; i < l->n; i++) kelvin_features_draw_in(l->values + i * l->data->inputs, like);
}

/* Of the training rows, once as they are, and once more where some of their columns were drawn in. */
static kelvin_status set_column_statistics(double *mean, double *deviation, struct data_loader *l)
{
    const struct columns columns = {
        .doubles = l->values, .n = l->n_train, .inputs = l->data->inputs, .weight = l->weight};
    column_statistics(mean, deviation, &columns);
    bool found;
    KELVIN_TRY(kelvin_features_fit_tails(l, &found, deviation));
    if (!found) return KELVIN_OK;
    draw_in_rows(l, l->data);
    column_statistics(mean, deviation, &columns);
    return KELVIN_OK;
}

/* Of the training rows. */
static kelvin_status set_statistics(struct data_loader *l, size_t n)
{
    double *mean = kelvin_arena_alloc(l->arena, 2 * n, sizeof *mean), *deviation = mean + n;
    if (!mean) return KELVIN_ENOMEM;
    const kelvin_part train = {.n = l->n_train, .bytes = l->bytes, .weight = l->weight};
    if (l->bytes)
        byte_statistics(mean, deviation, l->data, &train);
    else
        KELVIN_TRY(set_column_statistics(mean, deviation, l));
    for (size_t i = 0; i < n; i++) deviation[i] = divisor(deviation[i]);
    set_plain_inputs(mean, deviation, l->data);
    l->data->mean = mean;
    l->data->deviation = deviation;
    return KELVIN_OK;
}

static kelvin_status standardise(float *x, const double *values, const kelvin_data *like, const char *path,
                                 const char *unit, size_t row)
{
    for (size_t j = 0; j < like->inputs; j++) {
        /* Halves, because a difference may be twice as large as a double can be. */
        const double mean = like->mean[j], moved = values[j] / 2 - mean / 2;
        x[j] = isnan(moved) ? 0 : (float)(moved / (divisor(like->deviation[j]) / 2)); /* missing: the mean */
        if (!isfinite(x[j]) || !isfinite(like->deviation[j]))
            return kelvin_fail(KELVIN_EFORMAT,
                               "%s: %s %zu, column %zu: %g is too far from the mean of its column, %g, to be "
                               "standardised",
                               path, unit, row, j + 1, values[j], mean);
    }
    return KELVIN_OK;
}

kelvin_status kelvin_data_standardise(float *x, double *values, const kelvin_data *like, const char *path,
                                      const char *unit, size_t row)
{
    kelvin_features_draw_in(values, like);
    return standardise(x, values, like, path, unit, row);
}

kelvin_status kelvin_data_normalise(struct data_loader *l, float **x)
{
    const size_t inputs = l->data->inputs;
    if (l->like && l->values) draw_in_rows(l, l->like);
    if (!l->data->mean) KELVIN_TRY(set_statistics(l, l->bytes ? l->data->channels : inputs));
    if (l->bytes) return KELVIN_OK;
    if (!(*x = kelvin_alloc(l->n * inputs, sizeof **x))) return KELVIN_ENOMEM;
    for (size_t i = 0; i < l->n; i++)
        KELVIN_TRY(standardise(*x + i * inputs, l->values + i * inputs, l->data, l->data->name, "row", i + 1));
    return KELVIN_OK;
}
