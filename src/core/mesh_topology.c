#include "mesh_topology.h"
#include "kernels/edge_vertex.h"

#include "exact.h"

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

/* An edge between the vertex and `other`, as one triangle has it. */
struct spoke {
    uint32_t other;
    uint32_t leaves; /* 1: the triangle goes to `other`, 0: it comes from there */
};

/* A corner at a vertex of a later run; numbers of the whole mesh. */
struct mesh_topology_ray {
    uint64_t at, to, from;
};

/* A vertex has three numbers: in the whole mesh; in the mesh in memory (indices), which is lower by `shift`; and in the
 * window of 32 bits that begins with the first vertex that a corner names (corners and spokes). In the forests, own
 * vertices come first. */
struct look {
    const struct mesh_host *mesh;
    const struct mesh_topology_run *run;
    const size_t *n;
    uint64_t shift;        /* from the mesh in memory to the whole; may wrap around */
    uint64_t first;        /* number of the first own vertex in the whole */
    uint64_t window;       /* the same, for the window */
    uint64_t reach;        /* vertices from the first own one to the last one that triangles use */
    uint64_t *begin;       /* where each own vertex's corners begin; one more at the end */
    struct corner *corner; /* ordered by vertex */
    struct spoke *spoke;   /* of one vertex */
    struct mesh_topology_sum *sum;
    struct mesh_topology *out;
};

/* ---- on the coordinates ------------------------------------------------------------------------------------------ */

/* Whether the projection of a triangle along an axis has no area. The products of floats are exact in double. */
static bool is_flat(const float *a, const float *b, const float *c, unsigned u, unsigned v)
{
    struct exact sum = exact_products((double)a[u], (double)b[v], -(double)a[v], (double)b[u]);
    const double more[4][2] = { { b[u], c[v] }, { -(double)b[v], c[u] }, { c[u], a[v] }, { -(double)c[v], a[u] } };
    for (int i = 0; i < 4; i++) exact_add(&sum, more[i][0] * more[i][1]);
    return exact_sign(&sum) == 0;
}

/* Whether a triangle has no area. Double precision decides all but a few; the others need exact arithmetic. */
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
    l->out->inner_vertices += inside && between > 1; /* far from 0, one of three coordinates may be rounded */
}

/* Whether both ends lie on one side of the grid's box; numbers of the window. */
static bool on_border(const struct look *l, uint32_t a, uint32_t b)
{
    const uint64_t from = l->window + a - l->shift, to = l->window + b - l->shift;
    if (from >= l->mesh->vertex_count || to >= l->mesh->vertex_count)
        return false; /* only an earlier run had its position */
    const struct vertex *v = &l->mesh->vertices[from], *w = &l->mesh->vertices[to];
    const float p[3] = { v->x, v->y, v->z }, q[3] = { w->x, w->y, w->z };
    for (int i = 0; i < 3; i++)
        if (p[i] == q[i] && (p[i] == 0 || p[i] == (float)(l->n[i] - 1))) return true;
    return false;
}

/* ---- on the indices ---------------------------------------------------------------------------------------------- */

static bool in_range(const struct look *l, const uint32_t *index)
{
    for (int i = 0; i < 3; i++)
        if (index[i] >= l->mesh->vertex_count || index[i] < l->run->vertex) return false;
    return true;
}

static void look_at_triangle(struct look *l, const uint32_t *index)
{
    const struct vertex *v = l->mesh->vertices;
    const bool repeated = index[0] == index[1] || index[1] == index[2] || index[2] == index[0];
    l->out->fault[FAULT_REPEATED] += repeated;
    l->out->fault[FAULT_ZERO_AREA] += !repeated && has_no_area(&v[index[0]], &v[index[1]], &v[index[2]]);
    const uint32_t own = (uint32_t)l->run->vertex;
    for (int i = 0; i < 2; i++) forest_join(&l->sum->parts, index[i] - own, index[i + 1] - own);
}

static int refuse_memory(struct err *err) { return err_set(err, ERR_FAILED, "not enough memory to check the mesh"); }

/* The corners of triangle `t` of the run. An empty mesh has no triangles to ask for. */
static const uint32_t *triangle_at(const struct look *l, uint64_t t)
{
    return l->mesh->indices + 3 * (l->run->triangle + t);
}

/* Finds the last vertex that triangles use, and counts triangles that are out of reach. */
static void find_reach(struct look *l)
{
    l->window = l->first, l->reach = l->run->vertices;
    for (uint64_t t = 0; t < l->run->triangles; t++) {
        const uint32_t *index = triangle_at(l, t);
        const bool in = in_range(l, index);
        l->out->fault[FAULT_INDEX] += !in;
        for (int i = 0; i < 3 && in; i++)
            if (index[i] - l->run->vertex >= l->reach) l->reach = index[i] - l->run->vertex + 1;
    }
    for (size_t i = 0; i < l->sum->ray_count; i++) {
        const struct mesh_topology_ray *r = &l->sum->rays[i];
        if (r->to < l->window) l->window = r->to;
        if (r->from < l->window) l->window = r->from;
    }
}

