# Draws the figure that this script is named after, as .png, .svg and .pdf beside it, from the CSV files beside it:
#
#     gnuplot NAME.gp

# ---- what all figures share ----
# The script runs once more for each format, with `format` set.
if (!exists("format")) {
    script = ARG0
    base = script[1:strlen(script) - 3]
    picture = base . (ARGC > 0 ? ARG1 : "") # NAME, or another name while it is not complete
    do for [format in "png svg pdf"] { load script }
    exit
}
reset
set encoding utf8
set datafile separator comma

# A canvas of w x h units, counted from the top left. A unit is a pixel of the PNG, the SVG and the GIF, and 0.24 pt in
# the PDF; fonts and lines follow. All sizes below are in these units.
ends = "rounded" # of lines and dashes; or "butt"
terminal_png(w, h) = sprintf("set terminal pngcairo size %d, %d fontscale 0.75 dashlength 2", w, h)
terminal_svg(w, h) = sprintf("set terminal svg size %d, %d background 'white' standalone dashlength 1", w, h)
terminal_pdf(w, h) = sprintf("set terminal pdfcairo size %.4fin, %.4fin", w / 300.0, h / 300.0) \
    . " fontscale 0.18 linewidth 0.48 dashlength 2"
canvas(w, h) = (width = real(w), height = real(h), \
    (format eq "png" ? terminal_png(w, h) : format eq "svg" ? terminal_svg(w, h) : terminal_pdf(w, h)) \
    . " font 'DejaVu Sans,32' " . ends . "; set output picture . '.' . format")

# A panel between canvas units; the plot fills it exactly. horizontal(x) and vertical(y) take data to canvas units once
# the ranges are told to panel_ranges (on a non-linear axis, in the units that are plotted).
panel(l, t, r, b) = (panel_l = real(l), panel_t = real(t), panel_r = real(r), panel_b = real(b), \
    sprintf("set lmargin at screen %.6f; set rmargin at screen %.6f; ", l / width, r / width) \
    . sprintf("set tmargin at screen %.6f; set bmargin at screen %.6f", 1 - t / height, 1 - b / height))
panel_ranges(x0, x1, y0, y1) = (panel_x0 = real(x0), panel_x1 = real(x1), panel_y0 = real(y0), panel_y1 = real(y1), \
    sprintf("set xrange [%.15g:%.15g]; set yrange [%.15g:%.15g]", x0, x1, y0, y1))
horizontal(x) = panel_l + (x - panel_x0) / (panel_x1 - panel_x0) * (panel_r - panel_l)
vertical(y) = panel_b - (y - panel_y0) / (panel_y1 - panel_y0) * (panel_b - panel_t)

# Things on the canvas: commands to be run by eval. Objects and labels stay until `unset object` and `unset label`.
place(x, y) = sprintf("screen %.6f, screen %.6f", x / width, 1 - y / height)
box(x0, y0, x1, y1) = "set object rectangle from " . place(x0, y0) . " to " . place(x1, y1) \
    . " front fillcolor rgb 'white' fillstyle solid 1.0 border linecolor rgb '#cccccc' linewidth 3"
line(x0, y0, x1, y1, style) = "set arrow from " . place(x0, y0) . " to " . place(x1, y1) . " nohead " . style
text(x, y, words, size, align) = \
    sprintf("set label \"%s\" at %s %s front font ',%g'", words, place(x, y), align, size)
# Ticks, and ticks with their labels; gnuplot's own stand elsewhere in each format.
mark_x(x, length) = line(horizontal(x), panel_b, horizontal(x), panel_b + length, "linewidth 2.5")
mark_y(y, length) = line(panel_l - length, vertical(y), panel_l, vertical(y), "linewidth 2.5")
tick_x(x, words, size) = mark_x(x, 10) . "; " . text(horizontal(x), panel_b + 14 + 0.65 * size, words, size, "center")
tick_y(y, words, size) = mark_y(y, 10) . "; " . text(panel_l - 20, vertical(y), words, size, "right")
title_top(words, size) = text((panel_l + panel_r) / 2, panel_t - 0.75 * size, words, size, "center")
title_x(words, size) = text((panel_l + panel_r) / 2, panel_b + 20 + 2 * size, words, size, "center")
title_y(words, size, away) = text(panel_l - away, (panel_t + panel_b) / 2, words, size, "center rotate by 90")
outline(fill, edge, thick) = sprintf(" front fillcolor rgb '%s' fillstyle solid 1.0 border", fill) \
    . sprintf(" linecolor rgb '%s' linewidth %g", edge, thick)
