/* latency on the CPU; contract in latency.h.
 * Run: isoscope ladder latency --bench --backend cpu */
#include "latency.h"

/* The ring: each entry holds the address of the next, in the first bytes of a cache line. */
static int make_ring(struct latency_desc *d, const struct latency_rung *rung, struct exec *x)
{
    (void)x;
    char *ring = d->ring;
    for (uint32_t i = 0; i < rung->places; i++)
        *(void **)(ring + (size_t)i * LATENCY_LINE) = ring + (size_t)latency_next(i, rung->places) * LATENCY_LINE;
    return 0;
}

/* ---- register ------------------------------------------------------------------------------------------------------
 * The walk by arithmetic alone: a multiplication and an addition, each waiting for the one before. Three cycles and
 * one: about 1 ns; 1.3 on an EPYC. Such a chain leaves nine tenths of a core idle. */

enum { PLACES = 1 << 16 };

static int in_registers(const struct latency_desc *d, struct exec *x)
{
    (void)x;
    uint32_t place = 0;
    for (size_t s = 0; s < d->steps; s++) place = latency_next(place, PLACES);
    d->out[0] = place;
    return 0;
}

/* ---- l1, l2, l3, memory --------------------------------------------------------------------------------------------
 * The same walk, read from a ring that fits the level: 16 KiB, 512 KiB, 4 MiB, 256 MiB. What is read is the address of
 * the next entry, so the core has to wait for all of it: this is a linked list. Predicted: 4 or 5 cycles, 14, 50, and
 * about 100 ns. Reading an array in order takes the same lines and needs a hundredth of the time, because it requests
 * the next lines before the last has arrived.
 *
 * Each address must be translated, too, and a TLB holds the translations of a few thousand pages. The backend asks for
 * pages of 2 MiB (host_memory.h), so 256 MiB have 128. If the kernel has only pages of 4 KiB to give, nearly every step
 * also waits for a translation: 200 ns instead of 157 on an EPYC.
 *
 * Measured: 1.4, 4.8, 50 and 190 ns on a virtual machine of a Xeon. The L3 of a Xeon is spread over a mesh, which costs
 * twice the cycles. And a virtual machine gets little of the L3 that it reports: about 8 of 480 MiB. A ring of that
 * size takes 40 to 140 ns, depending on what others do, and one of 16 MiB nearly as long as memory. On an EPYC even 2
 * MiB took as long as memory. */

static int walk(const struct latency_desc *d, struct exec *x)
{
    (void)x;
    void *const *at = d->ring;
    for (size_t s = 0; s < d->steps; s++) at = *at;
    d->out[0] = (uint64_t)((const char *)at - (const char *)d->ring) / LATENCY_LINE;
    return 0;
}

/* ---- atomic --------------------------------------------------------------------------------------------------------
 * An addition that no other core can interrupt, to a counter in this core's L1; the next one adds what the last one
 * returned. Predicted: 18 to 20 cycles, 5 ns (5.2 on an EPYC), four times a load, because it waits for all stores
 * before it. If other cores want the line, too, each step goes to another core and back, 50 ns and more. */

static int atomic(const struct latency_desc *d, struct exec *x)
{
    (void)x;
    uint64_t last = 0;
    d->out[0] = 0;
    for (size_t s = 0; s < d->steps; s++) last = __atomic_fetch_add(&d->out[0], 1 + (last >> 63), __ATOMIC_SEQ_CST);
    return 0;
}

/* ---- barrier -------------------------------------------------------------------------------------------------------
 * All threads wait for each other. Predicted: two ways between cores, 0.2 to 1 us, as long as each thread has a core of
 * its own and need not be woken; otherwise a hundred times as long. Measured: 0.7 us with two threads of an EPYC. With
 * seven other programs at work on each core it was 600 us on average, but 10 if threads sleep instead of looking again
 * and again (OMP_WAIT_POLICY=passive): who looks all the time has used up its share of the core when its turn comes. */

static int barrier(const struct latency_desc *d, struct exec *x)
{
    uint64_t count = 0; /* of each thread; there may be fewer threads than asked for */
#pragma omp parallel num_threads(x->threads) reduction(max : count)
    {
        const size_t steps = d->steps;
        for (size_t s = 0; s < steps; s++) {
            count++;
#pragma omp barrier
        }
    }
    d->out[0] = count;
    return 0;
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * The beginning and end of a parallel loop: what every rung `threads` of the other ladders pays once. Predicted: a
 * barrier at each end, so twice a barrier. Measured: only one, 0.5 us, because the threads wait for the next loop where
 * they are. Work of less than some microseconds is not worth sharing. */

static int threads(const struct latency_desc *d, struct exec *x)
{
    uint64_t count = 0;
    for (size_t s = 0; s < d->steps; s++) {
        uint64_t ran = 0;
#pragma omp parallel num_threads(x->threads) reduction(max : ran)
        ran = 1;
        count += ran;
    }
    d->out[0] = count;
    return 0;
}

/* clang-format off */
const struct latency_rung latency_cpu[] = {
    { { "register", "a chain of dependent multiply-adds in registers", true },
      in_registers, NULL, LATENCY_WALKS, PLACES, 1, 0 },
    { { "l1", "pointer chasing in a list of 16 KiB", false }, walk, make_ring, LATENCY_BACKEND, 1 << 7, 1, 0 },
    { { "l2", "pointer chasing in a list of 512 KiB", false }, walk, make_ring, LATENCY_BACKEND, 1 << 12, 4, 0 },
    { { "l3", "pointer chasing in a list of 4 MiB", false }, walk, make_ring, LATENCY_BACKEND, 1 << 15, 4, 0 },
    { { "memory", "pointer chasing in a list of 256 MiB", false }, walk, make_ring, LATENCY_BACKEND, 1 << 21, 16, 0 },
    { { "atomic", "atomic additions, each of which needs the result of the one before", false },
      atomic, NULL, LATENCY_COUNTS, 0, 4, 0 },
    { { "barrier", "all threads wait for each other", false }, barrier, NULL, LATENCY_COUNTS, 0, 4096, 0 },
    { { "threads", "an empty parallel loop", false }, threads, NULL, LATENCY_COUNTS, 0, 4096, 0 },
    { .rung = { .name = NULL } },
};
/* clang-format on */
