/* run.json, and configuration files, which are the same with fields left out. */
#include "base/suggest.h"
#include "base/words.h"
#include "data/data.h"
#include "run/choose.h"
#include "run/folder.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- fields ---- */

/* A file that is being read. */
struct reader {
    const char *path;
    void *owner;
    struct kelvin_config_record record;
    const kelvin_sampler_type *type;
    unsigned format; /* of the run that it is of; 0: of none, and any field may be missing */
};

static bool field_name(char name[KELVIN_NAME_SIZE], const void *context, size_t i)
{
    const struct kelvin_field *fields = context; /* the last has no name */
    if (fields[i].name) snprintf(name, KELVIN_NAME_SIZE, "%s", fields[i].name);
    return fields[i].name;
}

/* A field that nobody reads is a misspelt one, or one of a later version that changes what the others mean. */
static kelvin_status check_names(const struct reader *r)
{
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS + 1] = {0};
    const char *name = kelvin_record_unknown(r->owner, fields, kelvin_config_fields_of(fields, r->type));
    char others[KELVIN_SAMPLER_NAMES], suggestion[KELVIN_SUGGESTION];
    if (!name) return KELVIN_OK;
    kelvin_config_samplers(others, name);
    if (*others)
        return kelvin_fail(KELVIN_EFORMAT, "%s: field \"%s\" is for the sampler %s, not for %s", r->path, name, others,
                           r->type->member.name);
    kelvin_suggest(suggestion, name, field_name, fields);
    return kelvin_fail(KELVIN_EFORMAT, "%s: field \"%s\" is not known; %s", r->path, name, suggestion);
}

/* The version and the sampler come first: they say what the other fields may be. Any sampler has these. */
static kelvin_status take_named(struct reader *r, const char *name)
{
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    return kelvin_record_take(&r->record, r->owner, r->path,
                              kelvin_config_find_field(fields, kelvin_sampler_info(0), name));
}

static kelvin_status take_sampler(struct reader *r)
{
    KELVIN_TRY(take_named(r, "sampler"));
    if (kelvin_sampler_find(&r->type, r->record.config.sampler))
        return kelvin_fail(KELVIN_EFORMAT, "%s: " KELVIN_SAID, r->path, kelvin_error_raw());
    return KELVIN_OK;
}

/* What runs before 0.9 had no field for: then it was as it is by default. */
static bool is_late(const struct kelvin_field *field)
{
    return strcmp(field->name, "jitter") == 0 || strcmp(field->name, "scale") == 0;
}

/* What may not be there: what nobody has to say, and what some runs before 0.7 had no field for. */
static bool may_miss(const struct reader *r, const struct kelvin_field *field)
{
    if (r->format == 0 || field->kind == &kelvin_field_maybe || is_late(field)) return true;
    return r->format < KELVIN_FORMAT && !r->type->batches &&
           (strcmp(field->name, "init") == 0 || strcmp(field->name, "logit_limit") == 0);
}

static kelvin_status take_fields(struct reader *r)
{
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    for (size_t i = 0, n = kelvin_config_fields_of(fields, r->type); i < n; i++)
        if (kelvin_record_has(r->owner, fields[i].name) || !may_miss(r, &fields[i]))
            KELVIN_TRY(kelvin_record_take(&r->record, r->owner, r->path, &fields[i]));
    KELVIN_TRY(kelvin_mark_check(r->record.config.source.data_crc32, r->path));
    return check_names(r);
}

/* ---- run.json ---- */

kelvin_status kelvin_run_write(const kelvin_run *run, const char *folder)
{
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    const size_t n = kelvin_config_fields_of(fields, run->sampler);
    char mark[KELVIN_DATA_MARK];
    kelvin_data_mark(mark, run->data);
    struct kelvin_config_record record = {.version = KELVIN_VERSION, .config = run->config};
    record.config.source.data_crc32 = mark;
    const char *starts = kelvin_run_inside(run)->starts;
    if (*starts) record.config.source.init_crc32 = starts;
    kelvin_path path;
    KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_CONFIG_NAME));
    return kelvin_json_write(path, kelvin_record_json(fields, n, &record));
}

static bool is_usual(const struct kelvin_field *field, const kelvin_run_config *config)
{
    kelvin_run_config usual;
    if (kelvin_run_defaults(&usual, config->sampler)) return false;
    const char **text = kelvin_config_text((kelvin_run_config *)config, field);
    if (text) return *text && strcmp(*text, *kelvin_config_text(&usual, field)) == 0;
    return kelvin_config_number(config, field) == kelvin_config_number(&usual, field);
}

