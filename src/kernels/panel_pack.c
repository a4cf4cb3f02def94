/* Rows of observations into panels, where lanes are observations: panel[j][i] = x[i][j], four inputs of eight
 * observations at a time. */
#include "kernels/local.h"
#include "kernels/vec.h"

/* One vector of each row of a panel, `row` floats apart, from n of its eight observations; zeros for the others. */
INLINE void pack_vector(float *panel, size_t row, const float *x, size_t n, size_t inputs)
{
    const float *from[8];
    for (size_t i = 0; i < 8; i++) from[i] = x + (i < n ? i * inputs : 0);
    size_t j = 0;
    for (; j + 4 <= inputs; j += 4) {
        v8 r[4];
        for (int t = 0; t < 4; t++) r[t] = v8_load_halves(from[t] + j, from[t + 4] + j);
        v8_turn(r);
        for (int t = 0; t < 4; t++) v8_store(panel + (j + (size_t)t) * row, r[t]);
    }
    for (; j < inputs; j++)
        for (size_t i = 0; i < 8; i++) panel[j * row + i] = from[i][j];
    if (n < 8)
        for (j = 0; j < inputs; j++)
            for (size_t i = n; i < 8; i++) panel[j * row + i] = 0.0f;
}

void NAME(panel_pack)(float *panel, const float *x, size_t n, size_t inputs, size_t wide)
{
    for (size_t v = 0; v < wide; v++)
        pack_vector(panel + 8 * v, 8 * wide, x + 8 * v * inputs, n - 8 * v < 8 ? n - 8 * v : 8, inputs);
}
