/* A chart as files: its numbers as CSV, a gnuplot script that draws them, and the pictures.
 *
 * Each series is a block of the table, beneath one line of names; gnuplot counts blocks. A unit of a chart is SCALE
 * units of the script's canvas.
 */
#include "charts/chart_layout.h"
#include "charts/output.h"

#include <math.h>
#include <string.h>

static const double SCALE = 2.5;

enum { TITLE = 26, SUBTITLE = 18, ABOVE = 8, BESIDE = 6, BELOW = 4 };

/* As in chart.css. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#b8578f", "#c48a00",
                                      "#3a9fd8", "#6b4fa0", "#7a828a", "#1b1f24"};

/* Circle, square, diamond, triangle. */
static const int shapes[] = {7, 5, 13, 9};

/* ---- the table ---- */

/* A text in quotes, on one line. */
static void put_name(FILE *file, const char *name)
{
    fputs(",\"", file);
    for (; name && *name; name++) {
        if (*name == '"') fputc('"', file);
        fputc((unsigned char)*name < ' ' ? ' ' : *name, file);
    }
    fputc('"', file);
}

/* What there is not is an empty field. */
static void put_value(FILE *file, double x, bool there)
{
    fputc(',', file);
    if (there && !isnan(x)) fprintf(file, "%.10g", x);
}

static void put_point(FILE *file, const struct chart_series *s, const struct chart_point *p)
{
    const bool box = s->kind == CHART_BARS || s->kind == CHART_HEAT;
    const bool spans = box || (s->kind == CHART_BAND && !s->tall) || (s->kind == CHART_POINTS && p->low < p->high);
    put_value(file, p->x, true);
    put_value(file, p->y, s->kind != CHART_BARS && s->kind != CHART_BAND);
    put_value(file, p->low, spans);
    put_value(file, p->high, spans);
    put_value(file, p->to, box);
}

static void put_series(FILE *file, const struct chart_series *s, const char *panel, size_t number)
{
    static const struct chart_point nowhere = {NAN, NAN, NAN, NAN, NAN};
    if (number) fputs("\n\n", file);
    for (size_t i = 0; i < s->n || i == 0; i++) { /* gnuplot counts no empty blocks */
        fprintf(file, "%zu", number);
        put_point(file, s, s->n ? &s->points[i] : &nowhere);
        put_name(file, panel);
        put_name(file, s->name);
        fputc('\n', file);
    }
}

static kelvin_status write_table(const struct chart *chart, const char *folder)
{
    struct output_file table;
    size_t number = 0;
    KELVIN_TRY(kelvin_output_open(&table, folder, chart->name, ".csv"));
    fputs("series,x,y,low,high,to,panel,name\n", table.file);
    for (size_t i = 0; i < chart->n_panels; i++)
        for (const struct chart_series *s = chart->panel[i].series; s; s = s->next)
            put_series(table.file, s, chart->panel[i].y.label, number++);
    return kelvin_output_close(&table, KELVIN_OK);
}

/* ---- the script ---- */

struct script {
    FILE *file;
    const struct chart *chart;
    struct chart_layout layout;
};

/* Where a unit of the chart is on the whole picture, as gnuplot has it: 0 .. 1 from the left and from below. */
static double screen_x(double x)
{
    return (x + BESIDE) / (CHART_WIDTH + 2 * BESIDE);
}

static double screen_y(const struct script *s, double y)
{
    return 1 - y / (s->layout.height + BELOW);
}

/* Words as they are, in single quotes: in others, gnuplot would run what stands between backquotes. It does not take a
 * quote in every place, so that becomes a typographic one. */
static void words(struct script *s, double x, double y, const char *align, double size, const char *text)
{
    fputs("set label '", s->file);
    for (; *text; text++)
        if (*text == '\'')
            fputs("\xe2\x80\x99", s->file);
        else
            fputc((unsigned char)*text < ' ' ? ' ' : *text, s->file);
    fprintf(s->file, "' at screen %.6f, screen %.6f %s front noenhanced font ',%g'\n", screen_x(x), screen_y(s, y),
            align, size * SCALE);
}

