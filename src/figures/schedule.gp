eval canvas(1000, 770)
eval panel(24, 24, 950, 630)
eval panel_ranges(-0.05 * epochs, 1.05 * epochs, -0.04, 1.04)
eval palette_coolwarm
set cbrange [0:1]
unset colorbox
unset tics
do for [i = 0:5] { eval tick_x(0.2 * i * epochs, sprintf("%g", 0.2 * i * epochs), 32) }
eval title_x("epoch", 32)

eval line(horizontal(epochs), panel_t, horizontal(epochs), panel_b, \
    "back linewidth 5 dashtype (7, 4.5) linecolor rgb 'black'")
eval star(horizontal(epochs), vertical(0), 27, "gold", "white", 3)

eval box(38, 238, 430, 404)
do for [i = 0:19] {
    eval line(52 + 3.5 * i, 268, 55.5 + 3.5 * i, 268, sprintf("front linewidth 5 linecolor palette cb %g", i / 19.0))
}
eval line(52, 320, 122, 320, "front linewidth 5 linecolor rgb '#7f7f7f'")
eval star(87, 374, 27, "gold", "white", 3)
eval text(138, 268, "temperature", 31, "left")
eval text(138, 320, "learning rate", 31, "left")
eval text(138, 372, "posterior sample", 31, "left")

plot base . ".csv" using 1:3:3 with lines linewidth 5 linecolor palette, \
     base . ".csv" using 1:2 with lines linewidth 5 linecolor rgb "#7f7f7f"
