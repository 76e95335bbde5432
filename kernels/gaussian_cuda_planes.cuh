/* gaussian in one pass over memory. Part of gaussian_cuda.cu, which has the contract and `separable`. */

/* ---- planes --------------------------------------------------------------------------------------------------------
 * separable passes over memory three times, and fetches and clamps 33 values per voxel, through L1: 4.2 ms, of which
 * memory explains 0.7. Idea: all three sums in one pass. A block walks along z through a column of 32 x 32 voxels. It
 * holds each plane's voxels and their halo in shared memory, sums along x into a second area there, then along y. For
 * z, each output plane that is not complete yet has a register; it adds the value times its weight, and then the oldest
 * plane is complete:
 *
 *    radius 1: plane z gives v     out(z - 1) = sum0 + w1 v     sum0 = sum1 + w0 v     sum1 = w1 v
 *
 * This way the queue along z advances by itself, without extra moves. Each thread does four neighbours, which share
 * what they read: 3.5 words for 11 products. The next plane is fetched while this one is summed.
 * Predicted: 70 instructions per voxel, which alone would take 0.35 ms; with the rest 0.55, 30 % of the copy rate.
 * Measured: 0.78 ms, 21 %.
 * Cost: the radius is a constant, 1 to 8, and must be the same along all axes (else separable is used), which makes 8
 * kernels. The columns are 64 planes long, and planes at their ends are summed twice. */

enum { PLANE = 32, PLANES = 64, PLANES_MAX_RADIUS = 8, PER_THREAD = 4 };

template <int RADIUS> struct plane {
    enum {
        WIDE = PLANE + 2 * RADIUS,
        PITCH = (WIDE + 3) / 4 * 4,
        FETCHES = (WIDE * PITCH + THREADS - 1) / THREADS, /* per thread */
        WINDOW = PER_THREAD + 2 * RADIUS,
    };
};

/* Number k of the thread's places in shared memory. */
static __device__ __forceinline__ int nth(int k) { return (int)threadIdx.x + k * THREADS; }

static __device__ __forceinline__ int bits_of(int value) { return value; }
static __device__ __forceinline__ int bits_of(float value) { return __float_as_int(value); }

/* Fetch the thread's part of plane z, as raw bits: a conversion here would have to wait for them. from: places in a
 * plane. */
template <int RADIUS, class V>
static __device__ __forceinline__ void fetch_plane(const struct grid &g, const uint32_t *from, int z, int *raw)
{
    const V *const at = (const V *)g.voxels + clamped(0, z, g.nz) * g.ny * g.nx;
#pragma unroll
    for (int k = 0; k < plane<RADIUS>::FETCHES; k++)
        if (nth(k) < plane<RADIUS>::WIDE * plane<RADIUS>::PITCH) raw[k] = bits_of(at[from[k]]);
}

template <int RADIUS>
static __device__ __forceinline__ void fetch_any(const struct grid &g, const uint32_t *from, int z, int *raw)
{
    switch (g.type) { /* once per plane, and the same for all */
    case VOXEL_UINT8: fetch_plane<RADIUS, uint8_t>(g, from, z, raw); break;
    case VOXEL_INT8: fetch_plane<RADIUS, int8_t>(g, from, z, raw); break;
    case VOXEL_UINT16: fetch_plane<RADIUS, uint16_t>(g, from, z, raw); break;
    case VOXEL_INT16: fetch_plane<RADIUS, int16_t>(g, from, z, raw); break;
    default: fetch_plane<RADIUS, float>(g, from, z, raw); break;
    }
}

template <int RADIUS> static __device__ __forceinline__ void stage_plane(float *voxel, const int *raw, bool is_float)
{
#pragma unroll
    for (int k = 0; k < plane<RADIUS>::FETCHES; k++)
        if (nth(k) < plane<RADIUS>::WIDE * plane<RADIUS>::PITCH)
            voxel[nth(k)] = is_float ? __int_as_float(raw[k]) : (float)raw[k];
}

/* Return the sum around window[at + RADIUS]. */
template <int RADIUS>
static __device__ __forceinline__ float sum_window(const float *window, int at, const struct gaussian_weights &w)
{
    float sum = w.w[RADIUS] * window[at];
#pragma unroll
    for (int i = 1; i <= 2 * RADIUS; i++) sum = fmaf(w.w[i < RADIUS ? RADIUS - i : i - RADIUS], window[at + i], sum);
    return sum;
}

/* Sum along x: four neighbours per thread, 8 threads per row. */
template <int RADIUS>
static __device__ __forceinline__ void sum_rows(const float *voxel, float (*row_sum)[PLANE],
                                                const struct gaussian_weights &w)
{
    for (int e = (int)threadIdx.x; e < plane<RADIUS>::WIDE * PLANE / PER_THREAD; e += THREADS) {
        const int row = e / (PLANE / PER_THREAD), x = e % (PLANE / PER_THREAD) * PER_THREAD;
        float window[(plane<RADIUS>::WINDOW + 3) / 4 * 4], sum[PER_THREAD];
#pragma unroll
        for (int i = 0; i < plane<RADIUS>::WINDOW; i += 4) {
            const float4 four = *(const float4 *)&voxel[row * plane<RADIUS>::PITCH + x + i];
            window[i] = four.x, window[i + 1] = four.y, window[i + 2] = four.z, window[i + 3] = four.w;
        }
#pragma unroll
        for (int k = 0; k < PER_THREAD; k++) sum[k] = sum_window<RADIUS>(window, k, w);
        *(float4 *)&row_sum[row][x] = make_float4(sum[0], sum[1], sum[2], sum[3]);
    }
}

