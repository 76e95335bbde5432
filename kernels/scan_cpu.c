/* scan on the CPU; contract in scan.h.
 * Run: isoscope ladder scan --bench --backend cpu */
#include "scan.h"

#include "cpu_util.h"

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * One running sum. The limit is the latency of one addition per element. */

static int textbook(const uint32_t *in, uint32_t *out, uint64_t *total, size_t n, void *scratch, struct exec *x)
{
    (void)scratch, (void)x;
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        out[i] = (uint32_t)sum;
        sum += in[i];
    }
    *total = sum;
    return 0;
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * One core cannot use all of the memory's bandwidth. Idea: each thread sums its part, the sums are turned into starts,
 * and then each thread scans its part from its start. The first reading vectorises.
 * Cost: the input is read twice. */

static int threads(const uint32_t *in, uint32_t *out, uint64_t *total, size_t n, void *scratch, struct exec *x)
{
    uint64_t *part_sum = scratch;
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++) {
        uint64_t sum = 0;
        CPU_PART(x, i, n, p, { sum += in[i]; })
        part_sum[p] = sum;
    }
    if (exec_is_cancelled(x)) return 0;
    *total = counts_to_starts(part_sum, x->threads);
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++) {
        uint64_t run = part_sum[p];
        CPU_PART(x, i, n, p, {
            out[i] = (uint32_t)run;
            run += in[i];
        })
    }
    return 0;
}

static size_t threads_scratch(size_t n, const struct exec *x)
{
    (void)n;
    return (size_t)x->threads * sizeof(uint64_t);
}

const struct scan_rung scan_cpu[] = {
    { { "textbook", "one running sum", false }, textbook, NULL },
    { { "threads", "sums per part, then each thread scans its part from its own start", true }, threads, threads_scratch },
    { { NULL, NULL, false }, NULL, NULL },
};
