/* generate on CUDA: vertices and indices of the listed strips. Contract in generate.h.
 * Run: isoscope ladder generate --bench --backend cuda
 *
 * Positions and numbers of vertices come from edge_vertex.h and strips.h, which the CPU uses, too. Every rung writes
 * the same bits; rungs differ in who does what. One method is left out on purpose: welding equal vertices afterwards,
 * because vertices are shared from the start.
 * Times: H200, bonsai CT at 40.5, strips of 32, uint8, 256^3 (1.1 M triangles) and enlarged to 1024^3 (17 M). */
#include "generate.h"
#include "cuda_util.cuh"
#include "mc_cells.cuh"

#include <cuda_runtime.h>

/* ---- soup ----------------------------------------------------------------------------------------------------------
 * The textbook of the field: one thread per listed strip (with width 1, per cell) makes three new vertices for each
 * triangle. It needs no numbers from other cells.
 * Cost: a closed surface has about six corners per vertex. Each is interpolated again, with its normal, and written
 * again: 60 bytes per triangle with the indices, where shared vertices need 20. 183 us on strips of 1, its natural
 * layout. 613 us on strips of 32, because a thread does all cells of a strip in sequence, and a warp takes as long as
 * its fullest strip. */

/* Return the index of voxel `lane` of a strip. */
static __device__ __forceinline__ size_t voxel_at(const struct grid *g, struct strip_at at, unsigned lane)
{
    return (at.z * g->ny + at.y) * g->nx + at.x + lane;
}

template <enum voxel_type T> static __global__ void generate_soup(struct generate_desc d)
{
    struct grid g = d.grid; /* a local copy, so that the compiler sees the constant type */
    g.type = T;
    const struct strips *s = &d.strips;
    for (size_t i = thread_index(); i < d.list_count; i += thread_count()) {
        const size_t strip = d.list[i];
        const struct strip_at at = strip_locate(s, strip);
        const struct strip_corners corners = strip_cells(s, strip, at);
        size_t out = 3 * (size_t)s->first_triangle[strip];
        for (uint32_t left = strip_active(&corners); left; left &= left - 1) {
            const unsigned lane = __ffs(left) - 1, mc_case = strip_case(&corners, lane);
            const unsigned number = cell_of(d.tables, &g, d.iso, voxel_at(&g, at, lane), mc_case);
            const struct mc_subcase *cell = &d.tables->subcase[number];
            for (unsigned k = 0; k < 3u * cell->triangles; k++, out++) {
                const unsigned e = cell->edge[k], x = at.x + lane;
                d.mesh.vertices[out] = e < MC_INNER ? edge_vertex(&g, d.iso, x + mc_edge_dx(e), at.y + mc_edge_dy(e),
                                                                  at.z + mc_edge_dz(e), mc_edge_axis(e))
                                                    : inner_of(d.tables, g, d.iso, x, at.y, at.z, number, e);
                d.mesh.indices[out] = (uint32_t)out;
            }
        }
    }
}

static int run_soup(const struct generate_desc *desc, struct exec *x)
{
    if (!desc->list_count) return 0;
    const unsigned blocks = launch_blocks(desc->list_count, THREADS);
    LAUNCH_TYPED(desc->grid.type, generate_soup<TYPE><<<blocks, THREADS, 0, x->stream>>>(*desc));
    return cudaGetLastError();
}

/* ---- indexed -------------------------------------------------------------------------------------------------------
 * The soup makes every vertex about six times: 613 us.
 * Idea: the strip that owns an edge makes its vertex once; the number of the vertex follows from the scan and the
 * inside bits. One thread per listed strip writes vertices voxel by voxel, then triangles cell by cell.
 * Cost: each thread writes its own range, so the stores of a warp are scattered, and it takes as long as its fullest
 * strip. For every corner of a triangle, the crossed edges of the owning strip are found again. */

