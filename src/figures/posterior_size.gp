# Columns: number of samples, accuracy and log-likelihood of the cold posterior, and of the DirClip posterior.
file = base . ".csv"
ends = "butt"
size = 27.7
eval canvas(1823, 663)
least(a, b) = a < b ? a : b
most(a, b) = a > b ? a : b

# `stats` calls functions for each row. It complains of columns without a number, unless their text is looked at first.
number(k) = strstrt(stringcolumn(k), "nan") ? NaN : column(k)

# Per series: how many points it has, and its worst and best values. The likelihood is drawn as -log2(-L): what doubles
# is equally far apart. `reference` is the cold posterior of 8 samples.
height_of(L) = L < 0 && L > -1e300 ? -log(-L) / log(2) : NaN
drawn(k) = k % 2 ? height_of(number(k)) : number(k)
extend(s, y) = (y == y ? (points = points + 1, n = most(n, s), worst = least(worst, y), best = most(best, y), \
    s == 8 ? (at_8 = y) : 0) : 0, 0)
array count[5]
array lowest[5]
array highest[5]
array reference[5]
n = 1
do for [k = 2:5] {
    points = 0
    worst = 1e300
    best = -1e300
    at_8 = NaN
    stats file using (extend($1, drawn(k))) nooutput
    count[k] = points
    lowest[k] = worst
    highest[k] = best
    reference[k] = at_8
}

# What both panels have. On the horizontal axis, ticks are at 1 and at 1, 2, 4 or 5 times a power of ten.
apart = n > 1 ? n - 1.0 : 1.0
leading = n / 6.0 / decade(n / 6.0)
step_x = n <= 6 ? 1 : decade(n / 6.0) * (leading < 1.001 ? 1 : leading < 2.001 ? 2 : leading < 4.001 ? 4 \
    : leading < 5.001 ? 5 : 10)
name(k) = k < 4 ? sprintf("cold posterior (T=%g)", temperature) : sprintf("DirClip(%g) posterior", alpha)
colour(k) = k < 4 ? tab_blue : tab_orange
dashed(y) = line(panel_l, vertical(y), panel_r, vertical(y), \
    "front linewidth 4.2 dashtype (7.4, 3.2) linecolor rgb '#4c000000'")
dot = format eq "svg" ? 1.6 : format eq "png" ? 1.5 : 0.36 # of points, about the same in each format
curve(k) = sprintf(", file using 1:(scale%d * drawn(%d)) with ", k % 2, k) \
    . (count[k] > 1 ? "lines linewidth 4.2" : sprintf("points pointtype 7 pointsize %g", dot)) \
    . sprintf(" linecolor rgb '%s'", colour(k))
set multiplot

# ---- accuracy ----
# Shares become percentages. A posterior that is far worse altogether does not stretch the axis.
best = most(most(highest[2], highest[4]), 0)
scale0 = best > 1 ? 1.0 : 100.0
counts(k) = count[k] > 0 && scale0 * (best - highest[k]) < 12
series = (count[2] > 0) + (count[4] > 0)
worst = least(counts(2) ? lowest[2] : best, counts(4) ? lowest[4] : best)
y0 = scale0 * worst
y1 = series ? scale0 * best : 100.0
if (y1 - y0 < 0.02) {
    y0 = y0 - 0.05
    y1 = y1 + 0.05
}
margin = 0.05 * (y1 - y0)
step = round_up((y1 - y0) / 5)
digits = most(0, ceil(-log10(step) - 1e-9))
tick(y) = sprintf(sprintf("%%.%df%%%%", digits), y)
wider = (digits > 0 ? 10 + 18 * digits : 0) + (y1 + margin >= 100 && digits > 0 ? 18 : 0)
eval panel(101 + wider, 62, 884, 556)
eval panel_ranges(1 - 0.05 * apart, 1 + 1.05 * apart, y0 - margin, y1 + margin)
eval text((panel_l + panel_r) / 2, panel_t - 28, "test accuracy", 33, "center")
eval text((panel_l + panel_r) / 2, panel_b + 72, "num. posterior samples", size, "center")
eval tick_x(1, "1", size)
do for [i = 1:n / step_x] { if (i * step_x > 1) { eval tick_x(i * step_x, sprintf("%g", i * step_x), size) } }
do for [i = ceil(panel_y0 / step):floor(panel_y1 / step)] {
    if (i * step < 100.001) { eval tick_y(i * step, tick(i * step), size) }
}
if (counts(2) && reference[2] == reference[2]) { eval dashed(scale0 * reference[2]) }

wide = 411 + most(18 * (strlen(sprintf("%g", alpha)) - 4), 18 * (strlen(sprintf("%g", temperature)) - 3) - 6)
l = panel_r - 13 - wide
t = panel_b - 21 - 42 * series
if (series) {
    eval "set object rectangle from " . place(l, t) . " to " . place(panel_r - 13, panel_b - 13) \
        . " front fillcolor rgb '#33ffffff' fillstyle solid 1.0 border linecolor rgb '#d6d6d6' linewidth 2.8"
}
v = t + 23
do for [k in "2 4"] {
    if (count[int(k)] > 0) {
        eval line(l + 10, v, l + 69, v, sprintf("front linewidth 4.2 linecolor rgb '%s'", colour(int(k))))
        eval text(l + 89, v, name(int(k)), size, "left")
        v = v + 42
    }
}
eval "plot NaN" . (count[2] ? curve(2) : "") . (count[4] ? curve(4) : "")

