/* parts on CUDA; contract in parts.h.
 *
 * measure: most triangles belong to a few parts, and an atomic for each triangle would queue at one address. So each
 * warp takes a row of triangles, and its lanes add up until the part changes. */
#include "parts.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

static __global__ void __launch_bounds__(THREADS) find_roots(const uint32_t *labels, uint32_t *flags, size_t n)
{
    for (size_t v = thread_index(); v < n; v += thread_count()) flags[v] = labels[v] == v;
}

static int mark_roots(const uint32_t *labels, uint32_t *flags, size_t n, struct exec *x)
{
    find_roots<<<launch_blocks(n, THREADS), THREADS, 0, x->stream>>>(labels, flags, n);
    return cudaGetLastError();
}

/* ---- measure ----------------------------------------------------------------------------------------------------- */

enum { TURNS = 32, ROW = TURNS * WARP }; /* triangles that a warp takes */

static const uint32_t NONE = UINT32_MAX;

static __device__ __forceinline__ int64_t warp_least(int64_t value)
{
    for (unsigned step = WARP / 2; step > 0; step /= 2) value = min(value, __shfl_down_sync(ALL_LANES, value, step));
    return value; /* complete in lane 0 */
}

static __device__ __forceinline__ int64_t warp_largest(int64_t value)
{
    for (unsigned step = WARP / 2; step > 0; step /= 2) value = max(value, __shfl_down_sync(ALL_LANES, value, step));
    return value; /* complete in lane 0 */
}

/* Add what the lanes have summed up to a part, and empty their sums. All lanes must call. */
static __device__ void add_lanes(struct part *to, struct part *mine)
{
    struct part sum;
    sum.triangles = warp_sum(mine->triangles);
    sum.area = (int64_t)warp_sum((uint64_t)mine->area);
    sum.volume = (int64_t)warp_sum((uint64_t)mine->volume);
    sum.open = warp_sum(mine->open);
    for (int a = 0; a < 3; a++) sum.low[a] = warp_least(mine->low[a]), sum.high[a] = warp_largest(mine->high[a]);
    *mine = part_empty();
    if (lane_index() > 0) return;
    atomic_add_u64(&to->triangles, sum.triangles);
    atomic_add_u64((uint64_t *)&to->area, (uint64_t)sum.area);
    atomic_add_u64((uint64_t *)&to->volume, (uint64_t)sum.volume);
    atomic_add_u64(&to->open, sum.open);
    for (int a = 0; a < 3; a++) {
        atomicMin((long long *)&to->low[a], (long long)sum.low[a]);
        atomicMax((long long *)&to->high[a], (long long)sum.high[a]);
    }
}

static __global__ void __launch_bounds__(THREADS) empty_parts(struct parts_desc d)
{
    for (size_t i = thread_index(); i < d.count; i += thread_count()) d.parts[i] = part_empty();
}

static __global__ void __launch_bounds__(THREADS) measure_triangles(struct parts_desc d)
{
    for (size_t row = thread_index() / WARP * ROW; row < d.triangles; row += thread_count() / WARP * ROW) {
        struct part mine = part_empty();
        uint32_t of = NONE; /* the part that the lanes are summing */
        for (unsigned turn = 0; turn < TURNS; turn++) {
            const size_t t = row + turn * WARP + lane_index();
            const uint32_t number = t < d.triangles ? d.numbers[d.labels[d.indices[3 * t]]] : NONE;
            uint32_t left = __ballot_sync(ALL_LANES, number != NONE);
            while (left) {
                const uint32_t next = __shfl_sync(ALL_LANES, number, __ffs(left) - 1);
                if (next != of && of != NONE) add_lanes(&d.parts[of], &mine);
                of = next;
                if (number == of) part_add_triangle(&d, t, &mine);
                left &= ~__ballot_sync(ALL_LANES, number == of);
            }
        }
        if (of != NONE) add_lanes(&d.parts[of], &mine);
    }
}

/* Lanes with the same part share one atomic. */
static __global__ void __launch_bounds__(THREADS) count_vertices(struct parts_desc d)
{
    for (size_t first = thread_index() - lane_index(); first < d.vertex_count; first += thread_count()) {
        const size_t v = first + lane_index();
        const uint32_t number = v < d.vertex_count ? d.numbers[d.labels[v]] : NONE;
        const uint32_t same = lanes_with(number);
        if (number != NONE && (same & ((1u << lane_index()) - 1)) == 0)
            atomic_add_u64(&d.parts[number].vertices, popcount32(same));
    }
}

static int measure(const struct parts_desc *d, struct exec *x)
{
    empty_parts<<<launch_blocks(d->count, THREADS), THREADS, 0, x->stream>>>(*d);
    measure_triangles<<<launch_blocks(d->triangles, TURNS * THREADS), THREADS, 0, x->stream>>>(*d);
    count_vertices<<<launch_blocks(d->vertex_count, THREADS), THREADS, 0, x->stream>>>(*d);
    return cudaGetLastError();
}

/* ---- the triangles of some parts --------------------------------------------------------------------------------- */

static __global__ void __launch_bounds__(THREADS) find_kept(struct parts_desc d, const uint8_t *keep, uint32_t *flags)
{
    for (size_t t = thread_index(); t < d.triangles; t += thread_count())
        flags[t] = keep[d.numbers[d.labels[d.indices[3 * t]]]];
}

static __global__ void __launch_bounds__(THREADS)
    move_kept(const uint32_t *indices, const uint32_t *flags, const uint32_t *starts, uint32_t *out, size_t corners)
{
    for (size_t i = thread_index(); i < corners; i += thread_count())
        if (flags[i / 3]) out[3 * (size_t)starts[i / 3] + i % 3] = indices[i];
}

static int mark_kept(const struct parts_desc *d, const uint8_t *keep, uint32_t *flags, struct exec *x)
{
    find_kept<<<launch_blocks(d->triangles, THREADS), THREADS, 0, x->stream>>>(*d, keep, flags);
    return cudaGetLastError();
}

static int gather_kept(const uint32_t *indices, const uint32_t *flags, const uint32_t *starts, uint32_t *out, size_t n,
                       struct exec *x)
{
    move_kept<<<launch_blocks(3 * n, THREADS), THREADS, 0, x->stream>>>(indices, flags, starts, out, 3 * n);
    return cudaGetLastError();
}

const struct part_ops parts_cuda = { mark_roots, measure, mark_kept, gather_kept };
