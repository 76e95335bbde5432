/* gaussian on CUDA; contract and weights in gaussian.h.
 * Run: isoscope ladder gaussian --bench --backend cuda
 *
 * naive, constant, texture and tile sum the whole cube, (2 radius + 1)^3 voxels for each result. They differ in where
 * weights and voxels come from. separable and planes change the sum itself. tile and separable follow Podlozhnyuk 2007
 * (image convolution with CUDA). Left out on purpose: recursive filters, whose time does not depend on sigma, and
 * Fourier transforms.
 * Times: H200, vessels of 512^3, uint8, sigma 1.5: radius 5 and 1331 products per voxel, or 33 if separable. */
#include "gaussian.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

/* Blocks of 32 x 8 threads, or of 32 x as many as asked for, lie over rows of x. No kernel loops over voxels: 2^31 - 1
 * blocks cover whatever a GPU can hold, unless rows have only a voxel or two. */
enum { ACROSS = 32 };

static dim3 row_block(const struct exec *x) { return dim3(ACROSS, block_threads(x) / ACROSS); }

static unsigned row_blocks(const struct grid *g, const struct exec *x)
{
    const size_t rows = g->ny * g->nz, down = row_block(x).y;
    return launch_all(((g->nx + ACROSS - 1) / ACROSS) * ((rows + down - 1) / down));
}

struct position {
    size_t x, y, z, at;
    bool inside;
};

static __device__ __forceinline__ struct position position_of(const struct grid &g)
{
    const size_t across = (g.nx + ACROSS - 1) / ACROSS;
    struct position p;
    p.x = blockIdx.x % across * ACROSS + threadIdx.x;
    const size_t row = blockIdx.x / across * blockDim.y + threadIdx.y;
    p.inside = p.x < g.nx && row < g.ny * g.nz;
    p.z = row / g.ny;
    p.y = row - p.z * g.ny;
    p.at = row * g.nx + p.x;
    return p;
}

static __device__ __forceinline__ size_t clamped(size_t c, int step, size_t n)
{
    const ptrdiff_t to = (ptrdiff_t)c + step;
    return to < 0 ? 0 : to < (ptrdiff_t)n ? (size_t)to : n - 1;
}

/* ---- naive ---------------------------------------------------------------------------------------------------------
 * One thread per voxel walks through its cube; weights and voxels come from global memory.
 * Cost: two loads per product, a weight and a voxel, for each of 1331 products at sigma 1.5. 177 ms. */

enum { WEIGHTS = GAUSSIAN_MAX_RADIUS + 1 }; /* of an axis */

static __global__ void write_weights(struct gaussian_axes w, float *to)
{
    const struct gaussian_weights &along = w.along[blockIdx.x];
    if (threadIdx.x <= along.radius) to[blockIdx.x * WEIGHTS + threadIdx.x] = along.w[threadIdx.x];
}

template <enum voxel_type T>
static __global__ void gaussian_naive(struct grid g, float *out, const float *w, int rx, int ry, int rz)
{
    g.type = T;
    const struct position p = position_of(g);
    if (!p.inside) return;
    float sum = 0;
    for (int k = -rz; k <= rz; k++) {
        float plane = 0;
        for (int j = -ry; j <= ry; j++) {
            const size_t row = (clamped(p.z, k, g.nz) * g.ny + clamped(p.y, j, g.ny)) * g.nx;
            float line = 0;
            for (int i = -rx; i <= rx; i++) line = fmaf(w[abs(i)], grid_value(&g, row + clamped(p.x, i, g.nx)), line);
            plane = fmaf(w[WEIGHTS + abs(j)], line, plane);
        }
        sum = fmaf(w[2 * WEIGHTS + abs(k)], plane, sum);
    }
    out[p.at] = sum;
}

static int run_naive(const struct gaussian_desc *d, void *scratch, struct exec *x)
{
    const struct gaussian_axes w = gaussian_axes_of(d->sigma);
    const dim3 block = row_block(x);
    float *at = (float *)scratch;
    write_weights<<<3, WEIGHTS, 0, x->stream>>>(w, at);
    LAUNCH_TYPED(d->grid.type, gaussian_naive<TYPE>
                 <<<row_blocks(&d->grid, x), block, 0, x->stream>>>(d->grid, d->out, at, (int)w.along[0].radius,
                                                                    (int)w.along[1].radius, (int)w.along[2].radius));
    return cudaGetLastError();
}

