file = base . ".csv"
ends = "butt"
eval canvas(2422, 563)

# What the table has: the scales, the temperatures above 0, and the least and the greatest of each heat map's numbers
# (of the last one, their logarithms). Rows that are nan are met as well, and change nothing.
missing = 1e300
array least[4] = [missing, missing, missing, missing]
array most[4] = [-missing, -missing, -missing, -missing]
array found_scales[2] = [missing, -missing]
array found_cold[2] = [missing, -missing]
zeros = 0
logarithm(x) = x > 0 ? log10(x) : NaN
extend(k, x) = (x < least[k] ? (least[k] = x) : 0, x > most[k] ? (most[k] = x) : 0)
widen_scales(x) = (x < found_scales[1] ? (found_scales[1] = x) : 0, x > found_scales[2] ? (found_scales[2] = x) : 0)
widen_cold(x) = (x < found_cold[1] ? (found_cold[1] = x) : 0, x > found_cold[2] ? (found_cold[2] = x) : 0)
note(s, t, a, b, c, d) = (widen_scales(logarithm(s)), t > 0 ? widen_cold(log10(t)) : t == 0 ? (zeros = 1) : 0, \
    extend(1, 100 * a), extend(2, 100 * b), extend(3, 100 * c), extend(4, logarithm(d)), 0)
stats file using (note($1, $2, $5, $6, $7, $8)) nooutput
if (found_scales[1] == missing) { found_scales[1] = -1.0; found_scales[2] = 0.0 }
if (found_cold[1] == missing) { found_cold[1] = 0.0; found_cold[2] = 0.0 }
do for [k = 1:4] {
    if (least[k] == missing) { least[k] = k < 4 ? 0.0 : -2.0; most[k] = k < 4 ? 100.0 : 0.0 }
    if (most[k] - least[k] < 1e-6) { least[k] = most[k] - (k < 4 ? 1 : 0.1) }
}

# Columns and rows count from 0, columns from the left, rows from the top. Scales and temperatures are geometric.
cold_rows = temperatures_n - zeros
place_of(x, first, last, n) = n > 1 && last > first ? (x - first) / (last - first) * (n - 1) : 0
column_of(s) = place_of(s, found_scales[1], found_scales[2], scales)
row_of(t) = zeros + place_of(t, found_cold[1], found_cold[2], cold_rows)
near(x) = floor(x + 0.5)
left_of(s) = near(column_of(log10(s)))
top_of(t) = t > 0 ? temperatures_n - near(row_of(log10(t))) : temperatures_n

# Ticks of the colour bars: the least of 1, 2, 3 and 5 times a power of ten of which seven fill the range. Labels are
# smaller where they would reach into the next panel.
bar_round(x) = (part = x / decade(x), (part < 1.001 ? 1 : part < 2.001 ? 2 : part < 3.001 ? 3 : part < 5.001 ? 5 : 10) \
    * decade(x))
tick_bar(x, share, words, size) = (at = panel_b - 2 - share * (panel_b - panel_t - 5), \
    line(x, at, x + 10, at, "linewidth 2.5") . "; " . text(x + 20, at, words, size, "left"))
share_of(k, x) = (x - least[k]) / (most[k] - least[k])
shown(k, x) = share_of(k, x) > -1e-6 && share_of(k, x) < 1 + 1e-6
ems(words) = 0.64 * strlen(words) + (strstrt(words, "%") ? 0.31 : 0) - (strstrt(words, ".") ? 0.32 : 0)
fitting(k, words) = (room = bar_rooms[k] / ems(words), room < 28 ? room : 28)
plain(x) = x < 0.9e-4 || x > 1.1e5 ? sprintf("%.0e", x) : sprintf("%.3g", x)

array lefts[4] = [176, 750, 1306, 1863]
array rights[4] = [597, 1172, 1728, 2285]
array bars[4] = [614, 1188, 1745, 2302]
array bar_rooms[4] = [88, 72, 72, 77]
array titles[4] = ["train accuracy", "test accuracy", "train confidence", "parameter {/:Italic L}_1 norm"]

