/* Tables and pictures that are named by their files alone, as people type them: table.csv is csv:table.csv, and a
 * folder is images:folder. */
#include "data/inputs.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static bool ends_as_table(const char *text, size_t n)
{
    static const char *const ends[] = {".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t m = strlen(ends[i]);
        if (n > m && strncasecmp(text + n - m, ends[i], m) == 0) return true;
    }
    return false;
}

/* A file that is there, and begins like text. */
static bool is_text_file(const char *path)
{
    struct stat about;
    char head[16];
    bool picture;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return false;
    const size_t bytes = about.st_size < (off_t)sizeof head ? (size_t)about.st_size : sizeof head;
    if (kelvin_file_read_part(head, path, 0, bytes)) return false;
    return !kelvin_inputs_kind(&picture, head, bytes);
}

/* The first field: up to a comma that has no backslash before it. */
static size_t first_field(const char *spec)
{
    size_t n = 0;
    while (spec[n] && (spec[n] != ',' || (n > 0 && spec[n - 1] == '\\'))) n++;
    return n;
}

/* FOLDER,size=64 */
static bool begins_with_folder(const char *spec)
{
    char path[KELVIN_PATH_MAX];
    const size_t n = first_field(spec);
    if (n >= sizeof path || strchr(spec, '\\')) return false;
    memcpy(path, spec, n);
    path[n] = '\0';
    return kelvin_is_folder(path);
}

kelvin_status kelvin_data_spell(char **text, const char *spec)
{
    const bool known = kelvin_data_find_type(spec), file = !known && is_text_file(spec);
    const bool table = file || (!known && ends_as_table(spec, first_field(spec)));
    const bool whole = !known && !file && kelvin_is_folder(spec),
               folder = whole || (!known && begins_with_folder(spec));
    char *to = *text = kelvin_alloc(2 * strlen(spec) + sizeof "images:", 1);
    if (!to) return KELVIN_ENOMEM;
    if (table || folder) to += sprintf(to, "%s:", folder ? "images" : "csv");
    for (; *spec; *to++ = *spec++) /* where all of it is the name of a file, its commas are no ends */
        if ((file || whole) && *spec == ',') *to++ = '\\';
    return KELVIN_OK;
}

kelvin_status kelvin_data_check_name(const char *spec)
{
    char *text;
    KELVIN_TRY(kelvin_data_spell(&text, spec));
    const bool known = kelvin_data_find_type(text);
    kelvin_free(text);
    return known ? KELVIN_OK : KELVIN_EUSAGE;
}
