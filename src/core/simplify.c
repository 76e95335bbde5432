#include "simplify.h"

#include "mesh_border.h"
#include "trace.h"
#include "vector.h"
#include "kernels/backend.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define THIN 0.05 /* height over longest side of a triangle; thinner ones may only improve */
#define TURN 0.2  /* cosine of the largest angle by which a collapse may turn a triangle */

#define MOST_MARKING (UINT32_MAX - 1)        /* marking + 1 is used, too; after this all marks are cleared */
#define FIRST_MARKING (MOST_MARKING - 10000) /* near it, so that tests with small meshes also clear marks */

#define FIRST 0.06 /* share of the time until the first collapse */

enum {
    NEIGHBOURS = 24, /* at most, of a vertex that may be collapsed */
    TOLD = 4096      /* vertices or collapses between two reports: 10 ms */
};

struct quadric { /* of planes: the sum of weight (n x + d)^2 */
    double xx, xy, xz, yy, yz, zz, x, y, z, one, weight;
};

struct simplifier {
    struct mesh_host *mesh; /* removed triangles have corners NONE */
    double (*at)[3];        /* of a vertex: its place in the world */
    struct quadric *quadric;
    uint64_t *border; /* of a vertex: not 0 on a border */
    uint32_t *first;  /* of a vertex: its first corner; the list may hold corners that left it */
    uint32_t *next;   /* of a corner: the next one of its vertex */
    uint32_t *target; /* of a vertex: the neighbour to move it to at the least cost */
    double *cost;     /* of a vertex: the square of the error of that move */
    uint32_t *heap;   /* the vertices that have a target, the cheapest first */
    uint32_t *place;  /* of a vertex: its place in the heap, or NONE */
    uint32_t *mark;   /* of a vertex: see keeps_topology */
    uint32_t marking; /* at most MOST_MARKING */
    uint64_t heaped, triangles;
    const struct progress *progress;
};

/* ---- planes ---------------------------------------------------------------------------------------------------------- */

static void plane(double a[3], double b[3], double c[3], double normal[3])
{
    double u[3], v[3];
    for (int i = 0; i < 3; i++) u[i] = b[i] - a[i], v[i] = c[i] - a[i];
    vector_cross(u, v, normal);
}

static void add_plane(struct quadric *q, const double n[3], double d, double w)
{
    q->xx += w * n[0] * n[0], q->xy += w * n[0] * n[1], q->xz += w * n[0] * n[2];
    q->yy += w * n[1] * n[1], q->yz += w * n[1] * n[2], q->zz += w * n[2] * n[2];
    q->x += w * n[0] * d, q->y += w * n[1] * d, q->z += w * n[2] * d;
    q->one += w * d * d, q->weight += w;
}

static void add_quadric(struct quadric *to, const struct quadric *q)
{
    double *const sum = &to->xx;
    const double *const more = &q->xx;
    for (size_t i = 0; i < sizeof *q / sizeof *sum; i++) sum[i] += more[i];
}

static double quadric_at(const struct quadric *q, const double p[3])
{
    return p[0] * (q->xx * p[0] + 2 * (q->xy * p[1] + q->xz * p[2] + q->x)) +
           p[1] * (q->yy * p[1] + 2 * (q->yz * p[2] + q->y)) + p[2] * (q->zz * p[2] + 2 * q->z) + q->one;
}

/* The square of the error if vertex u moves onto v. */
static double cost_of(const struct simplifier *s, uint32_t u, uint32_t v)
{
    const struct quadric *a = &s->quadric[u], *b = &s->quadric[v];
    const double weight = a->weight + b->weight;
    const double sum = quadric_at(a, s->at[v]) + quadric_at(b, s->at[v]);
    return weight > 0 && sum > 0 ? sum / weight : 0;
}

/* ---- the triangles round a vertex -------------------------------------------------------------------------------- */

/* The next corner of vertex v, from the one that *link names. Removes corners from the list that have left the vertex. */
static uint32_t own_corner(const struct simplifier *s, uint32_t v, uint32_t *link)
{
    while (*link != NONE && s->mesh->indices[*link] != v) *link = s->next[*link];
    return *link;
}

/* Loops over the corners `c` of vertex v. */
#define FOR_CORNERS(s, v)                                                        \
    for (uint32_t *link = &(s)->first[v], c = own_corner(s, v, link); c != NONE; \
         link = &(s)->next[c], c = own_corner(s, v, link))

