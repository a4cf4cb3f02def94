# Accuracies against a concentration, of the curves that are named above.
file = base . ".csv"
ends = "butt"
eval canvas(1623, 623)
set multiplot
set clip two
set dashtype 11 (7.33, 3.17)
color(i) = word(tab_purple . " " . tab_grey . " " . tab_blue . " " . tab_orange . " " . tab_green . " " . tab_red, i)
pale(i) = "#a6" . substr(color(i), 2, 7)
min(a, b) = b < a ? b : a # a, if b is nan
max(a, b) = b > a ? b : a
number(i) = strstrt(strcol(i), "nan") ? NaN : column(i) # else `stats` would complain of nan
flat(s) = s eq "categorical-0" || s eq "categorical-1"

# The horizontal axis: in powers of ten, or stretched towards 1, from -0.5 on or as far as there is something.
left = logarithmic ? 1000.0 : -0.5
right = logarithmic ? -1000.0 : 1.0
reached(alpha) = (left = min(left, alpha), right = max(right, alpha), 0)
of_alpha(alpha) = logarithmic ? (alpha > 0 ? log10(alpha) : NaN) : alpha
stats file using (flat(strcol(1)) ? 0 : reached(of_alpha(number(2)))) nooutput
if (left > right) { left = -5.0; right = -1.0 }
if (logarithmic && right - left < 1) { left = left - 0.5; right = right + 0.5 }
stretched(alpha) = alpha < right + 0.1 ? -log(right + 0.1 - alpha) : NaN
X(alpha) = logarithmic ? of_alpha(alpha) : stretched(alpha)
x0 = logarithmic ? 1.037 * left - 0.037 * right : 1.062 * X(left) - 0.062 * X(right)
x1 = logarithmic ? 1.037 * right - 0.037 * left : 1.058 * X(right) - 0.058 * X(left)

# What is drawn: $rows of series, x, low, median and high, of which T = 0 and T = 1 have two each; and $bands, outlines
# of what is between low and high. They are cut off at the bottom here, because `filledcurves` would bend them there.
corner(s, x, y) = sprintf("%s,%.9g,%.9g\n", s, x, max(bottom, y))
cut(s, x, y, w, v) = (y - bottom) * (v - bottom) < 0 ? corner(s, w + (bottom - v) / (y - v) * (x - w), bottom) : ""
grow(s, x, a, b) = (there = there . cut(s, x, a, x_, a_) . corner(s, x, a), \
    back = corner(s, x, b) . cut(s, x, b, x_, b_) . back, x_ = x, a_ = a, b_ = b, 0)
end(s) = (bands = bands . there . back . "\n", there = "", back = "", owner = s, a_ = NaN, b_ = NaN, 0)
row(s, x, a, y, b) = (rows = rows . sprintf("%s,%.9g,%.9g,%.9g,%.9g\n", s, x, a, y, b), \
    s eq owner && a <= b ? 0 : end(s), a <= b ? grow(s, x, a, b) : 0)

