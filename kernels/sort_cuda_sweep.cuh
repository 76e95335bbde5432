/* sort by one sweep per byte. Part of sort_cuda.cu, which has the contract and `DIGITS`. */

/* ---- onesweep ------------------------------------------------------------------------------------------------------
 * radix reads all items twice per byte, because it must first know how many of each digit the blocks before have. It
 * also moves the position together with the rank, in 8 bytes: 6.1 ms. Idea (Adinets and Merrill 2022): one read counts
 * the digits of all four bytes; then each byte is one sweep. In a sweep, a block publishes how many of each digit it
 * has, and looks back at what earlier blocks have published, as in scan's `lookback`, but for 256 sums at once, one per
 * thread. In addition:
 *   - a block orders its 8192 keys in shared memory first, so that what goes to one digit's range leaves in one piece, of
 *     32 keys on average, not one by one;
 *   - equal digits in a warp are found by one ballot per bit, so 8 ballots, where __match_any_sync takes a turn for each
 *     different value;
 *   - the payload travels with its key, so nothing is fetched at the end, and the first and the last sweep turn keys into
 *     ranks and back on their way.
 *
 *    read n  count  |  sweep 0: keys -> scratch  |  1: scratch -> out  |  2: out -> scratch  |  3: scratch -> keys out
 *
 * What a block publishes includes the number of its sweep, so the table is zeroed only once for all four.
 * Predicted: 64 bytes per key where radix moves 128: 1.1 ms at the copy rate. Ranking and waiting double that: 2.3 ms.
 * Measured: 2.24, against 2.34 of the library, which turns keys into ranks and back in separate passes.
 * Cost: 2 KB of table per 8192 keys; 36 KiB of shared memory per block and 64 registers per thread, so two blocks per
 * multiprocessor. */

enum {
    PASSES = 4,
    SWEEP_THREADS = 512,
    SWEEP_TURNS = 16,
    SWEEP_TILE = SWEEP_THREADS * SWEEP_TURNS,
    SWEEP_WARPS = SWEEP_THREADS / WARP,
    COUNT_BLOCKS = 1024,
};

struct sweep { /* a pass; first and last: one of the two pairs is in the desc */
    const uint32_t *ranks, *values;
    uint32_t *ranks_out, *values_out;
    const uint32_t *counts; /* [DIGITS] of this pass */
    uint64_t *told;         /* [tiles][DIGITS]: state above sum */
    uint32_t *ticket;       /* the next tile */
    unsigned shift;
};

static __device__ __forceinline__ unsigned digit_at(uint32_t rank, unsigned shift) { return rank >> shift & (DIGITS - 1); }

/* Count the digits of all bytes. counts: [PASSES][DIGITS], zero before. */
static __global__ void __launch_bounds__(THREADS) sweep_count(struct sort_desc d, uint32_t *counts)
{
    __shared__ uint32_t count[PASSES][DIGITS];
    for (unsigned p = 0; p < PASSES; p++) count[p][threadIdx.x] = 0;
    __syncthreads();
    for (size_t first = thread_index(); first < d.n; first += 4 * thread_count()) {
        uint32_t key[4];
#pragma unroll
        for (unsigned k = 0; k < 4; k++)
            key[k] = first + k * thread_count() < d.n ? d.keys_in[first + k * thread_count()] : 0;
#pragma unroll
        for (unsigned k = 0; k < 4; k++) {
            if (first + k * thread_count() >= d.n) break;
            const uint32_t rank = sort_rank(&d, key[k]);
            for (unsigned p = 0; p < PASSES; p++) atomicAdd(&count[p][digit_at(rank, 8 * p)], 1u);
        }
    }
    __syncthreads();
    for (unsigned p = 0; p < PASSES; p++)
        if (count[p][threadIdx.x]) atomicAdd(&counts[p * DIGITS + threadIdx.x], count[p][threadIdx.x]);
}

/* Return the sum of `value` over lower threads, for threads below DIGITS. All threads of the block must call. */
static __device__ __forceinline__ uint32_t sum_below(uint32_t value)
{
    __shared__ uint32_t warps[DIGITS / WARP];
    const unsigned warp = threadIdx.x / WARP;
    uint32_t up_to = value;
#pragma unroll
    for (unsigned step = 1; step < WARP; step *= 2) {
        const uint32_t below = __shfl_up_sync(ALL_LANES, up_to, step);
        if (lane_index() >= step) up_to += below;
    }
    __syncthreads();
    if (warp < DIGITS / WARP && lane_index() == WARP - 1) warps[warp] = up_to;
    __syncthreads();
    for (unsigned w = 0; w < DIGITS / WARP; w++)
        if (w < warp) up_to += warps[w];
    return up_to - value;
}

