/* Whether the surface of a volume that does not fit into memory is what its voxels have: the numbers of mesh_topology_find
 * and grid_topology_find, slab by slab. The file is read twice: for the voxels' truth and the counts of layers, then for
 * the mesh, without what holds no surface (ranges.h). */
#ifndef ISO_STREAM_VERIFY_H
#define ISO_STREAM_VERIFY_H

#include "iso.h"
#include "store.h"
#include "verify.h"

#ifdef __cplusplus
extern "C" {
#endif

struct stream_verify_desc {
    const struct store *store;
    double value;    /* real units */
    uint64_t memory; /* bytes that the process may take, with a few MiB for itself */
    size_t layers;   /* of bricks, that a slab owns at most; 0: as many as are worth it */
    struct progress progress;
};

struct stream_verify {
    struct mesh_topology mesh;
    struct grid_topology voxels;
};

/* Finds both, for verify_judge. iso: of the CPU; has no volume afterwards. Errors: ERR_INPUT; ERR_USAGE for NaN;
 * ERR_FAILED, also if desc->memory is too little, or cancelled. */
int stream_verify_find(struct stream_verify *found, const struct stream_verify_desc *desc, struct iso *iso,
                       struct err *err);

#ifdef __cplusplus
}
#endif
#endif
