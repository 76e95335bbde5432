/* The second launch of the ordered rung of fused: what each brick has. Part of fused_cuda.cu.
 *
 * A warp takes two bricks: their 2 x 16 rows are its lanes. It decides the open cells, too, because they have to be
 * counted. No warp waits for another. */
#ifndef ISO_FUSED_CUDA_FIND_CUH
#define ISO_FUSED_CUDA_FIND_CUH

#include "fused_cuda_ordered.cuh"
#include "fused_cuda_triangles.cuh"
#include "fused_cuda_vertices.cuh"

/* ---- inside words -------------------------------------------------------------------------------------------------- */

enum {
    FIND_BRICKS = WARP / ROWS, /* of a warp */
    CELL_BRICK = CELL_ROW + 4, /* an open cell: voxel | owned row << CELL_ROW | brick << CELL_BRICK */
};

struct find_work { /* of a warp */
    uint32_t inside[FIND_BRICKS][WARP];
    uint32_t more[WARP];  /* what the open cells of each row make, as a count */
    uint32_t inner[WARP]; /* which of them have vertices inside */
    struct brick_pos pos[FIND_BRICKS];
    uint16_t cell[FIND_BRICKS * BRICK_CELLS];
};

/* Voxels of a touched row. */
template <enum voxel_type T> struct row_units {
    enum { UNIT = brick_voxels<T, false>::UNIT, UNITS = WARP / UNIT };
    uint4 unit[UNITS];
    typename voxel<T>::type next; /* voxel 32 */
};

/* Where touched rows are read: in the volume, or in its copy, which has all of a row that a brick needs. */
template <enum voxel_type T, bool COPIED>
static __device__ __forceinline__ const typename voxel<T>::type *row_source(const struct fused_desc *d)
{
    return (const typename voxel<T>::type *)(COPIED ? halo_grid<T>(d).voxels : d->grid.voxels);
}

/* Return where touched row r begins there; for a row past the grid's border, where the last row begins. */
template <enum voxel_type T, bool COPIED>
static __device__ __forceinline__ size_t row_begin(const struct fused_desc *d, const struct brick_pos *p, unsigned r)
{
    const uint32_t y = at_most(p->at.y + r % SPAN, p->n.y - 1), z = at_most(p->at.z + r / SPAN, p->n.z - 1);
    if (COPIED) return halo_index<T>(d, { p->at.x, y, z });
    return ((size_t)z * p->n.y + y) * p->n.x + p->at.x;
}

template <bool COPIED> static __device__ __forceinline__ unsigned next_voxel(const struct brick_pos *p)
{
    return COPIED || p->at.x + WARP < p->n.x ? (unsigned)WARP : 0;
}

/* Load the touched rows, one per lane, by 16-byte units. Past the grid's border these are other voxels, and past the
 * volume's memory its last ones. */
template <enum voxel_type T, bool COPIED>
static __device__ __forceinline__ struct row_units<T> load_row(const struct fused_desc *d, const struct brick_pos *p) {
    typedef typename voxel<T>::type value_t;
    struct row_units<T> to;
    const value_t *voxels = row_source<T, COPIED>(d), *row = voxels + row_begin<T, COPIED>(d, p, lane_index() % TOUCHED);
    const value_t *last = voxels + ((size_t)p->n.x * p->n.y * p->n.z - row_units<T>::UNIT);
#pragma unroll
    for (unsigned u = 0; u < row_units<T>::UNITS; u++, row += row_units<T>::UNIT)
        to.unit[u] = *(const uint4 *)(COPIED || row < last ? row : last);
    to.next = row[(int)next_voxel<COPIED>(p) - (int)WARP];
    return to;
}

/* Find the inside words of the touched rows, voxel by voxel; all loads of a layer are in flight before the first is
 * used. */
