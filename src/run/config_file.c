/* run.json, and configuration files, which are the same with fields left out. */
#include "base/suggest.h"
#include "run/fields.h"
#include "run/folder.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- fields ---- */

struct known {
    const struct kelvin_field *fields;
    size_t n;
};

static bool field_name(char name[KELVIN_NAME_SIZE], const void *context, size_t i)
{
    const struct known *known = context;
    if (i < known->n) snprintf(name, KELVIN_NAME_SIZE, "%s", known->fields[i].name);
    return i < known->n;
}

/* A field that nobody reads is a misspelt one, or one of a later version that changes what the others mean. */
static kelvin_status check_names(void *owner, const char *path, const kelvin_sampler_type *type)
{
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    const struct known known = {fields, kelvin_config_fields_of(fields, type)};
    const char *name = kelvin_record_stranger(owner, fields, known.n);
    char others[KELVIN_SAMPLER_NAMES], suggestion[KELVIN_SUGGESTION];
    if (!name) return KELVIN_OK;
    kelvin_config_samplers(others, name);
    if (*others)
        return kelvin_fail(KELVIN_EFORMAT, "%s: field \"%s\" is for the sampler %s, not for %s", path, name, others,
                           type->name);
    kelvin_suggest(suggestion, name, field_name, &known);
    return kelvin_fail(KELVIN_EFORMAT, "%s: field \"%s\" is not known; %s", path, name, suggestion);
}

/* The version and the sampler come first: they say what the other fields may be. */
static kelvin_status take_named(struct kelvin_config_record *record, const void *owner, const char *path,
                                const char *name)
{
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    size_t i = 0;
    kelvin_config_fields_of(fields, kelvin_sampler_info(0)); /* those of all samplers are among them */
    while (strcmp(fields[i].name, name) != 0) i++;
    return kelvin_record_take(record, owner, path, &fields[i]);
}

static kelvin_status take_sampler(const kelvin_sampler_type **type, struct kelvin_config_record *record,
                                  const void *owner, const char *path)
{
    KELVIN_TRY(take_named(record, owner, path, "sampler"));
    if (kelvin_sampler_find(type, record->config.sampler))
        return kelvin_fail(KELVIN_EFORMAT, "%s: %s", path, kelvin_error());
    return KELVIN_OK;
}

/* What may not be there: what nobody has to say, and what some runs before 0.7 had no field for. */
static bool may_miss(const struct kelvin_field *field, const kelvin_sampler_type *type, unsigned format)
{
    if (field->kind == &kelvin_field_maybe) return true;
    return format < KELVIN_FORMAT && !type->batches &&
           (strcmp(field->name, "init") == 0 || strcmp(field->name, "logit_limit") == 0);
}

/* Those that are there; format 0: those of a file that may have any, otherwise all of a run. */
static kelvin_status take_fields(struct kelvin_config_record *record, void *owner, const char *path,
                                 const kelvin_sampler_type *type, unsigned format)
{
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    const size_t n = kelvin_config_fields_of(fields, type);
    for (size_t i = 0; i < n; i++)
        if (kelvin_record_has(owner, fields[i].name) || (format > 0 && !may_miss(&fields[i], type, format)))
            KELVIN_TRY(kelvin_record_take(record, owner, path, &fields[i]));
    KELVIN_TRY(kelvin_mark_check(record->config.source.data_crc32, path));
    return check_names(owner, path, type);
}

/* ---- run.json ---- */

kelvin_status kelvin_config_write(const kelvin_run *run, const char *folder)
{
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    const size_t n = kelvin_config_fields_of(fields, run->sampler);
    char mark[KELVIN_DATA_MARK];
    kelvin_data_mark(mark, run->data);
    struct kelvin_config_record record = {.version = KELVIN_VERSION, .config = run->config};
    record.config.source.data_crc32 = mark;
    kelvin_path path;
    KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_CONFIG_NAME));
    return kelvin_record_write(path, fields, n, &record);
}

