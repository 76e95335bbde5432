/* fused on the CPU; contract in fused.h. All rungs are ordered.
 * Run: isoscope ladder fused --bench --backend cpu
 *
 * One pass over the active bricks, slab by slab; a slab is a layer of bricks. Threads take tasks, of which there are
 * two kinds. Finding a slab makes a record for each active brick, with its crossed edges and cases, numbered x fastest
 * through the slab. Once all slabs below are found, the slab's offset in the mesh is known. Once the slab above is
 * found, too, its mesh can be made, while the voxels are still in a cache. Memory: the records of two slabs per thread
 * and a few more; nothing per voxel or per brick of the volume.
 *
 * Two other plans were measured. Counting first, in a separate pass, reads each active brick once more: 122 ms against
 * 103 (a sphere of 1024^3), 11.5 against 10.5 (the CT below). Keeping the bits of that pass gained nothing, because the
 * second pass then waited for memory. Giving slabs to threads in strict turns was as fast on idle cores, but twice as
 * slow when another program held one of two cores, because all threads waited for the delayed one. OpenMP's task
 * dependences were no help: they name their storage when a task is created, and cannot wait for whichever slot becomes
 * free first.
 *
 * Times: one thread of an EPYC (Zen 4), the lowest of 30 runs, bonsai CT at 40.5, 256^3 uint8, 7243 of 32768 bricks
 * active. The stages take 50 ms, 42 of them for generate: each vertex fetches its 14 voxels through edge_vertex()
 * alone, and each triangle corner counts bits.
 *
 *    rows    29 ms  vertices in batches of 64: scalar loads, then arithmetic that the compiler vectorises; per brick a
 *                   table of the rank of each edge, so that triangle corners need only a look-up
 *    avx2    18 ms  comparison and movemask for the inside bits, vectors of 8 in the arithmetic; the ranks of a row by sums
 *                   within vectors, two triangles by one permutation (with the scalar triangles of rows 2 ms more: 145
 *                   instructions per active cell instead of 102)
 *    avx512  10 ms  the 12 vertices that a cell may have are the lanes of one vector: ranks by population count,
 *                   triangles by a permutation; cases of two rows by masked additions; crossed edges by compression. The
 *                   rest is loading the vertices' voxels (a fifth) and their arithmetic (a sixth).
 *                   Finding the 14 voxels of up to 64 vertices of 8-bit data by permutations of rows, instead of loads,
 *                   was no faster: a row has five vertices, and takes 21 permutations and 14 stores however few they are
 *
 * One thread of a Xeon of 2023 (Sapphire Rapids), medians of 100 runs: rows 27.0 ms, avx2 14.7, avx512 9.1, and
 *
 *    gather  8.6 ms  one instruction loads a voxel for each of 16 vertices
 *
 * On that machine avx512 once took 10.0 ms. Four changes made it faster. The masks for a cell's ranks come from a
 * table, which makes 9 of 24 instructions unnecessary (2 %). 16 vertices are transposed in registers (3 %). Bricks with
 * no vertices inside cells near them no longer look for any, row by row (1 %). Voxels that are still in L2 are no
 * longer prefetched (4 %).
 *
 * At 1024^3 memory counts as much: a sphere of uint8 has 96232 active bricks of 38 cells each, in 64-byte lines far
 * apart. The 25 lines of a brick take 130 ns to arrive, however they are requested, but only 75 ns if they are
 * prefetched into L2 four bricks ahead. The lines past a brick's last column are not touched at all if the range of the
 * next brick already tells the voxel's state. Huge pages gained nothing measurable.
 *
 * Writing waits for memory, too: a brick adds to 32 places of the mesh, more than the hardware prefetcher follows.
 * Prefetching the very lines that come next gained nothing; half a kilobyte further (output_prefetch() in
 * fused_cpu_body.inc) it gains, on two threads of an EPYC (Zen 5), medians in turns: MRI head at 30.5 6.0 to 4.6 ms, the
 * CT 3.8 to 3.2, the sphere 39.4 to 29.7; on a busy Xeon (Sapphire Rapids) the MRI head and the CT 3 to 10 %. A mesh that
 * fits a cache takes as long as before.
 *
 * Where bricks have few cells, as in an aneurism, what each brick costs counts most. Records know which of their rows own
 * vertices and which have active cells, so only the number of these rows is hard to predict, once a brick instead of once
 * a row. With rows transposed and edges counted in vectors, too, avx512 on that EPYC, one thread: aneurism at 80.5 1.47 to
 * 1.29 ms, the CT 6.1 to 5.85, MRI head 8.7 to 8.4 (least of eight runs).
 *
 * The largest part of what is left is loading the voxels of the vertices: 2.3 ns of the 10 that a vertex takes. Dropped,
 * on that EPYC:
 *    - differences and values of all voxels of a row, 32 at once in vectors, and two words of 64 bits for each vertex
 *      instead of ten loads: MRI head 4.8 to 4.5 ms, CT the same, sphere 31.4 to 33.6: most rows have few vertices
 *    - the addresses of 16 vertices in vectors: the same
 *    - the voxels of a vertex collected in a register, one store instead of ten: MRI head 2 % less, sphere 10 % more
 *    - prefetching the voxels of the CT again: 3 to 7 % more
 *    - one loop over all active cells of a brick instead of one for each row, for fewer branches that are hard to predict:
 *      the CT and the MRI head 6 %, the aneurism 9 % more
 *    - vertices on the volume's border in vectors, too, with missing voxels extrapolated: the CT, where these are 4 % of
 *      all, 1 to 3 % less, the others 1 % more */
