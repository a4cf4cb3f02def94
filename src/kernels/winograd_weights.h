/* Winograd's minimal filtering: the weights to the points and back, for winograd.h and winograd_stride2.c, which include
 * this.
 *
 * Forms: (out blocks, points, in channels, 16), and for the way back (in blocks, points, out channels, 16): where that is
 * the adjoint of the way forward the taps are as they are, and where it is a convolution of its own they are turned by
 * half a turn, TURNED. */

/* Where the taps from channel `c` to channel `k` of what is computed are, in w (out, in, 3, 3) of `in` channels. */
static size_t filter_at(size_t in, bool back, size_t c, size_t k)
{
    return (back ? c * in + k : k * in + c) * 9;
}

static void pack_filter(float *u, size_t step, const float g[9][KELVIN_LANES])
{
    for (int c = 0; c < KELVIN_LANES; c += WIDE) {
        wide half[POINTS][3];
        UNROLLED(x, 3) {
            wide in[3], v[POINTS];
            UNROLLED(y, 3) in[y] = wide_load(&g[3 * y + x][c]);
            weight_points(v, in);
            UNROLLED(y, POINTS) half[y][x] = v[y];
        }
        UNROLLED(y, POINTS) {
            wide v[POINTS];
            weight_points(v, half[y]);
            UNROLLED(x, POINTS) wide_store(u + (size_t)(y * POINTS + x) * step + c, v[x]);
        }
    }
}

void NAMED(pack)(float *packed, const float *w, const struct conv *conv, bool back)
{
    const size_t from = back ? conv->out.channels : conv->in.channels,
                 to = back ? conv->in.channels : conv->out.channels;
    for (size_t block = 0; block < blocks_of(to); block++)
        for (size_t c = 0; c < from; c++) {
            float g[9][KELVIN_LANES] = {{0}};
            const size_t first = block * KELVIN_LANES;
            for (size_t k = 0; k < smaller(KELVIN_LANES, to - first); k++)
                for (size_t tap = 0; tap < 9; tap++)
                    g[back && TURNED ? 8 - tap : tap][k] = w[filter_at(conv->in.channels, back, c, first + k) + tap];
            pack_filter(packed + block * ALL_POINTS * weight_step(from) + c * KELVIN_LANES, weight_step(from),
                        (const float(*)[KELVIN_LANES])g);
        }
}

static void unpack_filter(float g[9][KELVIN_LANES], const float *u, size_t step)
{
    enum { AHEAD = 4 * KELVIN_LANES }; /* channels that will be wanted soon: as many streams as points are too many */
    for (size_t p = 0; p < ALL_POINTS; p++) __builtin_prefetch(u + p * step + AHEAD);
    for (int c = 0; c < KELVIN_LANES; c += WIDE) {
        wide half[3][POINTS];
        UNROLLED(x, POINTS) {
            wide in[POINTS], v[3];
            UNROLLED(y, POINTS) in[y] = wide_load(u + (size_t)(y * POINTS + x) * step + c);
            weight_back(v, in);
            UNROLLED(y, 3) half[y][x] = v[y];
        }
        UNROLLED(y, 3) {
            wide v[3];
            weight_back(v, half[y]);
            UNROLLED(x, 3) wide_store(&g[3 * y + x][c], v[x]);
        }
    }
}

void NAMED(unpack)(float *w, const float *d_packed, const struct conv *conv)
{
    const size_t from = conv->in.channels, to = conv->out.channels;
    for (size_t block = 0; block < blocks_of(to); block++)
        for (size_t c = 0; c < from; c++) {
            float g[9][KELVIN_LANES];
            const size_t first = block * KELVIN_LANES;
            unpack_filter(g, d_packed + block * ALL_POINTS * weight_step(from) + c * KELVIN_LANES, weight_step(from));
            for (size_t k = 0; k < smaller(KELVIN_LANES, to - first); k++)
                for (size_t tap = 0; tap < 9; tap++) w[filter_at(from, false, c, first + k) + tap] = g[tap][k];
        }
}
