/* The topology of a mesh, and every rule that a mesh of an isosurface keeps, checked on the indices first and then on the
 * coordinates. Knows nothing of how the mesh was made. */
#ifndef ISO_MESH_TOPOLOGY_H
#define ISO_MESH_TOPOLOGY_H

#include "mesh_host.h"
#include "progress.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What can be wrong. Each is counted, in triangles, edges or vertices. */
enum mesh_fault {
    FAULT_INDEX,     /* triangles with an index out of range; they are left out of all that follows */
    FAULT_REPEATED,  /* triangles with one corner twice */
    FAULT_DUPLICATE, /* triangles with the corners of another one */
    FAULT_UNUSED,    /* vertices of no triangle */
    FAULT_OPEN,      /* edges of one triangle that do not lie on the border of the grid */
    FAULT_CROWDED,   /* edges of more than two triangles */
    FAULT_TURNED,    /* edges whose two triangles are wound against each other */
    FAULT_PINCHED,   /* vertices whose triangles do not form one fan */
    FAULT_OUTSIDE,   /* vertices outside the grid, or not finite */
    FAULT_NORMAL,    /* vertices with a normal that is not of unit length */
    FAULT_ZERO_AREA, /* triangles without area, exactly, in the mesh's own floats */
    MESH_FAULTS
};

extern const char *const mesh_fault_text[MESH_FAULTS]; /* for a person: what is counted */

struct mesh_topology {
    uint64_t fault[MESH_FAULTS];
    uint64_t vertices, edges, triangles;
    uint64_t inner_vertices;             /* on no grid edge, but inside a cell */
    uint64_t border_edges, border_loops; /* border_edges: of one triangle; border_loops: the closed curves they form */
    uint64_t components;
    int64_t euler; /* vertices - edges + triangles */
};

/* Checks a mesh in voxel coordinates of a grid of n[0] x n[1] x n[2] voxels. Takes 12 bytes per vertex and 24 per triangle,
 * and time for each vertex that grows with the square of its triangles, of which there are 6 on average. Reports to `progress` (NULL: none). Error: ERR_FAILED, for memory and if
 * it was cancelled. */
int mesh_topology_find(struct mesh_topology *out, const struct mesh_host *mesh, const size_t n[3],
                       const struct progress *progress, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