# ---- likelihood ----
unset label
unset arrow
unset object
scale1 = 1.0
y0 = least(lowest[3], lowest[5])
y1 = most(highest[3], highest[5])
if (count[3] + count[5] == 0) {
    y0 = -12.0
    y1 = -8.0
}
if (y1 - y0 < 0.001) {
    y0 = y0 - 0.1
    y1 = y1 + 0.1
}
eval panel(1020, 62, 1803, 556)
eval panel_ranges(1 - 0.0606 * apart, 1 + 1.0693 * apart, y0 - 0.04 * (y1 - y0), y1 + 0.07 * (y1 - y0))
eval text((panel_l + panel_r) / 2, panel_t - 28, "test likelihood", 33, "center")
eval text((panel_l + panel_r) / 2, panel_b + 72, "num. posterior samples", size, "center")
eval tick_x(1, "1", size)
do for [i = 1:n / step_x] { if (i * step_x > 1) { eval tick_x(i * step_x, sprintf("%g", i * step_x), size) } }

# Ticks are at doublings of a round number, or of every second one where there are many; if the axis has no two of them,
# at equal steps.
tick(loss) = tick_y(height_of(-loss), loss < 999999 ? sprintf("-%g", loss) : sprintf("-%gk", loss / 1000), size)
loss0 = 2**-panel_y1
loss1 = 2**-panel_y0
loss = round_up(loss0)
doublings = floor(log(loss1 / loss) / log(2))
if (doublings > 0) {
    do for [i = 0:doublings:1 + doublings / 8] { eval tick(loss * 2**i) }
} else {
    step = round_up((loss1 - loss0) / 5)
    do for [i = ceil(loss0 / step):floor(loss1 / step)] { eval tick(i * step) }
}
if (reference[3] == reference[3]) { eval dashed(reference[3]) }

# The arrows: from DirClip to cold, for the fewest and the most samples that both have. (Functions give the middle of
# the axis, for `stats` complains of what is outside it.)
middle = (panel_y0 + panel_y1) / 2
few = 0
many = 0
compare(s, cold, dirclip) = (cold == cold && dirclip == dirclip ? (many = s, many_cold = cold, many_dirclip = dirclip, \
    few == 0 ? (few = s, few_cold = cold, few_dirclip = dirclip) : 0) : 0, middle)
stats file using (compare($1, drawn(3), drawn(5))) nooutput

corner(h, v) = " to " . place(h, v)
pointer(h, tail, tip, back, broad) = "set object polygon from " . place(h - 2.5, tail) . corner(h - 2.5, back) \
    . corner(h - broad, back) . corner(h, tip) . corner(h + broad, back) . corner(h + 2.5, back) \
    . corner(h + 2.5, tail) . corner(h - 2.5, tail) . " back fillcolor rgb 'black' fillstyle solid 1.0 noborder"
reach(h, tail, tip) = (far = abs(tip - tail), up = tip <= tail ? -1 : 1, centre = (tip + tail) / 2, \
    half = most(4.5, far / 2), \
    pointer(h, centre - up * half, centre + up * (half - 0.016 * far), \
        centre + up * (half - 0.016 * far - least(25, 1.28 * half)), far < 40 ? 6.5 : 9.7))
factor(cold, dirclip) = (ratio = 2**(cold - dirclip), \
    sprintf(ratio < 1.995 ? "%.2fx" : ratio < 9.95 ? "%.1fx" : "%.0fx", ratio))
lower(cold, dirclip) = cold < dirclip || dirclip != dirclip ? cold : dirclip
# Words move down from a dashed line behind them.
clear(v) = reference[3] == reference[3] && abs(v - vertical(reference[3])) < 21 ? vertical(reference[3]) + 21 : v

if (few) {
    eval reach(horizontal(few), vertical(few_dirclip), vertical(few_cold))
    # The words stand to the right of where the lower curve passes them.
    v = clear(vertical((few_cold + few_dirclip) / 2) - 11)
    h = horizontal(few) + 10
    before = NaN
    passed(x, y) = horizontal(x - (x - before_x) * (y - top) / (y - before)) + 4
    pass(x, y) = (y == y ? (y >= top && before < top ? (h = most(h, passed(x, y))) : 0, before = y, before_x = x) \
        : 0, middle)
    top = panel_y0 + (panel_b - v + 13) / (panel_b - panel_t) * (panel_y1 - panel_y0)
    stats file using (pass($1, lower(drawn(3), drawn(5)))) nooutput
    eval text(h, v, factor(few_cold, few_dirclip), 29.5, "left")
}
if (many > few) {
    eval reach(horizontal(many) + 10, vertical(many_dirclip), vertical(many_cold))
    # These stand below the lower curve; where there is no room, beside the arrow, or above if it is short.
    foot = panel_t
    under(x, y) = (y == y && horizontal(x) > panel_r - 100 ? (foot = most(foot, vertical(y))) : 0, middle)
    stats file using (under($1, lower(drawn(3), drawn(5)))) nooutput
    v = clear(most(foot, vertical(least(many_cold, many_dirclip))) + 31)
    h = panel_r - 8
    if (v > panel_b - 20) {
        h = far > 80 ? horizontal(many) - 4 : h
        v = far > 80 ? vertical((many_cold + many_dirclip) / 2) : vertical(most(many_cold, many_dirclip)) - 30
    }
    eval text(h, v, factor(many_cold, many_dirclip), 28, "right")
}
eval "plot NaN" . (count[3] ? curve(3) : "") . (count[5] ? curve(5) : "")
unset multiplot
