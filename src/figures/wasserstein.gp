file = base . ".csv"
eval canvas(823, 623)
stats file using (log10($1)):2 nooutput
most = STATS_max_y > 0 ? STATS_max_y : 1.0
step = round_up(most / 5)
digits = ceil(-log10(step) - 1e-9)
wide = digits < 3 ? 0 : digits < 5 ? 34 : 52
eval panel(140 + wide, 20, 803, 515)
low = STATS_min_x
high = STATS_max_x
margin = 0.05 * (high - low)
eval panel_ranges(low - margin, high + margin, -0.05 * most, 1.05 * most)

# Colours are those of the figure cdf-validation: from 0.001 (and below) to 1.
eval temperature_colors(-3)

# The horizontal axis is in powers of ten, every second one labelled where there are many; where there is less than one,
# what is between them, or the ends.
every = high - low > 7 ? 2 : 1
inside(x) = x > panel_x0 && x < panel_x1
labelled(x) = x > low - 1e-6 && x < high + 1e-6
labels = 0
do for [e = floor(low) - 1:ceil(high)] {
    if (inside(e)) { eval mark_x(e, 10) }
    if (labelled(e) && e % every == 0) {
        eval tick_x(e, sprintf("10^{%d}", e), 28)
        labels = labels + 1
    }
    do for [i = 2:9] {
        x = e + log10(i)
        if (inside(x)) { eval mark_x(x, 6) }
        if (labelled(x) && high - low < 0.6) {
            eval tick_x(x, sprintf("%g", i * 10.0**e), 28)
            labels = labels + 1
        }
    }
}
if (labels < 2) {
    unset label
    eval tick_x(low, sprintf("%g", 10**low), 28)
    eval tick_x(high, sprintf("%g", 10**high), 28)
}
number = digits > 4 ? "%g" : sprintf("%%.%df", digits)
do for [i = 0:int(1.05 * most / step)] { eval tick_y(i * step, sprintf(number, i * step), 28) }
eval title_x("temperature", 28)
eval title_y("Wasserstein distance", 28, 110 + wide)

plot file using (log10($1)):2:(log10($1)) with lines linewidth 4.2 linecolor palette
