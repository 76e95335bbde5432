/* What every mesh must be, checked on the indices first and on the geometry second. */
#ifndef ISO_MESH_CHECK_H
#define ISO_MESH_CHECK_H

#include "iso.h"

struct mesh_findings {
    const char *fault;     /* NULL: none; else the first broken rule */
    uint64_t border_edges; /* edges with one triangle; all lie in the surface of the volume's box */
    int64_t euler;         /* vertices - edges + triangles */
    uint64_t components;
};

/* Rules: indices in range, no triangle twice the same corner, no vertex unused, every edge in two triangles in opposite
 * directions (in one only within the box's surface), one fan of triangles round each vertex, every vertex on a grid edge
 * with the isovalue between the edge's ends, unit normals. */
struct mesh_findings mesh_check(const struct mesh_host *mesh, const struct grid *grid, float iso);

/* The mesh as a set: sums of mixed bits that depend neither on the order of vertices and triangles nor on the corner at
 * which a triangle begins. Meshes of the same counts and sums are the same but for chance, 2^-64. An index out of range
 * gives 0, 0. */
struct mesh_digest {
    uint64_t vertices, triangles;
};
struct mesh_digest mesh_sums(const struct mesh_host *mesh);

/* Unpacks a 10:10:10:2 normal. */
void normal_unpack(uint32_t packed, double n[3]);

#endif
