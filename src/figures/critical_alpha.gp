eval canvas(1000, 750)
eval panel(24, 24, 960, 620)
eval panel_ranges(-0.05 * epochs, 1.05 * epochs, -0.04, 1.04)
eval palette_coolwarm
set cbrange [0:1]
unset colorbox
unset ytics
set xtics 0.2 * epochs
set xlabel "epoch"

eval line(horizontal(epochs), panel_t, horizontal(epochs), panel_b, "linewidth 5 dashtype (8, 4) linecolor rgb 'black'")
eval star(horizontal(epochs), vertical(0), 25, "gold", "white", 3)

eval box(42, 238, 466, 404)
do for [i = 0:19] {
    eval line(56 + 3.5 * i, 268, 59.5 + 3.5 * i, 268, sprintf("linewidth 5 linecolor palette cb %g", i / 19.0))
}
eval line(56, 320, 126, 320, "linewidth 5 linecolor rgb '#7f7f7f'")
eval star(91, 374, 25, "gold", "white", 3)
eval text(150, 268, "temperature", 32, "left")
eval text(150, 320, "learning rate", 32, "left")
eval text(150, 372, "posterior sample", 32, "left")

plot base . ".csv" using 1:3:3 with lines linewidth 5 linecolor palette, \
     base . ".csv" using 1:2 with lines linewidth 5 linecolor rgb "#7f7f7f"