template <enum voxel_type T, bool COPIED>
static __device__ __forceinline__ uint32_t words_by_voxels(const struct fused_desc *d, const struct brick_pos *p,
                                                           bool *beyond)
{
    typedef typename voxel<T>::type value_t;
    const value_t *from = row_source<T, COPIED>(d);
    const typename bar<T>::type bar = bar_of<T>(d->iso);
    const unsigned lane = lane_index();
    const size_t x = at_most(p->at.x + lane, p->n.x - 1) - p->at.x;
    uint32_t word = 0;
#pragma unroll 1
    for (unsigned k = 0; k < SPAN; k++) {
        value_t value[SPAN];
#pragma unroll
        for (unsigned j = 0; j < SPAN; j++) value[j] = from[row_begin<T, COPIED>(d, p, j + SPAN * k) + x];
#pragma unroll
        for (unsigned j = 0; j < SPAN; j++) {
            const uint32_t row = __ballot_sync(ALL_LANES, value[j] >= bar);
            if (lane == j + SPAN * k) word = row;
        }
    }
    *beyond = from[row_begin<T, COPIED>(d, p, lane % TOUCHED) + next_voxel<COPIED>(p)] >= bar;
    return word;
}

/* Keep the inside words of the touched rows, and the column of voxels 32. */
static __device__ __forceinline__ void keep_words(uint32_t inside[WARP], const struct brick_pos *p, uint32_t word,
                                                  bool beyond)
{
    const unsigned lane = lane_index(), j = lane % SPAN, k = lane / SPAN;
    if (!p->whole) {
        const bool here = p->at.y + j < p->n.y && p->at.z + k < p->n.z;
        word = here ? word & first_bits(p->n.x - p->at.x) : 0;
        beyond = beyond && here && p->at.x + WARP < p->n.x;
    }
    const uint32_t column = __ballot_sync(ALL_LANES, beyond && lane < TOUCHED);
    inside[lane] = lane < TOUCHED ? word : lane == TOUCHED ? column : 0;
}

/* Find and keep them for the warp's bricks. */
template <enum voxel_type T, bool COPIED>
static __device__ __forceinline__ void find_words(struct find_work *work, const struct fused_desc *d,
                                                  const struct brick_pos p[FIND_BRICKS], bool by_units)
{
    if (T != VOXEL_FLOAT32 && by_units) {
        struct row_units<T> row[FIND_BRICKS]; /* both loads in flight */
#pragma unroll
        for (unsigned b = 0; b < FIND_BRICKS; b++) row[b] = load_row<T, COPIED>(d, &p[b]);
#pragma unroll
        for (unsigned b = 0; b < FIND_BRICKS; b++)
            keep_words(work->inside[b], &p[b], units_inside<T>(row[b].unit, d->iso), row[b].next >= bar_of<T>(d->iso));
        return;
    }
#pragma unroll
    for (unsigned b = 0; b < FIND_BRICKS; b++) {
        bool beyond;
        const uint32_t word = words_by_voxels<T, COPIED>(d, &p[b], &beyond);
        keep_words(work->inside[b], &p[b], word, beyond);
    }
}

/* ---- rows ---------------------------------------------------------------------------------------------------------- */

struct row_found {
    uint32_t x, y, z; /* crossed edges */
    uint32_t open;    /* open cells */
    uint32_t count;   /* without what open cells make */
    uint32_t active;  /* number of active cells */
    uint32_t inside;  /* and of voxels inside */
};

/* The corners of the cells of a row: bit i of corner[c] is corner c of cell i. */
struct row_corners {
    uint32_t corner[8];
};

/* Return the corners of the cells of an owned row. */
static __device__ __forceinline__ struct row_corners row_corners(const uint32_t inside[WARP], unsigned row)
{
    const unsigned j = row % BRICK_Y, k = row / BRICK_Y;
    struct row_corners c;
#pragma unroll
    for (unsigned q = 0; q < 4; q++) {
        const unsigned r = j + q % 2 + SPAN * (k + q / 2);
        c.corner[2 * q] = inside[r];
        c.corner[2 * q + 1] = __funnelshift_r(inside[r], inside[TOUCHED] >> r, 1);
    }
    return c;
}

