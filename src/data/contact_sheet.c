/* Images of a data set as one picture. The pixels come from kelvin_data_gather, and are brought back to 0 .. 255 by
 * undoing the normalisation: what is seen is what went through the whole machinery. */
#include "data/font.h"
#include "data/picture.h"
#include "files/files.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* ---- letters ---- */

enum { ZOOM = 2 }; /* side of a pixel of a letter */
enum { LETTERS_WIDTH = ZOOM * (FONT_WIDTH + 1), LETTERS_HEIGHT = ZOOM * FONT_HEIGHT, LETTERS_MOST = 24 };

/* One pixel of a letter as a square. */
static void put_dot(struct picture *p, size_t x, size_t y)
{
    for (size_t i = y; i < y + ZOOM && i < p->height; i++)
        for (size_t j = x * p->channels; j < (x + ZOOM) * p->channels && j < p->width * p->channels; j++)
            p->pixels[i * p->width * p->channels + j] = 0;
}

static void put_letter(struct picture *p, size_t x, size_t y, char letter)
{
    const uint8_t *rows = font[(letter < FONT_FIRST || letter > FONT_LAST ? '?' : letter) - FONT_FIRST];
    if (letter && strchr("gjpqy,;", letter)) y += ZOOM; /* they reach below the line */
    for (size_t i = 0; i < FONT_HEIGHT; i++)
        for (size_t j = 0; j < FONT_WIDTH; j++)
            if (rows[i] >> (FONT_WIDTH - 1 - j) & 1) put_dot(p, x + ZOOM * j, y + ZOOM * i);
}

/* The letter that begins at *text, as one that the font has, and *text behind it. Of UTF-8: Latin letters lose their
 * accent, what has no base letter becomes '?'; an accent by itself (as some systems write names) is 0. */
static char next_letter(const char **text)
{
    static const char base[] = "AAAAAAACEEEEIIIIDNOOOOOxOUUUUY?saaaaaaaceeeeiiiidnooooo?ouuuuy?y"; /* of U+00C0 on */
    const unsigned char *p = (const unsigned char *)*text;
    const bool pair = (p[1] & 0xc0) == 0x80;
    do ++*text;
    while (((unsigned char)**text & 0xc0) == 0x80);
    if (p[0] < 0x80) return (char)p[0];
    if (pair && p[0] == 0xc3) return base[p[1] - 0x80];
    return pair && (p[0] == 0xcc || (p[0] == 0xcd && p[1] < 0xb0)) ? '\0' : '?';
}

/* At most LETTERS_MOST letters; what is cut ends with "...". */
static void shorten(char out[LETTERS_MOST + 1], const char *text)
{
    size_t n = 0;
    while (*text) {
        const char letter = next_letter(&text);
        if (!letter) continue;
        if (n == LETTERS_MOST) {
            memcpy(out + LETTERS_MOST - 3, "...", 3);
            break;
        }
        out[n++] = letter;
    }
    out[n] = '\0';
}

/* Puts a text in black at (x, y), shortened to LETTERS_MOST letters. Returns how many letters it takes; nothing is
 * drawn without a picture. */
static size_t letters_put(struct picture *p, size_t x, size_t y, const char *text)
{
    char letters[LETTERS_MOST + 1];
    shorten(letters, text);
    for (size_t i = 0; p && letters[i]; i++) put_letter(p, x + i * LETTERS_WIDTH, y, letters[i]);
    return strlen(letters);
}

/* ---- images ---- */

enum { MOST_COLUMNS = 10, MOST_ROWS = 40, TILE = 64, LARGEST = 128, GAP = 4 };

struct sheet {
    struct picture picture;
    const kelvin_data *data;
    size_t height, width; /* of an image on the sheet, before the zoom */
    size_t zoom;          /* side of a pixel */
    size_t left, top;     /* where the first image is */
    size_t rows;          /* classes that are shown */
    size_t columns;
    float *x;               /* one image, as the network sees it */
    uint8_t *plane, *small; /* one channel of it as bytes, and as large as it is drawn */
};

