/* fields: one table of what a configuration holds, under which names, and for which samplers each field counts.
 * run.json, configuration files, the texts that a run copies and the checks of ranges follow from it; the fields of a
 * sampler alone are its settings (kelvin/sampler.h). */
#ifndef RUN_FIELDS_H
#define RUN_FIELDS_H

#include "files/record.h"
#include "run/config.h"

#include <kelvin/family.h>

/* run.json: what decides the bits of a run, and nothing else. */
struct kelvin_config_record {
    kelvin_run_config config; /* first: a field of it has the same offset in both */
    const char *version;
};

enum { KELVIN_CONFIG_FIELDS = 32 };

/* Those that count for a sampler, in the order of run.json; returns how many. */
size_t kelvin_config_fields_of(struct kelvin_field fields[KELVIN_CONFIG_FIELDS], const kelvin_sampler_type *type);

/* The one of that name, in `fields`, which is filled in; NULL if the sampler has none. */
const struct kelvin_field *kelvin_config_find_field(struct kelvin_field fields[KELVIN_CONFIG_FIELDS],
                                                    const kelvin_sampler_type *type, const char *name);

/* A field as people are told of it, beside the settings of samplers, which say it themselves. */
struct kelvin_field_doc {
    const struct kelvin_field *field;
    enum kelvin_whose { KELVIN_OF_EVERY, KELVIN_OF_BATCHES, KELVIN_OF_ALL_DATA } whose;
    const char *value, *about;
    const char *rule;            /* what it follows from, where there is no one usual value; NULL: there is one */
    const kelvin_family *family; /* that its values are members of; NULL: none */
};

/* The i-th; false after the last. Those that a run writes for itself, as checksums, are left out. */
bool kelvin_config_doc(struct kelvin_field_doc *doc, size_t i);

/* The name of a field that is not known: KELVIN_EUSAGE, and which may have been meant. */
kelvin_status kelvin_config_unknown(const char *name);

/* A field as one would type it. KELVIN_EUSAGE if the sampler has no such field, or the text does not fit. */
KELVIN_MUST_CHECK kelvin_status kelvin_config_print(char *out, size_t size, const struct kelvin_config_record *record,
                                                    const kelvin_sampler_type *type, const char *name);

/* Where the text of a field is; NULL if the field is none of the texts of a configuration. */
const char **kelvin_config_text(kelvin_run_config *config, const struct kelvin_field *field);

/* The number of a field; not a number: it is a text. */
double kelvin_config_number(const kelvin_run_config *config, const struct kelvin_field *field);

/* "hmc or mclmc": the samplers that have a field of this name; "" if there are none. */
enum { KELVIN_SAMPLER_NAMES = 128 };
void kelvin_config_samplers(char out[KELVIN_SAMPLER_NAMES], const char *field);

/* KELVIN_EUSAGE, with the nearest name, if a text names no member of its family. data: look at theirs too. */
KELVIN_MUST_CHECK kelvin_status kelvin_config_names(const kelvin_run_config *config, const kelvin_sampler_type *type,
                                                    bool data);

/* KELVIN_EUSAGE if a number of the configuration is out of its range: those of all samplers, and its own. */
KELVIN_MUST_CHECK kelvin_status kelvin_config_ranges(const kelvin_run_config *config, const kelvin_sampler_type *type);

/* Whether a field was said after the file was read, by someone who counts for more. */
bool kelvin_config_overruled(const kelvin_run_config *config, const char *field);
void kelvin_config_overrule(kelvin_run_config *config, const char *field, bool overruled);

/* The status of a field that may be wrong. If there is a file and the field was not overruled, the file is to blame
 * (what is there by default is not wrong by itself): its path comes first, and KELVIN_EFORMAT instead of KELVIN_EUSAGE.
 */
KELVIN_MUST_CHECK kelvin_status kelvin_config_blame(const kelvin_run_config *config, const char *field,
                                                    kelvin_status status);

/* Who says a field: the path of the file, or the field's own name if nobody but the caller can have. */
const char *kelvin_config_origin(const kelvin_run_config *config, const char *field);

/* ---- configuration files ---- */

/* Reads one; `type` is the sampler that it names, NULL if it names none. Freed with kelvin_record_free. */
KELVIN_MUST_CHECK kelvin_status kelvin_config_open(void **owner, const kelvin_sampler_type **type, const char *path);

/* Takes over the fields that it has, and what follows from them; the others stay as they are. KELVIN_EFORMAT if a field
 * is not known, is another sampler's, or is not what it must be. Texts are the owner's. */
KELVIN_MUST_CHECK kelvin_status kelvin_config_take(struct kelvin_config_record *record, void *owner, const char *path,
                                                   const kelvin_sampler_type *type);

/* ---- the data ---- */

/* By which it is seen that a data set is no longer what it was: checksums of its training and test part. */
enum { KELVIN_DATA_MARK = 36 };
void kelvin_data_mark(char mark[KELVIN_DATA_MARK], const kelvin_data *data);

/* KELVIN_EFORMAT, with the path, if it is not a mark (NULL is none, and fine); if the data have another one: which part
 * has changed, and the advice. A mark that leaves out the test part is compared as far as it goes. */
KELVIN_MUST_CHECK kelvin_status kelvin_mark_check(const char *mark, const char *path);
KELVIN_MUST_CHECK kelvin_status kelvin_mark_compare(const kelvin_data *data, const char *mark, const char *path,
                                                    const char *advice);

/* Whether a file, or a command line, says a field. */
typedef bool kelvin_config_said(const void *context, const char *field);

/* Where one field is said and one that belongs to it is not, the second follows: samples and chains each other,
 * the temperature's schedule that of the learning rate, the warm-up is 30 % of the iterations. */
void kelvin_config_follow(kelvin_run_config *config, kelvin_config_said *said, const void *context);

#endif