/* Return which of its cells lie in the grid. */
static __device__ __forceinline__ uint32_t row_cells(const struct brick_pos *p, unsigned row)
{
    const unsigned j = row % BRICK_Y, k = row / BRICK_Y;
    if (p->whole) return ALL_LANES;
    return p->at.y + j + 1 < p->n.y && p->at.z + k + 1 < p->n.z ? first_bits(p->n.x - 1 - p->at.x) : 0;
}

/* Find which edges of a row are crossed, by the words of its corners. */
static __device__ __forceinline__ void row_edges(struct row_found *row, const uint32_t corner[8], const struct brick_pos *p)
{
    const unsigned lane = lane_index() % ROWS, j = lane % BRICK_Y, k = lane / BRICK_Y;
    row->x = corner[0] ^ corner[1], row->y = corner[0] ^ corner[2], row->z = corner[0] ^ corner[4];
    if (p->whole) return;
    const bool here = p->at.y + j < p->n.y && p->at.z + k < p->n.z;
    row->x = here ? row->x & first_bits(p->n.x - 1 - p->at.x) : 0;
    if (!here || p->at.y + j + 1 >= p->n.y) row->y = 0; /* past nx both words are 0 */
    if (!here || p->at.z + k + 1 >= p->n.z) row->z = 0;
}

/* Return the triangles of a row's cells by the fixed rule, one by one. */
static __device__ __forceinline__ uint32_t fixed_triangles(const uint32_t corner[8], uint32_t cells,
                                                           const struct mc_tables *tables)
{
    uint32_t triangles = 0;
    for (; cells; cells &= cells - 1) {
        const unsigned lane = __ffs(cells) - 1;
        unsigned index = 0;
#pragma unroll
        for (unsigned c = 0; c < 8; c++) index |= (corner[c] >> lane & 1) << c;
        triangles += tables->triangles[index];
    }
    return triangles;
}

/* Find what the lane's row has. In a cell that is not open, the surface is one polygon with a corner on each crossed
 * edge, and it has two triangles fewer than corners. So counting edges, 32 cells at a time, counts triangles. */
static __device__ __forceinline__ struct row_found find_row(const uint32_t inside[WARP], const struct brick_pos *p,
                                                            const struct mc_tables *tables, bool any_open)
{
    struct row_found row;
    const struct row_corners c = row_corners(inside, lane_index() % ROWS);
    const uint32_t *v = c.corner, cells = row_cells(p, lane_index() % ROWS);
    row_edges(&row, v, p);
    const uint32_t any = v[0] | v[1] | v[2] | v[3] | v[4] | v[5] | v[6] | v[7];
    const uint32_t active = any & ~(v[0] & v[1] & v[2] & v[3] & v[4] & v[5] & v[6] & v[7]) & cells;
    const uint32_t open = mc_open_cells(v) & active, closed = active & ~open;
    uint32_t edges = 0;
#pragma unroll
    for (unsigned e = 0; e < MC_INNER; e++) {
        const unsigned low = mc_edge_dx(e) | mc_edge_dy(e) << 1 | mc_edge_dz(e) << 2;
        edges += popcount32((v[low] ^ v[low | 1u << mc_edge_axis(e)]) & closed);
    }
    uint32_t triangles = edges - 2 * popcount32(closed);
    if (!any_open) triangles += fixed_triangles(v, open, tables);
    row.open = any_open ? open : 0;
    row.active = popcount32(active);
    row.inside = popcount32(v[0]);
    row.count = popcount32(row.x) + popcount32(row.y) + popcount32(row.z) + (triangles << COUNT_TRIANGLES);
    return row;
}

/* Decide the open cells of the warp's bricks, one per lane, and add what they make to the rows. Their voxels have just
 * been read, so they are in L1. subcase: of all slots. slot: in the lanes of the first brick, that brick's slot; in the
 * other lanes, the other's. */
