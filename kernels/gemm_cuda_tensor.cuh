/* gemm on tensor cores: tf32, tf32-shared, fp16, fp16-shared, bf16. Part of gemm_cuda.cu, which has the contract.
 *
 * A warp multiplies 16 x 16 by 16 x 16 (fp16), or by depth 8 (tf32), in a few instructions, and sums in float (CUDA C++
 * programming guide, warp matrix functions). Operands are packed as for `double`, and rounded in the process to 10 bits
 * after the point. So besides the packing, these rungs cost accuracy: 3 digits instead of 7. */

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

/* Before compute capability 7.0 there are no tensor cores, and the compiler does not know them, so kernels are empty
 * there. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define ISO_HAS_TENSOR_CORES
namespace wmma = nvcuda::wmma;
#endif

#ifdef __CUDA_ARCH__
enum { ARCH = __CUDA_ARCH__ };
#else
enum { ARCH = 1000000 }; /* the host's pass only reads the kernels */
#endif

struct tf32_number {
    float value;
}; /* a float whose last 13 bits are zero */

/* What differs between the types: how a number is stored, the depth of one multiplication, and the first architecture
 * that has it. */
struct tf32 {
    typedef struct tf32_number stored;
    enum { DEPTH = 8, MIN_ARCH = 800 };
};
struct fp16 {
    typedef half stored;
    enum { DEPTH = 16, MIN_ARCH = 700 };
};

struct bf16 {
    typedef __nv_bfloat16 stored;
    enum { DEPTH = 16, MIN_ARCH = 800 };
};

enum { MMA = 16, WARPS = THREADS / WARP };

static const char *tf32_unavailable(const struct exec *x)
{
    return x->capability < 80 ? "TF32 needs compute capability 8.0" : NULL;
}

static const char *fp16_unavailable(const struct exec *x)
{
    return x->capability < 70 ? "tensor cores need compute capability 7.0" : NULL;
}

static __device__ __forceinline__ void pack_value(__nv_bfloat16 *to, float value) { *to = __float2bfloat16_rn(value); }
static __device__ __forceinline__ void pack_value(half *to, float value) { *to = __float2half_rn(value); }

static __device__ __forceinline__ void pack_value(struct tf32_number *to, float value)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    to->value = wmma::__float_to_tf32(value);
#else
    to->value = value;   /* never runs there */
#endif
}

/* Return the pointer type that the library wants. */
static __device__ __forceinline__ const half *numbers(const half *at) { return at; }
static __device__ __forceinline__ const __nv_bfloat16 *numbers(const __nv_bfloat16 *at) { return at; }
static __device__ __forceinline__ const float *numbers(const struct tf32_number *at) { return &at->value; }

#ifdef ISO_HAS_TENSOR_CORES
/* The matrices of one multiplication. A is stored depth by depth, that is by columns. */
template <class T> struct matrices;

