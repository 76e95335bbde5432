/* fused on CUDA. Contract in fused.h.
 * Run: isoscope ladder fused --bench --backend cuda
 *
 * After Parallel Marching Blocks (Liu et al. 2016): skip by brick, and finish a brick where it is read. Row words are
 * as in the rung ballot of classify. `brick` leaves the order of bricks out on purpose, because it takes two more
 * launches; `ordered` has it.
 *
 * A warp prepares a brick: it reads the voxels, finds what is crossed, and notes what to make. Then the four warps of a
 * block make all noted vertices or triangles together, one per thread, so a full brick does not hold up its warp. They
 * also reserve space in the mesh together. Additions to one number take 1.2 ns each for all blocks, and one addition
 * for each of the 160 thousand bricks of a CT of 1024^3 took longer than everything else.
 *
 * An open cell (mc_tables.h) waits for its values, tables and records one after the other, and would hold up the block
 * of its brick. Therefore the vertices' launch only lists the open cells, and some blocks of the triangles' launch do
 * nothing else.
 *
 * Times of `brick`: H200, bonsai CT at 40.5, uint8, 256^3 (7243 of 32768 bricks active) and enlarged: 39.4 us, 113 us
 * for 512^3, 424 us for 1024^3. The stages take 138 us, 448 us and 2.3 ms.
 *
 * What the launches cost: as three separate launches, the GPU waited 2 us for the second one, because the host needs
 * longer to launch it than the GPU needs for cull, and the host was busy for 14 us. Now they are one graph
 * (launch_chain.h), which takes 3.8 us less and keeps the host busy for only 3.3. At 256^3 there are some 1800 blocks,
 * hardly two rounds of what fits at once, so the time of a single block counts. Bricks at the border of the volume,
 * which are read voxel by voxel, once delayed the launch by 10 us, and dense bricks that started last delayed it by 4.
 *
 * What the open cells cost: with `halo`, deciding by the values takes 36.1 us where the fixed rule takes 35.3 (8482 of
 * 542949 cells are open). It takes 46.1 against 41.5 for the MRI of a head at 30.5, 256^3, where one cell in 20 is open,
 * and 22.6 against 20.0 for an aneurism at 80.5. Three things in the machine code once held up open cells. First, one in
 * 30 has vertices inside. One lane made these with some 1300 instructions, after a fence that had emptied L1; now 16
 * lanes do it with 350, while they wait for the numbers. Second, the numbers were awaited immediately, because the
 * compiler had combined the additions of a warp. Third, warps without cells, half of all, queued with additions of their
 * own. What is left is the chain of dependent loads of one open cell, 2 to 3 us in triangles.
 *
 * For large volumes it matters how many blocks of triangles run at once. Bricks need 40 registers; open cells needed 64.
 * A kernel gets what its most demanding part needs, so only eight blocks ran. The fixed rule alone, without the code for
 * open cells, takes 361 us at 1024^3 with 40 registers, 374 with 55, and 390 with 64. With fewer registers the code for
 * open cells spills, and shared memory leaves little of L1 to hold what spills. So this code keeps in shared memory what
 * is the same for a whole block, computes cheap values again, and reads thread indices where the compiler cannot move
 * what follows out of the loops; with 56 registers it spills only four words. The notes take less shared memory than
 * before. All this brought 512^3 from 107 to 103 us, 1024^3 from 398 to 384, and the MRI from 46.5 to 46.1. 48 registers
 * give 102 and 381, but slow down the MRI to 47.7 and the aneurism to 24.0.
 *
 * Tried and dropped: a warp or a block per brick throughout (690 us and 1.06 ms at 1024^3: additions); two or three
 * warps per block (49, 45 us); fetching the next brick early (spills); 48 registers in vertices (45 us: spills);
 * starting triangles when their own bricks are ready, with flags (41 us, but 121 for 512^3: each flag waits for all
 * stores before it); interleaving the bricks of the list as they are found (51 us: dense ones end up together); a
 * ticket per block to find the last.
 * For open cells: doing them in the block of their brick (148 us: it waits for them); 48 or 56 registers in triangles
 * before their code needed fewer (49, 45 us); a warp for 16 or for 4 rows (50, 45 us); at most one block in nine (the
 * MRI: 73 us); finding their rows while the numbers of vertices are awaited (the MRI: 57 us); two warps for 32 rows (the
 * aneurism: 30 us).
 * Since the graph: words that vertices leave for triangles (207 us instead of 197 for triangles at 1024^3), taking the
 * brick's place from cull's list (38.4, 116 and 441 us), four bricks per thread in cull (38.6, 116, 441).
 * On `halo`, which took 36.3, 107 and 398 us for the three sizes, and 61 for 256^3 at 20.5: deciding open cells in
 * vertices, where their voxels are at hand, a block's cells together, and leaving the subcases to triangles (53 us at
 * 256^3, and 38 by the fixed rule: the tables are not in L1 yet, and the code spills); four lanes for an open cell, so
 * that 48 registers suffice (38, 101, 375, and 62 at 20.5; the MRI 51); numbering a block's warps in the order in which
 * they arrive, which saves a barrier (36.4, 107, 394); fetching the next brick's place meanwhile (37.1, 108, 398).
 *
 * By the clock of each block, at 256^3: vertices run from 2.3 us to 18.6, in two rounds of blocks, and triangles from
 * 19.5 to 34.9; their instructions alone would take 8 us each. The following would make the two overlap, or let more
 * blocks run at once. It was measured and dropped (the CT at 256^3 and 1024^3, and the MRI, which took 38.5, 440 and 49
 * us without it):
 *    - triangles wait for the last record, counted by the blocks, instead of the last vertex: 37.7, 453, 50.4. Each block
 *      that sees the counter empties L1
 *    - a launch of their own for open cells, so that bricks need 41 registers: after the triangles' 40.4, 417, 54; before
 *      it 39.4, 420, 54 (a launch does not begin while the one before the one before it runs); beside it in the graph, with
 *      the highest priority, as after it. For noise, where most cells are open, 1.36 to 2.1 ms instead of 1.09
 *    - only as many blocks of triangles as run at once, which take turns: 41, 443, 53
 *    - most of a multiprocessor's memory as shared memory, which leaves little for L1: 40, 479, 52
 * Shared memory counts twice: blocks of triangles can use only what blocks of vertices leave of it, 164 KB for both.
 *
 * Measured on `halo` (36.0 us, by the fixed rule 34.7) and dropped: exactly as many blocks as there are turns (36.0); and
 * triangles that read their brick and its neighbours' slots, which cull has left, before they wait for vertices: predicted
 * 0.7 us less, measured 0.4 more, because what is kept across the wait spills.
 *
 * Also by the clock, a block of open cells of the aneurism, where the blocks that do bricks end after 7 us at the
 * latest: 1.0 us for its rows, 0.5 to find its cells in them, 3 for the numbers of their vertices and their subcases, 1
 * to 2.8 if some have vertices inside, and 0.5 to write. That is 4 us without vertices inside and 7.5 with them.
 * Measured on an H100 (where it took 23.4 us, and the MRI 51.2) and dropped:
 *    - rows that know their brick's number, so that the list is not asked; cells listed, not searched for: 23.5, 50.6
 *    - reserving triangles beside the vertices inside, and announcing the end of a share later: 23.4, 50.5
 *    - pairs of warps, of which one decides and one numbers: 23.6, 52.4. If the number of the barrier is not a constant,
 *      the kernel reserves all sixteen barriers, and fewer blocks run: 23.1, 65.1
 *    - all six faces decided without branches: 22.9, 50.6 */
