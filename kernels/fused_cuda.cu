/* fused on CUDA. Contract in fused.h.
 *
 * After Parallel Marching Blocks (Liu et al. 2016): skip by brick, and do all of a brick where it is read. Row words as
 * in the ballot rung of classify. Deliberately absent: an order of bricks, which a scan would give.
 *
 * Times below: H200, bonsai CT at 40.5, uint8, 256^3 (7243 of 32768 bricks active) and enlarged to 1024^3. The stages take
 * 117 us and 1.94 ms, this 79 us and 0.70 ms: of the 79 us cull takes 3, triangles 26, vertices the rest. At 256^3 it issues
 * a quarter of the instructions that the GPU could: few bricks are far fuller than most, and their warps are waited for,
 * which themselves wait for loads (38 % of the stalls) and for the instruction before (25 %). At 1024^3 instructions bound
 * it, some 1600 for a brick's vertices and 1300 for its triangles.
 * Tried and left: notes of what to make written into the mesh, and a launch with a thread for each (60 us, but 0.98 ms, for
 * the notes go through memory); the eight warps of a block making what is on all their lists (68 us, 0.84 ms). */
#include "cuda_util.cuh"
#include "edge_vertex.h"
#include "fused.h"

#include <cuda_runtime.h>

enum {
    ROWS = BRICK_Y * BRICK_Z,                   /* rows of 32 voxels that a brick owns */
    SPAN = BRICK_Y + 1,                         /* rows along y and z that its cells touch */
    TOUCHED = SPAN * SPAN,
    BRICK_VERTICES = 3 * ROWS * WARP,           /* most that it can own */
    BRICK_CELLS = ROWS * WARP,
    PART_CELLS = 128,                           /* done at once: more than most bricks have, and little memory */
    VERTEX_WARPS = 8, TRIANGLE_WARPS = 4,       /* per block; shared memory bounds them */
};

#define NO_SLOT 0xffffffffu

/* What a brick leaves for the triangles, its own and its neighbours'. Row j + 4 k is voxel row y + j, z + k.
 *
 *    number of the vertex on the edge of `axis` of voxel `lane`:  first + popc(bits before axis) + popc(bits below lane)
 */
struct record {
    uint4 row[ROWS];       /* crossed edges along x, y, z; number of the row's first vertex */
    uint32_t inside[WARP]; /* touched row j + 5 k: its 32 voxels; [TOUCHED]: bit r is voxel 32 of row r */
};

struct fused_memory { struct record *record; uint32_t *list, *slot_of; }; /* [room], [room], [bricks] */

static __device__ __forceinline__ struct fused_memory memory_of(void *scratch, uint64_t room)
{
    struct fused_memory m;
    m.record = (struct record *)scratch;
    m.list = (uint32_t *)(m.record + room);
    m.slot_of = m.list + room;
    return m;
}

static size_t scratch_bytes(const struct bricks *b, uint64_t room, const struct exec *x)
{
    (void)x;
    return scratch_round(room * (sizeof(struct record) + sizeof(uint32_t)) + b->nx * b->ny * b->nz * sizeof(uint32_t));
}

/* ---- cull ---------------------------------------------------------------------------------------------------------- */

static __global__ void cull(struct fused_desc d)
{
    const struct fused_memory m = memory_of(d.scratch, d.brick_room);
    const size_t bricks = d.bricks.nx * d.bricks.ny * d.bricks.nz;
    const unsigned lane = lane_index();
    for (size_t first = thread_index() - lane; first < bricks; first += thread_count()) {
        const size_t i = first + lane;
        const bool active = i < bricks && brick_state_of(d.bricks.range[i], d.iso) == BRICK_ACTIVE;
        const uint32_t all = __ballot_sync(WARP_ALL, active);
        unsigned long long base = 0;
        if (lane == 0 && all)
            base = atomicAdd((unsigned long long *)&d.counts->bricks, (unsigned long long)popcount32(all));
        base = __shfl_sync(WARP_ALL, base, 0);
        const uint64_t slot = base + popcount32(all & ((1u << lane) - 1));
        const bool kept = active && slot < d.brick_room;
        if (kept) m.list[slot] = (uint32_t)i;
        if (i < bricks) m.slot_of[i] = kept ? (uint32_t)slot : NO_SLOT;
    }
}