static size_t scratch_naive(const struct gaussian_desc *d, const struct exec *x)
{
    (void)d, (void)x;
    return 3 * WEIGHTS * sizeof(float);
}

/* ---- constant ------------------------------------------------------------------------------------------------------
 * Half of naive's loads are weights, which are the same for all threads: 177 ms. Idea: constant memory, whose cache
 * serves one address to a whole warp at once. Kernel arguments lie in constant memory, so the weights are passed as an
 * argument; then there is no symbol that two streams could overwrite. 165 ms, only 7 % less, because L1 also serves one
 * address to a whole warp.
 * Cost: 780 bytes per launch. The load of the voxel and two clamps per product remain. */

/* Return the sum of the cube around a voxel. */
static __device__ __forceinline__ float sum_cube(const struct grid &g, const struct position &p,
                                                 const struct gaussian_axes &w)
{
    const int rx = (int)w.along[0].radius, ry = (int)w.along[1].radius, rz = (int)w.along[2].radius;
    float sum = 0;
    for (int k = -rz; k <= rz; k++) {
        float plane = 0;
        for (int j = -ry; j <= ry; j++) {
            const size_t row = (clamped(p.z, k, g.nz) * g.ny + clamped(p.y, j, g.ny)) * g.nx;
            float line = 0;
            for (int i = -rx; i <= rx; i++)
                line = fmaf(w.along[0].w[abs(i)], grid_value(&g, row + clamped(p.x, i, g.nx)), line);
            plane = fmaf(w.along[1].w[abs(j)], line, plane);
        }
        sum = fmaf(w.along[2].w[abs(k)], plane, sum);
    }
    return sum;
}

template <enum voxel_type T>
static __global__ void gaussian_constant(struct grid g, float *out, GRID_CONST struct gaussian_axes w)
{
    g.type = T;
    const struct position p = position_of(g);
    if (!p.inside) return;
    out[p.at] = sum_cube(g, p, w);
}

static int run_constant(const struct gaussian_desc *d, void *scratch, struct exec *x)
{
    (void)scratch;
    const struct gaussian_axes w = gaussian_axes_of(d->sigma);
    const dim3 block = row_block(x);
    LAUNCH_TYPED(d->grid.type,
                 gaussian_constant<TYPE><<<row_blocks(&d->grid, x), block, 0, x->stream>>>(d->grid, d->out, w));
    return cudaGetLastError();
}

/* ---- symbol --------------------------------------------------------------------------------------------------------
 * constant passes its weights as an argument. Before compute capability 2.0, arguments lay in shared memory, and
 * textbooks still show what was done then. Idea: a variable in constant memory, to which cudaMemcpyToSymbol copies the
 * weights before the launch. Predicted and measured: 165 ms, because it is the same memory behind the same cache.
 * Cost: a copy before each launch, and a single variable for the whole program. If two streams smooth at the same time,
 * the second overwrites the weights of the first. */

static __constant__ struct gaussian_axes symbol_weights;

template <enum voxel_type T> static __global__ void gaussian_symbol(struct grid g, float *out)
{
    g.type = T;
    const struct position p = position_of(g);
    if (!p.inside) return;
    out[p.at] = sum_cube(g, p, symbol_weights);
}

static int run_symbol(const struct gaussian_desc *d, void *scratch, struct exec *x)
{
    (void)scratch;
    const struct gaussian_axes w = gaussian_axes_of(d->sigma);
    const dim3 block = row_block(x);
    const cudaError_t error = cudaMemcpyToSymbolAsync(symbol_weights, &w, sizeof w, 0, cudaMemcpyHostToDevice,
                                                      x->stream); /* w is copied before the call returns */
    if (error != cudaSuccess) return clear_error(error);
    LAUNCH_TYPED(d->grid.type, gaussian_symbol<TYPE><<<row_blocks(&d->grid, x), block, 0, x->stream>>>(d->grid, d->out));
    return cudaGetLastError();
}

/* ---- texture -------------------------------------------------------------------------------------------------------
 * constant spends more instructions on clamps and addresses than on products: 165 ms. Idea: a 3-D texture. The texture
 * unit does both, and its memory layout keeps neighbours in y and z as close as those in x. 172 ms, more than before:
 * at 4 lanes per cycle and 1.98 GHz, the units of 132 multiprocessors need 171 ms for 1331 fetches per voxel. It paid
 * before loads had an L1, when textures were the only way to get a cache.
 * Cost: a copy of the volume in the texture's layout, made by open(). Texture units answer 4 lanes per cycle, L1 32.
 * Grids with an axis of more than 16384 voxels cannot be a texture; they use constant. */

