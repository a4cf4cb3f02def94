/* family: what there is to choose from: densities, priors, models, samplers, data sets, metrics, figures, ...
 *
 *     const kelvin_family *densities = kelvin_family_of("densities");
 *     const kelvin_member *member;
 *     for (size_t i = 0; (member = kelvin_family_member(densities, i)); i++)
 *         printf("%s: %s\n", member->usage, member->about);                    // dirclip:alpha,clip: sum_k ...
 *     if (kelvin_family_find(&member, densities, "dirclp:0.85,-50"))
 *         puts(kelvin_error());                            // unknown density 'dirclp'; did you mean 'dirclip'?
 *
 * A member is chosen by a text: its name, or its name, a colon and what it needs to know, "dirclip:0.85,-50".
 */
#ifndef KELVIN_FAMILY_H
#define KELVIN_FAMILY_H

#include <kelvin/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A number that a member can be told: "0.85" in the place where its usage names it, or "alpha=0.85". */
typedef struct kelvin_parameter {
    const char *name;
    double least, most;
    bool above, below; /* `least`, or `most`, is itself out of the range */
    bool whole;
    bool optional; /* it is `usual` where a text does not say it */
    bool list;     /* any number of values, also none; parameters after it are said by name alone */
    double usual;
} kelvin_parameter;

typedef struct kelvin_member {
    const char *name;  /* "dirclip". A last N stands for a number, as in "resnetN": its first parameter */
    const char *usage; /* "dirclip:alpha,clip" */
    const char *about; /* one line */
    const kelvin_parameter *parameter;
    size_t parameters;
} kelvin_member;

typedef struct kelvin_family kelvin_family;

/* The i-th family, NULL after the last; the one with that key, NULL if there is none. */
KELVIN_API size_t kelvin_families(void);
KELVIN_API const kelvin_family *kelvin_family_at(size_t i);
KELVIN_API const kelvin_family *kelvin_family_of(const char *key);

KELVIN_API const char *kelvin_family_key(const kelvin_family *family);   /* "data_sets", as in JSON */
KELVIN_API const char *kelvin_family_what(const kelvin_family *family);  /* one of them: "data set" */
KELVIN_API const char *kelvin_family_title(const kelvin_family *family); /* all of them: "data sets" */
KELVIN_API const char *
kelvin_family_note(const kelvin_family *family); /* how to read the list; NULL if that is plain */

/* The i-th member, NULL after the last. */
KELVIN_API const kelvin_member *kelvin_family_member(const kelvin_family *family, size_t i);

/* The member that a text names: what follows a colon is not looked at. KELVIN_EUSAGE, with the nearest name in the
 * sentence, if there is none. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_family_find(const kelvin_member **member, const kelvin_family *family,
                                                              const char *text);

/* ---- the same sentence for names of any kind ---- */

enum { KELVIN_NAME_SIZE = 64 };

/* Writes the i-th known name; false after the last. */
typedef bool kelvin_name_at(char name[KELVIN_NAME_SIZE], const void *context, size_t i);

/* Fails with KELVIN_EUSAGE and "unknown WHAT 'WORD'; did you mean 'NAME'?", or "...; expected one of: NAME, NAME" where
 * none is near. */
KELVIN_API kelvin_status kelvin_fail_unknown(const char *what, const char *word, kelvin_name_at *at,
                                             const void *context);

#ifdef __cplusplus
}
#endif
#endif