/* The own vertex that a ray begins at; run->vertices if it is not an own one. */
static uint64_t own_of(const struct look *l, const struct mesh_topology_ray *ray)
{
    return min_size(ray->at - l->first, l->run->vertices);
}

/* The ray of a corner, with numbers of the whole mesh. */
static struct mesh_topology_ray ray_of(const struct look *l, const uint32_t *index, int i)
{
    return (struct mesh_topology_ray){ index[i] + l->shift, index[(i + 1) % 3] + l->shift, index[(i + 2) % 3] + l->shift };
}

static int keep_ray(struct mesh_topology_sum *s, struct mesh_topology_ray ray)
{
    if (s->ray_count == s->ray_room) {
        const size_t room = 2 * s->ray_room + 1024;
        struct mesh_topology_ray *grown = realloc(s->rays, room * sizeof *grown);
        if (!grown) return 1;
        s->rays = grown, s->ray_room = room;
    }
    s->rays[s->ray_count++] = ray;
    return 0;
}

/* Counts the corners of each own vertex. Sets begin[v + 1] to where they begin, and *most to the largest count. */
static uint64_t count_corners(struct look *l, uint64_t *most)
{
    const struct mesh_topology_run *r = l->run;
    uint64_t all = 0;
    for (size_t i = 0; i < l->sum->ray_count; i++) l->begin[own_of(l, &l->sum->rays[i]) + 2]++;
    for (uint64_t t = 0; t < r->triangles; t++) {
        const uint32_t *index = triangle_at(l, t);
        for (int i = 0; i < 3 && in_range(l, index); i++) l->begin[min_size(index[i] - r->vertex, r->vertices) + 2]++;
    }
    *most = 0;
    for (uint64_t v = 0; v < r->vertices; v++) {
        const uint64_t here = l->begin[v + 2];
        if (here > *most) *most = here;
        l->begin[v + 2] = all += here;
    }
    return all;
}

static void put_corner(struct look *l, uint64_t own, const struct mesh_topology_ray *ray)
{
    l->corner[l->begin[own + 1]++] = (struct corner){ (uint32_t)(ray->to - l->window), (uint32_t)(ray->from - l->window) };
}

/* Puts each corner in its place, in the order of the triangles, or keeps it for a later run. */
static int put_corners(struct look *l)
{
    struct mesh_topology_sum *s = l->sum;
    const struct mesh_topology_run *r = l->run;
    const size_t before = s->ray_count;
    int failed = 0;
    s->ray_count = 0;
    for (size_t i = 0; i < before; i++) {
        const struct mesh_topology_ray ray = s->rays[i];
        const uint64_t own = own_of(l, &ray);
        if (own < r->vertices) put_corner(l, own, &ray);
        else s->rays[s->ray_count++] = ray;
    }
    for (uint64_t t = 0; t < r->triangles; t++) {
        const uint32_t *index = triangle_at(l, t);
        for (int i = 0; i < 3 && in_range(l, index); i++) {
            const struct mesh_topology_ray ray = ray_of(l, index, i);
            if (own_of(l, &ray) < r->vertices) put_corner(l, own_of(l, &ray), &ray);
            else failed |= keep_ray(s, ray);
        }
    }
    return failed;
}

/* Orders the corners by vertex. */
static int list_corners(struct look *l, struct err *err)
{
    uint64_t most;
    find_reach(l);
    if (l->first + l->reach - l->window >= UINT32_MAX)
        return err_set(err, ERR_FAILED, "a run of the mesh has more vertices than 32 bits can number");
    l->begin = calloc(l->run->vertices + 3, sizeof *l->begin);
    if (!l->begin) return refuse_memory(err);
    l->corner = malloc((count_corners(l, &most) + 1) * sizeof *l->corner);
    l->spoke = malloc((2 * most + 1) * sizeof *l->spoke);
    return l->corner && l->spoke && !put_corners(l) ? ERR_NONE : refuse_memory(err);
}

static int compare_spokes(const void *a, const void *b)
{
    const struct spoke *s = a, *t = b;
    if (s->other != t->other) return s->other < t->other ? -1 : 1;
    return (s->leaves > t->leaves) - (s->leaves < t->leaves);
}

/* Sorts spokes, of which there are nearly always about a dozen. */
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

