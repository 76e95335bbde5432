/* The topology of a mesh, and all rules that the mesh of an isosurface must satisfy. They are checked first on the indices,
 * then on the coordinates. Knows nothing about how the mesh was made. */
#ifndef ISO_MESH_TOPOLOGY_H
#define ISO_MESH_TOPOLOGY_H

#include "forest.h"
#include "mesh_host.h"
#include "progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What can be wrong. Each is counted, in triangles, edges or vertices. */
enum mesh_fault {
    FAULT_INDEX,     /* triangles with an index out of range or out of reach; all later checks skip them */
    FAULT_REPEATED,  /* triangles with the same corner twice */
    FAULT_DUPLICATE, /* triangles with the same corners as another one */
    FAULT_UNUSED,    /* vertices that no triangle uses */
    FAULT_OPEN,      /* edges of only one triangle, not on the border of the grid */
    FAULT_CROWDED,   /* edges of more than two triangles */
    FAULT_TURNED,    /* edges whose two triangles have opposite orientation */
    FAULT_PINCHED,   /* vertices whose triangles do not form one fan */
    FAULT_OUTSIDE,   /* vertices outside the grid, or not finite */
    FAULT_NORMAL,    /* vertices with a normal that is not of unit length */
    FAULT_ZERO_AREA, /* triangles with area exactly 0, in the mesh's own floats */
    MESH_FAULTS
};

extern const char *const mesh_fault_text[MESH_FAULTS]; /* what is counted, for display */

struct mesh_topology {
    uint64_t fault[MESH_FAULTS];
    uint64_t vertices, edges, triangles;
    uint64_t inner_vertices;             /* inside a cell, not on a grid edge */
    uint64_t border_edges, border_loops; /* edges of only one triangle; the closed curves they form */
    uint64_t components;
    int64_t euler; /* vertices - edges + triangles */
};

/* A mesh that is seen run by run. The result is that of mesh_topology_find for the whole mesh.
 *
 *    mesh_topology_begin -> { mesh_topology_add } ... -> mesh_topology_end
 *
 * The triangles of a run may use its own vertices and later ones. For later vertices, only the triangles seen so far are
 * kept. A triangle that uses an earlier vertex is out of reach, which is a fault. Faults that follow from it may then be
 * counted differently than in a mesh seen at once. */
struct mesh_topology_sum { /* zero is a closed one */
    size_t n[3];
    struct mesh_topology found;
    struct forest parts, border;    /* of the next vertices: connected by triangles, by border edges */
    struct mesh_topology_ray *rays; /* triangles at the next vertices */
    size_t ray_count, ray_room;
};

struct mesh_topology_run {
    const struct mesh_host *mesh; /* with all vertices that the run's triangles use */
    uint64_t vertex, vertices;    /* its own vertices: from number `vertex` of the mesh on; runs are consecutive */
    uint64_t triangle, triangles;
};

/* Begins with a mesh of a grid of n[0] x n[1] x n[2] voxels. */
void mesh_topology_begin(struct mesh_topology_sum *sum, const size_t n[3]);

/* Takes the next run, in voxel coordinates of the whole grid. Memory and time are those of mesh_topology_find for the run
 * alone, plus 24 bytes for each corner at a later vertex. Reports to `progress` (NULL: none). Error: ERR_FAILED, for memory
 * and if it was cancelled. */
int mesh_topology_add(struct mesh_topology_sum *sum, const struct mesh_topology_run *run, const struct progress *progress,
                      struct err *err);

/* Bytes that a run of so many vertices and triangles takes, including what is kept of the run before. */
static inline uint64_t mesh_topology_bytes(uint64_t vertices, uint64_t triangles) { return 20 * vertices + 40 * triangles; }

/* Sets `out` (may be NULL) after the last run, and frees all memory. */
void mesh_topology_end(struct mesh_topology *out, struct mesh_topology_sum *sum);

/* Checks a mesh in voxel coordinates of a grid of n[0] x n[1] x n[2] voxels. Takes 12 bytes per vertex and 24 per triangle.
 * The time per vertex grows with the square of the number of its triangles, which is 6 on average. Reports to `progress`
 * (NULL: none). Error: ERR_FAILED, for memory and if it was cancelled. */
int mesh_topology_find(struct mesh_topology *out, const struct mesh_host *mesh, const size_t n[3],
                       const struct progress *progress, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
