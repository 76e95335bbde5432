/* What the CUDA rungs share: launch sizes, one body per voxel type, a few warp idioms.
 *
 * Every kernel walks its items with a grid-stride loop in 64 bits, so that a launch cut to the largest grid still does
 * all of them. Nothing here allocates or waits. backend_cuda.c reads the part outside __CUDACC__ only. */
#ifndef ISO_CUDA_UTIL_CUH
#define ISO_CUDA_UTIL_CUH

#ifdef __cplusplus
extern "C" {
#endif

/* cudaSuccess if this build has kernels that the current device can run. */
int cuda_kernels_probe(void);

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__
#include "backend.h"
#include "grid.h"

#define WARP_ALL 0xffffffffu /* mask of a full warp */

enum { WARP = 32, THREADS = 256 }; /* THREADS: per block, where a rung has no reason for another number */

/* Threads per block of a rung that takes any number of them, whole warps. */
static inline unsigned block_threads(const struct exec *x) { return x->block ? x->block : (unsigned)THREADS; }

/* Blocks for `items` of which a block does `per_block` at a time; at least 1, since a launch of none is an error. */
static inline unsigned launch_blocks(uint64_t items, unsigned per_block)
{
    const uint64_t blocks = items / per_block + (items % per_block != 0);
    return blocks < 1 ? 1u : blocks > 0x7fffffffu ? 0x7fffffffu : (unsigned)blocks;
}

/* Runs the launch with `TYPE` as a constant, the template argument that lets grid_value() fold to a single load.
 * Variadic, because <<<a, b>>> has commas outside parentheses. */
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

/* The type of a voxel, for what LAUNCH_TYPED makes a constant. */
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

/* Sum of the values, each at most 7, in lower lanes; *total gets the sum over all lanes. All lanes must call.
 * A ballot per binary digit is shorter than the five dependent shuffles of a general prefix sum. */
static __device__ __forceinline__ uint32_t warp_prefix7(uint32_t value, uint32_t *total)
{
    const uint32_t ones = __ballot_sync(WARP_ALL, value & 1), twos = __ballot_sync(WARP_ALL, value & 2);
    const uint32_t fours = __ballot_sync(WARP_ALL, value & 4), below = (1u << lane_index()) - 1;
    *total = popcount32(ones) + 2 * popcount32(twos) + 4 * popcount32(fours);
    return popcount32(ones & below) + 2 * popcount32(twos & below) + 4 * popcount32(fours & below);
}

/* 16 bytes in one instruction, to aligned global memory. nvcc makes four of some plain assignments, a word
 * each, and __stwb() orders the store as well. */
static __device__ __forceinline__ void store_16(void *to, uint4 v)
{
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)), "r"(v.x), "r"(v.y),
                 "r"(v.z), "r"(v.w)
                 : "memory");
}

static __device__ __forceinline__ uint64_t warp_sum(uint64_t value)
{
    for (unsigned step = WARP / 2; step > 0; step /= 2) value += __shfl_down_sync(WARP_ALL, value, step);
    return value; /* whole in lane 0 */
}

/* uint64_t is unsigned long on some systems, for which atomicAdd has no overload. */
static __device__ __forceinline__ void atomic_add_u64(uint64_t *to, uint64_t value)
{
    static_assert(sizeof(unsigned long long) == sizeof(uint64_t), "the cast below keeps the size");
    atomicAdd((unsigned long long *)to, (unsigned long long)value);
}

#endif
#endif
