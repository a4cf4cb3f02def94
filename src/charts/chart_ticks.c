/* Ranges and ticks of axes. */
#include "charts/chart_layout.h"

#include <math.h>
#include <string.h>

/* Beyond these doubles are too coarse, or too near their end, to divide an axis by. */
static const double largest_shown = 1e100;

static bool fits(double x, bool log)
{
    return isfinite(x) && fabs(x) <= largest_shown && (!log || x >= 1 / largest_shown);
}

/* One value alone, or a range in which doubles are too close to each other, gets some room. */
static struct chart_range widen(struct chart_range range)
{
    const double size = fmax(fabs(range.low), fabs(range.high));
    if (range.high - range.low > 1e-9 * size) return range;
    const double middle = (range.low + range.high) / 2, room = size > 0 ? 0.1 * size : 0.5;
    range.low = range.log ? middle / 1.5 : middle - room;
    range.high = range.log ? middle * 1.5 : middle + room;
    return range;
}

static struct chart_range with_margin(struct chart_range range)
{
    const double margin = 0.05 * (range.high - range.low), factor = pow(range.high / range.low, 0.04);
    range.low = range.log ? range.low / factor : range.low - margin;
    range.high = range.log ? range.high * factor : range.high + margin;
    return range;
}

bool kelvin_chart_possible(const struct chart_axis *axis, double value)
{
    const double slack = 1e-9 * axis->span;
    return !(axis->floor < axis->ceiling) || (value >= axis->floor - slack && value <= axis->ceiling + slack);
}

void kelvin_chart_widen(const struct chart_axis *axis, double *least, double *largest)
{
    const double missing = axis->span - (*largest - *least);
    if (!(missing > 0) || axis->log) return;
    *least -= missing / 2;
    *largest += missing / 2;
    if (!(axis->floor < axis->ceiling)) return;
    const double up = fmax(0, axis->floor - *least), down = fmax(0, *largest - axis->ceiling);
    *least += up - down;
    *largest += up - down;
}

struct chart_range kelvin_chart_range(const struct chart_axis *axis, double least, double largest)
{
    if (axis->names) return (struct chart_range){-0.5, axis->n_names ? (double)axis->n_names - 0.5 : 0.5, false};
    struct chart_range range = {least, largest, axis->log};
    if (!fits(least, axis->log) || !fits(largest, axis->log) || least > largest)
        range = (struct chart_range){axis->log ? 1 : 0, axis->log ? 10 : 1, axis->log};
    else
        kelvin_chart_widen(axis, &range.low, &range.high);
    range = with_margin(widen(range));
    if (fits(axis->low, axis->log)) range.low = axis->low;
    if (fits(axis->high, axis->log)) range.high = axis->high;
    if (range.low < range.high) return widen(range);
    const double at = isfinite(axis->low) ? range.low : range.high; /* all points are beyond the end that was set */
    return widen((struct chart_range){at, at, axis->log});
}

double kelvin_chart_share(const struct chart_range *range, double value)
{
    if (!fits(value, range->log)) return NAN;
    if (range->log) return log(value / range->low) / log(range->high / range->low);
    return (value - range->low) / (range->high - range->low);
}

/* Digits as the distance between ticks asks for; a true minus sign. */
static void write_label(char label[CHART_TICK_LABEL], double value, double step)
{
    const double size = fabs(value);
    int digits = (int)-floor(log10(step) + 1e-9);
    if (digits < 0 || (value == 0 && step < 0.99e-4)) digits = 0;
    char text[CHART_TICK_LABEL];
    if (size >= 999999.5 || (size > 0 && step < 0.99e-4)) {
        const int exponent = (int)floor(log10(size) + 1e-12);
        const int more = exponent - (int)floor(log10(step) + 1e-9);
        snprintf(text, sizeof text, "%.*fe%d", more > 0 ? more : 0, size / pow(10, exponent), exponent);
    } else {
        snprintf(text, sizeof text, "%.*f", digits, size);
    }
    snprintf(label, CHART_TICK_LABEL, "%s%.20s", value < 0 ? "\xe2\x88\x92" : "", text);
}

static size_t linear(struct chart_tick ticks[CHART_TICKS], const struct chart_range *range, size_t most)
{
    static const double leading[] = {1, 2, 5};
    const double span = range->high - range->low, slack = 1e-9;
    const int power = (int)floor(log10(span)) - 2;
    for (size_t i = 0;; i++) {
        const double step = leading[i % 3] * pow(10, power + (int)(i / 3));
        const double first = ceil(range->low / step - slack), last = floor(range->high / step + slack);
        if (last - first + 1 > (double)most) continue;
        size_t n = 0;
        for (double k = first; k <= last; k++, n++) {
            ticks[n].at = k * step;
            write_label(ticks[n].label, ticks[n].at, step);
        }
        return n;
    }
}

/* Powers of ten, every `each`-th; of them 1, 2 and 5 times as many as fit. */
static size_t logarithmic(struct chart_tick ticks[CHART_TICKS], const struct chart_range *range, size_t most)
{
    static const double choices[][3] = {{1, 2, 5}, {1, 3}, {1}};
    const int from = (int)floor(log10(range->low) - 1e-9), until = (int)floor(log10(range->high) + 1e-9);
    for (size_t choice = 0, each = 1;; choice < 2 ? choice++ : each++) {
        size_t n = 0;
        for (int power = from; power <= until && n <= most; power++)
            for (int i = 0; i < 3 && choices[choice][i] > 0 && n <= most; i++) {
                const double at = choices[choice][i] * pow(10, power);
                const bool inside = at >= range->low * (1 - 1e-9) && at <= range->high * (1 + 1e-9);
                if (!inside || (power % (int)each + (int)each) % (int)each != 0) continue;
                if (n < CHART_TICKS) ticks[n].at = at, write_label(ticks[n].label, at, pow(10, power));
                n++;
            }
        if (n <= most) return n;
    }
}

size_t kelvin_chart_ticks(struct chart_tick ticks[CHART_TICKS], const struct chart_range *range, size_t most)
{
    if (most > CHART_TICKS) most = CHART_TICKS;
    if (most < 2) most = 2;
    size_t n = range->log ? logarithmic(ticks, range, most) : 0;
    /* Two say how far an axis goes; one too many is better than one alone. */
    for (size_t more = 0; n < 2 && more < 2 && most + more <= CHART_TICKS; more++)
        n = linear(ticks, range, most + more);
    if (n > 0) return n;
    ticks[0].at = range->low; /* an axis without a number says nothing */
    write_label(ticks[0].label, range->low, range->high - range->low);
    return 1;
}
