file = base . ".csv"
stats file using 1 nooutput
curves = STATS_blocks
lowest = STATS_min
array T[curves]
do for [k = 1:curves] {
    stats file index k - 1 using 1 nooutput
    T[k] = STATS_min
}

eval canvas(1622, 623)
set multiplot
# Terminals differ in the length of ticks and dashes and in the place of tick labels.
set tics format "" scale (format eq "png" ? 0.6 : format eq "svg" ? 0.38 : 0.74)
dotted = sprintf("linewidth 2.6 dashtype (0.05, %g)", format eq "png" ? 5.5 : format eq "svg" ? 2.8 : 3.7)
label_x(x) = text(horizontal(x), panel_b + 34, sprintf("%.1f", x), 28, "center")
label_y(y) = text(panel_l - 18, vertical(y), sprintf("%.1f", y), 28, "right")
power_of_ten(e) = e < -3 ? sprintf("10^{%d}", e) : sprintf("%g", 10.0**e)

# Colours follow the logarithm of the temperature, from the lowest (or 0.5) to 1.
eval palette_coolwarm
cold_end = log10(lowest < 0.5 ? lowest : 0.5)
set cbrange [cold_end:0]
unset colorbox
set xtics 0, 0.2, 1
set ytics 0, 0.2, 1
true_class = "{/:Italic y\U+0302}_{/:Italic y}: prob. of true class"

# Column `formula` as solid lines in the colours of the temperatures, column `formula + 1` as dots upon them.
curve(formula) = sprintf("plot for [k = 1:curves] file index k - 1 using 2:%d with lines ", formula) \
    . "linewidth 4.2 linecolor palette cb log10(T[k]), " \
    . sprintf("for [k = 1:curves] file index k - 1 using 2:%d with lines ", formula + 1) \
    . dotted . " linecolor rgb 'black'"

eval panel(123, 62, 757, 505)
eval panel_ranges(-0.0205, 1.0205, -0.0215, 1.0215)
eval title_top("Tempered categ. likelihood", 33)
eval text((panel_l + panel_r) / 2, panel_b + 78, true_class, 28, "center")
eval title_y("cum. prob.", 28, 92)
do for [i = 0:5] {
    eval label_x(i / 5.0)
    eval label_y(i / 5.0)
}
eval box(137, 76, 491, 169)
do for [i = 0:19] {
    eval line(149 + 2.7 * i, 100, 151.7 + 2.7 * i, 100, \
        sprintf("front linewidth 4.2 linecolor palette cb %g", cold_end * i / 19.0))
}
eval line(149, 142, 203, 142, "front linecolor rgb 'black' " . dotted)
eval text(225, 100, "analytical solution", 28, "left")
eval text(225, 142, "simulation", 28, "left")
eval curve(3)

unset label
unset object
unset arrow
unset ytics
eval panel(793, 62, 1427, 505)
eval title_top("Confident prior + categ. likelihood", 33)
eval text((panel_l + panel_r) / 2, panel_b + 78, true_class, 28, "center")
do for [i = 0:5] { eval label_x(i / 5.0) }

# The colour bar, with ticks at powers of ten.
set colorbox vertical user origin screen 1468 / width, screen 1 - panel_b / height \
    size screen 22 / width, screen (panel_b - panel_t) / height front
set cbtics 1
do for [e = 0:ceil(cold_end - 1e-6):-1] {
    eval text(1509, panel_t + (panel_b - panel_t) * e / cold_end, power_of_ten(e), 28, "left")
}
eval text(1599, (panel_t + panel_b) / 2, "temperature", 28, "center rotate by -90")
eval curve(6)
unset multiplot