do for [side = 0:1] {
    # The vertical axis reaches from the best down to 18 points below, or to somewhat below T = 1. What is lower has
    # collapsed, and would flatten the rest.
    unset label; unset arrow; unset object
    set autoscale # else `stats` leaves out what is outside the other panel
    percent(i) = 100 * number((side ? 11 : 8) + i) # -1, 0, 1: low, median, high
    best = -1.0; reach = 18.0; low = 1000.0; high = -1.0
    see(a, y, b) = y > best - reach ? (low = min(min(low, y), a), high = max(max(high, y), b), 0) : 0
    stats file using (best = max(best, percent(0)), 0) nooutput
    stats file using (strcol(1) eq "categorical-1" ? (reach = max(reach, 1.4 * (best - percent(0))), 0) : 0) nooutput
    stats file using (see(flat(strcol(1)) ? percent(-1) : NaN, percent(0), percent(1))) nooutput
    if (low > high) { low = 0.0; high = 100.0 }
    if (high - low < 0.5) { low = low - 0.25; high = high + 0.25 }
    bottom = max(-4, low - (logarithmic ? 0.27 : 0.17) * (high - low))
    top = high + 0.08 * (high - low)

    x_critical = logarithmic ? NaN : X(critical)
    rows = sprintf("critical,%g,nan,%g,nan\ncritical,%g,nan,%g,nan\n", x_critical, bottom, x_critical, top)
    bands = "none,nan,nan\n"; there = ""; back = ""; owner = ""; x_ = NaN
    add(x) = row(strcol(1), x, percent(-1), percent(0), percent(1))
    stats file using (flat(strcol(1)) ? add(2 * x0 - x1) + add(2 * x1 - x0) : add(X(number(2)))) nooutput
    set print $rows; print rows; set print $bands; print bands . there . back; unset print

    share = (top - bottom) / 9.5
    step = share > 2 && share < 3 ? 3 : round_up(share)
    first = max(0, ceil((100 - top) / step))
    last = floor((100 - max(0, bottom)) / step)
    label_y(i) = sprintf(sprintf("%%.%df%%%%", step < 0.99 ? ceil(-log10(step) - 1e-9) : 0), 100 - i * step)
    more = strlen(label_y(first)) - (side ? 3 : 5) # digits than there is room for
    eval panel((side ? 910 : 119) + 18 * max(0, more), 62, side ? 1603 : 812, 512)
    eval panel_ranges(x0, x1, bottom, top)
    eval text((panel_l + panel_r) / 2, panel_t - 28, side ? "Test accuracy" : "Train accuracy", 33.3, "center")
    eval title_x("prior concentration\U+00A0\U+200B{/:Italic \U+03B1}", 27.8)
    do for [i = first:last] { eval tick_y(100 - i * step, label_y(i), 27.8) }
    previous = 0.0
    do for [t in logarithmic ? "" : sprintf("%g -0.5 0.2 0.6 0.8 0.92 1.0 %g", left, right)] {
        at = horizontal(X(real(t)))
        if (at - previous > 60) { eval tick_x(X(real(t)), t, 27.8); previous = at }
    }
    do for [e = logarithmic ? floor(x0) : 1 : logarithmic ? floor(x1) : 0] {
        if (e > x0) { eval tick_x(e, sprintf(e < 0 ? "10^{\U+2212{}%d}" : "10^{%d}", abs(e)), 27.8) }
        do for [i = 2:9] { x = e + log10(i); if (x > x0 && x < x1) { eval mark_x(x, 6) } }
    }

    if (!side) {
        eval "set object rectangle from " . place(panel_l + 13, panel_b - 272) . " to " \
            . place(panel_l + 357, panel_b - 13) . " front fillcolor rgb 'white' " \
            . "fillstyle transparent solid 0.8 border linecolor rgb '#cccccc' linewidth 2.8"
        do for [i = 1:6] {
            y = panel_b - 292 + 42.1 * i
            style = sprintf("front linewidth 4.2 dashtype %d linecolor rgb '%s'", dashes(i), color(i))
            eval line(i < 3 ? panel_l + 25 : panel_l + 23, y, i < 3 ? panel_l + 80 : panel_l + 46, y, style)
            if (i > 2) { eval line(panel_l + 59, y, panel_l + 82, y, style) }
            if (i > 2) { eval disk(panel_l + 52.5, y, 5.8, color(i), "white", 2.1) }
            eval text(panel_l + 103, y, word(names, i), 27.8, "left")
        }
    }
    x_of(i) = strcol(1) eq word(series, i) ? column(2) : NaN
    plot for [i = 1:6] $bands using (x_of(i)):3 \
            with filledcurves closed fillcolor rgb pale(i) fillstyle solid 1 noborder, \
        for [e = 3:5:2] for [i = 1:6] $rows using (x_of(i)):e with lines linewidth 2.8 linecolor rgb pale(i), \
        for [i = 1:6] $rows using (x_of(i)):4 with lines linewidth 4.2 dashtype dashes(i) linecolor rgb color(i), \
        for [i = 3:6] $rows using (x_of(i)):4:(5.8 * (x1 - x0) / (panel_r - panel_l)) \
            with circles linecolor rgb color(i) linewidth 2.1 fillstyle solid 1 border rgb "white", \
        $rows every ::0::1 using 2:4 with lines linewidth 4.2 dashtype 11 linecolor rgb "black"
}
unset multiplot
