/* copy on the CPU; contract in copy.h.
 * Run: isoscope ladder copy --bench --backend cpu */
#include "copy.h"

#include "cpu_util.h"

#include <string.h>

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * One number at a time. The source is volatile, because compilers would recognise the plain loop and call memcpy. */

static int textbook(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
    (void)x;
    const volatile uint32_t *in = from;
    for (size_t i = 0; i < n; i++) to[i] = in[i];
    return 0;
}

/* ---- memcpy --------------------------------------------------------------------------------------------------------
 * Loads of four bytes leave most of a core's load width unused. Idea: call the C library, which moves 16 to 64 bytes at
 * a time. It writes large blocks past the caches, so it need not read the lines first. memmove() works even if the two
 * overlap: it compares the addresses once and copies backwards if it must. On x86, glibc has one function for both. */

static int copy_whole(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
    (void)x;
    if (n) memcpy(to, from, n * sizeof *to);
    return 0;
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * One core cannot keep enough loads in flight to use all of the memory's bandwidth. Idea: each thread copies a part. */

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
    { { "memcpy", "the C library: wide loads, stores that bypass the caches", false }, copy_whole, false },
    { { "threads", "memcpy of a part per thread, so that more loads are in flight", true }, threads, false },
    { { NULL, NULL, false }, NULL, false },
};
