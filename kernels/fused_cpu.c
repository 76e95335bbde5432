/* fused on the CPU; the contract is in fused.h. All rungs are ordered. */
#include "fused_level.h"

#include <omp.h>

enum { PARTS_PER_THREAD = 4 }; /* so that a thread that is disturbed does not hold up the rest */

static size_t round_256(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

static size_t counts_bytes(const struct bricks *b)
{
    return round_256((b->nz + 1) * sizeof(struct fused_counts));
}

/* Counts of the slabs to exclusive sums; the total is behind the last. */
static void sum_slabs(struct fused_counts *slab, size_t n)
{
    struct fused_counts sum = { 0, 0, 0, { 0, 0 } };
    for (size_t z = 0; z <= n; z++) {
        const struct fused_counts here = slab[z];
        slab[z] = sum;
        sum.vertices += here.vertices, sum.triangles += here.triangles, sum.bricks += here.bricks;
        sum.tally.voxels_inside += here.tally.voxels_inside, sum.tally.active_cells += here.tally.active_cells;
    }
}

/* The first slab that begins at or past part p of the work. */
static size_t part_begin(const struct fused_counts *slab, size_t n, size_t p, size_t parts)
{
    const uint64_t all = slab[n].vertices + slab[n].triangles;
    size_t z = 0;
    while (z < n && (slab[z].vertices + slab[z].triangles) * parts < all * p) z++;
    return p == parts ? n : z;
}

static int run(const struct fused_level *level, const struct fused_desc *d, struct exec *x)
{
    const size_t n = d->bricks.nz;
    struct fused_counts *slab = d->scratch;
    char *memory = (char *)d->scratch + counts_bytes(&d->bricks);
#pragma omp parallel for num_threads(x->threads) schedule(dynamic, 1)
    for (size_t z = 0; z < n; z++) level->count(d, z, &slab[z]);
    sum_slabs(slab, n);
    *d->counts = slab[n];
    if (slab[n].vertices > d->vertex_room || slab[n].triangles > d->triangle_room) return 0;

    const size_t parts = x->threads > 1 ? (size_t)x->threads * PARTS_PER_THREAD : 1, each = level->memory(&d->bricks);
#pragma omp parallel for num_threads(x->threads) schedule(dynamic, 1)
    for (size_t p = 0; p < parts; p++) {
        const size_t begin = part_begin(slab, n, p, parts), end = part_begin(slab, n, p + 1, parts);
        if (begin < end) level->emit(d, begin, end, slab[begin], memory + (size_t)omp_get_thread_num() * each);
    }
    return 0;
}

static const struct fused_level *best(void)
{
    return fused_avx512.available() ? &fused_avx512 : fused_avx2.available() ? &fused_avx2 : &fused_rows;
}

static int run_rows(const struct fused_desc *d, struct exec *x) { return run(&fused_rows, d, x); }
static int run_avx2(const struct fused_desc *d, struct exec *x) { return run(&fused_avx2, d, x); }
static int run_avx512(const struct fused_desc *d, struct exec *x) { return run(&fused_avx512, d, x); }
static int run_best(const struct fused_desc *d, struct exec *x) { return run(best(), d, x); }

static bool avx2_available(void) { return fused_avx2.available(); }
static bool avx512_available(void) { return fused_avx512.available(); }

/* The active bricks of two slabs at a time, however many there are in all. */
static size_t scratch_bytes(const struct bricks *b, uint64_t brick_room, const struct exec *x)
{
    (void)brick_room;
    return round_256(counts_bytes(b) + (size_t)x->threads * fused_rows.memory(b));
}

const struct fused_rung fused_cpu[] = {
    { { "none", "the stages, one by one", false }, NULL, NULL, true },
    { { "rows", "active bricks only, twice: count, then make all of a brick where it is read; threads", false }, run_rows,
      scratch_bytes, true },
    { { "avx2", "the same, with vectors of 256 bits", false, avx2_available }, run_avx2, scratch_bytes, true },
    { { "avx512", "the same, with vectors of 512 bits", false, avx512_available }, run_avx512, scratch_bytes, true },
    { { "simd", "the widest of these that the machine has", true }, run_best, scratch_bytes, true },
    { { NULL } },
};