/* ---- vertices ------------------------------------------------------------------------------------------------------ */

struct brick_at { size_t x, y, z; };

/* Bricks are numbered in 32 bits, whose divisions are much shorter than those of 64. */
static __device__ __forceinline__ struct brick_at brick_locate(const struct bricks *b, uint32_t i)
{
    const uint32_t nx = (uint32_t)b->nx, ny = (uint32_t)b->ny;
    const struct brick_at at = { (size_t)(i % nx) * BRICK_X, (size_t)(i / nx % ny) * BRICK_Y,
                                 (size_t)(i / nx / ny) * BRICK_Z };
    return at;
}

/* Bricks in the list lie beside those they lie beside in the volume, and what is dense here is dense there. Unit u of n
 * takes a slot far from that of unit u + 1, so that each block gets its share of both. */
static __device__ __forceinline__ uint64_t spread(uint64_t unit, uint64_t slots)
{
    const uint64_t stride = (slots + WARP - 1) / WARP;
    return unit % WARP * stride + unit / WARP;
}

static __device__ __forceinline__ uint64_t spread_units(uint64_t slots)
{
    return (slots + WARP - 1) / WARP * WARP; /* some lead past the end, and are skipped */
}

static __device__ __forceinline__ uint64_t slots_used(const struct fused_desc *d)
{
    return d->counts->bricks < d->brick_room ? d->counts->bricks : d->brick_room;
}

/* Inside words of the touched rows, each to the lane of its number. All loads are under way before the first is used.
 * most: the brick and its neighbours lie in the grid, and nothing has to be asked. */
static __device__ __forceinline__ uint32_t row_words(const struct grid *g, float iso, struct brick_at at, size_t origin,
                                                     bool most)
{
    const unsigned lane = lane_index();
    const size_t layer = g->nx * g->ny;
    float value[TOUCHED];
#pragma unroll
    for (unsigned r = 0; r < TOUCHED; r++) {
        const bool there = most || (at.x + lane < g->nx && at.y + r % SPAN < g->ny && at.z + r / SPAN < g->nz);
        value[r] = there ? grid_value(g, origin + lane + r / SPAN * layer + r % SPAN * g->nx) : NAN;
    }
    uint32_t word = 0;
#pragma unroll
    for (unsigned r = 0; r < TOUCHED; r++) {
        const uint32_t bits = __ballot_sync(WARP_ALL, value[r] >= iso);
        if (lane == r) word = bits;
    }
    return word;
}

/* Lane r gets the inside word of touched row r, and lane TOUCHED the column of voxels 32. Outside the grid is outside. */
static __device__ __forceinline__ uint32_t brick_words(const struct grid *g, float iso, struct brick_at at)
{
    const unsigned lane = lane_index(), j = lane % SPAN, k = lane / SPAN;
    const size_t origin = (at.z * g->ny + at.y) * g->nx + at.x;
    const bool most = at.x + WARP < g->nx && at.y + BRICK_Y < g->ny && at.z + BRICK_Z < g->nz;
    const bool there = lane < TOUCHED && at.x + WARP < g->nx && at.y + j < g->ny && at.z + k < g->nz;
    const float beyond = there ? grid_value(g, origin + (k * g->ny + j) * g->nx + WARP) : NAN;
    const uint32_t word = most ? row_words(g, iso, at, origin, true) : row_words(g, iso, at, origin, false);
    const uint32_t column = __ballot_sync(WARP_ALL, beyond >= iso);
    return lane == TOUCHED ? column : word;
}

