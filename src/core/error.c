#include "error.h"

#include "text.h"

#include <stdarg.h>
#include <stdio.h>

int(err_set)(struct err *err, int code, const char *format, ...)
{
    char text[ERR_TEXT]; /* an argument may be err->text */
    if (!err) return code;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text_visible(err->text, sizeof err->text, text);
    err->code = code;
    err->advice[0] = '\0';
    err->cause = CAUSE_OTHER;
    return code;
}

void err_advise(struct err *err, const char *format, ...)
{
    char text[ERR_ADVICE];
    if (!err) return;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text_visible(err->advice, sizeof err->advice, text);
}

int err_blame(struct err *err, int code, enum err_cause cause)
{
    if (err) err->cause = cause;
    return code;
}

const char *err_sentence(const struct err *err, char to[ERR_SENTENCE])
{
    snprintf(to, ERR_SENTENCE, "%s%s%s", err->text, err->advice[0] ? ": " : "", err->advice);
    return to;
}