enum { TEXTURE_MAX = 16384 };

template <enum voxel_type T>
static __global__ void gaussian_texture(struct grid g, cudaTextureObject_t voxels, float *out,
                                        GRID_CONST struct gaussian_axes w)
{
    const struct position p = position_of(g);
    if (!p.inside) return;
    const int rx = (int)w.along[0].radius, ry = (int)w.along[1].radius, rz = (int)w.along[2].radius;
    const float x = (float)p.x + 0.5f, y = (float)p.y + 0.5f, z = (float)p.z + 0.5f; /* a voxel's centre */
    float sum = 0;
    for (int k = -rz; k <= rz; k++) {
        float plane = 0;
        for (int j = -ry; j <= ry; j++) {
            float line = 0;
            for (int i = -rx; i <= rx; i++) {
                typedef typename voxel<T>::type type;
                const type value = tex3D<type>(voxels, x + (float)i, y + (float)j, z + (float)k);
                line = fmaf(w.along[0].w[abs(i)], (float)value, line);
            }
            plane = fmaf(w.along[1].w[abs(j)], line, plane);
        }
        sum = fmaf(w.along[2].w[abs(k)], plane, sum);
    }
    out[p.at] = sum;
}

static int run_texture(const struct gaussian_desc *d, void *scratch, struct exec *x)
{
    const struct gaussian_axes w = gaussian_axes_of(d->sigma);
    if (!d->texture) return run_constant(d, scratch, x);
    const cudaTextureObject_t texture = d->texture;
    const dim3 block = row_block(x);
    LAUNCH_TYPED(d->grid.type,
                 gaussian_texture<TYPE><<<row_blocks(&d->grid, x), block, 0, x->stream>>>(d->grid, texture, d->out, w));
    return cudaGetLastError();
}

static void close_texture(struct gaussian_desc *d)
{
    if (d->texture) (void)clear_error(cudaDestroyTextureObject(d->texture));
    if (d->array) (void)clear_error(cudaFreeArray((cudaArray_t)d->array));
    d->texture = 0, d->array = NULL;
}

static cudaError_t copy_to_array(const struct grid *g, cudaArray_t array, struct exec *x)
{
    struct cudaMemcpy3DParms copy = {};
    const size_t row = g->nx * voxel_bytes(g->type);
    copy.srcPtr = make_cudaPitchedPtr((void *)g->voxels, row, g->nx, g->ny);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(g->nx, g->ny, g->nz);
    copy.kind = cudaMemcpyDeviceToDevice;
    return cudaMemcpy3DAsync(&copy, x->stream);
}

static int open_array(struct gaussian_desc *d, struct cudaTextureDesc how, struct exec *x)
{
    /* clang-format off */
    static const enum cudaChannelFormatKind kind[VOXEL_TYPE_COUNT] = {
        cudaChannelFormatKindUnsigned, cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned,
        cudaChannelFormatKindSigned, cudaChannelFormatKindFloat,
    };
    /* clang-format on */
    const struct grid *g = &d->grid;
    const int bits = (int)voxel_bytes(g->type) * 8;
    const struct cudaChannelFormatDesc format = cudaCreateChannelDesc(bits, 0, 0, 0, kind[g->type]);
    struct cudaResourceDesc resource = {};
    cudaArray_t array = NULL;
    cudaTextureObject_t texture = 0;
    if (g->nx > TEXTURE_MAX || g->ny > TEXTURE_MAX || g->nz > TEXTURE_MAX) return cudaSuccess;
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
    resource.resType = cudaResourceTypeArray;
    cudaError_t error = cudaMalloc3DArray(&array, &format, make_cudaExtent(g->nx, g->ny, g->nz));
    resource.res.array.array = array;
    if (error == cudaSuccess) error = copy_to_array(g, array, x);
    if (error == cudaSuccess) error = cudaCreateTextureObject(&texture, &resource, &how, NULL);
    d->array = array, d->texture = texture;
    if (error != cudaSuccess) close_texture(d);
    return clear_error(error);
}

static int open_texture(struct gaussian_desc *d, struct exec *x)
{
    const struct cudaTextureDesc how = {}; /* element type, no filter, coordinates in voxels */
    return open_array(d, how, x);
}