#include "fused_cuda_find.cuh"
#include "fused_cuda_number.cuh"
#include "fused_cuda_ordered_triangles.cuh"
#include "fused_cuda_ordered_vertices.cuh"
#include "launch_chain.h"

/* ---- cull ---------------------------------------------------------------------------------------------------------- */

/* Find the active bricks and give them slots. Bricks with many vertices have their own part of the list, at its end,
 * and start first, so that no launch ends with waiting for a few of them. The previous run tells which they are; most
 * stay heavy while a value is dragged. */
template <bool ORDERED> static __global__ void __launch_bounds__(THREADS) cull(GRID_CONST struct fused_args args)
{
    __shared__ uint32_t before[THREADS / WARP]; /* active bricks in the warps before: heavy ones << 16 | others */
    __shared__ uint32_t inside[THREADS / WARP]; /* voxels of each warp's bricks that are wholly inside */
    __shared__ uint64_t base;
    const struct fused_desc &d = args.desc;
    const struct fused_memory &m = args.memory;
    const uint32_t nx = (uint32_t)d.bricks.nx, ny = (uint32_t)d.bricks.ny;
    const size_t bricks = d.bricks.nx * d.bricks.ny * d.bricks.nz;
    const unsigned lane = lane_index(), warp = threadIdx.x / WARP;
    let_next_launch_begin();
    if (ORDERED) clear_counts(&args);
    for (size_t first = (size_t)blockIdx.x * THREADS; first < bricks; first += thread_count()) {
        const size_t i = first + threadIdx.x;
        const uint32_t marks = i - lane < bricks ? m.heavy[i / WARP] : 0;
        const bool active = i < bricks && brick_state_of(d.bricks.range[i], d.iso) == BRICK_ACTIVE;
        const bool marked = marks >> lane & 1;
        const uint32_t all = __ballot_sync(ALL_LANES, active), heavy = all & marks, others = all & ~marks;
        if (marks && lane == 0) m.heavy[i / WARP] = 0;
        const uint32_t below = (1u << lane) - 1, number = (uint32_t)i;
        if (lane == 0) before[warp] = popcount32(heavy) << 16 | popcount32(others);
        if (ORDERED) {
            const bool filled = i < bricks && brick_state_of(d.bricks.range[i], d.iso) == BRICK_INSIDE;
            const uint32_t voxels = voxels_of_bricks(&d, number, filled);
            if (lane == 0) inside[warp] = voxels;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            uint32_t total = 0;
            for (unsigned w = 0; w < THREADS / WARP; w++) {
                const uint32_t own = before[w];
                before[w] = total;
                total += own;
            }
            if (total) base = reserve(&m.state->bricks, (uint64_t)(total >> 16) << 32 | (total & 0xffff));
            if (ORDERED) add_voxels(&m.state->inside, inside);
        }
        __syncthreads();
        const uint64_t slot = marked ? (base >> 32) + (before[warp] >> 16) + popcount32(heavy & below)
                                     : (uint32_t)base + (before[warp] & 0xffff) + popcount32(others & below);
        const bool kept = active && slot < d.brick_capacity;
        const uint32_t index = (uint32_t)(marked ? d.brick_capacity - 1 - slot : slot);
        if (kept) m.list[index] = { number % nx, number / nx % ny, number / nx / ny, number };
        if (i < bricks) m.slot_of[i] = kept ? index : NO_SLOT;
        __syncthreads(); /* before the next bricks */
    }
}

