ends = "butt"
eval canvas(1000, 690)
eval panel(150, 30, 950, 550)
eval panel_ranges(0, 1, 0, 1)
eval palette_rdylgn
set cbrange [-1.1:1.1]
unset colorbox
unset tics
do for [i = 0:5] {
    eval tick_x(0.2 * i, sprintf("%.1f", 0.2 * i), 34)
    eval tick_y(0.2 * i, sprintf("%.1f", 0.2 * i), 34)
}
eval title_x("prob. of wrong class", 36)
eval title_y("prior concentration\U+00A0\U+200B{/:Italic \U+03B1}", 36, 112)

# The signs: at the published places for 10 classes, and as deep in their phases for others. Two classes have no
# boundary, so no minus.
lowered = classes > 2
start = 0.3588
limit = 0.8
if (lowered) {
    stats base . "-boundary.csv" using 1:2 nooutput
    start = STATS_min_x
    limit = STATS_max_y
}
large = start < 0.1 ? start / 0.1 : 1
stroke(x, y, dx, dy, thick) = line(horizontal(x) - dx, vertical(y) - dy, horizontal(x) + dx, vertical(y) + dy, \
    sprintf("front linewidth %g linecolor rgb 'white'", thick))
eval stroke(0.68 * start, 0.81 * limit, 25 * large, 0, 6 * large)
eval stroke(0.68 * start, 0.81 * limit, 0, 25 * large, 6 * large)
if (lowered) { eval stroke(1 - 0.32 * (1 - start), 0.384 * limit, 14, 0, 8) }

curve = "linewidth 5 dashtype (7.2, 3.2) linecolor rgb 'black'"
eval "plot base . '.csv' using 1:2:3 with image" \
    . (lowered ? ", base . '-boundary.csv' using 1:2 with lines " . curve : "")
