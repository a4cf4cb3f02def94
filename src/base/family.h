/* family, from within: how a room makes its types a family, and reads the texts that choose one of them.
 *
 *     struct kelvin_density_type { kelvin_member member; ... };               // the member first
 *     static const kelvin_member *at(size_t i) { return i < N ? &table[i]->member : NULL; }
 *     const kelvin_family kelvin_density_family = {"densities", "density", "densities", NULL, at};
 *
 *     const kelvin_member *member;
 *     struct kelvin_values values;
 *     KELVIN_TRY(kelvin_family_read(&member, &values, &kelvin_density_family, "dirclip:0.85,-50"));
 *     const struct kelvin_density_type *type = (const void *)member;
 *
 * src/families has the list of all families.
 */
#ifndef BASE_FAMILY_H
#define BASE_FAMILY_H

#include <kelvin/family.h>

struct kelvin_family {
    const char *key, *what, *title, *note; /* see the functions of these names */
    const kelvin_member *(*at)(size_t i);  /* NULL after the last */
};

/* For rows of tables: a member that is chosen by its name alone; one that has more to say than numbers; the numbers of
 * others, as {"nn", "nn:K", "K neighbours", KELVIN_PARAMETERS({"K", 1, 100, .whole = true})}. */
#define KELVIN_PLAIN_MEMBER(name, about)                                                                               \
    {                                                                                                                  \
        name, name, about, NULL, 0                                                                                     \
    }
#define KELVIN_MEMBER(name, usage, about)                                                                              \
    {                                                                                                                  \
        name, usage, about, NULL, 0                                                                                    \
    }
#define KELVIN_PARAMETERS(...)                                                                                         \
    (const kelvin_parameter[]){__VA_ARGS__}, sizeof((const kelvin_parameter[]){__VA_ARGS__}) / sizeof(kelvin_parameter)

enum { KELVIN_MAX_PARAMETERS = 8, KELVIN_MAX_LIST = 64 }; /* of a member, of a list */

struct kelvin_values {
    double value[KELVIN_MAX_PARAMETERS]; /* as the member lists its parameters; of a list: how many there are */
    double list[KELVIN_MAX_LIST];
};

/* The member that a text names, and its parameters: values in their order, each also as name=value, with commas between
 * them. KELVIN_EUSAGE if one is missing, superfluous, given twice, not a number or out of its range. */
KELVIN_MUST_CHECK kelvin_status kelvin_family_read(const kelvin_member **member, struct kelvin_values *values,
                                                   const kelvin_family *family, const char *text);

/* The text again, with as many digits as it takes to read back the same numbers; of members without lists. */
void kelvin_member_write(char *out, size_t size, const kelvin_member *member, const double *value);

/* Whether a parameter may be that, and what it may be: "a whole number of at least 1 and at most 9". */
bool kelvin_parameter_allows(const kelvin_parameter *parameter, double value);
void kelvin_parameter_words(char *out, size_t size, const kelvin_parameter *parameter);

#endif
