/* copy on the CPU; contract in copy.h.
 * Run: isoscope ladder copy --bench --backend cpu */
#include "copy.h"

#include "cpu_util.h"

#include <string.h>

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * One number at a time; volatile, because compilers recognise this loop and call memcpy. */

static int textbook(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
    (void)x;
    const volatile uint32_t *in = from;
    for (size_t i = 0; i < n; i++) to[i] = in[i];
    return 0;
}

/* ---- memcpy --------------------------------------------------------------------------------------------------------
 * Four bytes per load leave most of a core's load width unused. Idea: the C library moves 16 to 64 bytes at a time, and
 * writes large blocks past the caches, without first reading the lines it writes. memmove() also allows the two to overlap:
 * it looks at the addresses once and goes backwards if it must; on x86 glibc has one function for both. */

static int copy_whole(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
    (void)x;
    if (n) memcpy(to, from, n * sizeof *to);
    return 0;
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * One core keeps too few loads in flight to fill the memory's bandwidth. Idea: each thread copies a part. */

static int threads(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++) {
        const size_t begin = part_start(n, p, x->threads), end = part_start(n, p + 1, x->threads);
        if (begin < end) memcpy(to + begin, from + begin, (end - begin) * sizeof *to);
    }
    return 0;
}

const struct copy_rung copy_cpu[] = {
    { { "textbook", "one number after the other", false }, textbook, false },
    { { "memcpy", "the C library: wide loads, stores past the caches", false }, copy_whole, false },
    { { "threads", "memcpy of a part per thread, so that more loads are under way", true }, threads, false },
    { { NULL, NULL, false }, NULL, false },
};
