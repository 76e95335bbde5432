/* sum with fewer roundings, and other ways to finish. Part of sum_cuda.cu, which has the contract and the shared code. */

/* ---- double --------------------------------------------------------------------------------------------------------
 * Every float sum so far loses up to a digit: shuffle adds 64 numbers per thread and then a tree. Idea: do the same in
 * double, which has 29 more binary digits, so that only the result is rounded. Predicted and measured: 0.130 ms, as
 * shuffle. Memory is the limit, and an H200 adds doubles at half the rate of floats. GPUs for games add them at 1/64 of
 * the rate; there it would take four times as long.
 * Cost: twice the registers, and shuffles of two words. */

static __device__ __forceinline__ double block_sum_double(double sum)
{
    __shared__ double warp[THREADS / WARP];
#pragma unroll
    for (unsigned half = WARP / 2; half > 0; half /= 2) sum += __shfl_down_sync(ALL_LANES, sum, half);
    if (lane_index() == 0) warp[threadIdx.x / WARP] = sum;
    __syncthreads();
    sum = 0;
    for (unsigned w = 0; w < THREADS / WARP; w++) sum += warp[w];
    return sum; /* in every thread */
}

static __global__ void __launch_bounds__(THREADS) sum_double(const float *in, double *part, size_t n)
{
    const float4 *in4 = (const float4 *)in;
    double a = 0, b = 0;
    for (size_t i = thread_index(); i < n / 4; i += thread_count()) {
        const float4 v = in4[i];
        a += (double)v.x + (double)v.y, b += (double)v.z + (double)v.w;
    }
    const size_t rest = n / 4 * 4 + thread_index();
    const double sum = block_sum_double(a + b + (rest < n ? (double)in[rest] : 0.0));
    if (threadIdx.x == 0) part[blockIdx.x] = sum;
}

static __global__ void __launch_bounds__(THREADS) finish_double(const double *part, unsigned blocks, float *out)
{
    double sum = 0;
    for (unsigned i = threadIdx.x; i < blocks; i += THREADS) sum += part[i];
    sum = block_sum_double(sum);
    if (threadIdx.x == 0) *out = (float)sum;
}

static int run_double(const float *in, float *out, size_t n, void *scratch, struct exec *x)
{
    const unsigned blocks = stride_blocks(n, 4 * THREADS);
    sum_double<<<blocks, THREADS, 0, x->stream>>>(in, (double *)scratch, n);
    finish_double<<<1, THREADS, 0, x->stream>>>((const double *)scratch, blocks, out);
    return cudaGetLastError();
}

static size_t scratch_pairs(size_t n, const struct exec *x)
{
    (void)n, (void)x;
    return scratch_round(SUM_BLOCKS * 2 * sizeof(float));
}

static double double_roundings(size_t n, const struct exec *x)
{
    (void)x;
    return 1 + (double)n * 0x1p-29; /* of a float */
}

/* ---- kahan ---------------------------------------------------------------------------------------------------------
 * double needs units that some GPUs hardly have. Idea (Kahan 1965): stay with floats, but pass on what each addition
 * rounded away, which takes four operations instead of one. Threads, lanes and blocks hand over both numbers, the sum
 * and the rest. Predicted and measured: 0.130 ms again, because arithmetic is free while memory is the limit.
 * Cost: four dependent operations per number. And a compiler that is allowed to reorder float operations deletes them
 * (--use_fast_math). */

struct kahan {
    float sum, lost; /* the exact sum is about sum - lost */
};

static __device__ __forceinline__ void kahan_add(struct kahan *k, float value)
{
    const float next = value - k->lost, grown = k->sum + next;
    k->lost = (grown - k->sum) - next;
    k->sum = grown;
}

/* Add sums and rests of both. What the addition of the sums loses can be found without knowing which of them is larger
 * (Knuth's TwoSum). */
static __device__ __forceinline__ struct kahan kahan_merge(struct kahan a, struct kahan b)
{
    const float sum = a.sum + b.sum, from_b = sum - a.sum;
    const float gained = (a.sum - (sum - from_b)) + (b.sum - from_b);
    return { sum, a.lost + b.lost - gained };
}

static __device__ __forceinline__ struct kahan block_kahan(struct kahan mine)
{
    __shared__ struct kahan warp[THREADS / WARP];
#pragma unroll
    for (unsigned half = WARP / 2; half > 0; half /= 2)
        mine = kahan_merge(mine,
                           { __shfl_down_sync(ALL_LANES, mine.sum, half), __shfl_down_sync(ALL_LANES, mine.lost, half) });
    if (lane_index() == 0) warp[threadIdx.x / WARP] = mine;
    __syncthreads();
    mine = warp[0];
    for (unsigned w = 1; w < THREADS / WARP; w++) mine = kahan_merge(mine, warp[w]);
    return mine; /* in every thread */
}

