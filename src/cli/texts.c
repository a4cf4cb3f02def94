/* Texts that commands put together and show. */
#include "cli/texts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void text_append(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

void text_plain(char *out, size_t size, const char *text)
{
    size_t n = 0;
    for (; text[n] && text[n] != '\n' && n + 1 < size; n++) out[n] = text[n] >= ' ' && text[n] <= '~' ? text[n] : '?';
    out[n] = '\0';
}

bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}