static void stroke(struct script *s, double x0, double y0, double x1, double y1, const char *style)
{
    fprintf(s->file, "set arrow from screen %.6f, screen %.6f to screen %.6f, screen %.6f nohead %s\n", screen_x(x0),
            screen_y(s, y0), screen_x(x1), screen_y(s, y1), style);
}

static void put_axes(struct script *s, const struct chart_panel *panel, const struct chart_frame *f, bool last)
{
    const struct chart_layout *l = &s->layout;
    const struct chart_axis *x_axis = &s->chart->x;
    if (panel->y.label) words(s, 2, f->top - 14, "left", CHART_FONT, panel->y.label);
    for (size_t i = 0; i < f->n_ticks; i++) {
        const double y = kelvin_chart_down(f, f->ticks[i].at);
        if (!panel->y.names) stroke(s, f->left, y, f->right, y, "back linewidth 1.5 linecolor rgb '#e4e8ec'");
        stroke(s, f->left - 3, y, f->left, y, "linewidth 2.5");
        words(s, f->left - 6, y, "right", CHART_FONT, kelvin_chart_tick_name(&panel->y, &f->ticks[i]));
    }
    for (size_t i = 0; i < l->n_ticks; i++) {
        const double x = kelvin_chart_across(f, l->ticks[i].at);
        if (panel->y.names && !x_axis->names)
            stroke(s, x, f->top, x, f->bottom, "back linewidth 1.5 linecolor rgb '#e4e8ec'");
        stroke(s, x, f->bottom, x, f->bottom + 4, "linewidth 2.5");
        if (last) words(s, x, f->bottom + 13, "center", CHART_FONT, kelvin_chart_tick_name(x_axis, &l->ticks[i]));
    }
    if (last && x_axis->label) words(s, (f->left + f->right) / 2, f->bottom + 30, "center", CHART_FONT, x_axis->label);
}

/* The columns of one block of the table as what the axes show. */
struct columns {
    size_t block;
    const char *x, *y, *low, *high, *to;
};

static struct columns columns_of(size_t block, const struct chart_series *s, bool x_log, bool y_log)
{
    const bool log = s->across ? x_log : y_log; /* where error bars are */
    return (struct columns){block,
                            x_log ? "(log10($2))" : "($2)",
                            y_log ? "(log10($3))" : "($3)",
                            s->tall ? "(panel_y0)"
                            : log   ? "(log10($4))"
                                    : "($4)",
                            s->tall ? "(panel_y1)"
                            : log   ? "(log10($5))"
                                    : "($5)",
                            x_log ? "(log10($6))" : "($6)"};
}

static void plot_line(FILE *file, const struct chart_series *s, const struct columns *c)
{
    fprintf(file, "using %s:%s with lines linewidth %s linecolor rgb '%s%s'%s", c->x, c->y,
            s->thin     ? "2.5"
            : s->dashed ? "3.5"
                        : "5",
            s->thin ? "#73" : "#", colours[s->colour] + 1, s->dashed ? " dashtype (7, 4.5)" : "");
}

static void plot_band(FILE *file, const struct chart_series *s, const struct columns *c)
{
    fprintf(file, "using %s:%s:%s with filledcurves fillstyle transparent solid 0.18 noborder linecolor rgb '%s'", c->x,
            c->low, c->high, colours[s->colour]);
}

/* A hollow point is a white one upon another. */
static const char *point_size(const struct chart_series *s, bool inside)
{
    static const char *const sizes[2][2] = {{"1", "0.55"}, {"0.6", "0.36"}};
    return sizes[s->small][inside];
}

static const char *bar_style(const struct chart_series *s)
{
    return s->hollow ? "empty" : s->light ? "transparent solid 0.32" : "solid 1.0";
}