template <enum voxel_type T> static __global__ void generate_indexed(struct generate_desc d)
{
    struct grid g = d.grid; /* a local copy, so that the compiler sees the constant type */
    g.type = T;
    const struct strips *s = &d.strips;
    for (size_t i = thread_index(); i < d.list_count; i += thread_count()) {
        const size_t strip = d.list[i];
        const struct strip_at at = strip_locate(s, strip);

        const struct strip_edges e = strip_crossed(s, strip, at);
        const struct strip_corners corners = strip_cells(s, strip, at);
        size_t vertex = s->first_vertex[strip];
        for (uint32_t left = e.x | e.y | e.z | e.inner; left; left &= left - 1) {
            const unsigned lane = __ffs(left) - 1;
            for (unsigned axis = 0; axis < 3; axis++)
                if ((axis == 0 ? e.x : axis == 1 ? e.y : e.z) >> lane & 1)
                    d.mesh.vertices[vertex++] = edge_vertex(&g, d.iso, at.x + lane, at.y, at.z, axis);
            if (!(e.inner >> lane & 1)) continue;
            const unsigned cell = cell_of(d.tables, &g, d.iso, voxel_at(&g, at, lane), strip_case(&corners, lane));
            for (unsigned k = 0; k < MC_INNER_PAIR; k++)
                d.mesh.vertices[vertex++] = inner_of(d.tables, g, d.iso, at.x + lane, at.y, at.z, cell, MC_INNER + k);
        }

        size_t index = 3 * (size_t)s->first_triangle[strip];
        for (uint32_t left = strip_active(&corners); left; left &= left - 1) {
            const unsigned lane = __ffs(left) - 1, mc_case = strip_case(&corners, lane);
            const unsigned number = cell_of(d.tables, &g, d.iso, voxel_at(&g, at, lane), mc_case);
            const struct mc_subcase *cell = &d.tables->subcase[number];
            for (unsigned k = 0; k < 3u * cell->triangles; k++)
                d.mesh.indices[index++] = strip_cell_vertex(s, strip, at, lane, cell->edge[k]);
        }
    }
}

static int run_indexed(const struct generate_desc *desc, struct exec *x)
{
    if (!desc->list_count) return 0;
    const unsigned blocks = launch_blocks(desc->list_count, THREADS);
    LAUNCH_TYPED(desc->grid.type, generate_indexed<TYPE><<<blocks, THREADS, 0, x->stream>>>(*desc));
    return cudaGetLastError();
}

/* ---- warp ----------------------------------------------------------------------------------------------------------
 * With a thread per strip, a warp waits for its fullest strip and scatters its stores: 243 us.
 * Idea: one warp per strip of 32. Lanes first note in shared memory what is to be written, in order. Then each lane
 * takes every 32nd output, whatever its cell, so that stores are coalesced and all lanes have the same amount of work.
 *
 *    cells      0   1   2   3 ..        slots  (cell 1, 0) (cell 1, 1) (cell 3, 0) ..     one per triangle
 *    triangles  0   2   0   1 ..        lane i writes index i, i + 32, ..  of the strip's 3 * slots
 *
 * Up to eight strips own the edges of the cells. They are read once, by one lane each, and kept as 16 bytes:
 *
 *    owner 2 * row + column:  row 0 (y, z), 1 (y + 1, z), 2 (y, z + 1), 3 (y + 1, z + 1); column 1 the next strip in x
 *
 * 115 us. For vessels of 512^3, whose strips own fewer outputs, the gain is small: 241 against 253 of indexed.
 * Cost: shared memory, and a whole warp however few cells of the strip are crossed. Strips of one voxel do not fill a
 * warp, so width 1 uses indexed. */

enum {
    WARPS = 4, /* per block: there is little to wait for, and small blocks leave an SM sooner */
    SLOT_LANE = 31,
    SLOT_SHIFT = 5, /* a slot is lane | (axis or number of the triangle) << SLOT_SHIFT */
    SLOT_INNER = 3, /* instead of an axis: the first vertex inside the cell; 4 is the other one */
};

/* Store at once: four separate words would touch each line of the warp's vertices four times. */
static __device__ __forceinline__ void store_vertex(struct vertex *to, struct vertex v)
{
    store_16(to, make_uint4(__float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z), v.normal));
}

struct warp_notes {
    uint4 owner[8];                                 /* crossed edges along x, y, z, and number of the first vertex */
    uint32_t inner[8];                              /* cells with vertices inside */
    uint16_t cell[WARP];                            /* subcase of each, a number in the tables */
    uint16_t slot[WARP * MC_MAX_SUBCASE_TRIANGLES]; /* vertices first, at most 5 a voxel, then triangles */
};

