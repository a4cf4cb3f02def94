file = base . ".csv"
ends = "butt"
eval canvas(1723, 643)
set multiplot
set clip two
series = "tempered ndg-logits ndg-logprobs ndg-likelihood dirclip-10 dirclip-20 dirclip-50"
names = "'tempered posterior' 'NDG posterior (logits)' 'NDG posterior (logprobs)' " \
    . "'NDG likelihood' 'DirClip(-10)' 'DirClip(-20)' 'DirClip(-50)'"
color(i) = word(tab10, i)
pale(i) = "#d9" . substr(color(i), 2, 7)
min(a, b) = b < a ? b : a # a, if b is nan
max(a, b) = b > a ? b : a
number(i) = strstrt(strcol(i), "nan") ? NaN : column(i) # else `stats` would complain of nan
digits(step) = step < 0.99 ? ceil(-log10(step) - 1e-9) : 0
words_of(y, step, unit) = (y < 0 ? "\U+2212{}" : "") . sprintf(sprintf("%%.%df", digits(step)), abs(y)) . unit

# The horizontal axis reaches from the best down to 12 points below, or to the original posterior. What is lower has
# collapsed and is left out.
train(e) = 100 * number(8 + e) # -1, 0, 1: low, median, high
best = -1.0; left = 1000.0; star_x = NaN
stats file using (best = max(best, train(0)), strcol(1) eq "categorical-1" ? (star_x = train(0), 0) : 0) nooutput
least = min(best - 12, star_x - 0.5)
kept(s) = strcol(1) eq s && train(0) >= least
stats file using (train(0) >= least ? (left = min(left, train(0)), 0) : 0) nooutput
if (best < 0) { left = 88.0; best = 100.0 }
if (best - left < 0.5) { left = left - 0.25; best = best + 0.25 }
x0 = left - 0.063 * (best - left)
x1 = best + 0.041 * (best - left)
step_x = round_up((x1 - x0) / 7.5)
if (step_x < 0.99) { step_x = round_up((x1 - x0) / 5) } # their labels are longer

# An error bar is the lines 0 and 1 and the caps 2 to 5; what has no errors is a cross, 6 and 7.
drawn(k) = train(-1) <= train(1) && Y(-1) <= Y(1) ? k < 6 : k > 5
from_x(k) = k == 1 || k == 2 ? train(-1) : k == 3 ? train(1) : train(0) - (k == 6 ? 8 : k == 4 || k == 5 ? 11 : 0) * px
from_y(k) = k == 0 || k == 4 ? Y(-1) : k == 5 ? Y(1) : Y(0) - (k == 7 ? 8 : k == 2 || k == 3 ? 11 : 0) * py
long_x(k) = k == 1 ? train(1) - train(-1) : (k == 6 ? 16 : k == 4 || k == 5 ? 22 : 0) * px
long_y(k) = k == 0 ? Y(1) - Y(-1) : (k == 7 ? 16 : k == 2 || k == 3 ? 22 : 0) * py
thick(k) = k > 1 && k < 6 ? 2.8 : 4.2
sample(x, y, dx, dy, k, i) = line(x - dx, y - dy, x + dx, y + dy, \
    sprintf("front linewidth %g linecolor rgb '%s'", thick(k), color(i)))

do for [side = 0:1] {
    unset label; unset arrow; unset object
    set autoscale # else `stats` leaves out what is outside the other panel
    Y(e) = side ? number(14 + e) : 100 * number(11 + e)
    bottom = 1e300; top = -1e300; star_y = NaN
    see(a, y, b) = abs(y) < 1e300 ? (bottom = min(min(bottom, y), a), top = max(max(top, y), b), 0) : 0
    stats file using (train(0) >= least ? see(Y(-1), Y(0), Y(1)) : 0) nooutput
    stats file using (strcol(1) eq "categorical-1" ? (star_y = Y(0), 0) : 0) nooutput
    if (bottom > top) { bottom = side ? -1000.0 : 0.0; top = side ? 0.0 : 100.0 }
    least_span = side ? 1e-2 * abs(bottom) + 1e-2 : 0.5
    if (top - bottom < least_span) { bottom = bottom - least_span / 2; top = top + least_span / 2 }
    span = top - bottom
    bottom = bottom - 0.085 * span
    top = top + 0.068 * span
    # Where a point would be under the legend, there is room for that below.
    under = 0
    legend(x, y) = y < 0.42 && (side ? x < 0.46 : x > 0.34)
    stats file using (train(0) >= least && legend((train(0) - x0) / (x1 - x0), (Y(0) - bottom) / (top - bottom)) \
        ? (under = under + 1, 0) : 0) nooutput
    if (under) { bottom = bottom - 0.72 * (top - bottom) }
    step = round_up((top - bottom) / 9)

    unit = side ? "" : "%"
    first = ceil((side ? bottom : max(0, bottom)) / step)
    last = floor(min(side ? 0 : 100, top) / step + 1e-9)
    most = step * (side ? -first : last)
    more = strlen(words_of(most, step, unit)) - (side ? 5 : 4) # digits than there is room for
    eval panel((side ? 967 : 101) + 18 * max(0, more), 62, side ? 1690 : 824, 536)
    eval panel_ranges(x0, x1, bottom, top)
    eval text((panel_l + panel_r) / 2, panel_t - 28, side ? "test likelihood" : "test accuracy", 33.3, "center")
    eval text((panel_l + panel_r) / 2, panel_b + 71, "train accuracy", 27.8, "center")
    do for [i = ceil(max(0, x0) / step_x):floor(min(100, x1) / step_x + 1e-9)] {
        eval tick_x(i * step_x, words_of(i * step_x, step_x, "%"), 27.8)
    }
    do for [i = first:last] { eval tick_y(i * step, words_of(i * step, step, unit), 27.8) }

    if (abs(star_x) < 1e300 && abs(star_y) < 1e300) {
        eval star(horizontal(star_x), vertical(star_y), 21.7, "gold", "gold", 1)
    }
    at = side ? panel_l + 14 : panel_r - 461
    eval "set object rectangle from " . place(at, 347) . " to " . place(at + (side ? 306 : 448), 523) . " front " \
        . "fillcolor rgb 'white' fillstyle transparent solid 0.8 border linecolor rgb '#cccccc' linewidth 2.8"
    do for [r = 0:3] {
        y = 370.5 + 42 * r
        i = r + 4 * side
        eval text(at + 89.5, y, i ? word(names, i) : "original posterior", 27.8, "left")
        if (i) {
            x = at + 39
            eval sample(x, y, 0, 15, 0, i); eval sample(x, y, 15, 0, 0, i)
            do for [e = -15:15:30] { eval sample(x + e, y, 0, 11, 2, i); eval sample(x, y + e, 11, 0, 2, i) }
        } else { eval star(at + 39, y, 21.7, "gold", "gold", 1) }
    }

    px = (x1 - x0) / (panel_r - panel_l)
    py = (top - bottom) / (panel_b - panel_t)
    plot for [i = 1:7] file using (kept(word(series, i)) ? train(0) : NaN):(Y(0)) \
            with lines linewidth 4.2 linecolor rgb pale(i), \
        for [i = 1:7] for [k = 0:7] file using (kept(word(series, i)) && drawn(k) ? from_x(k) : NaN) \
            :(from_y(k)):(long_x(k)):(long_y(k)) with vectors nohead linewidth thick(k) linecolor rgb color(i)
}
unset multiplot