disk(x, y, r, fill, edge, thick) = sprintf("set object circle at %s size screen %.6f", place(x, y), r / width) \
    . outline(fill, edge, thick)
star_corner(x, y, r, i) = (radius = i % 2 ? 0.382 * r : r, angle = pi * i / 5, \
    place(x + radius * sin(angle), y - radius * cos(angle)))
star_corners(x, y, r, i) = i == 10 ? star_corner(x, y, r, 0) \
    : star_corner(x, y, r, i) . " to " . star_corners(x, y, r, i + 1)
star(x, y, r, fill, edge, thick) = "set object polygon from " . star_corners(x, y, r, 0) . outline(fill, edge, thick)

# A look that readers of the paper know.
set border 15 linewidth 2.5
unset tics
set minussign
set key off
tab_blue = "#1f77b4"
tab_orange = "#ff7f0e"
tab_green = "#2ca02c"
tab_red = "#d62728"
tab_purple = "#9467bd"
tab_brown = "#8c564b"
tab_pink = "#e377c2"
tab_grey = "#7f7f7f"
tab_olive = "#bcbd22"
tab_cyan = "#17becf"
tab10 = tab_blue . " " . tab_orange . " " . tab_green . " " . tab_red . " " . tab_purple . " " . tab_brown . " " \
    . tab_pink . " " . tab_grey . " " . tab_olive . " " . tab_cyan

# Palettes, to be run by eval: coolwarm (Moreland 2009) for temperatures, RdYlGn (ColorBrewer) for signs, hot for
# densities.
palette_coolwarm = "set palette defined (0 '#3b4cc0', 1 '#4e68d8', 2 '#6282ea', 3 '#779af7', 4 '#8db0fe', 5 '#a3c2fe', " \
    . "6 '#b9d0f9', 7 '#ccd9ed', 8 '#dddcdc', 9 '#ecd3c5', 10 '#f5c4ac', 11 '#f7b093', " \
    . "12 '#f4987a', 13 '#eb7d62', 14 '#dd5f4b', 15 '#ca3b37', 16 '#b40426')"
palette_rdylgn = "set palette defined (0 '#a50026', 1 '#d73027', 2 '#f46d43', 3 '#fdae61', 4 '#fee08b', 5 '#ffffbf', " \
    . "6 '#d9ef8b', 7 '#a6d96a', 8 '#66bd63', 9 '#1a9850', 10 '#006837')"
palette_hot = "set palette defined (0 '#0b0000', 0.365079 '#ff0000', 0.746032 '#ffff00', 1 '#ffffff')"

# The least of 1, 2 and 5 times a power of ten that is at least x: for ticks.
decade(x) = 10.0**floor(log10(x) + 1e-9)
round_up(x) = (leading = x / decade(x), (leading < 1.001 ? 1 : leading < 2.001 ? 2 : leading < 5.001 ? 5 : 10) * decade(x))

# Temperatures have the colours of coolwarm by their logarithm, from `coldest` = log10 of the lowest to 0; here is how to
# set them, and a bar of them at x beside the panel. Labels are at powers of ten, six at most, or at both ends.
temperature_colors(coldest) = palette_coolwarm . sprintf("; set cbrange [%g:0]; unset colorbox", coldest)
bar_y(e, coldest) = panel_t + (panel_b - panel_t) * e / coldest
bar_words(e, coldest) = coldest < -3.5 && e < 0 ? sprintf("10^{%d}", e) : sprintf("%g", 10.0**e)
bar_label(x, e, coldest, size) = text(x + 41, bar_y(e, coldest), bar_words(e, coldest), coldest < -3.5 ? 0.8 * size : size, "left") . "; " \
    . line(x + 22, bar_y(e, coldest), x + 32, bar_y(e, coldest), "linewidth 2.5")
bar_step(coldest) = coldest > -1 + 1e-6 ? -coldest : ceil(-coldest / 6.0 - 1e-6)
bar_labels(x, e, coldest, size) = bar_label(x, e, coldest, size) . (e - bar_step(coldest) < coldest - 1e-6 ? "" \
    : "; " . bar_labels(x, e - bar_step(coldest), coldest, size))
temperature_bar(x, coldest, size) = sprintf("set colorbox vertical user origin screen %.6f, screen %.6f", \
    x / width, 1 - panel_b / height) . sprintf(" size screen %.6f, screen %.6f front; ", \
    22 / width, (panel_b - panel_t) / height) . "unset cbtics; " . bar_labels(x, 0, coldest, size)