static __device__ __forceinline__ uint32_t first_bits(size_t n)
{
    return n >= WARP ? WARP_ALL : (1u << n) - 1;
}

/* Crossed edges of the touched row of this lane, if the brick owns it. */
static __device__ __forceinline__ uint3 brick_edges(const struct grid *g, struct brick_at at, uint32_t word)
{
    const unsigned lane = lane_index(), j = lane % SPAN, k = lane / SPAN;
    const uint32_t column = __shfl_sync(WARP_ALL, word, TOUCHED);
    const uint32_t behind = __shfl_sync(WARP_ALL, word, (lane + 1) % WARP);
    const uint32_t above = __shfl_sync(WARP_ALL, word, (lane + SPAN) % WARP);
    uint3 e = { 0, 0, 0 };
    if (lane >= TOUCHED || j == BRICK_Y || k == BRICK_Z || at.y + j >= g->ny || at.z + k >= g->nz) return e;
    e.x = (word ^ (word >> 1 | (column >> lane & 1) << (WARP - 1))) & first_bits(g->nx - 1 - at.x);
    if (at.y + j + 1 < g->ny) e.y = word ^ behind; /* past nx both words are 0 */
    if (at.z + k + 1 < g->nz) e.z = word ^ above;
    return e;
}

static __device__ __forceinline__ uint32_t warp_prefix(uint32_t value, uint32_t *total)
{
    uint32_t sum = value;
#pragma unroll
    for (unsigned step = 1; step < WARP; step *= 2) {
        const uint32_t below = __shfl_up_sync(WARP_ALL, sum, step);
        if (lane_index() >= step) sum += below;
    }
    *total = __shfl_sync(WARP_ALL, sum, WARP - 1);
    return sum - value;
}

/* Room for `n` things, by lane 0 for the warp. */
static __device__ __forceinline__ uint64_t take_room(uint64_t *counter, uint32_t n)
{
    unsigned long long base = 0;
    if (lane_index() == 0 && n) base = atomicAdd((unsigned long long *)counter, (unsigned long long)n);
    return __shfl_sync(WARP_ALL, base, 0);
}

enum { NOTE_AXIS = 5, NOTE_ROW = 7 }; /* a note: lane | axis << NOTE_AXIS | touched row << NOTE_ROW */

static __device__ __forceinline__ uint16_t *note_bits(uint16_t *to, uint32_t bits, unsigned axis)
{
    for (; bits; bits &= bits - 1) *to++ = (uint16_t)((__ffs(bits) - 1) | axis << NOTE_AXIS | lane_index() << NOTE_ROW);
    return to;
}

template <enum voxel_type T>
static __global__ void __launch_bounds__(VERTEX_WARPS *WARP, 4) vertices(struct fused_desc d)
{
    __shared__ uint16_t block_notes[VERTEX_WARPS][BRICK_VERTICES];
    uint16_t *notes = block_notes[threadIdx.x / WARP];
    const struct fused_memory m = memory_of(d.scratch, d.brick_room);
    const unsigned lane = lane_index();
    const uint64_t slots = slots_used(&d), units = spread_units(slots);
    struct grid g = d.grid; /* a copy of its own, or the compiler does not follow that the type is known */
    g.type = T;

    for (uint64_t unit = thread_index() / WARP; unit < units; unit += thread_count() / WARP) {
        const uint64_t slot = spread(unit, slots);
        if (slot >= slots) continue;
        const struct brick_at at = brick_locate(&d.bricks, m.list[slot]);
        const uint32_t word = brick_words(&g, d.iso, at);
        const uint3 e = brick_edges(&g, at, word);
        uint32_t total;
        const uint32_t before = warp_prefix(popcount32(e.x) + popcount32(e.y) + popcount32(e.z), &total);
        unsigned long long taken = 0; /* asked for before the notes, looked at after them: it takes long */
        if (lane == 0) taken = atomicAdd((unsigned long long *)&d.counts->vertices, (unsigned long long)total);
        note_bits(note_bits(note_bits(notes + before, e.x, 0), e.y, 1), e.z, 2);
        __syncwarp();
        const uint64_t base = __shfl_sync(WARP_ALL, taken, 0);

        struct record *record = &m.record[slot];
        const unsigned j = lane % SPAN, k = lane / SPAN;
        record->inside[lane] = word;
        if (lane < TOUCHED && j < BRICK_Y && k < BRICK_Z)
            record->row[k * BRICK_Y + j] = { e.x, e.y, e.z, (uint32_t)base + before };
        if (base + total > d.vertex_room) continue; /* counted, not written */
        for (uint32_t i = lane; i < total; i += WARP) {
            const unsigned note = notes[i], r = note >> NOTE_ROW;
            d.mesh.vertices[base + i] = edge_vertex(&g, d.iso, at.x + note % WARP, at.y + r % SPAN, at.z + r / SPAN,
                                                    note >> NOTE_AXIS & 3);
        }
        __syncwarp(); /* before the next brick's notes */
    }
}

