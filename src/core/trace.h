/* The trace records which thread did what, and when: as a file for ui.perfetto.dev and chrome://tracing (--trace), and as
 * ranges for NVIDIA's profilers (nvtx.h).
 *
 *    trace_open -> trace_push, work, trace_pop on any thread -> trace_close
 *
 * The file is in Chrome's trace event format. Each event is appended by one write(), so an interrupted run leaves whole
 * events. Only the closing bracket is then missing, which the format allows. The state is global, like stderr: open the
 * trace before threads start, and close it after they end. While no trace is open, a span costs a few nanoseconds. */
#ifndef ISO_TRACE_H
#define ISO_TRACE_H

#include "error.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TRACE_DEPTH = 16 }; /* the most spans that one thread may have open */

/* Groups of tracks, each with a track per thread. Spans are in the first group. */
enum trace_group { TRACE_THREADS = 1, TRACE_CUDA, TRACE_OPENGL };

/* Creates `path` and starts the trace. Does nothing if `path` is NULL. Error: ERR_FAILED. */
int trace_open(const char *path, struct err *err);

/* Ends the trace. Error: ERR_FAILED if an event could not be written. Does nothing if no trace is open. */
int trace_close(struct err *err);

bool trace_is_on(void);

/* Names the calling thread's tracks. The thread that opened the trace is "main". */
void trace_name_thread(const char *name);

/* Opens a span of the calling thread: `name`, done by `rung` (NULL: there is only one implementation). Both are constant
 * strings without quotes or backslashes. Every push needs a pop on the same thread, also on errors. */
void trace_push(const char *name, const char *rung);

/* Closes the span that was opened last. */
void trace_pop(void);

/* Adds an event that was timed elsewhere, for instance by a GPU, to the calling thread's track in `group`. begin and end:
 * ms on the clock of timing_ms(). */
void trace_add(enum trace_group group, const char *name, const char *rung, double begin, double end);

#ifdef __cplusplus
}
#endif
#endif