/* What does not decide the bits by itself: the version, and the names of files, which may be moved. Data have checksums
 * of their own, and where chains started is in their states. */
static bool is_marked(const struct kelvin_field *field, const kelvin_run_config *config)
{
    static const char *const others[] = {"kelvin", "preset", "data", "data_crc32", "init", "init_crc32"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(field->name, others[i]) == 0) return false;
    return !is_late(field) || !is_usual(field, config);
}

kelvin_status kelvin_config_mark(kelvin_run *run)
{
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    const struct kelvin_config_record record = {.config = run->config};
    size_t n = 0;
    uint32_t crc32;
    for (size_t i = 0, all = kelvin_config_fields_of(fields, run->sampler); i < all; i++)
        if (is_marked(&fields[i], &run->config)) fields[n++] = fields[i];
    KELVIN_TRY(kelvin_record_crc32(&crc32, fields, n, &record));
    snprintf(kelvin_run_inside(run)->mark, KELVIN_CONFIG_MARK, "%08" PRIx32, crc32);
    return KELVIN_OK;
}

/* Data that no name brings back were given by a program; of those that one does, there is more to be said here. */
static kelvin_status expect_data(const kelvin_run_config *config, const char *path)
{
    if (kelvin_data_find_type(config->data)) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE,
                       "%s: its data (\"%s\") were in the memory of the program that sampled it; only a program that "
                       "gives them again can go on with it (" KELVIN_REFER(GIVE, "%s") ")",
                       path, config->data, path);
}

static kelvin_status prepare(kelvin_run **run, kelvin_run_config *config, kelvin_data *own, const kelvin_data *lent,
                             const char *path)
{
    const char *mark = own ? NULL : config->source.data_crc32;
    config->source = (kelvin_run_source){.init = config->init, .init_crc32 = config->source.init_crc32};
    if (!own && !lent) KELVIN_TRY(expect_data(config, path));
    const kelvin_status status = kelvin_run_prepare(run, config, own, lent);
    if (status == KELVIN_EUSAGE) return kelvin_fail(KELVIN_EFORMAT, "%s: " KELVIN_SAID, path, kelvin_error_raw());
    if (status == KELVIN_EIO) return kelvin_fail(status, "%s: its data: " KELVIN_SAID, path, kelvin_error_raw());
    if (status) return status;
    return kelvin_mark_compare((*run)->data, mark, path,
                               "put the old data back, or sample the new data with " KELVIN_REFER(SAMPLE, ""));
}

/* How the folder of a version is laid out. A file of a later version may mean something else by the same words. */
static kelvin_status find_format(unsigned *format, const char *version, const char *path)
{
    unsigned theirs[3] = {0}, ours[3] = {0};
    sscanf(version, "%u.%u.%u", &theirs[0], &theirs[1], &theirs[2]);
    sscanf(KELVIN_VERSION, "%u.%u.%u", &ours[0], &ours[1], &ours[2]);
    *format = theirs[0] == 0 && theirs[1] < 7 ? 1 : KELVIN_FORMAT;
    size_t i = 0;
    while (i < 2 && theirs[i] == ours[i]) i++;
    if (theirs[i] <= ours[i]) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT,
                       "%s: was written by kelvin %.40s, and this is %s: use that version, or a later one", path,
                       version, KELVIN_VERSION);
}

static kelvin_status find_config(kelvin_path path, const char *folder)
{
    kelvin_path chain;
    struct stat about;
    if (stat(folder, &about)) return kelvin_fail(KELVIN_EIO, "%s: the run cannot be read: %s", folder, strerror(errno));
    if (!S_ISDIR(about.st_mode))
        return kelvin_fail(KELVIN_EFORMAT, "%s: is a file; expected the folder of a run", folder);
    KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_CONFIG_NAME));
    if (stat(path, &about) == 0 || errno != ENOENT) return KELVIN_OK;
    const bool begun = !kelvin_path_join(chain, folder, "chain-000") && kelvin_is_folder(chain);
    return kelvin_fail(KELVIN_EFORMAT,
                       begun ? "%s: has lost its " KELVIN_CONFIG_NAME
                               ", without which nothing else can be read: put it "
                               "back, or sample the run anew"
                             : "%s: not a run by kelvin: it has no " KELVIN_CONFIG_NAME,
                       folder);
}

