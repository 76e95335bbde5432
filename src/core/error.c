#include "error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int(err_set)(struct err *err, int code, const char *format, ...)
{
    if (!err) return code;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    err->code = code;
    err->cause = CAUSE_OTHER;
    return code;
}

int err_blame(struct err *err, int code, enum err_cause cause)
{
    if (err) err->cause = cause;
    return code;
}

int err_found(const struct err *err)
{
    const bool short_of_room = err->cause == CAUSE_MEMORY || err->cause == CAUSE_ROOM;
    const size_t found = short_of_room ? strcspn(err->text, ":") : strlen(err->text);
    return found < 800 ? (int)found : 800; /* what is said instead must fit behind it */
}
