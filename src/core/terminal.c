#include "terminal.h"

#include "timing.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SHOWN_MS 500.0 /* a shorter job needs no progress */

static bool show(void *context, double fraction)
{
    struct terminal_progress *t = context;
    if (timing_ms() - t->start > SHOWN_MS) {
        fprintf(stderr, "\r%s %3.0f %%", t->what, 100 * fraction);
        t->shown = true;
    }
    return true;
}

void terminal_begin(struct terminal_progress *terminal, const char *what, struct progress *progress)
{
    *terminal = (struct terminal_progress){ what, timing_ms(), false };
    if (!progress->step && isatty(STDERR_FILENO)) *progress = (struct progress){ show, terminal };
}

void terminal_end(const struct terminal_progress *terminal)
{
    if (terminal->shown) fprintf(stderr, "\r%*s\r", (int)strlen(terminal->what) + 6, "");
}

void terminal_line(const char *format, ...)
{
    va_list args;
    if (!isatty(STDERR_FILENO)) return;
    fputs("\r\x1b[K", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fflush(stderr);
}
