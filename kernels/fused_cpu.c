/* fused on the CPU; the contract is in fused.h. All rungs are ordered.
 *
 * One pass over the active bricks, slab by slab, a slab being a layer of bricks. A step finds slab z: per active brick a
 * record of its crossed edges and cases. What a slab holds says where the next one begins, so that numbers are handed on
 * from step to step, each from the one before; they go x fastest through the whole slab. Then the step makes the mesh of
 * slab z - 1, whose vertices and triangles follow from its records and those of z, while their voxels are still in a cache.
 * Threads take steps in order. Nothing is kept per voxel, nor per brick of the volume: the records of two slabs for each
 * thread, in a ring. Two passes, the first of which only counts, read each active brick once more: 122 ms where one takes
 * 103 (a sphere of 1024^3), 11.5 and 10.5 (the CT below); to keep the bits of the first for the second gained nothing,
 * since the second was then the one that waited for memory.
 *
 * Times below: one thread of an EPYC (Zen 4) at the lowest time of 30 runs, bonsai CT at 40.5, 256^3 uint8, where 7243 of
 * 32768 bricks are active. The stages take 50 ms, of which generate 42: each vertex asks for its 14 voxels through
 * edge_vertex() alone, and each triangle corner counts bits.
 *
 *    rows    29 ms  vertices in batches of 64, whose loads are scalar and whose arithmetic the compiler turns into vectors;
 *                   per brick a table of the rank of each edge, which a triangle's corner only looks up
 *    avx2    18 ms  comparison and movemask for the inside bits, vectors of 8 in the arithmetic; the ranks of a row by sums
 *                   within vectors, and two triangles by one permutation (2 ms more with the scalar triangles of rows: 145
 *                   instructions for each active cell where it is now 102)
 *    avx512  10 ms  the 12 vertices that a cell may have are the lanes of one vector: ranks by population count,
 *                   triangles by a permutation; cases of two rows by masked additions; crossed edges listed by compression.
 *                   What is left is loading the voxels of the vertices (a fifth) and their arithmetic (a sixth)
 *
 * At 1024^3 memory counts as much: a sphere of uint8 has 96232 active bricks of 38 cells each, in lines of 64 bytes far
 * apart. The 25 lines of a brick take 130 ns to arrive, in whatever way they are asked for, but 75 ns by way of the second
 * cache, four bricks ahead; and the lines behind its last column are left alone where the next brick's range tells the
 * voxel. Huge pages, and asking for the lines that are to be written, gained nothing that could be measured.
 */
#include "fused_level.h"

#include <sched.h>
#include <string.h>

/* Slabs go from thread to thread by their state. */
enum { SLAB_NEW, SLAB_NUMBERED, SLAB_DONE };

struct steps {
    const struct fused_level *level;
    const struct fused_desc *d;
    uint32_t *state;             /* [nz + 1] */
    struct fused_counts *before; /* [nz + 2] what the slabs before hold */
    char *ring;                  /* memory of slabs; slab z has number z % slots */
    size_t each, slots;
};

static void set_state(struct steps *s, size_t z, uint32_t state)
{
    __atomic_store_n(&s->state[z], state, __ATOMIC_RELEASE);
}

static void wait_for(struct steps *s, size_t z, uint32_t state)
{
    while (__atomic_load_n(&s->state[z], __ATOMIC_ACQUIRE) < state) sched_yield();
}

static void *slab_of(const struct steps *s, size_t z)
{
    return s->ring + z % s->slots * s->each;
}

/* Finds and numbers slab z, then writes the mesh of the one below it. Waits only for steps with a lower z, which have begun
 * before, so that there is always one that waits for none. Cancelled, it hands on an empty slab. */