static __device__ __forceinline__ void note_owner(const struct strips *s, size_t strip, struct strip_at at, unsigned which,
                                                  struct warp_notes *notes)
{
    const unsigned dy = which >> 1 & 1, dz = which >> 2, dx = which & 1;
    uint4 owner = { 0, 0, 0, 0 };
    uint32_t inner = 0;
    at.x += dx * WARP, at.y += dy, at.z += dz;
    if (at.x < s->nx && at.y < s->ny && at.z < s->nz) {
        strip += dx + dy * s->per_row + dz * s->per_row * s->ny;
        const struct strip_edges e = strip_crossed(s, strip, at);
        owner = { e.x, e.y, e.z, s->first_vertex[strip] };
        inner = e.inner;
    }
    notes->owner[which] = owner;
    notes->inner[which] = inner;
}

static __device__ __forceinline__ uint32_t noted_vertex(const uint4 *owners, const uint32_t *inner, unsigned lane,
                                                        unsigned edge)
{
    lane += mc_edge_dx(edge);
    const unsigned which = 4 * mc_edge_dz(edge) + 2 * mc_edge_dy(edge) + lane / WARP, second = edge > MC_INNER;
    const uint4 owner = owners[which];
    const struct strip_edges e = { owner.x, owner.y, owner.z, inner[which] };
    return strip_vertex(e, owner.w, lane % WARP, mc_edge_axis(edge)) + second;
}

/* Note the vertices that voxel `lane` of a strip owns, starting at `slot`; `note` is the rest of a slot's value. */
static __device__ __forceinline__ void note_owned(uint16_t *slot, struct strip_edges e, unsigned lane, unsigned note)
{
    if (e.x >> lane & 1) *slot++ = (uint16_t)note;
    if (e.y >> lane & 1) *slot++ = (uint16_t)(note | 1u << SLOT_SHIFT);
    if (e.z >> lane & 1) *slot++ = (uint16_t)(note | 2u << SLOT_SHIFT);
    for (unsigned k = 0; k < MC_INNER_PAIR && e.inner >> lane & 1; k++)
        *slot++ = (uint16_t)(note | (SLOT_INNER + k) << SLOT_SHIFT);
}

enum table { GLOBAL, CONSTANT, READ_ONLY }; /* where the subcases are */

static __constant__ struct mc_subcase constant_subcase[MC_SUBCASES]; /* 50 of the 64 KB available */

template <enum table WHERE>
static __device__ __forceinline__ unsigned triangles_of(const struct mc_tables *t, unsigned number)
{
    if (WHERE == CONSTANT) return constant_subcase[number].triangles;
    return WHERE == READ_ONLY ? __ldg(&t->subcase[number].triangles) : t->subcase[number].triangles;
}

/* Return the edge of corner k of a subcase's triangles. */
template <enum table WHERE>
static __device__ __forceinline__ unsigned edge_of(const struct mc_tables *t, unsigned number, unsigned k)
{
    if (WHERE == CONSTANT) return constant_subcase[number].edge[k];
    return WHERE == READ_ONLY ? __ldg(&t->subcase[number].edge[k]) : t->subcase[number].edge[k];
}

template <enum voxel_type T, enum table WHERE>
static __global__ void __launch_bounds__(WARPS *WARP) generate_warp(struct generate_desc d)
{
    __shared__ struct warp_notes block_notes[WARPS];
    struct warp_notes *notes = &block_notes[threadIdx.x / WARP];
    const struct strips *s = &d.strips;
    const unsigned lane = lane_index();
    struct grid g = d.grid; /* a local copy, so that the compiler sees the constant type */
    g.type = T;

    for (size_t i = thread_index() / WARP; i < d.list_count; i += thread_count() / WARP) {
        const size_t strip = d.list[i];
        const struct strip_at at = strip_locate(s, strip);
        if (lane < 8) note_owner(s, strip, at, lane, notes);
        const struct strip_corners corners = strip_cells(s, strip, at);
        const bool active = strip_active(&corners) >> lane & 1;
        const unsigned number = active ? cell_of(d.tables, &g, d.iso, voxel_at(&g, at, lane), strip_case(&corners, lane))
                                       : 0;
        notes->cell[lane] = (uint16_t)number;
        __syncwarp();

        /* vertices */
        const uint4 own = notes->owner[0];
        const struct strip_edges e = { own.x, own.y, own.z, notes->inner[0] };
        const uint32_t vertices = strip_owned(e);
        note_owned(notes->slot + strip_vertex(e, 0, lane, 0), e, lane, lane);
        __syncwarp();
        for (uint32_t k = lane; k < vertices; k += WARP) {
            const unsigned note = notes->slot[k], axis = note >> SLOT_SHIFT, voxel = note & SLOT_LANE;
            store_vertex(&d.mesh.vertices[(size_t)own.w + k],
                         axis < SLOT_INNER ? edge_vertex(&g, d.iso, at.x + voxel, at.y, at.z, axis)
                                           : inner_of(d.tables, g, d.iso, at.x + voxel, at.y, at.z, notes->cell[voxel],
                                                      MC_INNER + axis - SLOT_INNER));
        }
        __syncwarp(); /* before slots are rewritten */

        /* triangles */
        const unsigned mine = triangles_of<WHERE>(d.tables, number);
        uint32_t triangles;
        const uint32_t slot = warp_prefix_short<4>(mine, &triangles);
        for (unsigned k = 0; k < mine; k++) notes->slot[slot + k] = (uint16_t)(lane | k << SLOT_SHIFT);
        __syncwarp();
        uint32_t *indices = d.mesh.indices + 3 * (size_t)s->first_triangle[strip];
        for (uint32_t k = lane; k < 3 * triangles; k += WARP) {
            const unsigned note = notes->slot[k / 3], cell = note & SLOT_LANE;
            const unsigned edge = edge_of<WHERE>(d.tables, notes->cell[cell], 3 * (note >> SLOT_SHIFT) + k % 3);
            indices[k] = noted_vertex(notes->owner, notes->inner, cell, edge);
        }
        __syncwarp(); /* before the next strip's notes */
    }
}

