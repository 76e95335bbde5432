#include "mesh_topology.h"
#include "kernels/edge_vertex.h"

#include "exact.h"
#include "forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
const char *const mesh_fault_text[MESH_FAULTS] = {
    [FAULT_INDEX] = "triangles with an index out of range",
    [FAULT_REPEATED] = "triangles with one corner twice",
    [FAULT_DUPLICATE] = "triangles that are there twice",
    [FAULT_UNUSED] = "vertices of no triangle",
    [FAULT_OPEN] = "open edges inside the grid",
    [FAULT_CROWDED] = "edges of more than two triangles",
    [FAULT_TURNED] = "edges wound against each other",
    [FAULT_PINCHED] = "vertices without one fan of triangles",
    [FAULT_OUTSIDE] = "vertices outside the grid or not finite",
    [FAULT_NORMAL] = "normals not of unit length",
    [FAULT_ZERO_AREA] = "triangles without area",
};
/* clang-format on */

/* The triangles around a vertex: `to` and `from` follow and precede it in one of them. */
struct corner {
    uint32_t to, from;
};

/* An edge from the vertex to `other`, as one triangle has it. */
struct spoke {
    uint32_t other;
    uint32_t leaves; /* 1: the triangle goes to `other`, 0: it comes from there */
};

struct look {
    const struct mesh_host *mesh;
    const size_t *n;
    uint64_t *begin;       /* of each vertex's corners; one more at the end */
    struct corner *corner; /* ordered by vertex */
    struct spoke *spoke;   /* of one vertex */
    struct forest forest;
    struct mesh_topology *out;
};

/* ---- on the coordinates ------------------------------------------------------------------------------------------------ */

/* Whether the projection of a triangle along an axis has no area. The products of floats are exact in double. */
static bool is_flat(const float *a, const float *b, const float *c, unsigned u, unsigned v)
{
    struct exact sum = exact_products((double)a[u], (double)b[v], -(double)a[v], (double)b[u]);
    const double more[4][2] = { { b[u], c[v] }, { -(double)b[v], c[u] }, { c[u], a[v] }, { -(double)c[v], a[u] } };
    for (int i = 0; i < 4; i++) exact_add(&sum, more[i][0] * more[i][1]);
    return exact_sign(&sum) == 0;
}

/* Whether a triangle has no area. Double precision settles all but a few. */
static bool has_no_area(const struct vertex *p, const struct vertex *q, const struct vertex *r)
{
    const float a[3] = { p->x, p->y, p->z }, b[3] = { q->x, q->y, q->z }, c[3] = { r->x, r->y, r->z };
    double e[3], f[3];
    for (int i = 0; i < 3; i++) e[i] = (double)b[i] - (double)a[i], f[i] = (double)c[i] - (double)a[i];
    for (unsigned i = 0; i < 3; i++) {
        const unsigned u = (i + 1) % 3, v = (i + 2) % 3;
        const double left = e[u] * f[v], right = e[v] * f[u];
        if (fabs(left - right) > 1e-12 * (fabs(left) + fabs(right))) return false;
    }
    return is_flat(a, b, c, 0, 1) && is_flat(a, b, c, 1, 2) && is_flat(a, b, c, 2, 0);
}

static bool has_unit_normal(uint32_t packed)
{
    double n[3];
    normal_unpack(packed, n);
    const double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    return square > 0.99 && square < 1.01; /* parts are rounded to 1/1022 */
}

static void look_at_vertex(struct look *l, const struct vertex *v)
{
    const float p[3] = { v->x, v->y, v->z };
    int between = 0;
    bool inside = true;
    for (int i = 0; i < 3; i++) {
        inside = inside && p[i] >= 0 && p[i] <= (float)(l->n[i] - 1); /* false for NaN */
        between += p[i] != floorf(p[i]);
    }
    l->out->fault[FAULT_OUTSIDE] += !inside;
    l->out->fault[FAULT_NORMAL] += !has_unit_normal(v->normal);
    l->out->inner_vertices += inside && between > 1; /* far from 0 one of three may be rounded */
}

