#include "mesh_check.h"

#include "mesh_topology.h"

#include <string.h>

/* Whether the isovalue lies between the values around a vertex: at the ends of its edge, or at the corners of its cell. */
static bool near_iso(const struct grid *g, const struct vertex *v, float iso)
{
    const float p[3] = { v->x, v->y, v->z };
    size_t low[3], high[3];
    unsigned inside = 0;
    for (int i = 0; i < 3; i++) {
        low[i] = (size_t)p[i];
        high[i] = p[i] > (float)low[i] ? low[i] + 1 : low[i];
    }
    if (!memcmp(low, high, sizeof low))
        return true; /* at a voxel, whose value is the isovalue or so close that t was rounded to 0 or 1 */
    for (unsigned c = 0; c < 8; c++) {
        const size_t x = c & 1 ? high[0] : low[0], y = c & 2 ? high[1] : low[1], z = c & 4 ? high[2] : low[2];
        inside += grid_value(g, (z * g->ny + y) * g->nx + x) >= iso;
    }
    return inside > 0 && inside < 8;
}

struct mesh_findings mesh_check(const struct mesh_host *m, const struct grid *g, float iso)
{
    const size_t n[3] = { g->nx, g->ny, g->nz };
    struct mesh_findings c = { NULL, 0, 0, 0 };
    struct mesh_topology found;
    if (mesh_topology_find(&found, m, n, NULL, NULL)) c.fault = "not enough memory to check the mesh";
    for (int f = 0; f < MESH_FAULTS && !c.fault; f++)
        if (found.fault[f] && f != FAULT_ZERO_AREA) c.fault = mesh_fault_text[f];
    for (uint64_t i = 0; i < m->vertex_count && !c.fault; i++)
        if (!near_iso(g, &m->vertices[i], iso)) c.fault = "a vertex is not on a crossed grid edge or in a crossed cell";
    c.border_edges = found.border_edges, c.euler = found.euler, c.components = found.components;
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
