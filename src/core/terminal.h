/* Progress of a long job on the terminal. */
#ifndef ISO_TERMINAL_H
#define ISO_TERMINAL_H

#include "progress.h"

#ifdef __cplusplus
extern "C" {
#endif

struct terminal_progress {
    const char *what;
    double start; /* ms */
    bool shown;
};

/* Lets `progress` show `what` and a percentage on stderr, from half a second on. Does nothing if stderr is no terminal, or
 * if `progress` reports to someone already. `terminal` must outlive the job. */
void terminal_begin(struct terminal_progress *terminal, const char *what, struct progress *progress);

/* Wipes the line. */
void terminal_end(const struct terminal_progress *terminal);

/* Shows a line on stderr, printf style, in place of the last one; "" wipes it. Nothing if stderr is no terminal. */
void terminal_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif
#endif
