/* components on CUDA; contract in components.h.
 * Run: isoscope ladder components --bench --backend cuda
 *
 * As on the CPU, all rungs keep a forest in `labels`: each vertex names a smaller one of its component, or itself, and
 * labels only get smaller. How many rounds a rung needs depends on the mesh, but an op never waits. So a rung with
 * rounds is one cooperative launch, whose blocks test a flag after each round.
 * Times: H200, 16.8 million triangles. */
#include "components.h"
#include "cuda_util.cuh"

#include <cooperative_groups.h>
#include <cuda_runtime.h>

/* ---- rounds in one launch ---------------------------------------------------------------------------------------- */

enum { FLAGS = 3 }; /* of this round; of the next, being cleared; of the last, still being read */

static const char *no_rounds(const struct exec *x)
{
    int cooperative = 0;
    (void)clear_error(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, x->device));
    return cooperative ? NULL : "blocks of this GPU cannot wait for each other";
}

static size_t scratch_rounds(const struct components_desc *d, const struct exec *x)
{
    (void)d, (void)x;
    return scratch_round(FLAGS * sizeof(unsigned));
}

/* Launch `kernel` with as many blocks as the GPU holds at once. */
static int launch_rounds(const void *kernel, struct components_desc d, void *scratch, struct exec *x)
{
    unsigned *changed = (unsigned *)scratch;
    void *args[] = { &d, &changed };
    int each = 0, multiprocessors = 0;
    cudaError_t error = cudaMemsetAsync(changed, 0, FLAGS * sizeof *changed, x->stream);
    if (error == cudaSuccess) error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, THREADS, 0);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, x->device);
    if (error == cudaSuccess) {
        const unsigned all = (unsigned)each * (unsigned)multiprocessors;
        const unsigned work = launch_blocks(d.vertices > d.triangles ? d.vertices : d.triangles, THREADS);
        error = cudaLaunchCooperativeKernel(kernel, work < all ? work : all, THREADS, args, 0, x->stream);
    }
    const cudaError_t last = cudaGetLastError();
    return error != cudaSuccess ? error : last;
}

/* End a round: wait for all blocks, after which their writes are visible. Return whether any thread has changed
 * anything. */
static __device__ __forceinline__ bool end_round(bool mine, unsigned *changed, unsigned round)
{
    if (thread_index() == 0) changed[(round + 1) % FLAGS] = 0;
    if (mine) changed[round % FLAGS] = 1;
    cooperative_groups::this_grid().sync();
    return ((const volatile unsigned *)changed)[round % FLAGS] != 0;
}

static __device__ __forceinline__ void label_by_number(const struct components_desc &d)
{
    for (size_t v = thread_index(); v < d.vertices; v += thread_count()) d.labels[v] = (uint32_t)v;
}

/* Labels change while they are read, so they must not come from a cache that the writes of other multiprocessors do not
 * reach. */
static __device__ __forceinline__ uint32_t load_label(const uint32_t *labels, uint32_t v)
{
    return ((const volatile uint32_t *)labels)[v];
}

/* ---- propagation ---------------------------------------------------------------------------------------------------
 * Each triangle gives its smallest label to all of its corners, until a round changes nothing.
 * Cost: per round, a label moves on by one triangle, or a little more. So there are as many rounds as the longest
 * surface has triangles in a row, and each of them reads all triangles. 90.3 ms. */

static __global__ void __launch_bounds__(THREADS) propagate(struct components_desc d, unsigned *changed)
{
    bool mine;
    unsigned round = 0;
    label_by_number(d);
    cooperative_groups::this_grid().sync();
    do {
        mine = false;
        for (size_t t = thread_index(); t < d.triangles; t += thread_count()) {
            const uint32_t a = d.indices[3 * t], b = d.indices[3 * t + 1], c = d.indices[3 * t + 2];
            const uint32_t p = load_label(d.labels, a), q = load_label(d.labels, b), r = load_label(d.labels, c);
            const uint32_t least = min(p, min(q, r));
            if (p > least) atomicMin(&d.labels[a], least);
            if (q > least) atomicMin(&d.labels[b], least);
            if (r > least) atomicMin(&d.labels[c], least);
            mine = mine || p > least || q > least || r > least;
        }
    } while (end_round(mine, changed, round++));
}

