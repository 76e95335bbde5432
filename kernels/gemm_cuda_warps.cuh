/* gemm on tensor cores with the instructions themselves: tf32-warps, and the packing of tf32-wgmma, whose kernel is in
 * gemm_cuda_groups.cu. Part of gemm_cuda.cu, which has the contract; numbers are as in gemm_cuda_tensor.cuh. */

#include "gemm_cuda_groups.h"

/* ---- units: how tf32-warps and tf32-wgmma pack ----------------------------------------------------------------------
 * One launch packs both operands, with a block per unit. Rows that lie along the depth are read 16 bytes per thread and
 * written to their place. For other operands, lanes go in the order of memory, and four loads of a lane make a piece.
 * Shared memory collects the unit, in its final order, which also avoids bank conflicts: 8 lanes, rows r to r + 7,
 * write a column of pieces to 32 different banks. */

/* Return numbers p to p + 3 of row w of op(X), rounded; zero outside. */
static __device__ __forceinline__ float4 piece_of(const struct panel &x, size_t w, size_t p, bool is_vector)
{
    struct tf32_number to[4];
    float from[4];
    if (x.depth_fast && is_vector && w < x.width && p + 4 <= x.depth) {
        const float4 four = *(const float4 *)(x.at + w * x.ld + p);
        from[0] = four.x, from[1] = four.y, from[2] = four.z, from[3] = four.w;
    } else
#pragma unroll
        for (unsigned e = 0; e < 4; e++)
            from[e] = w < x.width && p + e < x.depth ? x.at[x.depth_fast ? w * x.ld + p + e : (p + e) * x.ld + w] : 0.0f;
#pragma unroll
    for (unsigned e = 0; e < 4; e++) pack_value(&to[e], from[e]);
    return make_float4(to[0].value, to[1].value, to[2].value, to[3].value);
}

/* Blocks before units_a pack A; the others pack B, whose units lie after those of A. */
static __global__ void __launch_bounds__(THREADS)
    pack_units(struct panel a, struct panel b, float4 *to, unsigned units_a, unsigned deep)
{
    enum { ACROSS = UNIT_DEPTH / 4, TURNS = UNIT_FLOATS / 4 / THREADS };
    __shared__ float4 image[UNIT_FLOATS / 4];
    const bool is_a = blockIdx.x < units_a;
    const struct panel x = is_a ? a : b;
    const unsigned unit = blockIdx.x - (is_a ? 0 : units_a);
    const size_t w = (size_t)(unit / deep) * UNIT_WIDTH, p = (size_t)(unit % deep) * UNIT_DEPTH;
    const bool vectors = is_vector(x.at, x.ld);
    float4 piece[TURNS];
    to += (size_t)blockIdx.x * (UNIT_FLOATS / 4);
#pragma unroll
    for (unsigned i = 0; i < TURNS; i++) {
        const unsigned e = i * THREADS + threadIdx.x;
        const unsigned r = x.depth_fast ? e / ACROSS : e % UNIT_WIDTH, c = x.depth_fast ? e % ACROSS : e / UNIT_WIDTH;
        piece[i] = piece_of(x, w + r, p + c * 4, vectors);
    }
#pragma unroll
    for (unsigned i = 0; i < TURNS; i++) {
        const unsigned e = i * THREADS + threadIdx.x;
        const unsigned r = x.depth_fast ? e / ACROSS : e % UNIT_WIDTH, c = x.depth_fast ? e % ACROSS : e / UNIT_WIDTH;
        (x.depth_fast ? to : image)[r * ACROSS + (c ^ r % 8)] = piece[i];
    }
    if (x.depth_fast) return;
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < TURNS; i++) to[i * THREADS + threadIdx.x] = image[i * THREADS + threadIdx.x];
}

static struct units units_layout(const struct gemm_desc *d, void *scratch)
{
    struct units u;
    u.deep = tiles_of(d->k, UNIT_DEPTH);
    u.wide_a = tiles_of(d->m, GROUPS_M * GROUPS_CLUSTER) * (GROUPS_M * GROUPS_CLUSTER / UNIT_WIDTH);
    u.wide_b = tiles_of(d->n, GROUPS_N) * (GROUPS_N / UNIT_WIDTH);
    u.a = (const float *)scratch, u.b = u.a + u.wide_a * u.deep * UNIT_FLOATS;
    return u;
}

/* The bytes that the operands of either rung need. */
static size_t scratch_units(const struct gemm_desc *desc, const struct exec *x)
{
    (void)x;
    const struct gemm_desc d = normalized(desc);
    const struct units u = units_layout(&d, NULL);
    return scratch_round((u.wide_a + u.wide_b) * u.deep * UNIT_FLOATS * sizeof(float));
}

static void pack_operands(const struct gemm_desc *d, const struct units *u, struct exec *x)
{
    const struct panel a = panel_a(d), b = panel_b(d);
    const size_t units = (u->wide_a + u->wide_b) * u->deep;
    if (units)
        pack_units<<<launch_all(units), THREADS, 0, x->stream>>>(a, b, (float4 *)u->a, (unsigned)(u->wide_a * u->deep),
                                                                 (unsigned)u->deep);
}