set multiplot
do for [k = 1:4] {
    unset label
    unset arrow
    eval panel(lefts[k], 63, rights[k], 456)
    eval panel_ranges(0, scales, 0, temperatures_n)
    eval title_top(titles[k], 33)
    eval text((panel_l + panel_r) / 2, panel_b + 70, "prior scale", 28, "center")

    # Five scales at most have labels.
    every = (scales + 4) / 5
    do for [i = (every - 1) / 2:scales - 1:every] {
        s = 10**(found_scales[1] + (scales > 1 ? i * (found_scales[2] - found_scales[1]) / (scales - 1) : 0))
        eval tick_x(i + 0.5, sprintf(s < 0.0095 ? "%.1g" : s < 9.95 ? "%.2f" : "%.3g", s), 28)
    }

    # Powers of ten, or the ends where these are fewer than two, and none where it would touch the label of 0.
    if (k == 1) {
        eval title_y("temperature", 28, 143)
        if (zeros) { eval tick_y(temperatures_n - 0.5, "0", 28) }
        low = ceil(found_cold[1] - 1e-6)
        high = floor(found_cold[2] + 1e-6)
        step = high - low > 5 ? 2 : 1
        if (high <= low) { low = found_cold[1]; high = found_cold[2]; step = high > low ? high - low : 1 }
        do for [i = 0:(cold_rows > 0 ? floor((high - low) / step + 1e-6) : -1)] {
            e = high - i * step
            y = temperatures_n - 0.5 - row_of(e)
            words = e < -4.5 ? sprintf("10^{%.3g}", e) : sprintf("%.2g", 10**e)
            if (!zeros || vertical(y) - vertical(temperatures_n - 0.5) > 22) { eval tick_y(y, words, 28) }
        }
    }
    if (zeros && cold_rows > 0) {
        eval line(panel_l, vertical(temperatures_n - 1), panel_r, vertical(temperatures_n - 1), \
            "front linewidth 4.2 dashtype (7.4, 3.2) linecolor rgb '#808080'")
    }

    eval k < 4 ? palette_rdylgn : palette_hot
    set cbrange [least[k]:most[k]]
    eval sprintf("set colorbox vertical user origin screen %.6f, screen %.6f size screen %.6f, screen %.6f front", \
        bars[k] / width, 1 - 454 / height, 20 / width, 388 / height)
    unset cbtics
    if (k < 4) {
        step = bar_round((most[k] - least[k]) / 7)
        number = sprintf("%%.%df%%%%", step < 0.99 ? ceil(-log10(step) - 1e-9) : 0)
        size = fitting(k, sprintf(number, floor(most[k] / step + 1e-6) * step))
        do for [i = ceil(least[k] / step - 1e-6):floor(most[k] / step + 1e-6)] {
            eval tick_bar(bars[k] + 20, share_of(k, i * step), sprintf(number, i * step), size)
        }
    } else {
        # Powers of ten, with twice and five times these where they are fewer than two, or the ends.
        labels = 0
        do for [e = floor(least[k]):ceil(most[k])] { labels = labels + shown(k, e) }
        factors = labels > 1 ? "1" : "1 2 5"
        labels = 0
        do for [e = floor(least[k]) - 1:ceil(most[k])] {
            do for [f in factors] {
                x = e + log10(f + 0.0)
                if (shown(k, x)) {
                    words = plain(10**x)
                    eval tick_bar(bars[k] + 20, share_of(k, x), words, fitting(k, words))
                    labels = labels + 1
                }
            }
        }
        if (labels < 2) {
            do for [i = 0:1] {
                words = plain(10**(i ? most[k] : least[k]))
                eval tick_bar(bars[k] + 20, i, words, fitting(k, words))
            }
        }
    }

    # Each cell reaches under its neighbours on the right and below, which are drawn later, so that no seam is seen.
    under_x = 1.5 / (panel_r - panel_l) * scales
    under_y = 1.5 / (panel_b - panel_t) * temperatures_n
    shade(x) = k < 4 ? 100 * x : logarithm(x)
    plot file using (left_of($1)):(top_of($2)):(left_of($1)):(left_of($1) + 1 + under_x): \
        (top_of($2) - 1 - under_y):(top_of($2)):(shade(column(k + 4))) \
        with boxxyerror fillstyle solid 1.0 noborder linecolor palette
}
unset multiplot