template <enum voxel_type T>
static __device__ __forceinline__ void decide_open(struct find_work *work, uint16_t *subcase, uint32_t slot,
                                                   const struct fused_desc *d, uint32_t before, uint32_t open, uint32_t all)
{
    const unsigned lane = lane_index();
    work->more[lane] = work->inner[lane] = 0;
    for (uint16_t *to = work->cell + before; open; open &= open - 1)
        *to++ = (uint16_t)((__ffs(open) - 1) | lane << CELL_ROW);
    __syncwarp();
    for (uint32_t first = 0; first < all; first += WARP) {
        const unsigned cell = work->cell[first + lane < all ? first + lane : 0], voxel = cell % WARP,
                       row = cell >> CELL_ROW;
        const uint32_t its_slot = __shfl_sync(ALL_LANES, slot, row);
        if (first + lane >= all) continue;
        const uint3 at = work->pos[row / ROWS].at;
        const struct mc_values v = open_values<T>(d, { at.x + voxel, at.y + row % BRICK_Y, at.z + row % ROWS / BRICK_Y });
        const unsigned number = open_cell(d->tables, &v, T, d->iso, case_of_values(&v, d->iso));
        const unsigned size = d->tables->size[number], inner = size >= MC_HAS_INNER ? MC_INNER_PAIR : 0;
        subcase[(size_t)its_slot * BRICK_CELLS + cell % BRICK_CELLS] = (uint16_t)number;
        atomicAdd(&work->more[row], size % MC_HAS_INNER << COUNT_TRIANGLES | inner);
        if (inner) atomicOr(&work->inner[row], 1u << voxel);
    }
    __syncwarp();
}

/* ---- what bricks leave --------------------------------------------------------------------------------------------- */

/* Exchange the bits of a word that `mask` selects with the bits `step` above them. */
static __device__ __forceinline__ uint32_t swap_bits(uint32_t word, unsigned step, uint32_t mask)
{
    const uint32_t differ = (word ^ word >> step) & mask;
    return word ^ differ ^ differ << step;
}

/* Return the places of eight voxels, given a byte for each kind of place: bit 8 a + l moves to 4 l + a. In the binary
 * digits of a bit's number, a a l l l becomes l l l a a; each exchange of bits swaps two digits. */
static __device__ __forceinline__ uint32_t places_of(uint32_t bytes)
{
    bytes = swap_bits(bytes, 1, 0x22222222u);
    bytes = swap_bits(bytes, 2, 0x0c0c0c0cu);
    bytes = swap_bits(bytes, 7, 0x00aa00aau);
    return swap_bits(bytes, 14, 0x0000ccccu);
}

/* Return the places of a row. */
static __device__ __forceinline__ uint4 row_places(const struct row_found *row, uint32_t inner)
{
    uint32_t word[ROW_WORDS];
#pragma unroll
    for (unsigned w = 0; w < ROW_WORDS; w++) {
        const unsigned pick = w | (w + 4) << 4; /* byte w of both words */
        word[w] = places_of(__byte_perm(__byte_perm(row->x, row->y, pick), __byte_perm(row->z, inner, pick), 0x5410));
    }
    return { word[0], word[1], word[2], word[3] };
}

/* Add what a brick has to the counts of its lines and of its layer, except vertices inside cells; return its vertices.
 * line: of the brick's first slice; the next slice's is `apart` further. */
static __device__ __forceinline__ uint32_t add_counts(struct fused_counts *layer, uint64_t *line, size_t apart,
                                                      const struct row_found *row, uint32_t count, bool any)
{
    enum { HALF_BITS = 16, BRICKS = offsetof(struct fused_counts, bricks) / sizeof(uint64_t), ADDED = 5 };
    static_assert(offsetof(struct fused_counts, cells.inner) == ADDED * sizeof(uint64_t), "the fields before it are added");
    const unsigned i = lane_index() % ROWS;
    uint32_t made = count, cells = row->active | row->inside << HALF_BITS; /* sums over a brick fit the halves */
#pragma unroll
    for (unsigned step = 1; step < BRICK_Y; step *= 2) made += __shfl_xor_sync(ALL_LANES, made, step);
    const uint64_t in_slice = (made & COUNT_VERTICES) | (uint64_t)(made >> COUNT_TRIANGLES) << LINE_TRIANGLES;
    if (any && in_slice && i % BRICK_Y == 0) atomic_add_u64(line + i / BRICK_Y * apart, in_slice);
#pragma unroll
    for (unsigned step = BRICK_Y; step < ROWS; step *= 2) made += __shfl_xor_sync(ALL_LANES, made, step);
#pragma unroll
    for (unsigned step = 1; step < ROWS; step *= 2) cells += __shfl_xor_sync(ALL_LANES, cells, step);
    const uint32_t both = i < BRICKS ? made : cells, half = i % 2 ? both >> HALF_BITS : both & ((1u << HALF_BITS) - 1),
                   own = i == BRICKS ? 1 : half;
    if (any && own && i < ADDED) atomic_add_u64((uint64_t *)layer + i, own);
    return made & COUNT_VERTICES;
}