/* All that run.json says. Texts live as long as the owner. */
static kelvin_status read_record(struct reader *r)
{
    KELVIN_TRY(kelvin_record_open(&r->owner, r->path));
    if (!kelvin_record_has(r->owner, "kelvin"))
        return kelvin_fail(KELVIN_EFORMAT, "%s: not written by kelvin: field \"kelvin\" is missing", r->path);
    KELVIN_TRY(take_named(r, "kelvin"));
    KELVIN_TRY(find_format(&r->format, r->record.version, r->path));
    KELVIN_TRY(take_sampler(r));
    KELVIN_TRY(kelvin_run_defaults(&r->record.config, r->type->member.name));
    return take_fields(r);
}

/* `own` become the run's, or are closed. */
static kelvin_status read_config(kelvin_run **run, kelvin_data *own, const kelvin_data *lent, const char *path)
{
    struct reader r = {.path = path};
    kelvin_status status = read_record(&r);
    if (status)
        kelvin_data_close(own);
    else
        status = prepare(run, &r.record.config, own, lent, path);
    if (!status) {
        struct kelvin_run_owned *inside = kelvin_run_inside(*run);
        inside->format = r.format;
        snprintf(inside->version, sizeof inside->version, "%s", r.record.version);
    }
    kelvin_record_free(r.owner);
    return status;
}

/* Earlier versions wrote no description: it is made from the data. */
static kelvin_status leave_rows(kelvin_run *run)
{
    kelvin_data *about;
    KELVIN_TRY(kelvin_data_describe(&about, run->data));
    kelvin_data_close(kelvin_run_inside(run)->data);
    run->data = kelvin_run_inside(run)->data = about;
    return KELVIN_OK;
}

/* Files are looked at before they are believed. */
static kelvin_status read_vouched(kelvin_run **run, struct kelvin_manifest **manifest, const char *folder, bool alone,
                                  const kelvin_data *lent)
{
    kelvin_data *about = NULL;
    kelvin_path path;
    kelvin_isa isa;
    KELVIN_TRY(kelvin_isa_choose(&isa)); /* before anything is blamed on a file */
    KELVIN_TRY(find_config(path, folder));
    KELVIN_TRY(kelvin_vouch_read(manifest, folder));
    KELVIN_TRY(kelvin_vouch_config(*manifest, folder));
    if (alone) KELVIN_TRY(kelvin_description_read(&about, *manifest, folder));
    KELVIN_TRY(read_config(run, about, lent, path));
    if (alone && !about) KELVIN_TRY(leave_rows(*run));
    if (!alone || *manifest || kelvin_run_is_old(*run)) return KELVIN_OK;
    return kelvin_remedy(kelvin_fail(KELVIN_EFORMAT,
                                     "%s: has no " KELVIN_MANIFEST_FILE ", so nothing says that its files are whole",
                                     folder),
                         folder);
}

kelvin_status kelvin_run_load(kelvin_run **run, const char *folder, bool alone, const kelvin_data *lent)
{
    struct kelvin_manifest *manifest = NULL;
    *run = NULL;
    const kelvin_status status = read_vouched(run, &manifest, folder, alone, lent);
    if (status) {
        kelvin_manifest_free(manifest);
        kelvin_run_close(*run);
        *run = NULL;
    } else {
        kelvin_run_inside(*run)->manifest = manifest;
    }
    return status;
}

/* ---- configuration files ---- */

kelvin_status kelvin_config_open(void **owner, const kelvin_sampler_type **type, const char *path)
{
    struct reader r = {.path = path};
    *type = NULL;
    kelvin_status status = kelvin_record_open(&r.owner, path);
    for (size_t i = 0; !status && kelvin_choosable(i); i++)
        kelvin_record_drop(r.owner, kelvin_choosable(i), KELVIN_AUTO);
    if (!status && kelvin_record_has(r.owner, "sampler")) status = take_sampler(&r);
    if (status) {
        kelvin_record_free(r.owner);
        return status;
    }
    *owner = r.owner;
    *type = r.type;
    return KELVIN_OK;
}

kelvin_status kelvin_config_take(struct kelvin_config_record *record, void *owner, const char *path,
                                 const kelvin_sampler_type *type)
{
    struct reader r = {.path = path, .owner = owner, .record = *record, .type = type};
    kelvin_run_config *config = &r.record.config;
    config->source = (kelvin_run_source){.path = path, .preset = config->source.preset};
    KELVIN_TRY(take_fields(&r));
    if (kelvin_record_has(owner, "data")) config->source.data = config->data;
    if (kelvin_record_has(owner, "init")) config->source.init = config->init;
    kelvin_config_follow(config, kelvin_record_has, owner);
    *record = r.record;
    return KELVIN_OK;
}
