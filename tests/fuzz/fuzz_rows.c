/* Tables that come in pieces: through a small window, the same rows and the same failure as all at once. */
#define _GNU_SOURCE /* memfd_create */

#include "data/csv.h"
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* One row of each; false after the last. */
static bool next(struct csv_reader *whole, struct csv_window *window)
{
    const struct csv_reader *pieces = &window->reader;
    bool more = false, also = false;
    const kelvin_status a = kelvin_csv_row(whole, &more), b = kelvin_csv_window_row(window, &also, true);
    if (a != b || more != also) abort();
    if (a || !more) return false;
    if (whole->delimiter != pieces->delimiter || whole->room != pieces->room) abort();
    if (whole->n_fields != pieces->n_fields || whole->row_line != pieces->row_line) abort();
    for (size_t i = 0; i < whole->n_fields && i < whole->room; i++)
        if (strcmp(whole->fields[i], pieces->fields[i]) != 0) abort();
    return true;
}

static void compare(char *text, size_t size, struct csv_window *window)
{
    struct csv_reader whole = {.path = "a.csv", .line = 1};
    if (!kelvin_csv_feed(&whole, text, size)) {
        while (next(&whole, window)) continue;
    } else {
        bool more = true;
        kelvin_status status = KELVIN_OK;
        while (more && !status) status = kelvin_csv_window_row(window, &more, true);
        if (!status) abort(); /* nobody noticed */
    }
    kelvin_csv_end(&whole);
}

static void run(const uint8_t *bytes, size_t size)
{
    char path[64], *text = kelvin_alloc(size + 1, 1);
    struct csv_window window;
    const int fd = memfd_create("rows", 0);
    if (!text || fd < 0 || write(fd, bytes, size) != (ssize_t)size) abort();
    memcpy(text, bytes, size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (kelvin_csv_window_open(&window, path)) abort();
    window.room = 1 + size % 61;
    compare(text, size, &window);
    kelvin_csv_window_close(&window);
    close(fd);
    kelvin_free(text);
}

/* The text (1) and, where a byte is a field, its place, twice (16); the window at its first size, and as it doubles
 * until all of the text is in it. */
const struct fuzz_target fuzz_target = {run, 1 << 19, 24};
