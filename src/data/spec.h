/* How a data set is named: name, or name:FILE,FILE,key=value,key=value. A comma in a file's name is written \, Some
 * keys have lists: key=a,b,c or key=a,key=b,key=c. */
#ifndef DATA_SPEC_H
#define DATA_SPEC_H

#include <kelvin/base.h>

enum { DATA_FILES = 2, DATA_KEYS = 12, DATA_VALUES = 256 };

struct data_type;

struct data_spec {
    const char *name; /* all of it, as it was given: for sentences */
    char *text;       /* what the others point into */
    const struct data_type *type;
    const char *files[DATA_FILES];
    const char *keys[DATA_VALUES], *values[DATA_VALUES];
    size_t n_files, n_keys;
    bool splits;  /* a test part may be split off, */
    double split; /* of this share */
    uint64_t seed;
    bool keep_tails; /* columns with long tails are not drawn in */
};

/* The share that is split off if nobody says another. */
extern const double kelvin_data_usual_split;

/* The next field of a list: up to a comma that has no backslash before it. Backslashes before commas are taken out. The
 * text is changed; *rest is NULL after the last. */
char *kelvin_data_next_field(char **rest);

/* KELVIN_EUSAGE if something is missing, unknown or too much. */
KELVIN_MUST_CHECK kelvin_status kelvin_data_spec_parse(struct data_spec *spec, const struct data_type *type,
                                                       const char *text);
void kelvin_data_spec_free(struct data_spec *spec);

/* The value of a key; NULL if it was not given. */
const char *kelvin_data_spec_value(const struct data_spec *spec, const char *key);

/* Whether the value of a key is yes or no; where it was not given *yes stays. KELVIN_EUSAGE if it is neither. */
KELVIN_MUST_CHECK kelvin_status kelvin_data_spec_yes(bool *yes, const struct data_spec *spec, const char *key);

/* The values of a key that may be given more than once, one after the other: *i is 0 at first; NULL after the last. */
const char *kelvin_data_spec_next(const struct data_spec *spec, const char *key, size_t *i);

/* KELVIN_EUSAGE if split or seed was given, where `because` (a key) names the test part already. */
KELVIN_MUST_CHECK kelvin_status kelvin_data_spec_no_split(const struct data_spec *spec, const char *because);

/* Two keys that name the files of a test part: both or none of them, and then nothing is split off. */
KELVIN_MUST_CHECK kelvin_status kelvin_data_spec_test_pair(const struct data_spec *spec, const char *first,
                                                           const char *second);

#endif
