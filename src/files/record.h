/* A JSON object as a struct: one table of fields for both directions.
 *
 *     static const struct kelvin_field fields[] = {{"chains", &kelvin_field_count, offsetof(struct x, chains)}, ...};
 *     kelvin_status st = kelvin_json_write("RUN/x.json", kelvin_record_json(fields, n, &x));
 */
#ifndef FILES_RECORD_H
#define FILES_RECORD_H

#include <kelvin/base.h>

struct kelvin_field_kind;

struct kelvin_field {
    const char *name;
    const struct kelvin_field_kind *kind;
    size_t offset;
};

extern const struct kelvin_field_kind kelvin_field_text; /* const char * */
extern const struct kelvin_field_kind
    kelvin_field_maybe; /* const char *; where it is missing, it stays as it was, and one of NULL is left out */
extern const struct kelvin_field_kind kelvin_field_count; /* uint32_t */
extern const struct kelvin_field_kind kelvin_field_seed;  /* uint64_t; a string where doubles have gaps */
extern const struct kelvin_field_kind kelvin_field_real;  /* double */
extern const struct kelvin_field_kind kelvin_field_whole; /* double that holds a whole number from 0 on */

/* As an object of jansson's; NULL if a text is not UTF-8, or memory is short. */
void *kelvin_record_json(const struct kelvin_field *fields, size_t n, const void *record);

/* The same as a text; kelvin_free it. */
char *kelvin_record_text(const struct kelvin_field *fields, size_t n, const void *record);

/* An object of jansson's, which is freed; NULL: there was no memory for it. */
KELVIN_MUST_CHECK kelvin_status kelvin_json_write(const char *path, void *object);

/* A string of jansson's, or its null for no text (NULL). JSON is UTF-8: a text that is not, as names of files may be,
 * is taken for Latin-1. NULL if memory is short. */
void *kelvin_json_text(const char *text);

/* A checksum of all fields: of their JSON with every digit, however a file of them was indented. */
KELVIN_MUST_CHECK kelvin_status kelvin_record_crc32(uint32_t *crc32, const struct kelvin_field *fields, size_t n,
                                                    const void *record);

/* An object that may have some of its fields only: open, take one field after the other, see which name is left over.
 * Texts live until kelvin_record_free(*owner). */
KELVIN_MUST_CHECK kelvin_status kelvin_record_open(void **owner, const char *path);
void kelvin_record_free(void *owner);
bool kelvin_record_has(const void *owner, const char *name);
void kelvin_record_drop(void *owner, const char *name, const char *text); /* a field, if this is its text */
KELVIN_MUST_CHECK kelvin_status kelvin_record_take(void *record, const void *owner, const char *path,
                                                   const struct kelvin_field *field);

/* The first name that is none of the fields; NULL if there is none. */
const char *kelvin_record_unknown(void *owner, const struct kelvin_field *fields, size_t n);

/* Takes a field from a text as one would type it. Texts are not copied. KELVIN_EUSAGE, with a sentence that calls it
 * `what` (which may be a raw text, base/words.h), if it is not what it must be. */
KELVIN_MUST_CHECK kelvin_status kelvin_field_parse(void *record, const struct kelvin_field *field, const char *what,
                                                   const char *text);

/* The value of a field as one would type it, as much as there is room for; returns how long it is. */
size_t kelvin_field_print(char *out, size_t size, const struct kelvin_field *field, const void *record);

/* The same, in an arena:  texts as they are, numbers with the fewest digits that give them back. NULL if memory is
 * short. */
const char *kelvin_field_words(kelvin_arena *arena, const struct kelvin_field *field, const void *record);

#endif