/* ---- filtered ------------------------------------------------------------------------------------------------------
 * texture fetches 1331 voxels per result, one by one: 172 ms. Idea: let the unit do additions. Between the centres of
 * two voxels it returns their mean, weighted by distance. At the place where these weights are in the ratio of w1 and
 * w2, one fetch stands for two products, and in three axes for eight: (radius + 1)^3 fetches, 216 instead of 1331.
 *
 *    w1 v1 + w2 v2 = (w1 + w2) fetch(1 + w2 / (w1 + w2))
 *
 * An odd number of voxels leaves one without a partner, the first; its partner gets weight 0 and is still within the
 * radius. Predicted: 28 ms if a filtered fetch took as long as a plain one. But one that mixes eight voxels takes two
 * or four times that, so 80. Measured: 58.
 * Cost: the unit keeps only 8 binary digits of a distance, so a product may be off by 1/256 of the difference of two
 * voxels. In the worst case the result is off by 2 % of the largest value, where all other rungs have 7 digits.
 * Integers are returned as fractions of their largest value. Signed ones become -1 .. 1, where the two lowest values
 * coincide, so they use constant. */

enum { TAPS = GAUSSIAN_MAX_RADIUS + 1 };

struct gaussian_taps { /* along an axis */
    unsigned count;
    float at[TAPS], weight[TAPS];
};

struct gaussian_filter {
    struct gaussian_taps along[3];
};

static struct gaussian_taps taps_of(const struct gaussian_weights *w)
{
    struct gaussian_taps t = { w->radius + 1, { -(float)w->radius }, { w->w[w->radius] } };
    for (unsigned k = 1; k <= w->radius; k++) {
        const int first = 2 * (int)k - 1 - (int)w->radius;
        const float a = w->w[abs(first)], b = w->w[abs(first + 1)];
        t.at[k] = (float)first + b / (a + b);
        t.weight[k] = a + b;
    }
    return t;
}

static __global__ void gaussian_filtered(struct grid g, cudaTextureObject_t voxels, float scale, float *out,
                                         GRID_CONST struct gaussian_filter f)
{
    const struct position p = position_of(g);
    if (!p.inside) return;
    const struct gaussian_taps &fx = f.along[0], &fy = f.along[1], &fz = f.along[2];
    const float x = (float)p.x + 0.5f, y = (float)p.y + 0.5f, z = (float)p.z + 0.5f; /* a voxel's centre */
    float sum = 0;
    for (unsigned k = 0; k < fz.count; k++) {
        float plane = 0;
        for (unsigned j = 0; j < fy.count; j++) {
            float line = 0;
            for (unsigned i = 0; i < fx.count; i++)
                line = fmaf(fx.weight[i], tex3D<float>(voxels, x + fx.at[i], y + fy.at[j], z + fz.at[k]), line);
            plane = fmaf(fy.weight[j], line, plane);
        }
        sum = fmaf(fz.weight[k], plane, sum);
    }
    out[p.at] = scale * sum;
}

static int run_filtered(const struct gaussian_desc *d, void *scratch, struct exec *x)
{
    const struct gaussian_axes w = gaussian_axes_of(d->sigma);
    if (!d->texture) return run_constant(d, scratch, x);
    const cudaTextureObject_t texture = d->texture;
    struct gaussian_filter f;
    for (int a = 0; a < 3; a++) f.along[a] = taps_of(&w.along[a]);
    const float scale = d->grid.type == VOXEL_UINT8 ? 255.0f : d->grid.type == VOXEL_UINT16 ? 65535.0f : 1.0f;
    gaussian_filtered<<<row_blocks(&d->grid, x), row_block(x), 0, x->stream>>>(d->grid, texture, scale, d->out, f);
    return cudaGetLastError();
}

static int open_filtered(struct gaussian_desc *d, struct exec *x)
{
    const bool is_signed = d->grid.type == VOXEL_INT8 || d->grid.type == VOXEL_INT16;
    struct cudaTextureDesc how = {};
    how.filterMode = cudaFilterModeLinear;
    how.readMode = d->grid.type == VOXEL_FLOAT32 ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
    return is_signed ? cudaSuccess : open_array(d, how, x);
}

static const double FILTERED_LOOSE = 3 * 2.0 / 256; /* three axes, two voxels of opposite signs */

