#include "trace.h"

#include "nvtx.h"
#include "timing.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
    const char *path; /* NULL: no trace */
    int file;
    double start; /* ms; the times in the file count from here */
    int threads;  /* that have written events */
    int failed;   /* errno of the first write that failed */
} trace;

static _Thread_local struct {
    int number; /* from 1; 0: none yet */
    int depth;
    struct {
        const char *name, *rung;
        double begin;
    } span[TRACE_DEPTH];
} thread;

static int thread_number(void)
{
    if (!thread.number) thread.number = __atomic_add_fetch(&trace.threads, 1, __ATOMIC_RELAXED);
    return thread.number;
}

/* Writes the whole text by one write(), so that the events of different threads do not mix. */
__attribute__((format(printf, 1, 2))) static void append(const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert(length > 0 && length < (int)sizeof text);
    errno = ENOSPC; /* what a short write means */
    if (write(trace.file, text, (size_t)length) == length) return;
    int none = 0;
    __atomic_compare_exchange_n(&trace.failed, &none, errno, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

int trace_open(const char *path, struct err *err)
{
    if (!path) return ERR_NONE;
    trace.file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (trace.file < 0) return err_set(err, ERR_FAILED, "cannot write the trace %s: %s", path, strerror(errno));
    trace.path = path;
    trace.start = timing_ms();
    static const char *const groups[] = { "threads", "CUDA", "OpenGL" };
    for (int g = TRACE_THREADS; g <= TRACE_OPENGL; g++)
        append("%s{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"args\":{\"name\":\"%s\"}}",
               g == TRACE_THREADS ? "[\n" : ",\n", g, groups[g - TRACE_THREADS]);
    trace_name_thread("main");
    return ERR_NONE;
}

int trace_close(struct err *err)
{
    if (!trace.path) return ERR_NONE;
    const char *path = trace.path;
    append("\n]\n");
    if (close(trace.file) && !trace.failed) trace.failed = errno;
    trace.path = NULL;
    return trace.failed ? err_set(err, ERR_FAILED, "cannot write the trace %s: %s", path, strerror(trace.failed))
                        : ERR_NONE;
}

bool trace_is_on(void) { return trace.path != NULL; }

void trace_name_thread(const char *name)
{
    if (!trace_is_on()) return;
    for (int g = TRACE_THREADS; g <= TRACE_OPENGL; g++)
        append(",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"%s\"}}", g,
               thread_number(), name);
}

void trace_push(const char *name, const char *rung)
{
    nvtx_push(name);
    if (!trace_is_on()) return;
    assert(thread.depth < TRACE_DEPTH);
    thread.span[thread.depth].name = name;
    thread.span[thread.depth].rung = rung;
    thread.span[thread.depth].begin = timing_ms();
    thread.depth++;
}

void trace_pop(void)
{
    nvtx_pop();
    if (!trace_is_on()) return;
    assert(thread.depth > 0);
    thread.depth--;
    trace_add(TRACE_THREADS, thread.span[thread.depth].name, thread.span[thread.depth].rung,
              thread.span[thread.depth].begin, timing_ms());
}

/* Rounds both ends to nanoseconds before subtracting, so that nested spans are also nested in the file. */
void trace_add(enum trace_group group, const char *name, const char *rung, double begin, double end)
{
    if (!trace_is_on()) return;
    const int64_t from = (int64_t)llround((begin - trace.start) * 1e6),
                  ns = (int64_t)llround((end - trace.start) * 1e6) - from;
    char args[128] = "";
    if (rung) snprintf(args, sizeof args, ",\"args\":{\"rung\":\"%s\"}", rung);
    append(",\n{\"name\":\"%s\",\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%" PRId64 ".%03" PRId64 ",\"dur\":%" PRId64
           ".%03" PRId64 "%s}",
           name, group, thread_number(), from / 1000, from % 1000, ns / 1000, ns % 1000, args);
}
