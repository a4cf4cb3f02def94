file = base . ".csv"
eval canvas(823, 623)
stats file using (log10($1)):2 nooutput
step = 10.0**floor(log10(STATS_max_y))
step = STATS_max_y / step > 5 ? 2 * step : STATS_max_y / step > 2 ? step : 0.5 * step
digits = ceil(-log10(step) - 1e-9)
wide = digits < 3 ? 0 : 24
eval panel(140 + wide, 20, 803, 515)
low = STATS_min_x
high = STATS_max_x
margin = 0.05 * (high - low)
eval panel_ranges(low - margin, high + margin, -0.05 * STATS_max_y, 1.05 * STATS_max_y)

# Colours are those of the figure cdf-validation: by the logarithm of the temperature, from 0.001 (and below) to 1.
eval palette_coolwarm
set cbrange [-3:0]
unset colorbox

# Terminals differ in the length of ticks and in the place of tick labels. The horizontal axis is in powers of ten.
long = format eq "png" ? 0.6 : format eq "svg" ? 0.38 : 0.74
set tics format "" scale long, 0.57 * long
set xtics ("" floor(low) - 1)
every = high - low > 7 ? 2 : 1
label_x(x, words) = x < low - 1e-6 || x > high + 1e-6 ? "" : text(horizontal(x), panel_b + 33, words, 28, "center")
do for [e = floor(low) - 1:ceil(high)] {
    set xtics add ("" e)
    if (e % every == 0) { eval label_x(e, sprintf("10^{%d}", e)) }
    do for [i = 2:9] {
        set xtics add ("" e + log10(i) 1)
        if (high - low < 0.6) { eval label_x(e + log10(i), sprintf("%g", i * 10.0**e)) }
    }
}
set ytics step
do for [i = 0:int(1.05 * STATS_max_y / step)] {
    eval text(panel_l - 18, vertical(i * step), sprintf(digits > 3 ? "%.0e" : sprintf("%%.%df", digits), i * step), 28, "right")
}
eval text((panel_l + panel_r) / 2, panel_b + 74, "temperature", 28, "center")
eval title_y("Wasserstein distance", 28, 110 + wide)

plot file using (log10($1)):2:(log10($1)) with lines linewidth 4.2 linecolor palette
