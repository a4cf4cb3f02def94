/* Draws the contact sheet. The pixels come from kelvin_data_gather, and are brought back to 0 .. 255 by undoing the
 * normalisation: what is seen is what went through the whole machinery. */
#include "cli/contact_sheet.h"

#include "cli/font.h"
#include "data/picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 10, MOST_ROWS = 40, TILE = 64, GAP = 4, ZOOM = 2, LETTER = ZOOM * (FONT_WIDTH + 1), LONGEST = 24 };

struct sheet {
    struct picture picture;
    const kelvin_data *data;
    size_t zoom;      /* of a pixel of an image */
    size_t left, top; /* where the first image is */
    size_t rows;      /* classes that are shown */
    float *x;         /* one image */
};

/* ---- text ---- */

/* One bit of a letter as a square. */
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

/* Letters of more than one byte (UTF-8) are shown as one '?'. */
static size_t text_letters(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n < LONGEST ? n : LONGEST;
}

static void put_text(struct picture *p, size_t x, size_t y, const char *text)
{
    for (size_t n = 0; *text && n < LONGEST; text++) {
        if (((unsigned char)*text & 0xc0) == 0x80) continue;
        put_letter(p, x + n++ * LETTER, y, *text);
    }
}

/* ---- images ---- */

static uint8_t to_byte(const kelvin_data *data, size_t channel, float x)
{
    const double value = 255 * ((double)x * data->deviation[channel] + data->mean[channel]);
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : lrint(value));
}

static void put_image(struct sheet *s, size_t row, size_t column)
{
    const kelvin_data *d = s->data;
    struct picture *p = &s->picture;
    const size_t x0 = s->left + column * (d->width * s->zoom + GAP), y0 = s->top + row * (d->height * s->zoom + GAP);
    for (size_t y = 0; y < d->height * s->zoom; y++)
        for (size_t x = 0; x < d->width * s->zoom; x++)
            for (size_t c = 0; c < d->channels; c++)
                p->pixels[((y0 + y) * p->width + x0 + x) * p->channels + c] =
                    to_byte(d, c, s->x[(c * d->height + y / s->zoom) * d->width + x / s->zoom]);
}

static void put_row(struct sheet *s, const kelvin_part *part, const kelvin_epoch *epoch, const uint32_t *order,
                    size_t class)
{
    const size_t middle = s->top + class * (s->data->height * s->zoom + GAP) + s->data->height * s->zoom / 2;
    put_text(&s->picture, GAP, middle - ZOOM * FONT_HEIGHT / 2, s->data->class_names[class]);
    kelvin_epoch shown = *epoch;
    size_t column = 0;
    for (size_t i = 0; i < part->n && column < COLUMNS; i++) {
        if (part->y[order[i]] != (int32_t) class) continue;
        do {
            const bool plain = epoch->augment == KELVIN_AUGMENT_NONE || column == 0;
            kelvin_data_gather(s->data, part, s->x, NULL, &order[i], 1, plain ? NULL : &shown);
            shown.epoch += !plain;
            put_image(s, class, column++);
        } while (epoch->augment != KELVIN_AUGMENT_NONE && column < COLUMNS);
    }
}

static void put_titles(struct sheet *s, const kelvin_epoch *epoch)
{
    char title[LONGEST];
    for (size_t i = 0; i < COLUMNS; i++) {
        snprintf(title, sizeof title, i ? "%zu" : "plain", epoch->epoch + i - 1);
        put_text(&s->picture, s->left + i * (s->data->width * s->zoom + GAP), GAP, title);
    }
}

/* ---- the sheet ---- */

static kelvin_status lay_out(struct sheet *s, const kelvin_epoch *epoch)
{
    const kelvin_data *d = s->data;
    size_t letters = 0;
    s->rows = d->classes < MOST_ROWS ? d->classes : MOST_ROWS;
    for (size_t i = 0; i < s->rows; i++)
        if (text_letters(d->class_names[i]) > letters) letters = text_letters(d->class_names[i]);
    s->zoom = d->height >= TILE ? 1 : TILE / d->height;
    s->left = 2 * GAP + letters * LETTER;
    s->top = epoch->augment == KELVIN_AUGMENT_NONE ? GAP : 3 * GAP + ZOOM * FONT_HEIGHT;
    s->picture.channels = d->channels;
    s->picture.width = s->left + COLUMNS * (d->width * s->zoom + GAP);
    s->picture.height = s->top + s->rows * (d->height * s->zoom + GAP);
    s->picture.pixels = kelvin_alloc(s->picture.width * s->picture.height, d->channels);
    s->x = kelvin_alloc(d->inputs, sizeof *s->x);
    if (!s->picture.pixels || !s->x) return KELVIN_ENOMEM;
    memset(s->picture.pixels, 255, s->picture.width * s->picture.height * d->channels);
    return KELVIN_OK;
}

kelvin_status contact_sheet_write(const char *path, const kelvin_data *data, const kelvin_part *part,
                                  const kelvin_epoch *epoch)
{
    if (!data->channels) return kelvin_fail(KELVIN_EUSAGE, "%s is a table: only images can be shown", data->name);
    struct sheet sheet = {.data = data};
    uint32_t *order = kelvin_alloc(part->n, sizeof *order);
    kelvin_status status = order ? lay_out(&sheet, epoch) : KELVIN_ENOMEM;
    if (!status) {
        kelvin_data_order(order, part->n, epoch);
        if (epoch->augment != KELVIN_AUGMENT_NONE) put_titles(&sheet, epoch);
        for (size_t i = 0; i < sheet.rows; i++) put_row(&sheet, part, epoch, order, i);
        status = picture_write_png(&sheet.picture, path);
    }
    kelvin_free(order);
    kelvin_free(sheet.x);
    picture_free(&sheet.picture);
    return status;
}