#include "fused_cpu.h"

#include "cpu_vectors.h"

#include <sched.h>
#include <string.h>

enum { MAX_SLOTS = 64, SPARE_SLOTS = 4 };

struct slab_state {
    uint8_t slot, reads;
    bool found;
}; /* reads: meshes already made that needed it */

/* State shared by the threads; next(), found() and emitted() change it, one thread at a time. */
struct work {
    const struct fused_isa *isa;
    const struct fused_desc *d;
    struct slab_state *slab;     /* [nz + 1]; the last lies past the volume and is empty */
    struct fused_counts *before; /* [nz + 2]; up to `summed`: of all slabs before; past it: of the last one only */
    char *memory;                /* of slots */
    size_t each;
    uint64_t free; /* slots, a bit each */
    size_t next_find, summed, next_emit;
};

struct task {
    enum { TASK_EMIT, TASK_FIND, TASK_WAIT, TASK_NONE } what;
    size_t z;
};

static void *slot_of(const struct work *w, size_t z) { return w->memory + w->slab[z].slot * w->each; }

/* Return the next task. Meshes come first: their voxels are still in a cache, and making one frees a slot. */
static struct task next(struct work *w)
{
    const size_t n = w->d->bricks.nz;
    if (w->next_emit + 1 < w->summed) return (struct task){ TASK_EMIT, w->next_emit++ };
    if (w->next_emit == n) return (struct task){ TASK_NONE, 0 };
    if (w->next_find > n || !w->free) return (struct task){ TASK_WAIT, 0 };
    w->slab[w->next_find].slot = (uint8_t)__builtin_ctzll(w->free);
    w->free &= w->free - 1;
    return (struct task){ TASK_FIND, w->next_find++ };
}

static void found(struct work *w, size_t z, const struct fused_counts *counts)
{
    w->before[z + 1] = *counts;
    w->slab[z].found = true;
    for (; w->summed <= w->d->bricks.nz && w->slab[w->summed].found; w->summed++) {
        const struct fused_counts *a = &w->before[w->summed];
        struct fused_counts *b = &w->before[w->summed + 1];
        b->vertices += a->vertices, b->triangles += a->triangles, b->bricks += a->bricks;
        b->cells.inside += a->cells.inside, b->cells.active += a->cells.active;
        b->cells.inner += a->cells.inner;
    }
}

/* A slab is used for its own mesh and for that of the slab below. The first slab has none below. */
static void emitted(struct work *w, size_t z)
{
    for (size_t i = z; i < z + 2; i++)
        if (++w->slab[i].reads == (i ? 2 : 1)) w->free |= (uint64_t)1 << w->slab[i].slot;
}

static void emit(const struct work *w, size_t z)
{
    const struct fused_desc *d = w->d;
    const struct fused_counts *before = &w->before[z];
    const bool any = before[1].vertices > before[0].vertices || before[1].triangles > before[0].triangles;
    const bool fits = before[1].vertices <= d->vertex_capacity && before[1].triangles <= d->triangle_capacity;
    if (any && fits) w->isa->emit(d, slot_of(w, z), slot_of(w, z + 1), before);
}