/* ---- triangles ----------------------------------------------------------------------------------------------------- */

struct edge_entry { uint32_t bits, first; }; /* number of the vertex at `lane`: first + popc(bits below lane) */

struct triangle_notes {
    struct edge_entry entry[2][TOUCHED * 3]; /* [voxel 32 or past it][3 * touched row + axis] */
    uint32_t inside[WARP];
    uint16_t cell[BRICK_CELLS];              /* the active ones: voxel | row << CELL_ROW */
    uint8_t mc_case[PART_CELLS];             /* of the cells in the part of the list at hand */
    uint16_t triangle[PART_CELLS * MC_MAX_TRIANGLES]; /* number of a cell in the part | of its triangle << NOTE_TRIANGLE */
};

enum { CELL_ROW = 5, NOTE_TRIANGLE = 7 };

static __device__ __forceinline__ void note_row(struct edge_entry *entry, uint4 row)
{
    const uint32_t along_y = row.w + popcount32(row.x);
    entry[0] = { row.x, row.w };
    entry[1] = { row.y, along_y };
    entry[2] = { row.z, along_y + popcount32(row.y) };
}

/* Lane r notes the edges of touched row r, from the record of whichever brick owns it, here and beyond voxel 31. Where no
 * brick is active no edge is crossed, and what is noted is never asked for. */
static __device__ __forceinline__ void note_rows(const struct fused_desc *d, const struct fused_memory *m, uint32_t brick,
                                                 struct triangle_notes *notes)
{
    const unsigned lane = lane_index();
    const struct bricks *b = &d->bricks;
    if (lane >= TOUCHED) return;
    const unsigned j = lane % SPAN, k = lane / SPAN, dy = j / BRICK_Y, dz = k / BRICK_Z;
    const unsigned nx = (unsigned)b->nx, ny = (unsigned)b->ny; /* bricks are numbered in 32 bits */
    const unsigned x = brick % nx, y = brick / nx % ny + dy, z = brick / nx / ny + dz;
    uint4 row[2] = { { 0, 0, 0, 0 }, { 0, 0, 0, 0 } };
#pragma unroll
    for (unsigned dx = 0; dx < 2; dx++)
        if (x + dx < nx && y < ny && z < b->nz) {
            const uint32_t slot = m->slot_of[brick + dx + (dy + dz * ny) * nx];
            if (slot != NO_SLOT) row[dx] = m->record[slot].row[k % BRICK_Z * BRICK_Y + j % BRICK_Y];
        }
    note_row(&notes->entry[0][3 * lane], row[0]);
    note_row(&notes->entry[1][3 * lane], row[1]);
}

