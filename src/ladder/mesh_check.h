/* Checks that a mesh is a closed, oriented surface on the edges and inside the cells of a grid. */
#ifndef ISO_MESH_CHECK_H
#define ISO_MESH_CHECK_H

#include "iso.h"

struct mesh_findings {
    const char *fault;     /* a broken rule; NULL: none */
    uint64_t border_edges; /* edges with one triangle, all on the faces of the volume */
    int64_t euler;         /* vertices - edges + triangles */
    uint64_t components;
};

/* The rules are those of mesh_topology.h, with two differences. Triangles may have no area, since vertices coincide
 * where a voxel equals the isovalue. The isovalue must lie between the ends of a vertex's edge, or between the corners
 * of its cell. */
struct mesh_findings mesh_check(const struct mesh_host *mesh, const struct grid *grid, float iso);

/* Digests the mesh as a set: sums of hashes that depend neither on the order of vertices and triangles nor on the
 * corner that a triangle begins with. Different meshes with the same counts have the same digest with probability
 * 2^-64. An index out of range gives 0, 0. */
struct mesh_digest {
    uint64_t vertices, triangles;
};
struct mesh_digest mesh_sums(const struct mesh_host *mesh);

#endif
