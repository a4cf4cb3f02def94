/* The command's words, by a table. Names of folders and values are quoted as a shell needs it: whoever copies a line
 * from a sentence gets what it says. */
#include "cli/words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void option_name(char out[OPTION_NAME], const char *field)
{
    snprintf(out, OPTION_NAME, "--%s", field);
    for (char *at = out; (at = strchr(at, '_'));) *at = '-';
}

/* ---- shells ---- */

/* Letters that mean themselves to every shell. */
static bool is_plain(const char *text)
{
    if (!*text) return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("%+,-./:=@_", *text)) return false;
    return true;
}

/* Single quotes, if it needs any: one inside closes them, stands behind a backslash, and opens them again. */
void shell_word(char *out, size_t size, const char *text)
{
    size_t used = 0;
    if (size < 3 || is_plain(text)) {
        snprintf(out, size, "%s", text);
        return;
    }
    out[used++] = '\'';
    for (; *text && used + strlen("'\\''") + 2 <= size; text++)
        used += (size_t)snprintf(out + used, size - used, *text == '\'' ? "'\\''" : "%c", *text);
    out[used++] = '\'';
    out[used] = '\0';
}

/* ---- the table ---- */

/* Each writes behind what `out` has already, as far as there is room. */
static void append(char *out, size_t size, const char *text)
{
    const size_t used = strlen(out);
    snprintf(out + used, size - used, "%s", text);
}

static void name(char *out, size_t size, const char *of)
{
    char option[OPTION_NAME];
    option_name(option, of);
    append(out, size, option);
}

static void plain(char *out, size_t size, const char *of)
{
    const size_t used = strlen(out);
    shell_word(out + used, size - used, of);
}

/* "density=dirclip:1,-50": --density dirclip:1,-50 */
static void setting(char *out, size_t size, const char *of)
{
    char field[OPTION_NAME - 2];
    const char *equals = strchr(of, '=');
    if (!equals) return;
    snprintf(field, sizeof field, "%.*s", (int)(equals - of), of);
    name(out, size, field);
    append(out, size, " ");
    plain(out, size, equals + 1);
}

/* A folder whose name begins like an option is given as one in this folder. */
static void folder(char *out, size_t size, const char *of)
{
    append(out, size, *of == '-' ? "./" : "");
    plain(out, size, of);
}

static void nothing(char *out, size_t size, const char *of)
{
    (void)out, (void)size, (void)of;
}

static const struct {
    const char *before;
    void (*put)(char *out, size_t size, const char *of);
    const char *after;
} table[] = {
    [KELVIN_WORD_FIELD] = {"", name, ""},
    [KELVIN_WORD_SETTING] = {"", setting, ""},
    [KELVIN_WORD_OPTION] = {"", name, ""},
    [KELVIN_WORD_PART] = {"--on ", plain, ""},
    [KELVIN_WORD_LIST] = {"kelvin info", nothing, ""},
    [KELVIN_WORD_SAMPLE] = {"kelvin sample", nothing, ""},
    [KELVIN_WORD_OUTPUT] = {"-o ", folder, ""},
    [KELVIN_WORD_CONFIG] = {"--config", nothing, ""},
    [KELVIN_WORD_REPEAT] = {"kelvin sample --config ", folder, " -o NEW"},
    [KELVIN_WORD_RESUME] = {"kelvin resume ", folder, ""},
    [KELVIN_WORD_GO_ON] = {"go on with: kelvin resume ", folder, ""},
    [KELVIN_WORD_FETCH] = {"get it with: kelvin data ", plain, ""},
    [KELVIN_WORD_FETCH_AGAIN] = {"mend it with: kelvin data ", plain, ""},
    [KELVIN_WORD_INSTALL] = {"apt-get install ", plain, ""},
    [KELVIN_WORD_CALL] = {"command", nothing, ""},
    [KELVIN_WORD_GIVE] = {"kelvin_run_open_with in C, kelvin.resume in Python, of ", folder, ""},
};

void command_words(void *context, char *out, size_t size, kelvin_word word, const char *of)
{
    (void)context;
    if ((size_t)word >= sizeof table / sizeof *table) return;
    snprintf(out, size, "%s", table[word].before);
    table[word].put(out, size, of);
    append(out, size, table[word].after);
}

const char *command_error(void)
{
    static char sentence[4096]; /* commands ask in the thread of main(), and no other one does */
    kelvin_error_say(sentence, sizeof sentence, command_words, NULL);
    return sentence;
}
