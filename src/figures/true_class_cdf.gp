# Columns: log-probability of the true class, then the 10th percentile, the middle and the 90th percentile of the
# DirClip posterior and of the cold one.
file = base . ".csv"
ends = "butt"
size = 27.7
eval canvas(963, 623)

# `stats` calls functions for each row. It complains of columns without a number, unless their text is looked at first.
number(k) = strstrt(stringcolumn(k), "nan") ? NaN : column(k)

# Series that have a number: not all posteriors may have been sampled. The smallest share that matters is about that of
# wrong predictions: what is below -1. The axis ends at 0.8 times a power of ten, the next below a tenth of it.
present = ""
matters = 1.0
find(x, y) = (y == y ? (found = 1) : 0, y > 0 && (x <= -1 || wrong == 0) ? (wrong = y) : 0, 0)
do for [k = 1:2] {
    found = 0
    wrong = 0.0
    stats file using (find($1, number(3 * k))) nooutput
    present = present . (found ? sprintf(" %d", k) : "")
    matters = wrong > 0 && wrong < matters ? wrong : matters
}
series = words(present)
bottom = series ? floor(log10(matters / 10) + 1e-9) : -3
least = bottom + log10(0.8)

# On the left, it begins at the tick before the first share that is seen.
left = series ? -5.0 : -70.0
first(x, y) = (y > 10**least && x < left ? (left = x) : 0, 0)
do for [k in present] {
    stats file using (first($1, number(3 * k))) nooutput
    stats file using (first($1, number(3 * k + 1))) nooutput
}
step = round_up(-left / 7)
left = step * floor(left / step + 1e-6)

wider = bottom > -4 ? 0 : 10 + 18 * (-4 - bottom)
eval panel(158 + wider, 20, 943, 516)
eval panel_ranges(left, -left / 35, least, -0.035 * least)
do for [i = 0:int(-left / step + 0.5)] { eval tick_x(-i * step, gprintf("%g", i > 0 ? -i * step : 0), size) }
do for [e = bottom - 1:0] {
    if (e >= bottom) { eval tick_y(e, sprintf("%g%%", 100 * 10.0**e), size) }
    do for [i = 2:9] { if (e + log10(i) > least - 1e-6 && e < 0) { eval mark_y(e + log10(i), 6) } }
}
eval text((panel_l + panel_r) / 2, panel_b + 72, "predicted log-prob. of true class", size, "center")
eval title_y("cum. probability", size, 129 + wider)

name(k) = k == 1 ? sprintf("DirClip(%g, -50)", alpha) : "cold posterior (T=0)"
colour(k) = k == 1 ? tab_blue : tab_red
faint(k) = "#b3" . substr(colour(k), 2, 7)

# The legend is at its published place, or at another where no curve is behind it, if there is one. Curves only rise, so
# a box is free of one that is above it at its left edge or below it at its right edge.
wide = 379
tall = 8 + 42 * series
reach(x, y) = (h = horizontal(x), h <= box_l - 9 ? (at_left = y) : 0, h <= box_l + wide + 9 ? (at_right = y) : 0, 0)
share(v) = 10**(panel_y0 + (panel_b - v) / (panel_b - panel_t) * (panel_y1 - panel_y0))
free = 0
do for [t in "34 200 300 400"] {
    do for [l in "14 120 210 300 390"] {
        if (!free) {
            box_l = panel_l + int(l)
            box_t = int(t)
            free = box_l + wide < panel_r - 9
            do for [k in present] {
                at_left = 0.0
                at_right = 0.0
                stats file using (reach($1, number(3 * k))) nooutput
                if (at_left <= share(box_t - 9) && at_right >= share(box_t + tall + 9)) { free = 0 }
            }
        }
    }
}
if (!free) {
    box_l = panel_l + 14
    box_t = 34
}
if (series) {
    eval "set object rectangle from " . place(box_l, box_t) . " to " . place(box_l + wide, box_t + tall) \
        . " front fillcolor rgb '#33ffffff' fillstyle solid 1.0 border linecolor rgb '#d6d6d6' linewidth 2.8"
}
do for [i = 1:series] {
    k = int(word(present, i))
    v = box_t - 19 + 42 * i
    eval line(box_l + 10, v, box_l + 68, v, sprintf("front linewidth 4.2 linecolor rgb '%s'", colour(k)))
    eval text(box_l + 88, v, name(k), size, "left")
}

# Below its foot, a curve runs along it out of sight: gnuplot fills bands wrongly that it must cut off there.
seen(y) = y == y ? (y > 10**least ? log10(y) : least) : NaN
rows(k, column, under) = sprintf(", file using ($1 < left ? NaN : $1):(seen($%d) - (seen($%d) > least ? 0 : %g))", \
    3 * k + column, 3 * k + column, under)
lines(thick, rgb) = sprintf(" with lines linewidth %g linecolor rgb '%s'", thick, rgb)
command = "plot NaN"
do for [k in present] {
    k = int(k)
    command = command . rows(k, -1, 0) . sprintf(":(seen($%d))", 3 * k + 1) \
        . sprintf(" with filledcurves fillstyle solid 1.0 noborder fillcolor rgb '%s'", faint(k)) \
        . rows(k, -1, 1) . lines(2.8, faint(k)) . rows(k, 1, 1) . lines(2.8, faint(k)) \
        . rows(k, 0, 1) . lines(4.2, colour(k))
}
eval command
