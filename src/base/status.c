/* The status of a call is an integer; its sentence is kept per thread. */
#include <kelvin/base.h>

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char text[1024];

const char *kelvin_version(void)
{
    return KELVIN_VERSION;
}

kelvin_status kelvin_fail(kelvin_status status, const char *format, ...)
{
    char fresh[sizeof text]; /* an argument may be kelvin_error() itself */
    va_list args;
    va_start(args, format);
    vsnprintf(fresh, sizeof fresh, format, args);
    va_end(args);
    for (char *c = fresh; *c; c++) /* names and fields of files may hold what a terminal obeys */
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    snprintf(text, sizeof text, "%s", fresh);
    return status;
}

const char *kelvin_error(void)
{
    return text;
}
