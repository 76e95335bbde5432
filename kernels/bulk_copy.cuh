/* The copy engine of a multiprocessor (compute capability 9.0), and the barriers in shared memory that count the bytes
 * it has brought. For code that is compiled for such GPUs. */
#ifndef ISO_BULK_COPY_CUH
#define ISO_BULK_COPY_CUH

#include <stdint.h>

static __device__ __forceinline__ unsigned shared_address(const void *at) { return (unsigned)__cvta_generic_to_shared(at); }

static __device__ __forceinline__ void barrier_init(uint64_t *barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

/* Arrive, and let the phase last until `bytes` bytes have come. */
static __device__ __forceinline__ void barrier_expect(uint64_t *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

/* Wait until the phase with that parity has ended. Before the first phase, the phase of parity 1 counts as ended. */
static __device__ __forceinline__ void barrier_wait(uint64_t *barrier, unsigned parity)
{
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
}

/* Ask for `bytes` to be loaded to an address in shared memory; the barrier counts them. */
static __device__ __forceinline__ void bulk_load(unsigned to, const void *from, unsigned bytes, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

#endif
