/* The fifth launch of the ordered rung of fused: the triangles, whose numbers are in the records. Open cells are
 * treated like all others here, because the second launch has already decided them. Part of fused_cuda.cu. */
#ifndef ISO_FUSED_CUDA_ORDERED_TRIANGLES_CUH
#define ISO_FUSED_CUDA_ORDERED_TRIANGLES_CUH

#include "fused_cuda_ordered.cuh"
#include "fused_cuda_triangles.cuh"

enum {
    ROW_ENTRIES = ROW_WORDS + 1, /* the last: of the voxel past the row */
    ORDERED_TURNS = 3,           /* as CELL_TURNS, but with less shared memory more blocks run at once */
    PART_NOTES = ORDERED_TURNS * WARP * MC_MAX_TRIANGLES, /* of a warp: enough for 32 cells with the most triangles */
    CORNERS = MC_INNER + MC_INNER_PAIR,
    SHARE_INNER = 16, /* a warp's share: triangles; bit SHARE_INNER and above: warps that have vertices inside cells */
    LONG_SHIFT = 60,  /* as in the table: triangles << LONG_SHIFT; more than MC_MAX_TRIANGLES: the rest is a subcase */
};

static_assert(PART_NOTES >= WARP * MC_MAX_SUBCASE_TRIANGLES, "or a warp could not take 32 cells");

/* Where the vertex of a cube edge is: bytes from a row's first entry to that of the edge's row; places from the voxel's
 * first place to the edge's; 1: the second of two. */
struct place_offset {
    uint16_t bytes;
    uint8_t place, second;
};

struct ordered_triangle_work {                     /* of a warp */
    struct edge_entry entry[TOUCHED][ROW_ENTRIES]; /* vertex at a place: number first + those at places below it */
    uint2 inside[TOUCHED];                         /* 33 bits of each touched row */
    uint32_t shift[TOUCHED];                       /* from the place of a row's notes to the numbers of its triangles */
    uint16_t cell[BRICK_CELLS];                    /* the active ones */
};

struct ordered_triangles_block {
    struct ordered_triangle_work warp[BLOCK_WARPS];
    struct shares shares;
    struct place_offset offset[CORNERS];
    uint32_t note[BLOCK_WARPS * PART_NOTES]; /* as in block_triangles */
};

static __device__ __forceinline__ struct place_offset place_offset_of(unsigned edge)
{
    const unsigned rows = mc_edge_dy(edge) + SPAN * mc_edge_dz(edge), inner = edge >= MC_INNER;
    return { (uint16_t)(rows * ROW_ENTRIES * sizeof(struct edge_entry)),
             (uint8_t)(PLACES * mc_edge_dx(edge) + (inner ? (unsigned)PLACE_INNER : mc_edge_axis(edge))),
             (uint8_t)(edge > MC_INNER) };
}

/* Load the vertices of touched row r into lane r, as load_rows() does; return whether some lie inside cells. */
static __device__ __forceinline__ bool load_places(struct ordered_triangle_work *work, const struct fused_desc *d,
                                                   const struct fused_memory *m, struct active_brick brick)
{
    const uint32_t nx = (uint32_t)d->bricks.nx, ny = (uint32_t)d->bricks.ny, nz = (uint32_t)d->bricks.nz;
    const unsigned r = lane_index(), j = r % SPAN, k = r / SPAN, dy = j / BRICK_Y, dz = k / BRICK_Z;
    const unsigned row = k % BRICK_Z * BRICK_Y + j % BRICK_Y;
    if (r >= TOUCHED) return false;
    uint32_t slot[2], first[2] = { 0, 0 }, next = 0;
    uint4 place = { 0, 0, 0, 0 };
#pragma unroll
    for (unsigned dx = 0; dx < 2; dx++)
        slot[dx] = brick.x + dx < nx && brick.y + dy < ny && brick.z + dz < nz
                       ? m->slot_of[brick.number + dx + (dy + dz * ny) * nx]
                       : NO_SLOT;
    if (slot[0] != NO_SLOT) place = m->ordered[slot[0]].place[row], first[0] = m->ordered[slot[0]].first_vertex[row];
    if (slot[1] != NO_SLOT) next = m->ordered[slot[1]].place[row].x, first[1] = m->ordered[slot[1]].first_vertex[row];
    struct edge_entry *entry = work->entry[r];
    const uint32_t of[ROW_WORDS] = { place.x, place.y, place.z, place.w };
#pragma unroll
    for (unsigned w = 0; w < ROW_WORDS; w++) {
        entry[w] = { of[w], first[0] };
        first[0] += popcount32(of[w]) + popcount32(of[w] & INNER_PLACES);
    }
    entry[ROW_WORDS] = { next, first[1] };
    return (place.x | place.y | place.z | place.w | next) & INNER_PLACES;
}

