/* The surface in a block of a level, and of many blocks as one mesh.
 *
 * A block's mesh has the triangles of the block's own cells, with the bits that they have in a mesh of the whole level: the
 * meshes of all blocks are that mesh, without a gap, and nothing twice. Vertices at the sides of blocks are there once for
 * each. */
#ifndef ISO_REFINE_H
#define ISO_REFINE_H

#include "blocks.h"
#include "iso.h"

#ifdef __cplusplus
extern "C" {
#endif

struct refine_room { /* for one block's mesh after another; zero has none */
    struct mesh_host mesh;
    uint32_t *number; /* of its vertices in the mesh of all */
    uint64_t vertices, triangles;
};

struct refine_mesh { /* zero is an empty one */
    struct mesh_host mesh;
    uint64_t vertex_room, triangle_room;
    struct refine_room block;
};

/* Makes the stages of `iso`, of the CPU, run as refine_block needs them: each strip has its own triangles. Error:
 * ERR_USAGE. */
int refine_prepare(struct iso *iso, struct err *err);

/* Adds the surface at `value` (stored units) in a block, in voxels of its level, to `mesh`; notes the block's range.
 * `most`: bytes that the mesh may take. Errors: as blocks_get; ERR_FAILED also for a mesh that takes more. It is then as it
 * was. */
int refine_block(struct blocks *blocks, struct block_key key, struct iso *iso, float value, uint64_t most,
                 struct refine_mesh *mesh, struct err *err);

/* Looks whether a block has surface, and notes its range. Errors: as blocks_get. */
int refine_look(struct blocks *blocks, struct block_key key, struct iso *iso, float value, bool *has, struct err *err);

uint64_t refine_mesh_bytes(const struct refine_mesh *mesh);

/* Moves vertices from number `first` on from voxels of the level to those of the volume in memory: by one scale, which
 * leaves normals as they are. */
void refine_place(struct refine_mesh *mesh, uint64_t first, const struct level *level);
void refine_mesh_free(struct refine_mesh *mesh);

#ifdef __cplusplus
}
#endif
#endif
