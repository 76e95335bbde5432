/* The fourth launch of the ordered rung of fused: the vertices, whose numbers are in the records. Part of
 * fused_cuda.cu. */
#ifndef ISO_FUSED_CUDA_ORDERED_VERTICES_CUH
#define ISO_FUSED_CUDA_ORDERED_VERTICES_CUH

#include "fused_cuda_inner.cuh"
#include "fused_cuda_open.cuh"
#include "fused_cuda_ordered.cuh"
#include "fused_cuda_vertices.cuh"

template <enum voxel_type T, bool COPIED> struct ordered_vertex_work { /* of a warp */
    struct brick_voxels<T, COPIED> voxels;
    uint32_t place[PLACE_WORDS], first[PLACE_WORDS]; /* [ROW_WORDS * row + word]: as in the record; vertices before them */
    uint32_t shift[ROWS];                            /* from the place of a row's notes to the numbers of its vertices */
    uint4 place_of_brick;                            /* as `place` of vertex_work */
    struct inner_cell cell;
};

template <enum voxel_type T, bool COPIED> struct ordered_vertices_block {
    struct ordered_vertex_work<T, COPIED> warp[BLOCK_WARPS];
    struct shares shares;
    uint16_t note[PART_VERTICES]; /* place in its word | word << NOTE_WORD | warp << NOTE_WARP */
};

/* Return the vertices at some places. */
static __device__ __forceinline__ uint32_t vertices_at(uint32_t place)
{
    return popcount32(place) + popcount32(place & INNER_PLACES);
}

/* Keep the places of a brick, two words per lane; return its vertices. */
template <enum voxel_type T, bool COPIED>
static __device__ __forceinline__ uint32_t keep_places(struct ordered_vertex_work<T, COPIED> *work, uint2 place,
                                                       uint32_t first)
{
    const unsigned lane = lane_index();
    const uint32_t own = vertices_at(place.x);
    uint32_t total;
    const uint32_t before = warp_prefix(own + vertices_at(place.y), &total);
    work->place[2 * lane] = place.x, work->place[2 * lane + 1] = place.y;
    work->first[2 * lane] = before, work->first[2 * lane + 1] = before + own;
    if (lane % 2 == 0) work->shift[lane / 2] = first - before;
    return total;
}

/* Note the warp's vertices, as note_vertices() does; of the two inside a cell, each has a note. */
template <enum voxel_type T, bool COPIED>
static __device__ __forceinline__ void note_places(struct ordered_vertices_block<T, COPIED> *block, unsigned warp,
                                                   uint32_t first, bool all)
{
    const struct ordered_vertex_work<T, COPIED> *work = &block->warp[warp];
#pragma unroll
    for (unsigned w = lane_index(); w < PLACE_WORDS; w += WARP) {
        uint32_t i = work->first[w] + first, places = work->place[w];
        const uint32_t rest = w << NOTE_WORD | warp << NOTE_WARP;
        if (all)
            for (uint16_t *to = block->note + i; places; places &= places - 1) {
                const unsigned place = __ffs(places) - 1;
                *to++ = (uint16_t)(place | rest);
                if (place % PLACES == PLACE_INNER) *to++ = (uint16_t)(place | rest);
            }
        else
            for (; places; places &= places - 1, i++) {
                const unsigned place = __ffs(places) - 1;
                if (i < PART_VERTICES) block->note[i] = (uint16_t)(place | rest);
                if (place % PLACES == PLACE_INNER && ++i < PART_VERTICES) block->note[i] = (uint16_t)(place | rest);
            }
    }
}

/* Write the first `count` noted vertices, except those inside cells. out: points so that a vertex whose number equals
 * the place of its note would be there. begin: the first note's number. first: the grid's place in the whole volume. */
template <enum voxel_type T, bool COPIED>
static __device__ __forceinline__ void write_places(struct vertex *out, const struct grid *g, float iso, uint3 first,
                                                    const struct ordered_vertices_block<T, COPIED> *block, uint32_t begin,
                                                    uint32_t count)
{
    for (uint32_t i = threadIdx.x; i < count; i += BLOCK) {
        const unsigned note = block->note[i], axis = note % PLACES, w = note >> NOTE_WORD & (PLACE_WORDS - 1);
        const unsigned row = w / ROW_WORDS, lane = w % ROW_WORDS * WORD_VOXELS + note % WARP / PLACES;
        const struct ordered_vertex_work<T, COPIED> *work = &block->warp[note >> NOTE_WARP];
        if (axis == PLACE_INNER) continue;
        store_vertex(out + (begin + i + work->shift[row]), /* a 32-bit sum, which may wrap past 0 */
                     vertex_of_brick<T>(&work->voxels, g, iso, first, work->place_of_brick, lane, row % BRICK_Y,
                                        row / BRICK_Y, axis));
    }
}

/* Write the vertices inside a cell of the warp's brick; few warps have any. */
template <enum voxel_type T>
static __device__ __noinline__ void write_pair(struct vertex *out, struct inner_cell *cell, const struct fused_desc *d,
                                               uint3 place, uint3 first, uint32_t subcase)
{
    const struct mc_values v = open_values<T>(d, place_in(place, first));
    if (lane_index() == 0) *cell = { v, { place.x, place.y, place.z }, subcase };
    __syncwarp();
    make_inner_pair<T>(out, cell, d, lane_index() < INNER_LANES);
    __syncwarp(); /* before the next cell */
}

