/* The CPU backend: malloc, memcpy and the monotonic clock. Ops finish before they return, so there is no queue. */
#include "backend.h"
#include "count_cells.h"
#include "parts.h"
#include "triangles.h"

#include "host_memory.h"

#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool cpu_available(char *text, size_t size)
{
    const int threads = omp_get_max_threads();
    snprintf(text, size, "CPU, %d thread%s", threads, threads == 1 ? "" : "s");
    return true;
}

static int cpu_open(struct exec *x, int device, int threads)
{
    (void)device;
    memset(x, 0, sizeof *x);
    x->backend = BACKEND_CPU;
    x->threads = threads > 0 ? threads : omp_get_max_threads();
    x->result = calloc(1, RESULT_BYTES);
    return x->result ? 0 : ENOMEM;
}

static void cpu_close(struct exec *x)
{
    free(x->result);
    memset(x, 0, sizeof *x);
}

static int cpu_alloc(void **memory, size_t bytes)
{
    *memory = bytes ? host_memory_alloc(bytes) : NULL;
    return bytes && !*memory ? ENOMEM : 0;
}

static int cpu_copy(void *to, const void *from, size_t bytes, struct exec *x)
{
    (void)x;
    if (bytes) memcpy(to, from, bytes);
    return 0;
}

static int cpu_fill(void *memory, int byte, size_t bytes, struct exec *x)
{
    (void)x;
    if (bytes) memset(memory, byte, bytes);
    return 0;
}

static int cpu_sync(struct exec *x) { return exec_is_cancelled(x) ? ECANCELED : 0; }

static int cpu_mark(struct exec *x, int slot)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    x->mark_ms[slot] = (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
    return cpu_sync(x); /* a stage boundary is a good point to stop */
}

static int cpu_elapsed(struct exec *x, int from, int to, double *ms)
{
    *ms = x->mark_ms[to] - x->mark_ms[from];
    return 0;
}

static const char *cpu_explain(int code) { return code ? strerror(code) : "no error"; }

static int cpu_device_count(void) { return 1; }

const struct backend_ops backend_cpu = {
    .name = "cpu",
    .available = cpu_available,
    .device_count = cpu_device_count,
    .open = cpu_open,
    .close = cpu_close,
    .alloc = cpu_alloc,
    .free = free,
    .memory_free = host_memory_free,
    .upload = cpu_copy,
    .download = cpu_copy,
    .copy = cpu_copy,
    .fill = cpu_fill,
    .sync = cpu_sync,
    .mark = cpu_mark,
    .elapsed = cpu_elapsed,
    .explain = cpu_explain,
    .count_cells = count_cells_cpu,
    .corner_sums = corner_sums_cpu,
    .gather_triangles = gather_triangles_cpu,
    .shift_indices = shift_indices_cpu,
    .parts = &parts_cpu,
};

const struct backend_ops *const backends[BACKEND_COUNT] = { &backend_cpu, &backend_cuda };
