/* What the CUDA rungs share: launch sizes, one body per voxel type, a few idioms for warps.
 *
 * Kernels go through their items with a grid-stride loop in 64 bits, so even a launch that is limited to the largest grid
 * does all of them. Those without a loop take no more items than a grid always covers, or launch_all() counts their blocks.
 * Nothing here allocates or waits. C files see only the part outside __CUDACC__. */
#ifndef ISO_CUDA_UTIL_CUH
#define ISO_CUDA_UTIL_CUH

#include <cuda_runtime_api.h>
#include <stdbool.h>

/* Sets *symbol to the mangled name of a kernel; NULL before CUDA 12.3, which cannot tell. */
static inline cudaError_t kernel_symbol(const char **symbol, const void *kernel)
{
    *symbol = NULL;
#if CUDART_VERSION >= 12030
    return cudaFuncGetName(symbol, kernel);
#else
    return kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
#endif
}

#ifdef __cplusplus
extern "C" {
#endif

/* Return cudaSuccess if this build has kernels that the current device can run. *capability: the compute capability that
 * they were built for (90: 9.0), which is the device's or less, and says what they contain. */
int cuda_kernels_probe(int *capability);

/* Return `error`, and clear it from the thread, so that the next launch does not report it. */
static inline int clear_error(cudaError_t error)
{
    if (error != cudaSuccess) (void)cudaGetLastError();
    return (int)error;
}

/* What toolkits have from 12.0 on, and 11.8 lacks: */
#define CUDA_HAS_BULK_COPY (CUDART_VERSION >= 12000) /* an assembler that knows the copy engine of multiprocessors */
#define CUDA_CHANGES_FLAGS (CUDART_VERSION >= 12000) /* cudaSetDeviceFlags while the device is in use */

/* Since 12.3, the edges of a graph can say that a kernel may begin before the previous one has ended. Older graphs
 * would wait for the whole kernel; that takes longer than separate launches that begin early. */
#define CUDA_GRAPHS_BEGIN_EARLY (CUDART_VERSION >= 12030)

/* Put `to` after `from`. early: `to` begins when every block of `from` has allowed it, or has ended. */
static inline cudaError_t graph_order(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to, bool early)
{
#if CUDA_GRAPHS_BEGIN_EARLY
    cudaGraphEdgeData edge = { 0, 0, cudaGraphDependencyTypeDefault, { 0 } };
    if (early) edge.from_port = cudaGraphKernelNodePortProgrammatic, edge.type = cudaGraphDependencyTypeProgrammatic;
#endif
#if CUDART_VERSION >= 13000
    return cudaGraphAddDependencies(graph, &from, &to, &edge, 1);
#elif CUDA_GRAPHS_BEGIN_EARLY
    return cudaGraphAddDependencies_v2(graph, &from, &to, &edge, 1);
#else
    return early ? cudaErrorNotSupported : cudaGraphAddDependencies(graph, &from, &to, 1);
#endif
}

#if CUDART_VERSION >= 13000 /* says a place by a struct */
typedef struct cudaMemLocation memory_place;
static inline memory_place place_of(int device)
{
    const memory_place place = {
        device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
        device == cudaCpuDeviceId ? 0 : device,
    };
    return place;
}
#else
typedef int memory_place;
static inline memory_place place_of(int device) { return device; }
#endif

/* Send managed memory ahead to a device, or to the host (cudaCpuDeviceId). */
static inline cudaError_t prefetch(const void *managed, size_t bytes, int device, cudaStream_t stream)
{
#if CUDART_VERSION >= 13000
    return cudaMemPrefetchAsync(managed, bytes, place_of(device), 0, stream);
#else
    return cudaMemPrefetchAsync(managed, bytes, place_of(device), stream);
#endif
}

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__
#include "backend.h"
#include "grid.h"

/* CUB of CUDA 13 counts in 64 bits everywhere. Older versions, as far as is known, count in 32 bits in some places. */
#if CUDART_VERSION >= 13000
#define ISO_CUB_64
static const uint64_t CUB_SUM_MOST = INT64_MAX;
#else
static const uint64_t CUB_SUM_MOST = INT32_MAX;
#endif

#define ALL_LANES 0xffffffffu /* mask of a full warp */

/* For an argument of a kernel that threads read where it lies, also by its address; otherwise each thread would make a copy.
 * GPUs before Volta do not have this, and make the copy. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#define GRID_CONST const
#else
#define GRID_CONST const __grid_constant__
#endif

enum { WARP = 32, THREADS = 256 }; /* threads per block, unless a rung has a reason for another number */

#if CUDART_VERSION < 12000 && __CUDA_ARCH__ >= 900 /* named since CUDA 12; 11.8 knows the instructions */
static __device__ __forceinline__ void cudaGridDependencySynchronize(void)
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

static __device__ __forceinline__ void cudaTriggerProgrammaticLaunchCompletion(void)
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
#endif

/* Where the GPU can, it sets up the blocks of a launch while the previous one still runs; here they wait for its end. */
static __device__ __forceinline__ void wait_for_launch_before(void)
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

static __device__ __forceinline__ void let_next_launch_begin(void)
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

#ifndef __maxnreg__ /* since CUDA 12.4; before, the compiler's own limit: 64 registers if the block is unknown */
#define __maxnreg__(registers)
#endif

/* Return the threads per block for a rung that accepts any multiple of a warp. */
static inline unsigned block_threads(const struct exec *x) { return x->block ? x->block : (unsigned)THREADS; }

/* Return the number of blocks for `items` at `per_block` each; at least 1, because launching none is an error. */
static inline unsigned launch_blocks(uint64_t items, unsigned per_block)
{
    const uint64_t blocks = items / per_block + (items % per_block != 0);
    return blocks < 1 ? 1u : blocks > 0x7fffffffu ? 0x7fffffffu : (unsigned)blocks;
}

/* Return the number of blocks of a launch whose threads do not loop. A number beyond what a launch can have stays beyond, so
 * that the launch fails and says so. */
static inline unsigned launch_all(uint64_t blocks) { return blocks > UINT32_MAX ? UINT32_MAX : (unsigned)blocks; }

/* Launch with `TYPE` as a constant: as a template argument, it reduces grid_value() to a single load. The macro is
 * variadic, because <<<a, b>>> has commas outside parentheses. */
#define LAUNCH_TYPED(type, ...)                         \
    do {                                                \
        switch (type) {                                 \
        case VOXEL_UINT8: {                             \
            const enum voxel_type TYPE = VOXEL_UINT8;   \
            __VA_ARGS__;                                \
        } break;                                        \
        case VOXEL_INT8: {                              \
            const enum voxel_type TYPE = VOXEL_INT8;    \
            __VA_ARGS__;                                \
        } break;                                        \
        case VOXEL_UINT16: {                            \
            const enum voxel_type TYPE = VOXEL_UINT16;  \
            __VA_ARGS__;                                \
        } break;                                        \
        case VOXEL_INT16: {                             \
            const enum voxel_type TYPE = VOXEL_INT16;   \
            __VA_ARGS__;                                \
        } break;                                        \
        default: {                                      \
            const enum voxel_type TYPE = VOXEL_FLOAT32; \
            __VA_ARGS__;                                \
        } break;                                        \
        }                                               \
    } while (0)

/* The C type of a voxel type. */
template <enum voxel_type T> struct voxel;
template <> struct voxel<VOXEL_UINT8> {
    typedef uint8_t type;
};
template <> struct voxel<VOXEL_INT8> {
    typedef int8_t type;
};
template <> struct voxel<VOXEL_UINT16> {
    typedef uint16_t type;
};
template <> struct voxel<VOXEL_INT16> {
    typedef int16_t type;
};
template <> struct voxel<VOXEL_FLOAT32> {
    typedef float type;
};

static __device__ __forceinline__ size_t thread_index(void) { return (size_t)blockIdx.x * blockDim.x + threadIdx.x; }

static __device__ __forceinline__ size_t thread_count(void) { return (size_t)gridDim.x * blockDim.x; }

static __device__ __forceinline__ unsigned lane_index(void) { return threadIdx.x % WARP; }

/* Return the sum over lower lanes of values of DIGITS binary digits each; *total: the sum over all lanes. All lanes
 * must call. One ballot per digit is faster than the five dependent shuffles of a general prefix sum. */
template <unsigned DIGITS> static __device__ __forceinline__ uint32_t warp_prefix_short(uint32_t value, uint32_t *total)
{
    const uint32_t below = (1u << lane_index()) - 1;
    uint32_t before = 0, all = 0;
#pragma unroll
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        const uint32_t lanes = __ballot_sync(ALL_LANES, value >> digit & 1);
        all += popcount32(lanes) << digit;
        before += popcount32(lanes & below) << digit;
    }
    *total = all;
    return before;
}