/* Inside bits of row r in the low half, and of the same row shifted by one voxel in the high half. */
static __device__ __forceinline__ uint64_t row_bits(const uint32_t *inside, unsigned r)
{
    const uint32_t word = inside[r];
    return word | (uint64_t)(word >> 1 | (inside[TOUCHED] >> r & 1) << (WARP - 1)) << 32;
}

static __device__ __forceinline__ unsigned touched_row(unsigned row)
{
    return row / BRICK_Y * SPAN + row % BRICK_Y;
}

/* Lists the active cells; lanes take half rows. Returns how many. */
static __device__ __forceinline__ uint32_t list_cells(const struct grid *g, struct brick_at at, const uint32_t *inside,
                                                      uint16_t *cell)
{
    const unsigned lane = lane_index(), row = lane / 2, half = lane % 2 * 16, r = touched_row(row);
    uint32_t active = 0;
    if (at.y + row % BRICK_Y + 1 < g->ny && at.z + row / BRICK_Y + 1 < g->nz) {
        const uint64_t a = row_bits(inside, r), b = row_bits(inside, r + 1), c = row_bits(inside, r + SPAN),
                       e = row_bits(inside, r + SPAN + 1), any = a | b | c | e, all = a & b & c & e;
        active = ((uint32_t)any | (uint32_t)(any >> 32)) & ~((uint32_t)all & (uint32_t)(all >> 32)) &
                 first_bits(g->nx - 1 - at.x) & (0xffffu << half);
    }
    uint32_t total;
    uint16_t *to = cell + warp_prefix(popcount32(active), &total);
    for (; active; active &= active - 1) *to++ = (uint16_t)((__ffs(active) - 1) | row << CELL_ROW);
    return total;
}

/* Case of a listed cell. */
static __device__ __forceinline__ unsigned case_of(const uint32_t *inside, unsigned cell)
{
    const unsigned voxel = cell % WARP, r = touched_row(cell >> CELL_ROW);
    unsigned index = 0;
#pragma unroll
    for (unsigned q = 0; q < 4; q++) {
        const uint64_t bits = row_bits(inside, r + q % 2 + q / 2 * SPAN) >> voxel;
        index |= ((unsigned)bits & 1) << 2 * q | ((unsigned)(bits >> 32) & 1) << (2 * q + 1);
    }
    return index;
}

/* Lists the triangles of `cells` listed cells from `first` on, a lane per cell. Returns how many. */
static __device__ __forceinline__ uint32_t note_triangles(const struct fused_desc *d, uint32_t first, uint32_t cells,
                                                          struct triangle_notes *notes)
{
    uint32_t total = 0;
    for (uint32_t begin = 0; begin < cells; begin += WARP) {
        const uint32_t i = begin + lane_index();
        unsigned mine = 0, index = 0;
        if (i < cells) {
            index = case_of(notes->inside, notes->cell[first + i]);
            mine = d->tables->triangles[index];
            notes->mc_case[i] = (uint8_t)index;
        }
        uint32_t sum;
        uint16_t *to = notes->triangle + total + warp_prefix7(mine, &sum);
        for (unsigned t = 0; t < mine; t++) *to++ = (uint16_t)(i | t << NOTE_TRIANGLE);
        total += sum;
    }
    return total;
}

enum { EDGE_NEXT = 0x80 };

/* Cube edge -> 3 * rows away + axis, and EDGE_NEXT where it belongs to the next voxel. */
static __device__ __forceinline__ uint8_t edge_place(unsigned edge)
{
    const unsigned rows = mc_edge_dy(edge) + SPAN * mc_edge_dz(edge);
    return (uint8_t)(3 * rows + mc_edge_axis(edge) + (mc_edge_dx(edge) ? EDGE_NEXT : 0));
}

