/* The topology of a mesh, and every rule that a mesh of an isosurface keeps, checked on the indices first and then on the
 * coordinates. Knows nothing of how the mesh was made. */
#ifndef ISO_MESH_TOPOLOGY_H
#define ISO_MESH_TOPOLOGY_H

#include "forest.h"
#include "mesh_host.h"
#include "progress.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What can be wrong. Each is counted, in triangles, edges or vertices. */
enum mesh_fault {
    FAULT_INDEX,     /* triangles with an index out of range, or of reach; they are left out of all that follows */
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

/* A mesh that is seen run by run: what one that is seen at once has.
 *
 *    mesh_topology_begin -> { mesh_topology_add } ... -> mesh_topology_end
 *
 * A run's triangles may join its vertices and later ones, of which only the triangles seen so far are kept. One that joins
 * an earlier vertex is out of reach: a fault, but then those that it leaves behind may be counted otherwise than in a mesh
 * seen at once. */
struct mesh_topology_sum { /* zero is a closed one */
    size_t n[3];
    struct mesh_topology found;
    struct forest parts, border;    /* of the next vertices: what triangles and border edges connect */
    struct mesh_topology_ray *rays; /* triangles at the next vertices */
    size_t ray_count, ray_room;
};

struct mesh_topology_run {
    const struct mesh_host *mesh; /* all that the run's triangles may join */
    uint64_t vertex, vertices;    /* which are its own: from number `vertex` of the mesh on; runs follow one another */
    uint64_t triangle, triangles;
};

/* Begins with a mesh of a grid of n[0] x n[1] x n[2] voxels. */
void mesh_topology_begin(struct mesh_topology_sum *sum, const size_t n[3]);

/* Takes the next run, in voxel coordinates of the whole grid. Takes memory and time as mesh_topology_find does for its own,
 * and keeps 24 bytes for each corner at a later vertex. Reports to `progress` (NULL: none). Error: ERR_FAILED, for memory
 * and if it was cancelled. */
int mesh_topology_add(struct mesh_topology_sum *sum, const struct mesh_topology_run *run, const struct progress *progress,
                      struct err *err);

/* Bytes that a run of so many vertices and triangles takes, with what is kept of the one before. */
static inline uint64_t mesh_topology_bytes(uint64_t vertices, uint64_t triangles) { return 20 * vertices + 40 * triangles; }

/* Sets `out` (NULL: nothing), after the last run, and frees what was taken. */
void mesh_topology_end(struct mesh_topology *out, struct mesh_topology_sum *sum);

/* Checks a mesh in voxel coordinates of a grid of n[0] x n[1] x n[2] voxels. Takes 12 bytes per vertex and 24 per triangle,
 * and time for each vertex that grows with the square of its triangles, of which there are 6 on average. Reports to
 * `progress` (NULL: none). Error: ERR_FAILED, for memory and if it was cancelled. */
int mesh_topology_find(struct mesh_topology *out, const struct mesh_host *mesh, const size_t n[3],
                       const struct progress *progress, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