/* Run tasks until none is left. Once cancelled, treat slabs as empty and make no mesh. */
static void work_through(struct work *w, const struct exec *x)
{
    struct task task;
#pragma omp critical(fused_work)
    task = next(w);
    while (task.what != TASK_NONE) {
        struct fused_counts counts;
        const bool cancelled = exec_is_cancelled(x);
        if (task.what == TASK_FIND) w->isa->find(w->d, cancelled ? w->d->bricks.nz : task.z, slot_of(w, task.z), &counts);
        if (task.what == TASK_EMIT && !cancelled) emit(w, task.z);
        if (task.what == TASK_WAIT) sched_yield();
#pragma omp critical(fused_work)
        {
            if (task.what == TASK_FIND) found(w, task.z, &counts);
            if (task.what == TASK_EMIT) emitted(w, task.z);
            task = next(w);
        }
    }
}

/* Return the number of slots: two per thread, for its slab and the one above, and a few more in case a thread is
 * delayed; at most one per slab. Two are always enough to make progress. */
static size_t slots_for(const struct bricks *b, const struct exec *x)
{
    const size_t slabs = b->nz + 1, slots = 2 * (size_t)x->threads + SPARE_SLOTS,
                 max_slots = slabs < MAX_SLOTS ? slabs : MAX_SLOTS;
    return slots < max_slots ? slots : max_slots;
}

static size_t before_bytes(const struct bricks *b) { return scratch_round((b->nz + 2) * sizeof(struct fused_counts)); }

static size_t state_bytes(const struct bricks *b) { return scratch_round((b->nz + 1) * sizeof(struct slab_state)); }

static int run(const struct fused_isa *isa, const struct fused_desc *d, struct exec *x)
{
    const size_t n = d->bricks.nz;
    char *memory = d->scratch;
    struct work w = { .isa = isa, .d = d, .each = isa->memory(&d->bricks) };
    w.before = (void *)memory, memory += before_bytes(&d->bricks);
    w.slab = (void *)memory, memory += state_bytes(&d->bricks);
    w.memory = memory;
    w.free = ~(uint64_t)0 >> (64 - slots_for(&d->bricks, x));
    memset(w.slab, 0, (n + 1) * sizeof *w.slab);
    memset(w.before, 0, sizeof *w.before);
#pragma omp parallel num_threads(x->threads)
    work_through(&w, x);
    if (exec_is_cancelled(x)) return 0; /* some slabs were skipped */
    *d->counts = w.before[n];
    if (d->draw) *d->draw = fused_draw(d, w.before[n].vertices, w.before[n].triangles);
    return 0;
}

static const struct fused_isa *best(void)
{
    if (cpu_has_avx512()) return fused_gather_is_quick() ? &fused_gather : &fused_avx512;
    return cpu_has_avx2() ? &fused_avx2 : &fused_rows;
}

static int run_rows(const struct fused_desc *d, struct exec *x) { return run(&fused_rows, d, x); }
static int run_avx2(const struct fused_desc *d, struct exec *x) { return run(&fused_avx2, d, x); }
static int run_avx512(const struct fused_desc *d, struct exec *x) { return run(&fused_avx512, d, x); }
static int run_gather(const struct fused_desc *d, struct exec *x) { return run(&fused_gather, d, x); }
static int run_best(const struct fused_desc *d, struct exec *x) { return run(best(), d, x); }

/* The scratch holds the active bricks of a few slabs at a time, however many there are in all. */
static size_t scratch_bytes(const struct bricks *b, uint64_t brick_capacity, const struct exec *x)
{
    (void)brick_capacity;
    return scratch_round(before_bytes(b) + state_bytes(b) + slots_for(b, x) * fused_rows.memory(b));
}

static size_t totals_at(const struct bricks *b)
{
    (void)b;
    return 0;
}

const struct fused_rung fused_cpu[] = {
    { { "none", "the stages, one by one", false }, NULL, NULL },
    { { "rows", "active bricks only: numbers the vertices of one slab, then makes the mesh of the one below", false },
      run_rows,
      scratch_bytes,
      totals_at },
    { { "avx2", "as rows, with vectors of 256 bits", false, cpu_lacks_avx2 }, run_avx2, scratch_bytes, totals_at },
    { { "avx512", "as rows, with vectors of 512 bits", false, cpu_lacks_avx512 }, run_avx512, scratch_bytes, totals_at },
    { { "gather", "as avx512, with gathers: one instruction loads a voxel for each of 16 vertices", false,
        cpu_lacks_avx512 },
      run_gather,
      scratch_bytes,
      totals_at },
    { { "simd", "the rung above that suits the machine best", true }, run_best, scratch_bytes, totals_at },
    { { NULL } },
};
