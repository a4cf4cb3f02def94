# Columns: x, density of a wrong class, density of the true class. One row per class, the first at the bottom.
eval canvas(1000, 684)
stats base . ".csv" using 1 nooutput prefix "x"
stats base . ".csv" using 2 nooutput prefix "wrong"
stats base . ".csv" using 3 nooutput prefix "true"

# Labels every 1, 2 or 5 times a power of ten: six or seven of them at most.
step = round_up((x_max - x_min) / 6.5)

# Rows are 0.58 times as far apart as the wrong classes are high. Beyond ten classes they move closer and their outlines
# get thinner; beyond a hundred, only so many are drawn, and the true class; their points are thinned out as well.
crowd = classes > 10 ? 9.0 / (classes - 1) : 1.0
apart = 0.58 * wrong_max * crowd
every_row = (classes + 99) / 100
every_point = ceil(classes / every_row * x_records / 20000.0)
bottom(k) = apart * k
row(k) = sprintf("base . '.csv' every %d using 1:(%.10g + $%d) ", every_point, bottom(k), k == label ? 3 : 2)
fill(k) = row(k) . sprintf("with filledcurves y=%.10g fillcolor rgb '%s'", bottom(k), \
    k == label ? tab_orange : tab_blue)
edge(k) = row(k) . sprintf("with lines linewidth %.3g linecolor rgb 'black'", 4.5 * crowd * every_row)

# From the top row down, so that lower rows hide what is behind them.
larger(a, b) = a > b ? a : b
top = larger(bottom(label) + true_max, bottom(classes - 1) + wrong_max)
margin = 0.05 * (x_max - x_min)
eval panel(86, 20, 980, 552)
eval panel_ranges(x_min - margin, x_max + margin, -0.05 * top, 1.05 * top)
do for [i = ceil(panel_x0 / step):floor(panel_x1 / step)] { eval tick_x(i * step, gprintf("%g", i * step), 32) }
eval title_x("log-probability", 32)
eval title_y("prob. density", 32, 44)
set style fill solid 1.0 noborder
command = "plot"
do for [k = classes - 1:0:-1] {
    if (k == label || k % every_row == 0) {
        command = command . (command eq "plot" ? " " : ", ") . fill(k) . ", " . edge(k)
    }
}
eval command
