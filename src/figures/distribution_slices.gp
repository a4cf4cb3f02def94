# Columns of both tables: panel, curve, logit, probability, complement, axis, value, drawn. A block is a curve.
eval canvas(1800, 700)
edge = 1.1 * log(0.5 / 1e-10)

# Curves from 0 on: colour, whether dashed, name.
colors = tab_orange . " " . tab_brown . " " . tab_blue . " " . tab_green . " " \
    . tab_blue . " black " . tab_red . " " \
    . tab_purple . " " . tab_green . " black " . tab_blue . " " . tab_red . " " . tab_orange
dashed = "0 1 0 0  0 0 1  0 0 1 0 1 0"
names = "Dirichlet;DirClip;NDG;confidence;categ. like.;cold like.;NDG like.;" \
    . "categ. like.;conf. + categ.;cold like.;NDG + categ.;NDG + NDG;Dir. + categ.;"
dashes = "(5.4, 5.2)"
color(i) = word(colors, i + 1)
style(i) = sprintf("linewidth 5 dashtype %s linecolor rgb '%s'", word(dashed, i + 1) eq "1" ? dashes : "1", color(i))
item(list, i) = i == 0 ? list[1:strstrt(list, ";") - 1] : item(list[strstrt(list, ";") + 1:strlen(list)], i - 1)
curve(i) = sprintf("base . '.csv' index %d using 6:8 with lines %s", i, style(i))
curves(first, last) = first == last ? curve(last) : curve(first) . ", " . curves(first + 1, last)

# Legends stand below the panels, where they cover no curve whatever the parameters are.
entry(i, slot) = (entry_x = panel_l + (slot % 2) * 242, entry_y = panel_b + 124 + (slot / 2) * 40, \
    line(entry_x, entry_y, entry_x + 58, entry_y, "front " . style(i)) . "; " \
    . text(entry_x + 72, entry_y, item(names, i), 24, "left"))

# The axis is logarithmic towards both ends.
tick_words = "0.00000001 0.001 0.5 0.999 0.99999999"
array tick[5] = [log(2e-8), log(2e-3), 0, -log(2e-3), -log(2e-8)]

# Stars at the local maxima, later curves below earlier ones: where two posteriors share a maximum, one star is seen.
add(wanted, panel, i, x, y) = panel != wanted || y < panel_y0 || y > panel_y1 ? 0 : (commands = \
    star(horizontal(x), vertical(y), 19, color(i), "white", 2) . ";" . commands, 0)

# The likelihoods from the lowest value to the highest, but no steep one may press the others flat.
stats base . ".csv" index 4:6 using 8 nooutput
lowest = STATS_min < -1000 ? -1000 : STATS_min

array title[3] = ["prior", "likelihood", "posterior"]
array first[4] = [0, 4, 7, 13]
array left[3] = [112, 712, 1296]
array low[3] = [-20, 1.05 * lowest, -55]
array high[3] = [10, -0.05 * lowest, 3]
array step[3] = [5, lowest < -500 ? 200 : lowest < -200 ? 50 : lowest < -50 ? 20 : 5, 10]

set multiplot
do for [n = 1:3] {
    eval panel(left[n], 56, left[n] + 492, 476)
    eval panel_ranges(-edge, edge, low[n], high[n])
    eval title_top(title[n], 30)
    eval title_x("{/:Italic \\U+0177}: prob. of true class", 26)
    if (n == 1) { eval title_y("log density", 26, 92) }
    do for [i = 1:5] { eval tick_x(tick[i], word(tick_words, i), 22) }
    do for [i = ceil(low[n] / step[n]):floor(high[n] / step[n])] {
        eval tick_y(i * step[n], gprintf("%.0f", i * step[n]), 23)
    }
    do for [i = first[n]:first[n + 1] - 1] { eval entry(i, i - first[n]) }
    commands = ""
    stats base . "-maxima.csv" using (add(n - 1, $1, int($2), $6, $8)) nooutput
    eval commands
    eval "plot " . curves(first[n], first[n + 1] - 1)
    unset object
    unset label
    unset arrow
}
unset multiplot
