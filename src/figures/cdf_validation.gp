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
coldest = log10(lowest < 0.5 ? lowest : 0.5)
eval temperature_colors(coldest)
dotted = sprintf("linewidth 2.6 dashtype (0.05, %g)", format eq "pdf" ? 3.7 : 5.5)
true_class = "{/:Italic y\U+0302}_{/:Italic y}: prob. of true class"

# Column `formula` as solid lines in the colours of the temperatures, column `formula + 1` as dots upon them.
curve(formula) = sprintf("plot for [k = 1:curves] file index k - 1 using 2:%d with lines ", formula) \
    . "linewidth 4.2 linecolor palette cb log10(T[k]), " \
    . sprintf("for [k = 1:curves] file index k - 1 using 2:%d with lines ", formula + 1) \
    . dotted . " linecolor rgb 'black'"

eval panel(123, 62, 757, 505)
eval panel_ranges(-0.0205, 1.0205, -0.0215, 1.0215)
eval title_top("Tempered categ. likelihood", 33)
eval title_x(true_class, 28)
eval title_y("cum. prob.", 28, 92)
do for [i = 0:5] {
    eval tick_x(i / 5.0, sprintf("%.1f", i / 5.0), 28)
    eval tick_y(i / 5.0, sprintf("%.1f", i / 5.0), 28)
}
eval box(137, 76, 491, 169)
do for [i = 0:19] {
    eval line(149 + 2.7 * i, 100, 151.7 + 2.7 * i, 100, \
        sprintf("front linewidth 4.2 linecolor palette cb %g", coldest * i / 19.0))
}
eval line(149, 142, 203, 142, "front linecolor rgb 'black' " . dotted)
eval text(225, 100, "analytical solution", 28, "left")
eval text(225, 142, "simulation", 28, "left")
eval curve(3)

unset label
unset object
unset arrow
eval panel(793, 62, 1427, 505)
eval title_top("Confident prior + categ. likelihood", 33)
eval title_x(true_class, 28)
do for [i = 0:5] { eval tick_x(i / 5.0, sprintf("%.1f", i / 5.0), 28) }
eval temperature_bar(1468, coldest, 28)
eval text(1599, (panel_t + panel_b) / 2, "temperature", 28, "center rotate by -90")
eval curve(6)
unset multiplot
