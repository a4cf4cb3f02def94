/* chart: one description of a picture, drawn as SVG inside a page (kelvin_chart_svg) or into files by gnuplot
 * (kelvin_chart_files).
 *
 *     struct chart chart;
 *     kelvin_chart_begin(&chart, arena, "size", "Accuracy by posterior size");
 *     chart.x = (struct chart_axis){.label = "samples", .low = NAN, .high = NAN, .log = true};
 *     kelvin_chart_panel(&chart, "accuracy, %", 150);
 *     struct chart_series *s = kelvin_chart_add(&chart, CHART_LINE, "run", 0, n);
 *     if (s) s->points[0] = (struct chart_point){.x = 1, .y = 90};
 *     KELVIN_TRY(kelvin_chart_svg(&markup, &chart));
 *
 * A chart is a column of panels that share their horizontal axis. Whoever has filled one looks at chart.status: it is
 * KELVIN_ENOMEM if something did not fit into memory. Points that are not finite are left out. */
#ifndef CHARTS_CHART_H
#define CHARTS_CHART_H

#include "charts/markup.h"

enum chart_kind {
    CHART_LINE,   /* x, y; broken where a point is not finite */
    CHART_BAND,   /* x, from low to high */
    CHART_POINTS, /* x, y, and an error bar from low to high where low < high */
    CHART_BARS,   /* from x to `to`, from low to high */
    CHART_HEAT,   /* the same, as dark as y says: from 0 to the largest, with a scale for it */
};

/* `low`, `high` and `to` are 0 in a series that does not need them. */
struct chart_point {
    double x, y, low, high, to;
};

enum { CHART_COLOURS = 7, CHART_GREY = CHART_COLOURS, CHART_INK, CHART_PANELS = 4, CHART_WIDTH = 400 };

struct chart_series {
    enum chart_kind kind;
    const char *name; /* in the legend; NULL: not there */
    size_t colour;    /* 0 .. CHART_COLOURS - 1, each with a shape of points; or CHART_GREY, CHART_INK */
    bool dashed, thin;
    bool hollow; /* points, bars */
    bool small;  /* points */
    bool across; /* error bars are horizontal */
    bool light;  /* bars */
    bool joined; /* points have a line through them */
    bool tall;   /* bands: from the bottom of the panel to its top, however high that is */
    size_t n;
    struct chart_point *points; /* (n) */
    struct chart_series *next;
};

struct chart_axis {
    const char *label;
    double low, high; /* not a number: as the points have it, with a margin */
    bool log;
    double floor, ceiling;    /* values beyond these there are not, nor ticks; the same: any value can be */
    double span;              /* what is closer together than this is drawn so, rather than as a difference */
    const char *const *names; /* (n_names) at 0, 1, ..., instead of numbers; NULL: numbers */
    size_t n_names;
};

struct chart_panel {
    struct chart_axis y;
    double height;
    struct chart_series *series, **end;
};

struct chart {
    const char *name; /* of its files: "reliability" */
    const char *title, *subtitle;
    const char *about; /* what is to be seen, for those who cannot see it */
    struct chart_axis x;
    double darkest;         /* the value that is darkest in a heat map; 0: its largest */
    const char *heat_label; /* of its scale */
    size_t n_panels;
    struct chart_panel panel[CHART_PANELS];
    kelvin_arena *arena;
    kelvin_status status;
};

/* Everything of the chart lives in the arena. */
void kelvin_chart_begin(struct chart *chart, kelvin_arena *arena, const char *name, const char *title);

/* One more panel beneath the others. Its height is in units of which a chart is CHART_WIDTH wide. */
struct chart_panel *kelvin_chart_panel(struct chart *chart, const char *label, double height);

/* A series of n zeroed points in the last panel; NULL, and the chart's status, if memory is short. */
struct chart_series *kelvin_chart_add(struct chart *chart, enum chart_kind kind, const char *name, size_t colour,
                                      size_t n);

/* A dashed grey line without a name. */
void kelvin_chart_reference(struct chart *chart, const char *name, double x0, double y0, double x1, double y1);

/* A text that lives as long as the chart; "" if memory is short. */
const char *kelvin_chart_text(struct chart *chart, const char *format, ...) KELVIN_PRINTF(2, 3);

/* ---- drawing ---- */

/* An <svg> element; its look is in chart.css. */
KELVIN_MUST_CHECK kelvin_status kelvin_chart_svg(struct markup *out, const struct chart *chart);

/* FOLDER/NAME.csv and .gp, and .png, .svg and .pdf by gnuplot; the folder is made if it is missing. Those that there
 * are then go to `list`, a line each, unless it is NULL: without gnuplot the numbers are kept, and the status says how
 * to go on. */
KELVIN_MUST_CHECK kelvin_status kelvin_chart_files(FILE *list, const struct chart *chart, const char *folder);

#endif