template <enum table WHERE> static int run_warps(const struct generate_desc *desc, struct exec *x)
{
    if (desc->strips.width != WARP) return run_indexed(desc, x);
    if (!desc->list_count) return 0;
    const unsigned blocks = launch_blocks(desc->list_count, WARPS);
    LAUNCH_TYPED(desc->grid.type, generate_warp<TYPE, WHERE><<<blocks, WARPS * WARP, 0, x->stream>>>(*desc));
    return cudaGetLastError();
}

static int run_warp(const struct generate_desc *desc, struct exec *x) { return run_warps<GLOBAL>(desc, x); }

/* ---- constant ------------------------------------------------------------------------------------------------------
 * warp looks up its triangles in a table in global memory, through L1. Idea: the books say that tables which never
 * change belong in constant memory. But its cache serves one address to all lanes at a time, and here nearly every lane
 * asks for a different one; 32 addresses take 32 turns. Predicted (vessels of 512^3): 0.25 ms, a quarter more than
 * warp. Measured: 0.253, against 0.241 of warp; open cells take time as well, so lookups are a smaller part of the
 * whole. With the CT it is 129 us against 115, an eighth more. Constant memory is right for what all lanes read at the
 * same time, such as the weights of gaussian.
 * Cost: 50 of 64 KB, and a copy of the table before the launch. If two streams use different tables (--topology), the
 * second overwrites those of the first. */

static int run_constant(const struct generate_desc *desc, struct exec *x)
{
    const cudaError_t error = cudaMemcpyToSymbolAsync(constant_subcase, desc->tables->subcase, sizeof constant_subcase, 0,
                                                      cudaMemcpyDeviceToDevice, x->stream);
    return error != cudaSuccess ? clear_error(error) : run_warps<CONSTANT>(desc, x);
}

/* ---- readonly ------------------------------------------------------------------------------------------------------
 * Idea: the tables as textures, as in NVIDIA's sample; the texture cache takes a different address from each lane.
 * Since compute capability 3.5, a load takes that path without a texture if it promises that nobody writes to the
 * memory (__ldg); since 7.0 the texture cache is L1. Predicted: as warp. Measured: 114 us, against 115 of warp.
 * Cost: none. A real texture would need an object per table, and an op makes none. */

static int run_readonly(const struct generate_desc *desc, struct exec *x) { return run_warps<READ_ONLY>(desc, x); }

/* ---- group ---------------------------------------------------------------------------------------------------------
 * A crossed strip owns only a few vertices (6.2, and 12.3 triangles, in the bonsai CT of 256^3 at 40.5). So few of the
 * 32 lanes are busy where most of the work is, in edge_vertex().
 * Idea: a warp takes eight strips and concatenates their outputs; the notes say which strip a slot is from.
 *
 *    slots  | strip 0: v v v v | strip 1: v v v v v v v | strip 3: v v ..      lane i takes slot i, i + 32, ..
 *
 * The 64 owners of eight strips fill the lanes twice, where eight of 32 lanes were busy before. The inside words that
 * the cases need are noted, too, and not loaded again. 72 us.
 * Cost: 4 KiB of shared memory per warp, which limits the number of warps on an SM. If there are few strips, lanes are
 * idle. */