/* ---- tile ----------------------------------------------------------------------------------------------------------
 * All rungs so far fetch each voxel 1331 times, each time with clamps and at best from a cache: 165 ms. Idea: a block
 * of 8 x 8 x 8 voxels copies all that it and its neighbourhood need into shared memory, as floats and with the border
 * already repeated. That is 18^3 fetches for 512 voxels, 11.4 for each. 67 ms.
 * Cost: the halo grows with the radius, to 42 KiB at radius 7; larger ones use constant. One read of shared memory per
 * product remains, so it reaches at best a quarter of the rate of the float units. */

enum { TILE_SIDE = 8, TILE_MAX_RADIUS = 7, TILE_THREADS = TILE_SIDE * TILE_SIDE * TILE_SIDE };

static size_t tiles_along(size_t n) { return (n + TILE_SIDE - 1) / TILE_SIDE; }

/* Voxels of a tile along an axis: its own and its neighbours'. */
static __host__ __device__ unsigned tile_wide(const struct gaussian_weights &w) { return TILE_SIDE + 2 * w.radius; }

/* Load a tile, x fastest. On each axis it starts that axis' radius before (x, y, z). */
static __device__ __forceinline__ void load_cube(const struct grid &g, float *tile, size_t x, size_t y, size_t z,
                                                 const struct gaussian_axes &w)
{
    const unsigned wx = tile_wide(w.along[0]), wy = tile_wide(w.along[1]), wz = tile_wide(w.along[2]);
    const int rx = (int)w.along[0].radius, ry = (int)w.along[1].radius, rz = (int)w.along[2].radius;
    for (unsigned e = threadIdx.x; e < wx * wy * wz; e += TILE_THREADS) {
        const int i = (int)(e % wx) - rx, j = (int)(e / wx % wy) - ry, k = (int)(e / wx / wy) - rz;
        tile[e] = grid_value(&g, (clamped(z, k, g.nz) * g.ny + clamped(y, j, g.ny)) * g.nx + clamped(x, i, g.nx));
    }
}

template <enum voxel_type T>
static __global__ void __launch_bounds__(TILE_THREADS)
    gaussian_tile(struct grid g, float *out, GRID_CONST struct gaussian_axes w)
{
    extern __shared__ float tile[];
    g.type = T;
    const size_t along_x = (g.nx + TILE_SIDE - 1) / TILE_SIDE, along_y = (g.ny + TILE_SIDE - 1) / TILE_SIDE;
    const size_t x = blockIdx.x % along_x * TILE_SIDE, y = blockIdx.x / along_x % along_y * TILE_SIDE;
    const size_t z = blockIdx.x / along_x / along_y * TILE_SIDE;
    const int rx = (int)w.along[0].radius, ry = (int)w.along[1].radius, rz = (int)w.along[2].radius;
    load_cube(g, tile, x, y, z, w);
    __syncthreads();

    const unsigned i = threadIdx.x % TILE_SIDE, j = threadIdx.x / TILE_SIDE % TILE_SIDE;
    const unsigned k = threadIdx.x / TILE_SIDE / TILE_SIDE, wx = tile_wide(w.along[0]), wy = tile_wide(w.along[1]);
    if (x + i >= g.nx || y + j >= g.ny || z + k >= g.nz) return;
    float sum = 0;
    for (int c = 0; c <= 2 * rz; c++) {
        float plane = 0;
        for (int b = 0; b <= 2 * ry; b++) {
            const float *line = tile + ((k + c) * wy + j + b) * wx + i;
            float along = 0;
            for (int a = 0; a <= 2 * rx; a++) along = fmaf(w.along[0].w[abs(a - rx)], line[a], along);
            plane = fmaf(w.along[1].w[abs(b - ry)], along, plane);
        }
        sum = fmaf(w.along[2].w[abs(c - rz)], plane, sum);
    }
    out[((z + k) * g.ny + y + j) * g.nx + x + i] = sum;
}

static int run_tile(const struct gaussian_desc *d, void *scratch, struct exec *x)
{
    const struct gaussian_axes w = gaussian_axes_of(d->sigma);
    for (int a = 0; a < 3; a++)
        if (w.along[a].radius > TILE_MAX_RADIUS) return run_constant(d, scratch, x);
    const struct grid *g = &d->grid;
    const unsigned blocks = launch_all(tiles_along(g->nx) * tiles_along(g->ny) * tiles_along(g->nz));
    const size_t bytes = (size_t)tile_wide(w.along[0]) * tile_wide(w.along[1]) * tile_wide(w.along[2]) * sizeof(float);
    LAUNCH_TYPED(g->type, gaussian_tile<TYPE><<<blocks, TILE_THREADS, bytes, x->stream>>>(*g, d->out, w));
    return cudaGetLastError();
}