/* Return the lanes whose digit is the caller's. All lanes must call. */
static __device__ __forceinline__ uint32_t lanes_with_digit(unsigned digit)
{
    uint32_t same = ALL_LANES;
#pragma unroll
    for (unsigned bit = 1; bit < DIGITS; bit *= 2) {
        const uint32_t lanes = __ballot_sync(ALL_LANES, digit & bit);
        same &= digit & bit ? lanes : ~lanes;
    }
    return same;
}

/* The state of what a tile has published: only its own count, or the sum of itself and all tiles before it, which
 * includes the start of the digit's range. */
static __device__ __forceinline__ unsigned own_state(unsigned shift) { return shift / 8 * 2 + 1; }
static __device__ __forceinline__ unsigned whole_state(unsigned shift) { return shift / 8 * 2 + 2; }

/* A single 64-bit store has everything that a reader needs, so no fence is needed. */
static __device__ __forceinline__ void tell(const struct sweep &s, size_t tile, unsigned state, uint32_t sum)
{
    *(volatile uint64_t *)&s.told[tile * DIGITS + threadIdx.x] = (uint64_t)state << 32 | sum;
}

/* Return where the tile's keys with the thread's digit begin. */
static __device__ __forceinline__ uint32_t place_of_tile(const struct sweep &s, size_t tile)
{
    uint32_t sum = 0;
    for (uint64_t word = 0; tile > 0 && word >> 32 != whole_state(s.shift); sum += (uint32_t)word) {
        const volatile uint64_t *const at = &s.told[--tile * DIGITS + threadIdx.x];
        do word = *at;
        while (word >> 32 < own_state(s.shift));
    }
    return sum;
}

/* Find the place of each key within the tile. begins: where the warp's keys of each digit go next. */
static __device__ __forceinline__ void rank_warp(const uint32_t *rank, unsigned shift, uint32_t *begins, uint16_t *at)
{
    const unsigned below = (1u << lane_index()) - 1;
#pragma unroll
    for (unsigned t = 0; t < SWEEP_TURNS; t++) {
        const unsigned digit = digit_at(rank[t], shift);
        const uint32_t same = lanes_with_digit(digit), begin = begins[digit];
        __syncwarp(); /* all have read; then the first of the equal ones writes */
        if (!(same & below)) begins[digit] = begin + popcount32(same);
        __syncwarp();
        at[t] = (uint16_t)(begin + popcount32(same & below));
    }
}

/* Turn the counts of the warps into the places where they begin, and publish the counts of the block. Return the start
 * of the thread's digit in the tile; *own gets its number of keys. */
static __device__ __forceinline__ uint32_t place_warps(const struct sweep &s, size_t tile, uint32_t (*count)[DIGITS],
                                                       uint32_t *own)
{
    const bool has_digit = threadIdx.x < DIGITS;
    uint32_t sum = 0;
    for (unsigned w = 0; w < SWEEP_WARPS && has_digit; w++) sum += count[w][threadIdx.x];
    if (has_digit && tile > 0) tell(s, tile, own_state(s.shift), sum);
    const uint32_t begin = sum_below(sum);
    uint32_t next = begin;
    for (unsigned w = 0; w < SWEEP_WARPS && has_digit; w++) {
        const uint32_t mine = count[w][threadIdx.x];
        count[w][threadIdx.x] = next;
        next += mine;
    }
    *own = sum;
    return begin;
}

