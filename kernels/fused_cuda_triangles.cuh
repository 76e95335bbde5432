/* The third launch of fused: the triangles of a brick's cells, whose vertices come from the records of the brick and
 * its neighbours. Open cells get no triangles here; fused_cuda_open.cuh makes theirs. Part of fused_cuda.cu. */
#ifndef ISO_FUSED_CUDA_TRIANGLES_CUH
#define ISO_FUSED_CUDA_TRIANGLES_CUH

#include "fused_cuda_open.cuh"

enum {
    CELL_TURNS = 4, /* of 32 cells each that a warp looks up before the block writes: all, for most bricks */
    PART_CELLS = CELL_TURNS * WARP,
    CELL_NOTES = 3 * PART_CELLS, /* triangles of a warp that are noted at a time; a cell has two on average */
    CELL_ROW = 5,
    CELL_BITS = 10, /* a cell: voxel | touched row << CELL_ROW */
    EDGE_BITS = 12, /* three cube edges */
    TRIANGLE_WARP = CELL_BITS + EDGE_BITS,
    ENTRIES_NEXT = 3 * TOUCHED * 8, /* bytes from an entry to that of the brick past voxel 31 */
    HALF = WARP / 2,
};

static_assert(CELL_NOTES >= WARP * MC_MAX_TRIANGLES, "or a warp could not take 32 cells");

struct __align__(8) edge_entry { uint32_t bits, first; };  /* vertex at `lane`: number first + popc(bits below lane) */
struct __align__(8) edge_offset { uint32_t bytes, next; }; /* from a row's first entry to an edge's; 1: of the next voxel */

struct triangle_work {                       /* of a warp */
    struct edge_entry entry[2][TOUCHED * 3]; /* [voxels 0 to 31, or 32][3 * touched row + axis] */
    uint2 inside[TOUCHED];                   /* 33 bits of each touched row */
    uint16_t cell[BRICK_CELLS];              /* the active ones */
};

struct block_triangles {
    struct triangle_work warp[BLOCK_WARPS];
    struct shares shares;
    uint64_t base;                           /* number of the block's first triangle */
    struct edge_offset offset[12];           /* of each cube edge */
    uint32_t note[BLOCK_WARPS * CELL_NOTES]; /* cell | edges << CELL_BITS | warp << TRIANGLE_WARP */
};

static __device__ __forceinline__ struct edge_offset edge_offset_of(unsigned edge)
{
    const unsigned rows = mc_edge_dy(edge) + SPAN * mc_edge_dz(edge);
    return { (3 * rows + mc_edge_axis(edge)) * (uint32_t)sizeof(struct edge_entry), mc_edge_dx(edge) };
}

static __device__ __forceinline__ void keep_row(struct edge_entry *entry, uint4 row)
{
    const uint32_t along_y = row.w + popcount32(row.x);
    entry[0] = { row.x, row.w };
    entry[1] = { row.y, along_y };
    entry[2] = { row.z, along_y + popcount32(row.y) };
}

/* Load the edges of touched row r into lane r, from the record of the brick that owns it, for voxels 0 to 31 and past
 * voxel 31. Where no brick is active, no edge is crossed, and the entry is never used. */
static __device__ __forceinline__ void load_rows(struct triangle_work *work, const struct fused_desc *d,
                                                 const struct fused_memory *m, struct active_brick brick)
{
    const uint32_t nx = (uint32_t)d->bricks.nx, ny = (uint32_t)d->bricks.ny, nz = (uint32_t)d->bricks.nz;
    const unsigned r = lane_index(), j = r % SPAN, k = r / SPAN, dy = j / BRICK_Y, dz = k / BRICK_Z;
    if (r >= TOUCHED) return;
    uint32_t slot[2];
    uint4 row[2] = { { 0, 0, 0, 0 }, { 0, 0, 0, 0 } };
#pragma unroll
    for (unsigned dx = 0; dx < 2; dx++)
        slot[dx] = brick.x + dx < nx && brick.y + dy < ny && brick.z + dz < nz
                       ? m->slot_of[brick.number + dx + (dy + dz * ny) * nx]
                       : NO_SLOT;
#pragma unroll
    for (unsigned dx = 0; dx < 2; dx++)
        if (slot[dx] != NO_SLOT) row[dx] = m->record[slot[dx]].row[k % BRICK_Z * BRICK_Y + j % BRICK_Y];
    keep_row(&work->entry[0][3 * r], row[0]);
    keep_row(&work->entry[1][3 * r], row[1]);
}

