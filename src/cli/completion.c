/* kelvin --completion SHELL: completion for a shell. The scripts beside this file know how to complete; what there is
 * to complete is put into them as a table, for all shells the same, of lines of fields with tabs between them:
 *
 *     command   NAME     -      -      what it does
 *     operands  COMMAND  RUNS   MOST   what those are that are no runs
 *     option    COMMAND  --NAME VALUE  what it is
 *     member    FAMILY   WORD   MORE   what it is; "more" where something must follow the word, or else -
 *
 * VALUE is what help texts have after the option. A word in capitals that is the name of a family stands for one of its
 * members; RUN, FILE and DIR are what they say; words in small letters stand for themselves; | is between several. */
#include "cli/command.h"
#include "completion_bash.h"
#include "completion_zsh.h"

#include <kelvin/family.h>

#include <ctype.h>
#include <string.h>

static const struct shell {
    const char *name;
    const char *script; /* with a line that is in place of the table */
} shells[] = {{"bash", completion_bash}, {"zsh", completion_zsh}};

enum { SHELLS = sizeof shells / sizeof *shells };

static void put_row(FILE *out, const char *row, const char *of, const char *word, const char *value, const char *about)
{
    fprintf(out, "%s\t%s\t%s\t%s\t%s\n", row, of, word, value, about);
}

static void put_option(FILE *out, const char *command, const struct option *option)
{
    const char *value = option->kind == OPTION_FLAG ? "-" : option->metavar;
    const char letter[] = {'-', option->letter, '\0'};
    char name[KELVIN_NAME_SIZE + 2];
    snprintf(name, sizeof name, "--%s", option->name);
    put_row(out, "option", command, name, value, option->help);
    if (option->letter) put_row(out, "option", command, letter, value, option->help);
}

static void put_command(FILE *out, const struct command *command)
{
    const struct option_table *table = command_options(command);
    char runs[32], most[32];
    snprintf(runs, sizeof runs, "%zu", command->runs);
    snprintf(most, sizeof most, "%zu", command->operands);
    put_row(out, "command", command->name, "-", "-", command->about);
    put_row(out, "operands", command->name, runs, most, command->others ? command->others : "-");
    for (size_t i = 0; i < table->n; i++)
        if (option_find(table, table->options[i].name) == i) put_option(out, command->name, &table->options[i]);
}

/* A name as far as it goes: "mlp:" of mlp:W,W, "resnet" of resnetN. */
static void put_member(FILE *out, const char *family, const kelvin_member *member)
{
    char word[KELVIN_NAME_SIZE + 1];
    const size_t n = strlen(member->name);
    const bool number = n > 0 && member->name[n - 1] == 'N', colon = member->usage[n] == ':';
    snprintf(word, sizeof word, "%.*s%s", (int)(n - number), member->name, colon ? ":" : "");
    put_row(out, "member", family, word, number || colon ? "more" : "-", member->about);
}

static void put_family(FILE *out, const kelvin_family *family)
{
    char name[KELVIN_NAME_SIZE];
    const char *what = kelvin_family_what(family);
    const kelvin_member *member;
    size_t n = 0;
    for (; isalpha((unsigned char)what[n]) && n + 1 < sizeof name; n++) name[n] = (char)toupper((unsigned char)what[n]);
    name[n] = '\0';
    for (size_t i = 0; (member = kelvin_family_member(family, i)); i++) put_member(out, name, member);
}

static void put_table(FILE *out)
{
    for (size_t i = 0; commands[i]; i++) put_command(out, commands[i]);
    for (size_t i = 0; i < kelvin_families(); i++) put_family(out, kelvin_family_at(i));
}

static bool shell_name(char name[KELVIN_NAME_SIZE], const void *context, size_t i)
{
    (void)context;
    if (i < SHELLS) snprintf(name, KELVIN_NAME_SIZE, "%s", shells[i].name);
    return i < SHELLS;
}

kelvin_status completion_print(FILE *out, const char *name)
{
    static const char mark[] = "@table@\n";
    size_t i = 0;
    if (!name) return kelvin_fail(KELVIN_EUSAGE, "--completion needs a value: bash or zsh");
    while (i < SHELLS && strcmp(shells[i].name, name) != 0) i++;
    if (i == SHELLS) return kelvin_fail_unknown("shell", name, shell_name, NULL);
    const char *script = shells[i].script, *table = strstr(script, mark);
    fprintf(out, "%.*s", (int)(table - script), script);
    put_table(out);
    fputs(table + strlen(mark), out);
    return KELVIN_OK;
}
