/* classify on CUDA: inside bits, and the vertices and triangles that each strip owns. Contract in classify.h.
 *
 * The textbook is Lorensen and Cline's (1987) in its usual GPU form, one thread per cell. Row masks follow the row-wise
 * view of Flying Edges (Schroeder, Maynard and Geveci 2015): most of the work is per row, little per cell.
 * Times below: H200, bonsai CT at 40.5, uint8, 256^3 and trilinearly enlarged to 1024^3, device events. */
#include "classify.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * One thread per voxel reads the eight corners of its cell and writes three words of 32 bits. The bricks are not asked.
 * Cost: each voxel is read eight times, and 12 bytes are written for it whatever its type. */

template <enum voxel_type T>
static __global__ void classify_textbook(struct grid g, float iso, const struct mc_tables *tables, struct strips out)
{
    g.type = T;
    for (size_t i = thread_index(); i < out.count; i += thread_count()) {
        const struct strip_at at = strip_locate(&out, i); /* width is 1: strip i is voxel i */
        const bool right = at.x + 1 < g.nx, back = at.y + 1 < g.ny, up = at.z + 1 < g.nz;
        unsigned inside = 0, there = 0;
        for (unsigned c = 0; c < 8; c++) {
            if (((c & 1) && !right) || ((c & 2) && !back) || ((c & 4) && !up)) continue;
            const size_t corner = i + (c & 1) + (c >> 1 & 1) * g.nx + (c >> 2) * g.nx * g.ny;
            inside |= (unsigned)(grid_value(&g, corner) >= iso) << c;
            there |= 1u << c;
        }
        /* Corners 1, 2 and 4 are the far ends of the three edges that the voxel owns. */
        const unsigned crossed = (inside & 1 ? ~inside : inside) & there & (1u << 1 | 1u << 2 | 1u << 4);
        out.inside[i] = inside & 1;
        out.vertices[i] = popcount32(crossed);
        out.triangles[i] = there == 0xff ? tables->triangles[inside] : 0;
    }
}

static int run_textbook(const struct grid *grid, float iso, const struct bricks *bricks, const struct mc_tables *tables,
                        const struct strips *out, struct exec *x)
{
    (void)bricks;
    if (!out->count) return 0;
    const unsigned blocks = launch_blocks(out->count, THREADS);
    LAUNCH_TYPED(grid->type, classify_textbook<TYPE><<<blocks, THREADS, 0, x->stream>>>(*grid, iso, tables, *out));
    return cudaGetLastError();
}

/* ---- ballot --------------------------------------------------------------------------------------------------------
 * The textbook takes 135 us, and 8.2 ms for 1024^3: 13 bytes moved per voxel, nearly all of them counts of zero.
 * Idea: the 32 lanes of a warp compare 32 voxels of a row, and one ballot makes them a word; all counting is then done
 * on words, 32 voxels at a time. Bricks that the surface cannot cross give their words without reading a voxel.
 *
 *    voxels    3 9 9 2 ...   >= 5 ->  word         .11.          own ^ shifted -> x edges crossed   popc -> vertices
 *                                     next row     .1..          own ^ next    -> y edges crossed
 *                                     next layer   .11.          own ^ upper   -> z edges crossed
 *
 * A warp does 32 neighbouring strips: lanes look up the bricks of all 32 at once, then walk only those to be read.
 * 32 us, 0.72 ms; without the bricks 43 us, 1.5 ms.
 * Cost: two launches, because counts need the words of neighbouring rows; words of strips go out and come in again. */

enum { STRIPS_AT_ONCE = 4 }; /* loads in flight per lane */