static int run_propagation(const struct components_desc *d, void *scratch, struct exec *x)
{
    return launch_rounds((const void *)propagate, *d, scratch, x);
}

/* ---- hook ----------------------------------------------------------------------------------------------------------
 * propagation takes a round for every triangle along the way: 90.3 ms. Idea (Shiloach and Vishkin 1982; on GPUs Soman,
 * Kishore and Narayanan 2010): move whole trees at once. Each edge between two trees hangs the larger root below the
 * smaller, with a plain store. If several edges hang the same root, one of them wins, and the others see the difference
 * in the next round. Then every vertex follows its parents up to the root, so that the next round compares roots again.
 * In each round trees grow to several times their size: about log n rounds. 0.897 ms.
 * Cost: each round reads all triangles, though after the first few rounds nearly all of them lie within one tree. */

static __device__ __forceinline__ uint32_t root_of(const uint32_t *labels, uint32_t v)
{
    for (uint32_t up; (up = load_label(labels, v)) != v;) v = up;
    return v;
}

/* Hang one of two trees below the other, if their labels are their roots. */
static __device__ __forceinline__ bool hook_edge(uint32_t *labels, uint32_t a, uint32_t b)
{
    if (a == b) return false;
    ((volatile uint32_t *)labels)[max(a, b)] = min(a, b);
    return true;
}

static __global__ void __launch_bounds__(THREADS) hook_and_jump(struct components_desc d, unsigned *changed)
{
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    bool mine;
    unsigned round = 0;
    label_by_number(d);
    grid.sync();
    do {
        mine = false;
        for (size_t t = thread_index(); t < d.triangles; t += thread_count()) {
            const uint32_t a = load_label(d.labels, d.indices[3 * t]), b = load_label(d.labels, d.indices[3 * t + 1]);
            const uint32_t c = load_label(d.labels, d.indices[3 * t + 2]);
            mine = hook_edge(d.labels, a, b) || mine;
            mine = hook_edge(d.labels, b, c) || mine;
        }
        grid.sync(); /* no edge may see a half-flattened tree, where a label may not be a root */
        for (size_t v = thread_index(); v < d.vertices; v += thread_count()) {
            const uint32_t root = root_of(d.labels, (uint32_t)v);
            ((volatile uint32_t *)d.labels)[v] = root;
        }
    } while (end_round(mine, changed, round++));
}

static int run_hook(const struct components_desc *d, void *scratch, struct exec *x)
{
    return launch_rounds((const void *)hook_and_jump, *d, scratch, x);
}

/* ---- union ---------------------------------------------------------------------------------------------------------
 * hook reads all triangles in each of its rounds, and in each, all threads wait twice: 0.897 ms. Idea (Jaiganesh and
 * Burtscher 2018, ECL-CC): no rounds, but union-find by all threads in one forest. A root is hung with
 * compare-and-swap. A thread that loses goes on from where the winner has hung the root, so no edge is left for later.
 * On the way up, each vertex is hung below its grandparent (path halving). Whatever gets written there is an ancestor,
 * so this needs no compare-and-swap. Three plain launches. 1.76 ms, twice as long as hook: here the swaps cost more
 * than the rounds.
 * Cost: a swap for each vertex except the roots; and searches that follow pointers, where each read waits for the one
 * before. */

static __device__ uint32_t find_root(uint32_t *labels, uint32_t v)
{
    for (;;) {
        const uint32_t up = load_label(labels, v), top = load_label(labels, up);
        if (up == top) return up;
        ((volatile uint32_t *)labels)[v] = top;
        v = top;
    }
}

static __device__ void unite(uint32_t *labels, uint32_t a, uint32_t b)
{
    a = find_root(labels, a), b = find_root(labels, b);
    while (a != b) {
        const uint32_t low = min(a, b), high = max(a, b), found = atomicCAS(&labels[high], high, low);
        if (found == high) return;
        a = low, b = find_root(labels, found);
    }
}

static __global__ void __launch_bounds__(THREADS) start_forest(struct components_desc d) { label_by_number(d); }