/* ---- find ---------------------------------------------------------------------------------------------------------- */

template <enum voxel_type T, bool COPIED> static __global__ void __maxnreg__(64) find(GRID_CONST struct fused_args args)
{
    __shared__ struct find_work block[BLOCK_WARPS];
    const unsigned warp = threadIdx.x / WARP, lane = lane_index(), half = lane / ROWS, row_of_brick = lane % ROWS;
    struct find_work *work = &block[warp];
    const struct fused_desc &d = args.desc;
    const struct fused_memory &m = args.memory;
    wait_for_launch_before();
    const struct bricks_used used = bricks_used(m.state->bricks, d.brick_capacity);
    const uint32_t each = BLOCK_WARPS * FIND_BRICKS, turns = (used.all + each - 1) / each;
    const bool by_units = COPIED || has_units<T>(&d.grid), any_open = d.tables->open_mask;
    let_next_launch_begin();
    for (uint32_t turn = blockIdx.x; turn < turns; turn += gridDim.x) {
        const uint32_t slot = slot_of_turn(&used, d.brick_capacity, turn, turns, warp * FIND_BRICKS + half, each);
        const uint32_t first = __shfl_sync(ALL_LANES, slot, 0), second = __shfl_sync(ALL_LANES, slot, ROWS);
        if (first == NO_SLOT) break;
        const bool any = slot != NO_SLOT; /* else the second brick repeats the first, and leaves nothing */
        const struct active_brick brick[] = { m.list[first], m.list[second != NO_SLOT ? second : first] };
        const struct brick_pos p[] = { brick_pos_of(&d, brick[0]), brick_pos_of(&d, brick[1]) };
        find_words<T, COPIED>(work, &d, p, by_units);
        if (lane < FIND_BRICKS) work->pos[lane] = lane ? p[1] : p[0];
        __syncwarp();
        const struct brick_pos own = half ? p[1] : p[0];
        const struct row_found row = find_row(work->inside[half], &own, d.tables, any_open);
        const uint32_t open = any ? row.open : 0, z = half ? brick[1].z : brick[0].z;
        uint32_t all = 0, count = row.count, inner = 0;
        const uint32_t before = any_open ? warp_prefix(popcount32(open), &all) : 0;
        if (all) {
            decide_open<T>(work, m.subcase, slot, &d, before, open, all);
            count += work->more[lane], inner = work->inner[lane];
            if (inner) atomic_add_u64(&m.layer[z].cells.inner, MC_INNER_PAIR * popcount32(inner));
        }
        if (any) {
            m.ordered[slot].place[row_of_brick] = row_places(&row, inner);
            m.ordered[slot].count[row_of_brick] = count;
        }
        m.ordered[first].inside[lane] = work->inside[0][lane];
        if (second != NO_SLOT) m.ordered[second].inside[lane] = work->inside[1][lane];
        const uint32_t y = half ? brick[1].y : brick[0].y;
        const uint32_t number = half ? brick[1].number : brick[0].number;
        const uint32_t vertices = add_counts(m.layer + z, m.line + (size_t)z * BRICK_Z * d.bricks.ny + y, d.bricks.ny, &row,
                                             count, any);
        if (any && row_of_brick == 0 && vertices >= HEAVY_VERTICES) atomicOr(&m.heavy[number / WARP], 1u << number % WARP);
        __syncwarp(); /* before the next bricks */
    }
}

#endif