static __device__ __forceinline__ void write_triangle(uint32_t *out, const struct triangle_notes *notes, uint32_t first,
                                                      unsigned note, const struct mc_tables *tables, const uint8_t *place)
{
    const unsigned number = note % PART_CELLS, cell = notes->cell[first + number];
    const uint64_t edges = tables->packed[notes->mc_case[number]] >> 12 * (note >> NOTE_TRIANGLE);
    const struct edge_entry *row = &notes->entry[0][3 * touched_row(cell >> CELL_ROW)];
#pragma unroll
    for (unsigned c = 0; c < 3; c++) {
        const unsigned at = place[edges >> 4 * c & 15], voxel = cell % WARP + at / EDGE_NEXT;
        const struct edge_entry e = row[at % EDGE_NEXT + voxel / WARP * (TOUCHED * 3)];
        out[c] = e.first + popcount32(e.bits & ((1u << voxel % WARP) - 1));
    }
}

static __global__ void __launch_bounds__(TRIANGLE_WARPS *WARP) triangles(struct fused_desc d)
{
    __shared__ struct triangle_notes block_notes[TRIANGLE_WARPS];
    __shared__ uint8_t place[12];
    struct triangle_notes *notes = &block_notes[threadIdx.x / WARP];
    const struct fused_memory m = memory_of(d.scratch, d.brick_room);
    const unsigned lane = lane_index();
    const uint64_t slots = slots_used(&d), units = spread_units(slots);
    if (threadIdx.x < 12) place[threadIdx.x] = edge_place(threadIdx.x);
    __syncthreads();

    for (uint64_t unit = thread_index() / WARP; unit < units; unit += thread_count() / WARP) {
        const uint64_t slot = spread(unit, slots);
        if (slot >= slots) continue;
        const uint32_t brick = m.list[slot];
        notes->inside[lane] = m.record[slot].inside[lane];
        note_rows(&d, &m, brick, notes);
        __syncwarp();
        const uint32_t cells = list_cells(&d.grid, brick_locate(&d.bricks, brick), notes->inside, notes->cell);
        __syncwarp();
        for (uint32_t first = 0; first < cells; first += PART_CELLS) {
            const uint32_t part = cells - first < PART_CELLS ? cells - first : (uint32_t)PART_CELLS;
            const uint32_t total = note_triangles(&d, first, part, notes);
            const uint64_t base = take_room(&d.counts->triangles, total);
            __syncwarp();
            if (base + total <= d.triangle_room)
                for (uint32_t i = lane; i < total; i += WARP)
                    write_triangle(d.mesh.indices + 3 * (base + i), notes, first, notes->triangle[i], d.tables, place);
            __syncwarp(); /* before the next notes */
        }
    }
}

/* ---- launch -------------------------------------------------------------------------------------------------------- */

/* Blocks of a launch whose items are only known on the device: enough to fill it. */
static unsigned blocks_to_fill(const struct exec *x, unsigned per_processor)
{
    int processors = 0;
    if (cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, x->device) != cudaSuccess) processors = 64;
    return (unsigned)processors * per_processor;
}

static int run_warp(const struct fused_desc *d, struct exec *x)
{
    const uint64_t bricks = (uint64_t)d->bricks.nx * d->bricks.ny * d->bricks.nz;
    const cudaError_t error = cudaMemsetAsync(d->counts, 0, sizeof *d->counts, x->stream);
    if (error != cudaSuccess) return error;
    cull<<<launch_blocks(bricks, THREADS), THREADS, 0, x->stream>>>(*d);
    LAUNCH_TYPED(d->grid.type, vertices<TYPE><<<blocks_to_fill(x, 4), VERTEX_WARPS * WARP, 0, x->stream>>>(*d));
    triangles<<<blocks_to_fill(x, 14), TRIANGLE_WARPS * WARP, 0, x->stream>>>(*d);
    return cudaGetLastError();
}

/* ---- the table ----------------------------------------------------------------------------------------------------- */

const struct fused_rung fused_cuda[] = {
    { { "none", "the stages, one by one", false }, NULL, NULL },
    { { "warp", "one warp per active brick, records for the neighbours", true }, run_warp, scratch_bytes },
    {},
};
