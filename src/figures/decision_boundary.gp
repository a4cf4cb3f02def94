# Draws decision-boundary.png, .svg and .pdf from the CSV files beside this script:
#
#     gnuplot decision-boundary.gp
#
# Orange crosses and green disks are the two classes, grey marks the odd one of each. The dashed curves are where an
# ensemble of draws gives both classes the probability 1/2.

folder = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { folder = ARG0[1:i] } }
base = folder . "decision-boundary"

red = "#a30631"
blue = "#424ebb"
orange = "#e37e23"
green = "#578a5a"
grey = "#a8a8a8"

# Everything is placed on a canvas of 1500 x 900 units, counted from the top left, whatever the format.
width = 1500.0
height = 900.0
left = 13.0
right = 1487.0
top = 13.0
bottom = 887.0
xmin = 0.03
xmax = 0.96
ymin = -0.92
ymax = -0.01
xunits(x) = left + (x - xmin) / (xmax - xmin) * (right - left)
yunits(y) = bottom - (y - ymin) / (ymax - ymin) * (bottom - top)
place(x, y) = sprintf("screen %.6f, screen %.6f", x / width, 1 - y / height)

# A cross whose arms reach r far and are a third of that wide on each side, and a disk, as filled outlines.
outline(fill, thick) = sprintf(" front fillcolor rgb '%s' fillstyle solid 1.0 border", fill) \
    . sprintf(" linecolor rgb 'black' linewidth %g", thick)
corner(x, y, dx, dy) = place(x + dx, y + dy)
cross(x, y, r, fill) = "set object polygon from " . corner(x, y, 0, -r) \
    . " to " . corner(x, y, r / 3, -r) . " to " . corner(x, y, r / 3, -r / 3) . " to " . corner(x, y, r, -r / 3) \
    . " to " . corner(x, y, r, r / 3) . " to " . corner(x, y, r / 3, r / 3) . " to " . corner(x, y, r / 3, r) \
    . " to " . corner(x, y, -r / 3, r) . " to " . corner(x, y, -r / 3, r / 3) . " to " . corner(x, y, -r, r / 3) \
    . " to " . corner(x, y, -r, -r / 3) . " to " . corner(x, y, -r / 3, -r / 3) . " to " . corner(x, y, -r / 3, -r) \
    . " to " . corner(x, y, 0, -r) . outline(fill, r / 7)
disk(x, y, r, fill) = sprintf("set object circle at %s size screen %.6f", place(x, y), r / width) \
    . outline(fill, r / 4.5)

set datafile separator comma
set lmargin at screen left / width
set rmargin at screen right / width
set tmargin at screen 1 - top / height
set bmargin at screen 1 - bottom / height
set border 15 linewidth 3
unset tics
unset key

# The training points: reading them collects the commands that draw them.
commands = ""
shape(x, y, label, odd) = label == 0 ? cross(xunits(x), yunits(y), 31, odd == 1 ? grey : orange) \
    : disk(xunits(x), yunits(y), 20, odd == 1 ? grey : green)
add(x, y, label, odd) = (commands = commands . shape(x, y, label, odd) . ";", 0)
stats base . "-points.csv" using (add($1, $2, $3, $4)) nooutput
eval commands

set xrange [xmin:xmax]
set yrange [ymin:ymax]

# The legend: in the same corner as the published one, but lower, where it hides no point.
box(x0, y0, x1, y1) = "set object rectangle from " . place(x0, y0) . " to " . place(x1, y1) \
    . " front fillcolor rgb 'white' fillstyle solid 1.0 border linecolor rgb '#cccccc' linewidth 3"
dashes(x, y, colour) = "set arrow from " . place(x, y) . " to " . place(x + 78, y) \
    . sprintf(" nohead front linecolor rgb '%s' linewidth 8 dashtype (%g, %g)", colour, dash, gap)
text(x, y, words) = sprintf("set label '%s' at %s left front font ',%d'", words, place(x, y), 34)
dash = 8.0
gap = 3.5
eval box(34, 742, 640, 870)
eval cross(67, 777, 20, orange)
eval cross(117, 777, 20, grey)
eval text(152, 777, "class A")
eval disk(67, 836, 14, green)
eval disk(117, 836, 14, grey)
eval text(152, 836, "class B")
eval dashes(312, 777, red)
eval text(424, 777, "DirClip(1.4)")
eval dashes(312, 836, blue)
eval text(424, 836, "DirClip(0.6)")

# A unit of the canvas is a pixel of the PNG and of the SVG, and 0.24 pt in the PDF; lines, fonts and dashes follow.
set terminal pngcairo size 1500, 900 font "DejaVu Sans" fontscale 0.75 dashlength 2
set output base . ".png"
plot for [k = 0:1] base . "-contour.csv" index k using 1:2 with lines \
    linewidth 9.5 dashtype (dash, gap) linecolor rgb (k ? blue : red)
set terminal svg size 1500, 900 font "DejaVu Sans" background "white"
set output base . ".svg"
replot
set terminal pdfcairo size 5in, 3in font "DejaVu Sans" fontscale 0.18 linewidth 0.48 dashlength 2
set output base . ".pdf"
replot
unset output
