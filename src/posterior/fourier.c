/* Autocovariances from power spectra (Wiener and Khinchin). A series of n numbers, with zeros behind it up to a power
 * of two N >= 2 n, so that its end does not meet its beginning, has the transform
 *     X_k = sum_m x_m exp(-2 pi i m k / N);
 * the squares |X_k|^2, added up over chains, are the transform of N times the autocovariances. They are real and even,
 * so that the same transform leads back.
 *
 * The N real numbers are M = N / 2 complex ones, z_m = x_2m + i x_2m+1. In a transform whose output is left in the
 * order of reversed bits, a block has one twiddle for all its numbers, so that the inner loop multiplies by constants;
 * block b has W(b) = exp(-pi i rev(b)), where rev(b) is b with its bits behind the binary point, the last one first. As
 * W(2b + 1) = -i W(2b), a table of those with even numbers is enough. */
#include "posterior/stats.h"

#include <math.h>
#include <string.h>

struct twiddle {
    double re, im;
};

struct kelvin_fourier {
    size_t n, points;       /* M */
    struct twiddle table[]; /* (M / 2): W(0), W(2), ... */
};

static size_t points_of(size_t n)
{
    size_t points = 1;
    while (points < n) points *= 2;
    return points;
}

/* exp(-i pi a / 2) for 0 <= a < 1. An angle is at most pi / 4, where libm's sine and cosine are best. */
static struct twiddle turn(double a)
{
    const double quarter = 1.5707963267948966;
    if (a <= 0.5) return (struct twiddle){cos(quarter * a), -sin(quarter * a)};
    return (struct twiddle){sin(quarter * (1 - a)), -cos(quarter * (1 - a))};
}

/* The next number in the order of reversed bits of numbers below `points`. */
static size_t next_reversed(size_t k, size_t points)
{
    size_t bit = points / 2;
    for (; k & bit; bit /= 2) k ^= bit;
    return k | bit;
}

kelvin_status kelvin_fourier_create(struct kelvin_fourier **out, size_t n)
{
    const size_t points = points_of(n), half = points / 2;
    struct kelvin_fourier *f = *out = kelvin_alloc(1, sizeof *f + half * sizeof *f->table);
    if (!f) return KELVIN_ENOMEM;
    f->n = n;
    f->points = points;
    for (size_t i = 0, reversed = 0; i < half; i++, reversed = next_reversed(reversed, half))
        f->table[i] = turn((double)reversed / (double)half);
    return KELVIN_OK;
}

/* The power, from 0 to M, and z. */
size_t kelvin_fourier_room(size_t n)
{
    return 3 * points_of(n) + 1;
}

/* ---- complex numbers ---- */

