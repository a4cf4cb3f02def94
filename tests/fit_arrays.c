/* For test_arrays.sh: a fit to data in memory, to be compared with what the command makes of the same numbers in a
 * file.
 *
 *     fit_arrays write SAMPLER           writes table.csv and new.csv; prints the fit's options for `kelvin sample`
 *     fit_arrays compare SAMPLER RUN     fits in memory, compares with that run's samples and saved logits to the bit,
 *                                        and prints the probabilities of all rows of new.csv, with nine digits
 */
#include "fit_helpers.h"

enum { NEW = 50 };

static struct fit_table table;

static int complain(const char *what)
{
    fprintf(stderr, "%s\n", what);
    return 1;
}

/* Rows from `first` on, with 17 digits: those of any float. */
static int write_rows(const char *path, size_t first, size_t n, int labels)
{
    FILE *file = fopen(path, "w");
    if (!file) return complain(path);
    for (size_t i = first; i < first + n; i++) {
        for (size_t j = 0; j < FIT_COLUMNS; j++) fprintf(file, "%s%.17g", j ? "," : "", (double)table.x[i][j]);
        if (labels) fprintf(file, ",%d", (int)table.y[i]);
        fputc('\n', file);
    }
    return fclose(file) ? complain(path) : 0;
}

static void print_options(const char *const *fields)
{
    for (size_t i = 0; fields[i]; i += 2) {
        printf("--");
        for (const char *c = fields[i]; *c; c++) putchar(*c == '_' ? '-' : *c);
        printf(" %s ", fields[i + 1]);
    }
}

static int same_draws(kelvin_run *run, kelvin_samples *file)
{
    float *draws, *other = NULL;
    size_t n;
    if (fit_draws(&draws, &n, run)) return 0;
    const size_t count = kelvin_samples_count(file), parameters = n / count;
    int same = n % count == 0 && (other = kelvin_alloc(parameters, sizeof *other));
    for (size_t i = 0; same && i < count; i++)
        same =
            !kelvin_samples_read(file, other, i) && !memcmp(other, draws + i * parameters, parameters * sizeof *other);
    kelvin_free(other);
    kelvin_free(draws);
    return same && n > 1000;
}

/* Of all samples at all test data: computed in memory, and as the command saved them. Each is one piece here. */
static int same_logits(kelvin_samples *memory, kelvin_samples *file)
{
    kelvin_logits *a = NULL, *b = NULL;
    kelvin_piece x = {0}, y = {0};
    const int open = !kelvin_logits_of_side(&a, memory, KELVIN_TEST, 1) && !kelvin_logits_saved(&b, file, KELVIN_TEST);
    const int same = open && !kelvin_logits_next(a, &x) && !kelvin_logits_next(b, &y) && x.n == 200 && y.n == 200 &&
                     x.samples == y.samples && !memcmp(x.z, y.z, x.samples * x.n * FIT_CLASSES * sizeof *x.z);
    kelvin_logits_close(a);
    kelvin_logits_close(b);
    return same;
}

static int print_predictions(kelvin_samples *samples)
{
    static double p[NEW][FIT_CLASSES];
    if (kelvin_predict(samples, p[0], table.x[700], NEW, 0)) return complain(kelvin_error());
    for (size_t i = 0; i < NEW; i++)
        for (size_t k = 0; k < FIT_CLASSES; k++) printf("%.9g%c", p[i][k], k + 1 < FIT_CLASSES ? ',' : '\n');
    return 0;
}

static int compare(const char *const *fields, const char *folder)
{
    const kelvin_arrays arrays = fit_arrays(&table);
    kelvin_data *data = NULL;
    kelvin_run *run = NULL;
    kelvin_samples *memory = NULL, *file = NULL;
    kelvin_status st = kelvin_data_from_arrays(&data, &arrays);
    if (!st) st = fit_run(&run, fields, data, NULL, NULL, 0);
    if (!st) st = kelvin_samples_of(&memory, run);
    if (!st) st = kelvin_samples_open(&file, folder);
    int failed = st ? complain(kelvin_error()) : 0;
    if (!failed && !same_draws(run, file)) failed = complain("draws are others");
    if (!failed && !same_logits(memory, file)) failed = complain("logits are others");
    if (!failed) failed = print_predictions(memory);
    kelvin_samples_close(file);
    kelvin_samples_close(memory);
    kelvin_run_close(run);
    kelvin_data_close(data);
    return failed;
}

int main(int argc, char **argv)
{
    if (argc < 3) return complain("usage: fit_arrays write|compare SAMPLER [RUN]");
    const char *const *fields = strcmp(argv[2], "hmc") == 0     ? fit_hmc
                                : strcmp(argv[2], "mclmc") == 0 ? fit_mclmc
                                                                : fit_sghmc;
    fit_fill(&table, 1);
    if (strcmp(argv[1], "compare") == 0 && argc == 4) return compare(fields, argv[3]);
    print_options(fields);
    return write_rows("table.csv", 0, FIT_ROWS, 1) || write_rows("new.csv", 700, NEW, 0);
}
