side = 424
tall = sqrt(3) / 2
left(i) = 54 + 458 * i
names = sprintf("'a) categ. like.' 'b) Dir(%g) prior' 'c) Dir(%g) posterior'", alpha, alpha)
grey = "#4d4d4d"

# The triangle of panel i with its base at b, and a little room around it; the raster is as wide.
room = 5.0 / 280
out = 2 * room
triangle(i, b) = panel(left(i) - room * side, b - (tall + room) * side, left(i) + (1 + room) * side, b + room * side) \
    . "; " . panel_ranges(-room, 1 + room, -room, tall + room)
at(x, y) = place(horizontal(x), vertical(y))
edge(style) = sprintf("set object polygon from %s to %s to %s to %s ", at(0, 0), at(1, 0), at(0.5, tall), \
    at(0, 0)) . style
white(x0, y0, x1, y1, x2, y2, x3, y3) = sprintf("set object polygon from %s to %s to %s to %s to %s", \
    at(x0, y0), at(x1, y1), at(x2, y2), at(x3, y3), at(x0, y0)) \
    . " front fillcolor rgb 'white' fillstyle solid 1.0 noborder"

# Arrows are scaled panel by panel: the mean one is 3/4 as long as arrows are apart.
array mean_arrow[3]
do for [i = 0:2] {
    stats base . "-field.csv" index i using (sqrt($4**2 + $5**2)) nooutput
    mean_arrow[i + 1] = STATS_mean > 0 ? STATS_mean : 1
}
arrow(i) = 0.75 / (grid - 1) / mean_arrow[i + 1]
do for [i = 1:10] { set linetype i linecolor rgb word(tab10, i) }
set linetype cycle 10

eval canvas(1423, 872)
set multiplot
unset border
unset tics
eval palette_hot
set cbrange [-log(26):log(26)]
unset colorbox

do for [i = 0:2] {
    eval triangle(i, 397)
    eval white(-out, -out, -out, tall + out, 0.5, tall + out, 0.5, tall)
    eval white(-out, -out, -out, tall, 0.5, tall, 0, 0)
    eval white(1 + out, -out, 1 + out, tall + out, 0.5, tall + out, 0.5, tall)
    eval white(1 + out, -out, 1 + out, tall, 0.5, tall, 1, 0)
    eval white(-out, -out, 1 + out, -out, 1 + out, 0, -out, 0)
    eval edge("front fillstyle empty border linecolor rgb 'black' linewidth 1.2")
    plot base . ".csv" using 1:2:(column(3 + i)) with image
    unset object
}
do for [i = 0:2] {
    eval triangle(i, 801)
    eval edge("back fillstyle empty border linecolor rgb 'black' linewidth 1.2")
    if (i == 2) {
        do for [k = 0:2] { eval text(left(k) + side / 2, 838, word(names, k + 1), 33, "center") }
        do for [b in "397 801"] {
            eval text(left(0) + side + 17, b - 180, "+", 60, "center")
            eval text(left(1) + side + 17, b - 180, "=", 60, "center")
        }
        eval text(32, 213, "joint density", 36, "center rotate by 90")
        eval text(32, 617, "gradient", 36, "center rotate by 90")
    }
    plot base . "-field.csv" index i using 2:3:(arrow(i) * $4):(arrow(i) * $5) \
             with vectors head filled size 0.015, 20, 90 linewidth 1.3 linecolor rgb grey, \
         base . "-particles.csv" index i using 5:6:2 with lines linewidth 3 linecolor variable
    unset object
}
unset multiplot

# The particles on their way. Most of it happens early, so the steps shown grow like cubes; the last stays for a
# while. Its pictures differ in a shade of black that nobody sees: gnuplot complains about pictures without any change.
if (format eq "png") {
    moving = 42
    held = 12
    apart = 1.08
    width = 900.0
    height = 370.0
    set terminal gif animate optimize delay 10 loop 0 size 900, 370 font "DejaVu Sans,16" background rgb "white"
    set output picture . ".gif"
    unset label
    eval panel(0, 0, width, height)
    eval panel_ranges(-0.035, 3.195, -0.33, -0.33 + 3.23 * height / width)
    do for [i = 0:2] {
        eval text(horizontal(0.5 + apart * i), 308, word(names, i + 1), 16, "center")
        set object polygon from apart * i, 0 to apart * i + 1, 0 to apart * i + 0.5, tall to apart * i, 0 \
            back fillstyle empty border linecolor rgb "black" linewidth 2
    }
    eval text(horizontal(0.5 + 0.5 * apart), 150, "+", 26, "center")
    eval text(horizontal(0.5 + 1.5 * apart), 150, "=", 26, "center")
    do for [frame = 1:moving + held] {
        now = frame < moving ? steps * frame**3 / moving**3 : steps
        set label 10 sprintf("step %d", now) at screen 0.5, screen 0.05 center font ",15" \
            textcolor rgb (frame % 2 ? "#000000" : "#010101")
        plot base . "-field.csv" using ($2 + apart * $1):3:(arrow(int($1)) * $4):(arrow(int($1)) * $5) \
                 with vectors head filled size 0.02, 20, 90 linewidth 1 linecolor rgb "#bbbbbb", \
             base . "-particles.csv" \
                 using ($5 + apart * $1):($3 <= now ? $6 : NaN):(now <= $4 ? 1.3 : 0):2 \
                 with linespoints linewidth 2 pointtype 7 pointsize variable linecolor variable
    }
    unset output
}
