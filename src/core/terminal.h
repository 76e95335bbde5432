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

/* Makes `progress` show `what` and a percentage on stderr, starting after half a second. Does nothing if stderr is not a
 * terminal, or if `progress` already has a `step`. `terminal` must outlive the job. */
void terminal_begin(struct terminal_progress *terminal, const char *what, struct progress *progress);

/* Wipes the line. */
void terminal_end(const struct terminal_progress *terminal);

/* Replaces the current line on stderr, printf style; "" wipes it. Does nothing if stderr is not a terminal. */
void terminal_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif
#endif