/* The vertices at the next and at the previous corner of the triangle. */
static uint32_t ahead(const struct simplifier *s, uint32_t corner) { return mesh_host_next(s->mesh, corner); }
static uint32_t behind(const struct simplifier *s, uint32_t corner)
{
    return s->mesh->indices[corner % 3 ? corner - 1 : corner + 2];
}

/* Chooses a new mark, above all marks that are set. */
static void change_marking(struct simplifier *s)
{
    if (s->marking > MOST_MARKING - 2) {
        memset(s->mark, 0, s->mesh->vertex_count * sizeof *s->mark);
        s->marking = 0;
    }
    s->marking += 2;
}

/* u and v are joined by an edge inside the surface. Returns whether their only common neighbours are the two vertices
 * across it, and no triangle at v has both of these. Then the surface around both is a disc, and stays one. Neighbours of u
 * have the mark `marking`, and marking + 1 once counted. */
static bool keeps_topology(struct simplifier *s, uint32_t u, uint32_t v)
{
    unsigned common = 0;
    bool across = false;
    change_marking(s);
    FOR_CORNERS(s, u) s->mark[ahead(s, c)] = s->marking;
    FOR_CORNERS(s, v)
    {
        const uint32_t two[2] = { ahead(s, c), behind(s, c) };
        across = across || (s->mark[two[0]] >= s->marking && s->mark[two[1]] >= s->marking);
        for (int i = 0; i < 2; i++)
            if (s->mark[two[i]] == s->marking) s->mark[two[i]]++, common++;
    }
    return common == 2 && !across;
}

/* Height over longest side of the triangle with this normal. */
static double thickness(double a[3], double b[3], double c[3], const double normal[3])
{
    double longest = 0;
    for (int i = 0; i < 3; i++) {
        double *const p = i == 0 ? a : i == 1 ? b : c, *const q = i == 0 ? b : i == 1 ? c : a;
        const double side[3] = { q[0] - p[0], q[1] - p[1], q[2] - p[2] };
        longest = fmax(longest, vector_dot(side, side));
    }
    return longest > 0 ? sqrt(vector_dot(normal, normal)) / longest : 0;
}

/* Whether the triangle at corner c of u is not folded over and stays thick enough when u moves onto v. A thin triangle has
 * no reliable normal; `round`, the mean normal around u, is used instead. */
static bool keeps_shape(const struct simplifier *s, uint32_t u, uint32_t v, uint32_t c, const double round[3])
{
    double *const b = s->at[ahead(s, c)], *const d = s->at[behind(s, c)];
    double old[3], now[3];
    plane(s->at[u], b, d, old);
    plane(s->at[v], b, d, now);
    const double before = thickness(s->at[u], b, d, old), after = thickness(s->at[v], b, d, now);
    const double *const up = before > THIN ? old : round;
    return after > fmin(before, THIN) && vector_dot(now, up) > TURN * sqrt(vector_dot(now, now) * vector_dot(up, up));
}

static bool may_collapse(struct simplifier *s, uint32_t u, uint32_t v)
{
    double round[3] = { 0 };
    if (!keeps_topology(s, u, v)) return false;
    FOR_CORNERS(s, u)
    {
        double normal[3];
        plane(s->at[u], s->at[ahead(s, c)], s->at[behind(s, c)], normal);
        for (int a = 0; a < 3; a++) round[a] += normal[a];
    }
    FOR_CORNERS(s, u)
    if (ahead(s, c) != v && behind(s, c) != v && !keeps_shape(s, u, v, c, round)) return false;
    return true;
}

/* Sets the target of u to the neighbour of least cost; NONE if no neighbour is allowed. */
static void find_target(struct simplifier *s, uint32_t u)
{
    uint32_t neighbour[NEIGHBOURS];
    double cost[NEIGHBOURS];
    int n = 0;
    s->target[u] = NONE;
    if (s->border[u]) return;
    FOR_CORNERS(s, u)
    {
        if (n == NEIGHBOURS) return;
        neighbour[n] = ahead(s, c);
        cost[n] = cost_of(s, u, neighbour[n]);
        n++;
    }
    while (n) {
        int best = 0;
        for (int i = 1; i < n; i++)
            if (cost[i] < cost[best]) best = i;
        if (may_collapse(s, u, neighbour[best])) {
            s->target[u] = neighbour[best], s->cost[u] = cost[best];
            return;
        }
        n--;
        neighbour[best] = neighbour[n], cost[best] = cost[n];
    }
}