/* Whether both ends lie on one side of the grid's box. */
static bool on_border(const struct look *l, uint32_t a, uint32_t b)
{
    const struct vertex *v = &l->mesh->vertices[a], *w = &l->mesh->vertices[b];
    const float p[3] = { v->x, v->y, v->z }, q[3] = { w->x, w->y, w->z };
    for (int i = 0; i < 3; i++)
        if (p[i] == q[i] && (p[i] == 0 || p[i] == (float)(l->n[i] - 1))) return true;
    return false;
}

/* ---- on the indices ---------------------------------------------------------------------------------------------------- */

static bool in_range(const struct look *l, const uint32_t *index)
{
    for (int i = 0; i < 3; i++)
        if (index[i] >= l->mesh->vertex_count) return false;
    return true;
}

static void look_at_triangle(struct look *l, const uint32_t *index)
{
    const struct vertex *v = l->mesh->vertices;
    const bool repeated = index[0] == index[1] || index[1] == index[2] || index[2] == index[0];
    l->out->fault[FAULT_REPEATED] += repeated;
    l->out->fault[FAULT_ZERO_AREA] += !repeated && has_no_area(&v[index[0]], &v[index[1]], &v[index[2]]);
    for (int i = 0; i < 2; i++) forest_join(&l->forest, index[i], index[i + 1]);
}

/* Orders the corners by vertex: counts them, then puts each in its place. */
static int list_corners(struct look *l, struct err *err)
{
    const struct mesh_host *m = l->mesh;
    uint64_t most = 0, all = 0;
    l->begin = calloc(m->vertex_count + 2, sizeof *l->begin);
    l->corner = malloc((3 * m->triangle_count + 1) * sizeof *l->corner);
    if (!l->begin || !l->corner) return err_set(err, ERR_FAILED, "no memory to check the mesh");
    for (uint64_t t = 0; t < m->triangle_count; t++) {
        const uint32_t *index = m->indices + 3 * t;
        if (!in_range(l, index)) l->out->fault[FAULT_INDEX]++;
        for (int i = 0; i < 3 && in_range(l, index); i++) l->begin[index[i] + 2]++;
    }
    for (uint64_t v = 0; v < m->vertex_count; v++) {
        const uint64_t here = l->begin[v + 2];
        if (here > most) most = here;
        l->begin[v + 2] = all += here;
    }
    for (uint64_t t = 0; t < m->triangle_count; t++) {
        const uint32_t *index = m->indices + 3 * t;
        for (int i = 0; i < 3 && in_range(l, index); i++)
            l->corner[l->begin[index[i] + 1]++] = (struct corner){ index[(i + 1) % 3], index[(i + 2) % 3] };
    }
    l->spoke = malloc((2 * most + 1) * sizeof *l->spoke);
    return l->spoke ? ERR_NONE : err_set(err, ERR_FAILED, "no memory to check the mesh");
}

static int compare_spokes(const void *a, const void *b)
{
    const struct spoke *s = a, *t = b;
    if (s->other != t->other) return s->other < t->other ? -1 : 1;
    return (s->leaves > t->leaves) - (s->leaves < t->leaves);
}

/* Sorts spokes: nearly always a dozen. */
static void sort_spokes(struct spoke *spoke, size_t n)
{
    if (n > 48) {
        qsort(spoke, n, sizeof *spoke, compare_spokes);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const struct spoke moved = spoke[i];
        size_t j = i;
        for (; j && compare_spokes(&spoke[j - 1], &moved) > 0; j--) spoke[j] = spoke[j - 1];
        spoke[j] = moved;
    }
}

/* Judges the edges from `v` to higher vertices. */
static void look_at_edge(struct look *l, uint32_t v, const struct spoke *spoke, size_t n)
{
    struct mesh_topology *out = l->out;
    if (spoke->other <= v) return;
    out->edges++;
    if (n > 2) out->fault[FAULT_CROWDED]++;
    else if (n == 2) out->fault[FAULT_TURNED] += spoke[0].leaves == spoke[1].leaves;
    else {
        out->border_edges++;
        forest_join(&l->forest, v, spoke->other);
        out->fault[FAULT_OPEN] += !on_border(l, v, spoke->other);
    }
}

/* Whether the triangles around a vertex hang together by their common edges. Walks: a fan of n triangles is left after n
 * steps, forwards from its first edge (the only one that no triangle comes back on) or all the way round. */
