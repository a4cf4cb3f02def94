/* The mark of a data set, "data_crc32" in run.json: CRC-32 of what each part holds, as it lies in memory (images as
 * bytes, tables as standardised float32, labels as int32, behind them weights as float32 where there are any),
 *     training inputs - training labels - test inputs - test labels.
 * Earlier versions wrote the first two. */
#include "base/words.h"
#include "data/dataset.h"
#include "files/formats.h"
#include "run/fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 4, TRAINING = 2, DIGITS = 8 };
static const char *const pieces[PIECES] = {"training inputs", "training labels", "test inputs", "test labels"};

static void checksums(uint32_t crc32[PIECES], const kelvin_data *data)
{
    const kelvin_part *parts[] = {&data->train, &data->test};
    for (size_t i = 0; i < 2; i++) {
        const kelvin_part *part = parts[i];
        const size_t n = part->n * data->inputs;
        crc32[2 * i] = part->bytes ? kelvin_crc32(part->bytes, n) : kelvin_crc32(part->x, n * sizeof *part->x);
        crc32[2 * i + 1] = kelvin_crc32(part->y, part->n * sizeof *part->y);
        if (part->weight)
            crc32[2 * i + 1] = kelvin_crc32_more(crc32[2 * i + 1], part->weight, part->n * sizeof *part->weight);
    }
}

void kelvin_data_mark(char mark[KELVIN_DATA_MARK], const kelvin_data *data)
{
    uint32_t crc32[PIECES];
    checksums(crc32, data);
    snprintf(mark, KELVIN_DATA_MARK, "%08" PRIx32 "-%08" PRIx32 "-%08" PRIx32 "-%08" PRIx32, crc32[0], crc32[1],
             crc32[2], crc32[3]);
}

/* How many checksums a mark has; 0 if it is none. */
static size_t parse(uint32_t crc32[PIECES], const char *mark)
{
    for (size_t i = 0; i < PIECES; i++, mark += DIGITS + 1) {
        if (strspn(mark, "0123456789abcdef") != DIGITS) return 0;
        crc32[i] = (uint32_t)strtoul(mark, NULL, 16);
        const bool last = i + 1 == PIECES || (i + 1 == TRAINING && !mark[DIGITS]);
        if (mark[DIGITS] != (last ? '\0' : '-')) return 0;
        if (last) return i + 1;
    }
    return 0;
}

kelvin_status kelvin_mark_check(const char *mark, const char *path)
{
    uint32_t crc32[PIECES];
    if (!mark || parse(crc32, mark)) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT,
                       "%s: field \"data_crc32\": expected two or four checksums of eight digits, as "
                       "\"7cc91241-cf447314-00000000-00000000\", not \"%.100s\"",
                       path, mark);
}

kelvin_status kelvin_mark_compare(const kelvin_data *data, const char *mark, const char *path, const char *advice)
{
    uint32_t found[PIECES], expected[PIECES];
    char changed[128] = "";
    const size_t n = mark ? parse(expected, mark) : 0;
    if (n > 0) checksums(found, data);
    for (size_t i = 0, used = 0; i < n; i++)
        if (found[i] != expected[i])
            used += (size_t)snprintf(changed + used, sizeof changed - used, "%s%s", used ? ", " : "", pieces[i]);
    if (!*changed) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: the data set %s has changed since (%s); " KELVIN_SAID, path, data->name,
                       changed, advice);
}
