/* classify on CUDA: inside bits, and the vertices and triangles that each strip owns. Contract in classify.h.
 * Run: isoscope ladder classify --bench --backend cuda
 *
 * The textbook is Lorensen and Cline's method (1987) in its usual GPU form, one thread per cell. Row masks follow
 * Flying Edges (Schroeder, Maynard and Geveci 2015): most of the work per row, little per cell.
 * Times: H200, bonsai CT at 40.5, uint8, 256^3 and trilinearly enlarged to 1024^3, device events. */
#include "classify.h"
#include "cuda_util.cuh"
#include "mc_cells.cuh"

#include <cuda_runtime.h>

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * One thread per voxel reads the eight corners of its cell and writes four 32-bit words. It ignores the bricks. 207 us.
 * Cost: eight reads of each voxel, and 16 bytes written for it, whatever its type. */

/* Write what voxel i owns. inside: bits of its cell's corners, 0 past the grid. right, back, up: whether the grid
 * continues in that direction. */
static __device__ __forceinline__ void write_owned(const struct strips *out, const struct grid *g, float iso, size_t i,
                                                   unsigned inside, bool right, bool back, bool up,
                                                   const struct mc_tables *tables)
{
    const struct mc_subcase *cell = &tables->subcase[right && back && up ? cell_of(tables, g, iso, i, inside) : 0];
    const unsigned owned = (unsigned)right << 1 | (unsigned)back << 2 | (unsigned)up << 4; /* far ends of its edges */
    out->inside[i] = inside & 1;
    out->inner[i] = cell->inner > 0;
    out->vertices[i] = popcount32((inside & 1 ? ~inside : inside) & owned) + cell->inner;
    out->triangles[i] = cell->triangles;
}

