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
dash = format eq "svg" ? 0.5 : 1.0
label_x(x) = text(horizontal(x), panel_b + 34, sprintf("%.1f", x), 28, "center")
label_y(y) = text(panel_l - 18, vertical(y), sprintf("%.1f", y), 28, "right")
power_of_ten(e) = e < -2 ? sprintf("10^{%d}", e) : sprintf("%g", 10.0**e)

# Colours follow the logarithm of the temperature, from the lowest (or 0.5) to 1.
eval palette_coolwarm
cold_end = log10(lowest < 0.5 ? lowest : 0.5)
set cbrange [cold_end:0]
unset colorbox
set xtics 0, 0.2, 1
set ytics 0, 0.2, 1
true_class = "{/:Italic y\U+0302}_{/:Italic y}: prob. of true class"

eval panel(123, 62, 765, 505)
eval panel_ranges(-0.0195, 1.0195, -0.031, 1.031)
eval title_top("Tempered categ. likelihood", 33)
eval text((panel_l + panel_r) / 2, panel_b + 78, true_class, 28, "center")
eval title_y("post. density", 28, 92)
do for [i = 0:5] {
    eval label_x(i / 5.0)
    eval label_y(i / 5.0)
}
plot for [k = 1:curves] file index k - 1 using 2:3 with lines linewidth 4.2 linecolor palette cb log10(T[k])

unset label
unset ytics
eval panel(801, 62, 1444, 505)
eval title_top("Confident prior + categ. likelihood", 33)
eval text((panel_l + panel_r) / 2, panel_b + 78, true_class, 28, "center")
do for [i = 0:5] { eval label_x(i / 5.0) }
eval line(horizontal(0.5), panel_t + 9, horizontal(0.5), panel_b - 4, \
    sprintf("back linewidth 4.2 dashtype (%g, %g) linecolor rgb '#bbbbbb'", 5 * dash, 5.4 * dash))

# The colour bar, with ticks at powers of ten.
set colorbox vertical user origin screen 1486 / width, screen 1 - panel_b / height \
    size screen 22 / width, screen (panel_b - panel_t) / height front
set cbtics 1
do for [e = 0:ceil(cold_end - 1e-6):-1] {
    eval text(1527, panel_t + (panel_b - panel_t) * e / cold_end, power_of_ten(e), 28, "left")
}
eval text(1599, (panel_t + panel_b) / 2, "temperature", 28, "center rotate by -90")

# No curve has a dot from T = 1/2 on, and then there is nothing in their table.
dots = ", base . '-peaks.csv' using 2:3:(0.0155):(log10($1)) with circles linecolor palette linewidth 3 " \
    . "fillstyle solid 1.0 border rgb 'white'"
eval "plot for [k = 1:curves] file index k - 1 using 2:4 with lines linewidth 4.2 linecolor palette cb log10(T[k])" \
    . (lowest < 0.5 ? dots : "")
unset multiplot
