/* gemm on tensor cores by warp groups. Contract in gemm_cuda_groups.h; operands are packed in gemm_cuda_warps.cuh.
 *
 * Only this file is compiled for sm_90a, that is, for instructions which only compute capability 9.0 has, and it is
 * compiled for nothing else. ISO_WARP_GROUPS says that the compiler can do that. */
#include "gemm_cuda_groups.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

/* ---- tf32-wgmma ----------------------------------------------------------------------------------------------------
 * tf32-warps has 196 TFLOPS of cuBLAS's 343. There are two reasons. mma.sync reaches two thirds of what the cores can
 * do. And on its way, each number goes from shared memory through registers, by instructions that the same warps must
 * issue. Idea, all of it for compute capability 9.0:
 *   - warp groups (wgmma): four warps multiply 64 x 8 by 8 x 256 in one instruction, which reads both operands from shared
 *     memory by itself and returns at once; two groups sum a tile of 128 x 256, 128 numbers in registers per thread;
 *   - the copy engine brings stages of depth 32, of which four are in flight or in use. Operands are packed as images of
 *     shared memory, so a stage is three pieces of 16 KiB, and one thread asks for them; a ninth warp does only that, and
 *     runs ahead;
 *   - barriers in shared memory instead of __syncthreads, two per stage: full counts the bytes that have arrived, empty the
 *     groups that have read them;
 *   - clusters of two blocks, one below the other in C: both need the same part of B; each asks for half of it, for both
 *     (multicast), so that L2 delivers 32 KiB per stage and block instead of 48;
 *   - blocks stay, and go from tile to tile: while the groups store C, the next stages arrive.
 *
 *    warp 8    | ask 0 | ask 1 | ask 2 | ask 3 | wait for empty 0 | ask 4 | ..
 *    groups               | wait for full 0 | multiply 0 | full 1 | multiply 1 | 0 is empty | ..
 *
 * Predicted: 285 TFLOPS with the packing, 83 % of cuBLAS: 0.40 ms of products, as the library, and 0.075 ms to pack,
 * which is 256 MiB of traffic. Measured, packing included: 341; cuBLAS 333 in the same run.
 * Cost: code for one compute capability only; 192 KiB of shared memory, so one block per multiprocessor. Packing takes
 * a sixth of the time, and cuBLAS does without. */

#ifdef ISO_WARP_GROUPS
#include "bulk_copy.cuh"

enum {
    GROUP = 4 * WARP,
    GROUP_ROWS = 64,
    GROUPS = GROUPS_M / GROUP_ROWS,
    GROUP_SUMS = GROUP_ROWS * GROUPS_N / GROUP, /* per thread */
    GROUPS_STAGES = 4,
    GROUPS_THREADS = GROUPS * GROUP + WARP,
    UNIT_BYTES = UNIT_FLOATS * 4,
    GROUPS_UNITS = (GROUPS_M + GROUPS_N) / UNIT_WIDTH, /* of a stage: A, then B */
    GROUPS_STAGE = GROUPS_UNITS * UNIT_BYTES,
};

/* Describe a matrix to the hardware. Its rows have 128 bytes, and their pieces of 16 bytes change places as in a unit.
 * The fields are its address, 1 (without meaning here), and the 1024 bytes of 8 rows, each in units of 16 bytes; then 1
 * << 62 for this order of pieces. A step of 8 along the depth adds 2. Units begin at multiples of 1024 bytes. */
static __device__ __forceinline__ uint64_t matrix_at(unsigned address)
{
    return (uint64_t)(address >> 4 & 0x3fff) | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

#define SUMS_4(i) "+f"(s[i]), "+f"(s[i + 1]), "+f"(s[i + 2]), "+f"(s[i + 3])
#define SUMS_32(i) \
    SUMS_4(i), SUMS_4(i + 4), SUMS_4(i + 8), SUMS_4(i + 12), SUMS_4(i + 16), SUMS_4(i + 20), SUMS_4(i + 24), SUMS_4(i + 28)

/* Begin s (64 x 256) += a (64 x 8) * b (8 x 256). */
static __device__ __forceinline__ void multiply_group(float *s, uint64_t a, uint64_t b)
{
    asm volatile("{ .reg .pred add; setp.ne.b32 add, %130, 0; "
                 "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, "
                 "%8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, "
                 "%24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, "
                 "%40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, "
                 "%56, %57, %58, %59, %60, %61, %62, %63, "
                 "%64, %65, %66, %67, %68, %69, %70, %71, "
                 "%72, %73, %74, %75, %76, %77, %78, %79, "
                 "%80, %81, %82, %83, %84, %85, %86, %87, "
                 "%88, %89, %90, %91, %92, %93, %94, %95, "
                 "%96, %97, %98, %99, %100, %101, %102, %103, "
                 "%104, %105, %106, %107, %108, %109, %110, %111, "
                 "%112, %113, %114, %115, %116, %117, %118, %119, "
                 "%120, %121, %122, %123, %124, %125, %126, %127}, "
                 "%128, %129, add, 1, 1; }"
                 : SUMS_32(0), SUMS_32(32), SUMS_32(64), SUMS_32(96)
                 : "l"(a), "l"(b), "r"(1));
}

/* Begin all multiplications of a stage, as one group. */
static __device__ __forceinline__ void multiply_stage_begin(float *sum, uint64_t a, uint64_t b)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (unsigned k = 0; k < UNIT_DEPTH / 8; k++) multiply_group(sum, a + k * 2, b + k * 2);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Wait until all but the PENDING newest stages are multiplied. */
template <int PENDING> static __device__ __forceinline__ void multiply_wait(void)
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

struct stage_barriers {
    uint64_t full[GROUPS_STAGES], empty[GROUPS_STAGES];
};

/* Arrive at the barrier that a block of the cluster has in the same place. */
static __device__ __forceinline__ void barrier_arrive(uint64_t *barrier, unsigned block)
{
    asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; "
                 "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(shared_address(barrier)),
                 "r"(block)
                 : "memory");
}