/* List the active cells from the inside bits of the touched rows, with half a row per lane. Return their number. */
static __device__ __forceinline__ uint32_t list_cells(uint16_t *cell, const uint2 *inside, const struct brick_pos *p)
{
    const unsigned lane = lane_index(), row = lane / 2, begin = lane % 2 * HALF;
    const unsigned j = row % BRICK_Y, k = row / BRICK_Y, r = j + SPAN * k;
    uint32_t any = 0, all = ~0u;
#pragma unroll
    for (unsigned q = 0; q < 4; q++) {
        const uint2 bits = inside[r + q % 2 + q / 2 * SPAN];
        const uint32_t piece = __funnelshift_r(bits.x, bits.y, begin);
        any |= piece;
        all &= piece;
    }
    uint32_t active = (any | any >> 1) & ~(all & all >> 1) & ((1u << HALF) - 1);
    if (!p->whole) {
        const bool here = p->at.y + j + 1 < p->n.y && p->at.z + k + 1 < p->n.z;
        active = here ? active & first_bits(p->n.x - 1 - p->at.x) >> begin : 0;
    }
    uint32_t total;
    uint16_t *to = cell + warp_prefix(popcount32(active), &total);
    for (; active; active &= active - 1) *to++ = (uint16_t)((__ffs(active) - 1 + begin) | r << CELL_ROW);
    return total;
}

/* Return the case of a cell. */
static __device__ __forceinline__ unsigned case_of(const uint2 *inside, unsigned cell)
{
    unsigned index = 0;
#pragma unroll
    for (unsigned q = 0; q < 4; q++) {
        const uint2 bits = inside[(cell >> CELL_ROW) + q % 2 + q / 2 * SPAN];
        index |= (__funnelshift_r(bits.x, bits.y, cell % WARP) & 3) << 2 * q;
    }
    return index;
}

struct cells {
    uint64_t packed[CELL_TURNS];
    unsigned at[CELL_TURNS];
}; /* of a lane: their triangles, as in the table */

/* Look up the listed cells [first, end); return the number of triangles of this lane's cells. */
static __device__ __forceinline__ unsigned look_up_cells(struct cells *c, const struct triangle_work *work, uint32_t first,
                                                         uint32_t end, const struct mc_tables *tables)
{
    unsigned triangles = 0;
#pragma unroll
    for (unsigned turn = 0; turn < CELL_TURNS; turn++) {
        const uint32_t i = first + turn * WARP + lane_index();
        c->packed[turn] = 0;
        if (i < end) {
            c->at[turn] = work->cell[i];
            c->packed[turn] = tables->packed[case_of(work->inside, c->at[turn])];
            triangles += (unsigned)(c->packed[turn] >> 60);
        }
    }
    return triangles;
}

static __device__ __forceinline__ void note_triangles(uint32_t *note, const struct cells *c, unsigned warp)
{
#pragma unroll
    for (unsigned turn = 0; turn < CELL_TURNS; turn++) {
        uint64_t packed = c->packed[turn];
        const uint32_t rest = c->at[turn] | warp << TRIANGLE_WARP, *end = note + (unsigned)(packed >> 60);
#pragma unroll 1
        for (; note < end; packed >>= EDGE_BITS) *note++ = rest | ((uint32_t)packed & ((1u << EDGE_BITS) - 1)) << CELL_BITS;
    }
}

static __device__ __forceinline__ uint32_t corner_vertex(const char *row, struct edge_offset offset, unsigned voxel)
{
    const unsigned lane = voxel + offset.next;
    const struct edge_entry e = *(const struct edge_entry *)(row + offset.bytes + lane / WARP * ENTRIES_NEXT);
    return e.first + popcount32(e.bits & ((1u << lane % WARP) - 1));
}

