#!/usr/bin/env python3
"""The tables of the figures against the paper's formulas, written down once more.

    figures_oracle.py FOLDER NAME

Exit 1 with an assertion if a number in FOLDER/NAME*.csv (made with default options, at any scale) is not what the paper
says. Nothing but Python's own library is needed.
"""
import math
import sys


def table(path):
    """(names of the columns, rows of numbers)"""
    lines = open(path).read().splitlines()
    assert lines[0].startswith("# ")
    return lines[0][2:].split(","), [list(map(float, l.split(","))) for l in lines if l and l[0] != "#"]


def near(a, b, relative=2e-9, absolute=1e-12):
    assert abs(a - b) <= relative * abs(b) + absolute, (a, b)


def schedule(base):
    names, rows = table(base + ".csv")
    assert names == ["epoch", "rate", "temperature"] and len(rows) == 1201
    assert rows[0][0] == 0 and rows[-1][0] == 10000
    for e, rate, temperature in rows:
        near(rate, math.sin(math.pi * e / 1e4) if e > 5000 else 1, absolute=1e-9)
        near(temperature, min(max(3 * e / 1e4 - 1, 0), 1), absolute=1e-9)


def upper_density(z, T):
    return max(z, 1 - z) ** (1 / T - 1) * z


def wasserstein(base):
    names, rows = table(base + ".csv")
    assert names == ["temperature", "distance"] and len(rows) == 1000
    near(rows[0][0], 1e-5), near(rows[-1][0], 1)
    for (a, _), (b, _) in zip(rows, rows[1:]):
        near(b / a, 1e5 ** (1 / 999), 1e-8)
    for T, distance in rows[-1:-400:-57]:
        # Means of 1 - z differ by the distance, as one distribution is stochastically larger. Midpoints, 1e-4 wide.
        n = 10000
        weights = [upper_density((i + 0.5) / n, T) for i in range(n)]
        mean = sum(w * (1 - (i + 0.5) / n) for i, w in enumerate(weights)) / sum(weights)
        near(distance, mean - T / (1 + 2 * T), absolute=2e-6)