static __global__ void __launch_bounds__(THREADS) sum_kahan(const float *in, struct kahan *part, size_t n)
{
    const float4 *in4 = (const float4 *)in;
    struct kahan k[4] = {};
    for (size_t i = thread_index(); i < n / 4; i += thread_count()) {
        const float4 v = in4[i];
        kahan_add(&k[0], v.x), kahan_add(&k[1], v.y), kahan_add(&k[2], v.z), kahan_add(&k[3], v.w);
    }
    const size_t rest = n / 4 * 4 + thread_index();
    if (rest < n) kahan_add(&k[0], in[rest]);
    const struct kahan sum = block_kahan(kahan_merge(kahan_merge(k[0], k[1]), kahan_merge(k[2], k[3])));
    if (threadIdx.x == 0) part[blockIdx.x] = sum;
}

static __global__ void __launch_bounds__(THREADS) finish_kahan(const struct kahan *part, unsigned blocks, float *out)
{
    struct kahan sum = {};
    for (unsigned i = threadIdx.x; i < blocks; i += THREADS) sum = kahan_merge(sum, part[i]);
    sum = block_kahan(sum);
    if (threadIdx.x == 0) *out = sum.sum - sum.lost;
}

static int run_kahan(const float *in, float *out, size_t n, void *scratch, struct exec *x)
{
    const unsigned blocks = stride_blocks(n, 4 * THREADS);
    sum_kahan<<<blocks, THREADS, 0, x->stream>>>(in, (struct kahan *)scratch, n);
    finish_kahan<<<1, THREADS, 0, x->stream>>>((const struct kahan *)scratch, blocks, out);
    return cudaGetLastError();
}

static double kahan_roundings(size_t n, const struct exec *x)
{
    (void)x;
    return 3 + (double)n * 0x1p-24;
}

/* ---- block ---------------------------------------------------------------------------------------------------------
 * All other rungs spread one sum over the GPU, and pay for bringing the parts together. Idea: one block per result, and
 * no second launch. This is the right shape where there are thousands of results, such as the rows of a matrix. A
 * butterfly of xor shuffles leaves the sum in every lane, not only in one, so that it is where it is needed. Predicted:
 * 5 ms, 100 GB/s, because with only one result, one multiprocessor of 132 works, with 16 KiB in flight. Measured: 14
 * ms, 38.
 * Cost: none, if there are many results. */

enum { WHOLE = 1024 };

static __device__ __forceinline__ float butterfly_sum(float sum)
{
#pragma unroll
    for (unsigned half = WARP / 2; half > 0; half /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, half);
    return sum;
}

static __global__ void __launch_bounds__(WHOLE) sum_block(const float *in, float *out, size_t n)
{
    __shared__ float warp[WHOLE / WARP];
    const float sum = butterfly_sum(thread_sum4(in, n));
    if (lane_index() == 0) warp[threadIdx.x / WARP] = sum;
    __syncthreads();
    const float all = butterfly_sum(warp[lane_index()]); /* of 32 warps */
    if (threadIdx.x == 0) *out = all;
}

static int run_block(const float *in, float *out, size_t n, void *scratch, struct exec *x)
{
    (void)scratch;
    sum_block<<<1, WHOLE, 0, x->stream>>>(in, out, n);
    return cudaGetLastError();
}

static double block_roundings(size_t n, const struct exec *x)
{
    (void)x;
    return (double)n / (4 * WHOLE) + 40;
}

/* ---- host ----------------------------------------------------------------------------------------------------------
 * shuffle needs a second launch for 2048 numbers. Idea: let the host add them. Blocks write their numbers to memory
 * that both sides see; a host function in the stream adds them up, in double, and the result is copied back. Predicted:
 * 0.150 ms. Measured: 0.284. The 8 KB over the bus are nothing, but a thread of the driver must be woken, and the copy
 * back is one more thing to start.
 * Cost: the host has to be available. It pays only if the host itself wants the result. */

struct host_sum { /* in exec.result */
    float part[SUM_BLOCKS], sum;
    unsigned blocks;
};
static_assert(sizeof(struct host_sum) <= RESULT_BYTES, "the parts must fit");

static void CUDART_CB add_parts(void *argument)
{
    struct host_sum *const h = (struct host_sum *)argument;
    double sum = 0;
    for (unsigned b = 0; b < h->blocks; b++) sum += (double)h->part[b];
    h->sum = (float)sum;
}

static int run_host(const float *in, float *out, size_t n, void *scratch, struct exec *x)
{
    (void)scratch;
    struct host_sum *const h = (struct host_sum *)x->result;
    h->blocks = stride_blocks(n, 4 * THREADS);
    sum_shuffle<<<h->blocks, THREADS, 0, x->stream>>>(in, h->part, n);
    cudaError_t error = cudaLaunchHostFunc(x->stream, add_parts, h);
    if (error == cudaSuccess) error = cudaMemcpyAsync(out, &h->sum, sizeof *out, cudaMemcpyHostToDevice, x->stream);
    const cudaError_t last = cudaGetLastError();
    return error != cudaSuccess ? error : last;
}