/* ---- the heap: a binary one, each below at least as dear as the one above ---------------------------------------- */

static bool cheaper(const struct simplifier *s, uint32_t u, uint32_t v)
{
    return s->cost[u] != s->cost[v] ? s->cost[u] < s->cost[v] : u < v;
}

static void put(struct simplifier *s, uint64_t place, uint32_t v)
{
    s->heap[place] = v;
    s->place[v] = (uint32_t)place;
}

static void rise(struct simplifier *s, uint64_t place, uint32_t v)
{
    for (; place && cheaper(s, v, s->heap[(place - 1) / 2]); place = (place - 1) / 2)
        put(s, place, s->heap[(place - 1) / 2]);
    put(s, place, v);
}

static void sink(struct simplifier *s, uint64_t place, uint32_t v)
{
    for (uint64_t below = 2 * place + 1; below < s->heaped; place = below, below = 2 * place + 1) {
        if (below + 1 < s->heaped && cheaper(s, s->heap[below + 1], s->heap[below])) below++;
        if (!cheaper(s, s->heap[below], v)) break;
        put(s, place, s->heap[below]);
    }
    put(s, place, v);
}

static void leave_heap(struct simplifier *s, uint32_t v)
{
    const uint64_t place = s->place[v];
    if (place == NONE) return;
    s->place[v] = NONE;
    const uint32_t last = s->heap[--s->heaped];
    if (last == v) return;
    rise(s, place, last);
    sink(s, s->place[last], last);
}

/* Updates the target of v and its place in the heap. */
static void update(struct simplifier *s, uint32_t v)
{
    leave_heap(s, v);
    find_target(s, v);
    if (s->target[v] != NONE) rise(s, s->heaped++, v);
}

/* ---- collapsing -------------------------------------------------------------------------------------------------- */

/* Moves u onto v. Two triangles vanish; the others of u become triangles of v. */
static void collapse(struct simplifier *s, uint32_t u, uint32_t v)
{
    uint32_t *const index = s->mesh->indices;
    uint32_t own = s->first[u], next;
    for (; own != NONE; own = next) {
        next = s->next[own];
        if (index[own] != u) continue;
        if (ahead(s, own) == v || behind(s, own) == v) {
            for (uint32_t k = 0; k < 3; k++) index[own - own % 3 + k] = NONE;
            s->triangles--;
        } else {
            index[own] = v;
            s->next[own] = s->first[v], s->first[v] = own;
        }
    }
    s->first[u] = NONE;
    add_quadric(&s->quadric[v], &s->quadric[u]);
    leave_heap(s, u);
    update(s, v);
    FOR_CORNERS(s, v)
    {
        update(s, ahead(s, c));
        if (s->border[v]) update(s, behind(s, c)); /* the last one of an open fan is never ahead */
    }
}

/* *error: the square of the largest error. False: cancelled. */
static bool run(struct simplifier *s, uint64_t wanted, double most, double *error)
{
    const uint64_t all = s->triangles;
    for (uint64_t i = 0; s->heaped && s->triangles > wanted; i++) {
        const uint32_t u = s->heap[0];
        const double gone = (double)(all - s->triangles) / (double)(all - wanted);
        if (s->cost[u] > most * most) break;
        if (i % TOLD == 0 && !progress_tell(s->progress, FIRST + (1 - FIRST) * gone)) return false;
        *error = fmax(*error, s->cost[u]);
        collapse(s, u, s->target[u]);
    }
    return true;
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

static void add_triangle(struct simplifier *s, uint64_t t)
{
    const uint32_t *const corner = &s->mesh->indices[3 * t];
    double normal[3];
    plane(s->at[corner[0]], s->at[corner[1]], s->at[corner[2]], normal);
    const double length = sqrt(vector_dot(normal, normal));
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t c = (uint32_t)(3 * t) + k;
        s->next[c] = s->first[corner[k]], s->first[corner[k]] = c;
    }
    if (!(length > 0)) return;
    for (int a = 0; a < 3; a++) normal[a] /= length;
    for (int k = 0; k < 3; k++)
        add_plane(&s->quadric[corner[k]], normal, -vector_dot(normal, s->at[corner[0]]), length / 2);
}

