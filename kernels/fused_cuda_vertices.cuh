/* The second launch of fused: vertices on edges, records of the bricks, and where the open cells are. Part of
 * fused_cuda.cu. */
#ifndef ISO_FUSED_CUDA_VERTICES_CUH
#define ISO_FUSED_CUDA_VERTICES_CUH

#include "fused_cuda_halo.cuh"
#include "fused_cuda_memory.cuh"

/* ---- vertices: words and notes ------------------------------------------------------------------------------------- */

enum {
    NOTE_WORD = 5,
    NOTE_WARP = 11,                    /* a note: voxel | word << NOTE_WORD | warp << NOTE_WARP */
    PART_VERTICES = 256 * BLOCK_WARPS, /* noted at a time; few blocks have more */
    SHARE_ROWS = 16,                   /* a warp's share: vertices | rows with open cells << SHARE_ROWS */
    SHARE_VERTICES = (1 << SHARE_ROWS) - 1,
    HEAVY_VERTICES = 192, /* a tenth of the CT's bricks at 40.5 have more */
};

template <enum voxel_type T, bool COPIED> struct vertex_work { /* of a warp */
    struct brick_voxels<T, COPIED> voxels;
    uint32_t inside[WARP];              /* as in the record */
    uint32_t bits[WORDS], first[WORDS]; /* [row + ROWS * axis]: crossed edges along it; vertices before them */
    uint4 place;                        /* x, y, z: the brick's first voxel, in the whole volume; w: brick_pos.interior */
};

template <enum voxel_type T, bool COPIED> struct block_vertices {
    struct vertex_work<T, COPIED> warp[BLOCK_WARPS];
    struct shares shares;
    uint64_t base; /* number of the block's first vertex */
    uint64_t open; /* and of its first row with open cells */
    uint16_t note[PART_VERTICES];
};

/* Find the inside words of the touched rows, and the column of voxels 32. */
template <enum voxel_type T, bool COPIED>
static __device__ __forceinline__ void find_inside(struct vertex_work<T, COPIED> *work, float iso,
                                                   const struct brick_pos *p)
{
    typedef struct brick_voxels<T, COPIED> voxels_t;
    const unsigned lane = lane_index(), j = lane % SPAN, k = lane / SPAN;
    const typename voxel<T>::type *value = work->voxels.value + voxels_t::ORIGIN;
    const typename bar<T>::type bar = bar_of<T>(iso);
    if (T == VOXEL_FLOAT32) {
#pragma unroll
        for (unsigned r = 0; r < TOUCHED; r++) {
            const bool inside = value[r / SPAN * voxels_t::LAYER + r % SPAN * voxels_t::PITCH + lane] >= bar;
            const uint32_t word = __ballot_sync(ALL_LANES, inside);
            if (lane == 0) work->inside[r] = word; /* keeping each word in its lane would take a predicate per row */
        }
    } else if (lane < TOUCHED) work->inside[lane] = row_inside<T>(&work->voxels, lane, iso);
    bool beyond = lane < TOUCHED && value[k * voxels_t::LAYER + j * voxels_t::PITCH + WARP] >= bar;
    if (!p->whole) {
        const bool here = p->at.y + j < p->n.y && p->at.z + k < p->n.z;
        __syncwarp();
        if (lane < TOUCHED) work->inside[lane] = here ? work->inside[lane] & first_bits(p->n.x - p->at.x) : 0;
        beyond = beyond && here && p->at.x + WARP < p->n.x;
    }
    const uint32_t column = __ballot_sync(ALL_LANES, beyond);
    if (lane == 0) work->inside[TOUCHED] = column;
}

/* Find the crossed edges of the owned rows, a lane each, and the vertices before them; *total: all vertices. */
template <enum voxel_type T, bool COPIED>
static __device__ __forceinline__ uint4 find_edges(struct vertex_work<T, COPIED> *work, const struct brick_pos *p,
                                                   uint32_t *total)
{
    const unsigned lane = lane_index(), j = lane % BRICK_Y, k = lane / BRICK_Y, r = j + SPAN * k;
    uint4 e = { 0, 0, 0, 0 };
    if (lane < ROWS) {
        const uint32_t word = work->inside[r], column = work->inside[TOUCHED];
        e.x = word ^ (word >> 1 | (column >> r & 1) << (WARP - 1));
        e.y = word ^ work->inside[r + 1];
        e.z = word ^ work->inside[r + SPAN];
        if (!p->whole) {
            const bool here = p->at.y + j < p->n.y && p->at.z + k < p->n.z;
            e.x = here ? e.x & first_bits(p->n.x - 1 - p->at.x) : 0;
            if (!here || p->at.y + j + 1 >= p->n.y) e.y = 0; /* past nx both words are 0 */
            if (!here || p->at.z + k + 1 >= p->n.z) e.z = 0;
        }
    }
    const uint32_t x = popcount32(e.x), y = popcount32(e.y);
    e.w = warp_prefix(x + y + popcount32(e.z), total);
    if (lane < ROWS) {
        work->bits[lane] = e.x, work->first[lane] = e.w;
        work->bits[lane + ROWS] = e.y, work->first[lane + ROWS] = e.w + x;
        work->bits[lane + 2 * ROWS] = e.z, work->first[lane + 2 * ROWS] = e.w + x + y;
    }
    return e;
}