template <enum voxel_type T>
static __global__ void classify_textbook(struct grid g, float iso, const struct mc_tables *tables, struct strips out)
{
    g.type = T;
    for (size_t i = thread_index(); i < out.count; i += thread_count()) {
        const struct strip_at at = strip_locate(&out, i); /* width is 1: strip i is voxel i */
        const bool right = at.x + 1 < g.nx, back = at.y + 1 < g.ny, up = at.z + 1 < g.nz;
        unsigned inside = 0;
        for (unsigned c = 0; c < 8; c++) {
            if (((c & 1) && !right) || ((c & 2) && !back) || ((c & 4) && !up)) continue;
            const size_t corner = i + (c & 1) + (c >> 1 & 1) * g.nx + (c >> 2) * g.nx * g.ny;
            inside |= (unsigned)(grid_value(&g, corner) >= iso) << c;
        }
        write_owned(&out, &g, iso, i, inside, right, back, up, tables);
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

/* ---- tile ----------------------------------------------------------------------------------------------------------
 * The textbook requests each voxel eight times, from memory again if the caches have lost it, and converts and compares
 * it each time.
 * Idea: a block takes a box of voxels, one thread each. It first stores the results of the comparisons in shared
 * memory, one byte per voxel and with one extra layer, so that all corners of its cells are there. Each voxel is read
 * 1.45 times on average; only those between boxes are read more than once.
 *
 *    box  x x x x .    x: a voxel that the block's threads own    .: the extra layer, which the next box owns
 *         x x x x .
 *         . . . . .    33 * 9 * 5 bytes for 32 * 8 * 4 voxels
 *
 * 368 us against the textbook's 207. Both write the same 268 MB, and both read each voxel from memory about once: in
 * the textbook, lanes and rows share the eight reads, which the caches of this GPU serve. Here, storing the comparisons
 * and eight single-byte reads are additional instructions. And two resident blocks of 1024 threads leave 32 registers
 * per thread, so each thread spills 184 bytes. The rung suits GPUs whose loads have no L1.
 * Cost: two barriers per box, and idle threads past the grid. Most of the time remains: 16 bytes are written per voxel,
 * nearly all of them zero counts. */

enum {
    TILE_X = WARP,
    TILE_Y = 8,
    TILE_Z = 4, /* the most threads a block can have */
    SPAN_X = TILE_X + 1,
    SPAN_Y = TILE_Y + 1,
    SPAN_Z = TILE_Z + 1,
    TILE_THREADS = TILE_X * TILE_Y * TILE_Z,
    STAGED = SPAN_X * SPAN_Y * SPAN_Z,
};

static __host__ __device__ size_t tiles_along(size_t voxels, size_t tile) { return (voxels + tile - 1) / tile; }

/* Fill the box whose first voxel is `at`; the threads of the block share the work. */
template <enum voxel_type T>
static __device__ __forceinline__ void stage_tile(const struct grid *g, float iso, struct strip_at at, uint8_t *staged)
{
    struct grid typed = *g;
    typed.type = T;
    for (unsigned i = threadIdx.x; i < STAGED; i += TILE_THREADS) {
        const size_t x = at.x + i % SPAN_X, y = at.y + i / SPAN_X % SPAN_Y, z = at.z + i / SPAN_X / SPAN_Y;
        const bool there = x < g->nx && y < g->ny && z < g->nz;
        staged[i] = there && grid_value(&typed, (z * g->ny + y) * g->nx + x) >= iso;
    }
}

template <enum voxel_type T>
static __global__ void __maxnreg__(32) /* two blocks per SM */
    classify_tile(struct grid g, float iso, const struct mc_tables *tables, struct strips out)
{
    __shared__ uint8_t staged[STAGED];
    const size_t along_x = tiles_along(g.nx, TILE_X), along_y = tiles_along(g.ny, TILE_Y);
    const size_t tiles = along_x * along_y * tiles_along(g.nz, TILE_Z);
    const unsigned lane = threadIdx.x % TILE_X, j = threadIdx.x / TILE_X % TILE_Y, k = threadIdx.x / TILE_X / TILE_Y;

    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const struct strip_at at = { tile % along_x * TILE_X, tile / along_x % along_y * TILE_Y,
                                     tile / along_x / along_y * TILE_Z };
        __syncthreads(); /* all have read the previous box */
        stage_tile<T>(&g, iso, at, staged);
        __syncthreads();
        const size_t x = at.x + lane, y = at.y + j, z = at.z + k;
        if (x >= g.nx || y >= g.ny || z >= g.nz) continue; /* skips no barrier: both come earlier */
        const uint8_t *corner = staged + (k * SPAN_Y + j) * SPAN_X + lane;
        unsigned inside = 0;
#pragma unroll
        for (unsigned c = 0; c < 8; c++)
            inside |= (unsigned)corner[(c & 1) + (c >> 1 & 1) * SPAN_X + (c >> 2) * SPAN_X * SPAN_Y] << c;
        write_owned(&out, &g, iso, (z * g.ny + y) * g.nx + x, inside, x + 1 < g.nx, y + 1 < g.ny, z + 1 < g.nz, tables);
    }
}

static int run_tile(const struct grid *grid, float iso, const struct bricks *bricks, const struct mc_tables *tables,
                    const struct strips *out, struct exec *x)
{
    (void)bricks;
    if (!out->count) return 0;
    const size_t tiles = tiles_along(grid->nx, TILE_X) * tiles_along(grid->ny, TILE_Y) * tiles_along(grid->nz, TILE_Z);
    const unsigned blocks = launch_blocks(tiles, 1);
    LAUNCH_TYPED(grid->type, classify_tile<TYPE><<<blocks, TILE_THREADS, 0, x->stream>>>(*grid, iso, tables, *out));
    return cudaGetLastError();
}

/* ---- ballot --------------------------------------------------------------------------------------------------------
 * The textbook takes 207 us: 17 bytes per voxel, of which 16 are written, nearly all of them zero counts. tile moves
 * these as well. Idea: the 32 lanes of a warp compare 32 voxels of a row, and one ballot packs the results into a word.
 * Counting works on words, 32 voxels at a time. Bricks that the surface cannot cross get their words without a voxel
 * being read.
 *
 *    voxels    3 9 9 2 ...   >= 5 ->  word         .11.          own ^ shifted -> x edges crossed   popc -> vertices
 *                                     next row     .1..          own ^ next    -> y edges crossed
 *                                     next layer   .11.          own ^ upper   -> z edges crossed
 *
 * A warp takes 32 neighbouring strips. Its lanes look up all 32 bricks at once; then the warp goes only through the
 * strips that must be read. 43 us for 256^3, of which open cells take 7, and 0.94 ms for 1024^3.
 * Cost: two launches, because counts need the words of neighbouring rows; so the words go to memory and back. */

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
        unsigned left = 0; /* voxels in it */
        uint32_t word = 0;
        bool read = false;
        if (strip < out.count) {
            const struct strip_at at = strip_locate(&out, strip);
            const enum brick_state state = brick_state_at(&b, at.x, at.y, at.z, iso);
            start = (at.z * g.ny + at.y) * g.nx + at.x;
            left = g.nx - at.x < WARP ? (unsigned)(g.nx - at.x) : WARP;
            if (state == BRICK_INSIDE) word = ALL_LANES >> (WARP - left);
            read = state == BRICK_ACTIVE;
        }

        uint32_t todo = __ballot_sync(ALL_LANES, read);
        while (todo) {
            unsigned from[STRIPS_AT_ONCE];
            float value[STRIPS_AT_ONCE];
            const unsigned head = __ffs(todo) - 1;
#pragma unroll
            for (unsigned k = 0; k < STRIPS_AT_ONCE; k++) { /* if fewer are left, repeat the first */
                from[k] = todo ? __ffs(todo) - 1 : head;
                todo &= todo - 1;
                const size_t base = __shfl_sync(ALL_LANES, start, from[k]);
                const unsigned have = __shfl_sync(ALL_LANES, left, from[k]);
                value[k] = lane < have ? grid_value(&g, base + lane) : NAN; /* outside at every isovalue */
            }
#pragma unroll
            for (unsigned k = 0; k < STRIPS_AT_ONCE; k++) {
                const uint32_t bits = __ballot_sync(ALL_LANES, value[k] >= iso);
                if (lane == from[k]) word = bits;
            }
        }
        if (strip < out.count) out.inside[strip] = word;
    }
}