/* Ask for a unit. It goes to the same place in all blocks of the cluster, and reports to the barrier there. */
static __device__ __forceinline__ void fetch_unit_for_all(unsigned to, const float *from, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1], %2, [%3], %4;" ::"r"(to),
                 "l"(__cvta_generic_to_global(from)), "r"((unsigned)UNIT_BYTES), "r"(shared_address(barrier)),
                 "h"((unsigned short)((1 << GROUPS_CLUSTER) - 1))
                 : "memory");
}

static __device__ __forceinline__ void cluster_wait(void)
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

struct place { /* the stage in use, and the parity of its phase */
    unsigned stage, parity;
};

static __device__ __forceinline__ void advance(struct place *p)
{
    if (++p->stage < GROUPS_STAGES) return;
    p->stage = 0, p->parity ^= 1;
}

static __device__ __forceinline__ unsigned rank_of_block(void) { return blockIdx.x % GROUPS_CLUSTER; }

/* Ask for the stages of the tile in row y and column x of tiles. Called by one thread. */
static __device__ __forceinline__ void fetch_tile_stages(const struct units &u, size_t y, size_t x, struct place *place,
                                                         float *stages, struct stage_barriers *barriers)
{
    const float *a = u.a + y * u.deep * UNIT_FLOATS, *b = u.b + (2 * x * u.deep) * UNIT_FLOATS;
    for (size_t s = 0; s < u.deep; s++, a += UNIT_FLOATS, b += UNIT_FLOATS, advance(place)) {
        const unsigned to = shared_address(stages) + place->stage * GROUPS_STAGE, half = rank_of_block();
        uint64_t *const full = &barriers->full[place->stage];
        barrier_wait(&barriers->empty[place->stage], place->parity ^ 1);
        barrier_expect(full, GROUPS_STAGE);
        bulk_load(to, a, UNIT_BYTES, full);
        if (GROUPS_CLUSTER == 2) fetch_unit_for_all(to + (1 + half) * UNIT_BYTES, b + half * u.deep * UNIT_FLOATS, full);
        else {
            bulk_load(to + UNIT_BYTES, b, UNIT_BYTES, full);
            bulk_load(to + 2 * UNIT_BYTES, b + u.deep * UNIT_FLOATS, UNIT_BYTES, full);
        }
    }
}

/* Tell the blocks that fetch for this block that the group has read a stage. */
static __device__ __forceinline__ void release_stage(uint64_t *empty)
{
    if (threadIdx.x % GROUP < GROUPS_CLUSTER) barrier_arrive(empty, threadIdx.x % GROUP);
}

/* Sum a tile over its stages. first: where the group's rows begin in the stage. */
static __device__ __forceinline__ void sum_stages(float *sum, size_t deep, struct place *place, const float *stages,
                                                  unsigned first, struct stage_barriers *barriers)
{
    const uint64_t a = matrix_at(shared_address(stages) + first * UNIT_DEPTH * 4);
    const uint64_t b = matrix_at(shared_address(stages) + UNIT_BYTES);
    unsigned before = 0;
#pragma unroll
    for (unsigned e = 0; e < GROUP_SUMS; e++) sum[e] = 0;
    for (size_t s = 0; s < deep; s++) {
        const unsigned step = place->stage * (GROUPS_STAGE >> 4);
        barrier_wait(&barriers->full[place->stage], place->parity);
        __syncwarp();
        multiply_stage_begin(sum, a + step, b + step);
        multiply_wait<1>();
        if (s > 0) release_stage(&barriers->empty[before]);
        before = place->stage;
        advance(place);
    }
    multiply_wait<0>();
    if (deep > 0) release_stage(&barriers->empty[before]);
#pragma unroll
    for (unsigned e = 0; e < GROUP_SUMS; e++) asm volatile("" : "+f"(sum[e])::"memory"); /* not read before */
}

/* row, column: the first of the group. Lane 4 g + t of a warp has rows g and g + 8 of the warp's 16, and columns 2 t
 * and 2 t + 1 of every 8. */