template <enum voxel_type T>
static __global__ void ballot_words(struct grid g, float iso, struct bricks b, struct strips out)
{
    g.type = T;
    const unsigned lane = lane_index();
    const size_t step = thread_count();
    for (size_t first = thread_index() - lane; first < out.count; first += step) {
        const size_t strip = first + lane;
        size_t start = 0;  /* first voxel of this lane's strip */
        unsigned left = 0; /* voxels that it has */
        uint32_t word = 0;
        bool read = false;
        if (strip < out.count) {
            const struct strip_at at = strip_locate(&out, strip);
            const enum brick_state state = brick_state_at(&b, at.x, at.y, at.z, iso);
            start = (at.z * g.ny + at.y) * g.nx + at.x;
            left = g.nx - at.x < WARP ? (unsigned)(g.nx - at.x) : WARP;
            if (state == BRICK_INSIDE) word = WARP_ALL >> (WARP - left);
            read = state == BRICK_ACTIVE;
        }

        uint32_t todo = __ballot_sync(WARP_ALL, read);
        while (todo) {
            unsigned from[STRIPS_AT_ONCE];
            float value[STRIPS_AT_ONCE];
            const unsigned head = __ffs(todo) - 1;
#pragma unroll
            for (unsigned k = 0; k < STRIPS_AT_ONCE; k++) { /* where fewer are left, the first is done again */
                from[k] = todo ? __ffs(todo) - 1 : head;
                todo &= todo - 1;
                const size_t base = __shfl_sync(WARP_ALL, start, from[k]);
                const unsigned have = __shfl_sync(WARP_ALL, left, from[k]);
                value[k] = lane < have ? grid_value(&g, base + lane) : NAN; /* outside at every isovalue */
            }
#pragma unroll
            for (unsigned k = 0; k < STRIPS_AT_ONCE; k++) {
                const uint32_t bits = __ballot_sync(WARP_ALL, value[k] >= iso);
                if (lane == from[k]) word = bits;
            }
        }
        if (strip < out.count) out.inside[strip] = word;
    }
}

static __global__ void ballot_counts(float iso, struct bricks b, const struct mc_tables *tables, struct strips out)
{
    const unsigned lane = lane_index();
    const size_t step = thread_count();
    for (size_t first = thread_index() - lane; first < out.count; first += step) {
        const size_t strip = first + lane;
        uint32_t vertices = 0, triangles = 0, active = 0;
        struct strip_corners corners = { { 0, 0, 0, 0, 0, 0, 0, 0 }, 0 };
        if (strip < out.count) {
            const struct strip_at at = strip_locate(&out, strip);
            if (brick_state_at(&b, at.x, at.y, at.z, iso) == BRICK_ACTIVE) {
                const struct strip_edges e = strip_crossed(&out, strip, at);
                vertices = popcount32(e.x) + popcount32(e.y) + popcount32(e.z);
                corners = strip_cells(&out, strip, at);
                active = strip_active(&corners);
            }
        }

        /* Triangles need the case of each active cell: the warp takes the crossed strips in turn, a lane per cell. */
        for (uint32_t todo = __ballot_sync(WARP_ALL, active != 0); todo; todo &= todo - 1) {
            const unsigned from = __ffs(todo) - 1;
            unsigned index = 0;
#pragma unroll
            for (unsigned c = 0; c < 8; c++)
                index |= (__shfl_sync(WARP_ALL, corners.corner[c], from) >> lane & 1) << c;
            const unsigned count = __shfl_sync(WARP_ALL, active, from) >> lane & 1 ? tables->triangles[index] : 0;
            uint32_t sum;
            (void)warp_prefix7(count, &sum);
            if (lane == from) triangles = sum;
        }
        if (strip < out.count) {
            out.vertices[strip] = vertices;
            out.triangles[strip] = triangles;
        }
    }
}

static int run_ballot(const struct grid *grid, float iso, const struct bricks *bricks, const struct mc_tables *tables,
                      const struct strips *out, struct exec *x)
{
    if (!out->count) return 0;
    const unsigned blocks = launch_blocks(out->count, THREADS);
    LAUNCH_TYPED(grid->type, ballot_words<TYPE><<<blocks, THREADS, 0, x->stream>>>(*grid, iso, *bricks, *out));
    ballot_counts<<<blocks, THREADS, 0, x->stream>>>(iso, *bricks, tables, *out);
    return cudaGetLastError();
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

const struct classify_rung classify_cuda[] = {
    { { "textbook", "one thread per voxel, eight reads, three counts written", false }, run_textbook, 1 },
    { { "ballot", "32 voxels make a word by ballot; counts by XOR and popc; skips bricks", true }, run_ballot, 32 },
    {},
};