static struct twiddle times(struct twiddle a, struct twiddle b)
{
    return (struct twiddle){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* W(b) for any b. */
static struct twiddle twiddle(const struct kelvin_fourier *f, size_t b)
{
    const struct twiddle even = f->table[b / 2];
    return b % 2 == 0 ? even : (struct twiddle){even.im, -even.re};
}

/* The first step, of one block whose twiddle is 1. */
static void halve(double *restrict re0, double *restrict im0, double *restrict re1, double *restrict im1, size_t half)
{
    for (size_t m = 0; m < half; m++) {
        const double re = re0[m], im = im0[m];
        re0[m] = re + re1[m], im0[m] = im + im1[m];
        re1[m] = re - re1[m], im1[m] = im - im1[m];
    }
}

/* Two steps at once on a block of four parts: with w between parts 0 and 2, 1 and 3, then with its root v between 0 and
 * 1, and -i v between 2 and 3. */
static void quarter(double *restrict re0, double *restrict re1, double *restrict re2, double *restrict re3,
                    double *restrict im0, double *restrict im1, double *restrict im2, double *restrict im3, size_t part,
                    struct twiddle v, struct twiddle w)
{
    const struct twiddle u = times(v, w);
    for (size_t m = 0; m < part; m++) {
        const double are = w.re * re2[m] - w.im * im2[m], aim = w.re * im2[m] + w.im * re2[m];
        const double bre = v.re * re1[m] - v.im * im1[m], bim = v.re * im1[m] + v.im * re1[m];
        const double cre = u.re * re3[m] - u.im * im3[m], cim = u.re * im3[m] + u.im * re3[m];
        const double sre = re0[m] + are, sim = im0[m] + aim, dre = re0[m] - are, dim = im0[m] - aim;
        const double tre = bre + cre, tim = bim + cim, ere = bre - cre, eim = bim - cim;
        re0[m] = sre + tre, im0[m] = sim + tim;
        re1[m] = sre - tre, im1[m] = sim - tim;
        re2[m] = dre + eim, im2[m] = dim - ere;
        re3[m] = dre - eim, im3[m] = dim + ere;
    }
}

/* In place: number j becomes that at k = M rev(j). */
static void transform_points(const struct kelvin_fourier *f, double *re, double *im)
{
    size_t size = 1;
    while (4 * size <= f->points) size *= 4;
    if (size < f->points) halve(re, im, re + size, im + size, size);
    for (; size > 1; size /= 4) {
        const size_t part = size / 4;
        for (size_t b = 0; b < f->points / size; b++) {
            double *r = re + b * size, *i = im + b * size;
            quarter(r, r + part, r + 2 * part, r + 3 * part, i, i + part, i + 2 * part, i + 3 * part, part, f->table[b],
                    twiddle(f, b));
        }
    }
}

/* ---- real numbers ---- */

/* From those of even and odd places, E_k = (Z_k + conj Z_M-k) / 2 and O_k = (Z_k - conj Z_M-k) / 2i, follow
 * X_k = E_k + W O_k and X_M-k = conj(E_k - W O_k). M - k is where all bits of j but the highest are turned round. */
static void transform(const struct kelvin_fourier *f, double *z)
{
    double *re = z, *im = z + f->points;
    transform_points(f, re, im);
    const double first = re[0];
    re[0] = first + im[0]; /* X_0; both are real */
    im[0] = first - im[0]; /* X_M */
    if (f->points > 1) im[1] = -im[1];
    for (size_t top = 2; top < f->points; top *= 2)
        for (size_t j = top; j < 2 * top; j += 2) {
            const size_t other = j ^ (top - 1);
            const struct twiddle e = {0.5 * (re[j] + re[other]), 0.5 * (im[j] - im[other])};
            const struct twiddle o = {0.5 * (im[j] + im[other]), 0.5 * (re[other] - re[j])};
            const struct twiddle p = times(f->table[j / 2], o);
            re[j] = e.re + p.re, im[j] = e.im + p.im;
            re[other] = e.re - p.re, im[other] = p.im - e.im;
        }
}

/* ---- autocovariances ---- */

/* Where in z number m of 2 M is. */
static size_t place(const struct kelvin_fourier *f, size_t m)
{
    return m / 2 + m % 2 * f->points;
}

static void load(const struct kelvin_fourier *f, double *z, const double *x)
{
    memset(z, 0, 2 * f->points * sizeof *z);
    for (size_t i = 0; i < f->n; i++) z[place(f, i)] = x[i];
}

/* power += |X_k|^2, in the order of z, and that at M behind. */
static void add_power(const struct kelvin_fourier *f, double *power, const double *z)
{
    const double *re = z, *im = z + f->points;
    power[0] += re[0] * re[0];
    power[f->points] += im[0] * im[0];
    for (size_t j = 1; j < f->points; j++) power[j] += re[j] * re[j] + im[j] * im[j];
}

/* From 0 to 2 M, of which it has the half from 0 to M. */
static void load_power(const struct kelvin_fourier *f, double *z, const double *power)
{
    const size_t points = f->points;
    z[place(f, 0)] = power[0];
    z[place(f, points)] = power[points];
    for (size_t j = 1, k = 0; j < points; j++) {
        k = next_reversed(k, points);
        z[place(f, k)] = z[place(f, 2 * points - k)] = power[j];
    }
}

void kelvin_autocovariances(const struct kelvin_fourier *f, double *work, const double *x, size_t chains)
{
    const size_t points = f->points;
    double *power = work, *z = work + points + 1;
    memset(power, 0, (points + 1) * sizeof *power);
    for (size_t m = 0; m < chains; m++) {
        load(f, z, x + m * f->n);
        transform(f, z);
        add_power(f, power, z);
    }
    load_power(f, z, power);
    transform(f, z);
    for (size_t j = 0, lag = 0; j < points; j++, lag = next_reversed(lag, points))
        work[lag] = z[j] / (double)(2 * points);
}
