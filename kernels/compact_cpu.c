/* compact on the CPU; contract in compact.h.
 * Run: isoscope ladder compact --bench --backend cpu */
#include "compact.h"

#include "cpu_util.h"

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * One loop that appends. Cost: where an entry goes depends on all entries before it, so only one thread can work, and
 * most of what it reads is a zero. */

static int textbook(const struct strips *s, uint32_t *list, uint64_t *count, void *scratch, struct exec *x)
{
    (void)scratch, (void)x;
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->vertices[i] | s->triangles[i]) list[n++] = (uint32_t)i;
    *count = n;
    return 0;
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * Appending needs the length so far, so only one thread can work. Idea: each thread counts the entries of its part, the
 * counts give each part its start, and then all parts are filled at the same time.
 * Cost: the arrays are read twice. */

static int threads(const struct strips *s, uint32_t *list, uint64_t *count, void *scratch, struct exec *x)
{
    uint64_t *start = scratch;
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++) {
        uint64_t n = 0;
        CPU_PART(x, i, s->count, p, { n += (s->vertices[i] | s->triangles[i]) != 0; })
        start[p] = n;
    }
    if (exec_is_cancelled(x)) return 0;
    *count = counts_to_starts(start, x->threads);
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++) {
        uint32_t *to = list + start[p];
        CPU_PART(x, i, s->count, p, {
            if (s->vertices[i] | s->triangles[i]) *to++ = (uint32_t)i;
        })
    }
    return 0;
}

static size_t threads_scratch(size_t n, const struct exec *x)
{
    (void)n;
    return (size_t)x->threads * sizeof(uint64_t);
}

const struct compact_rung compact_cpu[] = {
    { { "textbook", "one loop that appends", false }, textbook, NULL, false },
    { { "threads", "counts per part, then all threads fill their parts at once", true }, threads, threads_scratch, false },
    { { NULL, NULL, false }, NULL, NULL, false },
};