/* Return, for the lane's owned row, the difference between the numbers of its triangles and their places in the brick. */
static __device__ __forceinline__ uint32_t triangle_shift(const struct ordered_record *record)
{
    const unsigned lane = lane_index();
    uint32_t count = 0, number = 0, total;
    if (lane < ROWS) count = record->count[lane] >> COUNT_TRIANGLES, number = record->first_triangle[lane];
    return number - warp_prefix(count, &total);
}

/* Return the triangles of a cell as the tables pack them. */
static __device__ __forceinline__ uint64_t packed_cell(const struct ordered_triangle_work *work, unsigned cell,
                                                       const uint16_t *subcase, const struct mc_tables *tables)
{
    uint64_t packed = tables->packed[case_of(work->inside, cell)];
    if (packed) return packed;
    const unsigned r = cell >> CELL_ROW, row = r / SPAN * BRICK_Y + r % SPAN;
    const unsigned number = subcase[row * WARP + cell % WARP];
    packed = tables->packed_subcase[number];
    return packed ? packed : (uint64_t)(tables->size[number] % MC_HAS_INNER) << LONG_SHIFT | number;
}

/* Look up the listed cells [first, end), `each` in a row per lane, so that notes are in the order of the cells. Return
 * the lane's number of triangles. */
static __device__ __forceinline__ unsigned look_up_in_order(struct cells *c, const struct ordered_triangle_work *work,
                                                            uint32_t first, uint32_t end, unsigned each,
                                                            const uint16_t *subcase, const struct mc_tables *tables)
{
    unsigned triangles = 0;
#pragma unroll
    for (unsigned turn = 0; turn < ORDERED_TURNS; turn++) {
        const uint32_t i = first + lane_index() * each + turn;
        c->packed[turn] = 0;
        if (turn < each && i < end) {
            c->at[turn] = work->cell[i];
            c->packed[turn] = packed_cell(work, c->at[turn], subcase, tables);
            triangles += (unsigned)(c->packed[turn] >> LONG_SHIFT);
        }
    }
    return triangles;
}

/* Note the triangles of a cell that the tables cannot pack. */
static __device__ __forceinline__ void note_long(uint32_t *note, uint32_t rest, uint64_t packed,
                                                 const struct mc_tables *tables)
{
    const uint8_t *edge = tables->subcase[(uint16_t)packed].edge;
    uint32_t *const end = note + (unsigned)(packed >> LONG_SHIFT);
#pragma unroll 1
    for (; note < end; edge += 3) *note++ = rest | (edge[0] | edge[1] << 4 | edge[2] << 8) << CELL_BITS;
}

static __device__ __forceinline__ void note_in_order(uint32_t *note, const struct cells *c, unsigned warp,
                                                     const struct mc_tables *tables)
{
#pragma unroll
    for (unsigned turn = 0; turn < ORDERED_TURNS; turn++) {
        uint64_t packed = c->packed[turn];
        const unsigned triangles = (unsigned)(packed >> LONG_SHIFT);
        uint32_t *const end = note + triangles;
        const uint32_t rest = c->at[turn] | warp << TRIANGLE_WARP;
        if (triangles > MC_MAX_TRIANGLES) {
            note_long(note, rest, packed, tables);
            note = end;
        }
#pragma unroll 1
        for (; note < end; packed >>= EDGE_BITS) *note++ = rest | ((uint32_t)packed & ((1u << EDGE_BITS) - 1)) << CELL_BITS;
    }
}

/* Return the number of a corner's vertex. place: the first of the cell's voxel. INNER: some vertices lie inside cells. */
template <bool INNER>
static __device__ __forceinline__ uint32_t place_vertex(const char *row, struct place_offset offset, unsigned place)
{
    const unsigned at = place + offset.place;
    const struct edge_entry e = *(const struct edge_entry *)(row + offset.bytes + at / WARP * sizeof(struct edge_entry));
    const uint32_t below = e.bits & ((1u << at % WARP) - 1), number = e.first + popcount32(below);
    return INNER ? number + popcount32(below & INNER_PLACES) + offset.second : number;
}

