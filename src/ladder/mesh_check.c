#include "mesh_check.h"

#include <stdlib.h>
#include <string.h>

/* ---- edges --------------------------------------------------------------------------------------------------------- */

struct edge {
    uint32_t low, high;
    int direction;
};

static int compare_edges(const void *a, const void *b)
{
    const struct edge *e = a, *f = b;
    if (e->low != f->low) return e->low < f->low ? -1 : 1;
    if (e->high != f->high) return e->high < f->high ? -1 : 1;
    return e->direction - f->direction;
}

static bool same_edge(const struct edge *e, const struct edge *f) { return e->low == f->low && e->high == f->high; }

static bool in_box_surface(const struct grid *g, const struct vertex *a, const struct vertex *b)
{
    const float last[3] = { (float)(g->nx - 1), (float)(g->ny - 1), (float)(g->nz - 1) };
    const float p[3] = { a->x, a->y, a->z }, q[3] = { b->x, b->y, b->z };
    for (int i = 0; i < 3; i++)
        if (p[i] == q[i] && (p[i] == 0 || p[i] == last[i])) return true;
    return false;
}

static const char *check_edges(const struct mesh_host *m, const struct grid *g, uint64_t *border, uint64_t *edges)
{
    const size_t n = 3 * m->triangle_count;
    struct edge *list = malloc((n ? n : 1) * sizeof *list);
    const char *fault = NULL;
    for (size_t i = 0; i < n; i++) {
        const uint32_t a = m->indices[i], b = m->indices[i % 3 == 2 ? i - 2 : i + 1];
        list[i] = a < b ? (struct edge){ a, b, 1 } : (struct edge){ b, a, -1 };
    }
    qsort(list, n, sizeof *list, compare_edges);
    *border = *edges = 0;
    for (size_t i = 0, next; i < n; i = next, (*edges)++) {
        for (next = i + 1; next < n && same_edge(&list[i], &list[next]);) next++;
        if (next - i == 2 && list[i].direction == -list[i + 1].direction) continue;
        if (next - i == 1 && in_box_surface(g, &m->vertices[list[i].low], &m->vertices[list[i].high])) {
            ++*border;
            continue;
        }
        fault = next - i == 1   ? "an edge inside the volume has one triangle"
                : next - i == 2 ? "an edge's two triangles are wound against each other"
                                : "an edge has more than two triangles";
    }
    free(list);
    return fault;
}

/* ---- vertices ------------------------------------------------------------------------------------------------------ */

static uint32_t root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

struct corner {
    uint32_t at, next, last;
};

static int compare_corners(const void *a, const void *b)
{
    const uint32_t x = ((const struct corner *)a)->at, y = ((const struct corner *)b)->at;
    return (x > y) - (x < y);
}

/* Whether the triangles around a vertex, joined at their other corners, are connected. */
static bool is_one_fan(const struct corner *c, size_t n)
{
    uint32_t parent[64];
    if (n > 64) return false; /* a vertex is in at most 4 cells of 14 triangles */
    for (size_t i = 0; i < n; i++) parent[i] = (uint32_t)i;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (c[i].next == c[j].last || c[i].last == c[j].next)
                parent[root(parent, (uint32_t)i)] = root(parent, (uint32_t)j);
    for (size_t i = 1; i < n; i++)
        if (root(parent, (uint32_t)i) != root(parent, 0)) return false;
    return true;
}

static const char *check_fans(const struct mesh_host *m)
{
    const size_t n = 3 * m->triangle_count;
    struct corner *list = malloc((n ? n : 1) * sizeof *list);
    const char *fault = NULL;
    uint64_t used = 0;
    for (size_t t = 0; t < n; t += 3)
        for (size_t i = 0; i < 3; i++)
            list[t + i] = (struct corner){ m->indices[t + i], m->indices[t + (i + 1) % 3], m->indices[t + (i + 2) % 3] };
    qsort(list, n, sizeof *list, compare_corners);
    for (size_t i = 0, next; i < n; i = next, used++) {
        for (next = i + 1; next < n && list[next].at == list[i].at;) next++;
        if (!is_one_fan(list + i, next - i)) fault = "the triangles around a vertex are not one fan";
    }
    if (used != m->vertex_count) fault = "a vertex is in no triangle";
    free(list);
    return fault;
}

