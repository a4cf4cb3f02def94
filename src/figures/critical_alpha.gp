eval canvas(1000, 690)
eval panel(150, 30, 950, 550)
most = classes < 20 ? classes + 1 : classes # few classes: the last step is drawn as well
eval panel_ranges(2, most, 0, 1)
unset tics

# About five ticks.
step = most < 5 ? 1 : round_up(most / 5.0)
do for [i = ceil(2 / step):floor(most / step)] { eval tick_x(i * step, sprintf("%g", i * step), 34) }
do for [i = 0:5] { eval tick_y(0.2 * i, sprintf("%.1f", 0.2 * i), 34) }
eval title_x("num. classes", 36)
eval title_y("prior concentration\U+00A0\U+200B{/:Italic \U+03B1}", 36, 112)

# The value of K classes stands from K to K + 1. The corners are written out, for `with steps` would paint those of a
# line that is not opaque twice.
steps = ""
corner(x, found, formula) = sprintf("%g,%.6f,%.6f\n", x, found, formula)
add(K, found, formula) = \
    (K < most ? (steps = steps . corner(K, found, formula) . corner(K + 1, found, formula)) : "", 0)
stats base . ".csv" using (add($1, $2, $3)) nooutput
set print $steps
print steps
unset print

plot $steps using 1:2 with filledcurves y=0 fillstyle solid 1 noborder linecolor rgb "black", \
     $steps using 1:3 with lines linewidth 5 linecolor rgb "#4cff0000"
