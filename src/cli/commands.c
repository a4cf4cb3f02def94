/* The table of kelvin's commands, and how one of them is found. */
#include "cli/command.h"

#include <kelvin/family.h>

#include <string.h>

#define ADDRESS(name) &name##_command,
const struct command *const commands[] = {COMMANDS(ADDRESS) NULL};

static bool command_name(char name[KELVIN_NAME_SIZE], const void *context, size_t i)
{
    (void)context;
    if (commands[i]) snprintf(name, KELVIN_NAME_SIZE, "%s", commands[i]->name);
    return commands[i];
}

kelvin_status command_find(const struct command **command, const char *name)
{
    size_t i = 0;
    while (commands[i] && strcmp(commands[i]->name, name) != 0) i++;
    *command = commands[i];
    return commands[i] ? KELVIN_OK : kelvin_fail_unknown("command", name, command_name, NULL);
}