/* ---- launch -------------------------------------------------------------------------------------------------------- */

/* Return the number of blocks for a launch whose bricks only the device knows: enough for the capacity, up to a limit. */
static unsigned blocks_for(const struct fused_desc *d, const struct exec *x)
{
    enum { PER_PROCESSOR = 64 }; /* several times what runs at once, so that blocks with little work make room */
    int processors = 0;
    if (clear_error(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, x->device))) processors = 64;
    const unsigned limit = (unsigned)processors * PER_PROCESSOR, blocks = launch_blocks(d->brick_capacity, BLOCK_WARPS);
    return blocks < limit ? blocks : limit;
}

static int run_chain(const struct chain_link *link, unsigned links, const struct fused_desc *d, struct fused_memory m,
                     struct exec *x)
{
    static_assert(sizeof(struct fused_args) <= CHAIN_BYTES, "a chain copies its argument");
    struct fused_args args = { *d, m };
    const size_t gap = offsetof(struct fused_desc, iso) + sizeof d->iso; /* padding: its bytes would count as a change */
    memset((char *)&args.desc + gap, 0, offsetof(struct fused_desc, bricks) - gap);
    return launch_chain_run(link, links, &args, sizeof args, x);
}

template <bool COPIED> static int run_bricks(const struct fused_desc *d, struct exec *x)
{
    const uint64_t bricks = (uint64_t)d->bricks.nx * d->bricks.ny * d->bricks.nz;
    const unsigned blocks = blocks_for(d, x), more = blocks / OPEN_BLOCKS + 1;
    struct chain_link link[] = { { (const void *)cull<false>, launch_blocks(bricks, THREADS), THREADS }, {}, {} };
    if (d->brick_capacity > INT32_MAX / ROWS) return cudaErrorInvalidValue; /* open rows are numbered in 32 bits */
    LAUNCH_TYPED(d->grid.type, link[1] = { (const void *)vertices<TYPE, COPIED>, blocks, BLOCK };
                 link[2] = { (const void *)triangles<TYPE>, blocks + more, BLOCK });
    return run_chain(link, sizeof link / sizeof *link, d, memory_of(d), x);
}

static int run_brick(const struct fused_desc *d, struct exec *x) { return run_bricks<false>(d, x); }

