#include "error.h"

#include <stdarg.h>
#include <stdio.h>

int err_set(struct err *err, int code, const char *format, ...)
{
    if (!err) return code;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    err->code = code;
    return code;
}