def cdf_validation(base):
    names, rows = table(base + ".csv")
    assert names == "temperature,z,cold,cold_simulated,cold_error,upper,upper_simulated,upper_error".split(",")
    temperatures = [1, 1 / 1.7, 1 / 3, 1 / 5.5, 1 / 12, 1 / 30, 1 / 100, 1 / 1000]
    assert sum(row[0] == 1e-3 and 0.1 < row[2] < 0.9 for row in rows) >= 10  # the steepest curve is drawn on its rise
    for T, (t, z, cold, *cold_found, upper, found, error) in zip(
            (T for T in temperatures for _ in range(len(rows) // 8)), rows):
        near(t, T, 1e-9)
        near(cold, z ** (1 + 1 / T), 1e-6)  # ten digits of z, a thousandth power
        a = 2 ** (1 / T)
        if z <= 0.5:
            near(upper, a * (T - (1 - z) ** (1 / T) * (T + z)) / ((a - 1) * (T + 1)), 1e-9, 1e-9)
        else:
            near(upper, (2 * T + 1 / (1 - a)) / (2 * (T + 1))
                 + (2 * ((z ** (1 / T + 1)) - (0.5 ** (1 / T + 1)))) / (2 * (1 - 1 / a) * (T + 1)), 1e-6, 1e-9)
        assert abs(upper - found) <= 5 * error + 1e-9 and abs(cold - cold_found[0]) <= 5 * cold_found[1] + 1e-9
        assert error < 0.2 and (error > 0 or found in (0, 1) or error < 1e-9)


def confidence_density(base):
    names, rows = table(base + ".csv")
    assert names == ["temperature", "p", "cold", "upper"] and len(rows) == 7 * 1001
    for T, p, cold, upper in rows:
        near(cold, p ** (1 / T), 1e-7)
        near(upper, upper_density(p, T), 1e-7)
    _, peaks = table(base + "-peaks.csv")
    assert len(peaks) == 5
    for T, p, upper in peaks:
        near(p, T, 1e-9)
        near(upper, upper_density(T, T), 1e-8)


def ndg(alpha):
    variance = [math.log(1 / (alpha + k) + 1) for k in (0, 1)]
    return [math.log(alpha + k) - variance[k] / 2 for k in (0, 1)], variance


def ndg_ridgeline(base):
    names, rows = table(base + ".csv")
    assert names == ["x", "wrong", "true"] and rows[0][0] == -9 and rows[-1][0] == 4
    mean, variance = ndg(0.1)
    for x, *densities in rows:
        for m, v, density in zip(mean, variance, densities):
            near(density, math.exp(-(x - m) ** 2 / (2 * v)) / math.sqrt(2 * math.pi * v), 1e-7)
    _, classes = table(base + "-classes.csv")
    assert [c[0] for c in classes] == list(range(10))
    for k, m, v in classes:
        near(m, mean[k == 3]), near(v, variance[k == 3])


def distribution_slices(base):
    names, rows = table(base + ".csv")
    assert names == "panel,curve,logit,probability,complement,axis,value,drawn".split(",") and len(rows) == 13 * 801
    alpha, clip, T, T_middle = 1e-6, -16, 3e-7, 0.08
    mean, variance = ndg(alpha)
    mean = [mean[0] - mean[1], 0]
    normal = lambda l, k: -(l - mean[k]) ** 2 / (2 * variance[k])
    dirichlet = lambda l, m: (alpha - 1) * (l + m)
    ndg_prior = lambda l, m: normal(l, 0) + normal(m, 0)
    confidence = lambda l, m: (1 / T - 1) * max(l, m)
    curves = [  # panel, log-density from the log-probabilities of the true class and of the other, where it is drawn
        (0, dirichlet, -14.5), (0, lambda l, m: (alpha - 1) * (max(l, clip) + max(m, clip)), -14.5),
        (0, ndg_prior, 12), (0, confidence, -5),
        (1, lambda l, m: l, 0), (1, lambda l, m: l / T_middle, 0),
        (1, lambda l, m: normal(l, 1) - normal(l, 0) + mean[0] ** 2 / (-2 * variance[0]), 0),
        (2, lambda l, m: l, 0), (2, lambda l, m: confidence(l, m) + l, 0), (2, lambda l, m: l / T, 0),
        (2, lambda l, m: ndg_prior(l, m) + l, 10), (2, lambda l, m: normal(l, 1) + normal(m, 0), -5),
        (2, lambda l, m: dirichlet(l, m) + l, -32.5)]
    for i, (panel, curve, t, p, rest, axis, value, drawn) in enumerate(rows):
        assert curve == i // 801 and panel == curves[int(curve)][0]
        near(t, math.log(p / rest), 1e-8, 1e-8)
        l = math.log(p) if p < 0.5 else math.log1p(-rest)
        m = math.log(rest) if rest < 0.5 else math.log1p(-p)
        near(axis, math.log(2 * p) if p < 0.5 else -math.log(2 * rest), 1e-8, 1e-8)
        near(value, curves[int(curve)][1](l, m), 2e-8, 1e-7)
        near(drawn, value + curves[int(curve)][2], 1e-8, 0.05)  # the paper's shifts, read off its picture
    _, maxima = table(base + "-maxima.csv")
    assert [(int(row[0]), int(row[1])) for row in maxima] == [(0, 2), (0, 2), (2, 8), (2, 10), (2, 10), (2, 11)]
    near(maxima[2][3], T, 1e-6)
    near(maxima[0][3], maxima[1][4], 1e-6)
    for row in maxima:
        same = [r for r in rows if r[1] == row[1] and abs(r[2] - row[2]) < 0.3]
        assert len(same) > 5 and all(r[6] <= row[6] + 1e-8 for r in same)


def phase_diagram(base):
    names, rows = table(base + ".csv")
    assert names == ["p_wrong", "alpha", "change"] and len(rows) == 600 * 800
    K = 10

    def change(p, alpha):
        y = [p] + [(1 - p) / (K - 1)] * (K - 1)
        g = [alpha - 1] * (K - 1) + [alpha]
        total, squares = sum(g), sum(v * v for v in y)
        return g[-1] - total * y[-1] - sum(a * b for a, b in zip(y, g)) + total * squares

    for i in range(0, len(rows), 977):
        p, alpha, found = rows[i]
        near(p, (i % 800 + 0.5) / 800, 1e-6), near(alpha, (i // 800 + 0.5) / 600, 1e-6)
        near(found, change(p, alpha), 1e-5, 2e-5)  # seven digits of p and alpha
    _, boundary = table(base + "-boundary.csv")
    assert len(boundary) > 500 and boundary[0][1] == 0
    for p, alpha, rest in boundary:
        near(p, 1 - rest, 1e-9), near(change(p, alpha), 0, 0, 1e-9)
    near(boundary[-1][1], 0.8, 0, 1e-10)


def critical_alpha(base):
    names, rows = table(base + ".csv")
    assert names == ["classes", "critical", "formula"] and [r[0] for r in rows] == list(range(2, 101))
    for K, critical, formula in rows:
        near(critical, (K - 2) / K, 0, 1e-9), near(formula, (K - 2) / K, 0, 1e-14)


def gradient(panel, z):
    """d/dz of likelihood, Dir(0.01) prior, posterior; and the probabilities"""
    e = [math.exp(v - max(z)) for v in z]
    p = [v / sum(e) for v in e]
    like = [(k == 0) - p[k] for k in range(3)]
    prior = [-0.99 * (1 - 3 * p[k]) for k in range(3)]
    return [(like, prior, [a + b for a, b in zip(like, prior)])[panel][k] for k in range(3)], p


def prediction(x, y):
    p0 = y / math.sqrt(0.75)
    p2 = x - p0 / 2
    return [p0, 1 - p0 - p2, p2]


def dirichlet_gradients(base):
    names, rows = table(base + ".csv")
    assert names == ["x", "y", "likelihood", "prior", "posterior"]
    inside = [(prediction(*row[:2]), row[2:]) for row in rows if min(prediction(*row[:2])) > 0.01]
    assert len(inside) > 20000
    middle = min(inside, key=lambda row: max(row[0]))
    log_density = lambda p: (math.log(p[0]), -0.99 * sum(map(math.log, p)), math.log(p[0]) - 0.99 * sum(map(math.log, p)))
    for p, values in inside[::37]:
        for found, here, there, zero in zip(values, log_density(p), log_density(middle[0]), middle[1]):
            near(found - zero, here - there, 1e-3, 1e-3)  # six digits of x and y, near an edge
    _, field = table(base + "-field.csv")
    assert len(field) > 3 * 250
    for panel, x, y, dx, dy in field:
        g, p = gradient(int(panel), list(map(math.log, prediction(x, y))))
        mean = sum(a * b for a, b in zip(g, p))
        dp = [a * (b - mean) for a, b in zip(p, g)]
        near(dx, dp[0] / 2 + dp[2], 1e-7, 1e-8), near(dy, dp[0] * math.sqrt(0.75), 1e-7, 1e-8)
    _, ways = table(base + "-particles.csv")
    assert {(r[0], r[1]) for r in ways} == {(i, j) for i in range(3) for j in range(1, 51)}
    for panel in range(3):
        for particle in range(1, 51, 7):
            way = [r for r in ways if r[0] == panel and r[1] == particle]
            assert way[0][2] == 0 and way[-1][3] == 1000
            z, step = list(map(math.log, prediction(*way[0][4:]))), 0
            for _, _, first, last, x, y in way:
                while step < first:
                    z = [a + 0.05 * b for a, b in zip(z, gradient(panel, z)[0])]
                    step += 1
                p = gradient(panel, z)[1]
                # Starts have six digits, which an unstable way blows up.
                near(x, p[0] / 2 + p[2], 0, 1e-3), near(y, p[0] * math.sqrt(0.75), 0, 1e-3)


if __name__ == "__main__":
    folder, name = sys.argv[1:]
    globals()[name.replace("-", "_")](f"{folder}/{name}")