/* ---- separable -----------------------------------------------------------------------------------------------------
 * tile still does 1331 multiplications per voxel: 67 ms. Idea: the weight of a cube's voxel is a product of three, so
 * three sums, along x, then y, then z, give the same result with 33 products: in general 6 radius + 3 instead of (2
 * radius + 1)^3. 4.2 ms. Lanes lie along x in every pass, so their neighbours have already fetched what a thread needs,
 * and L1 has it.
 * Cost: a second volume of floats, and three passes over memory: 21 bytes per voxel, 0.7 ms at the copy rate. The rest
 * of the time is clamps and loads, 33 of each per voxel. */

template <enum voxel_type T>
static __global__ void gaussian_pass(struct grid g, float *out, unsigned axis, GRID_CONST struct gaussian_weights w)
{
    g.type = T;
    const struct position p = position_of(g);
    if (!p.inside) return;
    const size_t c = axis == 0 ? p.x : axis == 1 ? p.y : p.z;             /* number along the axis */
    const size_t last = (axis == 0 ? g.nx : axis == 1 ? g.ny : g.nz) - 1; /* the axis' last */
    const size_t step = axis == 0 ? 1 : axis == 1 ? g.nx : g.nx * g.ny;   /* voxels from one to the next */
    float sum = w.w[0] * grid_value(&g, p.at);
    for (unsigned i = 1; i <= w.radius; i++) {
        const float below = grid_value(&g, p.at - (c < i ? c : i) * step);
        const float above = grid_value(&g, p.at + (last - c < i ? last - c : i) * step);
        sum = fmaf(w.w[i], above, fmaf(w.w[i], below, sum));
    }
    out[p.at] = sum;
}

static int run_separable(const struct gaussian_desc *d, void *scratch, struct exec *x)
{
    const struct gaussian_axes w = gaussian_axes_of(d->sigma);
    const unsigned blocks = row_blocks(&d->grid, x);
    const dim3 block = row_block(x);
    struct grid first = d->grid, second = d->grid;
    first.type = second.type = VOXEL_FLOAT32;
    first.voxels = d->out, second.voxels = scratch;
    LAUNCH_TYPED(d->grid.type, gaussian_pass<TYPE><<<blocks, block, 0, x->stream>>>(d->grid, d->out, 0, w.along[0]));
    gaussian_pass<VOXEL_FLOAT32><<<blocks, block, 0, x->stream>>>(first, (float *)scratch, 1, w.along[1]);
    gaussian_pass<VOXEL_FLOAT32><<<blocks, block, 0, x->stream>>>(second, d->out, 2, w.along[2]);
    return cudaGetLastError();
}

static size_t scratch_separable(const struct gaussian_desc *d, const struct exec *x)
{
    (void)x;
    return scratch_round(grid_voxels(&d->grid) * sizeof(float));
}

#include "gaussian_cuda_planes.cuh"

/* ---- the table ----------------------------------------------------------------------------------------------------- */

/* clang-format off */
const struct gaussian_rung gaussian_cuda[] = {
    { { "naive", "one thread per voxel walks through its cube of neighbours", false },
      run_naive, scratch_naive, NULL, NULL, 0, true },
    { { "constant", "weights in constant memory", false }, run_constant, NULL, NULL, NULL, 0, true },
    { { "symbol", "as constant, in a __constant__ variable that is set before each launch", false },
      run_symbol, NULL, NULL, NULL, 0, true },
    { { "texture", "voxels from a 3-D texture, which clamps coordinates", false }, run_texture, NULL, open_texture,
      close_texture, 0, true },
    { { "filtered", "linear filtering: one fetch between two voxels weights and adds both", false },
      run_filtered, NULL, open_filtered, close_texture, FILTERED_LOOSE, true },
    { { "tile", "8 x 8 x 8 voxels and their halo in shared memory", false }, run_tile },
    { { "separable", "three passes, along x, y and z", false }, run_separable, scratch_separable, NULL, NULL, 0,
      true },
    { { "planes", "one pass: planes in shared memory, the sum along z in registers", true }, run_planes, scratch_planes },
    {},
};
/* clang-format on */