/* Return the open cells of the owned rows, a lane each. */
static __device__ __forceinline__ uint32_t find_open(const uint32_t inside[WARP], const struct brick_pos *p)
{
    const unsigned lane = lane_index(), j = lane % BRICK_Y, k = lane / BRICK_Y;
    if (lane >= ROWS) return 0;
    uint32_t corner[8];
#pragma unroll
    for (unsigned q = 0; q < 4; q++) {
        const unsigned r = j + q % 2 + SPAN * (k + q / 2);
        corner[2 * q] = inside[r];
        corner[2 * q + 1] = __funnelshift_r(inside[r], inside[TOUCHED] >> r, 1);
    }
    const uint32_t open = mc_open_cells(corner);
    if (p->whole) return open;
    return p->at.y + j + 1 < p->n.y && p->at.z + k + 1 < p->n.z ? open & first_bits(p->n.x - 1 - p->at.x) : 0;
}

/* Note the warp's vertices. The first has the number `first` in the current part. all: the part holds the vertices of
 * the whole block, so none needs a check (8 instructions per vertex instead of 13); otherwise those outside it are
 * skipped. */
template <enum voxel_type T, bool COPIED>
static __device__ __forceinline__ void note_vertices(struct block_vertices<T, COPIED> *block, unsigned warp, uint32_t first,
                                                     bool all)
{
    const struct vertex_work<T, COPIED> *work = &block->warp[warp];
#pragma unroll
    for (unsigned begin = 0; begin < WORDS; begin += WARP) {
        const unsigned w = begin + lane_index();
        if (w >= WORDS) break;
        uint32_t bits = work->bits[w];
        const uint32_t rest = w << NOTE_WORD | warp << NOTE_WARP;
        uint32_t i = work->first[w] + first;
        if (all) /* by an address, which takes fewer instructions than an index */
            for (uint16_t *to = block->note + i; bits; bits &= bits - 1, to++) *to = (uint16_t)((__ffs(bits) - 1) | rest);
        else
            for (; bits; bits &= bits - 1, i++)
                if (i < PART_VERTICES) block->note[i] = (uint16_t)((__ffs(bits) - 1) | rest);
    }
}

/* ---- vertices: one by one ------------------------------------------------------------------------------------------ */

/* Return whether the vertex on the edge along `axis` of a voxel has all neighbours. */
static __device__ __forceinline__ bool is_interior(uint3 at, uint3 n, unsigned axis)
{
    return at.x && at.y && at.z && at.x + (axis == 0) + 1 < n.x && at.y + (axis == 1) + 1 < n.y &&
           at.z + (axis == 2) + 1 < n.z;
}

/* Return the vertex on the edge along `axis` of voxel (lane, j, k) of a brick. origin: the grid's first voxel in the
 * whole volume. brick: that of the brick, as vertex_work.place. */
template <enum voxel_type T, bool COPIED>
static __device__ __forceinline__ struct vertex vertex_of_brick(const struct brick_voxels<T, COPIED> *voxels,
                                                                const struct grid *g, float iso, uint3 origin, uint4 brick,
                                                                unsigned lane, unsigned j, unsigned k, unsigned axis)
{
    const uint3 n = { (uint32_t)g->nx, (uint32_t)g->ny, (uint32_t)g->nz };
    const uint3 place = { brick.x + lane, brick.y + j, brick.z + k };
    const bool interior = brick.w || (g->margin >= SURE_MARGIN && is_interior(place_in(place, origin), n, axis));
    struct vertex v;
    if (!interior || !brick_vertex<T>(&v, voxels, iso, g->margin, place, lane, j, k, axis))
        v = border_vertex<T>(voxels, g->voxels, iso, g->margin, n, place, origin, axis);
    return v;
}

/* Write the first `count` noted vertices. first: the grid's, in the whole volume. */
template <enum voxel_type T, bool COPIED>
static __device__ __forceinline__ void write_vertices(struct vertex *out, const struct grid *g, float iso, uint3 first,
                                                      const struct block_vertices<T, COPIED> *block, uint32_t count)
{
    struct vertex *to = out + threadIdx.x; /* advancing takes fewer instructions than computing it each time */
    for (uint32_t i = threadIdx.x; i < count; i += BLOCK, to += BLOCK) {
        const unsigned note = block->note[i], w = note >> NOTE_WORD & 63, row = w % ROWS;
        const struct vertex_work<T, COPIED> *work = &block->warp[note >> NOTE_WARP];
        store_vertex(to, vertex_of_brick<T>(&work->voxels, g, iso, first, work->place, note % WARP, row % BRICK_Y,
                                            row / BRICK_Y, w / ROWS));
    }
}

