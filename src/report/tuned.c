/* Settings that a sampler tunes by itself: what a 0 in the configuration stood for, and what came of it. */
#include "report/page.h"

#include <math.h>
#include <string.h>

#define NO_BREAK "\xc2\xa0" /* a space at which no line ends */

/* The setting of that name, if it is 0 in this run and that stands for something; or NULL. */
static const kelvin_setting *find_setting(const kelvin_run *run, const char *name)
{
    for (size_t i = 0; i < kelvin_count_settings(run->sampler); i++) {
        const kelvin_setting *setting = &run->sampler->setting[i];
        if (strcmp(setting->name, name) == 0 && setting->zero && run->config.setting[i] == 0) return setting;
    }
    return NULL;
}

/* A statistic that tells what a setting was last has its name. */
static bool is_told(const kelvin_sampler_type *type, const char *setting)
{
    for (size_t i = 0; i < kelvin_count_statistics(type); i++)
        if (type->statistic[i].last && strcmp(type->statistic[i].name, setting) == 0) return true;
    return false;
}

/* At the ends of all chains that came out of warm-up: in others it was still being tuned. False if there are none. */
static bool find_range(double *least, double *most, const struct report_run *run, const char *column)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (uint32_t i = 0; i < run->samples->run->config.chains; i++) {
        const kelvin_history *h = &run->histories[i];
        if (h->rows <= kelvin_run_warmup(run->samples->run)) continue;
        const double *last = kelvin_history_at(h, h->rows - 1, column);
        if (!last) continue;
        *least = fmin(*least, *last);
        *most = fmax(*most, *last);
    }
    return *least <= *most;
}

const char *kelvin_page_tuned(struct page *page, const struct report_run *run, const char *field, bool outcome)
{
    const kelvin_setting *setting = find_setting(run->samples->run, field);
    double least, most;
    if (!setting) return NULL;
    if (!outcome || !is_told(run->samples->run->sampler, field) || !find_range(&least, &most, run, field))
        return setting->zero;
    const char *low = kelvin_page_text(page, "%.3g", least), *high = kelvin_page_text(page, "%.3g", most);
    if (strcmp(low, high) == 0) return kelvin_page_text(page, "%s: %s", setting->zero, low);
    return kelvin_page_text(page, "%s: %s" NO_BREAK "to" NO_BREAK "%s", setting->zero, low, high);
}