/* ---- halo ----------------------------------------------------------------------------------------------------------
 * The 45 rows that a brick reads lie far apart in the volume. Of each it needs 34 voxels, but in uint8 they are in three
 * sectors of 32 bytes, so a brick reads 3.7 KB to get 1.5. If rows are no whole units of 16 bytes, as in many
 * files, they are even read voxel by voxel.
 *
 * Idea: a copy of the volume in which they lie together (fused_cuda_halo.cuh), 7 rows after each other in each of 7
 * slices. It is made once per volume. A brick then reads 2.4 KB in whole units, whatever the size of the volume. In
 * shared memory, rows are 48 bytes apart instead of 64, so when each lane reads the bits of one row, they meet in
 * different banks.
 *
 * Predicted at 1024^3, where vertices take 228 us: 190 for them, so 400 for all. At 256^3: nothing, because there the
 * instructions count, not the bytes. Measured on an H200, us; rows of 250^3 and 1000^3 are no whole units, and the gyroid
 * is float32:
 *
 *             CT 256^3   512^3   1024^3   250^3   1000^3   gyroid 512^3
 *    brick        39.4   112.5    424      45.1    593          338
 *    halo         36.1   103.1    384      34.6    370          288
 *
 * So 256^3 gains, too: vertices take 17.0 us under ncu instead of 19.7, with 7 % fewer instructions and a warp ready to
 * issue in 66 % of the cycles instead of 58.
 *
 * Open cells read their values from the copy as well, because nothing else reads the volume. That takes 0.6 us less for
 * the bonsai and the aneurism, and 1.1 for the MRI.
 *
 * What limits it at 256^3: vertices and triangles have 17.3 million warp instructions, which take 16.8 us if every
 * scheduler issues one in each cycle. They take 35 us under ncu, because a scheduler has a warp that can issue in only two
 * of three cycles, and because blocks are few when a launch begins and ends. At 1024^3 they have 258 million, which is 249
 * of 372 us; L2 is busy for 65 % of the time that vertices take.
 *
 * Cost: memory, 1.5 times the volume for 8 bits, 1.25 for 16, and 1.125 for float32. And time, 31 us for 256^3, 175 for
 * 512^3, and 1330 for 1024^3, half of the copy rate. So it takes as long as 6 to 40 changes of the value gain. The
 * pipeline makes the copy before the second surface of a volume, and only if enough memory is free (iso_copy.c); without
 * the copy, this rung is `brick`.
 *
 * Dropped: the copy engine (cp.async.bulk), with a copy per slice and a barrier per warp. It took 37.4, 109 and 405 us,
 * and as long for float32. Also units that go through L1: they take as long for uint8, but 355 us for the gyroid. */

static int run_halo(const struct fused_desc *d, struct exec *x)
{
    return d->copy ? run_bricks<true>(d, x) : run_bricks<false>(d, x);
}

static size_t copy_bytes(const struct grid *grid)
{
    size_t bytes = 0;
    LAUNCH_TYPED(grid->type, bytes = halo_bytes<TYPE>(grid));
    return bytes;
}

static int copy(const struct grid *grid, void *to, struct exec *x)
{
    int code = cudaErrorInvalidValue;
    LAUNCH_TYPED(grid->type, code = halo_launch<TYPE>(grid, to, x));
    return code;
}

