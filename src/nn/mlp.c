/* "mlp:W,W,...[,leak=S]": dense layers of W units, y = max(s, S s) with s = W x + b, and a last one without. The
 * paper's for images is mlp:20,20,20,leak=0.01, its weights start with variance 1 / fan-in. */
#include "nn/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text has no room for more widths than half its letters. */
enum { TEXT = sizeof((kelvin_model *)0)->spec, MAX_HIDDEN = TEXT / 2, MAX_WIDTH = 1 << 16 };
_Static_assert(MAX_HIDDEN + 1 <= MAX_LAYERS, "the layers of any text fit");

struct plan {
    size_t n, width[MAX_HIDDEN];
    float leak;
};

/* One item between commas: a width, or leak=S. */
static kelvin_status parse_item(struct plan *plan, const char *item, const char *spec)
{
    char *end;
    errno = 0;
    if (strncmp(item, "leak=", 5) == 0) {
        const double leak = strtod(item + 5, &end);
        if (end == item + 5 || *end || !(leak >= 0 && leak < 1))
            return kelvin_fail(KELVIN_EUSAGE, "model '%s': leak must be a number in [0, 1), not '%s'", spec, item + 5);
        plan->leak = (float)leak;
        return KELVIN_OK;
    }
    const long width = strtol(item, &end, 10);
    if (end == item || *end || errno || width < 1 || width > MAX_WIDTH)
        return kelvin_fail(KELVIN_EUSAGE, "model '%s': a layer's width must be a whole number from 1 to %d, not '%s'",
                           spec, MAX_WIDTH, item);
    plan->width[plan->n++] = (size_t)width;
    return KELVIN_OK;
}

static kelvin_status parse(struct plan *plan, const char *rest, const char *spec)
{
    char text[TEXT];
    if (!*rest) return KELVIN_OK;
    if (*rest != ':')
        return kelvin_fail(KELVIN_EUSAGE, "model '%s' is not known; expected mlp:W,W,... such as mlp:10,10,10", spec);
    snprintf(text, sizeof text, "%s", rest + 1);
    for (char *item = text; item;) {
        char *comma = strchr(item, ',');
        if (comma) *comma = '\0';
        KELVIN_TRY(parse_item(plan, item, spec));
        item = comma ? comma + 1 : NULL;
    }
    return KELVIN_OK;
}

static kelvin_status build(kelvin_model *model, const char *rest)
{
    struct plan plan = {0};
    struct builder b = {model, 1.0};
    char name[24];
    KELVIN_TRY(parse(&plan, rest, model->spec));
    for (size_t l = 0; l < plan.n; l++) {
        snprintf(name, sizeof name, "layers.%zu", l);
        kelvin_layer_add(
            &b, name,
            (kelvin_layer){.kind = KELVIN_LAYER_DENSE, .in = l, .leak = plan.leak, .to.channels = plan.width[l]});
    }
    snprintf(name, sizeof name, "layers.%zu", plan.n);
    kelvin_layer_add_head(&b, name, plan.n);
    return KELVIN_OK;
}

const struct family kelvin_family_mlp = {"mlp", "mlp:W,W,...[,leak=S]",
                                         "dense layers of W units with ReLU, or leaky ReLU of slope S", build};
