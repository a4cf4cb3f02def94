file = base . ".csv"
posteriors = base . "-posteriors.csv"
ends = "butt"
eval canvas(1121, 623)

# The vertical axis counts nines: 90 % is 1, 99 % is 2, and nothing is lower than chance.
full = 1 - 1e-10
nines(p) = -log10(1 - p)
chance = nines(1.0 / classes)
bottom = chance - 0.19

# What the tables have: how far they reach, how high those are that are less than certain, and all temperatures, from
# the highest to the lowest.
missing = 1e300
low = missing
high = -missing
curve_end = -missing
lowest = missing
highest = 1.0
sampled = 0.0 # the highest of posteriors
certain = 0
draws = 0
hot_to_cold = ""
reach(x) = (x < low ? (low = x) : 0, x > high ? (high = x) : 0)
rise(p) = p < full ? (nines(p) > highest ? (highest = nines(p)) : 0) : p >= full ? (certain = 1) : 0
note_curve(s, p) = (draws = draws + (p == p), reach(log10(s)), rise(p), curve_end = high, 0)
note_sampled(p) = p < full && nines(p) > sampled ? (sampled = nines(p)) : 0
note_posterior(s, t, p) = (reach(log10(s)), rise(p), note_sampled(p), t > 0 && t < lowest ? (lowest = t) : 0, 0)
stats file using (note_curve($1, $3)) nooutput
stats posteriors using (note_posterior($1, $2, $3)) nooutput
if (low == missing) { low = -1.0; high = 0.0 }
if (high - low < 0.1) { low = low - 0.5; high = high + 0.5 }
do for [i = 1:200] {
    next_hot = -1.0
    find_next(t) = (t > next_hot && (i == 1 || t < last_hot) ? (next_hot = t) : 0, 0)
    stats posteriors using (find_next($2)) nooutput
    if (next_hot < 0) { break }
    hot_to_cold = hot_to_cold . sprintf(" %.15g", next_hot)
    last_hot = next_hot
}
coldest = lowest < 0.5 ? log10(lowest) : lowest < missing ? -1.0 : -4.0

# The certain ones stand above all others; a curve that leaves all posteriors far behind is cut off.
far = sampled > 0 && highest > sampled + 1
if (far) { highest = sampled + 1 }
top_level = highest + (certain && !far ? 0.3 : 0)
level(p) = p >= full ? (far ? 20 : top_level) : p > 0 ? nines(p) : p <= 0 ? 0 : NaN
top = ceil(top_level + 0.1) < 2 ? 2 : ceil(top_level + 0.1)

# The legend hides no point: the axis ends higher where one would be behind it.
x0 = low - 0.0463 * (high - low)
x1 = high + (curve_end < high - 1e-6 ? 0.0463 * (high - low) : 0)
behind = bottom
hide(s, p) = (log10(s) < x0 + 0.575 * (x1 - x0) && level(p) > behind && level(p) < 20 ? (behind = level(p)) : 0, 0)
stats file using (hide($1, $3)) nooutput
stats posteriors using (hide($1, $3)) nooutput
do for [i = 1:20] { if (behind > bottom + 0.745 * (top - bottom)) { top = top + 0.5 } }

every = top > 8 ? 2 : 1
longest = ceil(top - 0.05) - 1 < ceil(top_level) ? ceil(top - 0.05) - 1 : ceil(top_level)
wide = longest > 3 ? 18 * (longest - 3) : 0
eval panel(167 + wide, 31, 895, 516)
eval panel_ranges(x0, x1, bottom, top)
eval temperature_colors(coldest)

percent(n) = n == 1 ? "90%" : n == 2 ? "99%" : "99." . "999999999999999999"[1:n - 2] . "%"
eval tick_y(chance, sprintf(classes > 50 ? "%.2g%%" : "%.0f%%", 100.0 / classes), 28)
do for [n = 1:longest] {
    if (n % every == 0 || n == 1) { eval tick_y(n, percent(n), 28) }
}