/* Error bars, a line through the points where there is one, and the points upon them. */
static void plot_points(FILE *file, const struct chart_series *s, const struct columns *c)
{
    const char *colour = colours[s->colour];
    if (s->across)
        fprintf(file, "using ($5 > $4 ? %s : NaN):%s:(%s - %s):(0)", c->low, c->y, c->high, c->low);
    else
        fprintf(file, "using ($5 > $4 ? %s : NaN):%s:(0):(%s - %s)", c->x, c->low, c->high, c->low);
    fprintf(file, " with vectors nohead linewidth %s linecolor rgb '%s%s'", s->thin ? "2.5" : "5",
            s->thin ? "#73" : "#", colour + 1);
    if (s->joined)
        fprintf(file, ", \\\n    table index %zu skip 1 using %s:%s with lines linewidth 5 linecolor rgb '%s'",
                c->block, c->x, c->y, colour);
    for (int inside = 0; inside <= s->hollow; inside++)
        fprintf(file,
                ", \\\n    table index %zu skip 1 using %s:%s with points pointtype %d pointsize %s * dot linecolor "
                "rgb '%s'",
                c->block, c->x, c->y, shapes[s->colour % 4], point_size(s, inside), inside ? "white" : colour);
}

static void plot_bars(FILE *file, const struct chart_series *s, const struct columns *c)
{
    const char *colour = colours[s->colour];
    fprintf(file,
            "using %s:%s:%s:%s:%s:%s with boxxyerror fillstyle %s border rgb '%s' linecolor rgb '%s' linewidth %s",
            c->x, c->low, c->x, c->to, c->low, c->high, bar_style(s), s->hollow ? colour : "white", colour,
            s->hollow ? "2.5" : "1");
}

/* From white to the colour. */
static void plot_heat(FILE *file, const struct chart_series *s, const struct columns *c)
{
    fprintf(file,
            "using %s:%s:%s:%s:%s:%s:(blend($3 / darkest, 0x%s)) with boxxyerror fillstyle solid 1.0 noborder "
            "linecolor rgb variable",
            c->x, c->low, c->x, c->to, c->low, c->high, colours[s->colour] + 1);
}

static void (*const plot[])(FILE *file, const struct chart_series *s, const struct columns *c) = {
    [CHART_LINE] = plot_line, [CHART_BAND] = plot_band, [CHART_POINTS] = plot_points,
    [CHART_BARS] = plot_bars, [CHART_HEAT] = plot_heat,
};

/* Where a value is on the axis of the plot itself. */
static double shown(const struct chart_range *range, double value)
{
    return range->log ? log10(value) : value;
}

static void put_panel(struct script *s, size_t i, size_t *block)
{
    const struct chart_panel *panel = &s->chart->panel[i];
    const struct chart_frame *f = &s->layout.frame[i];
    const struct chart_range *x = &f->x, *y = &f->y;
    fprintf(s->file, "\neval panel(%.2f, %.2f, %.2f, %.2f)\n", SCALE * (f->left + BESIDE), SCALE * f->top,
            SCALE * (f->right + BESIDE), SCALE * f->bottom);
    fprintf(s->file, "eval panel_ranges(%.10g, %.10g, %.10g, %.10g)\n", shown(x, x->low), shown(x, x->high),
            shown(y, y->low), shown(y, y->high));
    put_axes(s, panel, f, i + 1 == s->chart->n_panels);
    fputs("plot NaN", s->file);
    for (const struct chart_series *series = panel->series; series; series = series->next) {
        const struct columns c = columns_of((*block)++, series, x->log, y->log);
        fprintf(s->file, ", \\\n    table index %zu skip 1 ", c.block);
        plot[series->kind](s->file, series, &c);
    }
    fputs("\nunset label\nunset arrow\nunset object\n", s->file);
}

static void put_key(struct script *s, const struct chart_key *key)
{
    const struct chart_series *series = key->series;
    const char *colour = colours[series->colour];
    const double end = key->x + CHART_SWATCH;
    char style[128];
    if (series->kind == CHART_LINE || series->kind == CHART_POINTS) {
        snprintf(style, sizeof style, "front linewidth %s linecolor rgb '%s'%s", series->dashed ? "3.5" : "5", colour,
                 series->dashed ? " dashtype (7, 4.5)" : "");
        stroke(s, key->x, key->y, end, key->y, style);
    } else {
        fprintf(
            s->file,
            "set object rectangle from screen %.6f, screen %.6f to screen %.6f, screen %.6f front fillcolor rgb '%s' "
            "fillstyle %s border rgb '%s'\n",
            screen_x(key->x), screen_y(s, key->y - 5), screen_x(end), screen_y(s, key->y + 5), colour,
            series->kind == CHART_BAND ? "transparent solid 0.18" : bar_style(series),
            series->hollow ? colour : "white");
    }
    for (int inside = 0; series->kind == CHART_POINTS && inside <= series->hollow; inside++)
        fprintf(
            s->file,
            "set label '' at screen %.6f, screen %.6f front point pointtype %d pointsize %s * dot linecolor rgb '%s'\n",
            screen_x(key->x + CHART_SWATCH / 2.0), screen_y(s, key->y), shapes[series->colour % 4],
            point_size(series, inside), inside ? "white" : colour);
    words(s, end + 6, key->y, "left", CHART_FONT, series->name);
}

