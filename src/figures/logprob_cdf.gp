# Columns: log-probability, then the 10th percentile, the middle and the 90th percentile of each of four series.
file = base . ".csv"
ends = "butt"
eval canvas(1123, 703)
eval panel(158, 20, 1103, 596)
size = 27.7

# `stats` calls functions for each row. It complains of columns without a number, unless their text is looked at first.
number(k) = strstrt(stringcolumn(k), "nan") ? NaN : column(k)
low = 0.0
lower(x) = (x < low ? (low = x) : 0, 0)
stats file using (lower(number(1))) nooutput
low = low < 0 ? low : -70.0
eval panel_ranges(1.05 * low, -0.05 * low, -0.05, 1.05)
step = round_up(-low / 7)
do for [i = 0:int(-low / step + 1e-6)] { eval tick_x(-i * step, gprintf("%g", i > 0 ? -i * step : 0), size) }
do for [i = 0:5] { eval tick_y(0.2 * i, sprintf("%d%%", 20 * i), size) }
eval text((panel_l + panel_r) / 2, panel_b + 72, "predicted log-probability", size, "center")
eval title_y("cum. probability", size, 129)

clipped(v, words) = sprintf("DirClip(%g, %d) %s", alpha, v, words)
name(k) = k == 1 ? clipped(-50, "rand. init.") : k == 2 ? clipped(-50, "finetuned") \
    : k == 3 ? clipped(-10, "finetuned") : "categorical (T=0)"
colour(k) = word(tab10, k)
faint(k, share) = sprintf("#%02x", int(255 * (1 - share) + 0.5)) . substr(colour(k), 2, 7)

# Series that have a number: not all posteriors may have been sampled.
present = ""
find(y) = (y == y ? (found = 1) : 0, 0)
do for [k = 1:4] {
    found = 0
    stats file using (find(number(3 * k))) nooutput
    present = present . (found ? sprintf(" %d", k) : "")
}
series = words(present)

# The clipping values, where a series has them.
clip(v, k) = line(horizontal(v), panel_b, horizontal(v), panel_t, \
    sprintf("back linewidth 4.2 dashtype (10, 14) linecolor rgb '%s'", faint(k, 0.2)))
if (low < -50 && (strstrt(present, "1") || strstrt(present, "2"))) { eval clip(-50, 1) }
if (low < -10 && strstrt(present, "3")) { eval clip(-10, 3) }

# The legend is at its published place, or at another where no curve is behind it, if there is one. Curves only rise, so
# a box is free of one that is above it at its left edge or below it at its right edge.
wide = present eq " 4" ? 343 : 482 + 18 * (strlen(sprintf("%g", alpha)) - 4)
tall = 9 + 42 * series
share(v) = panel_y0 + (panel_b - v) / (panel_b - panel_t) * (panel_y1 - panel_y0)
reach(x, y) = (h = horizontal(x), h <= box_l - 9 ? (at_left = y) : 0, h <= box_l + wide + 9 ? (at_right = y) : 0, 0)
free = 0
do for [b in "540 340 230"] {
    do for [l in "367 277 187 457 547"] {
        if (!free) {
            box_l = int(l)
            box_t = int(b) - tall
            free = 1
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
    box_l = 367
    box_t = 540 - tall
}
if (series) {
    eval "set object rectangle from " . place(box_l, box_t) . " to " . place(box_l + wide, box_t + tall) \
        . " front fillcolor rgb '#33ffffff' fillstyle solid 1.0 border linecolor rgb '#d6d6d6' linewidth 2.8"
}
do for [i = 1:series] {
    v = box_t - 19 + 42 * i
    k = int(word(present, i))
    eval line(box_l + 10, v, box_l + 68, v, sprintf("front linewidth 4.2 linecolor rgb '%s'", colour(k)))
    eval text(box_l + 88, v, name(k), size, "left")
}

# Each band is below its curve, and below what comes later.
band(k) = sprintf(", file using 1:%d:%d with filledcurves fillstyle solid 1.0 noborder fillcolor rgb '%s'", \
    3 * k - 1, 3 * k + 1, faint(k, 0.3))
curve(k) = sprintf(", file using 1:%d with lines linewidth 4.2 linecolor rgb '%s'", 3 * k, colour(k))
command = "plot NaN"
do for [k in present] { command = command . band(int(k)) . curve(int(k)) }
eval command