# Powers of ten, with twice and five times these where they are fewer than two, or the ends.
inside(x) = x > panel_x0 - 1e-6 && x < panel_x1 + 1e-6
powers = 0
do for [e = floor(x0):ceil(x1)] { powers = powers + inside(e) }
labels = 0
do for [e = floor(x0) - 1:ceil(x1)] {
    do for [i = 1:9] {
        x = e + log10(i)
        if (inside(x)) { eval mark_x(x, 6) }
        if (inside(x) && (i == 1 || powers < 2 && (i == 2 || i == 5))) {
            eval tick_x(x, sprintf("%g", i * 10.0**e), 28)
            labels = labels + 1
        }
    }
}
if (labels < 2) {
    eval tick_x(low, sprintf("%.2g", 10**low), 28)
    eval tick_x(high, sprintf("%.2g", 10**high), 28)
}
eval text((panel_l + panel_r) / 2, panel_b + 71, "prior st. dev.", 28, "center")
eval text(32, (panel_t + panel_b) / 2, "avg. confidence on train data", 28, "center rotate by 90")

# The bar of temperatures: labels at powers of ten, six at most, or at both ends.
eval sprintf("set colorbox vertical user origin screen %.6f, screen %.6f size screen %.6f, screen %.6f front", \
    950 / width, 1 - panel_b / height, 24 / width, (panel_b - panel_t) / height)
unset cbtics
do for [i = 0:floor(-coldest / bar_step(coldest) + 1e-6)] {
    e = -i * bar_step(coldest)
    eval line(974, bar_y(e, coldest), 984, bar_y(e, coldest), "linewidth 2.5")
    eval text(993, bar_y(e, coldest), e < -4.5 ? sprintf("10^{%d}", e) : sprintf("%.2g", 10.0**e), 28, "left")
}
eval text(1090, (panel_t + panel_b) / 2, "temperature", 28, "center rotate by -90")

# The legend. Its dot has all colours, in strips, and paler.
eval box(panel_l + 13.5, 45.5, panel_l + 399.5, 137.5)
solid(x0, y0, x1, y1, style) = "set object rectangle from " . place(x0, y0) . " to " . place(x1, y1) . " front " . style
do for [i = 0:23] {
    x = panel_l + 40.5 + i
    half = sqrt(144 - (i - 11.5)**2)
    eval solid(x, 71.5 - half, x + (i < 23 ? 1.6 : 1), 71.5 + half, \
        sprintf("fillcolor palette cb %g fillstyle solid 1.0 noborder", coldest * (1 - i / 23.0)))
}
eval solid(panel_l + 38, 58, panel_l + 67, 85, "fillcolor rgb 'white' fillstyle transparent solid 0.3 noborder")
eval line(panel_l + 25, 110, panel_l + 75, 110, "front linewidth 5.6 dashtype (7.4, 3.2) linecolor rgb 'black'")
eval text(panel_l + 102, 69, "posterior confidence", 27.6, "left")
eval text(panel_l + 102, 110, "prior confidence", 27.6, "left")

# Cold dots lie on hot ones. Temperature 0 has the colour of the lowest.
radius = 9.8 / (panel_r - panel_l) * (x1 - x0)
color_of(t) = t > 0 ? log10(t) : coldest
at_temperature(t, wanted) = abs(t - wanted) <= 1e-9 * wanted
edge = "with lines linewidth 2.8 linecolor rgb '#cc000000'"
curve = draws > 1 ? "with lines linewidth 5.6 dashtype (7.4, 3.2)" : "with points pointtype 7 pointsize 1.5"
dots = ", for [t in hot_to_cold] posteriors using (at_temperature($2, t + 0.0) ? log10($1) : NaN):(level($3))" \
    . ":(radius):(color_of($2)) with circles linecolor palette fillstyle solid 1.0 noborder"
eval "plot file using (log10($1)):(level($2)):(level($4)) with filledcurves fillstyle solid linecolor rgb '#cccccc', " \
    . "file using (log10($1)):(level($2)) " . edge . ", file using (log10($1)):(level($4)) " . edge \
    . ", file using (log10($1)):(level($3)) " . curve . " linecolor rgb 'black'" . (hot_to_cold eq "" ? "" : dots)