/* One channel as bytes, made smaller where the image is large. */
static kelvin_status make_plane(struct sheet *s, size_t channel)
{
    const kelvin_data *d = s->data;
    const size_t size = d->height * d->width;
    for (size_t i = 0; i < size; i++) {
        const double value = 255 * ((double)s->x[channel * size + i] * d->deviation[channel] + d->mean[channel]);
        s->plane[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : lrint(value));
    }
    return kelvin_resize_plane(s->small, s->height, s->width, s->plane, d->height, d->width);
}

static kelvin_status put_image(struct sheet *s, size_t row, size_t column)
{
    struct picture *p = &s->picture;
    const size_t x0 = s->left + column * (s->width * s->zoom + GAP), y0 = s->top + row * (s->height * s->zoom + GAP);
    for (size_t c = 0; c < p->channels; c++) {
        KELVIN_TRY(make_plane(s, c));
        for (size_t y = 0; y < s->height * s->zoom; y++)
            for (size_t x = 0; x < s->width * s->zoom; x++)
                p->pixels[((y0 + y) * p->width + x0 + x) * p->channels + c] =
                    s->small[y / s->zoom * s->width + x / s->zoom];
    }
    return KELVIN_OK;
}

static kelvin_status put_row(struct sheet *s, const kelvin_part *part, const kelvin_epoch *epoch, const uint32_t *order,
                             size_t class)
{
    const size_t middle = s->top + class * (s->height * s->zoom + GAP) + s->height * s->zoom / 2;
    letters_put(&s->picture, GAP, middle - LETTERS_HEIGHT / 2, s->data->class_names[class]);
    kelvin_epoch shown = *epoch;
    size_t column = 0;
    for (size_t i = 0; i < part->n && column < s->columns; i++) {
        if (part->y[order[i]] != (int32_t) class) continue;
        do {
            const bool plain = epoch->augment == KELVIN_AUGMENT_NONE || column == 0;
            kelvin_data_gather(s->data, part, s->x, NULL, &order[i], 1, plain ? NULL : &shown);
            shown.epoch += !plain;
            KELVIN_TRY(put_image(s, class, column++));
        } while (epoch->augment != KELVIN_AUGMENT_NONE && column < s->columns);
    }
    return KELVIN_OK;
}

static void put_titles(struct sheet *s, const kelvin_epoch *epoch)
{
    char title[LETTERS_MOST];
    for (size_t i = 0; i < s->columns; i++) {
        snprintf(title, sizeof title, i ? "%zu" : "plain", epoch->epoch + i - 1);
        letters_put(&s->picture, s->left + i * (s->width * s->zoom + GAP), GAP, title);
    }
}

/* ---- the sheet ---- */

/* As many columns as the largest class that is shown has members. */
static size_t count_columns(const kelvin_part *part, size_t rows)
{
    size_t members[MOST_ROWS] = {0}, most = 1;
    for (size_t i = 0; i < part->n; i++) {
        const size_t class = (size_t)part->y[i];
        if (class < rows && ++members[class] > most) most = members[class];
    }
    return most < MOST_COLUMNS ? most : MOST_COLUMNS;
}

/* How large an image is drawn: small ones get larger pixels, large ones fewer. */
static void set_sizes(struct sheet *s)
{
    const size_t height = s->data->height, width = s->data->width, longer = height > width ? height : width;
    s->zoom = longer < TILE ? TILE / longer : 1;
    s->height = longer <= LARGEST ? height : (height * LARGEST + longer - 1) / longer;
    s->width = longer <= LARGEST ? width : (width * LARGEST + longer - 1) / longer;
}