static __device__ __forceinline__ void store_sums(const struct gemm_desc &d, size_t row, size_t column, const float *sum)
{
    const unsigned warp = threadIdx.x / WARP % 4, lane = lane_index();
    const size_t i = row + warp * 16 + lane / 4, j = column + lane % 4 * 2;
    const bool in_pairs = (uintptr_t)d.c % sizeof(float2) == 0 && d.ldc % 2 == 0;
    float *c = d.c + i * d.ldc + j;
    if (in_pairs && d.beta == 0 && row + GROUP_ROWS <= d.m && column + GROUPS_N <= d.n) {
#pragma unroll
        for (unsigned e = 0; e < GROUP_SUMS; e += 2)
            *(float2 *)(c + e / 2 % 2 * 8 * d.ldc + e / 4 * 8) = make_float2(d.alpha * sum[e], d.alpha * sum[e + 1]);
        return;
    }
    const unsigned rows = (i < d.m) + (i + 8 < d.m), columns = j < d.n ? (unsigned)min(d.n - j, (size_t)GROUPS_N) : 0;
#pragma unroll
    for (unsigned e = 0; e < GROUP_SUMS; e++) {
        const unsigned r = e / 2 % 2, q = e / 4 * 8 + e % 2;
        float *const to = c + r * 8 * d.ldc + q;
        if (r < rows && q < columns) *to = d.beta == 0 ? d.alpha * sum[e] : d.alpha * sum[e] + d.beta * *to;
    }
}

static __global__ void __launch_bounds__(GROUPS_THREADS, 1)
    gemm_groups(struct gemm_desc d, struct units u, unsigned across, unsigned tiles)
{
    extern __shared__ __align__(1024) float stages[];
    struct stage_barriers *const barriers = (struct stage_barriers *)(stages + GROUPS_STAGES * GROUPS_STAGE / 4);
    const unsigned group = threadIdx.x / GROUP, first = blockIdx.x / GROUPS_CLUSTER, step = gridDim.x / GROUPS_CLUSTER;
    struct place place = { 0, 0 };
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < GROUPS_STAGES; s++) {
            barrier_init(&barriers->full[s], 1);
            barrier_init(&barriers->empty[s], GROUPS * GROUPS_CLUSTER);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); /* the other block sees the barriers, */
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");       /* and so does the copy engine */
    }
    cluster_wait();
    for (unsigned t = first; t < tiles; t += step) { /* tiles of clusters */
        const size_t y = (size_t)(t / across) * GROUPS_CLUSTER + rank_of_block(), x = t % across;
        if (group < GROUPS) {
            float sum[GROUP_SUMS];
            sum_stages(sum, u.deep, &place, stages, group * GROUP_ROWS, barriers);
            store_sums(d, y * GROUPS_M + group * GROUP_ROWS, x * GROUPS_N, sum);
        } else if (lane_index() == 0) fetch_tile_stages(u, y, x, &place, stages, barriers);
    }
    __syncwarp();
    cluster_wait(); /* the other block may still arrive at this one's barriers */
}

int gemm_groups_launch(const struct gemm_desc *d, const struct units *units, struct exec *x)
{
    const size_t across = (d->n + GROUPS_N - 1) / GROUPS_N, rows = GROUPS_M * GROUPS_CLUSTER;
    const unsigned tiles = (unsigned)((d->m + rows - 1) / rows * across);
    const size_t bytes = GROUPS_STAGES * GROUPS_STAGE + sizeof(struct stage_barriers);
    cudaError_t error = cudaFuncSetAttribute(gemm_groups, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (error != cudaSuccess) return clear_error(error);
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = GROUPS_CLUSTER, cluster.val.clusterDim.y = 1, cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(GROUPS_CLUSTER), config.blockDim = dim3(GROUPS_THREADS), config.dynamicSmemBytes = bytes;
    config.stream = x->stream, config.attrs = &cluster, config.numAttrs = 1;
    int most = 0; /* clusters at once */
    if ((error = cudaOccupancyMaxActiveClusters(&most, gemm_groups, &config)) != cudaSuccess) return clear_error(error);
    const unsigned room = most > 0 ? (unsigned)most : 1;
    config.gridDim = dim3((tiles < room ? tiles : room) * GROUPS_CLUSTER);
    return clear_error(cudaLaunchKernelEx(&config, gemm_groups, *d, *units, (unsigned)across, tiles));
}

const char *gemm_groups_unavailable(const struct exec *x)
{
    int major = 0, minor = 0;
    (void)clear_error(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, x->device));
    (void)clear_error(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, x->device));
    return major == 9 && minor == 0 ? NULL : "warp groups need compute capability 9.0, neither less nor more";
}

#else

int gemm_groups_launch(const struct gemm_desc *d, const struct units *units, struct exec *x)
{
    (void)d, (void)units, (void)x;
    return cudaErrorNoKernelImageForDevice;
}

const char *gemm_groups_unavailable(const struct exec *x)
{
    (void)x;
    return "warp groups need CUDA 12 to build";
}

#endif
