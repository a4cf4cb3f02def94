/* What a cell is called in the cache: by all that decides its bits. Two cells of one name are the same run. */
#include "experiment/experiment.h"

#include "base/words.h"
#include "fetch/sha1.h"
#include "run/fields.h"
#include "run/room.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FOLDER_NAME = 80 };

void kelvin_cell_value(char out[KELVIN_CELL_VALUE], const struct kelvin_cell *cell, const char *field)
{
    if (kelvin_config_get(cell->config, field, out, KELVIN_CELL_VALUE)) *out = '\0';
}

static void add_line(struct sha1 *sha, const char *name, const char *value)
{
    kelvin_sha1_add(sha, name, strlen(name));
    kelvin_sha1_add(sha, "=", 1);
    kelvin_sha1_add(sha, value, strlen(value) + 1);
}

/* Where chains start: the cell from whose samples they do so; a file is what its checksum says, wherever it is. */
static kelvin_status name_start(char out[KELVIN_CELL_VALUE], const struct kelvin_cell *cell, const char *from)
{
    char file[KELVIN_CELL_VALUE];
    uint32_t crc32;
    size_t bytes;
    kelvin_cell_value(out, cell, "init");
    if (from) snprintf(out, KELVIN_CELL_VALUE, "cell %s", from);
    if (from || !kelvin_start_is_file(out)) return KELVIN_OK;
    memcpy(file, out, sizeof file);
    kelvin_status status = kelvin_file_size(&bytes, file);
    if (!status) status = kelvin_file_crc32(&crc32, file, 0, bytes);
    if (status) return kelvin_fail(status, "init: " KELVIN_SAID, kelvin_error_raw());
    snprintf(out, KELVIN_CELL_VALUE, "file %08" PRIx32, crc32);
    return KELVIN_OK;
}

/* Data are what their checksums say, wherever their files are. */
static kelvin_status add_field(struct sha1 *sha, const struct kelvin_cell *cell, const char *field, const char *from)
{
    char value[KELVIN_CELL_VALUE];
    if (strcmp(field, "data") == 0)
        kelvin_data_mark(value, cell->data);
    else if (strcmp(field, "init") == 0)
        KELVIN_TRY(name_start(value, cell, from));
    else
        kelvin_cell_value(value, cell, field);
    if (*value) add_line(sha, field, value);
    return KELVIN_OK;
}

/* What is chosen from the data may be chosen in another way by another version. */
static kelvin_status make_key(char key[KELVIN_CELL_KEY], const struct kelvin_cell *cell, const char *from, bool trunk)
{
    struct sha1 sha = kelvin_sha1_start();
    char hex[SHA1_HEX];
    const kelvin_field_info *field, *same;
    for (size_t i = 0; (field = kelvin_config_field_at(i)); i++) {
        size_t k = 0; /* fields of several samplers are listed for each of them */
        while ((same = kelvin_config_field_at(k)) && strcmp(same->name, field->name) != 0) k++;
        if (k == i && !(trunk && strcmp(field->name, "temperature") == 0))
            KELVIN_TRY(add_field(&sha, cell, field->name, from));
    }
    if (kelvin_config_is_open(cell->config)) add_line(&sha, "chosen by", kelvin_version());
    kelvin_sha1_end(&sha, hex);
    snprintf(key, KELVIN_CELL_KEY, "%.16s", hex);
    return KELVIN_OK;
}

/* For people: what it is about, of letters that any shell takes as they are. Data of one's own by their format alone:
 * the same ones may lie elsewhere. */
static void describe(char out[FOLDER_NAME], const struct kelvin_cell *cell)
{
    char density[KELVIN_CELL_VALUE], temperature[KELVIN_CELL_VALUE];
    const char *data = kelvin_data_name(cell->data);
    const size_t named = strcspn(data, ":");
    const bool file = !data[named] && strpbrk(data, "/.");
    kelvin_cell_value(density, cell, "density");
    kelvin_cell_value(temperature, cell, "temperature");
    snprintf(out, FOLDER_NAME, "%.*s_%.30s_T%.12s", file ? 4 : (int)(named < 24 ? named : 24), file ? "data" : data,
             density, temperature);
    for (char *at = out; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("_.-", *at)) *at = '_';
}

kelvin_status kelvin_cell_name_folder(struct kelvin_cell *cell, const kelvin_experiment *e)
{
    const char *from = cell->from == KELVIN_NO_CELL ? NULL : e->cell[cell->from].key;
    char about[FOLDER_NAME];
    kelvin_path path;
    KELVIN_TRY(make_key(cell->key, cell, from, false));
    KELVIN_TRY(make_key(cell->trunk, cell, from, true));
    describe(about, cell);
    KELVIN_TRY(kelvin_path_join(path, e->cache, "%s_%s", about, cell->key));
    cell->folder = kelvin_strdup(path);
    return cell->folder ? KELVIN_OK : KELVIN_ENOMEM;
}

kelvin_status kelvin_cell_trunk_folder(kelvin_path path, const kelvin_experiment *e, const struct kelvin_cell *cell)
{
    return kelvin_path_join(path, e->cache, "branches/%s", cell->trunk);
}