/* ---- tf32-warps ----------------------------------------------------------------------------------------------------
 * tf32-shared has 85 TFLOPS of cuBLAS's 343. Two thirds of its loads should not be needed: a warp's patch of 32 x 64
 * reads 96 numbers for 2048 products, one by one, and with tiles of 128 x 128 each number is read from L2 twice as
 * often as L2 can deliver. Idea:
 *   - patches of 64 x 64 per warp, tiles of 128 x 256: half the reads per product from either memory;
 *   - operands packed along the depth, so that four numbers that a lane needs lie together: ldmatrix hands a warp 16 x 8 of
 *     them at once, in the order of mma.sync, which the interface in C++ cannot promise;
 *   - three tiles of depth 32 in flight or in use, so that cp.async has the time of two tiles to finish;
 *   - two sets of registers: ldmatrix fills one for the next 8 of the depth while mma.sync multiplies the other.
 *
 *    row r of a tile: 128 bytes, 8 pieces of 16      piece c lies at c ^ r % 8: 8 rows of a column of pieces on 32 banks
 *
 * Without the second set of registers it is 167 TFLOPS, packing included, of cuBLAS's 343. Predicted with it: 185.
 * Measured: 196. Two limits remain. L2 delivers some 5.5 TB/s; at 1.5 KB for 32768 products that allows 234. And
 * mma.sync reaches only two thirds of what the cores can do; the rest is for warp groups (wgmma), which need code for
 * this very GPU (sm_90a).
 * Cost: 144 KiB of shared memory and 255 registers, so one block per multiprocessor, and nothing hides its beginning
 * and end. */

enum {
    WARPS_M = 128,    /* rows of a tile of C */
    WARPS_N = 256,    /* columns */
    WARPS_DEPTH = 32, /* of a stage */
    WARPS_STAGES = 3,
    WARP_SIDE = 64, /* of the part of a warp */
    PIECES = WARPS_DEPTH / 4,
    STAGE_FLOATS = (WARPS_M + WARPS_N) * WARPS_DEPTH,
    TILES_M = WARP_SIDE / 16, /* multiplications along a warp's rows and columns */
    TILES_N = WARP_SIDE / 8,
};