/* ---- ordered -------------------------------------------------------------------------------------------------------
 * The unordered rung gives a brick the next free numbers, so the mesh is different each time: good to look at, but not
 * to export or to compare. The stages number x fastest through the whole volume, but move 12 bytes and more for each 32
 * voxels, even for those without surface: 1.8 ms for 1024^3.
 *
 * Idea: number what the active bricks have before any of it is made. In the order of the stages, the rows of a brick
 * lie far apart: between two of them come all other bricks of the layer. So there are these launches:
 *
 *    find      what each row of a brick has, vertices and triangles. Additions give the sums of each line of bricks in each
 *              slice of voxels, and of each layer of bricks
 *    number    a block takes 16 lines of bricks and sums up what comes before; a lane has one row in each of the active
 *              bricks of a line, and goes through their counts twice: first for the sums, then for the numbers
 *    vertices, triangles  as before, but at places that are already known; nothing is reserved
 *
 * A scan of all rows, active or not, would be simpler, but takes 8 bytes for each 32 voxels: 268 MB at 1024^3, read and
 * written, some 130 us. Sorting the active rows moves less, but takes four passes. The sums of lines are only 2 MB;
 * besides them, number reads 4 bytes for the slot of each brick and 64 for each active one. Its blocks do not wait for
 * each other, so there is no look-back.
 *
 * Three things make it cheap. First, triangles are counted without looking at cells. In a cell that is not open, the
 * surface is one polygon; it has two triangles fewer than corners, and its corners are the crossed edges. So a
 * population count covers 32 cells. Second, the vertices of a voxel follow each other: x, y, z, then those inside its
 * cell. The words have four bits per voxel, in the order of the vertices, so one population count gives the number of a
 * vertex, as in the unordered rung. Third, open cells are decided while their voxels are in L1; after that they are
 * cells like all others.
 *
 * It reads from the copy of `halo` where there is one. Exports and slabs use this rung, and pictures of `render`.
 *
 * Cost: voxels are read twice, 25 rows and 45; two more launches; 1 KB per brick for the subcases of its cells.
 * Predicted for an H200, the CT at 40.5: 51 us at 256^3 (cull 3, find 8, number 4, vertices 17, triangles 17, gaps 2)
 * and 505 us at 1024^3 (17, 95, 14, 195, 180, gaps 4); find has some 375 instructions per brick, and vertices 270 fewer
 * than in the unordered rung. Measured at first: 61.0 us at 256^3 (3.8, 12.1, 8.1, 21.0, 24.2) and 730 us at 1024^3
 * (20, 113, 120, 229, 236).
 *
 * The bottleneck of number was latency. A thread walked along a line of voxels, brick by brick, active or not, with one
 * dependent load after the other. In a second version a warp listed the active bricks of 32 lines of bricks, with a
 * lane for each line. That took 10.6 and 54 us, with 1.4 and 11.3 million instructions; but a block had one slice, and
 * at 256^3 only two of its eight warps had lines. Now the sums of lines come from find, so any block can begin
 * anywhere. A line has 16 lanes, which do its four slices at the same time, and a block waits for only two dependent
 * loads. Predicted: 3 us and 15 to 20. Measured: 7 and 36, which brought the whole from 58 and 635 us to 56.4 and 622.
 * At 1024^3 it has twice the instructions, because there are 4096 blocks and each sums up a layer.
 *
 * The bottleneck of triangles is shared memory, as above. With notes for 96 cells per warp instead of 128, and with 56
 * registers, nine blocks run at once instead of seven: 55.4 and 596 us.
 *
 * From the copy it takes 52.7, 141 and 551 us for 256^3, 512^3 and 1024^3. Under ncu, at 256^3, find takes 9.3 us, number
 * 5.6, vertices 17.3 and triangles 21.3. `halo` takes 36.1 us for the same, so the window uses `halo`.
 *
 * Considered but not built: a thread per line of bricks that reads all slots by itself (14 M instructions instead of 9
 * M, and each load touches 32 lines of L1). */

template <bool COPIED> static int run_ordered_bricks(const struct fused_desc *d, struct exec *x)
{
    enum { MOST_BLOCKS = 4096 }; /* of `number`: each reads the counts of all layers below its own */
    const uint64_t bricks = (uint64_t)d->bricks.nx * d->bricks.ny * d->bricks.nz, groups = number_groups(&d->bricks);
    const unsigned blocks = blocks_for(d, x), finding = (blocks + FIND_BRICKS - 1) / FIND_BRICKS,
                   numbering = groups < MOST_BLOCKS ? (unsigned)groups : (unsigned)MOST_BLOCKS;
    struct chain_link link[] = { { (const void *)cull<true>, launch_blocks(bricks, THREADS), THREADS },
                                 {},
                                 { (const void *)number, numbering + 1, THREADS },
                                 {},
                                 { (const void *)ordered_triangles, blocks, BLOCK } };
    if (d->brick_capacity > INT32_MAX / ROWS) return cudaErrorInvalidValue;
    LAUNCH_TYPED(d->grid.type, link[1] = { (const void *)find<TYPE, COPIED>, finding, BLOCK };
                 link[3] = { (const void *)ordered_vertices<TYPE, COPIED>, blocks, BLOCK });
    return run_chain(link, sizeof link / sizeof *link, d, ordered_memory_of(d), x);
}

static int run_ordered(const struct fused_desc *d, struct exec *x)
{
    return d->copy ? run_ordered_bricks<true>(d, x) : run_ordered_bricks<false>(d, x);
}

/* ---- the table ----------------------------------------------------------------------------------------------------- */

/* clang-format off */
const struct fused_rung fused_cuda[] = {
    { { "none", "the stages, one by one", false }, NULL, NULL },
    { { "brick", "a warp per active brick, its voxels in shared memory; records for the neighbours", false }, run_brick,
      scratch_bytes, NULL, true },
    { { "halo", "as brick, from a copy of the volume in which a brick's voxels and their neighbours lie together", true },
      run_halo, scratch_bytes, NULL, true, copy_bytes, copy },
    { { "ordered", "the same mesh as the stages: count, number the rows, then write", false }, run_ordered,
      ordered_scratch_bytes, ordered_totals_at, true, copy_bytes, copy },
    {},
};
/* clang-format on */
