/* banks on CUDA: what one load of a warp from shared memory takes, by the multiprocessor's own clock. Contract in
 * banks.h.
 * Run: isoscope ladder banks --bench --backend cuda
 *
 * One block of 32 warps reads a table of 4 KiB again and again. Eight warps per scheduler have enough loads in flight
 * to hide the latency, some 30 cycles. What remains visible is how many cycles shared memory needs for each load.
 * Predictions follow from the rule in banks.h, applied to the addresses; nothing in them depends on the GPU. On an H200
 * each was met within a hundredth; stride32 took 32.0 cycles and random 3.54. */
#include "banks.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

/* Addresses are computed before the clock is read: up to 32 of them in registers, or, for a stride, one register and a
 * constant offset in each load. */
template <enum banks_order ORDER, enum banks_place PLACE, unsigned STRIDE>
static __global__ void __launch_bounds__(BANKS_WARPS *WARP) banks_read(const uint32_t *from, uint64_t *out, size_t n)
{
    __shared__ uint32_t table[BANKS * (BANKS + 1)];
    for (unsigned w = threadIdx.x; w < BANKS_WORDS; w += blockDim.x) table[banks_at(PLACE, w)] = from[w];
    __syncthreads();

    unsigned at[BANKS]; /* bytes */
#pragma unroll
    for (unsigned load = 0; load < BANKS; load++) {
        at[load] = banks_at(PLACE, banks_word(ORDER, STRIDE, lane_index(), load)) * (unsigned)sizeof *table;
        /* Addresses that no immediate offset can express are kept in registers; without this the compiler would compute
         * them again in each round. */
        if (ORDER == BANKS_RANDOM || PLACE == BANKS_XOR) asm volatile("" : "+r"(at[load]));
    }
    const volatile uint32_t *words = table;
    uint64_t sum = 0;
    const long long begin = clock64();
    for (size_t round = 0; round < n; round++) {
        uint32_t part = 0;
        if (ORDER == BANKS_BROADCAST) {
#pragma unroll BANKS
            for (unsigned load = 0; load < BANKS_WORDS; load++) part += words[load];
            part = lane_index() ? 0 : part; /* each lane read all words itself, so one lane counts */
        } else {
#pragma unroll
            for (unsigned load = 0; load < BANKS; load++)
                part += *(const volatile uint32_t *)((const volatile char *)table + at[load]);
        }
        sum += part;
    }
    __syncthreads(); /* the slowest warp */
    const long long end = clock64();
    atomic_add_u64(&out[0], sum);
    if (threadIdx.x == 0) out[1] = (uint64_t)(end - begin);
}

template <enum banks_order ORDER, enum banks_place PLACE, unsigned STRIDE>
static int run_banks(const uint32_t *table, uint64_t *out, size_t n, struct exec *x)
{
    const cudaError_t error = cudaMemsetAsync(out, 0, 2 * sizeof *out, x->stream);
    if (error != cudaSuccess) return clear_error(error);
    banks_read<ORDER, PLACE, STRIDE><<<1, BANKS_WARPS * WARP, 0, x->stream>>>(table, out, n);
    return cudaGetLastError();
}

/* ---- stride1 -------------------------------------------------------------------------------------------------------
 * Lane l reads word l: 32 words in 32 different banks. Predicted: 1 cycle. That is 128 bytes per cycle and
 * multiprocessor, or 33 TB/s on an H200 with all 132 of them; its memory delivers 4.8. */

/* ---- stride2, stride4, stride8, stride16, stride32 -----------------------------------------------------------------
 * Lanes STRIDE words apart: only 32 / STRIDE banks have any work, and each must deliver STRIDE words, one after the
 * other. Predicted: 2, 4, 8, 16 and 32 cycles. A column of a table with 32 columns is stride32, as in transpose's tile.
 * A structure of two, four or eight words, read member by member, is one of the others. An odd stride causes no
 * conflict at all, because it has no divisor in common with 32. */

/* ---- broadcast -----------------------------------------------------------------------------------------------------
 * All lanes want the same word: only one bank works, and yet there is no conflict. Predicted: 1 cycle, because a bank
 * gives one word to as many lanes as ask for it. But a load brings 4 bytes instead of 128, so if all lanes read through
 * a whole table, it takes 32 times as many loads. */

/* ---- random --------------------------------------------------------------------------------------------------------
 * Words in no order, as in a lookup table. 32 lanes and 32 banks are like balls thrown into bins: some bank gets three
 * or four. Predicted: 3.5 cycles, the mean over the loads of this table. So not caring about banks costs a factor of
 * three or four, not of 32. */

/* ---- padded --------------------------------------------------------------------------------------------------------
 * stride32 reads a column of a table with 32 columns in 32 cycles. Idea: leave an unused word after each row. Rows are
 * then 33 words apart, and a column touches every bank. Predicted: 1 cycle.
 * Cost: 3 % of the memory. And rows no longer begin at multiples of 16 bytes, so wide loads of a row are no longer
 * possible. */

/* ---- xor -----------------------------------------------------------------------------------------------------------
 * Padding destroys the alignment of rows. Idea: shuffle instead. Column c of row r lies at c ^ r, so a row has the same
 * words in another order, and a column again touches every bank. Predicted: 1 cycle, without extra memory.
 * Cost: an exclusive or per address. Tensor cores want their tiles in such an order, too ("swizzled"). */

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* clang-format off */
const struct banks_rung banks_cuda[] = {
    { { "stride1", "consecutive words: one from each bank", true }, run_banks<BANKS_STRIDE, BANKS_PLAIN, 1>,
      BANKS_STRIDE, BANKS_PLAIN, 1 },
    { { "stride2", "every second word: 2 from each of 16 banks", false }, run_banks<BANKS_STRIDE, BANKS_PLAIN, 2>,
      BANKS_STRIDE, BANKS_PLAIN, 2 },
    { { "stride4", "every fourth word: 4 from each of 8 banks", false }, run_banks<BANKS_STRIDE, BANKS_PLAIN, 4>,
      BANKS_STRIDE, BANKS_PLAIN, 4 },
    { { "stride8", "every eighth word: 8 from each of 4 banks", false }, run_banks<BANKS_STRIDE, BANKS_PLAIN, 8>,
      BANKS_STRIDE, BANKS_PLAIN, 8 },
    { { "stride16", "every sixteenth word: 16 from each of 2 banks", false }, run_banks<BANKS_STRIDE, BANKS_PLAIN, 16>,
      BANKS_STRIDE, BANKS_PLAIN, 16 },
    { { "stride32", "a column of a table of 32 columns: all 32 words from one bank", false },
      run_banks<BANKS_STRIDE, BANKS_PLAIN, 32>, BANKS_STRIDE, BANKS_PLAIN, 32 },
    { { "broadcast", "one word for all lanes", false }, run_banks<BANKS_BROADCAST, BANKS_PLAIN, 1>, BANKS_BROADCAST,
      BANKS_PLAIN, 1 },
    { { "random", "words in random order", false }, run_banks<BANKS_RANDOM, BANKS_PLAIN, 1>, BANKS_RANDOM, BANKS_PLAIN, 1 },
    { { "padded", "the column of stride32, with rows 33 words apart", false }, run_banks<BANKS_STRIDE, BANKS_PADDED, 32>,
      BANKS_STRIDE, BANKS_PADDED, 32 },
    { { "xor", "the column of stride32, with the words of each row permuted by XOR (swizzled)", false },
      run_banks<BANKS_STRIDE, BANKS_XOR, 32>, BANKS_STRIDE, BANKS_XOR, 32 },
    {},
};
/* clang-format on */
