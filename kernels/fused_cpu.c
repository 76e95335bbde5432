/* fused on the CPU; the contract is in fused.h. All rungs are ordered.
 *
 * Two passes over the active bricks. The first counts slab by slab, a slab being a layer of bricks; sums over slabs say
 * where each begins in the mesh. The second takes runs of slabs of equal work: per active brick a record of its crossed
 * edges and cases, numbered x fastest through the whole slab, from which its vertices and triangles follow with those of
 * its neighbours. So nothing is kept per voxel, nor per brick of the volume: the records of two slabs for each thread.
 * Reading active bricks twice is the cost: their bits take less time to find than to store.
 *
 * Times below: one thread of an EPYC (Zen 4) at the lowest processor time of 30 runs, bonsai CT at 40.5, 256^3 uint8, where
 * 7243 of 32768 bricks are active. The stages take 50 ms, of which generate 42: each vertex asks for its 14 voxels through
 * edge_vertex() alone, and each triangle corner counts bits.
 *
 *    rows    34 ms  vertices in batches of 64, whose loads are scalar and whose arithmetic the compiler turns into vectors;
 *                   per brick a table of the rank of each edge, which a triangle's corner only looks up
 *    avx2    22 ms  comparison and movemask for the inside bits, vectors of 8 in the arithmetic; the ranks of a row by sums
 *                   within vectors, and two triangles by one permutation (24 ms with the scalar triangles of rows: 145
 *                   instructions for each active cell where it is now 102, of 400 in all)
 *    avx512  11 ms  the 12 vertices that a cell may have are the lanes of one vector: ranks by population count, triangles by
 *                   a permutation; cases of two rows by masked additions; crossed edges listed by compression. What is left
 *                   is loading the voxels of the vertices (a fifth) and their arithmetic (a sixth)
 *
 * At 1024^3 memory counts as much: a sphere of uint8 has 96232 active bricks of 38 cells each, in lines of 64 bytes far apart.
 * The 25 lines of a brick take 130 ns to arrive, in whatever way they are asked for, but 75 ns by way of the second cache,
 * four bricks ahead; and the lines behind its last column are left alone where the next brick's range tells the voxel. With
 * both, counting takes 18 ms and not 34, all of it 108 and not 146. Huge pages, and asking for the lines that are to be
 * written, gained nothing that could be measured.
 */
#include "fused_level.h"

#include <omp.h>

enum { PARTS_PER_THREAD = 4 }; /* so that a thread that is disturbed does not hold up the rest */

static size_t counts_bytes(const struct bricks *b)
{
    return scratch_round((b->nz + 1) * sizeof(struct fused_counts));
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
    const size_t each = level->memory(&d->bricks);
#pragma omp parallel for num_threads(x->threads) schedule(dynamic, 1)
    for (size_t z = 0; z < n; z++)
        if (!exec_is_cancelled(x)) level->count(d, z, &slab[z], memory + (size_t)omp_get_thread_num() * each);
    if (exec_is_cancelled(x)) return 0; /* some slabs were not counted */
    sum_slabs(slab, n);
    *d->counts = slab[n];
    if (d->draw) *d->draw = fused_draw(d, slab[n].vertices, slab[n].triangles);
    if (slab[n].vertices > d->vertex_room || slab[n].triangles > d->triangle_room) return 0;

    const size_t parts = x->threads > 1 ? (size_t)x->threads * PARTS_PER_THREAD : 1;
#pragma omp parallel for num_threads(x->threads) schedule(dynamic, 1)
    for (size_t p = 0; p < parts; p++) {
        const size_t begin = part_begin(slab, n, p, parts), end = part_begin(slab, n, p + 1, parts);
        if (begin >= end || exec_is_cancelled(x)) continue;
        level->emit(d, begin, end, slab[begin], memory + (size_t)omp_get_thread_num() * each);
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

static const char *avx2_unavailable(const struct exec *x)
{
    (void)x;
    return fused_avx2.available() ? NULL : "this processor lacks AVX2";
}

static const char *avx512_unavailable(const struct exec *x)
{
    (void)x;
    return fused_avx512.available() ? NULL : "this processor lacks AVX-512 as since Ice Lake and Zen 4";
}

/* The active bricks of two slabs at a time, however many there are in all. */
static size_t scratch_bytes(const struct bricks *b, uint64_t brick_room, const struct exec *x)
{
    (void)brick_room;
    return scratch_round(counts_bytes(b) + (size_t)x->threads * fused_rows.memory(b));
}

const struct fused_rung fused_cpu[] = {
    { { "none", "the stages, one by one", false }, NULL, NULL, true },
    { { "rows", "active bricks only, twice: count, then make all of a brick where it is read; threads", false }, run_rows,
      scratch_bytes, true },
    { { "avx2", "the same, with vectors of 256 bits", false, avx2_unavailable }, run_avx2, scratch_bytes, true },
    { { "avx512", "the same, with vectors of 512 bits", false, avx512_unavailable }, run_avx512, scratch_bytes, true },
    { { "simd", "the widest of these that the machine has", true }, run_best, scratch_bytes, true },
    { { NULL } },
};
