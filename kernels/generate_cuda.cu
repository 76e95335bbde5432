/* generate on CUDA: vertices and indices of the listed strips. Contract in generate.h.
 * Run: isoscope ladder generate --bench --backend cuda
 *
 * Positions and numbers of vertices come from edge_vertex.h and strips.h, shared with the CPU: every rung writes the
 * same bits, and rungs differ in who does what. Deliberately absent: welding, because numbers are shared.
 * Times: H200, bonsai CT at 40.5, strips of 32, uint8, 256^3 (1.1 M triangles) and enlarged to 1024^3 (17 M). */
#include "generate.h"
#include "cuda_util.cuh"
#include "edge_vertex.h"

#include <cuda_runtime.h>

/* ---- soup ----------------------------------------------------------------------------------------------------------
 * The field's textbook: one thread per listed strip, with width 1 a cell, makes three new vertices for each triangle
 * and needs no other cell's numbers.
 * Cost: a closed surface has about six corners per vertex, and each is interpolated, with its normal, and written
 * again: 60 bytes per triangle with the indices; shared vertices need 20. 183 us on strips of 1, its natural layout;
 * 587 us on strips of 32, whose threads do all cells of a strip in sequence, warps at the pace of the fullest. */

template <enum voxel_type T> static __global__ void generate_soup(struct generate_desc d)
{
    struct grid g = d.grid; /* a local copy, for the compiler to see the constant type */
    g.type = T;
    const struct strips *s = &d.strips;
    for (size_t i = thread_index(); i < d.list_count; i += thread_count()) {
        const size_t strip = d.list[i];
        const struct strip_at at = strip_locate(s, strip);
        const struct strip_corners corners = strip_cells(s, strip, at);
        size_t out = 3 * (size_t)s->first_triangle[strip];
        for (uint32_t left = strip_active(&corners); left; left &= left - 1) {
            const unsigned lane = __ffs(left) - 1, mc_case = strip_case(&corners, lane);
            for (unsigned k = 0; k < 3u * d.tables->triangles[mc_case]; k++, out++) {
                const unsigned e = d.tables->edge[mc_case][k];
                d.mesh.vertices[out] = edge_vertex(&g, d.iso, at.x + lane + mc_edge_dx(e), at.y + mc_edge_dy(e),
                                                   at.z + mc_edge_dz(e), mc_edge_axis(e));
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
 * The soup makes every vertex about six times: 587 us.
 * Idea: the strip that owns an edge makes its vertex once; its number follows from the scan and the inside bits. One
 * thread per listed strip: vertices voxel by voxel, then triangles cell by cell.
 * Cost: each thread writes its own range, so a warp's stores are scattered and its time is that of its fullest strip;
 * every corner of a triangle finds the crossed edges of the owning strip again. */

template <enum voxel_type T> static __global__ void generate_indexed(struct generate_desc d)
{
    struct grid g = d.grid; /* a local copy, for the compiler to see the constant type */
    g.type = T;
    const struct strips *s = &d.strips;
    for (size_t i = thread_index(); i < d.list_count; i += thread_count()) {
        const size_t strip = d.list[i];
        const struct strip_at at = strip_locate(s, strip);

        const struct strip_edges e = strip_crossed(s, strip, at);
        size_t vertex = s->first_vertex[strip];
        for (uint32_t left = e.x | e.y | e.z; left; left &= left - 1) {
            const unsigned lane = __ffs(left) - 1;
            for (unsigned axis = 0; axis < 3; axis++)
                if ((axis == 0 ? e.x : axis == 1 ? e.y : e.z) >> lane & 1)
                    d.mesh.vertices[vertex++] = edge_vertex(&g, d.iso, at.x + lane, at.y, at.z, axis);
        }

        const struct strip_corners corners = strip_cells(s, strip, at);
        size_t index = 3 * (size_t)s->first_triangle[strip];
        for (uint32_t left = strip_active(&corners); left; left &= left - 1) {
            const unsigned lane = __ffs(left) - 1, mc_case = strip_case(&corners, lane);
            for (unsigned k = 0; k < 3u * d.tables->triangles[mc_case]; k++)
                d.mesh.indices[index++] = strip_cell_vertex(s, strip, at, lane, d.tables->edge[mc_case][k]);
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
 * With a thread per strip, warps wait for their fullest strip and scatter their stores: 200 us, 1.7 ms.
 * Idea: one warp per strip of 32. Lanes first note in shared memory what to write, in order; then each lane takes every
 * 32nd output, whatever its cell: stores are coalesced, lanes evenly loaded.
 *
 *    cells      0   1   2   3 ..        slots  (cell 1, 0) (cell 1, 1) (cell 3, 0) ..     one per triangle
 *    triangles  0   2   0   1 ..        lane i writes index i, i + 32, ..  of the strip's 3 * slots
 *
 * The up to eight strips that own the cells' edges are read once, a lane each, and kept as 16 bytes:
 *
 *    owner 2 * row + column:  row 0 (y, z), 1 (y + 1, z), 2 (y, z + 1), 3 (y + 1, z + 1); column 1 the next strip in x
 *
 * Cost: shared memory, and a whole warp however few cells of the strip are crossed: 98 us, but 2.0 ms where strips own
 * fewer. Strips of one voxel do not fill a warp: width 1 uses indexed. */

enum {
    WARPS = 4, /* per block: little to wait for, and small blocks leave an SM sooner */
    SLOT_LANE = 31,
    SLOT_SHIFT = 5, /* a slot is lane | (axis or number of the triangle) << SLOT_SHIFT */
};

/* Store at once: four separate words would touch each line of a warp's vertices four times. */
static __device__ __forceinline__ void store_vertex(struct vertex *to, struct vertex v)
{
    store_16(to, make_uint4(__float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z), v.normal));
}

struct warp_notes {
    uint4 owner[8];                        /* crossed edges along x, y, z, and number of the first vertex */
    uint8_t mc_case[WARP];                 /* of each cell */
    uint8_t slot[WARP * MC_MAX_TRIANGLES]; /* vertices first, at most 3 a voxel, then triangles */
};

static __device__ __forceinline__ void note_owner(const struct strips *s, size_t strip, struct strip_at at, unsigned which,
                                                  struct warp_notes *notes)
{
    const unsigned dy = which >> 1 & 1, dz = which >> 2, dx = which & 1;
    uint4 owner = { 0, 0, 0, 0 };
    at.x += dx * WARP, at.y += dy, at.z += dz;
    if (at.x < s->nx && at.y < s->ny && at.z < s->nz) {
        strip += dx + dy * s->per_row + dz * s->per_row * s->ny;
        const struct strip_edges e = strip_crossed(s, strip, at);
        owner = { e.x, e.y, e.z, s->first_vertex[strip] };
    }
    notes->owner[which] = owner;
}

static __device__ __forceinline__ uint32_t noted_vertex(const uint4 *owners, unsigned lane, unsigned edge)
{
    lane += mc_edge_dx(edge);
    const uint4 owner = owners[4 * mc_edge_dz(edge) + 2 * mc_edge_dy(edge) + lane / WARP];
    const struct strip_edges e = { owner.x, owner.y, owner.z };
    return strip_vertex(e, owner.w, lane % WARP, mc_edge_axis(edge));
}

template <enum voxel_type T> static __global__ void __launch_bounds__(WARPS *WARP) generate_warp(struct generate_desc d)
{
    __shared__ struct warp_notes block_notes[WARPS];
    struct warp_notes *notes = &block_notes[threadIdx.x / WARP];
    const struct strips *s = &d.strips;
    const unsigned lane = lane_index();
    struct grid g = d.grid; /* a local copy, for the compiler to see the constant type */
    g.type = T;

    for (size_t i = thread_index() / WARP; i < d.list_count; i += thread_count() / WARP) {
        const size_t strip = d.list[i];
        const struct strip_at at = strip_locate(s, strip);
        if (lane < 8) note_owner(s, strip, at, lane, notes);
        __syncwarp();

        /* vertices */
        const uint4 own = notes->owner[0];
        const struct strip_edges e = { own.x, own.y, own.z };
        const uint32_t vertices = popcount32(e.x) + popcount32(e.y) + popcount32(e.z);
        uint32_t slot = strip_vertex(e, 0, lane, 0);
        if (e.x >> lane & 1) notes->slot[slot++] = (uint8_t)(lane);
        if (e.y >> lane & 1) notes->slot[slot++] = (uint8_t)(lane | 1u << SLOT_SHIFT);
        if (e.z >> lane & 1) notes->slot[slot++] = (uint8_t)(lane | 2u << SLOT_SHIFT);
        __syncwarp();
        for (uint32_t k = lane; k < vertices; k += WARP) {
            const unsigned note = notes->slot[k];
            store_vertex(&d.mesh.vertices[(size_t)own.w + k],
                         edge_vertex(&g, d.iso, at.x + (note & SLOT_LANE), at.y, at.z, note >> SLOT_SHIFT));
        }
        __syncwarp(); /* before slots are rewritten */

        /* triangles */
        const struct strip_corners corners = strip_cells(s, strip, at);
        const unsigned mc_case = strip_case(&corners, lane);
        const unsigned mine = strip_active(&corners) >> lane & 1 ? d.tables->triangles[mc_case] : 0;
        uint32_t triangles;
        slot = warp_prefix7(mine, &triangles);
        notes->mc_case[lane] = (uint8_t)mc_case;
        for (unsigned k = 0; k < mine; k++) notes->slot[slot + k] = (uint8_t)(lane | k << SLOT_SHIFT);
        __syncwarp();
        uint32_t *indices = d.mesh.indices + 3 * (size_t)s->first_triangle[strip];
        for (uint32_t k = lane; k < 3 * triangles; k += WARP) {
            const unsigned note = notes->slot[k / 3], cell = note & SLOT_LANE;
            const unsigned edge = d.tables->edge[notes->mc_case[cell]][3 * (note >> SLOT_SHIFT) + k % 3];
            indices[k] = noted_vertex(notes->owner, cell, edge);
        }
        __syncwarp(); /* before the next strip's notes */
    }
}

static int run_warp(const struct generate_desc *desc, struct exec *x)
{
    if (desc->strips.width != WARP) return run_indexed(desc, x);
    if (!desc->list_count) return 0;
    const unsigned blocks = launch_blocks(desc->list_count, WARPS);
    LAUNCH_TYPED(desc->grid.type, generate_warp<TYPE><<<blocks, WARPS * WARP, 0, x->stream>>>(*desc));
    return cudaGetLastError();
}

/* ---- group ---------------------------------------------------------------------------------------------------------
 * A crossed strip owns few vertices (6.2, and 12.3 triangles, in the bonsai CT of 256^3 at 40.5), so few of the warp's
 * 32 lanes are busy where the work is: in edge_vertex().
 * Idea: a warp takes eight strips and concatenates their outputs; the notes say which strip a slot is from.
 *
 *    slots  | strip 0: v v v v | strip 1: v v v v v v v | strip 3: v v ..      lane i takes slot i, i + 32, ..
 *
 * The 64 owners of eight strips fill the lanes twice; before, eight of 32 were busy. Inside words that the cases need
 * are noted with them, not loaded again. 57 us, 0.83 ms.
 * Cost: 4 KiB of shared memory per warp, which limits the warps on an SM; few strips leave lanes idle. */

enum { GROUP = 8, STRIP_SHIFT = 8 }; /* a slot of the warp rung | strip << STRIP_SHIFT */

struct group_notes {
    uint4 owner[GROUP][8];     /* as in struct warp_notes */
    struct strip_at at[GROUP]; /* first voxel */
    uint32_t inside[GROUP][8]; /* bits of the owners */
    uint32_t cells[GROUP];     /* bits of the voxels that start a cell */
    uint32_t first_triangle[GROUP];
    uint32_t shift[GROUP]; /* number of the vertex or triangle in the mesh, less its slot */
    uint8_t mc_case[GROUP][WARP];
    uint16_t slot[GROUP * WARP * MC_MAX_TRIANGLES];
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
    uint32_t inside = 0;
    const unsigned dx = which & 1, dy = which >> 1 & 1, dz = which >> 2;
    at.x += dx * WARP, at.y += dy, at.z += dz;
    if (at.x < s->nx && at.y < s->ny && at.z < s->nz) {
        strip += dx + dy * s->per_row + dz * s->per_row * s->ny;
        const struct strip_edges e = strip_crossed(s, strip, at);
        owner = { e.x, e.y, e.z, s->first_vertex[strip] };
        inside = s->inside[strip];
    }
    notes->owner[k][which] = owner;
    notes->inside[k][which] = inside;
}

/* Fill the slots with the vertices of `strips` strips; return how many. */
static __device__ __forceinline__ uint32_t note_vertices(struct group_notes *notes, unsigned strips)
{
    const unsigned lane = lane_index();
    uint32_t total = 0;
    for (unsigned k = 0; k < strips; k++) {
        const uint4 own = notes->owner[k][0];
        const struct strip_edges e = { own.x, own.y, own.z };
        const unsigned note = lane | k << STRIP_SHIFT;
        uint32_t slot = strip_vertex(e, total, lane, 0);
        if (e.x >> lane & 1) notes->slot[slot++] = (uint16_t)note;
        if (e.y >> lane & 1) notes->slot[slot++] = (uint16_t)(note | 1u << SLOT_SHIFT);
        if (e.z >> lane & 1) notes->slot[slot++] = (uint16_t)(note | 2u << SLOT_SHIFT);
        if (lane == 0) notes->shift[k] = own.w - total;
        total += popcount32(e.x) + popcount32(e.y) + popcount32(e.z);
    }
    return total;
}

/* Fill the slots with the triangles; return how many. */
static __device__ __forceinline__ uint32_t note_triangles(struct group_notes *notes, unsigned strips,
                                                          const struct mc_tables *tables)
{
    const unsigned lane = lane_index();
    uint32_t total = 0;
    for (unsigned k = 0; k < strips; k++) {
        struct strip_corners corners;
        for (unsigned row = 0; row < 4; row++) {
            corners.corner[2 * row] = notes->inside[k][2 * row];
            corners.corner[2 * row + 1] = notes->inside[k][2 * row] >> 1 | notes->inside[k][2 * row + 1] << (WARP - 1);
        }
        corners.cells = notes->cells[k];
        const unsigned mc_case = strip_case(&corners, lane);
        const unsigned mine = strip_active(&corners) >> lane & 1 ? tables->triangles[mc_case] : 0;
        uint32_t sum;
        const uint32_t slot = total + warp_prefix7(mine, &sum);
        for (unsigned t = 0; t < mine; t++) notes->slot[slot + t] = (uint16_t)(lane | t << SLOT_SHIFT | k << STRIP_SHIFT);
        notes->mc_case[k][lane] = (uint8_t)mc_case;
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
    struct grid g = d.grid; /* a local copy, for the compiler to see the constant type */
    g.type = T;

    const size_t step = thread_count() / WARP * GROUP;
    for (size_t first = thread_index() / WARP * GROUP; first < d.list_count; first += step) {
        const unsigned strips = d.list_count - first < GROUP ? (unsigned)(d.list_count - first) : (unsigned)GROUP;
        for (unsigned task = lane; task < 8 * strips; task += WARP)
            note_strip(&d.strips, d.list[first + task / 8], task / 8, task % 8, notes);
        __syncwarp();

        const uint32_t vertices = note_vertices(notes, strips);
        __syncwarp();
        for (uint32_t i = lane; i < vertices; i += WARP) {
            const unsigned note = notes->slot[i], k = note >> STRIP_SHIFT;
            const struct strip_at at = notes->at[k];
            store_vertex(&d.mesh.vertices[i + notes->shift[k]],
                         edge_vertex(&g, d.iso, at.x + (note & SLOT_LANE), at.y, at.z, note >> SLOT_SHIFT & 3));
        }
        __syncwarp(); /* before slots and shifts are rewritten */

        const uint32_t triangles = note_triangles(notes, strips, d.tables);
        __syncwarp();
        for (uint32_t i = lane; i < 3 * triangles; i += WARP) {
            const unsigned note = notes->slot[i / 3], k = note >> STRIP_SHIFT, cell = note & SLOT_LANE;
            const uint32_t triangle = i / 3 + notes->shift[k];
            const unsigned edge = d.tables->edge[notes->mc_case[k][cell]][3 * (note >> SLOT_SHIFT & 7) + i % 3];
            d.mesh.indices[3 * (size_t)triangle + i % 3] = noted_vertex(notes->owner[k], cell, edge);
        }
        __syncwarp(); /* before the next group's notes */
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

const struct generate_rung generate_cuda[] = {
    { { "soup", "one thread per strip or cell, three vertices of its own per triangle", false }, run_soup, true },
    { { "indexed", "shared vertices; one thread per strip, voxel by voxel and cell by cell", false }, run_indexed, false },
    { { "warp", "one warp per strip: note what to write, then a lane per output, coalesced", false }, run_warp, false },
    { { "group", "one warp per eight strips, whose outputs fill the lanes", true }, run_group, false },
    {},
};
