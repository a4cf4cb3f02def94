/* The verdict on a run: the gravest of what was found, or what was looked at if nothing was. */
#include "posterior/advice.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAMED = 2 }; /* things that are off, the gravest */

KELVIN_PRINTF(3, 4)
static void add(char text[KELVIN_VERDICT], const char *before, const char *format, ...)
{
    const size_t used = strlen(text), head = used + (size_t)snprintf(text + used, KELVIN_VERDICT - used, "%s", before);
    va_list args;
    va_start(args, format);
    if (head < KELVIN_VERDICT) vsnprintf(text + head, KELVIN_VERDICT - head, format, args);
    va_end(args);
}

static const char *about(const char *code)
{
    size_t i = 0;
    while (strcmp(kelvin_advice_about(i)->code, code) != 0) i++;
    return kelvin_advice_about(i)->about;
}

static void name_faults(char text[KELVIN_VERDICT], const struct kelvin_advice_list *advice, kelvin_grade grade)
{
    for (size_t i = 0, named = 0; i < advice->n && named < NAMED; i++)
        if (advice->grade[i] == grade) add(text, named++ ? "; " : ": ", "%s", about(advice->code[i]));
}

static void name_checks(char text[KELVIN_VERDICT], const struct kelvin_facts *f)
{
    const kelvin_diagnosis *d = f->found;
    const struct kelvin_quality *q = &d->quality;
    const kelvin_average *beyond = &q->beyond[KELVIN_LINEAR];
    const kelvin_temperatures *t = &d->temperatures;
    add(text, ": ", "%zu samples of %zu chain%s", f->samples, d->training.chains, d->training.chains == 1 ? "" : "s");
    if (d->training.chains > 1) add(text, "", " that are alike");
    if (!isnan(t->configurational.mean))
        add(text, " and ", "have %ssettled (temperature %.2f of 1)",
            fabs(t->configurational.mean / t->set - 1) > 0.1 ? "nearly " : "", t->configurational.mean / t->set);
    else if (!isnan(d->predictions.rank_rhat_max))
        add(text, " and ", "have mixed (R-hat %.2f)", d->predictions.rank_rhat_max);
    if (!isnan(beyond->mean))
        add(text, "; ", "%s than a linear model on %zu %s rows", beyond->mean > 0 ? "better" : "no worse", q->n,
            d->side == KELVIN_TEST ? "test" : "training");
    if (q->n > 0)
        add(text, "; ", "confidence and accuracy fit within chance (%.0f and %.0f %%)", 100 * q->confidence,
            100 * q->accuracy);
}

kelvin_grade kelvin_conclude_verdict(char text[KELVIN_VERDICT], const struct kelvin_facts *f,
                                     const struct kelvin_advice_list *advice)
{
    kelvin_grade grade = KELVIN_SOUND;
    for (size_t i = 0; i < advice->n; i++)
        if (advice->grade[i] > grade) grade = advice->grade[i];
    snprintf(text, KELVIN_VERDICT, "%s", kelvin_grade_name(grade));
    if (grade == KELVIN_SOUND)
        name_checks(text, f);
    else
        name_faults(text, advice, grade);
    return grade;
}