/* Write `count` noted triangles. */
template <bool INNER>
static __device__ __forceinline__ void write_in_order(uint32_t *out, const struct ordered_triangles_block *block,
                                                      uint32_t count)
{
    for (uint32_t i = threadIdx.x; i < count; i += BLOCK) {
        const uint32_t note = block->note[i];
        const unsigned place = note % WARP * PLACES, r = note >> CELL_ROW & 31;
        const struct ordered_triangle_work *work = &block->warp[note >> TRIANGLE_WARP];
        const char *row = (const char *)work->entry[r];
        uint32_t *to = out + 3 * (size_t)(i + work->shift[r]);
#pragma unroll
        for (unsigned c = 0; c < 3; c++)
            to[c] = place_vertex<INNER>(row, block->offset[note >> (CELL_BITS + 4 * c) & 15], place);
    }
}

/* As `triangles`, but the space needs no reservation. No voxel is read, so all types share the kernel.
 *
 * It needs nothing from the launch before it, so triangles do not wait for the last vertices. Why is that safe, in a
 * stream as well as in a graph whose edges let kernels begin early? A block of the vertices lets this launch begin only
 * after its own wait; so `number` has ended by then, and since each launch waits for the one before, so have find and
 * cull. This launch begins when all blocks of the vertices have allowed it; so these run already or have ended, and
 * blocks here can never keep them off the GPU. A fence makes visible here what `number` wrote, because no wait does.
 * Both launches only read what was there before, and they write different parts of the mesh. The next run's cull, or
 * whoever reads the mesh, comes after this launch, and at their end all its blocks wait for the launch of the vertices. */
static __global__ void __maxnreg__(56) ordered_triangles(GRID_CONST struct fused_args args)
{
    __shared__ struct ordered_triangles_block block;
    const unsigned warp = threadIdx.x / WARP, lane = lane_index();
    struct ordered_triangle_work *work = &block.warp[warp];
    const struct fused_desc &d = args.desc;
    const struct fused_memory &m = args.memory;
    __threadfence(); /* also empties L1 */
    const struct bricks_used used = bricks_used(m.total->bricks, d.brick_capacity);
    const uint32_t turns = m.total->fits ? (used.all + BLOCK_WARPS - 1) / BLOCK_WARPS : 0;
    if (threadIdx.x < CORNERS) block.offset[threadIdx.x] = place_offset_of(threadIdx.x);

    for (uint32_t turn = blockIdx.x; turn < turns; turn += gridDim.x) {
        const uint32_t slot = slot_of_turn(&used, d.brick_capacity, turn, turns, warp, BLOCK_WARPS);
        const uint16_t *subcase = m.subcase + (size_t)(slot != NO_SLOT ? slot : 0) * BRICK_CELLS;
        uint32_t cells = 0, done = 0, shift = 0, made = 0; /* made: triangles of the cells that are done */
        bool more, any_inner = false;
        if (slot != NO_SLOT) {
            const struct active_brick brick = m.list[slot];
            const struct brick_pos p = brick_pos_of(&d, brick);
            const uint32_t word = m.ordered[slot].inside[lane], column = __shfl_sync(ALL_LANES, word, TOUCHED);
            if (lane < TOUCHED) work->inside[lane] = { word, column >> lane & 1 };
            any_inner = __ballot_sync(ALL_LANES, load_places(work, &d, &m, brick));
            shift = triangle_shift(&m.ordered[slot]);
            __syncwarp();
            cells = list_cells(work->cell, work->inside, &p);
            __syncwarp();
        }
        do {
            const uint32_t left = (cells - done + WARP - 1) / WARP;
            unsigned each = left < ORDERED_TURNS ? left : ORDERED_TURNS;
            struct cells c;
            uint32_t own, before;
            for (;; each = 1) { /* each: 1 if that many cells have too many triangles */
                before = warp_prefix(look_up_in_order(&c, work, done, cells, each, subcase, d.tables), &own);
                if (own <= PART_NOTES) break;
            }
            done = done + each * WARP < cells ? done + each * WARP : cells;
            if (lane == 0) block.shares.of[warp] = own | (uint32_t)any_inner << SHARE_INNER;
            more = __syncthreads_or(done < cells);
            const uint32_t both = shares_before(&block.shares, BLOCK_WARPS), total = both % (1 << SHARE_INNER);
            const uint32_t start = shares_before(&block.shares, warp) % (1 << SHARE_INNER);
            note_in_order(block.note + start + before, &c, warp, d.tables);
            if (lane < ROWS) work->shift[lane % BRICK_Y + SPAN * (lane / BRICK_Y)] = shift + made - start;
            made += own;
            __syncthreads();
            if (both >> SHARE_INNER) write_in_order<true>(d.mesh.indices, &block, total);
            else write_in_order<false>(d.mesh.indices, &block, total);
            __syncthreads(); /* before the next notes */
        } while (more);
    }
    wait_for_launch_before(); /* so the end of this launch is also that of the vertices */
}

#endif