/* Take a value of the plane RADIUS above the one whose sum is now complete. Return that sum. */
template <int RADIUS>
static __device__ __forceinline__ float move_on(float *under_way, float value, const struct gaussian_weights &w)
{
    const float complete = fmaf(w.w[RADIUS], value, under_way[0]);
#pragma unroll
    for (int i = 0; i < 2 * RADIUS - 1; i++)
        under_way[i] = fmaf(w.w[i < RADIUS ? RADIUS - 1 - i : i + 1 - RADIUS], value, under_way[i + 1]);
    under_way[2 * RADIUS - 1] = w.w[RADIUS] * value;
    return complete;
}

template <int RADIUS>
static __global__ void __launch_bounds__(THREADS, RADIUS <= 5 ? 3 : 2)
    gaussian_planes(GRID_CONST struct grid g, float *out, GRID_CONST struct gaussian_axes w)
{
    __shared__ __align__(16) float voxel[plane<RADIUS>::WIDE * plane<RADIUS>::PITCH];
    __shared__ __align__(16) float row_sum[plane<RADIUS>::WIDE][PLANE];
    const size_t along_x = (g.nx + PLANE - 1) / PLANE, along_y = (g.ny + PLANE - 1) / PLANE;
    const size_t x = blockIdx.x % along_x * PLANE, y = blockIdx.x / along_x % along_y * PLANE;
    const int begin = (int)(blockIdx.x / along_x / along_y * PLANES), end = (int)min((size_t)begin + PLANES, g.nz);
    uint32_t from[plane<RADIUS>::FETCHES];
#pragma unroll
    for (int k = 0; k < plane<RADIUS>::FETCHES; k++) {
        const int row = nth(k) / plane<RADIUS>::PITCH - RADIUS, column = nth(k) % plane<RADIUS>::PITCH - RADIUS;
        from[k] = (uint32_t)(clamped(y, row, g.ny) * g.nx + clamped(x, column, g.nx));
    }
    const unsigned line = threadIdx.x / WARP * PER_THREAD; /* the thread's first row of the plane's own 32 */
    float under_way[PER_THREAD][2 * RADIUS] = {};
    int raw[plane<RADIUS>::FETCHES] = {};
    fetch_any<RADIUS>(g, from, begin - RADIUS, raw);
    for (int z = begin - RADIUS; z < end + RADIUS; z++) {
        stage_plane<RADIUS>(voxel, raw, g.type == VOXEL_FLOAT32);
        __syncthreads();
        fetch_any<RADIUS>(g, from, z + 1, raw);
        sum_rows<RADIUS>(voxel, row_sum, w.along[0]);
        __syncthreads();
        float window[plane<RADIUS>::WINDOW];
#pragma unroll
        for (int i = 0; i < plane<RADIUS>::WINDOW; i++) window[i] = row_sum[line + i][lane_index()];
#pragma unroll
        for (unsigned k = 0; k < PER_THREAD; k++) {
            const float sum = move_on<RADIUS>(under_way[k], sum_window<RADIUS>(window, k, w.along[1]), w.along[2]);
            const size_t at_x = x + lane_index(), at_y = y + line + k;
            if (z >= begin + RADIUS && at_x < g.nx && at_y < g.ny)
                out[((size_t)(z - RADIUS) * g.ny + at_y) * g.nx + at_x] = sum;
        }
    }
}

/* Return the radius. 0: the axes differ, there is no kernel for it, or places in a plane exceed 32 bits. */
static unsigned planes_radius(const struct grid *g, const struct gaussian_axes *w)
{
    const unsigned radius = w->along[0].radius;
    const bool is_same = w->along[1].radius == radius && w->along[2].radius == radius;
    return is_same && radius <= PLANES_MAX_RADIUS && g->nx * g->ny <= UINT32_MAX && g->nz <= INT32_MAX / 2 ? radius : 0;
}

static int run_planes(const struct gaussian_desc *d, void *scratch, struct exec *x)
{
    typedef void (*kernel)(struct grid, float *, struct gaussian_axes);
    static const kernel kernels[] = { NULL,
                                      gaussian_planes<1>,
                                      gaussian_planes<2>,
                                      gaussian_planes<3>,
                                      gaussian_planes<4>,
                                      gaussian_planes<5>,
                                      gaussian_planes<6>,
                                      gaussian_planes<7>,
                                      gaussian_planes<8> };
    static_assert(sizeof kernels / sizeof *kernels == PLANES_MAX_RADIUS + 1, "a kernel per radius");
    const struct gaussian_axes w = gaussian_axes_of(d->sigma);
    const kernel planes = kernels[planes_radius(&d->grid, &w)];
    if (!planes) return run_separable(d, scratch, x);
    const struct grid *g = &d->grid;
    const size_t columns = (g->nx + PLANE - 1) / PLANE * ((g->ny + PLANE - 1) / PLANE);
    const unsigned blocks = launch_all(columns * ((g->nz + PLANES - 1) / PLANES));
    planes<<<blocks, THREADS, 0, x->stream>>>(*g, d->out, w);
    return cudaGetLastError();
}

static size_t scratch_planes(const struct gaussian_desc *d, const struct exec *x)
{
    const struct gaussian_axes w = gaussian_axes_of(d->sigma);
    return planes_radius(&d->grid, &w) ? 0 : scratch_separable(d, x);
}