/* Checks an edge from `v` to a higher vertex; n triangles have it. */
static void look_at_edge(struct look *l, uint32_t v, const struct spoke *spoke, size_t n)
{
    struct mesh_topology *out = l->out;
    if (spoke->other <= v) return;
    out->edges++;
    if (n > 2) out->fault[FAULT_CROWDED]++;
    else if (n == 2) out->fault[FAULT_TURNED] += spoke[0].leaves == spoke[1].leaves;
    else {
        out->border_edges++;
        const uint32_t own = (uint32_t)(l->first - l->window);
        forest_join(&l->sum->border, v - own, spoke->other - own);
        out->fault[FAULT_OPEN] += !on_border(l, v, spoke->other);
    }
}

/* Whether the triangles around a vertex form one fan, connected through common edges. Walks from triangle to triangle, in
 * an open fan from its first edge, the only one on which no triangle comes back. If they form one fan, the walk ends after
 * n steps. */
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

/* Counts duplicate triangles around a vertex. Considers only those whose other two corners are both higher, so that each is
 * counted once. */
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

/* own: the vertex's number among the own vertices. */
static void look_around_vertex(struct look *l, uint64_t own)
{
    const uint32_t v = (uint32_t)(own + l->first - l->window);
    const struct corner *corner = l->corner + l->begin[own];
    const size_t n = (size_t)(l->begin[own + 1] - l->begin[own]);
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

/* ---- all --------------------------------------------------------------------------------------------------------- */

static bool go_on(const struct progress *progress, uint64_t done, uint64_t all)
{
    if (done % (1 << 18) || !progress || !progress->step) return true;
    return progress->step(progress->context, (double)done / (double)all);
}

/* Checks the triangles, then the vertices. Only one of the forests is large at a time. */
static int look_at_all(struct look *l, const struct progress *progress, struct err *err)
{
    const struct mesh_topology_run *r = l->run;
    struct mesh_topology_sum *s = l->sum;
    const uint64_t all = r->triangles + r->vertices + 1;
    bool on = true;
    if (forest_grow(&s->parts, l->reach, err)) return ERR_FAILED;
    for (uint64_t t = 0; t < r->triangles && (on = on && go_on(progress, t, all)); t++) {
        const uint32_t *index = triangle_at(l, t);
        if (in_range(l, index)) look_at_triangle(l, index);
    }
    forest_keep(&s->parts, r->vertices);
    if (forest_grow(&s->border, l->reach, err)) return ERR_FAILED;
    for (uint64_t v = 0; v < r->vertices && (on = on && go_on(progress, r->triangles + v, all)); v++) {
        look_at_vertex(l, &l->mesh->vertices[r->vertex + v]);
        look_around_vertex(l, v);
    }
    forest_keep(&s->border, r->vertices);
    return on ? ERR_NONE : err_set(err, ERR_FAILED, "cancelled");
}

void mesh_topology_begin(struct mesh_topology_sum *s, const size_t n[3])
{
    *s = (struct mesh_topology_sum){ .n = { n[0], n[1], n[2] } };
}

int mesh_topology_add(struct mesh_topology_sum *s, const struct mesh_topology_run *run, const struct progress *progress,
                      struct err *err)
{
    struct look l = { .mesh = run->mesh, .run = run, .n = s->n, .first = s->found.vertices, .sum = s, .out = &s->found };
    l.shift = l.first - run->vertex;
    int code = list_corners(&l, err);
    if (!code) code = look_at_all(&l, progress, err);
    s->found.vertices += run->vertices, s->found.triangles += run->triangles;
    free(l.begin), free(l.corner), free(l.spoke);
    return code;
}

void mesh_topology_end(struct mesh_topology *out, struct mesh_topology_sum *s)
{
    if (out) {
        *out = s->found;
        out->components = out->vertices - s->parts.joins - out->fault[FAULT_UNUSED];
        out->border_loops = out->border_edges - s->border.joins; /* a closed curve has as many edges as vertices */
        out->euler = (int64_t)out->vertices - (int64_t)out->edges + (int64_t)out->triangles;
        out->fault[FAULT_INDEX] += s->ray_count; /* at vertices that do not exist */
    }
    forest_free(&s->parts);
    forest_free(&s->border);
    free(s->rays);
    *s = (struct mesh_topology_sum){ .rays = NULL };
}

int mesh_topology_find(struct mesh_topology *out, const struct mesh_host *mesh, const size_t n[3],
                       const struct progress *progress, struct err *err)
{
    const struct mesh_topology_run all = { mesh, 0, mesh->vertex_count, 0, mesh->triangle_count };
    struct mesh_topology_sum sum;
    *out = (struct mesh_topology){ 0 };
    mesh_topology_begin(&sum, n);
    const int code = mesh_topology_add(&sum, &all, progress, err);
    mesh_topology_end(out, &sum);
    return code;
}