enum {
    GROUP = 8,
    STRIP_SHIFT = 9,          /* a slot of the warp rung | strip << STRIP_SHIFT */
    SLOTS = GROUP * WARP * 5, /* all vertices of a group, and all triangles of most */
};

struct group_notes {
    uint4 owner[GROUP][8]; /* as in struct warp_notes */
    uint32_t inner[GROUP][8];
    struct strip_at at[GROUP]; /* first voxel */
    uint32_t inside[GROUP][8]; /* bits of the owners */
    uint32_t cells[GROUP];     /* bits of the voxels that start a cell */
    uint32_t first_triangle[GROUP];
    uint32_t shift[GROUP]; /* number of the vertex or triangle in the mesh, minus its slot */
    uint16_t cell[GROUP][WARP];
    uint16_t slot[SLOTS];
};

/* Note where strip `k` of the group is and what its owner `which` holds. */
static __device__ __forceinline__ void note_strip(const struct strips *s, size_t strip, unsigned k, unsigned which,
                                                  struct group_notes *notes)
{
    struct strip_at at = strip_locate(s, strip);
    if (which == 0) {
        notes->at[k] = at;
        notes->cells[k] = at.y + 1 < s->ny && at.z + 1 < s->nz ? strip_x_bits(s, at.x) : 0;
        notes->first_triangle[k] = s->first_triangle[strip];
    }
    uint4 owner = { 0, 0, 0, 0 };
    uint32_t inside = 0, inner = 0;
    const unsigned dx = which & 1, dy = which >> 1 & 1, dz = which >> 2;
    at.x += dx * WARP, at.y += dy, at.z += dz;
    if (at.x < s->nx && at.y < s->ny && at.z < s->nz) {
        strip += dx + dy * s->per_row + dz * s->per_row * s->ny;
        const struct strip_edges e = strip_crossed(s, strip, at);
        owner = { e.x, e.y, e.z, s->first_vertex[strip] };
        inside = s->inside[strip];
        inner = e.inner;
    }
    notes->owner[k][which] = owner;
    notes->inner[k][which] = inner;
    notes->inside[k][which] = inside;
}

/* Fill the slots with the vertices of `strips` strips; return how many. */
static __device__ __forceinline__ uint32_t note_vertices(struct group_notes *notes, unsigned strips)
{
    const unsigned lane = lane_index();
    uint32_t total = 0;
    for (unsigned k = 0; k < strips; k++) {
        const uint4 own = notes->owner[k][0];
        const struct strip_edges e = { own.x, own.y, own.z, notes->inner[k][0] };
        note_owned(notes->slot + strip_vertex(e, total, lane, 0), e, lane, lane | k << STRIP_SHIFT);
        if (lane == 0) notes->shift[k] = own.w - total;
        total += strip_owned(e);
    }
    return total;
}

/* Find the subcases of the cells. */
static __device__ __forceinline__ void note_cells(struct group_notes *notes, unsigned strips, const struct grid *g,
                                                  const struct generate_desc *d)
{
    const unsigned lane = lane_index();
    for (unsigned k = 0; k < strips; k++) {
        struct strip_corners corners;
        for (unsigned row = 0; row < 4; row++) {
            corners.corner[2 * row] = notes->inside[k][2 * row];
            corners.corner[2 * row + 1] = notes->inside[k][2 * row] >> 1 | notes->inside[k][2 * row + 1] << (WARP - 1);
        }
        corners.cells = notes->cells[k];
        const bool active = strip_active(&corners) >> lane & 1;
        notes->cell[k][lane] = active ? (uint16_t)cell_of(d->tables, g, d->iso, voxel_at(g, notes->at[k], lane),
                                                          strip_case(&corners, lane))
                                      : 0;
    }
}

