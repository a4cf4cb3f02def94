/* 1,797 handwritten digits of 8x8 pixels, each 0 .. 16: the test set of E. Alpaydin and C. Kaynak, Optical Recognition
 * of Handwritten Digits, UCI Machine Learning Repository (1998), https://doi.org/10.24432/C50P49, licence CC BY 4.0.
 * digits.csv holds one image a line, row by row, and then its label. Every fifth or so is for testing: the split by
 * seed 0 that a table of one's own would get. */
#include "data/labels.h"
#include "digits_csv.h"

#include <stdlib.h>

enum { SIDE = 8 };

static kelvin_status open(struct data_loader *loader)
{
    loader->data->channels = 1;
    loader->data->height = loader->data->width = SIDE;
    loader->data->white = 16;
    const char *at = digits_csv;
    char *end;
    size_t n = 0;
    for (size_t i = 0; digits_csv[i]; i++) n += digits_csv[i] == '\n';
    KELVIN_TRY(kelvin_data_alloc_rows(loader, n));
    for (size_t i = 0; i < n; i++, at = end + 1) {
        for (size_t j = 0; j < SIDE * SIDE; j++, at = end + 1)
            loader->bytes[i * SIDE * SIDE + j] = (uint8_t)strtoul(at, &end, 10);
        loader->y[i] = (int32_t)strtoul(at, &end, 10);
    }
    KELVIN_TRY(kelvin_labels_to_classes(loader, NULL, "digits", NULL));
    return kelvin_data_split(loader);
}

const struct data_type kelvin_data_digits = {
    .member = KELVIN_PLAIN_MEMBER("digits", "1,797 handwritten digits of 8x8 pixels, 10 classes; built in"),
    .open = open,
};
