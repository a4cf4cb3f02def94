/* What a posterior says of inputs, row after row, as CSV (RFC 4180) or as JSON lines. */
#ifndef CLI_PREDICT_ROWS_H
#define CLI_PREDICT_ROWS_H

#include <kelvin/posterior.h>

struct predict_rows {
    const kelvin_data *data;     /* that the network was trained on */
    const kelvin_inputs *inputs; /* whose columns are handed on: may be set after the start; NULL: none are */
    bool json, labelled;
    const char **name;   /* (classes), as they stand in a row */
    kelvin_arena *arena; /* for them */
    char *text;          /* rows that were made; whoever reads them sets `used` to 0 */
    size_t used, room;
    kelvin_status status; /* the first failure */
};

/* `labelled`: rows have a column for labels. */
KELVIN_MUST_CHECK kelvin_status predict_rows_start(struct predict_rows *rows, const kelvin_data *data, bool labelled,
                                                   bool json);
void predict_rows_end(struct predict_rows *rows);

/* The names of columns; none in JSON. `files`: rows have names. */
KELVIN_MUST_CHECK kelvin_status predict_rows_head(struct predict_rows *rows, bool files);
KELVIN_MUST_CHECK kelvin_status predict_rows_add(struct predict_rows *rows, const kelvin_verdict *verdict);

/* At least nine significant digits, as many as a float has, the shortest way: as %.9g, but that the last one may differ
 * where the tenth is nearly 5. Returns their number; out has room for 32. */
size_t predict_number(char *out, double value);

#endif
