# Columns: value of the bias, log-density of the prior and of the posterior, log-likelihood.
file = base . ".csv"
ends = "butt"
size = 27.7
eval canvas(1023, 623)

# `stats` calls functions for each row. It complains of columns without a number, unless their text is looked at first.
number(k) = strstrt(stringcolumn(k), "nan") ? NaN : column(k)
finite(x) = x == x && abs(x) < 1e300
extend(x) = (finite(x) ? (from = found && from < x ? from : x, to = found && to > x ? to : x, found = 1) : 0, 0)
found = 0
from = -1.0
to = 1.0
stats file using (extend(number(1))) nooutput
x0 = from
x1 = to > from ? to : from + 1

# Series that have a number.
present = ""
y0 = 0.0
y1 = 0.0
do for [k = 2:4] {
    found = 0
    stats file using (extend(number(k))) nooutput
    if (found) {
        present = present . sprintf(" %d", k)
        y0 = from < y0 ? from : y0
        y1 = to > y1 ? to : y1
    }
}
series = words(present)
y1 = y1 > y0 ? y1 : y0 + 1

# Ticks also at 2.5 times a power of ten.
round(x) = x / decade(x) > 2.001 && x / decade(x) < 2.501 ? 2.5 * decade(x) : round_up(x)
step_x = round((x1 - x0) / 8)
step_y = round((y1 - y0) / 5)
margin_x = 0.05 * (x1 - x0)
margin_y = 0.05 * (y1 - y0)
first_y = ceil((y0 - margin_y) / step_y)
last_y = floor((y1 + margin_y) / step_y)
label(x) = gprintf("%g", abs(x) < 1e-9 ? 0 : x)
longest = 3
do for [i = first_y:last_y] { longest = strlen(label(i * step_y)) > longest ? strlen(label(i * step_y)) : longest }

eval panel(132 + 18 * (longest - 3), 20, 1003, 516)
eval panel_ranges(x0 - margin_x, x1 + margin_x, y0 - margin_y, y1 + margin_y)
do for [i = ceil(panel_x0 / step_x):floor(panel_x1 / step_x)] { eval tick_x(i * step_x, label(i * step_x), size) }
do for [i = first_y:last_y] { eval tick_y(i * step_y, label(i * step_y), size) }
eval text((panel_l + panel_r) / 2, panel_b + 72, "params['linear']['b'][0]", size, "center")
eval title_y("log density", size, 100 + 18 * (longest - 3))

name(k) = k == 2 ? "Dirichlet prior" : k == 3 ? "Dirichlet posterior" : "Categ. likelihood"
style(k) = sprintf("linewidth 4.2 dashtype %s linecolor rgb '%s'", k == 3 ? "(7.4, 3.2)" : "1", word(tab10, k - 1))

# The legend is at its published place, or at another where no curve is behind it, if there is one.
wide = 350
tall = 8 + 42 * series
least(a, b) = a < b ? a : b
most(a, b) = a > b ? a : b
behind(x, y) = (h = horizontal(x), v = vertical(y), \
    crossed = crossed || (most(h, before_h) > box_l - 9 && least(h, before_h) < box_l + wide + 9 \
        && most(v, before_v) > box_t - 9 && least(v, before_v) < box_t + tall + 9), \
    before_h = h, before_v = v, 0)
free = 0
do for [t in "34 190 340"] {
    do for [share in "0.0 0.2 0.4 0.6 0.8 1.0"] {
        if (!free) {
            box_l = panel_l + 14 + share * (panel_r - panel_l - 28 - wide)
            box_t = int(t)
            crossed = 0
            do for [k in present] {
                before_h = NaN
                before_v = NaN
                stats file using (behind(number(1), number(int(k)))) nooutput
            }
            free = !crossed
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
    eval line(box_l + 10, v, box_l + 68, v, "front " . style(k))
    eval text(box_l + 88, v, name(k), size, "left")
}

command = "plot NaN"
do for [k in present] { command = command . sprintf(", file using 1:%d with lines ", int(k)) . style(int(k)) }
eval command