static bool is_one_fan(const struct corner *corner, size_t n)
{
    size_t first = 0, steps = 1;
    for (size_t i = 0; i < n; i++) {
        bool starts = true;
        for (size_t j = 0; j < n && starts; j++) starts = corner[j].from != corner[i].to;
        if (starts) first = i;
    }
    for (size_t at = first; steps <= n; steps++) {
        size_t next = 0;
        while (next < n && corner[next].to != corner[at].from) next++;
        if (next == n || next == first) break;
        at = next;
    }
    return steps == n;
}

/* Counts triangles around a vertex whose other two corners are both higher, and are those of another one, too. */
static uint64_t count_duplicates(uint32_t v, const struct corner *corner, size_t n, struct spoke *pair)
{
    size_t pairs = 0;
    uint64_t duplicates = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t a = corner[i].to, b = corner[i].from;
        if (a > v && b > v) pair[pairs++] = a < b ? (struct spoke){ a, b } : (struct spoke){ b, a };
    }
    sort_spokes(pair, pairs);
    for (size_t i = 1; i < pairs; i++) duplicates += !memcmp(&pair[i - 1], &pair[i], sizeof *pair);
    return duplicates;
}

static void look_around_vertex(struct look *l, uint32_t v)
{
    const struct corner *corner = l->corner + l->begin[v];
    const size_t n = (size_t)(l->begin[v + 1] - l->begin[v]);
    l->out->fault[FAULT_UNUSED] += n == 0;
    if (n == 0) return;
    l->out->fault[FAULT_PINCHED] += !is_one_fan(corner, n);
    l->out->fault[FAULT_DUPLICATE] += count_duplicates(v, corner, n, l->spoke);
    for (size_t i = 0; i < n; i++) {
        l->spoke[2 * i] = (struct spoke){ corner[i].to, 1 };
        l->spoke[2 * i + 1] = (struct spoke){ corner[i].from, 0 };
    }
    sort_spokes(l->spoke, 2 * n);
    for (size_t i = 0, end; i < 2 * n; i = end) {
        for (end = i + 1; end < 2 * n && l->spoke[end].other == l->spoke[i].other;) end++;
        look_at_edge(l, v, l->spoke + i, end - i);
    }
}

/* ---- all --------------------------------------------------------------------------------------------------------------- */

static bool go_on(const struct progress *progress, uint64_t done, uint64_t all)
{
    if (done % (1 << 18) || !progress || !progress->step) return true;
    return progress->step(progress->context, (double)done / (double)all);
}

/* Looks at the triangles, then at the vertices; in between, the forest holds the components. */
static bool look_at_all(struct look *l, const struct progress *progress)
{
    const struct mesh_host *m = l->mesh;
    const uint64_t all = m->triangle_count + m->vertex_count + 1;
    bool on = true;
    for (uint64_t t = 0; t < m->triangle_count && (on = on && go_on(progress, t, all)); t++)
        if (in_range(l, m->indices + 3 * t)) look_at_triangle(l, m->indices + 3 * t);
    l->out->components = l->forest.count - l->forest.joins;
    forest_part(&l->forest);
    for (uint64_t v = 0; v < m->vertex_count && (on = on && go_on(progress, m->triangle_count + v, all)); v++) {
        look_at_vertex(l, &m->vertices[v]);
        look_around_vertex(l, (uint32_t)v);
    }
    l->out->components -= l->out->fault[FAULT_UNUSED];
    l->out->border_loops = l->out->border_edges - l->forest.joins; /* a closed curve has as many edges as vertices */
    return on;
}

int mesh_topology_find(struct mesh_topology *out, const struct mesh_host *mesh, const size_t n[3],
                       const struct progress *progress, struct err *err)
{
    struct look l = { .mesh = mesh, .n = n, .out = out };
    *out = (struct mesh_topology){ .vertices = mesh->vertex_count, .triangles = mesh->triangle_count };
    int code = forest_grow(&l.forest, mesh->vertex_count, err);
    if (!code) code = list_corners(&l, err);
    if (!code && !look_at_all(&l, progress)) code = err_set(err, ERR_FAILED, "cancelled");
    out->euler = (int64_t)out->vertices - (int64_t)out->edges + (int64_t)out->triangles;
    forest_free(&l.forest);
    free(l.begin), free(l.corner), free(l.spoke);
    return code;
}
