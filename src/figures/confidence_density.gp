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
true_class = "{/:Italic y\U+0302}_{/:Italic y}: prob. of true class"

eval panel(123, 62, 765, 505)
eval panel_ranges(-0.0195, 1.0195, -0.031, 1.031)
eval title_top("Tempered categ. likelihood", 33)
eval title_x(true_class, 28)
eval title_y("post. density", 28, 92)
do for [i = 0:5] {
    eval tick_x(i / 5.0, sprintf("%.1f", i / 5.0), 28)
    eval tick_y(i / 5.0, sprintf("%.1f", i / 5.0), 28)
}
plot for [k = 1:curves] file index k - 1 using 2:3 with lines linewidth 4.2 linecolor palette cb log10(T[k])

unset label
unset arrow
eval panel(801, 62, 1444, 505)
eval title_top("Confident prior + categ. likelihood", 33)
eval title_x(true_class, 28)
do for [i = 0:5] { eval tick_x(i / 5.0, sprintf("%.1f", i / 5.0), 28) }
eval line(horizontal(0.5), panel_t + 9, horizontal(0.5), panel_b - 4, \
    "back linewidth 4.2 dashtype (5, 5.4) linecolor rgb '#bbbbbb'")
eval temperature_bar(1486, coldest, 28)
eval text(1599, (panel_t + panel_b) / 2, "temperature", 28, "center rotate by -90")

# No curve has a dot from T = 1/2 on, and then there is nothing in their table.
dots = ", base . '-peaks.csv' using 2:3:(0.0155):(log10($1)) with circles linecolor palette linewidth 3 " \
    . "fillstyle solid 1.0 border rgb 'white'"
eval "plot for [k = 1:curves] file index k - 1 using 2:4 with lines linewidth 4.2 linecolor palette cb log10(T[k])" \
    . (lowest < 0.5 ? dots : "")
unset multiplot
