/* The ordered rung of fused: what its launches share, and what cull does for it in addition. Part of fused_cuda.cu. */
#ifndef ISO_FUSED_CUDA_ORDERED_CUH
#define ISO_FUSED_CUDA_ORDERED_CUH

#include "fused_cuda_memory.cuh"

/* ---- memory -------------------------------------------------------------------------------------------------------- */

enum {
    PLACES = 4,                  /* of a voxel: its edges along x, y, z; the vertices inside its cell */
    PLACE_INNER = PLACES - 1,    /* two vertices */
    WORD_VOXELS = WARP / PLACES, /* voxels in a word of places */
    ROW_WORDS = WARP / WORD_VOXELS,
    PLACE_WORDS = ROWS * ROW_WORDS,
    COUNT_TRIANGLES = 16, /* what a row has: vertices | triangles << COUNT_TRIANGLES */
    COUNT_VERTICES = (1 << COUNT_TRIANGLES) - 1,
    LINE_TRIANGLES = 32, /* what a line of bricks has in a slice of voxels: vertices | triangles << LINE_TRIANGLES */
};

#define INNER_PLACES 0x88888888u

/* What a brick leaves for the numbering and for the mesh. Row j + 4 k is voxel row y + j, z + k. Bit 4 l + place of a
 * row's 128 bits: voxel l has a vertex at that place. So the order of the bits is the order of the vertices.
 *
 *    number of the vertex at a place:  first_vertex + popc(bits below it), plus 1 for each inner one below */
struct ordered_record {
    uint4 place[ROWS];
    uint32_t inside[WARP]; /* as in struct record */
    uint32_t count[ROWS];
    uint32_t first_vertex[ROWS], first_triangle[ROWS]; /* numbers, written by `number` */
};

/* Of the whole surface, for the launches that make the mesh. */
struct __align__(HEAD_LINE) ordered_total
{
    uint64_t bricks; /* as struct state has them */
    uint32_t fits;
};

ISO_FN size_t ordered_lines(const struct bricks *b) { return BRICK_Z * b->nz * b->ny; }

static struct fused_memory ordered_memory_of(const struct fused_desc *d)
{
    struct fused_memory m = {};
    m.state = (struct state *)d->scratch;
    m.heavy = (uint32_t *)((char *)d->scratch + HEAD_LINE);
    m.total = (struct ordered_total *)((char *)m.heavy + heavy_bytes(&d->bricks));
    m.before = (struct fused_counts *)(m.total + 1);
    m.layer = m.before + d->bricks.nz + 1;
    m.line = (uint64_t *)(m.layer + d->bricks.nz);
    m.list = (struct active_brick *)(m.line + ordered_lines(&d->bricks));
    m.ordered = (struct ordered_record *)(m.list + d->brick_capacity);
    m.subcase = (uint16_t *)(m.ordered + d->brick_capacity);
    m.slot_of = (uint32_t *)(m.subcase + BRICK_CELLS * d->brick_capacity);
    return m;
}

static size_t ordered_totals_at(const struct bricks *b)
{
    return HEAD_LINE + heavy_bytes(b) + sizeof(struct ordered_total);
}

static size_t ordered_scratch_bytes(const struct bricks *b, uint64_t capacity, const struct exec *x)
{
    (void)x;
    const size_t each = sizeof(struct active_brick) + sizeof(struct ordered_record) + BRICK_CELLS * sizeof(uint16_t);
    return scratch_round(ordered_totals_at(b) + (2 * b->nz + 1) * sizeof(struct fused_counts) +
                         ordered_lines(b) * sizeof(uint64_t) + capacity * each + b->nx * b->ny * b->nz * sizeof(uint32_t));
}

static __device__ __forceinline__ uint32_t at_most(uint32_t i, uint32_t most) { return i < most ? i : most; }

/* Return how many voxels the warp's bricks have; `counts`: whether the lane's brick, which is brick `number`, is to be
 * counted. */
static __device__ __forceinline__ uint32_t voxels_of_bricks(const struct fused_desc *d, uint32_t number, bool counts)
{
    if (!__ballot_sync(ALL_LANES, counts)) return 0;
    const uint32_t nx = (uint32_t)d->bricks.nx, ny = (uint32_t)d->bricks.ny;
    size_t own = 0;
    if (counts) {
        const size_t x = number % nx * BRICK_X, y = number / nx % ny * BRICK_Y, z = (size_t)(number / nx / ny) * BRICK_Z;
        own = min_size(BRICK_X, d->grid.nx - x) * min_size(BRICK_Y, d->grid.ny - y) * min_size(BRICK_Z, d->grid.nz - z);
    }
    uint32_t all;
    warp_prefix((uint32_t)own, &all);
    return all;
}

/* What cull does in addition for the ordered rung: clear the counts to which the second launch adds. */
static __device__ __forceinline__ void clear_counts(const struct fused_args *a)
{
    const struct bricks *bricks = &a->desc.bricks;
    for (size_t i = thread_index(); i < bricks->nz; i += thread_count()) a->memory.layer[i] = {};
    for (size_t i = thread_index(); i < ordered_lines(bricks); i += thread_count()) a->memory.line[i] = 0;
}

/* Add what the warps of a block of cull have. */
static __device__ __forceinline__ void add_voxels(uint64_t *inside, const uint32_t of[THREADS / WARP])
{
    uint32_t all = 0;
    for (unsigned w = 0; w < THREADS / WARP; w++) all += of[w];
    if (all) atomic_add_u64(inside, all);
}

#endif
