/* The surface in a block of a level, and in many blocks as one mesh.
 *
 * The mesh of a block has the triangles of the block's own cells. They are bit for bit the same as in a mesh of the
 * whole level. So the meshes of all blocks together are that mesh, without gaps or duplicate triangles. Only vertices
 * on the sides of blocks exist once per block. */
#ifndef ISO_REFINE_H
#define ISO_REFINE_H

#include "blocks.h"
#include "iso.h"

#ifdef __cplusplus
extern "C" {
#endif

struct refine_room { /* reused for the mesh of each block; zero: no memory yet */
    struct mesh_host mesh;
    uint32_t *number; /* number of each of its vertices in the common mesh */
    uint64_t vertices, triangles;
};

struct refine_mesh { /* zero is an empty one */
    struct mesh_host mesh;
    uint64_t vertex_room, triangle_room;
    struct refine_room block;
};

/* Sets up the stages of `iso`, a CPU pipeline, as refine_block needs them: each strip has its own triangles. Error:
 * ERR_USAGE. */
int refine_prepare(struct iso *iso, struct err *err);

/* Adds the surface at `value` (stored units) in a block to `mesh`, in voxels of the block's level. Records the block's
 * range. `most`: bytes that the mesh may take. Errors: as blocks_get; ERR_FAILED also if the mesh would take more.
 * After an error `mesh` is unchanged. */
int refine_block(struct blocks *blocks, struct block_key key, struct iso *iso, float value, uint64_t most,
                 struct refine_mesh *mesh, struct err *err);

/* Finds out whether the surface crosses a block, and records the block's range. Errors: as blocks_get. */
int refine_look(struct blocks *blocks, struct block_key key, struct iso *iso, float value, bool *has, struct err *err);

uint64_t refine_mesh_bytes(const struct refine_mesh *mesh);

/* Converts the vertices from number `first` on from voxels of the level to voxels of the volume in memory. The scale is
 * the same on all axes, so the normals stay as they are. */
void refine_place(struct refine_mesh *mesh, uint64_t first, const struct level *level);
void refine_mesh_free(struct refine_mesh *mesh);

#ifdef __cplusplus
}
#endif
#endif