template <bool FIRST, bool LAST>
static __global__ void __launch_bounds__(SWEEP_THREADS, 2) radix_sweep(struct sort_desc d, struct sweep s)
{
    __shared__ uint32_t staged[SWEEP_TILE]; /* first the counts of each warp, then the keys, then the payload */
    __shared__ uint32_t move[DIGITS];       /* what to add to a place in the tile to get one in the output */
    __shared__ uint32_t ticket;
    uint32_t(*const count)[DIGITS] = (uint32_t(*)[DIGITS])staged;
    uint32_t rank[SWEEP_TURNS], own, digits[SWEEP_TURNS / 4] = {};
    uint16_t at[SWEEP_TURNS];
    if (threadIdx.x == 0) ticket = atomicAdd(s.ticket, 1u); /* tiles start in order, so all earlier ones are running */
    for (unsigned i = threadIdx.x; i < SWEEP_WARPS * DIGITS; i += SWEEP_THREADS) staged[i] = 0;
    __syncthreads();
    const size_t tile = ticket, start = tile * SWEEP_TILE;
    const unsigned have = (unsigned)min((size_t)SWEEP_TILE, d.n - start), warp = threadIdx.x / WARP;
    const unsigned first = warp * WARP * SWEEP_TURNS + lane_index();
#pragma unroll
    for (unsigned t = 0; t < SWEEP_TURNS; t++) {
        rank[t] = ALL_LANES; /* past the end: sorts after all others */
        if (first + t * WARP >= have) continue;
        if (FIRST) rank[t] = sort_rank(&d, d.keys_in[start + first + t * WARP]);
        else rank[t] = s.ranks[start + first + t * WARP];
    }
#pragma unroll
    for (unsigned t = 0; t < SWEEP_TURNS; t++) atomicAdd(&count[warp][digit_at(rank[t], s.shift)], 1u);
    __syncthreads();
    const uint32_t begin = place_warps(s, tile, count, &own);
    const uint32_t range = tile == 0 ? sum_below(threadIdx.x < DIGITS ? s.counts[threadIdx.x] : 0) : 0;
    __syncthreads();
    rank_warp(rank, s.shift, count[warp], at);
    __syncthreads();

#pragma unroll
    for (unsigned t = 0; t < SWEEP_TURNS; t++) {
        staged[at[t]] = rank[t];
        const size_t i = start + first + t * WARP; /* the payload loads while the block waits for others */
        if (FIRST) rank[t] = first + t * WARP < have && d.values_in ? d.values_in[i] : (uint32_t)i;
        else rank[t] = first + t * WARP < have ? s.values[i] : 0;
    }
    if (threadIdx.x < DIGITS) {
        const uint32_t place = range + place_of_tile(s, tile);
        tell(s, tile, whole_state(s.shift), place + own);
        move[threadIdx.x] = place - begin;
    }
    __syncthreads();
#pragma unroll
    for (unsigned t = 0; t < SWEEP_TURNS; t++) {
        const unsigned i = t * SWEEP_THREADS + threadIdx.x;
        const uint32_t key = staged[i];
        const unsigned digit = digit_at(key, s.shift);
        digits[t / 4] |= digit << t % 4 * 8;
        if (i >= have) continue;
        if (LAST) d.keys_out[move[digit] + i] = sort_key_of(&d, key);
        else s.ranks_out[move[digit] + i] = key;
    }
    __syncthreads();
#pragma unroll
    for (unsigned t = 0; t < SWEEP_TURNS; t++) staged[at[t]] = rank[t];
    __syncthreads();
#pragma unroll
    for (unsigned t = 0; t < SWEEP_TURNS; t++) {
        const unsigned i = t * SWEEP_THREADS + threadIdx.x, digit = digits[t / 4] >> t % 4 * 8 & (DIGITS - 1);
        if (i >= have) continue;
        if (LAST) d.values_out[move[digit] + i] = staged[i];
        else s.values_out[move[digit] + i] = staged[i];
    }
}

struct sweep_layout {
    uint32_t *ranks, *values;   /* [n] each */
    uint32_t *counts, *tickets; /* [PASSES][DIGITS], [PASSES]; zeroed with `told` */
    uint64_t *told;
    size_t zeroed, bytes, tiles;
};

static struct sweep_layout sweep_layout_of(const struct sort_desc *d, void *scratch)
{
    struct sweep_layout l;
    char *at = (char *)scratch;
    const size_t each = scratch_round(d->n * sizeof(uint32_t)), counts = PASSES * DIGITS * sizeof(uint32_t);
    l.tiles = (d->n + SWEEP_TILE - 1) / SWEEP_TILE;
    l.ranks = (uint32_t *)at, l.values = (uint32_t *)(at + each);
    l.counts = (uint32_t *)(at + 2 * each), l.tickets = (uint32_t *)(at + 2 * each + counts);
    l.told = (uint64_t *)(at + 2 * each + counts + 256);
    l.zeroed = counts + 256 + l.tiles * DIGITS * sizeof *l.told;
    l.bytes = 2 * each + scratch_round(l.zeroed);
    return l;
}

static int run_onesweep(const struct sort_desc *d, void *scratch, struct exec *x)
{
    if (!d->n) return cudaSuccess;
    const struct sweep_layout l = sweep_layout_of(d, scratch);
    const unsigned tiles = (unsigned)l.tiles; /* 2^19 at most */
    const cudaError_t error = cudaMemsetAsync(l.counts, 0, l.zeroed, x->stream);
    if (error != cudaSuccess) return clear_error(error);
    sweep_count<<<min(launch_blocks(d->n, 4 * THREADS), (unsigned)COUNT_BLOCKS), THREADS, 0, x->stream>>>(*d, l.counts);
    for (unsigned p = 0; p < PASSES; p++) {
        struct sweep s = { l.ranks, l.values, d->keys_out, d->values_out };
        if (p % 2 == 0) s = { d->keys_out, d->values_out, l.ranks, l.values };
        s.counts = l.counts + p * DIGITS, s.told = l.told, s.ticket = l.tickets + p, s.shift = 8 * p;
        if (p == 0) radix_sweep<true, false><<<tiles, SWEEP_THREADS, 0, x->stream>>>(*d, s);
        else if (p < PASSES - 1) radix_sweep<false, false><<<tiles, SWEEP_THREADS, 0, x->stream>>>(*d, s);
        else radix_sweep<false, true><<<tiles, SWEEP_THREADS, 0, x->stream>>>(*d, s);
    }
    return cudaGetLastError();
}

static size_t scratch_onesweep(const struct sort_desc *d, const struct exec *x)
{
    (void)x;
    return d->n ? sweep_layout_of(d, NULL).bytes : 0;
}