template <> struct matrices<struct fp16> {
    wmma::fragment<wmma::matrix_a, MMA, MMA, fp16::DEPTH, half, wmma::col_major> a;
    wmma::fragment<wmma::matrix_b, MMA, MMA, fp16::DEPTH, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, MMA, MMA, fp16::DEPTH, float> c;
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
template <> struct matrices<struct bf16> {
    wmma::fragment<wmma::matrix_a, MMA, MMA, bf16::DEPTH, __nv_bfloat16, wmma::col_major> a;
    wmma::fragment<wmma::matrix_b, MMA, MMA, bf16::DEPTH, __nv_bfloat16, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, MMA, MMA, bf16::DEPTH, float> c;
};

template <> struct matrices<struct tf32> {
    wmma::fragment<wmma::matrix_a, MMA, MMA, tf32::DEPTH, wmma::precision::tf32, wmma::col_major> a;
    wmma::fragment<wmma::matrix_b, MMA, MMA, tf32::DEPTH, wmma::precision::tf32, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, MMA, MMA, tf32::DEPTH, float> c;
};
#endif

/* Store 16 x 16 sums into C through shared memory, because it is undocumented which lane holds which sum. patch: the
 * warp's own. */
template <class SUMS>
static __device__ __forceinline__ void store_patch(const struct gemm_desc &d, size_t i, size_t j, const SUMS &sums,
                                                   float *patch)
{
    wmma::store_matrix_sync(patch, sums, MMA, wmma::mem_row_major);
    __syncwarp();
    for (unsigned e = lane_index(); e < MMA * MMA; e += WARP)
        if (i + e / MMA < d.m && j + e % MMA < d.n) store_c(d, i + e / MMA, j + e % MMA, patch[e]);
    __syncwarp();
}
#endif

/* ---- operands in scratch --------------------------------------------------------------------------------------------- */

enum { STAGE_BYTES = 64 }; /* depth of a tile in shared memory, in bytes: 16 TF32 or 32 FP16 */

template <class T> struct tensor_operands { /* (depth, width) each; the row length is the width */
    const typename T::stored *a, *b;
    struct packed size_a, size_b;
};

template <class T> static struct tensor_operands<T> tensor_layout(const struct gemm_desc *d, void *scratch) {
    const unsigned depth = STAGE_BYTES / sizeof(typename T::stored);
    const struct panel a = panel_a(d), b = panel_b(d);
    struct tensor_operands<T> o;
    o.size_a = packed_size(&a, depth, TILE_C);
    o.size_b = packed_size(&b, depth, TILE_C);
    o.a = (const typename T::stored *)scratch;
    o.b = o.a + o.size_a.depth * o.size_a.width; /* 128 numbers or more: aligned as scratch is */
    return o;
}

template <class T>
static size_t scratch_tensor(const struct gemm_desc *desc, const struct exec *x)
{
    (void)x;
    const struct gemm_desc d = normalized(desc);
    const struct tensor_operands<T> o = tensor_layout<T>(&d, NULL);
    return scratch_round((o.size_a.width + o.size_b.width) * o.size_a.depth * sizeof(typename T::stored));
}

template <class T> static struct tensor_operands<T> tensor_pack(const struct gemm_desc *d, void *scratch, struct exec *x) {
    const struct panel a = panel_a(d), b = panel_b(d);
    const struct tensor_operands<T> o = tensor_layout<T>(d, scratch);
    pack(&a, (typename T::stored *)o.a, o.size_a, x);
    pack(&b, (typename T::stored *)o.b, o.size_b, x);
    return o;
}

/* ---- tf32, fp16 ----------------------------------------------------------------------------------------------------
 * double has 49.2 of the 67 TFLOPS that the float units of an H200 could do. Idea: tensor cores, which can do 495
 * TFLOPS in TF32 and 989 in FP16. Each warp sums a patch of 16 x 16, and loads operands from memory as it needs them.
 * Cost: a loaded number serves only 16 products, as in tiled16, so the loads are the limit, not the cores. 28.7 for
 * TF32 and 25.8 for FP16, less than without tensor cores. Why FP16, with half the bytes, is slower is unexplained. */

enum {
    DIRECT_ROWS = 2 * MMA,
    DIRECT_COLUMNS = 4 * MMA
}; /* of a block: its 8 warps are 2 x 4 */

template <class T>
static __global__ void __launch_bounds__(THREADS) gemm_direct(struct gemm_desc d, struct tensor_operands<T> o)
{
#ifdef ISO_HAS_TENSOR_CORES
    __shared__ __align__(32) float patch[WARPS][MMA * MMA];
    const unsigned warp = threadIdx.x / WARP;
    const size_t row = tile_row(d, DIRECT_ROWS, DIRECT_COLUMNS) + warp / 4 * MMA;
    const size_t column = tile_column(d, DIRECT_COLUMNS) + warp % 4 * MMA;
    if constexpr (ARCH >= T::MIN_ARCH) {
        struct matrices<T> m;
        wmma::fill_fragment(m.c, 0.0f);
        for (size_t p = 0; p < o.size_a.depth; p += T::DEPTH) {
            wmma::load_matrix_sync(m.a, numbers(o.a + p * o.size_a.width + row), (unsigned)o.size_a.width);
            wmma::load_matrix_sync(m.b, numbers(o.b + p * o.size_b.width + column), (unsigned)o.size_b.width);
            wmma::mma_sync(m.c, m.a, m.b, m.c);
        }
        store_patch(d, row, column, m.c, patch[warp]);
    }
#endif
}

template <class T> static int run_direct(const struct gemm_desc *desc, void *scratch, struct exec *x)
{
    const struct gemm_desc d = normalized(desc);
    const unsigned blocks = cover_c(&d, DIRECT_ROWS, DIRECT_COLUMNS);
    if (!blocks) return cudaSuccess;
    gemm_direct<T><<<blocks, THREADS, 0, x->stream>>>(d, tensor_pack<T>(&d, scratch, x));
    return cudaGetLastError();
}

/* ---- tf32-shared, fp16-shared --------------------------------------------------------------------------------------
 * Loaded directly from memory, a number serves 16 products: 28.7 and 25.8 TFLOPS. Idea: tiles of 128 x 128 in shared
 * memory, two in turn as in double. A warp sums 32 x 64 of a tile, 2 x 4 patches, with 6 matrix loads for 8
 * multiplications. Rows are padded by 8 numbers, so that what a warp reads of TF32, 4 depths x 8 neighbours, falls into
 * 32 different banks. 85 for TF32, 247 for FP16. TF32 should reach half of FP16's rate; why it reaches a third is
 * unexplained.
 * Cost: 34 KiB of shared memory. It is still below the peak, because the cores of compute capability 9.0 want warp
 * groups (wgmma). cuBLAS uses them, and so does tf32-wgmma. */

template <class T> struct stage { /* one operand; every DEPTH rows start at a multiple of 32 bytes, as loads want */
    enum { DEEP = STAGE_BYTES / sizeof(typename T::stored), LENGTH = TILE_C + 8 };
    typename T::stored row[DEEP][LENGTH];
};

template <class T>
static __device__ __forceinline__ void fetch_stage(struct stage<T> *to, const typename T::stored *from, size_t ld)
{
    const unsigned each = sizeof(float4) / sizeof(typename T::stored), chunks = TILE_C / each;
#pragma unroll
    for (unsigned turn = 0; turn < stage<T>::DEEP * chunks / THREADS; turn++) {
        const unsigned e = turn * THREADS + threadIdx.x;
        const unsigned q = e / chunks, v = e % chunks * each;
        __pipeline_memcpy_async(&to->row[q][v], from + q * ld + v, sizeof(float4));
    }
}

enum { PATCHES_I = 2, PATCHES_J = 4 }; /* of a warp */

#ifdef ISO_HAS_TENSOR_CORES
template <class T>
static __device__ __forceinline__ void multiply_stage(decltype(matrices<T>::c) (*sum)[PATCHES_J], const struct stage<T> &a,
                                                      const struct stage<T> &b, unsigned y, unsigned x)
{
#pragma unroll
    for (unsigned q = 0; q < stage<T>::DEEP; q += T::DEPTH) {
        decltype(matrices<T>::a) part_a[PATCHES_I];
        decltype(matrices<T>::b) part_b;
#pragma unroll
        for (unsigned i = 0; i < PATCHES_I; i++)
            wmma::load_matrix_sync(part_a[i], numbers(&a.row[q][y + i * MMA]), stage<T>::LENGTH);
#pragma unroll
        for (unsigned j = 0; j < PATCHES_J; j++) {
            wmma::load_matrix_sync(part_b, numbers(&b.row[q][x + j * MMA]), stage<T>::LENGTH);
#pragma unroll
            for (unsigned i = 0; i < PATCHES_I; i++) wmma::mma_sync(sum[i][j], part_a[i], part_b, sum[i][j]);
        }
    }
}
#endif

template <class T>
static __global__ void __launch_bounds__(THREADS) gemm_shared(struct gemm_desc d, struct tensor_operands<T> o)
{
#ifdef ISO_HAS_TENSOR_CORES
    __shared__ __align__(32) struct stage<T> tile_a[2], tile_b[2];
    const unsigned warp = threadIdx.x / WARP, y = warp / 2 * 32, x = warp % 2 * 64;
    const size_t row = tile_row(d, TILE_C, TILE_C), column = tile_column(d, TILE_C);
    if constexpr (ARCH >= T::MIN_ARCH) {
        decltype(matrices<T>::c) sum[PATCHES_I][PATCHES_J];
#pragma unroll
        for (unsigned i = 0; i < PATCHES_I; i++)
#pragma unroll
            for (unsigned j = 0; j < PATCHES_J; j++) wmma::fill_fragment(sum[i][j], 0.0f);

        const size_t depth = o.size_a.depth, deep = stage<T>::DEEP;
        unsigned now = 0;
        if (depth) {
            fetch_stage<T>(&tile_a[0], o.a + row, o.size_a.width);
            fetch_stage<T>(&tile_b[0], o.b + column, o.size_b.width);
        }
        __pipeline_commit();
        for (size_t p = 0; p < depth; p += deep, now ^= 1) {
            __pipeline_wait_prior(0);
            __syncthreads(); /* all have their part of this tile, and have finished the previous one */
            if (p + deep < depth) {
                fetch_stage<T>(&tile_a[now ^ 1], o.a + (p + deep) * o.size_a.width + row, o.size_a.width);
                fetch_stage<T>(&tile_b[now ^ 1], o.b + (p + deep) * o.size_b.width + column, o.size_b.width);
            }
            __pipeline_commit();
            multiply_stage<T>(sum, tile_a[now], tile_b[now], y, x);
        }
        __syncthreads();
        float *patch = (float *)tile_a + warp * MMA * MMA; /* 8 KiB of the 17 that are free now */
#pragma unroll
        for (unsigned i = 0; i < PATCHES_I; i++)
#pragma unroll
            for (unsigned j = 0; j < PATCHES_J; j++)
                store_patch(d, row + y + i * MMA, column + x + j * MMA, sum[i][j], patch);
    }
#endif
}

template <class T> static int run_shared(const struct gemm_desc *desc, void *scratch, struct exec *x)
{
    const struct gemm_desc d = normalized(desc);
    const unsigned blocks = cover_c(&d, TILE_C, TILE_C);
    if (!blocks) return cudaSuccess;
    gemm_shared<T><<<blocks, THREADS, 0, x->stream>>>(d, tensor_pack<T>(&d, scratch, x));
    return cudaGetLastError();
}

/* ---- bf16 ----------------------------------------------------------------------------------------------------------
 * FP16 has 5 bits for the exponent: numbers beyond 65504 become infinite, and those below 6e-5 lose digits. Idea: BF16,
 * the upper half of a float. It has all 8 exponent bits, but only 7 of the other 23, so 1e30 is no problem, but 1.01
 * becomes 1.0078. Predicted: 247 TFLOPS, as fp16-shared, whose code it shares. Measured: 163; why is unexplained.
 * Cost: an error eight times that of FP16. Training of neural networks tolerates that; vertices do not. */

static const char *bf16_unavailable(const struct exec *x)
{
    return x->capability < 80 ? "BF16 needs compute capability 8.0" : NULL;
}