/* Write all vertices inside cells of the warp's brick. before: notes of the warps before. */
template <enum voxel_type T, bool COPIED>
static __device__ __forceinline__ void write_pairs(const struct fused_desc *d, const struct fused_memory *m,
                                                   struct ordered_vertex_work<T, COPIED> *work, uint3 first, uint32_t slot,
                                                   uint32_t before)
{
    const uint4 p = work->place_of_brick;
    for (unsigned turn = 0; turn < PLACE_WORDS / WARP; turn++) {
        const uint32_t mine = work->place[turn * WARP + lane_index()] & INNER_PLACES;
        for (uint32_t words = __ballot_sync(ALL_LANES, mine); words; words &= words - 1) {
            const unsigned w = turn * WARP + __ffs(words) - 1, row = w / ROW_WORDS;
            for (uint32_t left = work->place[w] & INNER_PLACES; left; left &= left - 1) {
                const unsigned place = __ffs(left) - 1, voxel = w % ROW_WORDS * WORD_VOXELS + place / PLACES;
                const uint32_t number = work->first[w] + before + work->shift[row] +
                                        vertices_at(work->place[w] & ((1u << place) - 1));
                const uint3 at = { p.x + voxel, p.y + row % BRICK_Y, p.z + row / BRICK_Y };
                write_pair<T>(d->mesh.vertices + number, &work->cell, d, at, first,
                              m->subcase[(size_t)slot * BRICK_CELLS + row * WARP + voxel]);
            }
        }
    }
}

/* As `vertices`, but the words are known, and the space needs no reservation. */
template <enum voxel_type T, bool COPIED>
static __global__ void __maxnreg__(T == VOXEL_FLOAT32 ? 80 : 56) ordered_vertices(GRID_CONST struct fused_args args)
{
    __shared__ struct ordered_vertices_block<T, COPIED> block;
    const unsigned warp = threadIdx.x / WARP, lane = lane_index();
    struct ordered_vertex_work<T, COPIED> *work = &block.warp[warp];
    const struct fused_desc &d = args.desc;
    const struct fused_memory &m = args.memory;
    wait_for_launch_before();
    const struct bricks_used used = bricks_used(m.total->bricks, d.brick_capacity);
    const uint32_t turns = m.total->fits ? (used.all + BLOCK_WARPS - 1) / BLOCK_WARPS : 0; /* else count only */
    const bool by_units = has_units<T>(&d.grid);
    const uint3 first = { grid_place(&d.grid, 0, 0), grid_place(&d.grid, 1, 0), grid_place(&d.grid, 2, 0) };
    let_next_launch_begin();

    for (uint32_t turn = blockIdx.x; turn < turns; turn += gridDim.x) {
        const uint32_t slot = slot_of_turn(&used, d.brick_capacity, turn, turns, warp, BLOCK_WARPS);
        uint32_t own = 0;
        uint2 place = { 0, 0 }; /* half a row per lane */
        if (slot != NO_SLOT) {
            const struct active_brick brick = m.list[slot];
            const struct brick_pos p = brick_pos_of(&d, brick);
            place = ((const uint2 *)m.ordered[slot].place)[lane]; /* both are loaded together with the voxels */
            const uint32_t number = m.ordered[slot].first_vertex[lane / 2];
            load_brick<T>(&work->voxels, &d, &p, by_units);
            if (lane == 0) work->place_of_brick = { first.x + p.at.x, first.y + p.at.y, first.z + p.at.z, p.interior };
            own = keep_places<T, COPIED>(work, place, number);
        } else {
            for (unsigned w = lane; w < PLACE_WORDS; w += WARP) work->place[w] = 0;
        }
        const bool any_inner = __ballot_sync(ALL_LANES, (place.x | place.y) & INNER_PLACES);
        if (lane == 0) block.shares.of[warp] = own;
        __syncthreads();
        const uint32_t before = shares_before(&block.shares, warp), total = shares_before(&block.shares, BLOCK_WARPS);
        if (lane < ROWS) work->shift[lane] -= before;
        if (total <= PART_VERTICES) note_places<T, COPIED>(&block, warp, before, true);
        else note_places<T, COPIED>(&block, warp, before, false);
        __syncthreads();
        for (uint32_t begin = 0; begin < total; begin += PART_VERTICES) {
            if (begin) {
                __syncthreads();
                note_places<T, COPIED>(&block, warp, before - begin, false);
                __syncthreads();
            }
            const uint32_t count = total - begin < PART_VERTICES ? total - begin : (uint32_t)PART_VERTICES;
            write_places<T, COPIED>(d.mesh.vertices, &d.grid, d.iso, first, &block, begin, count);
        }
        if (any_inner) write_pairs<T, COPIED>(&d, &m, work, first, slot, before);
        __syncthreads(); /* before the next bricks */
    }
}

#endif