static kelvin_status lay_out(struct sheet *s, const kelvin_part *part, const kelvin_epoch *epoch)
{
    const kelvin_data *d = s->data;
    size_t letters = 0;
    s->rows = d->classes < MOST_ROWS ? d->classes : MOST_ROWS;
    s->columns = epoch->augment == KELVIN_AUGMENT_NONE ? count_columns(part, s->rows) : MOST_COLUMNS;
    for (size_t i = 0; i < s->rows; i++) {
        const size_t n = letters_put(NULL, 0, 0, d->class_names[i]);
        if (n > letters) letters = n;
    }
    set_sizes(s);
    s->left = 2 * GAP + letters * LETTERS_WIDTH;
    s->top = epoch->augment == KELVIN_AUGMENT_NONE ? GAP : 3 * GAP + LETTERS_HEIGHT;
    s->picture.channels = d->channels;
    s->picture.width = s->left + s->columns * (s->width * s->zoom + GAP);
    s->picture.height = s->top + s->rows * (s->height * s->zoom + GAP);
    s->picture.pixels = kelvin_alloc(s->picture.width * s->picture.height, d->channels);
    s->x = kelvin_alloc(d->inputs, sizeof *s->x);
    s->plane = kelvin_alloc(d->height, d->width);
    s->small = kelvin_alloc(s->height, s->width);
    if (!s->picture.pixels || !s->x || !s->plane || !s->small) return KELVIN_ENOMEM;
    memset(s->picture.pixels, 255, s->picture.width * s->picture.height * d->channels);
    return KELVIN_OK;
}

/* Where a file that is there already really is: a link stays a link. */
static kelvin_status find_target(kelvin_path target, const char *path)
{
    _Static_assert(KELVIN_PATH_MAX >= PATH_MAX, "what realpath needs");
    struct stat about;
    if (lstat(path, &about) != 0 && errno == ENOENT) {
        const int length = snprintf(target, KELVIN_PATH_MAX, "%s", path);
        if (length < KELVIN_PATH_MAX) return KELVIN_OK;
        return kelvin_fail(KELVIN_EUSAGE, "%.200s...: the path is longer than %d bytes", path, KELVIN_PATH_MAX - 1);
    }
    if (!realpath(path, target) || stat(target, &about) != 0)
        return kelvin_fail(KELVIN_EIO, "%s: could not be written: %s", path, strerror(errno));
    if (S_ISREG(about.st_mode)) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "%s: is not a regular file, and is not replaced; expected the name of a picture",
                       path);
}

kelvin_status kelvin_sheet_check(const char *path)
{
    kelvin_path target;
    const size_t length = strlen(path);
    if (length < 4 || strcasecmp(path + length - 4, ".png") != 0)
        return kelvin_fail(KELVIN_EUSAGE, "'%.200s': expected a name that ends in .png", path);
    return find_target(target, path);
}

static kelvin_status draw(size_t *shown, const char *target, const kelvin_data *data, const kelvin_part *part,
                          const kelvin_epoch *epoch)
{
    struct sheet sheet = {.data = data};
    uint32_t *order = kelvin_alloc(part->n, sizeof *order);
    kelvin_status status = order ? lay_out(&sheet, part, epoch) : KELVIN_ENOMEM;
    if (!status) {
        kelvin_data_order(order, part->n,
                          &(kelvin_epoch){.seed = epoch->seed}); /* the same images, whatever the epoch */
        if (epoch->augment != KELVIN_AUGMENT_NONE) put_titles(&sheet, epoch);
        for (size_t i = 0; !status && i < sheet.rows; i++) status = put_row(&sheet, part, epoch, order, i);
        if (!status) status = kelvin_picture_write_png(&sheet.picture, target);
        *shown = sheet.rows;
    }
    kelvin_free(order);
    kelvin_free(sheet.x);
    kelvin_free(sheet.plane);
    kelvin_free(sheet.small);
    kelvin_picture_free(&sheet.picture);
    return status;
}

kelvin_status kelvin_data_draw(const kelvin_data *data, size_t *shown, const char *path, const kelvin_sheet *sheet)
{
    kelvin_path target;
    const kelvin_part *part = kelvin_data_part(data, sheet->side);
    kelvin_epoch epoch = {.seed = sheet->seed, .epoch = sheet->epoch};
    *shown = 0;
    if (sheet->augment) KELVIN_TRY(kelvin_augment_parse(&epoch.augment, sheet->augment));
    if (part->n == 0) return kelvin_fail(KELVIN_EUSAGE, "%s has no test part", data->name);
    if (!data->channels) return kelvin_fail(KELVIN_EUSAGE, "%s is a table: only images can be shown", data->name);
    KELVIN_TRY(kelvin_sheet_check(path));
    KELVIN_TRY(find_target(target, path));
    return draw(shown, target, data, part, &epoch);
}