static __global__ void __launch_bounds__(THREADS) unite_corners(struct components_desc d)
{
    for (size_t t = thread_index(); t < d.triangles; t += thread_count()) {
        const uint32_t a = d.indices[3 * t], b = d.indices[3 * t + 1], c = d.indices[3 * t + 2];
        unite(d.labels, a, b);
        unite(d.labels, b, c);
    }
}

/* Only roots are written here: halving could replace a root that is already there by an older ancestor. */
static __global__ void __launch_bounds__(THREADS) flatten(struct components_desc d)
{
    for (size_t v = thread_index(); v < d.vertices; v += thread_count()) {
        const uint32_t root = root_of(d.labels, (uint32_t)v);
        ((volatile uint32_t *)d.labels)[v] = root;
    }
}

static int run_union(const struct components_desc *d, void *scratch, struct exec *x)
{
    (void)scratch;
    const unsigned by_vertex = launch_blocks(d->vertices, THREADS);
    start_forest<<<by_vertex, THREADS, 0, x->stream>>>(*d);
    unite_corners<<<launch_blocks(d->triangles, THREADS), THREADS, 0, x->stream>>>(*d);
    flatten<<<by_vertex, THREADS, 0, x->stream>>>(*d);
    return cudaGetLastError();
}

/* ---- sampled -------------------------------------------------------------------------------------------------------
 * union makes a swap per vertex, with threads that hang each other's roots: 1.76 ms. Idea (Sutton, Ben-Nun and Barak
 * 2018, Afforest): most of the forest can be built without swaps. Each triangle stores its smallest corner as the
 * parent of the other two, with plain stores. Whichever store to a vertex comes last, its parent is a smaller vertex of
 * its component, so the result is a forest. Once it is flat, nearly all triangles have three equal labels and are done;
 * the few edges between trees are united as before. 0.450 ms.
 * Cost: two more launches, one over the triangles and one over the vertices. */

static __global__ void __launch_bounds__(THREADS) link_corners(struct components_desc d)
{
    volatile uint32_t *labels = d.labels;
    for (size_t t = thread_index(); t < d.triangles; t += thread_count()) {
        const uint32_t a = d.indices[3 * t], b = d.indices[3 * t + 1], c = d.indices[3 * t + 2];
        const uint32_t least = min(a, min(b, c));
        if (a > least) labels[a] = least;
        if (b > least) labels[b] = least;
        if (c > least) labels[c] = least;
    }
}

static __global__ void __launch_bounds__(THREADS) unite_labels(struct components_desc d)
{
    for (size_t t = thread_index(); t < d.triangles; t += thread_count()) {
        const uint32_t a = load_label(d.labels, d.indices[3 * t]), b = load_label(d.labels, d.indices[3 * t + 1]);
        const uint32_t c = load_label(d.labels, d.indices[3 * t + 2]);
        if (a != b) unite(d.labels, a, b);
        if (b != c) unite(d.labels, b, c);
    }
}

static int run_sampled(const struct components_desc *d, void *scratch, struct exec *x)
{
    (void)scratch;
    const unsigned by_vertex = launch_blocks(d->vertices, THREADS), by_triangle = launch_blocks(d->triangles, THREADS);
    start_forest<<<by_vertex, THREADS, 0, x->stream>>>(*d);
    link_corners<<<by_triangle, THREADS, 0, x->stream>>>(*d);
    flatten<<<by_vertex, THREADS, 0, x->stream>>>(*d);
    unite_labels<<<by_triangle, THREADS, 0, x->stream>>>(*d);
    flatten<<<by_vertex, THREADS, 0, x->stream>>>(*d);
    return cudaGetLastError();
}

const struct components_rung components_cuda[] = {
    { { "propagation", "the smallest label of each triangle, until nothing changes", false, no_rounds },
      run_propagation,
      scratch_rounds },
    { { "hook", "in rounds: trees hooked below trees with smaller roots, then flattened", false, no_rounds },
      run_hook,
      scratch_rounds },
    { { "union", "union-find in one forest by all threads, no rounds", false }, run_union, NULL },
    { { "sampled", "a forest by plain stores first, then union-find for the remaining edges", true }, run_sampled, NULL },
    {},
};