/* False: cancelled. */
static bool begin(struct simplifier *s, const struct volume *volume)
{
    const struct mesh_host *m = s->mesh;
    for (uint64_t v = 0; v < m->vertex_count; v++) {
        const double p[3] = { (double)m->vertices[v].x, (double)m->vertices[v].y, (double)m->vertices[v].z };
        for (int r = 0; r < 3; r++) s->at[v][r] = vector_dot(volume->direction[r], p);
        s->first[v] = s->place[v] = NONE;
    }
    mesh_border(m, s->border);
    for (uint64_t t = 0; t < m->triangle_count; t++) add_triangle(s, t);
    for (uint64_t v = 0; v < m->vertex_count; v++) {
        if (v % TOLD == 0 && !progress_tell(s->progress, FIRST * (double)v / (double)m->vertex_count)) return false;
        update(s, (uint32_t)v);
    }
    return true;
}

/* Closes the gaps between the remaining triangles and vertices, which keep their order. */
static void end(const struct simplifier *s)
{
    struct mesh_host *const m = s->mesh;
    uint64_t to = 0;
    for (uint64_t i = 0; i < 3 * m->triangle_count; i++)
        if (m->indices[i] != NONE) m->indices[to++] = m->indices[i];
    m->triangle_count = to / 3;
    mesh_host_drop_unused(m, s->mark);
    if (!to) {
        mesh_host_free(m);
        return;
    }
    void *vertices = realloc(m->vertices,
                             m->vertex_count * sizeof *m->vertices); /* to a smaller size; a failure does no harm */
    void *indices = realloc(m->indices, to * sizeof *m->indices);
    if (vertices) m->vertices = vertices;
    if (indices) m->indices = indices;
}

uint64_t simplify_bytes(uint64_t vertices, uint64_t triangles)
{
    const struct simplifier *s;
    return vertices * (sizeof *s->at + sizeof *s->quadric + sizeof *s->border + sizeof *s->cost + 5 * sizeof(uint32_t)) +
           3 * triangles * sizeof *s->next;
}

/* All working memory in one piece, numbers of 8 bytes first. */
static int allot(struct simplifier *s, void **memory, struct err *err)
{
    const uint64_t v = s->mesh->vertex_count, corners = 3 * s->mesh->triangle_count;
    const uint64_t bytes = simplify_bytes(v, s->mesh->triangle_count);
    if (corners >= NONE) {
        err_set(err, ERR_FAILED, "the mesh has %" PRIu64 " triangles, but at most %" PRIu64 " can be decimated",
                s->mesh->triangle_count, (uint64_t)(NONE - 1) / 3);
        err_advise(err, "leave out the decimation, or choose a smaller volume");
        return ERR_FAILED;
    }
    *memory = bytes <= backend_cpu.memory_free() ? calloc(1, bytes) : NULL;
    if (!*memory)
        return err_set(err, ERR_FAILED, "not enough memory to simplify the mesh (%.1f MiB)", (double)bytes / 1048576);
    s->at = *memory;
    s->quadric = (struct quadric *)(s->at + v);
    s->border = (uint64_t *)(s->quadric + v);
    s->cost = (double *)(s->border + v);
    s->first = (uint32_t *)(s->cost + v);
    s->target = s->first + v;
    s->heap = s->target + v;
    s->place = s->heap + v;
    s->mark = s->place + v;
    s->next = s->mark + v;
    return ERR_NONE;
}

int simplify_mesh(struct mesh_host *mesh, const struct volume *volume, struct simplify_goal goal,
                  const struct progress *progress, double *error, struct err *err)
{
    struct simplifier s = {
        .mesh = mesh, .marking = FIRST_MARKING, .triangles = mesh->triangle_count, .progress = progress
    };
    const uint64_t wanted = goal.keep > 0 ? (uint64_t)(goal.keep * (double)mesh->triangle_count) : 0;
    void *memory;
    *error = 0;
    if (!mesh->vertex_count) return ERR_NONE;
    if (allot(&s, &memory, err)) return ERR_FAILED;
    trace_push("simplify", NULL);
    const bool done = begin(&s, volume) && run(&s, wanted, goal.keep > 0 ? INFINITY : goal.most, error);
    *error = sqrt(*error);
    end(&s);
    trace_pop();
    free(memory);
    return done ? ERR_NONE : err_set(err, ERR_FAILED, "cancelled");
}