static void put_scale(struct script *s)
{
    const struct chart_layout *l = &s->layout;
    const double y = l->heat_y, half = CHART_SHADE / 2.0;
    if (!(l->darkest > 0)) return;
    words(s, 2, y, "left", CHART_FONT, "0");
    for (int i = 0; i < CHART_SHADES; i++)
        fprintf(s->file,
                "set object rectangle from screen %.6f, screen %.6f to screen %.6f, screen %.6f front "
                "fillcolor rgb int(blend(%.4f, 0x%s)) fillstyle solid 1.0 noborder\n",
                screen_x(l->heat_x + CHART_SHADE * i), screen_y(s, y - half),
                screen_x(l->heat_x + CHART_SHADE * (i + 1)), screen_y(s, y + half), i / (CHART_SHADES - 1.0),
                colours[l->heat_colour] + 1);
    words(s, l->heat_x + CHART_SHADES * CHART_SHADE + 6, y, "left", CHART_FONT, l->heat_words);
}

static kelvin_status write_script(const struct chart *chart, const char *folder)
{
    struct output_file output;
    size_t block = 0;
    KELVIN_TRY(kelvin_output_open(&output, folder, chart->name, ".gp"));
    struct script s = {.file = output.file, .chart = chart};
    kelvin_chart_layout(&s.layout, chart, ABOVE + TITLE + (chart->subtitle ? SUBTITLE : 0), 0.62); /* of DejaVu Sans */
    kelvin_output_prelude(s.file);
    fprintf(s.file, "\n# ---- the picture ----\neval canvas(%.0f, %.0f)\n", SCALE * (CHART_WIDTH + 2 * BESIDE),
            SCALE * (s.layout.height + BELOW));
    fprintf(s.file, "table = base . '.csv'\ndarkest = %.10g\n", s.layout.darkest > 0 ? s.layout.darkest : 1);
    fputs("channel(share, colour, shift) = int(255 + share * (((int(colour) >> shift) & 255) - 255)) << shift\n"
          "mix(share, colour) = channel(share, colour, 16) + channel(share, colour, 8) + channel(share, colour, 0)\n"
          "blend(share, colour) = mix(share > 0 && share <= 1 ? share : 0, colour)\n"
          "dot = format eq 'svg' ? 2.4 : format eq 'png' ? 2.2 : 0.55 # of points, about the same in each format\n"
          "set multiplot\n",
          s.file);
    words(&s, 2, ABOVE + TITLE / 2.0 - 3, "left", 14.5, chart->title);
    if (chart->subtitle) words(&s, 2, ABOVE + TITLE + SUBTITLE / 2.0 - 4, "left", CHART_FONT, chart->subtitle);
    for (size_t i = 0; i < s.layout.n_keys; i++) put_key(&s, &s.layout.keys[i]);
    put_scale(&s);
    for (size_t i = 0; i < chart->n_panels; i++) put_panel(&s, i, &block);
    fputs("unset multiplot\n", s.file);
    return kelvin_output_close(&output, KELVIN_OK);
}

/* ---- all of it ---- */

kelvin_status kelvin_chart_files(FILE *list, const struct chart *chart, const char *folder)
{
    static const char *const tables[] = {".csv", NULL};
    KELVIN_TRY(chart->status);
    KELVIN_TRY(kelvin_output_check_folder(folder));
    KELVIN_TRY(write_table(chart, folder));
    KELVIN_TRY(write_script(chart, folder));
    const kelvin_status status = kelvin_output_draw(folder, chart->name, false, NULL, NULL);
    if (list) kelvin_output_print_files(list, folder, chart->name, tables, !status, false);
    return status;
}