/* Store 16 bytes in one instruction, to aligned global memory. nvcc splits some plain assignments into four words, and
 * __stwb() also orders the store. */
static __device__ __forceinline__ void store_16(void *to, uint4 v)
{
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)), "r"(v.x), "r"(v.y),
                 "r"(v.z), "r"(v.w)
                 : "memory");
}

/* Return the lanes whose value is the caller's. All lanes must call. */
static __device__ __forceinline__ uint32_t lanes_with(uint32_t value)
{
#if __CUDA_ARCH__ >= 700
    return __match_any_sync(ALL_LANES, value);
#else
    uint32_t same = 0;
    for (uint32_t left = ALL_LANES; left;) {
        const bool is_next = value == __shfl_sync(ALL_LANES, value, __ffs(left) - 1);
        const uint32_t lanes = __ballot_sync(ALL_LANES, is_next);
        if (is_next) same = lanes;
        left &= ~lanes;
    }
    return same;
#endif
}

static __device__ __forceinline__ uint64_t warp_sum(uint64_t value)
{
    for (unsigned step = WARP / 2; step > 0; step /= 2) value += __shfl_down_sync(ALL_LANES, value, step);
    return value; /* complete in lane 0 */
}

/* uint64_t is unsigned long on some systems, for which atomicAdd has no overload. */
static __device__ __forceinline__ void atomic_add_u64(uint64_t *to, uint64_t value)
{
    static_assert(sizeof(unsigned long long) == sizeof(uint64_t), "the cast below keeps the size");
    atomicAdd((unsigned long long *)to, (unsigned long long)value);
}

#endif
#endif
