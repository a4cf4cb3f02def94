/* Own data from memory: networks are fitted to a table of 1,000 x 20 floats and asked what they make of its rows; no
 * file is read or written. Nothing is set: the network, its prior and how long to sample are chosen from the data.
 *
 *     cc fit_and_predict.c $(pkg-config --cflags --libs kelvin) -o fit_and_predict
 *     ./fit_and_predict
 *
 * It says how many samples there are, what they say together of the first three rows, and how often they are right. It
 * prints:
 *
 *     128 samples
 *     row 0: class 0 with probability 1.00, label 0
 *     row 1: class 0 with probability 1.00, label 0
 *     row 2: class 1 with probability 1.00, label 1
 *     right for 99.8 % of the rows
 */
#include <kelvin/kelvin.h>

#include <stdio.h>

enum { ROWS = 1000, COLUMNS = 20, CLASSES = 2 };

static float x[ROWS][COLUMNS];
static int32_t labels[ROWS];
static double p[ROWS][CLASSES];

/* Your own numbers go here: any scale will do, columns are standardised. */
static void measure(void)
{
    uint32_t state = 1;
    for (size_t i = 0; i < ROWS; i++) {
        float sum = 0;
        for (size_t j = 0; j < COLUMNS; j++) {
            state = state * 1664525u + 1013904223u;
            x[i][j] = (float)(state >> 8) / 16777216.0f - 0.5f;
            sum += j < 5 ? x[i][j] : 0;
        }
        labels[i] = sum > 0;
    }
}

int main(void)
{
    kelvin_arrays arrays = {0};
    kelvin_data *data = NULL;
    kelvin_config *config = NULL;
    kelvin_run *run = NULL;
    kelvin_samples *samples = NULL;
    measure();
    arrays.rows = ROWS;
    arrays.columns = COLUMNS;
    arrays.x = x[0];
    arrays.labels = labels;
    kelvin_status st = kelvin_data_from_arrays(&data, &arrays);
    if (!st) st = kelvin_config_create(&config);
    if (!st) st = kelvin_run_start_with(&run, config, data, NULL); /* NULL: no folder */
    if (!st) st = kelvin_run_sample(&run, 1, NULL, NULL, NULL);
    if (!st) st = kelvin_samples_of(&samples, run);
    if (!st) st = kelvin_predict(samples, p[0], x[0], ROWS, 0);
    if (st) fprintf(stderr, "%s\n", kelvin_error());
    if (!st) printf("%zu samples\n", kelvin_samples_count(samples));
    size_t right = 0;
    for (size_t i = 0; !st && i < ROWS; i++) {
        const int class = p[i][1] > p[i][0];
        right += class == labels[i];
        if (i < 3) printf("row %zu: class %d with probability %.2f, label %d\n", i, class, p[i][class], (int)labels[i]);
    }
    if (!st) printf("right for %.1f %% of the rows\n", 100.0 * (double)right / ROWS);
    kelvin_samples_close(samples);
    kelvin_run_close(run);
    kelvin_config_destroy(config);
    kelvin_data_close(data);
    return st;
}