static void step(struct steps *s, size_t z, const struct exec *x)
{
    const struct fused_desc *d = s->d;
    struct fused_counts sum = { 0, 0, 0, { 0, 0 } };
    if (z >= s->slots) wait_for(s, z - s->slots, SLAB_DONE), wait_for(s, z - s->slots + 1, SLAB_DONE); /* read its memory */
    s->level->find(d, exec_is_cancelled(x) ? d->bricks.nz : z, slab_of(s, z), &sum);
    if (z) wait_for(s, z - 1, SLAB_NUMBERED);
    const struct fused_counts *before = &s->before[z];
    s->level->number(d, slab_of(s, z), before);
    sum.vertices += before->vertices, sum.triangles += before->triangles, sum.bricks += before->bricks;
    sum.tally.voxels_inside += before->tally.voxels_inside, sum.tally.active_cells += before->tally.active_cells;
    s->before[z + 1] = sum;
    set_state(s, z, SLAB_NUMBERED);
    const bool fits = before->vertices <= d->vertex_room && before->triangles <= d->triangle_room;
    if (z && fits && !exec_is_cancelled(x)) s->level->emit(d, slab_of(s, z - 1), slab_of(s, z));
    set_state(s, z, SLAB_DONE);
}

/* Two for each thread: at least its slab and the one below, and more of the way for the others while one has much to do. */
static size_t slots_for(const struct bricks *b, const struct exec *x)
{
    const size_t slabs = b->nz + 1; /* the last one, past the volume, is empty */
    return 2 * (size_t)x->threads < slabs ? 2 * (size_t)x->threads : slabs;
}

static size_t before_bytes(const struct bricks *b)
{
    return scratch_round((b->nz + 2) * sizeof(struct fused_counts));
}

static size_t state_bytes(const struct bricks *b)
{
    return scratch_round((b->nz + 1) * sizeof(uint32_t));
}

static int run(const struct fused_level *level, const struct fused_desc *d, struct exec *x)
{
    const size_t n = d->bricks.nz;
    char *memory = d->scratch;
    struct steps s = { .level = level, .d = d, .each = level->memory(&d->bricks), .slots = slots_for(&d->bricks, x) };
    s.before = (void *)memory, memory += before_bytes(&d->bricks);
    s.state = (void *)memory, memory += state_bytes(&d->bricks);
    s.ring = memory;
    memset(s.state, 0, (n + 1) * sizeof *s.state);
    memset(s.before, 0, sizeof *s.before);
#pragma omp parallel for num_threads(x->threads) schedule(monotonic : dynamic, 1)
    for (size_t z = 0; z <= n; z++) step(&s, z, x);
    if (exec_is_cancelled(x)) return 0; /* some slabs were left out */
    *d->counts = s.before[n];
    if (d->draw) *d->draw = fused_draw(d, s.before[n].vertices, s.before[n].triangles);
    return 0;
}

static const struct fused_level *best(void)
{
    return fused_avx512.available() ? &fused_avx512 : fused_avx2.available() ? &fused_avx2 : &fused_rows;
}

static int run_rows(const struct fused_desc *d, struct exec *x)
{
    return run(&fused_rows, d, x);
}
static int run_avx2(const struct fused_desc *d, struct exec *x)
{
    return run(&fused_avx2, d, x);
}
static int run_avx512(const struct fused_desc *d, struct exec *x)
{
    return run(&fused_avx512, d, x);
}
static int run_best(const struct fused_desc *d, struct exec *x)
{
    return run(best(), d, x);
}

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

/* The active bricks of a few slabs at a time, however many there are in all. */
static size_t scratch_bytes(const struct bricks *b, uint64_t brick_room, const struct exec *x)
{
    (void)brick_room;
    return scratch_round(before_bytes(b) + state_bytes(b) + slots_for(b, x) * fused_rows.memory(b));
}

const struct fused_rung fused_cpu[] = {
    { { "none", "the stages, one by one", false }, NULL, NULL, true },
    { { "rows", "active bricks only, slab by slab: find and number one, make the mesh of the one below", false },
      run_rows,
      scratch_bytes,
      true },
    { { "avx2", "the same, with vectors of 256 bits", false, avx2_unavailable }, run_avx2, scratch_bytes, true },
    { { "avx512", "the same, with vectors of 512 bits", false, avx512_unavailable }, run_avx512, scratch_bytes, true },
    { { "simd", "the widest of these that the machine has", true }, run_best, scratch_bytes, true },
    { { NULL } },
};