/* What does not decide the bits by itself: the version, and the names of files, which may be moved. Data have checksums
 * of their own, and where chains started is in their states. */
static bool is_marked(const struct kelvin_field *field)
{
    static const char *const others[] = {"kelvin", "data", "data_crc32", "init"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(field->name, others[i]) == 0) return false;
    return true;
}

kelvin_status kelvin_config_mark(kelvin_run *run)
{
    struct kelvin_field all[KELVIN_CONFIG_FIELDS], fields[KELVIN_CONFIG_FIELDS];
    const struct kelvin_config_record record = {.config = run->config};
    size_t n = 0;
    uint32_t crc32;
    for (size_t i = 0, m = kelvin_config_fields_of(all, run->sampler); i < m; i++)
        if (is_marked(&all[i])) fields[n++] = all[i];
    KELVIN_TRY(kelvin_record_crc32(&crc32, fields, n, &record));
    snprintf(kelvin_run_inside(run)->mark, KELVIN_CONFIG_MARK, "%08" PRIx32, crc32);
    return KELVIN_OK;
}

static kelvin_status prepare(kelvin_run **run, kelvin_run_config *config, kelvin_data *data, const char *path)
{
    const char *mark = data ? NULL : config->source.data_crc32;
    config->source = (kelvin_run_source){0}; /* here is more to be said about it */
    const kelvin_status status = kelvin_run_prepare(run, config, data);
    if (status == KELVIN_EUSAGE) return kelvin_fail(KELVIN_EFORMAT, "%s: %s", path, kelvin_error());
    if (status == KELVIN_EIO) return kelvin_fail(status, "%s: its data: %s", path, kelvin_error());
    if (status) return status;
    return kelvin_mark_compare((*run)->data, mark, path,
                               "put the old data back, or sample the new data with kelvin sample");
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

/* What is there instead of a run. */
static kelvin_status no_run(const char *folder)
{
    kelvin_path chain;
    const bool begun = !kelvin_path_join(chain, folder, "chain-000") && kelvin_is_folder(chain);
    return kelvin_fail(KELVIN_EFORMAT, "%s: %s: it has no " KELVIN_CONFIG_NAME, folder,
                       begun ? "the run was not written to its end" : "not a run by kelvin");
}

static kelvin_status find_config(kelvin_path path, const char *folder)
{
    struct stat about;
    if (stat(folder, &about)) return kelvin_fail(KELVIN_EIO, "%s: the run cannot be read: %s", folder, strerror(errno));
    if (!S_ISDIR(about.st_mode))
        return kelvin_fail(KELVIN_EFORMAT, "%s: is a file; expected the folder of a run", folder);
    KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_CONFIG_NAME));
    return stat(path, &about) && errno == ENOENT ? no_run(folder) : KELVIN_OK;
}

/* All that run.json says. Texts live until kelvin_record_free(owner). */
static kelvin_status read_record(struct kelvin_config_record *record, unsigned *format, void *owner, const char *path)
{
    const kelvin_sampler_type *type;
    if (!kelvin_record_has(owner, "kelvin"))
        return kelvin_fail(KELVIN_EFORMAT, "%s: not written by kelvin: field \"kelvin\" is missing", path);
    KELVIN_TRY(take_named(record, owner, path, "kelvin"));
    KELVIN_TRY(find_format(format, record->version, path));
    const char *version = record->version;
    KELVIN_TRY(take_sampler(&type, record, owner, path));
    KELVIN_TRY(kelvin_run_defaults(&record->config, type->name));
    record->version = version;
    return take_fields(record, owner, path, type, *format);
}