/* Read 16 x 8 numbers of a tile: at[i] is the lane's number of the i-th matrix of 8 rows x 4. */
static __device__ __forceinline__ void load_matrices(uint32_t *at, const float *row)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(at[0]), "=r"(at[1]), "=r"(at[2]), "=r"(at[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
#endif
}

/* sum (16 x 8) += a (16 x 8) * b (8 x 8) */
static __device__ __forceinline__ void multiply_matrices(float *sum, const uint32_t *a, const uint32_t *b)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

/* Return the place of a piece of a row in a stage. */
static __device__ __forceinline__ unsigned piece_at(unsigned row, unsigned piece)
{
    return row * WARPS_DEPTH + (piece ^ row % 8) * 4;
}

/* Fetch stage s, a unit of A and two of B, exactly as they are. */
static __device__ __forceinline__ void fetch_units(float *stage, const float *a, const float *b, size_t deep, size_t s)
{
    enum { TURNS = UNIT_FLOATS / 4 / THREADS };
#pragma unroll
    for (unsigned turn = 0; turn < 3 * TURNS; turn++) {
        const float *const unit = (turn < TURNS ? a : turn < 2 * TURNS ? b : b + deep * UNIT_FLOATS) + s * UNIT_FLOATS;
        const unsigned at = (turn % TURNS * THREADS + threadIdx.x) * 4;
        __pipeline_memcpy_async(&stage[turn / TURNS * UNIT_FLOATS + at], unit + at, sizeof(float4));
    }
}

struct parts { /* of A and B, 8 deep, for the rows and columns of a warp */
    uint32_t a[TILES_M][4], b[TILES_N][2];
};

/* y, x: the warp's first row and column in the tile; k: which 8 of the stage's depth. */
static __device__ __forceinline__ void load_parts(struct parts *to, const float *stage, unsigned y, unsigned x, unsigned k)
{
    const unsigned matrix = lane_index() / 8, line = lane_index() % 8;
#pragma unroll
    for (unsigned i = 0; i < TILES_M; i++) /* matrices: rows 0-7, 8-15 of the first piece, then of the second */
        load_matrices(to->a[i], &stage[piece_at(y + i * 16 + matrix % 2 * 8 + line, 2 * k + matrix / 2)]);
#pragma unroll
    for (unsigned j = 0; j < TILES_N; j += 2) /* both pieces of columns 0-7, then of 8-15 */
        load_matrices(to->b[j], &stage[piece_at(WARPS_M + x + j * 8 + matrix / 2 * 8 + line, 2 * k + matrix % 2)]);
}

static __device__ __forceinline__ void multiply_parts(float (*sum)[TILES_N][4], const struct parts *p)
{
#pragma unroll
    for (unsigned i = 0; i < TILES_M; i++)
#pragma unroll
        for (unsigned j = 0; j < TILES_N; j++) {
            const unsigned column = i % 2 ? TILES_N - 1 - j : j; /* back and forth: the current part of B serves twice */
            multiply_matrices(sum[i][column], p->a[i], p->b[column]);
        }
}

static __global__ void __launch_bounds__(THREADS, 1) gemm_warps(struct gemm_desc d, struct units u)
{
    extern __shared__ __align__(128) float stages[];
    const size_t row = tile_row(d, WARPS_M, WARPS_N), column = tile_column(d, WARPS_N);
    const unsigned warp = threadIdx.x / WARP, y = warp % 2 * WARP_SIDE, x = warp / 2 * WARP_SIDE;
    const float *const a = u.a + row * u.deep * UNIT_DEPTH, *const b = u.b + column * u.deep * UNIT_DEPTH;
    float sum[TILES_M][TILES_N][4] = {};
    struct parts part[2]; /* the current one, and the next */
    unsigned now = 0, free = WARPS_STAGES - 1;
    for (unsigned s = 0; s < WARPS_STAGES - 1; s++) {
        if (s < u.deep) fetch_units(stages + s * STAGE_FLOATS, a, b, u.deep, s);
        __pipeline_commit();
    }
    __pipeline_wait_prior(WARPS_STAGES - 2);
    __syncthreads();
    load_parts(&part[0], stages, y, x, 0);
    for (size_t s = 0; s < u.deep; s++) {
        const unsigned next = now + 1 < WARPS_STAGES ? now + 1 : 0;
        if (s + WARPS_STAGES - 1 < u.deep) fetch_units(stages + free * STAGE_FLOATS, a, b, u.deep, s + WARPS_STAGES - 1);
        __pipeline_commit();
#pragma unroll
        for (unsigned k = 0; k < WARPS_DEPTH / 8 - 1; k++) {
            load_parts(&part[(k + 1) % 2], stages + now * STAGE_FLOATS, y, x, k + 1);
            multiply_parts(sum, &part[k % 2]);
        }
        __pipeline_wait_prior(WARPS_STAGES - 2);
        __syncthreads(); /* all have their part of the next stage, and have read all of this one */
        load_parts(&part[0], stages + next * STAGE_FLOATS, y, x, 0);
        multiply_parts(sum, &part[(WARPS_DEPTH / 8 - 1) % 2]);
        now = next, free = free + 1 < WARPS_STAGES ? free + 1 : 0;
    }
#pragma unroll
    for (unsigned i = 0; i < TILES_M; i++) /* unrolled, or the sums would need addresses and be in memory */
#pragma unroll
        for (unsigned j = 0; j < TILES_N; j++)
#pragma unroll
            for (unsigned e = 0; e < 4; e++) { /* lane 4 g + t has rows g and g + 8, columns 2 t and 2 t + 1 */
                const size_t at_i = row + y + i * 16 + e / 2 * 8 + lane_index() / 4;
                const size_t at_j = column + x + j * 8 + lane_index() % 4 * 2 + e % 2;
                if (at_i < d.m && at_j < d.n) store_c(d, at_i, at_j, sum[i][j][e]);
            }
}

static int run_warps(const struct gemm_desc *desc, void *scratch, struct exec *x)
{
    const struct gemm_desc d = normalized(desc);
    const struct units u = units_layout(&d, scratch);
    const size_t bytes = WARPS_STAGES * STAGE_FLOATS * sizeof(float);
    const unsigned blocks = cover_c(&d, WARPS_M, WARPS_N);
    if (!blocks) return cudaSuccess;
    const cudaError_t error = cudaFuncSetAttribute(gemm_warps, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (error != cudaSuccess) return clear_error(error);
    pack_operands(&d, &u, x);
    gemm_warps<<<blocks, THREADS, bytes, x->stream>>>(d, u);
    return cudaGetLastError();
}

static const char *warps_unavailable(const struct exec *x)
{
    int most = 0;
    (void)clear_error(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, x->device));
    const bool fits = (size_t)most >= WARPS_STAGES * STAGE_FLOATS * sizeof(float);
    return tf32_unavailable(x) ? tf32_unavailable(x) : fits ? NULL : "it needs 144 KiB of shared memory per block";
}

/* tf32-wgmma: its kernel is in gemm_cuda_groups.cu. */
static int run_groups(const struct gemm_desc *desc, void *scratch, struct exec *x)
{
    const struct gemm_desc d = normalized(desc);
    const struct units u = units_layout(&d, scratch);
    if (!d.m || !d.n) return cudaSuccess;
    pack_operands(&d, &u, x);
    const cudaError_t error = cudaGetLastError();
    return error == cudaSuccess ? gemm_groups_launch(&d, &u, x) : error;
}