void normal_unpack(uint32_t packed, double n[3])
{
    for (int i = 0; i < 3; i++) {
        const int bits = (int)(packed >> (10 * i) & 1023);
        n[i] = (bits >= 512 ? bits - 1024 : bits) / 511.0;
    }
}

static bool near_iso(const struct grid *g, const struct vertex *v, float iso)
{
    const float p[3] = { v->x, v->y, v->z };
    const size_t n[3] = { g->nx, g->ny, g->nz };
    size_t low[3], high[3];
    int between = 0;
    for (int i = 0; i < 3; i++) {
        if (!(p[i] >= 0 && p[i] <= (float)(n[i] - 1))) return false;
        low[i] = (size_t)p[i];
        high[i] = p[i] > (float)low[i] ? low[i] + 1 : low[i];
        between += high[i] != low[i];
    }
    if (between == 3) return true; /* inside a cell */
    if (between > 1) return false;
    const float a = grid_value(g, (low[2] * g->ny + low[1]) * g->nx + low[0]);
    const float b = grid_value(g, (high[2] * g->ny + high[1]) * g->nx + high[0]);
    if (between == 0) return true; /* at a voxel: its value is the isovalue, or so near that t rounds to the end */
    return (a >= iso) != (b >= iso);
}

static const char *check_vertices(const struct mesh_host *m, const struct grid *g, float iso)
{
    for (uint64_t i = 0; i < m->vertex_count; i++) {
        double n[3];
        normal_unpack(m->vertices[i].normal, n);
        const double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        if (!(square > 0.99 && square < 1.01)) return "a normal is not of unit length";
        if (!near_iso(g, &m->vertices[i], iso)) return "a vertex is not on a crossed grid edge";
    }
    return NULL;
}

/* ---- all ----------------------------------------------------------------------------------------------------------- */

static uint64_t count_components(const struct mesh_host *m)
{
    uint32_t *parent = malloc((m->vertex_count ? m->vertex_count : 1) * sizeof *parent);
    uint64_t components = m->vertex_count;
    for (uint32_t i = 0; i < m->vertex_count; i++) parent[i] = i;
    for (uint64_t i = 0; i < 3 * m->triangle_count; i++) {
        const uint32_t a = root(parent, m->indices[i]), b = root(parent, m->indices[i - i % 3]);
        if (a != b) parent[a] = b, components--;
    }
    free(parent);
    return components;
}

struct mesh_findings mesh_check(const struct mesh_host *m, const struct grid *g, float iso)
{
    struct mesh_findings c = { NULL, 0, 0, 0 };
    uint64_t edges;
    for (uint64_t i = 0; i < 3 * m->triangle_count; i++)
        if (m->indices[i] >= m->vertex_count) {
            c.fault = "an index is out of range";
            return c;
        }
    for (uint64_t t = 0; t < m->triangle_count; t++) {
        const uint32_t *v = m->indices + 3 * t;
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) c.fault = "a triangle has one corner twice";
    }
    const char *fault;
    if ((fault = check_edges(m, g, &c.border_edges, &edges))) c.fault = fault;
    if ((fault = check_fans(m))) c.fault = fault;
    if ((fault = check_vertices(m, g, iso))) c.fault = fault;
    c.euler = (int64_t)m->vertex_count - (int64_t)edges + (int64_t)m->triangle_count;
    c.components = count_components(m);
    return c;
}

/* ---- the mesh as a set --------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t vertex_bits(const struct vertex *v)
{
    uint64_t half[2];
    memcpy(half, v, sizeof half);
    return mix(half[0] + mix(half[1] + 1));
}

struct mesh_digest mesh_sums(const struct mesh_host *m)
{
    struct mesh_digest sums = { 0, 0 };
    for (uint64_t i = 0; i < m->vertex_count; i++) sums.vertices += vertex_bits(&m->vertices[i]);
    for (uint64_t t = 0; t < m->triangle_count; t++) {
        uint64_t bits[3];
        unsigned first = 0;
        for (unsigned c = 0; c < 3; c++) {
            if (m->indices[3 * t + c] >= m->vertex_count) return (struct mesh_digest){ 0, 0 };
            bits[c] = vertex_bits(&m->vertices[m->indices[3 * t + c]]);
            if (bits[c] < bits[first]) first = c;
        }
        sums.triangles += mix(bits[first] + mix(bits[(first + 1) % 3] + mix(bits[(first + 2) % 3])));
    }
    return sums;
}