static __device__ __forceinline__ void write_triangles(uint32_t *out, const struct block_triangles *block, uint32_t total)
{
    uint32_t *to = out + 3 * threadIdx.x; /* advancing takes fewer instructions than computing it each time */
    for (uint32_t i = threadIdx.x; i < total; i += BLOCK, to += 3 * BLOCK) {
        const uint32_t note = block->note[i];
        const unsigned voxel = note % WARP, r = note >> CELL_ROW & 31;
        const char *row = (const char *)&block->warp[note >> TRIANGLE_WARP].entry[0][3 * r];
#pragma unroll
        for (unsigned c = 0; c < 3; c++) to[c] = corner_vertex(row, block->offset[note >> (CELL_BITS + 4 * c) & 15], voxel);
    }
}

/* With 56 registers, nine blocks run at once. Bricks need 40; open cells spill four words, and with fewer
 * registers more. */
template <enum voxel_type T> static __global__ void __maxnreg__(56) triangles(GRID_CONST struct fused_args args)
{
    __shared__ union {
        struct block_triangles bricks;
        struct block_open open;
    } shared;
    struct block_triangles &block = shared.bricks;
    const unsigned warp = threadIdx.x / WARP, lane = lane_index();
    struct triangle_work *work = &block.warp[warp];
    const struct fused_desc &d = args.desc;
    const struct fused_memory &m = args.memory;
    wait_for_launch_before();
    const struct bricks_used used = bricks_used(m.state->bricks, d.brick_capacity);
    const uint32_t turns = (used.all + BLOCK_WARPS - 1) / BLOCK_WARPS;
    const struct open_share open = open_share_of(&m, turns);
    const uint32_t stride = gridDim.x - open.blocks; /* the other blocks do the bricks */
    const uint32_t shares = open.blocks * BLOCK_WARPS + (turns < stride ? turns : stride);
    const uint32_t group = blockIdx.x >> open.spread, open_before = group < open.blocks ? group + 1 : open.blocks;
    if (group < open.blocks && blockIdx.x == group << open.spread) {
        open_triangles<T>(&d, &m, &shared.open, &open, shares);
        return;
    }
    if (threadIdx.x < 12) block.offset[threadIdx.x] = edge_offset_of(threadIdx.x);
    if (!turns && !blockIdx.x && !threadIdx.x) finish(&d, m.state, 0, false);

    for (uint32_t turn = blockIdx.x - open_before; turn < turns; turn += stride) {
        const uint32_t slot = slot_of_turn(&used, d.brick_capacity, turn, turns, warp, BLOCK_WARPS);
        uint32_t cells = 0, done = 0;
        bool more;
        if (slot != NO_SLOT) {
            const struct active_brick brick = m.list[slot];
            const struct brick_pos p = brick_pos_of(&d, brick);
            const uint32_t word = m.record[slot].inside[lane], column = __shfl_sync(ALL_LANES, word, TOUCHED);
            if (lane < TOUCHED) work->inside[lane] = { word, column >> lane & 1 };
            load_rows(work, &d, &m, brick);
            __syncwarp();
            cells = list_cells(work->cell, work->inside, &p);
            __syncwarp();
        }
        do {
            uint32_t end = cells - done < PART_CELLS ? cells : done + PART_CELLS, own, before;
            struct cells c;
            for (;; end = done + WARP) { /* fewer cells if these have too many triangles */
                before = warp_prefix(look_up_cells(&c, work, done, end, d.tables), &own);
                if (own <= CELL_NOTES) break;
            }
            done = end;
            if (lane == 0) block.shares.of[warp] = own;
            more = __syncthreads_or(done < cells);
            const bool last = !more && turn + stride >= turns;
            const uint32_t total = shares_before(&block.shares, BLOCK_WARPS);
            uint64_t reserved = 0;
            if (threadIdx.x == 0) reserved = reserve(&m.state->triangles, total + (last ? SHARE_DONE : 0));
            note_triangles(block.note + shares_before(&block.shares, warp) + before, &c, warp);
            if (threadIdx.x == 0) block.base = reserved % SHARE_DONE; /* used only now, because it takes long to arrive */
            if (threadIdx.x == 0 && last && reserved / SHARE_DONE == shares - 1)
                finish(&d, m.state, reserved % SHARE_DONE + total, open.blocks > 0);
            __syncthreads();
            if (block.base + total <= d.triangle_capacity) write_triangles(d.mesh.indices + 3 * block.base, &block, total);
            __syncthreads(); /* before the next notes */
        } while (more);
    }
}

#endif