/* With 56 registers, nine blocks run at once; with fewer, values that live across calls spill. For float32, shared
 * memory allows only six. COPIED: the voxels come from d.copy. */
template <enum voxel_type T, bool COPIED>
static __global__ void __maxnreg__(T == VOXEL_FLOAT32 ? 80 : 56) vertices(GRID_CONST struct fused_args args)
{
    __shared__ struct block_vertices<T, COPIED> block;
    const unsigned warp = threadIdx.x / WARP, lane = lane_index();
    struct vertex_work<T, COPIED> *work = &block.warp[warp];
    const struct fused_desc &d = args.desc;
    const struct fused_memory &m = args.memory;
    wait_for_launch_before();
    const struct bricks_used used = bricks_used(m.state->bricks, d.brick_capacity);
    const uint32_t turns = (used.all + BLOCK_WARPS - 1) / BLOCK_WARPS;
    const bool by_units = has_units<T>(&d.grid);
    const uint32_t open_mask = d.tables->open_mask;
    const uint3 first = { grid_place(&d.grid, 0, 0), grid_place(&d.grid, 1, 0), grid_place(&d.grid, 2, 0) };
    let_next_launch_begin();

    for (uint32_t turn = blockIdx.x; turn < turns; turn += gridDim.x) {
        const uint32_t slot = slot_of_turn(&used, d.brick_capacity, turn, turns, warp, BLOCK_WARPS);
        uint32_t own = 0, open = 0; /* vertices of the warp, open cells of the lane's row */
        uint4 edges = { 0, 0, 0, 0 };
        if (slot != NO_SLOT) {
            const struct active_brick brick = m.list[slot];
            const struct brick_pos p = brick_pos_of(&d, brick);
            load_brick<T>(&work->voxels, &d, &p, by_units);
            if (lane == 0) work->place = { first.x + p.at.x, first.y + p.at.y, first.z + p.at.z, p.interior };
            __syncwarp();
            find_inside<T>(work, d.iso, &p);
            __syncwarp();
            if (open_mask) open = find_open(work->inside, &p);
            edges = find_edges<T>(work, &p, &own);
            if (lane == 0 && own >= HEAVY_VERTICES) atomicOr(&m.heavy[brick.number / WARP], 1u << brick.number % WARP);
        } else {
            for (unsigned w = lane; w < WORDS; w += WARP) work->bits[w] = 0;
        }
        const uint32_t open_rows = __ballot_sync(ALL_LANES, open != 0);
        if (lane == 0) block.shares.of[warp] = own | popcount32(open_rows) << SHARE_ROWS;
        __syncthreads();
        const uint32_t both_before = shares_before(&block.shares, warp), both = shares_before(&block.shares, BLOCK_WARPS);
        const uint32_t before = both_before & SHARE_VERTICES, total = both & SHARE_VERTICES;
        uint64_t reserved = 0, reserved_rows = 0;
        if (threadIdx.x == 0) reserved = reserve(&m.state->vertices, total);
        if (threadIdx.x == BLOCK - 1 && both >> SHARE_ROWS) /* with its own sum, which is that of all: see reserve() */
            reserved_rows = reserve(&m.state->open, (both_before >> SHARE_ROWS) + popcount32(open_rows));
        if (total <= PART_VERTICES) note_vertices<T>(&block, warp, before, true);
        else note_vertices<T>(&block, warp, before, false);
        if (slot != NO_SLOT) m.record[slot].inside[lane] = work->inside[lane];
        if (threadIdx.x == 0) block.base = reserved;
        if (threadIdx.x == BLOCK - 1) block.open = reserved_rows;
        __syncthreads();
        const uint64_t base = block.base;
        if (slot != NO_SLOT && lane < ROWS)
            m.record[slot].row[lane] = { edges.x, edges.y, edges.z, (uint32_t)base + before + edges.w };
        if (open) {
            const uint32_t rows_before = (both_before >> SHARE_ROWS) + popcount32(open_rows & ((1u << lane) - 1));
            m.open[block.open + rows_before] = { slot * ROWS + lane, open };
        }
        const bool capacity = base + total <= d.vertex_capacity; /* else count only */
        for (uint32_t begin = 0; begin < total && capacity; begin += PART_VERTICES) {
            if (begin) {
                __syncthreads();
                note_vertices<T>(&block, warp, before - begin, false);
                __syncthreads();
            }
            const uint32_t count = total - begin < PART_VERTICES ? total - begin : (uint32_t)PART_VERTICES;
            write_vertices<T>(d.mesh.vertices + base + begin, &d.grid, d.iso, first, &block, count);
        }
        __syncthreads(); /* before the next bricks */
    }
}

#endif