/* Fill the slots with the triangles from number `begin` on, as many as there is space for; return how many there are. */
static __device__ __forceinline__ uint32_t note_triangles(struct group_notes *notes, unsigned strips, uint32_t begin,
                                                          const struct mc_tables *tables)
{
    const unsigned lane = lane_index();
    uint32_t total = 0;
    for (unsigned k = 0; k < strips; k++) {
        const unsigned mine = tables->subcase[notes->cell[k][lane]].triangles;
        uint32_t sum;
        const uint32_t slot = total + warp_prefix_short<4>(mine, &sum) - begin;
        for (unsigned t = 0; t < mine; t++)
            if (slot + t < SLOTS) notes->slot[slot + t] = (uint16_t)(lane | t << SLOT_SHIFT | k << STRIP_SHIFT);
        if (lane == 0) notes->shift[k] = notes->first_triangle[k] - total;
        total += sum;
    }
    return total;
}

template <enum voxel_type T> static __global__ void __launch_bounds__(WARPS *WARP) generate_group(struct generate_desc d)
{
    __shared__ struct group_notes block_notes[WARPS];
    struct group_notes *notes = &block_notes[threadIdx.x / WARP];
    const unsigned lane = lane_index();
    struct grid g = d.grid; /* a local copy, so that the compiler sees the constant type */
    g.type = T;

    const size_t step = thread_count() / WARP * GROUP;
    for (size_t first = thread_index() / WARP * GROUP; first < d.list_count; first += step) {
        const unsigned strips = d.list_count - first < GROUP ? (unsigned)(d.list_count - first) : (unsigned)GROUP;
        for (unsigned task = lane; task < 8 * strips; task += WARP)
            note_strip(&d.strips, d.list[first + task / 8], task / 8, task % 8, notes);
        __syncwarp();

        note_cells(notes, strips, &g, &d);
        const uint32_t vertices = note_vertices(notes, strips);
        __syncwarp();
        for (uint32_t i = lane; i < vertices; i += WARP) {
            const unsigned note = notes->slot[i], k = note >> STRIP_SHIFT, axis = note >> SLOT_SHIFT & 15;
            const unsigned voxel = note & SLOT_LANE;
            const struct strip_at at = notes->at[k];
            store_vertex(&d.mesh.vertices[i + notes->shift[k]],
                         axis < SLOT_INNER ? edge_vertex(&g, d.iso, at.x + voxel, at.y, at.z, axis)
                                           : inner_of(d.tables, g, d.iso, at.x + voxel, at.y, at.z, notes->cell[k][voxel],
                                                      MC_INNER + axis - SLOT_INNER));
        }
        __syncwarp(); /* before slots and shifts are rewritten */

        uint32_t triangles, begin = 0;
        do {
            triangles = note_triangles(notes, strips, begin, d.tables);
            __syncwarp();
            const uint32_t end = triangles - begin < SLOTS ? triangles : begin + SLOTS;
            for (uint32_t i = 3 * begin + lane; i < 3 * end; i += WARP) {
                const unsigned note = notes->slot[i / 3 - begin], k = note >> STRIP_SHIFT, cell = note & SLOT_LANE;
                const uint32_t triangle = i / 3 + notes->shift[k];
                const unsigned edge = d.tables->subcase[notes->cell[k][cell]].edge[3 * (note >> SLOT_SHIFT & 15) + i % 3];
                d.mesh.indices[3 * (size_t)triangle + i % 3] = noted_vertex(notes->owner[k], notes->inner[k], cell, edge);
            }
            __syncwarp(); /* before the next notes */
            begin += SLOTS;
        } while (begin < triangles);
    }
}

static int run_group(const struct generate_desc *desc, struct exec *x)
{
    if (desc->strips.width != WARP) return run_indexed(desc, x);
    if (!desc->list_count) return 0;
    const unsigned blocks = launch_blocks(desc->list_count, WARPS * GROUP);
    LAUNCH_TYPED(desc->grid.type, generate_group<TYPE><<<blocks, WARPS * WARP, 0, x->stream>>>(*desc));
    return cudaGetLastError();
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* clang-format off */
const struct generate_rung generate_cuda[] = {
    { { "soup", "one thread per strip or cell, three vertices of its own per triangle", false }, run_soup, true },
    { { "indexed", "shared vertices; one thread per strip, voxel by voxel and cell by cell", false }, run_indexed, false },
    { { "warp", "one warp per strip: notes what to write, then one lane per output, coalesced", false }, run_warp, false },
    { { "constant", "as warp, its table in constant memory, which serves one address at a time", false },
      run_constant, false },
    { { "readonly", "as warp, its table through the read-only cache (__ldg)", false }, run_readonly, false },
    { { "group", "one warp per eight strips, whose outputs fill the lanes", true }, run_group, false },
    {},
};
/* clang-format on */
