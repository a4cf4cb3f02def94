file = base . ".csv"
points = base . "-points.csv"
ends = "butt"
eval canvas(2523, 543)
palette_magma = "set palette defined (0 '#000004', 1 '#0b0924', 2 '#1d1147', 3 '#36106b', 4 '#51127c', 5 '#6a1c81', " \
    . "6 '#832681', 7 '#9c2e7f', 8 '#b73779', 9 '#d0416f', 10 '#e75263', 11 '#f56b5c', " \
    . "12 '#fc8961', 13 '#fea772', 14 '#fec488', 15 '#fde2a3', 16 '#fcfdbf')"

# Where the grid lies, and its accuracies in percent; the pictures reach half a point further.
missing = 1e300
array box_x[2] = [missing, -missing]
array box_y[2] = [missing, -missing]
least = missing
most = -missing
note_x(x) = (x < box_x[1] ? (box_x[1] = x) : 0, x > box_x[2] ? (box_x[2] = x) : 0)
note_y(y) = (y < box_y[1] ? (box_y[1] = y) : 0, y > box_y[2] ? (box_y[2] = y) : 0)
note_accuracy(a) = (a < least ? (least = a) : 0, a > most ? (most = a) : 0)
note(x, y, a) = (note_x(x), note_y(y), note_accuracy(100 * a), 0)
stats file using (note($1, $2, $3)) nooutput
if (box_x[1] == missing) { box_x[1] = -1.0; box_x[2] = 1.0; box_y[1] = -1.0; box_y[2] = 1.0 }
if (least == missing) { least = 0.0; most = 100.0 }
if (most - least < 1e-6) { least = most - 1 }
half_x = grid > 1 ? (box_x[2] - box_x[1]) / (grid - 1) / 2 : 0.5
half_y = grid > 1 ? (box_y[2] - box_y[1]) / (grid - 1) / 2 : 0.5
if (half_x <= 0) { half_x = 0.5 }
if (half_y <= 0) { half_y = 0.5 }

# The triangle, closed.
corners = ""
first_corner = ""
corner(x, y) = sprintf("%.9g,%.9g\n", x, y)
add(x, y) = (first_corner eq "" ? (first_corner = corner(x, y)) : "", corners = corners . corner(x, y), 0)
stats points using (add($1, $2)) nooutput
set print $triangle
print corners . first_corner
unset print

array lefts[5] = [155, 609, 1063, 1517, 1971]
array above[5]
array titles[5]
above[4] = sprintf("confidence(T=%g) prior", exists("temperature") ? temperature : 0.01)
above[5] = sprintf("DirClip({/:Italic \U+03B1}{\U+2009}={\U+2009}%g) prior", exists("alpha") ? alpha : 0.7)
titles[1] = "training accuracy"
titles[2] = "categorical likelihood (T=1)"
titles[3] = sprintf("cold likelihood (T=%g)", exists("temperature") ? temperature : 0.01)
titles[4] = "+ categ. likelihood"
titles[5] = "+ categ. likelihood"

# Colour bars are at x; a share of 0 is their bottom, 1 their top.
bar_t = 101
bar_b = 506.0
bar_at(x, w) = sprintf("set colorbox vertical user origin screen %.6f, screen %.6f", x / width, 1 - bar_b / height) \
    . sprintf(" size screen %.6f, screen %.6f front", w / width, (bar_b - bar_t) / height)
bar_height(share) = bar_b - share * (bar_b - bar_t)

set multiplot
unset border
unset cbtics
do for [k = 1:5] {
    unset label
    unset arrow
    unset colorbox
    eval panel(lefts[k], 95, lefts[k] + 438, 512)
    eval panel_ranges(box_x[1] - half_x, box_x[2] + half_x, box_y[1] - half_y, box_y[2] + half_y)
    middle = (panel_l + panel_r) / 2
    eval text(middle + (k > 3 ? 4 : 0), 69, titles[k], 28, "center")
    if (k > 3) { eval text(middle, 37, above[k], 28, "center") }

    if (k == 1) {
        eval palette_rdylgn
        set cbrange [least:most]
        eval bar_at(119, 20)
        step = round_up((most - least) / 6)
        number = sprintf("%%.%df%%%%", step < 0.99 ? ceil(-log10(step) - 1e-9) : 0)
        size = strlen(sprintf(number, most)) > 5 ? 20 : strlen(sprintf(number, most)) > 4 ? 25 : 28
        do for [i = ceil(least / step - 1e-6):floor(most / step + 1e-6)] {
            y = bar_height((i * step - least) / (most - least))
            eval line(109, y, 119, y, "linewidth 2.5")
            eval text(99, y, sprintf(number, i * step), size, "right")
        }
    }
    if (k == 2) {
        eval palette_magma
        set cbrange [floor:0]
    }
    if (k == 5) {
        # Labels are multiples of a power of ten, which stands above the bar.
        power = floor(log10(-floor) + 1e-9)
        deepest = -floor / 10.0**power
        step = round_up(deepest / 5)
        eval bar_at(2423, 21)
        do for [i = 0:floor(deepest / step + 1e-6)] {
            y = bar_height(1 - i * step / deepest)
            eval line(2444, y, 2454, y, "linewidth 2.5")
            eval text(2464, y, i ? sprintf("{\U+2212}%g", i * step) : "0", step < 0.99 ? 22 : 28, "left")
        }
        if (power != 0) { eval text(2424, 75, sprintf("{\U+00D7}10^{%d}", power), 28, "left") }
    }

    shade(x) = k == 1 ? 100 * x : x < floor ? floor : x > 0 ? 0 : x
    plot file using 1:2:(shade(column(k + 2))) with image, \
        $triangle using 1:2 with lines linewidth 2.8 dashtype (7.4, 3.2) linecolor rgb "#4d808080", \
        points using 1:2:(4.2 / (panel_r - panel_l) * (panel_x1 - panel_x0)) with circles \
        linecolor rgb "#808080" fillstyle solid 1.0 noborder
}
unset multiplot