template <enum voxel_type T>
static __global__ void ballot_counts(struct grid g, float iso, struct bricks b, const struct mc_tables *tables,
                                     struct strips out)
{
    g.type = T;
    const unsigned lane = lane_index();
    const uint32_t open_mask = tables->open_mask;
    const size_t step = thread_count();
    for (size_t first = thread_index() - lane; first < out.count; first += step) {
        const size_t strip = first + lane;
        uint32_t vertices = 0, triangles = 0, active = 0, open = 0, inner = 0;
        struct strip_corners corners = { { 0, 0, 0, 0, 0, 0, 0, 0 }, 0 };
        struct strip_at at = { 0, 0, 0 };
        if (strip < out.count) {
            at = strip_locate(&out, strip);
            if (brick_state_at(&b, at.x, at.y, at.z, iso) == BRICK_ACTIVE) {
                const struct strip_edges e = strip_crossed(&out, strip, at);
                vertices = popcount32(e.x) + popcount32(e.y) + popcount32(e.z);
                corners = strip_cells(&out, strip, at);
                open = strip_open(&corners) & open_mask;
                active = strip_active(&corners) & ~open;
            }
        }

        /* Triangles need the case of each active cell. The warp takes the crossed strips in turn, with one lane per
         * cell. */
        for (uint32_t todo = __ballot_sync(ALL_LANES, active != 0); todo; todo &= todo - 1) {
            const unsigned from = __ffs(todo) - 1;
            unsigned index = 0;
#pragma unroll
            for (unsigned c = 0; c < 8; c++) index |= (__shfl_sync(ALL_LANES, corners.corner[c], from) >> lane & 1) << c;
            const unsigned count = __shfl_sync(ALL_LANES, active, from) >> lane & 1 ? tables->triangles[index] : 0;
            uint32_t sum;
            (void)warp_prefix_short<3>(count, &sum);
            if (lane == from) triangles = sum;
        }

        /* Few cells are open, so each lane handles those of its own strip. */
        for (; open; open &= open - 1) {
            const unsigned cell = __ffs(open) - 1;
            const size_t voxel = (at.z * g.ny + at.y) * g.nx + at.x + cell;
            const struct mc_subcase *s = &tables->subcase[cell_of(tables, &g, iso, voxel, strip_case(&corners, cell))];
            triangles += s->triangles;
            inner |= (uint32_t)(s->inner > 0) << cell;
        }
        if (strip < out.count) {
            out.inner[strip] = inner;
            out.vertices[strip] = vertices + MC_INNER_PAIR * popcount32(inner);
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
    LAUNCH_TYPED(grid->type, ballot_counts<TYPE><<<blocks, THREADS, 0, x->stream>>>(*grid, iso, *bricks, tables, *out));
    return cudaGetLastError();
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

const struct classify_rung classify_cuda[] = {
    { { "textbook", "one thread per voxel, eight reads, four words written", false }, run_textbook, 1 },
    { { "tile", "comparisons of a box of voxels kept in shared memory; each voxel read about once", false }, run_tile, 1 },
    { { "ballot", "a ballot packs 32 voxels into a word; counts by XOR and popc; skips bricks", true }, run_ballot, 32 },
    {},
};