/* The data become the run's, or are closed. */
static kelvin_status read_config(kelvin_run **run, kelvin_data *data, const char *path)
{
    struct kelvin_config_record record = {0};
    void *owner = NULL;
    unsigned format = 0;
    kelvin_status status = kelvin_record_open(&owner, path);
    if (!status) status = read_record(&record, &format, owner, path);
    if (status)
        kelvin_data_close(data);
    else
        status = prepare(run, &record.config, data, path);
    if (!status) {
        struct kelvin_run_owned *inside = kelvin_run_inside(*run);
        inside->format = format;
        snprintf(inside->version, sizeof inside->version, "%s", record.version);
    }
    kelvin_record_free(owner);
    return status;
}

/* Earlier versions wrote no description: it is made from the data. */
static kelvin_status leave_rows(kelvin_run *run)
{
    kelvin_data *about;
    KELVIN_TRY(kelvin_data_describe(&about, run->data));
    kelvin_data_close(run->data);
    run->data = about;
    return KELVIN_OK;
}

/* Files are looked at before they are believed. */
static kelvin_status read_vouched(kelvin_run **run, struct kelvin_manifest **manifest, const char *folder, bool alone)
{
    kelvin_data *about = NULL;
    kelvin_path path;
    KELVIN_TRY(find_config(path, folder));
    KELVIN_TRY(kelvin_vouch_read(manifest, folder));
    KELVIN_TRY(kelvin_vouch_config(*manifest, folder));
    if (alone) KELVIN_TRY(kelvin_vouch_description(*manifest, folder));
    if (alone) KELVIN_TRY(kelvin_description_read(&about, folder));
    KELVIN_TRY(read_config(run, about, path));
    if (alone && !about) KELVIN_TRY(leave_rows(*run));
    if (!alone || *manifest || kelvin_run_is_old(*run)) return KELVIN_OK;
    return kelvin_remedy(kelvin_fail(KELVIN_EFORMAT,
                                     "%s: has no " KELVIN_MANIFEST_FILE ", so nothing says that its files are whole",
                                     folder),
                         folder);
}

/* The manifest becomes the run's. */
static kelvin_status read_folder(kelvin_run **run, const char *folder, bool alone)
{
    struct kelvin_manifest *manifest = NULL;
    *run = NULL;
    const kelvin_status status = read_vouched(run, &manifest, folder, alone);
    if (status) {
        kelvin_manifest_free(manifest);
        kelvin_run_close(*run);
        *run = NULL;
    } else {
        kelvin_run_inside(*run)->manifest = manifest;
    }
    return status;
}

kelvin_status kelvin_config_read(kelvin_run **run, const char *folder)
{
    return read_folder(run, folder, false);
}

kelvin_status kelvin_config_read_alone(kelvin_run **run, const char *folder)
{
    return read_folder(run, folder, true);
}

/* ---- configuration files ---- */

static bool is_there(const void *owner, const char *name)
{
    return kelvin_record_has(owner, name);
}

static kelvin_status take_over(struct kelvin_config_record *record, void *owner, const char *path)
{
    kelvin_run_config *config = &record->config;
    const kelvin_sampler_type *type, *before;
    KELVIN_TRY(kelvin_sampler_find(&before, config->sampler));
    type = before;
    if (is_there(owner, "sampler")) KELVIN_TRY(take_sampler(&type, record, owner, path));
    if (type != before) KELVIN_TRY(kelvin_run_defaults(config, type->name));
    config->source = (kelvin_run_source){.path = path};
    KELVIN_TRY(take_fields(record, owner, path, type, 0));
    if (is_there(owner, "data")) config->source.data = config->data;
    kelvin_config_follow(config, is_there, owner);
    return KELVIN_OK;
}

kelvin_status kelvin_run_config_read(kelvin_run_config *config, void **owner, const char *path)
{
    struct kelvin_config_record record = {.config = *config};
    *owner = NULL;
    KELVIN_TRY(kelvin_record_open(owner, path));
    const kelvin_status status = take_over(&record, *owner, path);
    if (status) {
        kelvin_run_config_free(*owner);
        *owner = NULL;
    } else {
        *config = record.config;
    }
    return status;
}

void kelvin_run_config_free(void *owner)
{
    kelvin_record_free(owner);
}
