/* What is the same for every command: its name, its settings, its help text. */
#include "cli/command.h"

#include <kelvin/family.h>

#include <string.h>

void command_title(char title[COMMAND_TITLE], const struct command *command)
{
    snprintf(title, COMMAND_TITLE, "kelvin%c%s", command->alone ? '-' : ' ', command->name);
}

kelvin_status check_member(const char *family, const char *text)
{
    const kelvin_member *member;
    return kelvin_family_find(&member, kelvin_family_of(family), text);
}

void *command_settings(const struct command *command)
{
    void *settings = kelvin_alloc(1, command->settings_size);
    if (settings && command->usual) memcpy(settings, command->usual, command->settings_size);
    if (settings && command->defaults) command->defaults(settings);
    return settings;
}

const struct option_table *command_options(const struct command *command)
{
    return command->build ? command->build() : &command->options;
}

/* Paragraphs end with a line feed each but the last. */
static void print_paragraphs(FILE *out, const char *text)
{
    for (size_t n; *text; text += n + (text[n] == '\n')) {
        char paragraph[2048];
        n = strcspn(text, "\n");
        snprintf(paragraph, sizeof paragraph, "%.*s", (int)n, text);
        print_wrapped(out, paragraph, 0, HELP_WIDTH);
    }
}

void command_help(FILE *out, const struct command *command, const struct option_table *table, const void *settings)
{
    char about[512], title[COMMAND_TITLE];
    command_title(title, command);
    fprintf(out, "Usage: %s %s\n", title, command->synopsis);
    snprintf(about, sizeof about, "%s.", command->about);
    print_wrapped(out, about, 0, HELP_WIDTH);
    if (command->details) fputc('\n', out);
    if (command->details) print_paragraphs(out, command->details);
    fputs("\nOptions:\n", out);
    options_print(out, table, settings);
}
