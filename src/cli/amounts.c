/* Numbers as people read them: no more digits than anybody wants to know. */
#include "cli/amounts.h"

#include <kelvin/ranks.h>

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

void amount_grouped(char out[AMOUNT], double x)
{
    char digits[AMOUNT];
    if (!(fabs(x) < 1e15)) { /* there would be no room for more */
        snprintf(out, AMOUNT, "%g", x);
        return;
    }
    snprintf(digits, sizeof digits, "%.0f", x);
    const size_t n = strlen(digits), sign = *digits == '-';
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        if (i > sign && (n - i) % 3 == 0) out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
}

void amount_rate(char out[AMOUNT], double x)
{
    if (fabs(x) < 99.95)
        snprintf(out, AMOUNT, "%.3g", x);
    else
        amount_grouped(out, x);
}

void amount_bytes(char out[AMOUNT], double bytes)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB"};
    size_t unit = 0;
    for (bytes /= 1e3; unit + 1 < sizeof units / sizeof *units && bytes >= 999.5; unit++) bytes /= 1e3;
    snprintf(out, AMOUNT, "%.*f %s", bytes < 10 ? 2 : bytes < 100 ? 1 : 0, bytes, units[unit]);
}

/* Two units at most. The first is chosen after rounding: never "60 s". */
void amount_seconds(char out[AMOUNT], double seconds)
{
    const double whole = round(seconds), minutes = round(seconds / 60), days = seconds / 86400;
    if (whole < 60)
        snprintf(out, AMOUNT, "%.0f s", whole);
    else if (whole < 3600)
        snprintf(out, AMOUNT, "%.0f min %.0f s", floor(whole / 60), fmod(whole, 60));
    else if (minutes < 48 * 60)
        snprintf(out, AMOUNT, "%.0f h %.0f min", floor(minutes / 60), fmod(minutes, 60));
    else
        snprintf(out, AMOUNT, "%.*f days", days < 99.95 ? 1 : 0, days);
}

void amount_row(const char *name, void (*amount)(char out[AMOUNT], double x), double x, const char *note)
{
    char value[AMOUNT];
    amount(value, x);
    printf("%-24s %12s%s%s\n", name, value, *note ? "   " : "", note);
}

void amount_busy(double cpu_share, double seconds)
{
    static const double busy = 0.7; /* of a CPU: with less, the time says more about other programs */
    char text[AMOUNT];
    if (!(cpu_share < busy)) return;
    amount_seconds(text, seconds * cpu_share);
    printf("\nThis machine is busy: what was measured had %.0f %% of its CPUs; on an idle\n", 100 * cpu_share);
    printf("one it would take about %s.\n", text);
}

void amount_of_one_rank(void)
{
    if (kelvin_rank_count() > 1)
        fprintf(stderr, "note: these are the numbers of one process; %zu ranks will share the work\n",
                kelvin_rank_count());
}
