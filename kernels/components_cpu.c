/* components on the CPU; contract in components.h.
 * Run: isoscope ladder components --bench --backend cpu
 *
 * All rungs keep a forest in `labels`: each vertex names a smaller one of its component, or itself. Labels only sink. */
#include "components.h"

#include "cpu_util.h"

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Union-find (Tarjan 1975): for each edge, find the two roots and hang the larger below the smaller. On the way, every
 * other vertex is hung below its grandparent (path halving, Tarjan and van Leeuwen 1984), so paths stay short without
 * ranks. Parents are smaller than their children, so one pass upwards replaces each parent by its root.
 * Cost: one thread; each step up is a read that waits for the one before. */

static uint32_t find(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

static void unite(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = find(parent, a), b = find(parent, b);
    if (a < b) parent[b] = a;
    else parent[a] = b;
}

static int textbook(const struct components_desc *d, void *scratch, struct exec *x)
{
    (void)scratch, (void)x;
    for (size_t v = 0; v < d->vertices; v++) d->labels[v] = (uint32_t)v;
    for (size_t t = 0; t < d->triangles; t++) {
        const uint32_t *corner = d->indices + 3 * t;
        unite(d->labels, corner[0], corner[1]);
        unite(d->labels, corner[1], corner[2]);
    }
    for (size_t v = 0; v < d->vertices; v++) d->labels[v] = d->labels[d->labels[v]];
    return 0;
}

/* ---- what threads share ------------------------------------------------------------------------------------------ */

static uint32_t load(const uint32_t *at) { return __atomic_load_n(at, __ATOMIC_RELAXED); }

static void start(const struct components_desc *d, const struct exec *x)
{
    CPU_EACH(x, v, d->vertices, { d->labels[v] = (uint32_t)v; })
}

/* ---- propagation ---------------------------------------------------------------------------------------------------
 * Union-find is serial: each edge needs the forest that the edges before it left. Idea: no forest: each triangle gives
 * its smallest label to its corners, all triangles at once, again and again until nothing changes.
 * Cost: a label moves on by a triangle per round, or as far as one thread's part of the triangles happens to run the
 * same way: a long vessel that turns back against the order takes a round for each slice it passes. */

static bool sink(uint32_t *label, uint32_t to)
{
    uint32_t now = load(label);
    while (now > to)
        if (__atomic_compare_exchange_n(label, &now, to, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return true;
    return false;
}

/* Return true if a label of triangles first to last - 1 has sunk. */
static bool sink_triangles(const struct components_desc *d, size_t first, size_t last)
{
    bool changed = false;
    for (size_t t = first; t < last; t++) {
        uint32_t *label[3], least = UINT32_MAX;
        for (int c = 0; c < 3; c++) {
            label[c] = &d->labels[d->indices[3 * t + (size_t)c]];
            if (load(label[c]) < least) least = load(label[c]);
        }
        for (int c = 0; c < 3; c++)
            if (sink(label[c], least)) changed = true;
    }
    return changed;
}

static int propagation(const struct components_desc *d, void *scratch, struct exec *x)
{
    bool changed = true;
    (void)scratch;
    start(d, x);
    while (changed && !exec_is_cancelled(x)) {
        changed = false;
#pragma omp parallel for num_threads(x->threads) schedule(static) reduction(|| : changed)
        for (size_t first = 0; first < d->triangles; first += CPU_PIECE)
            changed = sink_triangles(d, first, cpu_piece_end(x, first, d->triangles)) || changed;
    }
    return 0;
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * propagation needs as many rounds as the surface is long. Idea (Jaiganesh and Burtscher 2018, ECL-CC): union-find
 * after all, by all threads in one forest without locks: a root is hung by compare-and-swap, which fails if another
 * thread has hung it meanwhile; then the search goes on from there. Halving a path needs no swap: whatever is written
 * is an ancestor, and later ones are as good. One pass over the triangles, one over the vertices.
 * Cost: threads wait for each other's cache lines where their parts meet. */

static uint32_t find_shared(uint32_t *parent, uint32_t v)
{
    for (;;) {
        const uint32_t up = load(&parent[v]), top = load(&parent[up]);
        if (up == top) return up;
        __atomic_store_n(&parent[v], top, __ATOMIC_RELAXED);
        v = top;
    }
}

static void unite_shared(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = find_shared(parent, a), b = find_shared(parent, b);
    while (a != b) {
        const uint32_t low = a < b ? a : b, high = a < b ? b : a;
        uint32_t root = high;
        if (__atomic_compare_exchange_n(&parent[high], &root, low, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
        a = low, b = find_shared(parent, root);
    }
}

/* The final pass writes nothing but roots: halving could put an older ancestor over a root that is already there. */
static uint32_t root_of(const uint32_t *parent, uint32_t v)
{
    for (uint32_t up; (up = load(&parent[v])) != v;) v = up;
    return v;
}

static int threads(const struct components_desc *d, void *scratch, struct exec *x)
{
    (void)scratch;
    start(d, x);
    CPU_EACH(x, t, d->triangles, {
        const uint32_t *corner = d->indices + 3 * t;
        unite_shared(d->labels, corner[0], corner[1]);
        unite_shared(d->labels, corner[1], corner[2]);
    })
    CPU_EACH(x, v, d->vertices, { __atomic_store_n(&d->labels[v], root_of(d->labels, (uint32_t)v), __ATOMIC_RELAXED); })
    return 0;
}

const struct components_rung components_cpu[] = {
    { { "textbook", "union-find, one edge after the other", false }, textbook, NULL },
    { { "propagation", "the smallest label of each triangle, until nothing changes", false }, propagation, NULL },
    { { "threads", "union-find in one forest by all threads, without locks", true }, threads, NULL },
    { { NULL, NULL, false }, NULL, NULL },
};
