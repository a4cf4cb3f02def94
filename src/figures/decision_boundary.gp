# Orange crosses and green disks are the two classes, grey marks the odd one of each. The dashed curves are where an
# ensemble of draws gives both classes the probability 1/2.
red = "#a30631"
blue = "#424ebb"
orange = "#e37e23"
green = "#578a5a"
grey = "#a8a8a8"

eval canvas(1500, 900)
eval panel(13, 13, 1487, 887)
eval panel_ranges(0.03, 0.96, -0.92, -0.01)
set border 15 linewidth 3
unset tics

# A cross whose arms reach r far and are a third of that wide on each side, and a disk, as filled outlines.
corner(x, y, dx, dy) = place(x + dx, y + dy)
cross(x, y, r, fill) = "set object polygon from " . corner(x, y, 0, -r) \
    . " to " . corner(x, y, r / 3, -r) . " to " . corner(x, y, r / 3, -r / 3) . " to " . corner(x, y, r, -r / 3) \
    . " to " . corner(x, y, r, r / 3) . " to " . corner(x, y, r / 3, r / 3) . " to " . corner(x, y, r / 3, r) \
    . " to " . corner(x, y, -r / 3, r) . " to " . corner(x, y, -r / 3, r / 3) . " to " . corner(x, y, -r, r / 3) \
    . " to " . corner(x, y, -r, -r / 3) . " to " . corner(x, y, -r / 3, -r / 3) . " to " . corner(x, y, -r / 3, -r) \
    . " to " . corner(x, y, 0, -r) . outline(fill, "black", r / 7)
spot(x, y, r, fill) = disk(x, y, r, fill, "black", r / 4.5)

# The training points: reading them collects the commands that draw them.
commands = ""
shape(x, y, label, odd) = label == 0 ? cross(horizontal(x), vertical(y), 31, odd == 1 ? grey : orange) \
    : spot(horizontal(x), vertical(y), 20, odd == 1 ? grey : green)
add(x, y, label, odd) = (commands = commands . shape(x, y, label, odd) . ";", 0)
stats base . "-points.csv" using (add($1, $2, $3, $4)) nooutput
eval commands

# The legend: in the same corner as the published one, but lower, where it hides no point.
dashes(colour) = sprintf("front linecolor rgb '%s' linewidth 8 dashtype (8, 4.5)", colour)
eval box(34, 742, 640, 870)
eval cross(67, 777, 20, orange)
eval cross(117, 777, 20, grey)
eval text(152, 777, "class A", 34, "left")
eval spot(67, 836, 14, green)
eval spot(117, 836, 14, grey)
eval text(152, 836, "class B", 34, "left")
eval line(312, 777, 390, 777, dashes(red))
eval text(424, 777, "DirClip(1.4)", 34, "left")
eval line(312, 836, 390, 836, dashes(blue))
eval text(424, 836, "DirClip(0.6)", 34, "left")

plot for [k = 0:1] base . "-contour.csv" index k using 1:2 with lines \
    linewidth 9.5 dashtype (8, 4.5) linecolor rgb (k ? blue : red)
